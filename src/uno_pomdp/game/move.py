"""`Move`: one action of one player, with what chance did about it; and the events that it causes."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from uno_pomdp.cards import CARD_TYPES, NO_CARDS, Cards, CardType
from uno_pomdp.game.actions import ACTIONS, FORGOT_UNO, Action
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import CHALLENGE, GUILTY, JUST_DRAWN, KEEP, MOVE, OWED, RESHUFFLED, SWAPPED, Moves, Seat


@dataclass(frozen=True, slots=True)
class Hidden:
    """Cards that an observer could not see."""

    count: int
    """How many."""

    def __len__(self) -> int:
        return self.count


Pile = tuple[CardType, ...] | Hidden
"""Cards in order, next one first, or their number."""


class Move(NamedTuple):
    """One action of one player, with the chance outcomes that belong to it."""

    seat: Seat
    """Who moved."""
    action: Action
    """What was done."""
    drawn: Pile = ()
    """The cards drawn by it, in order."""
    reshuffled: Pile | None = None
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

    @property
    def cards(self) -> tuple[CardType, ...]:
        """The cards drawn, of a move that hides none."""
        assert not isinstance(self.drawn, Hidden), "these cards are hidden from whoever saw the move"
        return self.drawn

    @property
    def order(self) -> tuple[CardType, ...]:
        """The draw pile after the reshuffle, next card first, of a move that reshuffled and hides nothing."""
        assert isinstance(self.reshuffled, tuple), "no order of a reshuffled pile is known"
        return self.reshuffled

    def seen_by(self, seat: Seat) -> "Move":
        """Return the move as this seat saw it."""
        sees = self.drawer == seat or not self.drawn
        if sees and self.reshuffled is None:
            return self
        reshuffled = None if self.reshuffled is None else Hidden(len(self.reshuffled))
        return self._replace(drawn=self.drawn if sees else Hidden(len(self.drawn)), reshuffled=reshuffled)


class Tabletop(NamedTuple):
    """What lay open before a move, as far as its events tell of it."""

    deciding: bool
    """Whether the player to move was deciding about a card just drawn."""
    owed: bool
    """Whether cards were owed."""
    under_top: Cards = NO_CARDS
    """The played cards below the top: what a reshuffle puts back."""
    hidden: int = 0
    """Played cards that the observer does not know, which go back too."""


_FORGOT: Final = FORGOT_UNO.id


def events(before: Tabletop, move: Move, seat: Seat | None = None) -> tuple[Event, ...]:
    """Return what a move caused; for a seat, with what it could not see left out."""
    if move.action.card is not None:
        played = Played(move.seat, move.action, before.deciding)
        return (played,) if move.swapped is None else (played, Swapped(move.swapped))
    if move.action.id == KEEP:  # whole actions take longer to compare
        return (Kept(move.seat),)
    found: list[Event] = []
    if move.shown is not None:
        found += [Challenged(move.seat, move.guilty), Shown(1 - move.seat, move.shown)]
    forgot, count = move.action.id == _FORGOT, len(move.drawn)
    cards = None if isinstance(move.drawn, Hidden) or seat not in (None, move.drawer) else move.drawn
    owed = before.owed or forgot
    if move.first:
        found.append(Drew(move.drawer, move.first, owed, None if cards is None else cards[: move.first]))
    if move.reshuffled is not None:
        pile = None if isinstance(move.reshuffled, Hidden) or seat is not None else move.reshuffled
        found.append(Reshuffled(before.under_top, pile, before.hidden))
    late = None if cards is None else cards[move.first :]
    return (*found, Drew(move.drawer, count - move.first, owed, late, forgot))


# --- the record of a move --------------------------------------------------------------------------------


def _place(field: str) -> int:
    return int(MOVE.fields[field][1])  # type: ignore[index]


_DRAWN, _PILE, _HANDS = map(_place, ("drawn", "pile", "hands"))
_SECOND_HAND: Final = _HANDS + CARD_TYPES
_ACTIONS: Final = (*ACTIONS, FORGOT_UNO)


def move_at(moves: Moves, number: int) -> tuple[Move, Tabletop]:
    """Return a noted move as a value, and what lay open before it but for the played pile."""
    raw = moves[number : number + 1].tobytes()  # one copy, and no array for each field
    seat, id_, _, count, first, flags, size = raw[:_DRAWN]
    table = Tabletop(flags & JUST_DRAWN > 0, flags & OWED > 0)
    drawn = tuple(raw[_DRAWN : _DRAWN + count]) if count else ()
    reshuffled = tuple(raw[_PILE : _PILE + size]) if flags & RESHUFFLED else None
    shown, swapped = None, None
    if id_ == CHALLENGE:
        shown = _hand(raw, 1 - seat)
    elif flags & SWAPPED:
        swapped = (_hand(raw, 0), _hand(raw, 1))
    return Move(seat, _ACTIONS[id_], drawn, reshuffled, first, flags & GUILTY > 0, shown, swapped), table


def _hand(raw: bytes, seat: Seat) -> Cards:
    start = _SECOND_HAND if seat else _HANDS
    return Cards(raw[start : start + CARD_TYPES])
