"""What was done, worked out from two observations in a row.

One observation after *every* action is needed: from those at a seat's own decisions alone the order inside
a chain of skips is lost.

The action is read off from what changed. Then it is carried out by the kernels, in a world made up around
the first observation, and what the seat would see after it has to be the second: so the rules stand in
one place, and a pair of observations that no action joins is refused.
"""

from dataclasses import replace

import numpy as np

from uno_pomdp.cards import COLOURS, MAX_CARDS, NO_CARDS, RANKS_PER_COLOUR, Cards, CardType, card_type, rank_of
from uno_pomdp.errors import InvalidCard, UnoError
from uno_pomdp.game import layout
from uno_pomdp.game.calls import apply_one, legal_one, observe_one
from uno_pomdp.game.layout import DRAW, NO_CARD, OBSERVATION, STATE, TOLD_RESHUFFLED, States, action_id
from uno_pomdp.game.values import (
    ACTIONS,
    KEEP,
    Action,
    Drew,
    Event,
    Kept,
    Observation,
    Played,
    Reshuffled,
    observation_of,
    seat_name,
)


class NotInARow(UnoError):
    """Two observations between which no single action lies."""


def infer_events(before: Observation, after: Observation) -> tuple[Event, ...]:
    """Return the events that lead from one observation of a seat to the next, as that seat saw them.

    They are those of `Game.events(seat)`, but for one thing: the order in which the seat drew the cards of a
    penalty can't be told from counts, so `Drew.cards` is in order of type. Without the deck it is not
    checked that a card played by the opponent was still to be had.
    """
    _check_one_game(before, after)
    action = _action_between(before, after)
    gained = _gained(before, after, action)
    world = _world_for(before, action)
    if not int(legal_one(world)) >> action.id & 1:
        raise _no_action_between(before, after)
    _, told = apply_one(world, action.id)
    if _seen_after(world, before, gained) != after:
        raise _no_action_between(before, after)
    return _events(before, after, action, gained, reshuffled=bool(told >> TOLD_RESHUFFLED))


# --- what changed ----------------------------------------------------------------------------------------


def _action_between(before: Observation, after: Observation) -> Action:
    """Return the only action that can lead from one observation to the other, if any does.

    The size of the mover's hand tells a play, then the top card is what was played: not the top *changing*,
    for a card of the same type may have been lying there.
    """
    more = _mover_size(before, after) - _mover_size(before, before)
    if more == -1:
        return ACTIONS[action_id(after.top, after.colour)]
    return KEEP if before.deciding and more == 0 else ACTIONS[DRAW]


def _mover_size(before: Observation, seen: Observation) -> int:
    """Return the size, in `seen`, of the hand of the player who was to move before."""
    return len(seen.hand) if before.turn == before.seat else seen.opponent_size


def _gained(before: Observation, after: Observation, action: Action) -> Cards:
    """Return the cards that the seat itself drew."""
    if before.turn != before.seat or action.id != DRAW:
        return NO_CARDS
    try:
        return after.hand - before.hand
    except InvalidCard:  # a card has gone: nobody loses one by drawing
        raise _no_action_between(before, after) from None


def _events(
    before: Observation, after: Observation, action: Action, gained: Cards, reshuffled: bool
) -> tuple[Event, ...]:
    """Return the events of an action that is known to lie between the observations."""
    mover = before.turn
    if action == KEEP:
        return (Kept(mover),)
    if action.card is not None:
        return (Played(mover, action, just_drawn=before.deciding),)
    own = mover == before.seat
    count = _mover_size(before, after) - _mover_size(before, before)
    drew = Drew(mover, count, before.penalty > 0, tuple(gained) if own else None)
    if not reshuffled:
        return (drew,)
    return Reshuffled(before.played - Cards.of([before.top]), None), drew


# --- what the kernels say --------------------------------------------------------------------------------


def _world_for(before: Observation, action: Action) -> States:
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
    """Return the card about which the player to move decides: of the opponent, the one it plays."""
    if not before.deciding:
        return NO_CARD
    if before.turn == before.seat:
        return NO_CARD if before.drawn is None else before.drawn
    return hidden[0] if hidden else NO_CARD


def _seen_after(world: States, before: Observation, gained: Cards) -> Observation:
    """Return what the seat sees of a world in which the action was done, with the cards that it really drew."""
    record = np.zeros(1, OBSERVATION)
    observe_one(record, world, before.seat)
    seen = observation_of(record)
    if not len(gained) or len(before.hand) + len(gained) != len(seen.hand):
        return seen
    return replace(seen, hand=before.hand + gained, drawn=next(iter(gained)) if seen.deciding else None)


# --- what is refused -------------------------------------------------------------------------------------


def _check_one_game(before: Observation, after: Observation) -> None:
    """Refuse observations that can't be of one seat in one game that goes on."""
    if before.seat != after.seat:
        raise NotInARow(
            f"one observation is {seat_name(before.seat)}'s and the other {seat_name(after.seat)}'s: "
            "give two of the same seat"
        )
    if (before.variant, before.colours) != (after.variant, after.colours):
        raise NotInARow("the two observations are of games with different rules: give two of the same game")
    if before.outcome is not None:
        raise NotInARow(
            f"nothing happens after the end of a game, but the first observation is of one ({before.outcome})"
        )
    cards = len(before.hand) + before.opponent_size + before.draw_size + len(before.played)
    if cards > MAX_CARDS:  # the kernels do not check the ends of their piles
        raise NotInARow(f"the first observation is of {cards} cards, but no deck has more than {MAX_CARDS}")


def _no_action_between(before: Observation, after: Observation) -> NotInARow:
    ended = "" if after.outcome is None else f", {after.outcome}"
    return NotInARow(
        f"no single action leads from [{before}] to [{after}{ended}]: "
        "give one observation after every action of either player"
    )
