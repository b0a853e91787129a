"""What a hand allows, as kernels: its types as bits, what is legal with it, how a greedy player counts its cards."""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, MAX_CARDS, RANKS_PER_COLOUR, WILD_FOUR
from uno_pomdp.game.kernels import answering_types, legal_mask_of
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW,
    KEEP,
    LAST_RESORT,
    NO_CARD,
    PLAYABLE,
    WILD_FOUR_BIT,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel

Rows = npt.NDArray[np.uint8]

LOGARITHM: Final = np.array([-np.inf, *np.log(np.arange(1, MAX_CARDS + 1))])
"""ln n of small whole numbers, −∞ for 0."""
_FITS: Final = [[[t for t in range(CARD_TYPES) if int(mask) >> t & 1] for mask in row] for row in PLAYABLE]
FITTING: Final = np.array([[len(types) for types in row] for row in _FITS])
"""By active colour and top card: how many types fit it."""
FITTING_TYPES: Final = np.array([[[*types, *[0] * FITTING.max()][: FITTING.max()] for types in row] for row in _FITS])
"""By active colour and top card: the types that fit it, as many as `FITTING` says."""
ALL_TYPES: Final = np.uint64((1 << CARD_TYPES) - 1)
"""A bit for every type."""


@kernel
def hand_mask_of(hand: Rows) -> np.uint64:
    """Return a bit for each type in a row of counts."""
    mask = np.uint64(0)
    for card in range(CARD_TYPES):
        if hand[card]:
            mask |= BIT[card]
    return mask


@kernel
def legal_for(seen: Record, mask: np.uint64, drawn: int) -> np.uint64:
    """Return what would be legal with these types in hand."""
    return legal_mask_of(
        mask,
        seen["top"],
        seen["colour"],
        seen["penalty"],
        drawn,
        seen["before"],
        seen["draw_size"],
        seen["played_size"],
        seen["variant"],
        seen["colours"],
    )


@kernel
def fullest_colour(hand: Rows, colours: int) -> int:
    """Return the colour of the deck of which most cards are held; red, yellow, green, blue among equals."""
    best = -1
    most = -1
    for colour in range(len(COLOURS)):
        if colours >> colour & 1:
            held = 0
            for card in range(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR):
                held += as_int(hand[card])
            if held > most:
                best = colour
                most = held
    return best


@inner_kernel
def insert_colour(colour: int, keys: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> None:
    """Insert a colour into the sorted list of those with lower numbers: the largest key first, equal ones in order."""
    place = colour
    while place > 0 and keys[places[place - 1]] < keys[colour]:
        places[place] = places[place - 1]
        place -= 1
    places[place] = colour


@kernel
def playable_of(seen: Record, hand: Rows) -> np.uint64:
    """Return a bit for each type in hand that fits the top card: all of a hand that legality depends on."""
    colour, top = seen["colour"], seen["top"]
    mask = np.uint64(0)
    for number in range(FITTING[colour, top]):
        card = FITTING_TYPES[colour, top, number]
        if hand[card]:
            mask |= BIT[card]
    return mask


@kernel
def holds_back(seen: Record, hand: Rows) -> bool:
    """Return whether a wild +4 may not be played: by the rules it is the last resort, and the colour is held."""
    if seen["variant"] & LAST_RESORT == 0:
        return False
    first = seen["colour"] * RANKS_PER_COLOUR
    for card in range(first, first + RANKS_PER_COLOUR):
        if hand[card]:
            return True
    return False


@kernel
def greedy_probability(seen: Record, hand: Rows, drawn: int, action: int) -> float:
    """Return the probability that a greedy player with this hand takes the action."""
    ways, all_ways = greedy_ways(seen, hand, drawn, action)
    return ways / all_ways


@kernel
def greedy_ways(seen: Record, hand: Rows, drawn: int, action: int) -> tuple[int, int]:
    """Return with how many cards a greedy player with this hand takes the action, and how many it may choose from."""
    card = as_int(ACTION_CARD[action]) if action < DRAW else NO_CARD
    if card != NO_CARD and hand[card] == 0:
        return 0, 1
    copies = greedy_cards(seen, hand, drawn)
    if card == NO_CARD:
        forced = KEEP if drawn != NO_CARD else DRAW
        return (1 if copies == 0 and action == forced else 0), 1
    if copies == 0 or not PLAYABLE[seen["colour"], seen["top"]] & BIT[card]:
        return 0, 1
    if seen["penalty"] > 0 and not answering_types(seen["top"], seen["variant"]) & BIT[card]:
        return 0, 1
    if card == WILD_FOUR and holds_back(seen, hand):
        return 0, 1
    if card >= COLOURED_TYPES and ACTION_COLOUR[action] != fullest_colour(hand, seen["colours"]):
        return 0, 1
    if drawn != NO_CARD:
        return (1 if drawn == card else 0), 1
    return as_int(hand[card]), copies


@kernel
def greedy_cards(seen: Record, hand: Rows, drawn: int) -> int:
    """Return how many cards a greedy player may choose from, copies counted; only a card just drawn if any."""
    colour, top = seen["colour"], seen["top"]
    answers = ALL_TYPES
    if seen["penalty"] > 0:
        answers = answering_types(top, seen["variant"])
        if not answers:
            return 0
    if drawn != NO_CARD:
        fits = PLAYABLE[colour, top] & BIT[drawn] != 0
        return 1 if fits and not (drawn == WILD_FOUR and holds_back(seen, hand)) else 0
    copies = 0
    for number in range(FITTING[colour, top]):
        card = FITTING_TYPES[colour, top, number]
        if answers & BIT[card]:
            copies += as_int(hand[card])
    if hand[WILD_FOUR] and answers & WILD_FOUR_BIT and holds_back(seen, hand):
        copies -= as_int(hand[WILD_FOUR])
    return copies
