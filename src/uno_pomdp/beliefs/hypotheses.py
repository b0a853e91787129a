"""Hypotheses about the opponent's hand as rows of counts with weights, and what can be done to them at once.

A hypothesis is a hand, and the card just drawn while one is pending (`may_play`, `until_playable`).
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.cards import CARD_TYPES, Cards, CardType
from uno_pomdp.errors import UnoError
from uno_pomdp.game.layout import NO_CARD

Weights = npt.NDArray[Any]
"""Floats that add up to 1, or (`exact`) Python's own integers without a common factor."""
Pool = npt.NDArray[np.int16]
"""Cards as 54 signed counts, so that differences fit."""
ALL_TYPES: Final = (1 << CARD_TYPES) - 1
"""A bit for every type."""
Places = npt.NDArray[np.uint64]
"""By type and word: what one card adds to the key of a hand."""


class TooManyHypotheses(UnoError):
    """An enumeration that would be larger than its limit."""


class Hypotheses(NamedTuple):
    """What the opponent may hold; no two rows are the same."""

    hands: Hands
    """A row of 54 counts each."""
    drawn: Hands
    """For each the card just drawn, part of the hand; `NO_CARD` where nothing is decided."""
    weights: Weights
    """For each how likely it is, up to a common factor."""
    past: Ints | None = None
    """For each the hypothesis that it comes from, where the opponent's model remembers: then pasts keep hands apart."""


# --- enumerating -----------------------------------------------------------------------------------------


def count_hands(unseen: Cards, size: int) -> int:
    """Return how many different hands of this size there are: the coefficient of x^size in Π_t (1 + x + … + x^u_t)."""
    ways = [1] + [0] * size
    for number in unseen.data:
        ways = [sum(ways[max(0, total - number) : total + 1]) for total in range(size + 1)]
    return ways[size]


def all_hands(unseen: Cards, size: int) -> Hands:
    """Return every hand of this size as a row; types are filled in one by one, and no partial hand is a dead end."""
    hands = np.zeros((1, CARD_TYPES), np.uint8)
    missing = np.array([size])
    left = len(unseen)
    for card in unseen.types():
        left -= unseen[card]
        filled = []
        for number in range(unseen[card] + 1):
            rows = hands[(missing >= number) & (missing <= number + left)]
            rows[:, card] = number
            filled.append(rows)
        hands = np.concatenate(filled)
        missing = size - hands.sum(axis=1, dtype=np.int64)
    return hands


def ways_to_draw(unseen: Cards, hands: Hands, kind: npt.DTypeLike) -> Weights:
    """Return the hypergeometric weight Π_t C(u_t, h_t) of each hand h."""
    weights = np.ones(len(hands), kind)
    for card in unseen.types():
        table = np.array([math.comb(unseen[card], held) for held in range(unseen[card] + 1)], kind)
        weights = weights * table[hands[:, card]]
    return weights


# --- equal hands are one ---------------------------------------------------------------------------------


def place_values(deck: Cards) -> Places:
    """Return how hands are packed: as many bits for each type as the deck needs, in as few words as they fit."""
    places: list[tuple[CardType, int, int]] = []
    word, used = 0, 0
    for card in deck.types():
        width = deck[card].bit_length()
        if used + width > 64:
            word, used = word + 1, 0
        places.append((card, word, used))
        used += width
    values = np.zeros((CARD_TYPES, word + 1), np.uint64)
    for card, word, shift in places:
        values[card, word] = 1 << shift
    return values


def pack(hands: Hands, places: Places) -> Places:
    """Return the key of each hand: rows of a few words, equal where the hands are."""
    keys = np.zeros((len(hands), places.shape[1]), np.uint64)
    for card in np.flatnonzero(places.any(axis=1)):
        keys += hands[:, card, None] * places[card]
    return keys


def merge(keys: Places, weights: Weights) -> tuple[npt.NDArray[np.intp], Weights]:
    """Return for each different key the number of a row that has it, and the sum of the weights of all that do."""
    order = np.lexsort(keys.T)
    sorted_keys = keys[order]
    new = np.ones(len(keys), np.bool_)
    new[1:] = (sorted_keys[1:] != sorted_keys[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    return order[starts], np.add.reduceat(weights[order], starts)


# --- what happens to hypotheses --------------------------------------------------------------------------


def add_card(before: Hypotheses, unseen: Pool, places: Places, limit: int, types_mask: int = ALL_TYPES) -> Hypotheses:
    """Add a card from the pile, of these types: x with weight u[x] − h[x].

    One card after the other gives each set of k cards k! times, all alike: the weights Π_t C(d_t, s_t) of a draw
    of k at once, up to a common factor.
    """
    if not len(before.hands):
        return before
    rows, cards, weights = _draws(before, unseen, types_mask)
    size = int(before.hands[0].sum()) + 1
    check_limit(math.ceil(len(rows) / size), limit)  # a hand is reached once for each type in it, at most
    if not len(rows):
        return Hypotheses(before.hands[rows], nothing_drawn(0), weights)
    keys = pack(before.hands, places)[rows] + places[cards]
    first, weights = merge(_with_past(keys, None if before.past is None else before.past[rows]), weights)
    check_limit(len(first), limit)
    hands = _with_card(before.hands[rows[first]], cards[first])
    past = None if before.past is None else before.past[rows[first]]
    return Hypotheses(hands, nothing_drawn(len(hands)), weights, past)


def add_marked_card(before: Hypotheses, unseen: Pool, limit: int, types_mask: int = ALL_TYPES) -> Hypotheses:
    """Add a card from the pile as in `add_card`, and remember which it was."""
    rows, cards, weights = _draws(before, unseen, types_mask)
    check_limit(len(rows), limit)
    past = None if before.past is None else before.past[rows]
    return Hypotheses(_with_card(before.hands[rows], cards), cards.astype(np.uint8), weights, past)


def forget_drawn(before: Hypotheses, places: Places) -> Hypotheses:
    """Forget which card was drawn last: hands that differ in it alone become one."""
    first, weights = merge(_with_past(pack(before.hands, places), before.past), before.weights)
    past = None if before.past is None else before.past[first]
    return Hypotheses(before.hands[first], nothing_drawn(len(first)), weights, past)


def only_hand(hand: Cards, kind: npt.DTypeLike) -> Hypotheses:
    """Return the one hypothesis of a hand that is known."""
    return Hypotheses(hand.array()[None], nothing_drawn(1), np.ones(1, kind))


def remove_card(before: Hypotheses, card: CardType) -> Hypotheses:
    """Take a card out of hands that all hold it: those that differed before differ after."""
    hands = before.hands.copy()
    hands[:, card] -= 1
    return Hypotheses(hands, nothing_drawn(len(hands)), before.weights, before.past)


def reweight(before: Hypotheses, factors: Weights) -> Hypotheses:
    """Multiply the weights, drop what became impossible, and take a common factor out."""
    weights = before.weights * factors
    kept = weights > 0
    weights = weights[kept]
    common = math.gcd(*weights.tolist()) if weights.dtype == np.object_ else weights.sum()
    if len(weights):
        weights = weights // common if weights.dtype == np.object_ else weights / common
    past = None if before.past is None else before.past[kept]
    return Hypotheses(before.hands[kept], before.drawn[kept], weights, past)


def nothing_drawn(size: int) -> Hands:
    """Return the column `drawn` of hypotheses in which nothing is decided."""
    return np.full(size, NO_CARD, np.uint8)


def hold_any(hands: Hands, types_mask: int) -> npt.NDArray[np.bool_]:
    """Return for each hand whether it holds a card of these types."""
    cards = [card for card in range(CARD_TYPES) if types_mask >> card & 1]
    held: npt.NDArray[np.bool_] = np.any(hands[:, cards], axis=1)
    return held


def _draws(
    before: Hypotheses, unseen: Pool, types_mask: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Weights]:
    """Return every draw of one card of these types: the row it is added to, its type, and the weight of the result."""
    pile = unseen - before.hands
    if types_mask != ALL_TYPES:
        pile[:, [card for card in range(CARD_TYPES) if not types_mask >> card & 1]] = 0
    rows, cards = np.nonzero(pile)
    return rows, cards, before.weights[rows] * pile[rows, cards].astype(before.weights.dtype)


def _with_past(keys: Places, past: Ints | None) -> Places:
    """Return keys that keep hands with different pasts apart."""
    return keys if past is None else np.column_stack((keys, past.astype(np.uint64)))


def _with_card(hands: Hands, cards: npt.NDArray[np.intp]) -> Hands:
    hands[np.arange(len(hands)), cards] += 1
    return hands


def check_limit(size: int, limit: int) -> None:
    """Refuse what would be too large, before memory is spent on it."""
    if size > limit:
        raise TooManyHypotheses(
            f"{size:,} hypotheses or more are over the limit of {limit:,}: use the closed form or particles here, "
            "or enumerate from a later point with EnumeratedBelief.from_belief, or raise the limit"
        )
