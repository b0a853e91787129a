"""Positions as numbers, for tables of them.

The digits are, for each type of the deck, how many copies lie in both hands and in the draw pile; then top card,
colour, turn, cards owed and the card just drawn. The played pile is the rest.
"""

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import COLOURS
from uno_pomdp.game.kernels import give_card
from uno_pomdp.game.layout import NO_CARD, Record, States
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.pomdp.deals import TooLarge
from uno_pomdp.rules import Rules

_PENALTIES: Final = 5
"""Cards owed are 0, 2 or 4: a digit of this base."""


class Packing(NamedTuple):
    """How positions are packed."""

    types: npt.NDArray[np.uint8]
    """The types of the deck."""
    copies: npt.NDArray[np.uint8]
    """How many of each it has."""


def packing_of(rules: Rules) -> Packing:
    """Return how the positions of these rules are packed."""
    types = list(rules.deck.types())
    size = math.prod((rules.deck[card] + 1) ** 3 for card in types)
    if size * len(types) * len(COLOURS) * 2 * _PENALTIES * (len(types) + 1) >= 2**63:
        raise TooLarge("the deck has too many types of cards for the clairvoyant game: choose a mini deck")
    return Packing(np.array(types, np.uint8), np.array([rules.deck[card] for card in types], np.uint8))


@kernel
def pack(state: Record, packing: Packing) -> np.uint64:
    """Return the number of a position; the draw pile has to lie in order of type."""
    key = np.uint64(0)
    place = 0
    top = 0
    drawn = len(packing.types)
    for index in range(len(packing.types)):
        card = packing.types[index]
        base = np.uint64(as_int(packing.copies[index]) + 1)
        lying = 0
        while place < state["draw_size"] and state["draw_pile"][place] == card:
            lying += 1
            place += 1
        key = key * base + np.uint64(state["hand"][0, card])
        key = key * base + np.uint64(state["hand"][1, card])
        key = key * base + np.uint64(lying)
        if card == state["top"]:
            top = index
        if card == state["drawn"]:
            drawn = index
    key = key * np.uint64(len(packing.types)) + np.uint64(top)
    key = key * np.uint64(len(COLOURS)) + np.uint64(state["colour"])
    key = key * np.uint64(2) + np.uint64(state["turn"])
    key = key * np.uint64(_PENALTIES) + np.uint64(state["penalty"])
    return key * np.uint64(len(packing.types) + 1) + np.uint64(drawn)


@kernel
def unpack(states: States, key: np.uint64, packing: Packing, undealt: States) -> None:
    """Write the position of a number into the first record."""
    states[0] = undealt[0]
    state = states[0]
    types = len(packing.types)
    key, drawn = split(key, types + 1)
    key, penalty = split(key, _PENALTIES)
    key, turn = split(key, 2)
    key, colour = split(key, len(COLOURS))
    key, top = split(key, types)
    state["drawn"] = NO_CARD if drawn == types else packing.types[drawn]
    state["penalty"] = penalty
    state["turn"] = turn
    state["colour"] = colour
    state["top"] = packing.types[top]
    pile = 0
    played = 0
    for index in range(types - 1, -1, -1):  # the last type was packed last
        card = as_int(packing.types[index])
        copies = as_int(packing.copies[index])
        key, lying = split(key, copies + 1)
        key, second = split(key, copies + 1)
        key, first = split(key, copies + 1)
        for _ in range(first):
            give_card(state, 0, card)
        for _ in range(second):
            give_card(state, 1, card)
        for _ in range(lying):
            state["draw_pile"][pile] = card
            pile += 1
        for _ in range(copies - first - second - lying - as_int(index == top)):
            state["played"][played] = card
            played += 1
    state["played"][played] = packing.types[top]
    state["played_size"] = played + 1
    state["draw_size"] = pile
    for place in range(pile // 2):  # it was laid from the last type to the first
        card = as_int(state["draw_pile"][place])
        state["draw_pile"][place] = state["draw_pile"][pile - 1 - place]
        state["draw_pile"][pile - 1 - place] = card


@kernel
def split(key: np.uint64, base: int) -> tuple[np.uint64, int]:
    """Return a number without its last digit, and that digit."""
    rest = key // np.uint64(base)
    return rest, as_int(key - rest * np.uint64(base))
