"""Trials by playouts: an action is carried out in a world, and both play on by a scripted policy to the end."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.game.layout import STATE, States
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.rules import Rules
from uno_pomdp.search.root import Trial, TrialMaker


@dataclass(frozen=True, slots=True)
class Playouts(TrialMaker):
    """Tries actions by playing games out."""

    rollout: Policy = HEURISTIC
    """The policy that both players follow."""

    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> "PlayoutTrial":
        """Return what tries these actions."""
        del rules
        return PlayoutTrial(actions, self.rollout, seed)


class PlayoutTrial(Trial):
    """Actions are tried by playing the game out."""

    def __init__(self, actions: npt.NDArray[np.int64], rollout: Policy, seed: np.random.SeedSequence) -> None:
        self._actions = actions
        self._rollout = rollout
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the points of each action that is alive in each world."""
        play_worlds_out(
            worlds, self._table, self._actions[alive], self._rollout, WEIGHTS, self.caught, self._stream, results
        )
