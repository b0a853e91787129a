"""What a game keeps of each move: a word that tells it, what does not fit into that, and the events made from both."""

from typing import NamedTuple

from uno_pomdp.cards import Cards, CardType
from uno_pomdp.game.actions import ACTIONS, FORGOT_UNO, Action
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import (
    ACTION_CARD,
    CHALLENGE,
    DRAW,
    KEEP,
    MOST_TOLD,
    RUNNING,
    SWAP,
    SWAPS,
    TOLD_CARDS,
    TOLD_COUNT,
    TOLD_FIRST,
    TOLD_GUILTY,
    TOLD_JUST_DRAWN,
    TOLD_OWED,
    TOLD_SEAT,
    Seat,
    States,
    cards_of,
)
from uno_pomdp.rules import Rules

MoreTold = tuple[bytes, tuple[Cards, ...]]
"""The cards drawn, if they do not fit into a word; and a hand that was shown, or both after a swap."""
LoggedMove = tuple[int, int, bytes | None, MoreTold | None]
"""An action's id, what was told of it, the reshuffled pile, and what does not fit into the word."""


class Move(NamedTuple):
    """One action of one player, with what chance did about it."""

    seat: Seat
    """Who moved."""
    action: Action
    """What was done."""
    drawn: tuple[CardType, ...] = ()
    """The cards drawn by it, in order."""
    reshuffled: tuple[CardType, ...] | None = None
    """The draw pile after the reshuffle that the draw needed, next card first; None if it needed none."""
    first: int = 0
    """How many of the cards were drawn before the reshuffle (`until_playable`)."""
    guilty: bool = False
    """Of a challenge: whether it was right, so that the other player drew."""
    shown: Cards | None = None
    """Of a challenge: the hand that it showed."""
    swapped: tuple[Cards, Cards] | None = None
    """Both hands after a swap, player 1's first; None if there was none."""

    @property
    def drawer(self) -> Seat:
        """Who drew the cards: the mover, but after a challenge that was right the other."""
        return 1 - self.seat if self.guilty else self.seat


def tells_more(rules: Rules) -> bool:
    """Return whether one word does not always hold what an action did under these rules."""
    if rules.stack != "no" or rules.swap != "no":
        return True
    return rules.wild_four == "challenge" or rules.draw == "until_playable"


def more_told(before: States, now: States, id_: int, told: int) -> MoreTold | None:
    """Return what does not fit into the word that tells what an action did; None if all does."""
    count, first = told >> TOLD_COUNT & MOST_TOLD, told >> TOLD_FIRST & MOST_TOLD
    drawn = b""
    if count > TOLD_CARDS or first:
        size = int(now["draw_size"][0])
        late = now["draw_pile"][0, size : size + count - first].tobytes()[::-1]
        drawn = before["draw_pile"][0, :first].tobytes()[::-1] + late
    if id_ == CHALLENGE:
        return drawn, (cards_of(before["hand"][0, 1 - before["turn"][0]]),)
    if id_ < DRAW and before["variant"][0] & SWAP and SWAPS[ACTION_CARD[id_]] and now["status"][0] == RUNNING:
        return drawn, (cards_of(now["hand"][0, 0]), cards_of(now["hand"][0, 1]))
    return (drawn, ()) if drawn else None


def move_of(id_: int, told: int, pile: bytes | None, more: MoreTold | None) -> Move:
    """Return a move as a value."""
    seat, drawn = told >> TOLD_SEAT & 1, drawn_of(told, more)
    action = ACTIONS[id_] if id_ != FORGOT_UNO.id else FORGOT_UNO
    reshuffled = None if pile is None else tuple(pile)
    if more is None:
        return Move(seat, action, drawn, reshuffled)
    hands = more[1]
    return Move(
        seat,
        action,
        drawn,
        reshuffled,
        told >> TOLD_FIRST & MOST_TOLD,
        bool(told >> TOLD_GUILTY & 1),
        hands[0] if len(hands) == 1 else None,
        (hands[0], hands[1]) if len(hands) == 2 else None,
    )


def drawn_of(told: int, more: MoreTold | None) -> tuple[CardType, ...]:
    """Return the cards that a move drew, in order."""
    count = told >> TOLD_COUNT & MOST_TOLD
    return tuple(more[0]) if more is not None and more[0] else tuple(told.to_bytes(8, "little")[:count])


def events_of(entry: LoggedMove, face_up: list[CardType]) -> tuple[Event, ...]:
    """Return what a move caused, and bring the played pile (top card last) up to date."""
    told = entry[1]
    return told_events(move_of(*entry), bool(told >> TOLD_JUST_DRAWN & 1), bool(told >> TOLD_OWED & 1), face_up)


def told_events(move: Move, just_drawn: bool, owed: bool, face_up: list[CardType]) -> tuple[Event, ...]:
    """Return what a move caused, given whether its card was just drawn and whether what it drew was owed."""
    if move.action.card is not None:
        face_up.append(move.action.card)
        played = Played(move.seat, move.action, just_drawn)
        return (played,) if move.swapped is None else (played, Swapped(move.swapped))
    if move.action.id == KEEP:
        return (Kept(move.seat),)
    return tuple(_drawing(move, owed, face_up))


def _drawing(move: Move, owed: bool, face_up: list[CardType]) -> list[Event]:
    """Return the events of a draw or a challenge."""
    told: list[Event] = []
    if move.shown is not None:
        told += [Challenged(move.seat, move.guilty), Shown(1 - move.seat, move.shown)]
    if move.first:
        told.append(Drew(move.drawer, move.first, owed, move.drawn[: move.first]))
    if move.reshuffled is not None:
        told.append(Reshuffled(Cards.of(face_up[:-1]), move.reshuffled))
        del face_up[:-1]
    late = move.drawn[move.first :]
    return [*told, Drew(move.drawer, len(late), owed, late, move.action.id == FORGOT_UNO.id)]


def hide(event: Event, seat: Seat) -> Event:
    """Return the event as this seat learnt of it."""
    if isinstance(event, Reshuffled):
        return Reshuffled(event.returned, None, event.hidden)
    if isinstance(event, Drew) and event.seat != seat:
        return Drew(event.seat, event.count, event.penalty, None, event.forgot)
    return event
