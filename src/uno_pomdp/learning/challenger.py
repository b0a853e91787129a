"""A learned best response as one more attempt of a Nash report: handed to `equilibrium.nash`, never imported there."""

from dataclasses import replace
from pathlib import Path

from uno_pomdp.agents.policies import POLICY_NAMES
from uno_pomdp.arena.match import Maker, make
from uno_pomdp.champion.agent import ChampionAgent
from uno_pomdp.equilibrium.bounds import Challenger
from uno_pomdp.learning.best_response import respond
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.environment import InvalidTraining
from uno_pomdp.rules import Rules, preset


class Learner:
    """A trainer for `nash_report`: learns a best response to a simple policy, a champion or the file of a net."""

    name = "learned best response"

    def __init__(
        self,
        config: TrainConfig,
        device: str = "cpu",
        seconds: float | None = None,
        folder: Path | None = None,
        games: int = 20_000,
    ) -> None:
        self._config = config
        self._device = device
        self._seconds = seconds
        self._folder = folder
        self._games = games

    def __call__(self, rules: Rules, agent: Maker, seed: int) -> Challenger:
        """Return what was found against an agent."""
        config = replace(self._config, rules=rules.name, seed=seed)
        if preset(config.rules) != rules:
            raise InvalidTraining("a best response is learnt for rules with a name: choose a preset")
        found = respond(
            config,
            frozen_name(agent, rules),
            self._device,
            seconds=self._seconds,
            folder=self._folder,
            games=self._games,
        )
        champion, about = found.champion, f"learnt against it on {found.decisions:,} choices"

        def maker() -> ChampionAgent:
            return ChampionAgent(champion, name=self.name)

        return Challenger(maker, about, knows=True)


def frozen_name(agent: Maker, rules: Rules) -> str:
    """Return how training names an agent: a simple policy, or the file of its net."""
    if isinstance(agent, str) and agent in POLICY_NAMES:
        return agent
    player = make(agent)
    if isinstance(player, ChampionAgent) and player.temperature == 1.0:
        file = player.file_for(rules)
        if file is not None:
            return str(file)
    raise InvalidTraining(
        f"{player.name} can't be frozen: a best response is learnt against {', '.join(POLICY_NAMES)} or a champion"
    )
