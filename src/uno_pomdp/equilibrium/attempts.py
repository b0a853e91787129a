"""Lower bounds on exploitability by play: attempts at a best response to an agent, with their margins.

An opponent that wins more than half of the points against an agent, over duplicate deals, shows that the agent is no
equilibrium, and by how much at least: no opponent's margin is above that of the best response, which is the
exploitability. Several attempts are made and the best is reported, so the intervals have to hold simultaneously: with
k attempts each has the level 1 − 5 %/k (Bonferroni), however the attempts depend on each other.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final, Protocol

import numpy as np

from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.arena.match import Maker, Match, make
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.statistics import Interval, LuckSums, paired_interval
from uno_pomdp.arena.tournament import store_name
from uno_pomdp.errors import UnoError
from uno_pomdp.files import make_folder
from uno_pomdp.nets.net_file import NetFile, load_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.pretrained import pretrained_policy, pretrained_rules, response_file
from uno_pomdp.policies.kernels import HEURISTIC, POLICY_NAMES, WITHOUT_NOISE, policy_name
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import Rules

LEVEL: Final = 0.05
"""The family-wise error rate: how often at least one of the simultaneous intervals may miss."""
QUICKER: Final = 5
"""About how many times longer a decision takes with a policy-aware belief than with the closed form."""
NET_QUICKER: Final = 20
"""How many times as many pairs a net plays as a search, since it decides so much faster."""
QUICK_PAIRS: Final = 20_000
"""Pairs of a match inside kernels, where more cost nothing."""
LEARNT: Final = "learned best response"
"""The name of an attempt that is a trained net."""

Report = Callable[[str, MatchProgress], None]
"""Called with the name of a match and its progress."""


class InvalidResponse(UnoError):
    """A net that can't be an attempt here."""


@dataclass(frozen=True, slots=True)
class Challenger:
    """A player that tries to beat an agent."""

    maker: Maker
    """The player."""
    about: str
    """What it knows of the agent."""
    knows: bool
    """Whether it plans with the agent's own policy."""
    times: int = 1
    """How many times as many pairs it plays, because it decides so much faster than others."""


class AttemptTrainer(Protocol):
    """A way to find a best response that the caller supplies, such as learning."""

    name: str
    """What to call what it finds."""

    def __call__(self, rules: Rules, agent: Maker, seed: int) -> Challenger:
        """Return the response found against an agent; the match is played on other deals than those of this seed."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, and what it shows."""

    name: str
    """Who tried."""
    about: str
    """What it knows of the agent."""
    knows: bool
    """Whether it plans with the agent's own policy."""
    pairs: int
    """Deals, each played twice."""
    margin: Interval
    """Its points above one half in a game, with the 95 % interval of this attempt alone."""
    joint: Interval
    """The same with the simultaneous interval over all attempts."""

    def __repr__(self) -> str:
        return f"<Attempt of {self.name}: margin {self.margin.percent()}, {self.pairs:,} pairs>"

    @property
    def shown(self) -> bool:
        """Whether the attempt shows that the agent can be beaten."""
        return self.joint.low > 0.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "challenger": self.name,
            "about": self.about,
            "true_model": self.knows,
            "pairs": self.pairs,
            "margin": self.margin.to_json(),
            "joint": self.joint.to_json(),
        }


def challengers_of(agent: str, budget: Budget, rules: Rules) -> tuple[Challenger, ...]:
    """Return the attempts that the package itself can make, searches with this budget for each decision.

    Against a scripted policy the searches know it: POMCP has it as the opponent model, and `flat` and `ismcts` as their
    rollout policy. Against any other agent they use the nearest scripted policy: the agent's own rollout policy, if it
    has one. Where the package has a champion for the rules, the champion's search tries too; and against the champion
    the package's trained response, if it has one. Searches that do not know the rules make no attempt.
    """
    limit = f"sims={budget.simulations}" if budget.simulations is not None else f"ms={budget.milliseconds:g}"
    spec = AgentSpec.parse(agent)
    knows = spec.can.in_kernels
    model = nearest_policy(spec)
    whose = "its policy" if knows else f"{model}, which is not its policy"
    found = [
        Challenger(f"pomcp:{limit},model={model}", f"plans against {whose}", knows),
        Challenger(f"flat:{limit},rollout={model}", f"plays out by {whose}", knows, QUICKER),
    ]
    if model != "greedy":  # the tree of ismcts is led by preferred actions, and greedy has none
        found.append(Challenger(f"ismcts:{limit},rollout={model}", f"plays out by {whose}", knows, QUICKER))
    if rules.name in pretrained_rules():
        found.append(Challenger(f"champion:{limit},opponent={whom(spec)}", *looking_ahead(spec, rules), QUICKER))
    file = response_file(rules)
    if file is not None:
        response = learnt(load_net(file), agent, rules)
        found += [response] * response.knows
    return tuple(one for one in found if plays(one.maker, rules))


def plays(challenger: Maker, rules: Rules) -> bool:
    """Return whether a challenger knows these rules."""
    try:
        make(challenger).check_game(rules)
    except InvalidAgent:
        return False
    return True


def whom(agent: AgentSpec) -> str:
    """Return the opponent that the champion's search assumes: the agent's scripted policy, else the champion."""
    model = agent.can.kernel_policy
    return "champion" if model is None else POLICY_NAMES[model.policy & WITHOUT_NOISE]  # its value net knows no noise


def looking_ahead(agent: AgentSpec, rules: Rules) -> tuple[str, bool]:
    """Return what the champion's search knows of an agent, in words, and whether that is the agent's own policy."""
    model = agent.can.kernel_policy
    if model is not None and model.policy > WITHOUT_NOISE:
        return f"looks ahead with {whom(agent)}, which is its policy without the noise", False
    if model is not None or frozen_mark(agent.make, rules) == pretrained_policy(rules).checksum:
        return "looks ahead with its policy", True
    return "looks ahead with the champion's policy, which is not its policy", False


def learnt(champion: NetFile, agent: Maker, rules: Rules) -> Challenger:
    """Return a net as an attempt; it knows the agent if its file says that it was trained against this agent.

    Its name contains the beginning of its checksum, so that two nets never share results in a folder.
    """
    knows = champion.about.get("answers", "") == frozen_mark(agent, rules)
    choices = champion.about.get("decisions")
    whom = "it"
    if not knows and champion.about.get("imitates") == make(agent).name:
        whom = "a net that imitates it"
    about = f"learnt against {whom}" + (f" on {choices:,} choices" if isinstance(choices, int) else "")
    return Challenger(
        partial(PolicyNetAgent, champion, name=f"{LEARNT} {champion.checksum[:8]}"),
        about if knows or whom != "it" else "learnt, but not against it",
        knows,
        NET_QUICKER,
    )


def handed_in(file: Path, agent: Maker, rules: Rules) -> Challenger:
    """Return the net of a file as an attempt."""
    champion = load_net(file)
    if champion.rules != rules:
        raise InvalidResponse(
            f"{file} is a net for the rules {champion.rules.name}, not {rules.name}: train one for those with "
            f"uno-pomdp train --rules {rules.name} --against …"
        )
    found = learnt(champion, agent, rules)
    return replace(found, about=f"{file.name}: {found.about}")


def frozen_mark(agent: Maker, rules: Rules) -> str | None:
    """Return what identifies an agent that can be trained against: a policy's name, or a net's checksum."""
    if isinstance(agent, str) and (model := AgentSpec.parse(agent).can.kernel_policy) is not None:
        return model.name
    player = make(agent)
    if not isinstance(player, PolicyNetAgent) or player.temperature != 1.0:
        return None
    return player.champion_for(rules).checksum


def nearest_policy(agent: AgentSpec) -> str:
    """Return the scripted policy that an agent is, or its rollout policy; `heuristic` where it has neither."""
    if agent.can.kernel_policy is not None:
        return agent.can.kernel_policy.name
    rollout = agent.options.get("rollout")
    return policy_name(rollout if isinstance(rollout, int) else HEURISTIC)  # a text: an option of one's own agent


def attempt_all(
    rules: Rules,
    agent: Maker,
    challengers: Sequence[Challenger],
    pairs: int,
    seed: int = 0,
    folder: Path | None = None,
    report: Report | None = None,
    **where: Any,
) -> tuple[Attempt, ...]:
    """Let every challenger play the agent over the same deals, fast ones over more; the best margin comes first.

    With a folder, each match keeps its results in a store there. `where` goes to `run_match`: processes, cluster.
    """
    played = [
        play_match(Match(rules, (each.maker, agent), each.times * pairs, seed), folder, report, **where)
        for each in challengers
    ]
    found = [bound_of(each, result, len(challengers)) for each, result in zip(challengers, played, strict=True)]
    return tuple(sorted(found, key=lambda bound: -bound.margin.estimate))


def bound_of(challenger: Challenger, result: MatchResult, attempts: int) -> Attempt:
    """Return what a match shows, as one of so many attempts."""
    z = NormalDist().inv_cdf(1.0 - LEVEL / attempts / 2.0)
    return Attempt(
        name=result.names[0],
        about=challenger.about,
        knows=challenger.knows,
        pairs=len(result.pairs),
        margin=_above_half(result.sharpest()),
        joint=_above_half(result.sharpest(z)),
    )


def self_play(
    rules: Rules,
    agent: Maker,
    pairs: int,
    seed: int = 0,
    folder: Path | None = None,
    report: Report | None = None,
    **where: Any,
) -> Interval:
    """Return player 1's points when both players are the agent: what the first move is worth, and nothing else.

    Over duplicate deals the agent has half of the points against itself, whatever it plays. Luck is a control variate
    where it was measured; that of the deal does not cancel here, for player 1 has the same cards in both games.
    """
    match = Match(rules, (agent, agent), pairs, seed)
    if match.in_kernels:
        match = Match(rules, (agent, agent), max(pairs, QUICK_PAIRS), seed)
    played = play_match(match, folder, report, **where).pairs
    points, luck = played["points"].astype(np.int64), played["luck"]
    scores = points[:, 0] + 2 - points[:, 1]
    sums = LuckSums()
    sums.add(played["index"], scores / 4, (luck[:, 0] - luck[:, 1]) / 2)
    adjusted = None if np.isnan(luck).any() else sums.adjusted()
    return paired_interval(np.bincount(scores, minlength=5)) if adjusted is None else adjusted.points


def play_match(match: Match, folder: Path | None, report: Report | None, **where: Any) -> MatchResult:
    """Play a match, with a store in a folder if there is one."""
    store: str | os.PathLike[str] | None = None
    if folder is not None:
        make_folder(folder)
        store = folder / store_name(*match.names)
    name = " v ".join(match.names)
    return run_match(match, store=store, report=None if report is None else lambda at: report(name, at), **where)


def _above_half(points: Interval) -> Interval:
    return Interval(points.estimate - 0.5, points.low - 0.5, points.high - 0.5)
