"""Flat Monte Carlo: imagine worlds, try every action in each, play on by a simple policy, take the best mean.

All actions are tried in the same worlds. With `halving` the budget goes in rounds, each with fresh worlds, and
after each round the worse half of the actions is dropped: what is clearly bad gets no more simulations.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.policies import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.agents.protocol import Budget, Candidate, Clock, Decision
from uno_pomdp.game.layout import STATE
from uno_pomdp.game.rng import streams
from uno_pomdp.game.values import ACTIONS
from uno_pomdp.planners.base import Planner
from uno_pomdp.planners.rollouts import Floats, play_worlds_out

CHUNK = 64
"""The fewest worlds between two looks at the clock."""
LARGEST = 1024
"""The most worlds at a time: what a core's cache holds."""


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

    @classmethod
    def of(cls, actions: list[int], simulations: int | None) -> "Arms":
        """Return untried arms; with fewer simulations than actions only so many are tried at all."""
        size = len(actions)
        tried = min(size, simulations or size)
        return cls(np.array(actions), np.arange(tried), np.zeros(size), np.zeros(size), np.zeros(size))

    @property
    def spent(self) -> int:
        """Simulations of all arms."""
        return int(self.count.sum())

    @property
    def values(self) -> Floats:
        """The mean points of each; 0 where there is none."""
        return np.asarray(self.total / np.maximum(self.count, 1))

    def add(self, results: Floats) -> None:
        """Count a row of points for each world, a column for each arm that is alive."""
        self.count[self.alive] += len(results)
        self.total[self.alive] += results.sum(axis=0)
        self.squares[self.alive] += (results**2).sum(axis=0)

    def halve(self) -> None:
        """Drop the worse half of the arms that are alive."""
        best_first = np.argsort(-self.values[self.alive], kind="stable")
        self.alive = np.sort(self.alive[best_first[: math.ceil(len(self.alive) / 2)]])

    def candidates(self) -> tuple[Candidate, ...]:
        """Return all arms: the best first, then the others that were tried to the end, then the dropped ones."""
        values = self.values
        spread = np.maximum(self.squares / np.maximum(self.count, 1) - values**2, 0.0)
        errors = np.sqrt(spread / np.maximum(self.count - 1, 1))
        alive = set(self.alive.tolist())
        order = sorted(range(len(self.actions)), key=lambda arm: (arm not in alive, -values[arm], arm))
        return tuple(
            Candidate(ACTIONS[self.actions[arm]], float(values[arm]), float(errors[arm]), int(self.count[arm]))
            for arm in order
        )


class FlatMonteCarlo(Planner):
    """Flat determinised Monte Carlo on worlds from any belief."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        rollout: Policy = HEURISTIC,
        halving: bool = True,
        clock: Clock = time.perf_counter,
        threads: int = 1,
        endgame: bool = True,
    ) -> None:
        super().__init__(budget, belief, clock, threads, endgame)
        self.name = "flat"
        self._rollout = rollout
        self._halving = halving

    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        arms = Arms.of([action.id for action in self.observation.legal_actions()], self.budget.simulations)
        worlds_seed, playout_seed = seed.spawn(2)
        stream, table = streams(playout_seed), np.zeros(1, STATE)
        rounds = math.ceil(math.log2(len(arms.alive))) if self._halving and len(arms.alive) > 1 else 1
        worlds = 0
        for number in range(rounds):
            if number:
                arms.halve()
            while self._may_go_on(started, arms.spent, len(arms.alive), number, rounds):
                chunk = self._chunk(started, arms.spent, len(arms.alive), number, rounds)
                imagined = self.belief.sample(chunk, worlds_seed.spawn(1)[0])
                results = np.empty((chunk, len(arms.alive)))
                play_worlds_out(imagined, table, arms.actions[arms.alive], self._rollout, WEIGHTS, stream, results)
                arms.add(results)
                worlds += chunk
        candidates = arms.candidates()
        return Decision(candidates[0].action, candidates, worlds=worlds, simulations=arms.spent)

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the best mean first, among those that some thread tried to the end; then what was dropped early."""
        enough = max(candidate.visits for candidate in candidates) / 2
        return sorted(candidates, key=lambda candidate: (candidate.visits < enough, -(candidate.value or 0.0)))

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
            return max(CHUNK, min(LARGEST, self._fitting(started, spent, share) // alive))
        return max(1, min(LARGEST, int((share * self.budget.simulations - spent) // alive)))
