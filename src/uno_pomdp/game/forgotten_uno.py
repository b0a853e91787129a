"""The two cards for a forgotten UNO: drawn between two moves, in turn or out of it. Nobody chooses it: no action."""

from collections.abc import Iterable

from uno_pomdp.cards import Cards, CardType
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import FORGOT_UNO, seat_name
from uno_pomdp.game.bindings import draw_cards_one, reshuffle_one
from uno_pomdp.game.kernels import cards_asked
from uno_pomdp.game.layout import (
    NO_CARD,
    NO_COLOUR,
    OWED,
    RESHUFFLE,
    RESHUFFLED,
    Record,
    Seat,
    States,
)


def forget(states: States, seat: Seat, order: Iterable[CardType] | None, noted: Record) -> int:
    """Let a player draw two cards, or as many as there are, and note it in a `MOVE`; return what is legal then.

    `order` is the draw pile that the reshuffle for it is to give, next card first; None for the deck's own.
    """
    _check(states, seat)
    state, wanted = states[0], None if order is None else tuple(order)
    pile = state["draw_pile"]
    asked = cards_asked(FORGOT_UNO.id, 0, False, int(state["variant"]))
    reshuffles = bool(state["draw_size"] < asked and state["variant"] & RESHUFFLE and state["played_size"] > 1)
    if wanted is not None:
        there = [*pile[: state["draw_size"]].tolist(), *state["played"][: state["played_size"] - 1].tolist()]
        if not reshuffles:
            raise IllegalAction(f"{FORGOT_UNO} reshuffles nothing here")
        if Cards.of(wanted) != Cards.of(there):
            raise IllegalAction(f"the reshuffled pile has to hold {Cards.of(there)}")
    if reshuffles:
        reshuffle_one(states)
        if wanted is not None:
            pile[: len(wanted)] = wanted[::-1]
    lying = pile[: state["draw_size"]].tolist()[::-1]
    drawn = lying[:asked]
    noted["mover"] = noted["drawer"] = seat
    noted["action"], noted["flags"] = FORGOT_UNO.id, OWED | (RESHUFFLED if reshuffles else 0)
    noted["count"], noted["first"] = len(drawn), 0
    noted["drawn"][: len(drawn)] = drawn
    noted["pile_size"] = len(lying) if reshuffles else 0
    if reshuffles:
        noted["pile"][: len(lying)] = lying
    return int(draw_cards_one(states, seat, len(drawn)))


def _check(states: States, seat: Seat) -> None:
    """Refuse the cards where they are not due; the game has to be running."""
    state, who = states[0], seat_name(seat)
    if state["hand_size"][seat] != 1:
        raise IllegalAction(f"UNO is said with one card left, but {who} holds {state['hand_size'][seat]}")
    if state["drawn"] != NO_CARD:
        raise IllegalAction(
            f"{seat_name(int(state['turn']))} decides about a card just drawn: that is done before {who} draws for UNO"
        )
    if state["before"] != NO_COLOUR and seat != state["turn"]:
        raise IllegalAction(
            f"{who}'s wild +4 can be challenged, and its hand counts for that: that is done before it draws for UNO"
        )
