"""The table before each move of a record and after the last: what a spectator with this record can see of it."""

from dataclasses import dataclass
from typing import Any

from uno_pomdp.cards import COLOUR_LETTERS, CardType, Colour, card_name
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.record import Hand
from uno_pomdp.game.timeline import Timeline


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


def position_at(timeline: Timeline, number: int) -> Position:
    """Return the table at a moment."""
    turn = timeline.seen(number).turn
    table = timeline.seen(number, turn if turn in timeline.seats else None)  # which alone sees the card just drawn
    first, second = (
        Hidden(size) if (hand := timeline.hand(number, seat)) is None else hand
        for seat, size in enumerate(table.hand_sizes)
    )
    return Position(
        hands=(first, second),
        top=table.top,
        colour=table.colour,
        debt=table.penalty,
        pile=table.draw_size,
        turn=table.turn,
        drawn=table.drawn,
        challenge=table.before,
    )
