"""How a game ended, and why."""

from dataclasses import dataclass
from enum import StrEnum

from uno_pomdp.game import layout
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import Seat


class Reason(StrEnum):
    """Why a game ended."""

    EMPTIED_HAND = "emptied hand"
    """A player has no card left."""
    DECK_EXHAUSTED = "deck exhausted"
    """A draw could not be made: fewer cards in hand wins, equal hands are a draw."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    >>> import uno_pomdp as uno
    >>> outcome = uno.play_game("mini-7", 2, ("greedy", "random")).outcome
    >>> str(outcome), outcome.result(0)
    ('player 1 wins (deck exhausted)', 1)
    """

    winner: Seat | None
    """Who won; None for a draw."""
    reason: Reason
    """Why it ended."""

    def result(self, seat: Seat = layout.FIRST) -> int:
        """Return +1 for a win of this seat, −1 for a loss, 0 for a draw."""
        return 0 if self.winner is None else 1 if self.winner == seat else -1

    def __str__(self) -> str:
        who = "draw" if self.winner is None else f"{seat_name(self.winner)} wins"
        return f"{who} ({self.reason})"


def outcome_of(status: int, winner: int) -> Outcome | None:
    """Return a record's ending as a value; None while it is running."""
    if status == layout.RUNNING:
        return None
    reason = Reason.EMPTIED_HAND if status == layout.EMPTIED_HAND else Reason.DECK_EXHAUSTED
    return Outcome(None if winner == layout.NOBODY else winner, reason)
