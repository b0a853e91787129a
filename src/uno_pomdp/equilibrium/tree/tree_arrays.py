"""The arrays of a tree: nodes, information sets, and the stack of the walk that makes them."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.layout import Observations, States

Bytes = npt.NDArray[np.int8]

Kind = int
"""The kind of a node: 0 or 1 for a choice of that player, else `CHANCE` or `TERMINAL`."""
CHANCE: Final[Kind] = 2
TERMINAL: Final[Kind] = 3


class Nodes(NamedTuple):
    """The nodes, an array for each thing that is known of them."""

    parent: Int32s
    """The node before; the deal, node 0, is its own."""
    kind: Bytes
    """The kind of the node: whose choice, chance, or the end."""
    label: Int32s
    """What led there: a deal's number, an action's id, the token of the cards drawn; of more than four, which draw."""
    probability: Floats
    """How likely that was, if chance did it; 1 after a player's action."""
    information: Int32s
    """The information set of a player's node; −1 elsewhere."""
    payoff: Bytes
    """Player 1's result at a terminal node; 0 elsewhere."""
    reach: Floats
    """The product of the probabilities of chance from the deal to the node."""
    sequence: Int32s
    """Each player's last own information set and action, as the number of a sequence: [node, seat]."""


class Sets(NamedTuple):
    """The information sets of both players, as they are met."""

    seat: Bytes
    """Whose it is."""
    history: Int32s
    """What that player has been told."""
    parent: Int32s
    """The sequence of that player that leads there."""
    first: Int32s
    """The sequence of its first action; those of its other actions follow."""
    node: Int32s
    """The node where it was met first."""
    seen: Observations
    """What the player sees there."""


class Work(NamedTuple):
    """The places still to be visited: a stack."""

    state: States
    """The position."""
    parent: Int32s
    """The node that leads there."""
    label: Int32s
    """What leads there from it."""
    probability: Floats
    """How likely that is."""
    reach: Floats
    """The probability of all chance on the way."""
    history: Int32s
    """The histories of both players: [place, seat]."""
    sequence: Int32s
    """The last sequence of each player: [place, seat]."""
    pending: Bytes
    """The draw or challenge that the player to move has chosen and of which chance is to say what comes; else 0."""


class Counters(NamedTuple):
    """How much of each array counts, as arrays of one."""

    nodes: npt.NDArray[np.int64]
    sets: npt.NDArray[np.int64]
    """Information sets."""
    sequences: npt.NDArray[np.int64]
    """Sequences of both players."""
    work: npt.NDArray[np.int64]
    """Places on the stack."""
