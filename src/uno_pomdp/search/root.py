"""The root of a search: all actions are tried in the same imagined worlds, and the worse half is dropped in rounds.

Same worlds for all: the differences between actions do not suffer from luck in the worlds. With `halving` the
budget goes in equal rounds; after each the worse half of the actions is dropped, so that what is clearly bad
gets no more simulations.

A search may have a prior: probabilities of the actions before any simulation. Actions are then ranked by

    score = mean points + trust · ln prior

and what the prior all but excludes is not tried.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.layout import States
from uno_pomdp.search.endgame.endgame import winning_runs
from uno_pomdp.search.move_values import MoveValues, MoveValueSums
from uno_pomdp.search.search import UNTRIED, Planner

CHUNK: Final = 256
"""The fewest simulations between two looks at the clock, about: a fifth of a millisecond."""
LARGEST: Final = 1024
"""The most worlds at a time: what a core's cache holds."""
UNLIKELY: Final = 1e-3
"""An action with a smaller prior is not tried."""


@dataclass
class Arms:
    """The actions under trial, with what each has earned so far."""

    actions: npt.NDArray[np.int64]
    """All legal actions."""
    alive: npt.NDArray[np.int64]
    """Which of them are still tried."""
    count: Floats
    """Simulations of each."""
    total: Floats
    """Points of each."""
    squares: Floats
    """Squares of the points of each."""
    prior: Floats | None = None
    """The probability of each before any simulation, if there is one."""
    trust: float = 0.0
    """How much the logarithm of the prior counts."""

    @classmethod
    def of(cls, actions: list[int], simulations: int | None, prior: Floats | None = None, trust: float = 0.0) -> "Arms":
        """Return untried arms; with fewer simulations than actions only so many are tried at all."""
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
    """Return what a prior adds to the points of each action: nothing to the likeliest possible one."""
    return np.asarray(trust * np.log(np.maximum(prior, UNLIKELY)))


class RootSearch(Planner):
    """A planner that tries actions in worlds; what a trial is, its subclasses say."""

    halving = True
    """Whether the worse half of the actions is dropped in rounds."""
    trust = 0.0
    """How much the prior counts, if there is one."""

    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        legal = [action.id for action in self.observation.legal_actions()]
        arms = Arms.of(legal, self.budget.simulations, self._prior(legal), self.trust)
        worlds_seed, trial_seed = seed.spawn(2)
        trial = self._trial(arms.actions, trial_seed)
        rounds = math.ceil(math.log2(len(arms.alive))) if self.halving and len(arms.alive) > 1 else 1
        worlds = 0
        for number in range(rounds):
            if number:
                arms.halve()
            while self._may_go_on(started, arms.spent, len(arms.alive), number, rounds):
                chunk = self._chunk(started, arms.spent, len(arms.alive), number, rounds)
                imagined = self.belief.sample(chunk, worlds_seed.spawn(1)[0])
                results = np.empty((chunk, len(arms.alive)))
                trial.play(imagined, arms.alive, results)
                arms.add(results)
                worlds += chunk
                if len(arms.alive) == 1:
                    break  # nothing is left to choose
        candidates = arms.candidates()
        best = candidates[0].action
        return Decision(best, candidates, trial.line(best), worlds=worlds, simulations=arms.spent)

    def move_values(self) -> MoveValues:
        """Return every legal action's value within the budget: none is dropped, and all are tried in the same worlds.

        What can be proved about an endgame is proved. One thread does it all; at least two worlds are tried.
        """
        started = self._clock()
        scales = MoveValueSums([action.id for action in self.observation.legal_actions()])
        size = len(scales.actions)
        worlds_seed, trial_seed = self._seed.spawn(1)[0].spawn(2)
        trial = self._trial(np.array(scales.actions), trial_seed)
        everyone = np.arange(size)
        while scales.worlds < 2 or self._may_go_on(started, size * scales.worlds, size, 0, 1):
            chunk = max(2, self._chunk(started, size * scales.worlds, size, 0, 1))
            results = np.empty((chunk, size))
            trial.play(self.belief.sample(chunk, worlds_seed.spawn(1)[0]), everyone, results)
            scales.add(results)
        won, bounds = 0, None
        if self._endgame is not None:
            won = winning_runs(self.observation)
            bounds = self._endgame.bounds(self.observation, self.belief, self._rollout, self.budget)
        weighing = scales.result(won, bounds)
        return replace(weighing, line=trial.line(weighing.best))

    def _may_go_on(self, started: float, spent: int, alive: int, number: int, rounds: int) -> bool:
        """Return whether the round has budget left; the first chunk is always played."""
        share = (number + 1) / rounds
        if self.budget.simulations is not None:
            return spent + alive <= max(share * self.budget.simulations, alive)
        return spent == 0 or 1.0 - self._left(started) < share

    def _chunk(self, started: float, spent: int, alive: int, number: int, rounds: int) -> int:
        """Return how many worlds to try next."""
        share = (number + 1) / rounds
        if self.budget.simulations is None:
            return max(1, min(LARGEST, max(CHUNK, self._fitting(started, spent, share)) // alive))
        return max(1, min(LARGEST, int((share * self.budget.simulations - spent) // alive)))

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the best mean first, among those that some thread tried to the end; then what was dropped early."""
        enough = max(candidate.visits for candidate in candidates) / 2

        def score(candidate: Candidate) -> float:
            prior = 1.0 if candidate.prior is None else candidate.prior
            return (candidate.value or 0.0) + float(leaning(np.array(prior), self.trust))

        return sorted(candidates, key=lambda candidate: (candidate.visits < enough, -score(candidate)))

    def _prior(self, actions: list[int]) -> Floats | None:
        """Return the probability of each legal action before the search; None for no prior."""
        del actions
        return None

    @abstractmethod
    def _trial(self, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> "Trial":
        """Return what tries the actions of one decision."""


class Trial:
    """How actions are tried, for the length of one decision."""

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the points of each action that is alive in each world `[worlds, alive]`."""
        raise NotImplementedError

    def line(self, best: Action) -> tuple[Action, ...]:
        """Return the moves of both players that are expected, the best action first; nothing if unknown."""
        del best
        return ()
