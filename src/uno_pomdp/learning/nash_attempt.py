"""A learned best response as one more attempt of a Nash report: passed to `nash_report`, never imported there."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from uno_pomdp.arena.match import Maker
from uno_pomdp.equilibrium.attempts import LEARNT, Challenger, learnt
from uno_pomdp.learning.best_response import LearnedResponse, respond
from uno_pomdp.learning.config import TrainConfig, config_of
from uno_pomdp.learning.frozen_opponent import frozen_name, imitation_of
from uno_pomdp.learning.imitation.imitation import WATCHING, ImitationConfig, Watching, kept_imitation
from uno_pomdp.learning.trainer import Report
from uno_pomdp.nets.net_file import NetFile, load_net
from uno_pomdp.nets.pretrained import pretrained_policy, pretrained_rules
from uno_pomdp.policies.kernels import is_policy
from uno_pomdp.rules import Rules

ENDLESS: Final = 1_000_000_000_000
"""More choices than any run makes, so that time ends it."""


class Learner:
    """A trainer for `nash_report`: learns a best response to an agent.

    A scripted policy, a champion or the file of a net is trained against itself; any other agent is imitated first.
    """

    name = LEARNT

    def __init__(
        self,
        config: TrainConfig,
        device: str = "cpu",
        seconds: float | None = None,
        folder: Path | None = None,
        games: int = 20_000,
        report: Report | None = None,
        imitation: ImitationConfig | None = None,
        watching: Watching | None = None,
        processes: int = 1,
    ) -> None:
        self._config = config
        self._device = device
        self._seconds = seconds
        self._folder = folder
        self._games = games
        self._report = report
        self._imitation = imitation or ImitationConfig()
        self._watching = watching
        self._processes = processes
        self.found: LearnedResponse | None = None
        """What was found last, with its curve."""
        self.imitation: NetFile | None = None
        """The net that imitates the agent, if there had to be one."""

    def __call__(self, rules: Rules, agent: Maker, seed: int) -> Challenger:
        """Return what was found against an agent."""
        against, seconds = frozen_name(agent, rules), self._seconds
        self.imitation = None
        with ExitStack() as stack:
            if against is None:
                folder = self._folder or Path(stack.enter_context(TemporaryDirectory()))
                config = replace(self._imitation, seed=seed)
                share = None if seconds is None else WATCHING * seconds
                where = (self._device, self._processes, share, self._watching)
                self.imitation = kept_imitation(folder, agent, rules, config, *where)
                against = imitation_of(agent)
                seconds = None if seconds is None else (1.0 - WATCHING) * seconds
            self.found = respond(
                replace(self._config, rules=str(rules), seed=seed),
                against,
                self._device,
                seconds=seconds,
                folder=self._folder,
                games=self._games,
                report=self._report,
                imitation=self.imitation,
            )
        return learnt(self.found.champion, agent, rules)

    def to_json(self) -> dict[str, Any]:
        """Return what was found last as JSON values, and how well the agent was imitated if it had to be."""
        assert self.found is not None, "nothing was learnt yet"
        about = None if self.imitation is None else self.imitation.about
        seen = {} if about is None else {"imitation": {name: about[name] for name in ("choices", "agreement", "loss")}}
        return self.found.to_json() | seen


def timed_config(agent: Maker, rules: Rules, device: str) -> TrainConfig:
    """Return the configuration of a response that time ends; one to a net has that net's size, and starts from it."""
    config = replace(config_of("champion" if device.startswith("cuda") else "small"), decisions=ENDLESS)
    against = frozen_name(agent, rules)
    if against is not None and is_policy(against):
        return config
    if against is not None:
        return replace(config, hidden=tuple(load_net(against).net.sizes[1:-1].tolist()))
    if rules.name in pretrained_rules():  # as its imitation
        return replace(config, hidden=tuple(pretrained_policy(rules).net.sizes[1:-1].tolist()))
    return replace(config, hidden=ImitationConfig().hidden)
