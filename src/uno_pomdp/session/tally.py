"""What a person's saved games come to: won, lost and a rating against each opponent; which games count at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uno_pomdp.arena.ratings import bradley_terry
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.game.record import GameRecord


@dataclass(frozen=True, slots=True)
class Standing:
    """A person's games against one opponent that count."""

    opponent: str
    """The text that makes it."""
    wins: int
    """Games that the person won."""
    draws: int
    """Games that nobody won."""
    losses: int
    """Games that the opponent won."""
    rating: Interval
    """How much higher the person is rated, in points of Elo, with its 95 % interval."""

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "opponent": self.opponent,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "elo": self.rating.to_json(),
        }


def moved_in(record: GameRecord) -> bool:
    """Return whether the person has moved in a game, also if that was taken back."""
    return bool(record.undone) or any(move.seat == record.person for move in record.moves)


def counting(records: Iterable[GameRecord]) -> list[bool]:
    """Return which games count, given from the oldest on: finished, no practice, and of cards not seen before.

    A rematch of the same deal is played with open cards: whoever played it before remembers them.
    """
    known: set[tuple[str, int | None]] = set()
    found = []
    for record in records:
        deal = str(record.rules.to_json()), record.seed
        new = deal not in known
        known.add(deal)
        whole = record.outcome is not None and record.observer is None
        found.append(new and whole and not record.practice and record.person is not None)
    return found


def standings(records: Sequence[GameRecord]) -> list[Standing]:
    """Return how a person does against each opponent, by games that count; those played most come first."""
    results: dict[str, list[float]] = {}
    for record in records:
        seat = record.person
        assert seat is not None
        assert record.outcome is not None
        results.setdefault(record.players[1 - seat], []).append((1 + record.outcome.result(seat)) / 2)
    found = [_standing(opponent, points) for opponent, points in results.items()]
    return sorted(found, key=lambda each: (-each.games, each.opponent))


def _standing(opponent: str, points: list[float]) -> Standing:
    """Return a standing; the rating is Bradley–Terry's with one imaginary game each won and lost, so it is finite."""
    ratings = bradley_terry(2, [(1, 0)], np.array([points]))
    wins, losses = points.count(1.0), points.count(0.0)
    return Standing(opponent, wins, len(points) - wins - losses, losses, ratings.interval(1))
