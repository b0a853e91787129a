"""A learned best response as one more attempt of a Nash report: handed to `equilibrium.nash`, never imported there."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from uno_pomdp.agents.policies import POLICY_NAMES
from uno_pomdp.arena.match import Maker, make
from uno_pomdp.champion.agent import ChampionAgent
from uno_pomdp.champion.net import load_champion
from uno_pomdp.equilibrium.bounds import LEARNT, Challenger, learnt
from uno_pomdp.learning.best_response import Response, respond
from uno_pomdp.learning.config import TrainConfig, config_of
from uno_pomdp.learning.environment import InvalidTraining
from uno_pomdp.learning.trainer import Report
from uno_pomdp.rules import PRESETS, Rules

ENDLESS: Final = 1_000_000_000_000
"""More choices than any run makes: time ends it."""


class Learner:
    """A trainer for `nash_report`: learns a best response to a simple policy, a champion or the file of a net."""

    name = LEARNT

    def __init__(
        self,
        config: TrainConfig,
        device: str = "cpu",
        seconds: float | None = None,
        folder: Path | None = None,
        games: int = 20_000,
        report: Report | None = None,
    ) -> None:
        self._config = config
        self._device = device
        self._seconds = seconds
        self._folder = folder
        self._games = games
        self._report = report
        self.found: Response | None = None
        """What was found last, with its curve."""

    def __call__(self, rules: Rules, agent: Maker, seed: int) -> Challenger:
        """Return what was found against an agent."""
        against = frozen_name(agent, rules)
        self.found = respond(
            replace(self._config, rules=rules.name, seed=seed),
            against,
            self._device,
            seconds=self._seconds,
            folder=self._folder,
            games=self._games,
            report=self._report,
        )
        return learnt(self.found.champion, agent, rules)


def timed_config(agent: Maker, rules: Rules, device: str) -> TrainConfig:
    """Return how a response is learnt that time ends; one to a net has the size of that net, and so begins as it."""
    config = replace(config_of("champion" if device.startswith("cuda") else "small"), decisions=ENDLESS)
    against = frozen_name(agent, rules)
    if against in POLICY_NAMES:
        return config
    return replace(config, hidden=tuple(load_champion(against).net.sizes[1:-1].tolist()))


def frozen_name(agent: Maker, rules: Rules) -> str:
    """Return how training names an agent: a simple policy, or the file of its net."""
    if rules.name not in PRESETS:
        raise InvalidTraining("a best response is learnt for rules with a name: choose a preset")
    if isinstance(agent, str) and agent in POLICY_NAMES:
        return agent
    player = make(agent)
    if isinstance(player, ChampionAgent) and player.temperature == 1.0:
        player.champion_for(rules)  # which says it where the package has none
        file = player.file_for(rules)
        if file is not None:
            return str(file)
    raise InvalidTraining(
        f"{player.name} can't be frozen: a best response is learnt against {', '.join(POLICY_NAMES)} or a champion"
    )
