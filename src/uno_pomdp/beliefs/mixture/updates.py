"""What a mixture learns from a game: plays, draws, what they tell about the hand, the reshuffle.

A step that branches reads one record and writes another; the rest works in place. With `FULL` a step says
that the mixture does not fit into the record: the one it read is still good, and the step can be taken again
in a larger one.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.evidence import NO_TYPES
from uno_pomdp.beliefs.mixture.mixture import (
    NEGLIGIBLE,
    Mixture,
    Mixtures,
    copy_layer,
    copy_row,
    enter_row,
    merge_layouts,
    table_size,
    tidy,
    weigh,
)
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import BIT
from uno_pomdp.jit import as_int, kernel

FULL: Final = -1
"""What a step returns when the mixture does not fit."""


@kernel
def bar(m: Mixture, types_mask: np.uint64) -> None:
    """Take in that no card of these types is in the hand: all of them move to the last layer."""
    last = m["groups"]
    for card in range(CARD_TYPES):
        if types_mask & BIT[card]:
            for k in range(m["layouts"]):
                for g in range(last):
                    m["layers"][k, last, card] += m["layers"][k, g, card]
                    m["layers"][k, g, card] = 0
    merge_layouts(m)


@kernel
def open_group(m: Mixture, slots: int) -> bool:
    """Open a group for cards just drawn, which may hold all that lies in the pile; False if there is no room."""
    groups = m["groups"]
    if groups == m["sizes"].shape[1]:
        return False
    m["groups"] = groups + 1
    for c in range(m["configurations"]):
        m["sizes"][c, groups] = slots
    for k in range(m["layouts"]):
        for card in range(CARD_TYPES):
            m["layers"][k, groups + 1, card] = 0
    return True


@kernel
def branch_layouts(source: Mixture, target: Mixture, card: int, depth: int) -> bool:
    """Write the layouts with one card of this type less, one for each of the first `depth` layers that has it.

    The source's `number` then gives for each of its layouts and layers the new layout; −1 for none.
    """
    count = 0
    for k in range(source["layouts"]):
        for g in range(depth):
            source["number"][k, g] = -1
            if source["layers"][k, g, card]:
                if count == len(target["layers"]):
                    return False
                source["number"][k, g] = count
                for layer in range(source["groups"] + 1):
                    copy_layer(target, count, layer, source, k, layer)
                target["layers"][count, g, card] -= 1
                count += 1
    target["layouts"] = count
    target["groups"] = source["groups"]
    target["configurations"] = 0
    return True


@kernel
def enter(target: Mixture, source: Mixture, c: int, layer: int, group: int, factor: int, places: int) -> bool:
    """Enter a branch of a configuration: the card left this layer and, if there is one, this group of the hand."""
    row = target["configurations"]
    if row == len(target["alpha"]):
        return False
    target["alpha"][row] = source["alpha"][c] * factor
    target["layout"][row] = source["number"][source["layout"][c], layer]
    for g in range(source["groups"]):
        target["sizes"][row, g] = source["sizes"][c, g]
    if group >= 0:
        target["sizes"][row, group] -= 1
    if enter_row(target, row, places):
        target["configurations"] = row + 1
    return True


@kernel
def take_card(source: Mixture, target: Mixture, card: int, from_hand: bool) -> bool:
    """Take in that a card of this type left the hand, from any slot that may have held it; False: no room.

    With `from_hand` false it lay in the draw pile instead, and was drawn and seen.
    """
    groups = source["groups"]
    depth = groups if from_hand else groups + 1
    if not branch_layouts(source, target, card, depth):
        return False
    places = table_size(target, source["configurations"] * depth)
    for c in range(source["configurations"]):
        k = source["layout"][c]
        for layer in range(depth):
            if source["number"][k, layer] < 0:
                continue
            copies = as_int(source["layers"][k, layer, card])
            if not from_hand:
                if not enter(target, source, c, layer, -1, copies, places):
                    return False
                continue
            for g in range(layer, groups):
                slots = as_int(source["sizes"][c, g])
                if slots > 0 and not enter(target, source, c, layer, g, copies * slots, places):
                    return False
    merge_layouts(target)
    return True


# --- whole steps, of any record: the closed form has two, a pool of beliefs has many --------------------------


@kernel
def settle(m: Mixture, floor: float) -> None:
    """Bring a mixture to its canonical form, and drop what is below the floor; the largest always stays.

    At `NEGLIGIBLE` or below that is the closed form itself, above it an approximation that costs less.
    """
    tidy(m)
    if floor <= NEGLIGIBLE:
        return
    kept = 0
    whole = 0.0
    for c in range(m["configurations"]):
        if m["weights"][c] >= floor:
            if kept != c:
                copy_row(m, kept, c)
            whole += m["weights"][kept]
            kept += 1
    if kept > 0:
        m["configurations"] = kept
        for c in range(kept):
            m["weights"][c] /= whole


@kernel
def step_card(source: Mixture, target: Mixture, floor: float, card: int, barred: np.uint64, from_hand: bool) -> bool:
    """Take in a play, which may also tell what the hand has not, into another record; False if it does not fit.

    With `from_hand` false the card was drawn a moment ago, by either player, and comes from the pile.
    """
    if barred != 0:
        bar(source, barred)
    if not take_card(source, target, card, from_hand):
        return False
    settle(target, floor)
    return True


@kernel
def step_draw(m: Mixture, floor: float, slots: int, barred: np.uint64) -> bool:
    """Take in a draw, which may tell what the hand had not; False if it does not fit."""
    if barred != 0:
        bar(m, barred)
    if slots > 0 and not open_group(m, slots):
        return False
    settle(m, floor)
    return True


@kernel
def step_reshuffle(m: Mixture, returned: npt.NDArray[np.uint8]) -> None:
    """Take in a reshuffle: what went back lies in the draw pile."""
    for k in range(m["layouts"]):
        for card in range(CARD_TYPES):
            m["layers"][k, m["groups"], card] += returned[card]
    m["drops"] = 0
    weigh(m)


@kernel
def step_known(m: Mixture, hand: npt.NDArray[np.uint8], gone: npt.NDArray[np.uint8]) -> None:
    """Take in that the hand is known: one group, which holds exactly it; `gone` is what is no longer in the pile.

    Shown, the hand was among the unseen cards, and is what is gone from the rest of them. After a swap it is the
    observer's own, which was seen, and what is gone is the hand that the observer holds now.
    """
    groups = m["groups"]
    size = 0
    possible = True
    for card in range(CARD_TYPES):
        unseen = 0
        for g in range(groups + 1):
            unseen += as_int(m["layers"][0, g, card])
        possible = possible and unseen >= gone[card]
        m["layers"][0, 0, card] = hand[card]
        m["layers"][0, 1, card] = unseen - gone[card] if possible else 0
        size += as_int(hand[card])
    m["configurations"] = 1 if possible else 0
    m["groups"] = m["layouts"] = 1
    m["drops"] = 0
    m["alpha"][0] = 1.0
    m["layout"][0] = 0
    m["sizes"][0, 0] = size
    weigh(m)


# --- the same, called from Python: two records, the one that counts has the index `front` --------------------


@kernel
def opponent_plays(mixtures: Mixtures, front: int, card: int, barred: np.uint64, from_hand: bool) -> int:
    """Take in a play; return the new front, or `FULL`."""
    fits = step_card(mixtures[front], mixtures[1 - front], NEGLIGIBLE, card, barred, from_hand)
    return 1 - front if fits else FULL


@kernel
def opponent_draws(mixtures: Mixtures, front: int, slots: int, barred: np.uint64) -> int:
    """Take in a draw; return the front, or `FULL`."""
    return front if step_draw(mixtures[front], NEGLIGIBLE, slots, barred) else FULL


@kernel
def card_seen(mixtures: Mixtures, front: int, card: int) -> int:
    """Take in a card drawn in sight of the observer; return the new front, or `FULL`."""
    return opponent_plays(mixtures, front, card, NO_TYPES, False)


@kernel
def cards_return(mixtures: Mixtures, front: int, returned: npt.NDArray[np.uint8]) -> int:
    """Take in a reshuffle; return the front."""
    step_reshuffle(mixtures[front], returned)
    return front


@kernel
def hand_known(mixtures: Mixtures, front: int, hand: npt.NDArray[np.uint8], gone: npt.NDArray[np.uint8]) -> int:
    """Take in that the hand is known; return the front."""
    step_known(mixtures[front], hand, gone)
    return front


@kernel
def open_undecided(mixtures: Mixtures, front: int) -> bool:
    """Open the group of a card just drawn, for reading alone: it stays the last one; False: no room."""
    opened = open_group(mixtures[front], 1)
    weigh(mixtures[front])
    return opened
