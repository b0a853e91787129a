"""One action as a seat sees it: from what it saw before to what it sees after, without the cards that are hidden.

The action is carried out by the kernels, in a world made up around the observation: so the rules stand in one place.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from uno_pomdp.cards import (
    COLOUR_NAMES,
    COLOURS,
    RANKS_PER_COLOUR,
    WILD,
    Cards,
    CardType,
    card_name,
    card_type,
    rank_of,
)
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game import layout
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, Action, seat_name
from uno_pomdp.game.bindings import apply_noting_one, is_guilty_one, legal_one, observe_one, reshuffle_one
from uno_pomdp.game.forgotten_uno import forget as forget_cards
from uno_pomdp.game.layout import (
    MOVE,
    NO_CARD,
    NO_COLOUR,
    OBSERVATION,
    PLAYABLE,
    RESHUFFLE,
    STATE,
    Seat,
    States,
)
from uno_pomdp.game.move import Hidden, Move, events, move_at
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.seat_history import Step
from uno_pomdp.quantities import count_of


def carry_out(
    before: Observation,
    action: Action,
    drawn: Sequence[CardType] = (),
    shown: Cards | None = None,
    count: int | None = None,
    ended: bool = False,
) -> tuple[Move, Step]:
    """Return an action as a seat sees it, and what it causes.

    `drawn` are the cards that the seat itself draws, `shown` is the hand that it is shown by a challenge of its own or
    gets by a swap. Of a draw of the other until a card is playable it has to be told how many there were (`count`), and
    whether that was all there is, so that the game `ended`. Without the deck it is not checked that a card was still to
    be had, nor what earlier moves say about the hidden hand: any that the rules allow in some world is allowed.
    """
    _check_shown(before, action, shown)
    world = _world_around(before, action, shown)
    if not int(legal_one(world)) >> action.id & 1:
        raise IllegalAction(
            f"{seat_name(before.turn)} can't {action if action.card is None else f'play {action}'} "
            f"on {card_name(before.top)} ({COLOUR_NAMES[before.colour]})"
        )
    guilty = action == CHALLENGE and bool(is_guilty_one(world))
    drawer = 1 - before.turn if guilty else before.turn
    coming = tuple(_coming(before, action, guilty, drawer, drawn, count, ended))
    first = before.draw_size if before.draws_until(action) and len(coming) > before.draw_size else 0
    reshuffled = None
    if returns(before, action, guilty, len(coming)):
        reshuffle_one(world)  # before the draw, so that the cards that come can be laid on top
        reshuffled = Hidden(int(world["draw_size"][0]) - first)
    _lay(world, coming, _unplayable(before))
    noted = np.zeros(1, MOVE)
    apply_noting_one(world, action.id, noted, 0)
    move, _ = move_at(noted, 0)
    return _seen(before, world, move._replace(reshuffled=reshuffled, first=first))


def forget(before: Observation, seat: Seat, drawn: Sequence[CardType] = ()) -> tuple[Move, Step]:
    """Return two cards drawn for a forgotten UNO as a seat sees it, and what that causes.

    `drawn` are the cards if it is the seat's own draw. Without the deck it is not checked that they were to be had.
    """
    asked = before.asked_by(FORGOT_UNO)
    number = min(asked, before.available)
    own = seat == before.seat
    if len(drawn) != (number if own else 0):
        raise IllegalAction(
            f"{seat_name(before.seat)} sees {count_of(number if own else 0, 'card')} here, not {len(drawn)}"
        )
    world = _world_around(before, FORGOT_UNO, None)
    reshuffled = None
    if before.draw_size < asked and before.variant & RESHUFFLE and before.played_size > 1:
        reshuffle_one(world)
        reshuffled = Hidden(int(world["draw_size"][0]))
    _lay(world, drawn, _unplayable(before))
    noted = np.zeros(1, MOVE)
    forget_cards(world, seat, None, noted[0])
    move, _ = move_at(noted, 0)
    return _seen(before, world, move._replace(reshuffled=reshuffled))


def _seen(before: Observation, world: States, move: Move) -> tuple[Move, Step]:
    """Return what a seat sees of a move that has led to this world; played cards that it does not know stay hidden."""
    record = np.zeros(1, OBSERVATION)
    observe_one(record, world, before.seat)
    after = observation_of(record)
    if before.hidden_played and move.reshuffled is None:
        unknown = Cards.of([_unplayable(before)] * before.hidden_played)
        after = replace(after, played=after.played - unknown, hidden_played=before.hidden_played)
    return move.seen_by(before.seat), Step(events(before.table, move, before.seat), after)


# --- what follows from an observation --------------------------------------------------------------------


def returns(before: Observation, action: Action, guilty: bool, count: int) -> bool:
    """Return whether an action puts the played pile back, a draw until playable if it took so many cards."""
    if action not in (DRAW, CHALLENGE) or not before.variant & RESHUFFLE or before.played_size == 1:
        return False
    return before.draw_size < (count if before.draws_until(action) else before.asked_by(action, guilty))


def _coming(
    before: Observation,
    action: Action,
    guilty: bool,
    drawer: Seat,
    drawn: Sequence[CardType],
    count: int | None,
    ended: bool,
) -> Sequence[CardType]:
    """Return the cards that an action draws, those of the other made up; refuse what can't be drawn here."""
    own, filler = drawer == before.seat, _unplayable(before)
    if before.draws_until(action):
        return _coming_until(before, drawn, count, ended)
    number = before.asked_by(action, guilty) if action in (DRAW, CHALLENGE) else 0
    number = number if number <= before.available else 0
    seen = number if own else 0
    if len(drawn) != seen:
        raise IllegalAction(f"{seat_name(before.seat)} sees {count_of(seen, 'card')} here, not {len(drawn)}")
    if count not in (None, number):
        raise IllegalAction(f"{seat_name(drawer)} draws {count_of(number, 'card')} here, not {count}")
    return drawn if own else [filler] * number


def _coming_until(before: Observation, drawn: Sequence[CardType], count: int | None, ended: bool) -> Sequence[CardType]:
    """Return the cards of a draw until one is playable; refuse those that would have ended it elsewhere."""
    playable, who = int(PLAYABLE[before.colour, before.top]), seat_name(before.turn)
    if before.turn != before.seat:
        if count is None or count < (not ended) or drawn:
            raise IllegalAction(f"how many cards {who} drew has to be told, and they are not seen")
        drawn = [_unplayable(before)] * (count - (not ended)) + [WILD] * (not ended)
    elif count not in (None, len(drawn)):
        raise IllegalAction(f"name {count_of(count or 0, 'card')}, not {len(drawn)}")
    hits = [playable >> card & 1 for card in drawn]
    if len(drawn) > before.available or any(hits[:-1]):
        raise IllegalAction(f"{who} draws until a card is playable: the first that is, or the last there is, ends it")
    if not any(hits) and len(drawn) < before.available:
        raise IllegalAction(f"{who} draws until a card is playable, and none of these is, but more are to be had")
    return drawn


def _check_shown(before: Observation, action: Action, shown: Cards | None) -> None:
    """Refuse a hand that is not shown here, is missing, or has another size."""
    own = before.turn == before.seat
    sees = before.swaps(action) or (own and action == CHALLENGE and before.before is not None)
    if not sees and shown is not None:
        raise IllegalAction(f"{action} shows no hand to {seat_name(before.seat)} here")
    if not sees:
        return
    size = before.opponent_size - (not own)
    if shown is None:
        raise IllegalAction(
            f"{action} shows the other hand to {seat_name(before.seat)}: tell all of it, {count_of(size, 'card')}"
        )
    if len(shown) != size:
        raise IllegalAction(f"the hand that {action} shows has {count_of(size, 'card')}, not {len(shown)}")


# --- a world that fits -----------------------------------------------------------------------------------


def _world_around(before: Observation, action: Action, shown: Cards | None) -> States:
    """Return a world that looks like `before` to the seat, and in which the action is possible if in any.

    Hidden places are filled with a card that can't be played and is of another colour than the active one:
    so the opponent, if it is to move, may play the card in question (a wild +4 even as a last resort), and
    may draw.
    """
    played_by_other = [action.card] if before.turn != before.seat and action.card is not None else []
    if shown is None:
        hidden = [*played_by_other, *[_unplayable(before)] * before.opponent_size][: before.opponent_size]
    else:
        hidden = [*played_by_other, *shown]
    states = np.zeros(1, STATE)
    world = states[0]
    for seat, hand in ((before.seat, before.hand), (1 - before.seat, Cards.of(hidden))):
        world["hand"][seat] = hand.array()
        world["hand_mask"][seat] = hand.mask
        world["hand_size"][seat] = len(hand)
    played = [*[_unplayable(before)] * before.hidden_played, *before.played]
    world["played"][: len(played)] = played
    world["played_size"] = len(played)
    world["draw_size"] = before.draw_size
    world["top"], world["colour"] = before.top, before.colour
    world["turn"], world["penalty"] = before.turn, before.penalty
    world["drawn"] = _card_at_issue(before, hidden)
    world["before"] = NO_COLOUR if before.before is None else before.before
    world["status"], world["winner"] = layout.RUNNING, layout.NOBODY
    world["variant"], world["colours"] = before.variant, before.colours
    return states


def _lay(world: States, coming: Sequence[CardType], filler: CardType) -> None:
    """Put these cards on top of the draw pile, the first one first, and fillers below them."""
    size = int(world["draw_size"][0])
    order = [*coming, *[filler] * (size - len(coming))]
    world["draw_pile"][0, :size] = order[::-1]


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
