"""`Timeline`: the moments of a game, each as its seats saw it.

It is for code that may see everything in a record. What leaves the process is made from a `SeatHistory`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from uno_pomdp.cards import Cards
from uno_pomdp.game.consistency import check_possible
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Move
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import GameRecord, check_end, follow_openly, replay, start
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.rules import Rules


class Passed(NamedTuple):
    """One move, and what came of it."""

    move: Move
    """What was done, with all cards that are known."""
    events: tuple[Event, ...]
    """What happened, with all cards that are known."""
    steps: Mapping[Seat, Step]
    """The same by seat, as each saw it."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """A game from its start on, by what its seats have seen. Moment 0 is the deal, moment n the table after move n.

    It never changes: what goes on from it is another, which shares its past.
    """

    rules: Rules
    """The rules."""
    firsts: Mapping[Seat, Observation]
    """What each seat saw at the deal, if that is known: of an observer's record only the observer's view is."""
    last: int = 0
    """The last moment: how many moves were made."""
    _passed: list[Passed] = field(default_factory=list, repr=False)  # only the first `last` are its own

    @classmethod
    def begin(cls, game: Game) -> "Timeline":
        """Return the timeline of a game before its first move."""
        return cls(game.rules, {seat: game.observation(seat) for seat in SEATS})

    def then(self, game: Game) -> "Timeline":
        """Return the timeline with one more move: the last one of this game."""
        steps = {seat: game.last_step(seat) for seat in SEATS}
        return self._then(Passed(game.last_move, game.events(since=self.last), steps))

    def _then(self, passed: Passed) -> "Timeline":
        shared = self._passed if len(self._passed) == self.last else self._passed[: self.last]
        shared.append(passed)
        return Timeline(self.rules, self.firsts, self.last + 1, shared)

    @classmethod
    def of_record(cls, record: GameRecord) -> "Timeline":
        """Return the moves of a recorded game that stand; a record of what can't have been is refused."""
        if record.observer is not None:
            return cls._of_observer(record, record.observer)
        if record.undone:
            replay(record)  # what it says of moves taken back is right, or refused
        game = start(record)
        timeline = cls.begin(game)
        for move in record.moves:
            follow_openly(game, move)
            timeline = timeline.then(game)
        check_end(record, game)
        return timeline

    @classmethod
    def _of_observer(cls, record: GameRecord, seat: Seat) -> "Timeline":
        check_possible(record, seat)
        history = ObservedGame.replayed(record).history
        timeline = cls(record.rules, {seat: history.first})
        for move, step in zip(record.moves, history.steps, strict=True):
            timeline = timeline._then(Passed(move, step.events, {seat: step}))
        return timeline

    def __repr__(self) -> str:
        return f"<Timeline of {self.rules.name} after {self.last} moves>"

    def __eq__(self, other: object) -> bool:
        """Whether rules, deal and every move are the same, and so everything that follows from them."""
        if not isinstance(other, Timeline):
            return NotImplemented
        return (self.rules, self.firsts, self.moves) == (other.rules, other.firsts, other.moves)

    __hash__ = None  # type: ignore[assignment]  # it is compared, never looked up

    # --- a moment ----------------------------------------------------------------------------------------

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Whose view is known: both, but of an observer's record the observer's alone."""
        return tuple(self.firsts)

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move."""
        return tuple(passed.move for passed in self._passed[: self.last])

    def history(self, number: int, seat: Seat) -> SeatHistory:
        """Return what a seat has seen up to a moment."""
        return SeatHistory(self.rules, self.firsts[seat], tuple(each.steps[seat] for each in self._passed[:number]))

    def seen(self, number: int, seat: Seat | None = None) -> Observation:
        """Return what a seat sees at a moment; what lies on the table is the same to all."""
        seat = self.seats[0] if seat is None else seat
        return self.step(number, seat).observation if number else self.firsts[seat]

    def step(self, number: int, seat: Seat) -> Step:
        """Return a move, from 1, as a seat saw it."""
        return self._passed[number - 1].steps[seat]

    def move(self, number: int) -> Move:
        """Return a move, from 1, with all cards that are known."""
        return self._passed[number - 1].move

    def events(self, number: int) -> tuple[Event, ...]:
        """Return what happened at a move, from 1, with all cards that are known."""
        return self._passed[number - 1].events

    def sizes(self, number: int) -> tuple[int, int]:
        """Return how many cards each player holds."""
        return self.seen(number).hand_sizes

    def hand(self, number: int, seat: Seat) -> Cards | None:
        """Return a player's hand; None where it is hidden."""
        return self.seen(number, seat).hand if seat in self.firsts else None
