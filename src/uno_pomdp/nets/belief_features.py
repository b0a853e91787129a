"""Belief features of a policy net, exact for a mixture: expected counts by type, and P(the hand holds none of a set).

What is playable on a card is a colour, a rank and the black cards, so their numbers within reach of each group are
counted once, and each question is then a product over the groups.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts, Singles
from uno_pomdp.beliefs.mixture.mixture import FACTORIAL, INVERSE, Mixture
from uno_pomdp.beliefs.mixture.queries import held_by_layer
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.jit import as_int, inner_kernel, kernel

BLACK: Final = len(COLOURS) + RANKS_PER_COLOUR
"""The place of black cards among the sets: 4 colours, 13 ranks, black ones."""
SETS: Final = BLACK + 1
"""How many sets are counted."""


@kernel
def count_layers(m: Mixture, reach: Counts) -> None:
    """Write by layout, group and set the cards within reach of the group: 4 colours, 13 ranks, black ones."""
    for k in range(m["layouts"]):
        for g in range(m["groups"]):
            row = reach[k, g]
            for each in range(len(row)):
                row[each] = reach[k, g - 1, each] if g else 0
            layer = m["layers"][k, g]
            card = 0
            for colour in range(len(COLOURS)):
                for rank in range(RANKS_PER_COLOUR):
                    row[colour] += layer[card]
                    row[len(COLOURS) + rank] += layer[card]
                    card += 1
            row[BLACK] += layer[COLOURED_TYPES] + layer[COLOURED_TYPES + 1]


@inner_kernel
def spared(free: int, n: int, taken: int) -> float:
    """Return P(n slots, filled from `free` cards, hold none of `taken` of them)."""
    left = free - taken
    if left < n:
        return 0.0
    if n == 1:
        return left / free
    return float(FACTORIAL[left] * INVERSE[left - n] * FACTORIAL[free - n] * INVERSE[free])


@kernel
def none_held(m: Mixture, reach: Counts, colour: int, rank: int, black: bool) -> float:
    """Return P(the hand holds nothing of a colour, of a rank (13 for none), nor, if asked, a black card).

    With black cards that is P(nothing is playable) on the rank, or on a black card (13), in the colour.
    """
    result = 0.0
    for c in range(m["configurations"]):
        k = m["layout"][c]
        share = m["weights"][c]
        older = 0
        overlap = 0
        for g in range(m["groups"]):
            taken = as_int(reach[k, g, colour])
            if black:
                taken += as_int(reach[k, g, BLACK])
            if rank < RANKS_PER_COLOUR:
                overlap += as_int(m["layers"][k, g, RANKS_PER_COLOUR * colour + rank])
                taken += as_int(reach[k, g, len(COLOURS) + rank]) - overlap
            n = as_int(m["sizes"][c, g])
            if n > 0 and taken > 0:
                share *= spared(m["within"][k, g] - older, n, taken)
                if share == 0.0:
                    break
            older += n
        result += share
    return result


@kernel
def write_expected(m: Mixture, colours: npt.NDArray[np.int64], row: Singles) -> None:
    """Add to a row of zeros how many cards of each type are held on average, colours in the order given."""
    held = held_by_layer(m)
    for k in range(m["layouts"]):
        for g in range(m["groups"]):
            layer = m["layers"][k, g]
            share = np.float32(held[k, g])
            for place in range(len(COLOURS)):
                first = RANKS_PER_COLOUR * colours[place]
                for rank in range(RANKS_PER_COLOUR):
                    row[RANKS_PER_COLOUR * place + rank] += share * np.float32(layer[first + rank])
            for card in range(COLOURED_TYPES, CARD_TYPES):
                row[card] += share * np.float32(layer[card])
