"""Evidence: what the rules let one infer about a hidden hand from what its owner did.

The only place in `beliefs` that knows the rules of drawing and playing: every belief asks here, those in kernels by
numbers, those in Python by events. A rule that makes an action legal or not depending on the rest of the hand belongs
into `barred_types`; one that tells what a card just drawn may be, into `pending_types`; one that leaves a player a
choice where others leave none, into `evidence`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from uno_pomdp.cards import WILD_FOUR
from uno_pomdp.game.events import Challenged, Drew, Kept, Played
from uno_pomdp.game.kernels import draws_until
from uno_pomdp.game.layout import (
    ACTION_CARD,
    CHALLENGE,
    COLOUR_MASK,
    DRAW,
    KEEP,
    LAST_RESORT,
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
    came of it. That something owed was drawn, not answered or challenged, was a choice.
    """
    barred = NO_TYPES
    if action < DRAW:
        if ACTION_CARD[action] == WILD_FOUR and variant & LAST_RESORT:
            barred = COLOUR_MASK[colour]
    elif action == DRAW and not penalty and (variant & OPTIONAL_DRAW == 0 or drawn == 0):
        barred = PLAYABLE[colour, top]  # a draw that can't be made is never a choice
    return barred


def pending_types(seen: Observation) -> int:
    """Return the types of which a card just drawn is one; 0 if it may be any.

    Drawn until one was playable, that card is.
    """
    return int(PLAYABLE[seen.colour, seen.top]) if draws_until(DRAW, 0, seen.variant) else 0


class Evidence(NamedTuple):
    """What an event of the opponent tells about its hand."""

    action: ActionId
    """What it did."""
    chosen: bool
    """Whether the rules may have left it another action, so that a policy tells something."""
    barred: np.uint64
    """The types of which the hand held none, as bits."""
    drawn_too: bool
    """Whether the cards that it drew and keeps are none of these types either (`until_playable`)."""
    kept: int
    """How many cards came into its hand to stay: all that were drawn but one that is pending."""
    just_drawn: bool
    """Whether the action was about a card just drawn."""


def evidence(
    event: Played | Drew | Kept | Challenged, seen: Observation, leading: bool = True, pending: bool = False
) -> Evidence:
    """Return what an event of the opponent tells; `seen` is the observation before the action.

    `leading` says whether it is the event of the action that says what was chosen, `pending` whether it left a card
    that is played or kept next (see `Belief`).
    """
    colour, top, variant = seen.colour, seen.top, seen.variant
    if isinstance(event, Played):
        return _evidence(event.action.id, leading, event.just_drawn, False, 0, False, colour, top, variant)
    if isinstance(event, Drew):
        choice = leading and (not event.penalty or seen.answers or seen.before is not None) and not event.forgot
        return _evidence(DRAW, choice, False, event.penalty, event.count, pending, colour, top, variant)
    action = KEEP if isinstance(event, Kept) else CHALLENGE
    return _evidence(action, leading, action == KEEP, False, 0, False, colour, top, variant)


@lru_cache(maxsize=1 << 14)  # a look-up costs less than the calls
def _evidence(
    action: ActionId,
    choice: bool,
    just_drawn: bool,
    penalty: bool,
    drawn: int,
    pending: bool,
    colour: int,
    top: int,
    variant: int,
) -> Evidence:
    chosen = choice and (action != DRAW or penalty or variant & OPTIONAL_DRAW != 0)
    barred = np.uint64(barred_types(action, penalty, drawn, colour, top, variant))
    drawn_too = draws_until(action, penalty, variant)
    kept = 1 if action == KEEP else drawn - pending
    return Evidence(action, chosen, barred, drawn_too, kept, just_drawn)
