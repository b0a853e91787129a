"""What was done, worked out from two observations in a row.

One observation after *every* action is needed: from those at a seat's own decisions alone the order inside
a chain of skips is lost.

The action is read off from what changed. Then it is carried out as the seat sees it (`game.observed_action`), and what
the seat would see after it has to be the second observation: a pair that no action joins is refused. So are rules under
which two observations do not tell: hands that are shown or swapped, draws that a reshuffle cuts in two.
"""

from typing import Final

from uno_pomdp.cards import MAX_CARDS, NO_CARDS, Cards
from uno_pomdp.errors import IllegalAction, InvalidCard, UnoError
from uno_pomdp.game.actions import ACTIONS, KEEP, Action, seat_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import DRAW, MAY_CHALLENGE, SWAP, UNTIL_PLAYABLE, action_id
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_action import carry_out

AMBIGUOUS: Final = {MAY_CHALLENGE: "challenges", UNTIL_PLAYABLE: "draws until a card is playable", SWAP: "swaps"}
"""What two observations in a row do not tell, by the bit of the rule."""


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
    try:
        _, step = carry_out(before, action, tuple(_gained(before, after, action)))
    except IllegalAction:
        raise _no_action_between(before, after) from None
    if step.observation != after:
        raise _no_action_between(before, after)
    return step.events


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
    for bit, what in AMBIGUOUS.items():
        if before.variant & bit:
            raise NotInARow(f"under rules with {what} two observations in a row do not tell all: give the events")
    if before.outcome is not None:
        raise NotInARow(
            f"nothing happens after the end of a game, but the first observation is of one ({before.outcome})"
        )
    cards = len(before.hand) + before.opponent_size + before.draw_size + before.played_size
    if cards > MAX_CARDS:  # the kernels do not check the ends of their piles
        raise NotInARow(f"the first observation is of {cards} cards, but no deck has more than {MAX_CARDS}")


def _no_action_between(before: Observation, after: Observation) -> NotInARow:
    ended = "" if after.outcome is None else f", {after.outcome}"
    return NotInARow(
        f"no single action leads from [{before}] to [{after}{ended}]: "
        "give one observation after every action of either player"
    )
