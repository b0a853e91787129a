"""Hands as one integer: a field for the count of each type of the deck, with a spare bit above it.

    field    count of the first type, 0 | count of the second type, 0 | … | which card was just drawn

With the spare bits set in a minuend, one subtraction tells whether a hand is part of a pool: a count that would be
negative takes its own spare bit and no other.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.layout import ACTIONS, BIT, NO_CARD, Record
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.pomdp.chance import TooLarge

Packed = np.uint64
"""A hand, or all cards that nobody has played."""

DRAWN: Final = 58
"""From this bit on: the place in the deck of the card that its holder has just drawn, plus one; else 0."""
_DRAWN = np.uint64(DRAWN)
_HAND = np.uint64((1 << DRAWN) - 1)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
FACTORIAL: Final = np.cumprod(np.concatenate([[1.0], np.arange(1.0, 109.0)]))
"""By number: its factorial."""


MOST_TYPES: Final = 29
"""Types of a deck at most: each takes two bits."""
MOST_SYMMETRIES: Final = 64
"""Symmetries of a deck at most: a set of them is a mask."""
DECK: Final = np.dtype(
    [
        ("types", np.int64),  # how many types the deck has; places count them, ascending
        ("copies", np.int64),  # the most copies of a type
        ("guard", np.uint64),  # the spare bits
        ("card", np.int64, (MOST_TYPES,)),  # by place: the type
        ("shift", np.uint64, (MOST_TYPES,)),  # by place: the lowest bit of its field
        ("field", np.uint64, (MOST_TYPES,)),  # by place: the largest number that its field holds
        ("unit", np.uint64, (CARD_TYPES,)),  # by type: one card of it as a hand; 0 if the deck has none
        ("symmetries", np.int64),  # how many symmetries the deck has; the first changes nothing
        ("place", np.int64, (MOST_SYMMETRIES, MOST_TYPES)),  # what each makes of a place
        ("action", np.int64, (MOST_SYMMETRIES, ACTIONS)),  # what each makes of an action
    ],
    align=True,
)
"""What the walk knows of a deck. A record, since arrays cost the counting of references in every call."""


def pack_deck(deck: Cards) -> npt.NDArray[np.void]:
    """Return how hands of a deck are packed, as an array of one; a deck of too many types is refused."""
    cards = list(deck.types())
    widths = [int(deck[card]).bit_length() + 1 for card in cards]
    if sum(widths) > DRAWN:
        raise TooLarge(f"{len(cards)} types of cards are too many for a whole game: choose a mini deck")
    known = np.zeros(1, DECK)
    shifts = np.cumsum([0, *widths[:-1]]).astype(np.uint64)
    known["types"] = len(cards)
    known["copies"] = max(deck[card] for card in cards)
    known["guard"] = sum(1 << int(shift) + width - 1 for shift, width in zip(shifts, widths, strict=True))
    known["card"][0, : len(cards)] = cards
    known["shift"][0, : len(cards)] = shifts
    known["field"][0, : len(cards)] = [(1 << width - 1) - 1 for width in widths]
    known["unit"][0, cards] = _ONE << shifts
    known["symmetries"] = 1
    known["place"][0, :] = np.arange(MOST_TYPES)
    known["action"][0, :] = np.arange(ACTIONS)
    return known


def packed(deck: npt.NDArray[np.void], cards: Cards) -> Packed:
    """Return some cards as one integer."""
    return np.uint64(sum(int(deck["unit"][0, card]) for card in cards))


@inner_kernel
def is_part(deck: Record, hand: np.uint64, pool: np.uint64) -> bool:
    """Return whether a pool holds all cards of a hand."""
    guard = deck["guard"]
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
def drawn_card(deck: Record, hand: np.uint64) -> int:
    """Return the type that was just drawn; `NO_CARD` if none is marked."""
    place = as_int(hand >> _DRAWN)
    return as_int(deck["card"][place - 1]) if place else as_int(NO_CARD)


@inner_kernel
def count_at(deck: Record, hand: np.uint64, place: int) -> int:
    """Return how many cards of the type at this place there are."""
    return as_int((hand >> deck["shift"][place]) & deck["field"][place])


@kernel
def types_mask(deck: Record, hand: np.uint64) -> np.uint64:
    """Return the types of a hand as bits."""
    mask = _NONE
    for place in range(deck["types"]):
        if count_at(deck, hand, place):
            mask |= BIT[deck["card"][place]]
    return mask


@kernel
def hold(deck: Record, state: Record, seat: int, hand: np.uint64) -> None:
    """Write the types and counts of a hand into a record; its size is public and stays."""
    state["hand_mask"][seat] = types_mask(deck, hand)
    for place in range(deck["types"]):
        state["hand"][seat, deck["card"][place]] = count_at(deck, hand, place)


@kernel
def one_type(deck: Record, cards: np.uint64) -> bool:
    """Return whether cards are all alike."""
    found = 0
    for place in range(deck["types"]):
        found += as_int(count_at(deck, cards, place) > 0)
    return found <= 1


@kernel
def orders(deck: Record, cards: np.uint64, count: int) -> float:
    """Return in how many orders so many cards can lie: n! / Π_t n_t!."""
    result: float = FACTORIAL[count]
    if deck["copies"] > 1:
        for place in range(deck["types"]):
            result /= FACTORIAL[count_at(deck, cards, place)]
    return result


@kernel
def first_take(deck: Record, pool: np.uint64, count: int, take: Ints) -> bool:
    """Take the first so many cards of a pool, type by type; False if it has fewer."""
    for place in range(deck["types"]):
        there = count_at(deck, pool, place)
        take[place] = count if count < there else there
        count -= take[place]
    return count == 0


@kernel
def next_take(deck: Record, pool: np.uint64, take: Ints) -> bool:
    """Go on to the next different multiset of as many cards; False if there is none."""
    before = 0
    for place in range(deck["types"]):
        if before > 0 and take[place] < count_at(deck, pool, place):
            take[place] += 1
            before -= 1
            for earlier in range(place):
                there = count_at(deck, pool, earlier)
                take[earlier] = before if before < there else there
                before -= take[earlier]
            return True
        before += take[place]
    return False


@kernel
def taken(deck: Record, take: Ints) -> np.uint64:
    """Return the cards that are taken."""
    cards = _NONE
    for place in range(deck["types"]):
        cards += np.uint64(take[place]) << deck["shift"][place]
    return cards


@kernel
def share(deck: Record, take: Ints) -> float:
    """Return 1 / Π_t s_t! for the cards that are taken."""
    result = 1.0
    if deck["copies"] > 1:
        for place in range(deck["types"]):
            result /= FACTORIAL[take[place]]
    return result
