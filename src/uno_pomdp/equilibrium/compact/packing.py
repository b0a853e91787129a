"""Hands as one integer: a field for the count of each type of the deck, with a spare bit above it.

    field    count of the first type, 0 | count of the second type, 0 | … | which card was just drawn

With the spare bits set in a minuend, one subtraction tells whether a hand is part of a pool: a count that would be
negative takes its own spare bit and no other.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.layout import BIT, NO_CARD, Record
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.pomdp.chance import TooLarge

Packed = np.uint64
"""A hand, or all cards that nobody has played."""
Hands = npt.NDArray[np.uint64]
"""Several of them."""

DRAWN: Final = 58
"""From this bit on: the place in `Packing.card` of the card that its holder has just drawn, plus one; else 0."""
_DRAWN = np.uint64(DRAWN)
_HAND = np.uint64((1 << DRAWN) - 1)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
FACTORIAL: Final = np.cumprod(np.concatenate([[1.0], np.arange(1.0, 109.0)]))
"""By number: its factorial."""


class Packing(NamedTuple):
    """Where the types of a deck lie in a packed hand."""

    card: Ints
    """The types of the deck, ascending."""
    shift: Hands
    """By place in `card`: the lowest bit of its field."""
    field: Hands
    """By place in `card`: the largest number that its field holds."""
    unit: Hands
    """By type: one card of it as a hand; 0 if the deck has none."""
    guard: Hands
    """The spare bits, as an array of one."""
    copies: Ints
    """The most copies of a type, as an array of one."""


def packing_of(deck: Cards) -> Packing:
    """Return how hands of a deck are packed; a deck of too many types is refused."""
    cards = list(deck.types())
    widths = [int(deck[card]).bit_length() + 1 for card in cards]
    if sum(widths) > DRAWN or len(cards) >= 1 << (64 - DRAWN):
        raise TooLarge(f"{len(cards)} types of cards are too many for a whole game: choose a mini deck")
    shifts = np.cumsum([0, *widths[:-1]]).astype(np.uint64)
    unit = np.zeros(CARD_TYPES, np.uint64)
    unit[cards] = _ONE << shifts
    fields = [(1 << width - 1) - 1 for width in widths]
    guard = sum(1 << int(shift) + width - 1 for shift, width in zip(shifts, widths, strict=True))
    return Packing(
        np.array(cards, np.int64),
        shifts,
        np.array(fields, np.uint64),
        unit,
        np.array([guard], np.uint64),
        np.array([max(deck[card] for card in cards)], np.int64),
    )


def packed(packing: Packing, cards: Cards) -> Packed:
    """Return some cards as one integer."""
    return np.uint64(sum(int(packing.unit[card]) for card in cards))


@inner_kernel
def is_part(packing: Packing, hand: np.uint64, pool: np.uint64) -> bool:
    """Return whether a pool holds all cards of a hand."""
    guard = packing.guard[0]
    found: bool = ((pool | guard) - (hand & _HAND)) & guard == guard
    return found


@inner_kernel
def cards_only(hand: np.uint64) -> np.uint64:
    """Return a hand without the mark of what was just drawn."""
    return hand & _HAND


@inner_kernel
def with_drawn(hand: np.uint64, place: int) -> np.uint64:
    """Return a hand with the mark that the type at this place was just drawn."""
    return hand | np.uint64(place + 1) << _DRAWN


@inner_kernel
def drawn_card(packing: Packing, hand: np.uint64) -> int:
    """Return the type that was just drawn; `NO_CARD` if none is marked."""
    place = as_int(hand >> _DRAWN)
    return as_int(packing.card[place - 1]) if place else as_int(NO_CARD)


@inner_kernel
def count_at(packing: Packing, hand: np.uint64, place: int) -> int:
    """Return how many cards of the type at this place there are."""
    return as_int((hand >> packing.shift[place]) & packing.field[place])


@kernel
def types_mask(packing: Packing, hand: np.uint64) -> np.uint64:
    """Return the types of a hand as bits."""
    mask = _NONE
    for place in range(len(packing.card)):
        if count_at(packing, hand, place):
            mask |= BIT[packing.card[place]]
    return mask


@kernel
def hold(packing: Packing, state: Record, seat: int, hand: np.uint64) -> None:
    """Write the types and counts of a hand into a record; its size is public and stays."""
    state["hand_mask"][seat] = types_mask(packing, hand)
    for place in range(len(packing.card)):
        state["hand"][seat, packing.card[place]] = count_at(packing, hand, place)


@kernel
def one_type(packing: Packing, cards: np.uint64) -> bool:
    """Return whether cards are all alike."""
    found = 0
    for place in range(len(packing.card)):
        found += as_int(count_at(packing, cards, place) > 0)
    return found <= 1


@kernel
def orders(packing: Packing, cards: np.uint64, count: int) -> float:
    """Return in how many orders so many cards can lie: n! / Π_t n_t!."""
    result = FACTORIAL[count]
    if packing.copies[0] > 1:
        for place in range(len(packing.card)):
            result /= FACTORIAL[count_at(packing, cards, place)]
    return result


@kernel
def first_take(packing: Packing, pool: np.uint64, count: int, take: Ints) -> bool:
    """Take the first so many cards of a pool, type by type; False if it has fewer."""
    for place in range(len(packing.card)):
        take[place] = min(count, count_at(packing, pool, place))
        count -= take[place]
    return count == 0


@kernel
def next_take(packing: Packing, pool: np.uint64, take: Ints) -> bool:
    """Go on to the next different multiset of as many cards; False if there is none."""
    before = 0
    for place in range(len(packing.card)):
        if before > 0 and take[place] < count_at(packing, pool, place):
            take[place] += 1
            before -= 1
            for earlier in range(place):
                take[earlier] = min(before, count_at(packing, pool, earlier))
                before -= take[earlier]
            return True
        before += take[place]
    return False


@kernel
def taken(packing: Packing, take: Ints) -> np.uint64:
    """Return the cards that are taken."""
    cards = _NONE
    for place in range(len(packing.card)):
        cards += np.uint64(take[place]) << packing.shift[place]
    return cards


@kernel
def share(packing: Packing, take: Ints) -> float:
    """Return 1 / Π_t s_t! for the cards that are taken."""
    result = 1.0
    if packing.copies[0] > 1:
        for place in range(len(packing.card)):
            result /= FACTORIAL[take[place]]
    return result


