"""One action as a seat sees it: from what it saw before to what it sees after, without the cards that are hidden.

The action is carried out by the kernels, in a world made up around the observation: so the rules stand in one place.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from uno_pomdp.cards import COLOUR_NAMES, COLOURS, RANKS_PER_COLOUR, Cards, CardType, card_name, card_type, rank_of
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game import layout
from uno_pomdp.game.actions import KEEP, Action, seat_name
from uno_pomdp.game.bindings import apply_one, legal_one, observe_one
from uno_pomdp.game.events import Drew, Event, Kept, Played, Reshuffled
from uno_pomdp.game.layout import DRAW, NO_CARD, OBSERVATION, STATE, TOLD_COUNT, TOLD_RESHUFFLED, States
from uno_pomdp.game.observation import Observation, observation_of


def carry_out(
    before: Observation, action: Action, drawn: Sequence[CardType] = ()
) -> tuple[tuple[Event, ...], Observation]:
    """Return the events of an action as a seat saw them, and what it sees after it.

    `drawn` are the cards that the seat itself draws. Without the deck it is not checked that a card was still to
    be had, nor what earlier moves say about the hidden hand: any that the rules allow in some world is allowed.
    """
    world = _world_around(before, action)
    if not int(legal_one(world)) >> action.id & 1:
        raise IllegalAction(
            f"{seat_name(before.turn)} can't {action if action.card is None else f'play {action}'} "
            f"on {card_name(before.top)} ({COLOUR_NAMES[before.colour]})"
        )
    own = before.turn == before.seat
    _, told = apply_one(world, action.id)
    count = int(told) >> TOLD_COUNT & 7
    if len(drawn) != (count if own else 0):
        raise IllegalAction(f"{count if own else 0} cards are seen by {seat_name(before.seat)} here, not {len(drawn)}")
    record = np.zeros(1, OBSERVATION)
    observe_one(record, world, before.seat)
    after = observation_of(record)
    if own and count:
        after = replace(after, hand=before.hand + Cards.of(drawn), drawn=drawn[0] if after.deciding else None)
    return _events(before, action, count, tuple(drawn), bool(told >> TOLD_RESHUFFLED)), after


def _events(
    before: Observation, action: Action, count: int, drawn: tuple[CardType, ...], reshuffled: bool
) -> tuple[Event, ...]:
    mover = before.turn
    if action == KEEP:
        return (Kept(mover),)
    if action.id != DRAW:
        return (Played(mover, action, just_drawn=before.deciding),)
    drew = Drew(mover, count, before.penalty > 0, drawn if mover == before.seat else None)
    if not reshuffled:
        return (drew,)
    return Reshuffled(before.played - Cards.of([before.top]), None), drew


# --- a world that fits -----------------------------------------------------------------------------------


def _world_around(before: Observation, action: Action) -> States:
    """Return a world that looks like `before` to the seat, and in which the action is possible if in any.

    Hidden places are filled with a card that can't be played and is of another colour than the active one:
    so the opponent, if it is to move, may play the card in question (a wild +4 even as a last resort), and
    may draw.
    """
    filler = _unplayable(before)
    hidden = [filler] * before.opponent_size
    if before.turn != before.seat and hidden and action.card is not None:
        hidden[0] = action.card
    states = np.zeros(1, STATE)
    world = states[0]
    for seat, hand in ((before.seat, before.hand), (1 - before.seat, Cards.of(hidden))):
        world["hand"][seat] = hand.array()
        world["hand_mask"][seat] = hand.mask
        world["hand_size"][seat] = len(hand)
    played = list(before.played)
    world["played"][: len(played)] = played
    world["played_size"] = len(played)
    world["draw_pile"][: before.draw_size] = filler
    world["draw_size"] = before.draw_size
    world["top"], world["colour"] = before.top, before.colour
    world["turn"], world["penalty"] = before.turn, before.penalty
    world["drawn"] = _card_at_issue(before, hidden)
    world["status"], world["winner"] = layout.RUNNING, layout.NOBODY
    world["variant"], world["colours"] = before.variant, before.colours
    return states


def _unplayable(seen: Observation) -> CardType:
    """Return a coloured card that shares neither the active colour nor the top card's rank."""
    other_colour = (seen.colour + 1) % len(COLOURS)
    return card_type(other_colour, (rank_of(seen.top) + 1) % RANKS_PER_COLOUR)


def _card_at_issue(before: Observation, hidden: list[CardType]) -> int:
    """Return the card just drawn about which the player to move decides; for the opponent, the one that it plays."""
    if not before.deciding:
        return NO_CARD
    if before.turn == before.seat:
        return NO_CARD if before.drawn is None else before.drawn
    return hidden[0] if hidden else NO_CARD
