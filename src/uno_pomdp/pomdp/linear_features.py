"""Belief features of a decision: numbers about it that one seat knows, from its own hand and what lies open.

The hidden hand enters by closed forms under a uniform belief. With U = deck − own hand − played pile, m = |U| and
n = |H₂|: a card of U is held with probability n/m, and none of c cards of U with C(m − c, n) / C(m, n).

A card counts at once for its colour, its kind and so on, so counts are packed: a byte each in one word, and a word for
each type. To count a pile is to add words up; the deck's word less those of hand and pile is that of U.

They speak of ordinary turns, in which nothing is owed, and know nothing of swaps, debts and challenges.
"""

from math import lgamma
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import (
    CARD_TYPES,
    COLOURED_TYPES,
    COLOURS,
    DRAW_TWO,
    MAX_CARDS,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    rank_of,
)
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.kernels import playable_mask
from uno_pomdp.game.layout import (
    BIT,
    COLOUR_MASK,
    COLOURED_MASK,
    NO_CARD,
    RANK_MASK,
    SKIP_AGAIN,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.rules import Rules

NAMES: Final = (
    "one",  # 1
    "own",  # |H₁|
    "other",  # |H₂|
    "own_inverse",  # 1 / |H₁|
    "other_inverse",  # 1 / |H₂|
    "turns_inverse",  # 1 / own turns: cards in H₁ less those that keep the turn, at least 1
    "last",  # 1 if the opponent has one card
    "wilds",  # in H₁
    "wild_fours",  # in H₁
    "draw_twos",  # in H₁
    "skips",  # skips and reverses in H₁
    "black_share",  # black cards in H₁ by |H₁|
    "colours",  # in H₁
    "longest",  # cards of the colour of which H₁ has most
    "lonely",  # coloured cards of H₁ that share neither colour nor rank with another card of it
    "lonely_late",  # the same by own turns
    "playable",  # cards of H₁ that can be played now
    "playable_inverse",  # 1 / (1 + playable)
    "other_playable",  # E[cards in H₂ that fit on the top card]
    "other_again",  # E[coloured cards in H₂ that keep the turn]
    "denial",  # P(H₂ has no card of a colour and no black one), mean over the coloured cards of H₁
    "deciding",  # 1 if the choice is about a card just drawn
)
"""The features, in order. A +2 and a wild +4 keep the turn; so do skips and reverses, unless they only pass."""
FEATURES: Final = len(NAMES)

EVALUATOR: Final = np.dtype(
    [
        ("weights", np.float64, (FEATURES,)),
        ("features", np.float64, (FEATURES,)),
        ("deck", np.uint64),
        ("counts", np.uint8, (CARD_TYPES,)),
        ("bound", np.float64),
        ("discount", np.float64),
        ("step_cost", np.float64),
    ],
    align=True,
)
"""All that an evaluation needs beside the state: weights, room for features, the deck as one word and by type, and
between which bounds V lies, γ and λ."""
Evaluators = npt.NDArray[np.void]
"""An array of one `EVALUATOR`; each thread has its own."""

_WILD_LANE, _WILD_FOUR_LANE, _SKIP_LANE, _DRAW_TWO_LANE = 4, 5, 6, 7


def _word(card: int) -> int:
    rank = rank_of(card)
    lanes = [card // RANKS_PER_COLOUR if card < COLOURED_TYPES else card - COLOURED_TYPES + _WILD_LANE]
    if rank in (SKIP, REVERSE):
        lanes.append(_SKIP_LANE)
    elif rank == DRAW_TWO:
        lanes.append(_DRAW_TWO_LANE)
    return sum(1 << 8 * lane for lane in lanes)


WORD: Final = np.array([_word(card) for card in range(CARD_TYPES)], np.uint64)
"""By type: a byte for each of red, yellow, green, blue, wild, wild +4, skip or reverse, +2; no count exceeds 108."""
_LOG_FACTORIAL: Final = np.array([lgamma(k + 1) for k in range(MAX_CARDS + 1)])
_SAME_RANK: Final = np.array([RANK_MASK[rank_of(card)] for card in range(CARD_TYPES)])
_BYTE = np.uint64(0xFF)
_EIGHT = np.uint64(8)
_ONE = np.uint64(1)


def new_evaluator(
    rules: Rules, weights: Any, bound: float = 1.0, discount: float = 1.0, step_cost: float = 0.0
) -> Evaluators:
    """Return what evaluates decisions of these rules with these weights, one for each feature."""
    made = np.zeros(1, EVALUATOR)
    made["weights"], made["bound"], made["discount"], made["step_cost"] = weights, bound, discount, step_cost
    made["counts"] = rules.deck.array()
    made["deck"] = sum(int(WORD[card]) for card in rules.deck)
    return made


@inner_kernel
def lane(word: np.uint64, number: int) -> int:
    """Return one count of a word."""
    return as_int((word >> (_EIGHT * np.uint64(number))) & _BYTE)


@inner_kernel
def none_of(cards: int, unseen: int, held: int) -> float:
    """Return P(H₂ has none of so many unseen cards) = C(m − c, n) / C(m, n)."""
    if cards + held > unseen:
        return 0.0
    return np.exp(  # type: ignore[no-any-return]
        _LOG_FACTORIAL[unseen - cards]
        + _LOG_FACTORIAL[unseen - held]
        - _LOG_FACTORIAL[unseen - cards - held]
        - _LOG_FACTORIAL[unseen]
    )


@kernel
def write_features(state: Record, seat: int, evaluator: Record) -> None:
    """Write the features of a seat's decision; nothing that is hidden from the seat is read."""
    mask = state["hand_mask"][seat]
    own = as_int(state["hand_size"][seat])
    other = as_int(state["hand_size"][1 - seat])
    colour = as_int(state["colour"])
    top = as_int(state["top"])
    fitting = playable_mask(mask, top, colour, state["variant"])
    if state["drawn"] != NO_CARD:
        fitting &= BIT[state["drawn"]]
    same_rank = _SAME_RANK[top] & ~COLOUR_MASK[colour] & COLOURED_MASK

    hand = np.uint64(0)
    playable = 0
    lonely = 0
    unseen_rank = 0  # unseen cards that fit by their rank alone
    left = mask
    while left:
        card = lowest_bit(left)
        left &= left - _ONE
        copies = as_int(state["hand"][seat, card])
        hand += np.uint64(copies) * WORD[card]
        if fitting & BIT[card]:
            playable += copies
        if same_rank & BIT[card]:
            unseen_rank -= copies
        if copies == 1 and card < COLOURED_TYPES:
            friends = (COLOUR_MASK[card // RANKS_PER_COLOUR] | _SAME_RANK[card]) & mask
            lonely += as_int(friends & (friends - _ONE) == np.uint64(0))
    unseen = evaluator["deck"] - hand
    for place in range(state["played_size"]):
        card = as_int(state["played"][place])
        unseen -= WORD[card]
        unseen_rank -= as_int((same_rank >> np.uint64(card)) & _ONE)
    left = same_rank
    while left:
        unseen_rank += as_int(evaluator["counts"][lowest_bit(left)])
        left &= left - _ONE

    blacks = lane(unseen, _WILD_LANE) + lane(unseen, _WILD_FOUR_LANE)
    pool = blacks
    for each in range(len(COLOURS)):
        pool += lane(unseen, each)
    share = other / (pool if pool > 0 else 1)
    live_skips = state["variant"] & SKIP_AGAIN != 0
    skips = lane(hand, _SKIP_LANE)
    draw_twos = lane(hand, _DRAW_TWO_LANE)
    wilds = lane(hand, _WILD_LANE)
    wild_fours = lane(hand, _WILD_FOUR_LANE)
    other_again = lane(unseen, _DRAW_TWO_LANE) + (lane(unseen, _SKIP_LANE) if live_skips else 0)
    turns = own - draw_twos - wild_fours - (skips if live_skips else 0)
    turns = turns if turns > 0 else 1

    colours = 0
    longest = 0
    coloured = 0
    denial = 0.0
    for each in range(len(COLOURS)):
        held = lane(hand, each)
        if held:
            colours += 1
            coloured += held
            longest = held if held > longest else longest
            denial += held * none_of(lane(unseen, each) + blacks, pool, other)

    row = evaluator["features"]
    row[0] = 1.0
    row[1] = own
    row[2] = other
    row[3] = 1.0 / own
    row[4] = 1.0 / other
    row[5] = 1.0 / turns
    row[6] = as_int(other == 1)
    row[7] = wilds
    row[8] = wild_fours
    row[9] = draw_twos
    row[10] = skips
    row[11] = (wilds + wild_fours) / own
    row[12] = colours
    row[13] = longest
    row[14] = lonely
    row[15] = lonely / turns
    row[16] = playable
    row[17] = 1.0 / (1.0 + playable)
    row[18] = share * (lane(unseen, colour) + unseen_rank + blacks)
    row[19] = share * other_again
    row[20] = denial / (coloured if coloured > 0 else 1)
    row[21] = as_int(state["drawn"] != NO_CARD)
