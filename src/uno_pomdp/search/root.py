"""The root of a search: successive halving over the actions, all of them tried in the same sampled worlds.

The worlds are the same for all actions (common random numbers), so that luck in them cancels in the differences. With
successive halving the budget is divided into equal rounds. After each the worse half of the actions is dropped, so that
what is clearly bad gets no more simulations.

A search may have a prior: probabilities of the actions before any simulation. Actions are then ranked by

    score = mean points + trust · ln prior

and an action with a prior below `UNLIKELY` is not tried.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.layout import States
from uno_pomdp.rules import Rules
from uno_pomdp.search.meter import BudgetMeter
from uno_pomdp.search.move_values import MoveValueSums
from uno_pomdp.search.suspicion import sample_worlds

CHUNK: Final = 256
"""About the fewest simulations between two looks at the clock: they take a fifth of a millisecond."""
LARGEST: Final = 1024
"""The most worlds at a time: what a core's cache holds."""
STOPPABLE: Final = 512
"""About the most simulations between two looks at whether the search is stopped, where somebody may stop it."""
UNLIKELY: Final = 1e-3
"""An action with a smaller prior is not tried."""
UNTRIED: Final = "budget spent: skipped"
"""The note on an action that a budget did not reach."""


class Trial(ABC):
    """Tries the actions of one decision."""

    caught = False
    """Whether the opponent has been shown a card that makes a +4 at this decision a lie: it then challenges."""

    @abstractmethod
    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the points of each action still tried, in each world: `[worlds, alive]`."""

    def line(self, best: Action) -> tuple[Action, ...]:
        """Return the principal variation: the expected moves of both, the best action first; empty if unknown."""
        del best
        return ()


class TrialMaker(ABC):
    """A way to try actions: makes a `Trial` for each decision."""

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules with which it can't be done."""
        del rules

    @abstractmethod
    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> Trial:
        """Return the trial of these actions, with its own randomness. Several threads may call this at a time."""


@dataclass
class Arms:
    """The arms of the bandit at the root: the legal actions, with what each has earned so far."""

    actions: npt.NDArray[np.int64]
    """All legal actions."""
    alive: npt.NDArray[np.int64]
    """Which of them are still tried."""
    count: Floats
    """Simulations of each."""
    total: Floats
    """The sum of the points of each."""
    squares: Floats
    """The sum of the squared points of each."""
    prior: Floats | None = None
    """The probability of each before any simulation, if there is one."""
    trust: float = 0.0
    """How much the logarithm of the prior counts."""

    @classmethod
    def of(cls, actions: list[int], simulations: int | None, prior: Floats | None = None, trust: float = 0.0) -> "Arms":
        """Return arms before any simulation; if there are fewer simulations than actions, only so many are tried."""
        size = len(actions)
        likely = np.arange(size)
        if prior is not None:
            likely = likely[prior >= min(UNLIKELY, prior.max())]
            likely = likely[np.argsort(-prior[likely], kind="stable")]
        tried = np.sort(likely[: simulations or size])
        return cls(np.array(actions), tried, np.zeros(size), np.zeros(size), np.zeros(size), prior, trust)

    @property
    def spent(self) -> int:
        """Simulations of all arms."""
        return int(self.count.sum())

    @property
    def values(self) -> Floats:
        """The mean points of each; 0 where there is none."""
        return np.asarray(self.total / np.maximum(self.count, 1))

    @property
    def scores(self) -> Floats:
        """What arms are ranked by."""
        return self.values if self.prior is None else self.values + leaning(self.prior, self.trust)

    def add(self, results: Floats) -> None:
        """Count a row of points for each world, a column for each arm that is alive."""
        self.count[self.alive] += len(results)
        self.total[self.alive] += results.sum(axis=0)
        self.squares[self.alive] += (results**2).sum(axis=0)

    def halve(self) -> None:
        """Drop the worse half of the arms that are alive."""
        best_first = np.argsort(-self.scores[self.alive], kind="stable")
        self.alive = np.sort(self.alive[best_first[: math.ceil(len(self.alive) / 2)]])

    def candidates(self) -> tuple[Candidate, ...]:
        """Return all arms: the best first, then the others that were tried to the end, then the dropped ones."""
        values, scores = self.values, self.scores
        spread = np.maximum(self.squares / np.maximum(self.count, 1) - values**2, 0.0)
        errors = np.sqrt(spread / np.maximum(self.count - 1, 1))
        alive = set(self.alive.tolist())
        order = sorted(range(len(self.actions)), key=lambda arm: (arm not in alive, -scores[arm], arm))
        return tuple(
            Candidate(
                ACTIONS[self.actions[arm]],
                float(values[arm]) if self.count[arm] else None,
                float(errors[arm]) if self.count[arm] else None,
                int(self.count[arm]),
                None if self.prior is None else float(self.prior[arm]),
                "" if self.count[arm] else self._why_untried(arm),
            )
            for arm in order
        )

    def _why_untried(self, arm: int) -> str:
        if self.prior is not None and self.prior[arm] < min(UNLIKELY, self.prior.max()):
            return f"prior < {100 * UNLIKELY:.1f} %: skipped"
        return UNTRIED


def leaning(prior: Floats, trust: float) -> Floats:
    """Return trust · ln prior for each action: what is added to its mean points; 0 where the prior is 1."""
    return np.asarray(trust * np.log(np.maximum(prior, UNLIKELY)))


def ranked(candidates: Sequence[Candidate], trust: float) -> list[Candidate]:
    """Return the candidates by score, those with less than half of the most visits (dropped early) after the others."""
    enough = max(candidate.visits for candidate in candidates) / 2

    def score(candidate: Candidate) -> float:
        prior = 1.0 if candidate.prior is None else candidate.prior
        return (candidate.value or 0.0) + float(leaning(np.array(prior), trust))

    return sorted(candidates, key=lambda candidate: (candidate.visits < enough, -score(candidate)))


def successive_halving(
    arms: Arms, trial: Trial, belief: Belief, seed: np.random.SeedSequence, meter: BudgetMeter, halving: bool = True
) -> Decision:
    """Return the best arm after trying all within the budget; without `halving` none is dropped on the way."""
    rounds = math.ceil(math.log2(len(arms.alive))) if halving and len(arms.alive) > 1 else 1
    worlds = 0
    for number in range(rounds):
        share = (number + 1) / rounds
        if number:
            arms.halve()
        while _may_go_on(meter, arms.spent, len(arms.alive), share):
            chunk = _chunk(meter, arms.spent, len(arms.alive), share)
            results = np.empty((chunk, len(arms.alive)))
            _play(trial, sample_worlds(belief, chunk, seed.spawn(1)[0]), arms.alive, results, meter)
            arms.add(results)
            worlds += chunk
            meter.look(arms.spent, arms.candidates)
            if len(arms.alive) == 1:
                break  # nothing is left to choose
    candidates = arms.candidates()
    best = candidates[0].action
    return Decision(best, candidates, trial.line(best), worlds=worlds, simulations=arms.spent)


def in_same_worlds(
    actions: Sequence[int], trial: Trial, belief: Belief, seed: np.random.SeedSequence, meter: BudgetMeter
) -> MoveValueSums:
    """Return the points of all actions: none is dropped, and all are tried in the same worlds, at least two."""
    sums, size = MoveValueSums(actions), len(actions)
    everyone = np.arange(size)
    while sums.worlds < 2 or _may_go_on(meter, size * sums.worlds, size):
        chunk = max(2, _chunk(meter, size * sums.worlds, size))
        results = np.empty((chunk, size))
        _play(trial, sample_worlds(belief, chunk, seed.spawn(1)[0]), everyone, results, meter)
        sums.add(results)
        meter.look(size * sums.worlds, sums.candidates)
    return sums


def _play(trial: Trial, worlds: States, alive: npt.NDArray[np.int64], results: Floats, meter: BudgetMeter) -> None:
    """Try the actions in these worlds, unless the search is stopped on the way."""
    for part in meter.parts(len(worlds), STOPPABLE // len(alive)):
        trial.play(worlds[part], alive, results[part])


def _may_go_on(meter: BudgetMeter, spent: int, alive: int, share: float = 1.0) -> bool:
    """Return whether a share of the budget is not spent yet; the first chunk is always played."""
    simulations = meter.budget.simulations
    if simulations is not None:
        return spent + alive <= max(share * simulations, alive)
    return spent == 0 or 1.0 - meter.left() < share


def _chunk(meter: BudgetMeter, spent: int, alive: int, share: float = 1.0) -> int:
    """Return how many worlds to try next."""
    simulations = meter.budget.simulations
    if simulations is None:
        return max(1, min(LARGEST, max(CHUNK, meter.fitting(spent, share)) // alive))
    return max(1, min(LARGEST, int((share * simulations - spent) // alive)))
