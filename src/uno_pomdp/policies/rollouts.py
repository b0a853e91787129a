"""Playing imagined worlds out: every candidate action in every world, to the end of the game."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.game.kernels import apply
from uno_pomdp.game.layout import NOBODY, States
from uno_pomdp.game.rng import Streams
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import Policy, Weights, play_out


@kernel
def points(winner: int, seat: int) -> float:
    """Return what a finished game is worth to a seat: 1 for a win, ½ for a draw."""
    if winner == NOBODY:
        return 0.5
    return 1.0 if winner == seat else 0.0


@kernel
def play_worlds_out(
    worlds: States,
    table: States,
    actions: npt.NDArray[np.int64],
    policy: Policy,
    weights: Weights,
    streams: Streams,
    results: Floats,
) -> None:
    """Write the points of each action in each world `[worlds, actions]`, both seats playing on by the policy.

    The same worlds serve all actions, so that their differences do not suffer from luck in the deal of worlds.
    """
    for w in range(len(worlds)):
        seat = worlds[w]["turn"]
        for a in range(len(actions)):
            table[0] = worlds[w]
            state = table[0]
            apply(state, actions[a])
            play_out(state, policy, policy, weights[0], streams[0])
            results[w, a] = points(state["winner"], seat)
