"""The double oracle over known agents: the equilibrium mixture of a population in its empirical meta-game.

In the meta-game each side chooses an agent, and the payoff is the margin aᵢⱼ: the points of agent i above one half
against agent j. So A = −Aᵀ and its value is 0. The mixture x maximises the worst Σᵢ xᵢ aᵢⱼ over j: it is the one that
is hardest to beat. The double oracle adds the candidate that beats the mixture, solves again, and stops when none does.

A mixture's margins on the deals that it was chosen by would be biased upwards. So one half of the deals chooses and the
other half measures; candidates play the mixture on deals of their own. Agents that play inside kernels meet in many
more deals than asked for, since that takes no time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from uno_pomdp.arena.match import InvalidMatch, Maker, Match, make
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.attempts import LEVEL, QUICK_PAIRS, Challenger, Report, play_match
from uno_pomdp.equilibrium.linear_program import solve_matrix
from uno_pomdp.game.rng import later_seed
from uno_pomdp.rules import Rules

IMAGINARY: Final = 0.25
"""The squared distance from one half of the scores of the imaginary pair; see `arena.statistics`."""


@dataclass(frozen=True, slots=True)
class Population:
    """Known agents, how they do against each other, and the mixture of them that is hardest to beat."""

    rules: str
    """The rules by name."""
    names: tuple[str, ...]
    """The agents; those that the double oracle added come last."""
    payoffs: Floats
    """Margins `[agent, agent]`, of the row's agent against the column's."""
    mixture: Floats
    """The share of each agent."""
    margins: tuple[Interval, ...]
    """Each agent's margin against the mixture on deals that did not choose it; the intervals hold together."""
    rounds: int
    """How often candidates played the mixture."""
    refused: tuple[tuple[str, Interval], ...]
    """Candidates of the last round that did not beat the mixture, with their margins; the intervals hold together."""

    @property
    def worst(self) -> int:
        """The agent that does best against the mixture."""
        return max(range(len(self.names)), key=lambda agent: self.margins[agent].estimate)

    def rows(self) -> list[tuple[str, float, Interval]]:
        """Return name, share and margin against the mixture, the largest share first."""
        order = sorted(range(len(self.names)), key=lambda agent: (-self.mixture[agent], -self.margins[agent].estimate))
        return [(self.names[agent], float(self.mixture[agent]), self.margins[agent]) for agent in order]

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return f"The mixture of {len(self.names)} known agents that is hardest to beat, rules {self.rules}"

    @property
    def verdict(self) -> str:
        """What was shown, in one sentence."""
        best = self.margins[self.worst]
        tried = len(self.refused)
        return (
            f"Of these agents {self.names[self.worst]} does best against the mixture, with a margin of "
            f"{100 * best.estimate:+.2f} points of 100 ({100 * best.low:+.2f} to {100 * best.high:+.2f}), and "
            + (f"none of {tried} more candidates is shown to beat it" if tried else "no other candidate was left")
            + "; what else could beat it is not known."
        )

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "agents": list(self.names),
            "payoffs": self.payoffs.tolist(),
            "mixture": self.mixture.tolist(),
            "margins": [margin.to_json() for margin in self.margins],
            "rounds": self.rounds,
            "refused": [{"candidate": name, "margin": margin.to_json()} for name, margin in self.refused],
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        name, share, _ = self.rows()[0]
        return f"<Population of {len(self.names)} agents, rules {self.rules}: {100 * share:.1f} % {name}>"

    def _repr_html_(self) -> str:
        """Return every agent's margin against the mixture as a chart, and the shares, for a notebook."""
        from uno_pomdp.display.reports import margins_html

        rows = [(name, f"{100 * share:.1f} %", (at.estimate, at.low, at.high)) for name, share, at in self.rows()]
        return margins_html(self.title, "share", rows, None, [self.verdict])

    def __str__(self) -> str:
        rows = [f"{100 * share:5.1f} %  {name}: margin {margin.percent()}" for name, share, margin in self.rows()]
        return "\n".join([self.title, *rows, self.verdict])


class _Scores:
    """Pair scores of every two agents that were asked for, each match played once."""

    def __init__(self, rules: Rules, pairs: int, folder: Path | None, report: Report | None, where: Any) -> None:
        self._rules, self._pairs, self._folder, self._report, self._where = rules, pairs, folder, report, where
        self._known: dict[tuple[str, str, int], Floats] = {}

    def of(self, one: Maker, other: Maker, seed: int) -> Floats:
        """Return one agent's score in each pair against another; one half against itself."""
        names = make(one).name, make(other).name
        if names[0] == names[1]:
            return np.full(max(self._pairs, QUICK_PAIRS), 0.5)
        if (*names, seed) not in self._known:
            folder = None if self._folder is None else self._folder / f"seed-{seed}"
            match = Match(self._rules, (one, other), self._pairs, seed)
            if match.in_kernels:
                match = Match(self._rules, (one, other), max(self._pairs, QUICK_PAIRS), seed)
            scores = play_match(match, folder, self._report, **self._where).scores
            self._known[*names, seed] = scores
            self._known[names[1], names[0], seed] = 1.0 - scores
        return self._known[*names, seed]


def double_oracle(
    rules: Rules,
    agents: Sequence[Maker],
    candidates: Sequence[Challenger],
    pairs: int,
    seed: int = 0,
    rounds: int = 3,
    folder: Path | None = None,
    report: Report | None = None,
    **where: Any,
) -> Population:
    """Return the mixture of the agents, and of those candidates that beat it, that is hardest to beat.

    In each round every candidate that is left plays the mixture on new deals; the one with the largest margin joins if
    its interval, which holds for all candidates of the round, lies above zero.
    """
    if pairs < 2 or len(agents) < 1:
        raise InvalidMatch(
            "a population needs an agent and two pairs: one half of the deals chooses, the other measures"
        )
    scores = _Scores(rules, pairs, folder, report, where)
    known = list(agents)
    names = [make(agent).name for agent in known]
    if len(set(names)) < len(names):
        raise InvalidMatch("an agent is in the population twice: name each once")
    left = {make(each.maker).name: each.maker for each in candidates}
    done, refused = 0, tuple[tuple[str, Interval], ...]()
    while True:
        left = {name: maker for name, maker in left.items() if name not in names}
        table = [[scores.of(one, other, seed) for other in known] for one in known]
        _, mixture, _ = solve_matrix(np.array([[cell[::2].mean() - 0.5 for cell in row] for row in table]))
        if done == rounds or not left:
            break
        done += 1
        support = np.flatnonzero(mixture > 0.0)
        tried = []
        for name, maker in left.items():
            against = [scores.of(maker, known[agent], later_seed(seed, done)) for agent in support]
            tried.append((name, margin_of(against, mixture[support], len(left))))
        refused = tuple(sorted(tried, key=lambda each: -each[1].estimate))
        name, margin = refused[0]
        if margin.low <= 0.0:
            break
        known.append(left[name])
        names.append(name)
        refused = tuple(each for each in refused if each[0] != name)
    margins = tuple(margin_of([cell[1::2] for cell in row], mixture, len(known)) for row in table)
    payoffs = np.array([[cell.mean() - 0.5 for cell in row] for row in table])
    return Population(rules.name, tuple(names), payoffs, mixture, margins, done, refused)


def margin_of(matches: Sequence[Floats], shares: Floats, attempts: int) -> Interval:
    """Return an agent's margin against a mixture, with an interval that holds for so many attempts together.

    A match is its pair scores against one agent of the mixture. Matches may share their deals and differ in length, so
    their standard errors are added up: the interval holds however they depend on each other.
    """
    z = NormalDist().inv_cdf(1.0 - LEVEL / attempts / 2.0)
    mean = centre = half = 0.0
    for scores, share in zip(matches, shares.tolist(), strict=True):
        pairs, middle = len(scores), float((scores.sum() + 0.5) / (len(scores) + 1)) - 0.5
        spread = (float(((scores - 0.5 - middle) ** 2).sum()) + IMAGINARY + middle**2) / (pairs + 1)
        mean += share * (float(scores.mean()) - 0.5)
        centre += share * middle
        half += share * z * (spread / (pairs + 1)) ** 0.5
    return Interval(mean, max(centre - half, -0.5), min(centre + half, 0.5))
