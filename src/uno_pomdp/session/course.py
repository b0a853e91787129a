"""`Course`: a game as far as it has come, every moment of which can be looked at again."""

from collections.abc import Mapping

from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards
from uno_pomdp.evaluation.win_probability import win_probability_for
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import GameRecord, Undone, follow_openly, replay, start
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.narration.words import hand_sizes
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules


class Course:
    """A game from its start on, by what its seats have seen. Moment 0 is the deal, moment n the table after move n."""

    def __init__(self, rules: Rules, names: tuple[str, str], firsts: Mapping[Seat, Observation]) -> None:
        self.rules = rules
        """The rules."""
        self.names = names
        """Who plays."""
        self.seats = tuple(firsts)
        """Whose view is known: both, but of an observer's record the observer's alone."""
        self.note = ""
        """What else there is to say of the game, in a few words."""
        self.total: int | None = None
        """How many moves it will have; None while it is being played."""
        self.chances: list[float] = []
        """Player 1's win probability with both hands open at each moment; nothing where hands are hidden."""
        self.taken_back: dict[int, tuple[Undone, ...]] = {}
        """What was taken back in a practice game, by the moment to which it led back."""
        self.decisions: list[Decision | None] = []
        """What the mover thought, for each move; None where that is not known."""
        self._firsts = dict(firsts)
        self._steps: dict[Seat, list[Step]] = {seat: [] for seat in firsts}
        self._events: list[tuple[Event, ...]] = []

    def __repr__(self) -> str:
        return f"<Course of {' v '.join(self.names)} after {self.last} moves>"

    # --- how it grows ------------------------------------------------------------------------------------

    @classmethod
    def of_deal(cls, game: Game, names: tuple[str, str]) -> "Course":
        """Return the course of a game of which all is known and no move was made."""
        course = cls(game.rules, names, {seat: game.observation(seat) for seat in SEATS})
        course.chances.append(win_probability_for(game.rules).value(game.to_state()))
        return course

    def grow(self, game: Game, decision: Decision | None = None) -> None:
        """Take in the last move of the game."""
        self._take(game.events(since=self.last), {seat: game.last_step(seat) for seat in SEATS}, decision)
        self.chances.append(win_probability_for(game.rules).value(game.to_state()))

    def _take(self, events: tuple[Event, ...], steps: Mapping[Seat, Step], decision: Decision | None = None) -> None:
        self._events.append(events)
        self.decisions.append(decision)
        for seat, step in steps.items():
            self._steps[seat].append(step)

    @classmethod
    def of_record(cls, record: GameRecord) -> "Course":
        """Return the whole course of a recorded game; of an observer's record, what the observer saw."""
        if record.observer is None:
            replay(record)  # what it says of moves taken back and of its result is right, or refused
            game = start(record)
            course = cls.of_deal(game, record.players)
            for move in record.moves:
                follow_openly(game, move)
                course.grow(game)
        else:
            table = ObservedGame.of_record(record)
            course = cls(record.rules, record.players, {record.observer: table.observation})
            for number, move in enumerate(record.moves, 1):
                table.repeat(move, record.outcome if number == len(record.moves) else None)
                events = table.events[-1]
                course._take(events, {record.observer: Step(events, table.observation)})
        course.total = len(record.moves)
        course.note = note_of(record)
        for undone in record.undone:
            course.taken_back[undone.after] = (*course.taken_back.get(undone.after, ()), undone)
        return course

    # --- a moment ----------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The last moment: how many moves were made."""
        return len(self._events)

    def history(self, number: int, seat: Seat) -> SeatHistory:
        """Return what a seat has seen up to a moment."""
        return SeatHistory(self.rules, self._firsts[seat], tuple(self._steps[seat][:number]))

    def seen(self, number: int, seat: Seat | None = None) -> Observation:
        """Return what a seat sees at a moment; what lies on the table is the same to all."""
        seat = self.seats[0] if seat is None else seat
        return self._steps[seat][number - 1].observation if number else self._firsts[seat]

    def step(self, number: int, seat: Seat | None = None) -> Step:
        """Return a move, from 1, as a seat saw it."""
        return self._steps[self.seats[0] if seat is None else seat][number - 1]

    def events(self, number: int) -> tuple[Event, ...]:
        """Return what happened at a move, from 1, with all cards that are known."""
        return self._events[number - 1]

    def mover(self, number: int) -> Seat:
        """Return who made a move."""
        return self.step(number).deed.seat

    def action(self, number: int) -> Action:
        """Return what was done."""
        return self.step(number).action

    def sizes(self, number: int) -> tuple[int, int]:
        """Return how many cards each player holds."""
        return hand_sizes(self.seen(number))

    def hand(self, number: int, seat: Seat) -> Cards | None:
        """Return a player's hand; None where it is hidden."""
        return self.seen(number, seat).hand if seat in self.seats else None

    def belief(self, number: int, seat: Seat) -> ClosedFormBelief:
        """Return the exact belief of a seat at a moment, to which choices tell nothing."""
        history = self.history(number, seat)
        belief = ClosedFormBelief(self.rules, history.first)
        history.follow(belief)
        return belief


def note_of(record: GameRecord) -> str:
    """Return what a record is beside one whole game that counts, in a few words."""
    match = record.match
    parts = [
        f"as {seat_name(record.observer)} saw it" if record.observer is not None else "",
        "begun in the middle" if record.midgame is not None else "",
        "" if match is None else f"round {match.round} at {match.score[0]}:{match.score[1]}, to {match.to}",
        "" if not record.practice else f"practice, {count_of(len(record.undone), 'undo')}",
        "unfinished" if record.outcome is None else "",
    ]
    return ", ".join(filter(None, parts))
