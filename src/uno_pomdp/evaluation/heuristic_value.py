"""The heuristic value: player 1's win probability, both hands open. For measuring luck, not for playing.

Both players play on by the heuristic until one has to draw or has won; there a small net, fitted to games that
the heuristic plays out (`benchmarks/tuning/heuristic_value.py`), reads the position. It need not be right:
as a control variate it leaves results unbiased whatever it says, and the better it is the lower their variance.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.evaluation.heuristic_features import FIRST_LAYER, INPUTS, SECOND_LAYER, WORKSPACE, can_be_drawn, look
from uno_pomdp.evaluation.heuristic_features import play_by_heuristic as play
from uno_pomdp.evaluation.heuristic_weights import fitted
from uno_pomdp.game.kernels import exhaust, legal_mask
from uno_pomdp.game.layout import CHALLENGE_BIT, DRAW_BIT, FIRST, RUNNING, Record
from uno_pomdp.jit import inner_kernel, kernel
from uno_pomdp.policies.kernels import WEIGHTS, Weights
from uno_pomdp.policies.rollouts import points

NET: Final = np.dtype(
    [
        ("first", np.float32, (INPUTS, FIRST_LAYER)),
        ("first_bias", np.float32, (FIRST_LAYER,)),
        ("second", np.float32, (FIRST_LAYER, SECOND_LAYER)),
        ("second_bias", np.float32, (SECOND_LAYER,)),
        ("last", np.float32, (SECOND_LAYER,)),
        ("last_bias", np.float32),
    ]
)
"""The net: two layers of max(0, ·), then a logistic function."""
Nets = npt.NDArray[np.void]
"""An array of `NET`, of one."""
Workspaces = npt.NDArray[np.void]
"""An array of `WORKSPACE`, of one."""


class HeuristicValue:
    """The net with its workspace: not to be shared by threads."""

    def __init__(self, net: Nets | None = None, weights: Weights = WEIGHTS) -> None:
        self.net = (fitted() if net is None else net).view(NET)
        """What it has learnt; read only, so that kernels are compiled for nets of one type."""
        self.net.setflags(write=False)
        self.weights = weights
        """How it expects both to play on."""
        self.workspace = np.zeros(1, WORKSPACE)
        """Where it works."""


@kernel
def value(state: Record, workspace: Record, net: Record, weights: Record) -> float:
    """Return player 1's win probability, and overwrite the position; the workspace holds the count of the draw pile."""
    while state["status"] == RUNNING:
        legal = legal_mask(state) & ~CHALLENGE_BIT  # whoever may challenge draws here: this V need not be that of play
        if legal == DRAW_BIT:
            if can_be_drawn(state):
                drawer = state["turn"]
                look(workspace, state, weights)
                chance = read(workspace, net)
                return chance if drawer == FIRST else 1.0 - chance
            exhaust(state)
        else:
            play(state, legal, weights)
    return points(state["winner"], FIRST)


@inner_kernel
def read(workspace: Record, net: Record) -> float:
    """Return the net's output for the inputs on the workspace: the win probability of the player who has to draw."""
    first, second = workspace["first"], workspace["second"]
    for node in range(FIRST_LAYER):
        first[node] = net["first_bias"][node]
    for place in range(INPUTS):
        given = workspace["input"][place]
        if given != 0.0:
            for node in range(FIRST_LAYER):
                first[node] += given * net["first"][place, node]
    for node in range(SECOND_LAYER):
        second[node] = net["second_bias"][node]
    for place in range(FIRST_LAYER):
        given = first[place]
        if given > 0.0:
            for node in range(SECOND_LAYER):
                second[node] += given * net["second"][place, node]
    total = np.float64(net["last_bias"])
    for node in range(SECOND_LAYER):
        if second[node] > 0.0:
            total += second[node] * net["last"][node]
    return float(1.0 / (1.0 + np.exp(-total)))
