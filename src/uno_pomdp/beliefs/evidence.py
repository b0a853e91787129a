"""Evidence: what the rules let one infer about a hidden hand from what its owner did.

The only place in `beliefs` that knows the rules of drawing and playing: every belief asks here, those in kernels by
numbers, those in Python by events. A rule that makes an action legal or not depending on the rest of the hand belongs
into `barred_types`; one that lets a player decide about a card just drawn, into `decides_next`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from uno_pomdp.cards import WILD_FOUR
from uno_pomdp.game.events import Drew, Kept, Played
from uno_pomdp.game.layout import (
    ACTION_CARD,
    COLOUR_MASK,
    DRAW,
    KEEP,
    LAST_RESORT,
    MAY_PLAY,
    OPTIONAL_DRAW,
    PLAYABLE,
    ActionId,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel

NO_TYPES = np.uint64(0)


@kernel
def barred_types(action: int, penalty: bool, drawn: int, colour: int, top: int, variant: int) -> np.uint64:
    """Return the types of which the hand held none: with one of them beside it, the action would not have been legal.

    Colour and top card are those before the action; a draw is described by whether it was owed and by how many cards
    came of it.
    """
    barred = NO_TYPES
    if action < DRAW:
        if ACTION_CARD[action] == WILD_FOUR and variant & LAST_RESORT:
            barred = COLOUR_MASK[colour]
    elif action == DRAW and not penalty and (variant & OPTIONAL_DRAW == 0 or drawn == 0):
        barred = PLAYABLE[colour, top]  # a draw that can't be made is never a choice
    return barred


@kernel
def decides_next(action: int, penalty: bool, drawn: int, variant: int) -> bool:
    """Return whether the player who did this holds a card just drawn, and may play that very card or keep it."""
    return action == DRAW and not penalty and drawn > 0 and variant & MAY_PLAY != 0


class Evidence(NamedTuple):
    """What an event of the opponent tells about its hand."""

    action: ActionId
    """What it did."""
    chosen: bool
    """Whether the rules may have left it another action, so that a policy tells something."""
    barred: np.uint64
    """The types of which the hand held none, as bits."""
    just_drawn: bool
    """Whether the action was about a card just drawn."""
    decides: bool
    """Whether it is to decide about a card just drawn next."""


def evidence(event: Played | Drew | Kept, seen: Observation) -> Evidence:
    """Return what an event of the opponent tells; `seen` is the observation before it."""
    colour, top, variant = seen.colour, seen.top, seen.variant
    if isinstance(event, Played):
        return _evidence(event.action.id, event.just_drawn, False, 0, colour, top, variant)
    if isinstance(event, Drew):
        return _evidence(DRAW, False, event.penalty, event.count, colour, top, variant)
    return _evidence(KEEP, True, False, 0, colour, top, variant)


@lru_cache(maxsize=1 << 14)  # a look-up costs less than the calls
def _evidence(
    action: ActionId, just_drawn: bool, penalty: bool, drawn: int, colour: int, top: int, variant: int
) -> Evidence:
    chosen = action != DRAW or (not penalty and variant & OPTIONAL_DRAW != 0)
    barred = np.uint64(barred_types(action, penalty, drawn, colour, top, variant))
    return Evidence(action, chosen, barred, just_drawn, bool(decides_next(action, penalty, drawn, variant)))
