"""Flat Monte Carlo: imagine worlds, try every action in each, play on by a simple policy, take the best mean."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Budget, Clock
from uno_pomdp.arrays import Floats
from uno_pomdp.game.layout import STATE, States
from uno_pomdp.game.rng import streams
from uno_pomdp.jit import working_time
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.search.root import RootSearch, Trial


class FlatMonteCarlo(RootSearch):
    """Flat determinised Monte Carlo on worlds from any belief."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        rollout: Policy = HEURISTIC,
        halving: bool = True,
        clock: Clock = working_time,
        threads: int = 1,
        endgame: bool = True,
    ) -> None:
        super().__init__(budget, belief, clock, threads, endgame)
        self.name = "flat"
        self.halving = halving
        self._rollout = rollout

    def _trial(self, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> Trial:
        return PlayoutTrial(actions, self._rollout, seed)


class PlayoutTrial(Trial):
    """Actions are tried by playing the game out."""

    def __init__(self, actions: npt.NDArray[np.int64], rollout: Policy, seed: np.random.SeedSequence) -> None:
        self._actions = actions
        self._rollout = rollout
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the points of each action that is alive in each world."""
        play_worlds_out(worlds, self._table, self._actions[alive], self._rollout, WEIGHTS, self._stream, results)
