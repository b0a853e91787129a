"""The table before each move of a record and after the last: what a spectator with this record can see of it."""

from dataclasses import dataclass
from typing import Any

from uno_pomdp.cards import COLOUR_LETTERS, CardType, Colour, card_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.record import GameRecord, Hand, Hidden
from uno_pomdp.review.game import opened


@dataclass(frozen=True, slots=True)
class Position:
    """The table at one moment."""

    hands: tuple[Hand, Hand]
    """Both hands, player 1's first; of one that the record does not know, its size."""
    top: CardType
    colour: Colour
    """The active colour."""
    debt: int
    """Cards that the player to move has to draw for a +2 or +4."""
    pile: int
    """Cards in the draw pile."""
    turn: Seat
    """Who is to move, or moved last."""
    drawn: CardType | None
    """The card just drawn, about which the player to move decides; None if there is none, or if it is hidden."""
    challenge: Colour | None
    """The colour before a wild +4 that can still be challenged; None if there is none."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; a hand is a list of cards, or None if it is hidden."""
        return {
            "hands": [None if isinstance(hand, Hidden) else [card_name(card) for card in hand] for hand in self.hands],
            "sizes": [hand.count if isinstance(hand, Hidden) else len(hand) for hand in self.hands],
            "top": card_name(self.top),
            "colour": COLOUR_LETTERS[self.colour],
            "debt": self.debt,
            "pile": self.pile,
            "turn": self.turn + 1,
            "drawn": None if self.drawn is None else card_name(self.drawn),
            "challenge": None if self.challenge is None else COLOUR_LETTERS[self.challenge],
        }


@dataclass(frozen=True, slots=True)
class Course:
    """A record carried out, move by move."""

    positions: tuple[Position, ...]
    """The table before each move, and after the last."""
    seen: tuple[Observation, ...]
    """What the mover saw before each move; of a mover whose hand is hidden, parts of it are guesses."""
    events: tuple[tuple[Event, ...], ...]
    """What each move caused, as far as the record tells it."""


def course_of(record: GameRecord) -> Course:
    """Return all positions of a record."""
    game, follow = opened(record)
    positions, seen, events = [_position(game, record.observer)], [], []
    for number, move in enumerate(record.moves):
        seen.append(game.observation(move.seat))
        follow(move)
        events.append(game.events(record.observer, number))
        positions.append(_position(game, record.observer))
    return Course(tuple(positions), tuple(seen), tuple(events))


def _position(game: Game, observer: Seat | None) -> Position:
    table = game.observation(game.turn)  # but for the hand and the card drawn, the same for both
    first, second = (game.hand(seat) if observer in (None, seat) else Hidden(len(game.hand(seat))) for seat in SEATS)
    return Position(
        hands=(first, second),
        top=table.top,
        colour=table.colour,
        debt=table.penalty,
        pile=table.draw_size,
        turn=table.turn,
        drawn=table.drawn if observer in (None, game.turn) else None,
        challenge=table.before,
    )
