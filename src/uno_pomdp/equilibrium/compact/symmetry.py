"""Symmetries of a deck: permutations of its colours and of its ranks that leave deck and rules as they are.

A rank matters by what it does and by being equal to another, so numbers can change places among each other, and skip
with reverse; under `swap: seven_zero` 0 and 7 only with each other. A symmetry maps a history to one that is as likely
and as good, so there is an equilibrium that plays both alike.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import (
    COLOURED_TYPES,
    COLOURS,
    DRAW_TWO,
    RANKS,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    CardType,
    card_type,
    rank_of,
)
from uno_pomdp.equilibrium.compact.packing import DRAWN, MOST_SYMMETRIES, count_at, pack_deck
from uno_pomdp.game.layout import ACTION_CARD, ACTION_COLOUR, ACTIONS, BIT, DRAW, ActionId, Record, action_id
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.rules import Rules

Which = Literal["all", "ranks", "none"]
"""Which symmetries are used: scripted policies break ties by colours, so they have those of ranks alone."""
_DRAWN = np.uint64(DRAWN)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


def deck_of(rules: Rules, which: Which = "all") -> npt.NDArray[np.void]:
    """Return the deck of rules with its symmetries, as an array of one: all, those of ranks, or none."""
    deck = pack_deck(rules.deck)
    cards = list(rules.deck.types())
    number = 0
    for colours, ranks in _permutations(rules, which):
        goes = {card: _goes(card, colours, ranks) for card in cards}
        if all(rules.deck[card] == rules.deck[other] for card, other in goes.items()):
            deck["place"][0, number, : len(cards)] = [cards.index(goes[card]) for card in cards]
            deck["action"][0, number] = [_becomes(action, colours, goes) for action in range(ACTIONS)]
            number += 1
    deck["symmetries"] = number
    return deck


def _goes(card: CardType, colours: Mapping[int, int], ranks: Mapping[int, int]) -> CardType:
    if card >= COLOURED_TYPES:
        return card
    return card_type(colours[card // RANKS_PER_COLOUR], ranks[rank_of(card)])


def _becomes(action: ActionId, colours: Mapping[int, int], goes: Mapping[CardType, CardType]) -> ActionId:
    if action >= DRAW or int(ACTION_CARD[action]) not in goes:
        return action
    return action_id(goes[int(ACTION_CARD[action])], colours[int(ACTION_COLOUR[action])])


def _permutations(rules: Rules, which: Which) -> Iterator[tuple[dict[int, int], dict[int, int]]]:
    """Yield permutations of colours and ranks, few enough for a mask: of decks with many numbers not of all of them."""
    kinds = _kinds(rules) if which != "none" else []
    same = {rank: rank for rank in range(RANKS)}
    rest = tuple(colour for colour in COLOURS if colour not in rules.colours)
    colours: list[tuple[int, ...]] = [(*rules.colours, *rest)]
    if which == "all":
        colours = [(*one, *rest) for one in itertools.permutations(rules.colours)]
    while len(colours) * math.prod(math.factorial(len(kind)) for kind in kinds) > MOST_SYMMETRIES:
        kinds = [max(kinds, key=len)[1:], *sorted(kinds, key=len)[:-1]]
    for order in colours:
        for chosen in itertools.product(*map(itertools.permutations, kinds)):
            moved = dict(zip(itertools.chain(*kinds), itertools.chain(*chosen), strict=True))
            yield dict(zip((*rules.colours, *rest), order, strict=True)), same | moved


def _kinds(rules: Rules) -> list[tuple[int, ...]]:
    """Return the ranks of a deck that do the same, together."""
    ranks = sorted({rank_of(card) for card in rules.deck.types() if card < COLOURED_TYPES})
    swapping = (0, 7) if rules.swap != "no" else ()
    groups = [
        [rank for rank in ranks if rank < SKIP and rank not in swapping],
        [rank for rank in ranks if rank in swapping],
        [rank for rank in ranks if rank in (SKIP, REVERSE)],
        [rank for rank in ranks if rank == DRAW_TWO],
    ]
    return [tuple(group) for group in groups if group]


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def image(deck: Record, number: int, hand: np.uint64) -> np.uint64:
    """Return what a symmetry makes of a hand."""
    result = _NONE
    for place in range(deck["types"]):
        count = np.uint64(count_at(deck, hand, place))
        result |= count << deck["shift"][deck["place"][number, place]]
    drawn = as_int(hand >> _DRAWN)
    if drawn:
        result |= np.uint64(deck["place"][number, drawn - 1] + 1) << _DRAWN
    return result


@kernel
def smallest(deck: Record, group: np.uint64, hand: np.uint64) -> tuple[np.uint64, int]:
    """Return the smallest image of a hand under the symmetries of a group, and the first that makes it so."""
    best, by = hand, 0
    for number in range(1, deck["symmetries"]):
        if group & BIT[number]:
            other = image(deck, number, hand)
            if other < best:
                best, by = other, number
    return best, by


@kernel
def keeping_hand(deck: Record, group: np.uint64, hand: np.uint64) -> np.uint64:
    """Return the symmetries of a group that leave a hand as it is."""
    kept = _NONE
    for number in range(deck["symmetries"]):
        if group & BIT[number] and image(deck, number, hand) == hand:
            kept |= BIT[number]
    return kept


@kernel
def keeping_action(deck: Record, group: np.uint64, action: int) -> np.uint64:
    """Return the symmetries of a group that leave an action as it is."""
    kept = _NONE
    for number in range(deck["symmetries"]):
        if group & BIT[number] and deck["action"][number, action] == action:
            kept |= BIT[number]
    return kept


@inner_kernel
def alike(deck: Record, group: np.uint64, action: int) -> np.uint64:
    """Return the actions that a group makes of one, as bits."""
    found: np.uint64 = BIT[action]
    if group == _ONE:
        return found
    for number in range(1, deck["symmetries"]):
        if group & BIT[number]:
            found |= BIT[deck["action"][number, action]]
    return found
