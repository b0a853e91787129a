"""Flat Monte Carlo: imagine worlds, try every action in each, play on by a simple policy, take the best mean.

All actions are tried in the same worlds. With `halving` the budget goes in rounds, each with fresh worlds, and
after each round the worse half of the actions is dropped: what is clearly bad gets no more simulations.
"""

import math
import time

import numpy as np

from uno_pomdp.agents.policies import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.agents.protocol import Budget, Candidate, Clock, Decision
from uno_pomdp.game.layout import STATE
from uno_pomdp.game.rng import streams
from uno_pomdp.game.values import ACTIONS
from uno_pomdp.planners.base import Planner
from uno_pomdp.planners.rollouts import play_worlds_out

CHUNK = 64
"""Worlds between two looks at the clock."""


class FlatMonteCarlo(Planner):
    """Flat determinised Monte Carlo on worlds from any belief."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        rollout: Policy = HEURISTIC,
        halving: bool = True,
        clock: Clock = time.perf_counter,
    ) -> None:
        super().__init__(budget, belief, clock)
        self.name = "flat"
        self._rollout = rollout
        self._halving = halving

    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        legal = [action.id for action in self.observation.legal_actions()]
        count, total, squares = (np.zeros(len(legal)) for _ in range(3))
        alive = np.arange(len(legal))
        worlds_seed, playout_seed = seed.spawn(2)
        self._stream, self._table = streams(playout_seed), np.zeros(1, STATE)
        rounds = math.ceil(math.log2(len(legal))) if self._halving else 1
        worlds = 0
        for number in range(rounds):
            while self._may_go_on(started, int(count.sum()), len(alive), number, rounds):
                chunk = self._chunk(int(count.sum()), len(alive), number, rounds)
                results = self._try(np.array(legal)[alive], chunk, worlds_seed.spawn(1)[0])
                worlds += chunk
                count[alive] += chunk
                total[alive] += results.sum(axis=0)
                squares[alive] += (results**2).sum(axis=0)
            if number < rounds - 1:
                best_first = np.argsort(-total[alive] / np.maximum(count[alive], 1), kind="stable")
                alive = np.sort(alive[best_first[: math.ceil(len(alive) / 2)]])
        values = total / np.maximum(count, 1)
        errors = np.sqrt(np.maximum(squares / np.maximum(count, 1) - values**2, 0.0) / np.maximum(count - 1, 1))
        best = max(alive, key=lambda index: (values[index], -index))
        order = sorted(range(len(legal)), key=lambda i: (i != best, i not in alive, -values[i]))
        candidates = tuple(
            Candidate(ACTIONS[legal[i]], float(values[i]), float(errors[i]), int(count[i])) for i in order
        )
        return Decision(ACTIONS[legal[best]], candidates, worlds=worlds, simulations=int(count.sum()))

    def _try(
        self, actions: np.ndarray[tuple[int], np.dtype[np.int64]], count: int, seed: np.random.SeedSequence
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        results = np.empty((count, len(actions)))
        worlds = self.belief.sample(count, seed)
        play_worlds_out(worlds, self._table, actions, self._rollout, WEIGHTS, self._stream, results)
        return results

    def _may_go_on(self, started: float, spent: int, alive: int, number: int, rounds: int) -> bool:
        """Return whether the round has budget left; the first chunk is always played."""
        share = (number + 1) / rounds
        if self.budget.simulations is not None:
            return spent + alive <= share * self.budget.simulations or spent == 0
        return spent == 0 or 1.0 - self._left(started) < share

    def _chunk(self, spent: int, alive: int, number: int, rounds: int) -> int:
        """Return how many worlds to try next."""
        if self.budget.simulations is None:
            return CHUNK
        left = (number + 1) / rounds * self.budget.simulations - spent
        return max(1, min(CHUNK, int(left // alive)))
