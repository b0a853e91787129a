"""`WatchedGame`: a game with both hands open, with who is ahead at each moment and what the players thought."""

from uno_pomdp.agents.agent import Decision
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.evaluation.win_probability import open_chances, win_probability_for
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record import GameRecord, Undone
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.quantities import count_of


class WatchedGame:
    """A game that is being played, or a recorded one; an observer's record shows what the observer saw."""

    def __init__(self, names: tuple[str, str], timeline: Timeline, record: GameRecord | None = None) -> None:
        self.names = names
        """Who plays."""
        self.timeline = timeline
        """What has happened."""
        self.record = record
        """All of it as data; None while it is being played."""
        self.chances: list[float] = []
        """Player 1's win probability with both hands open at each moment; nothing where hands are hidden."""
        self.decisions: list[Decision | None] = [None] * timeline.last
        """What the mover thought, for each move; None where that is not known."""
        self._evaluator = win_probability_for(timeline.rules)

    def __repr__(self) -> str:
        return f"<WatchedGame of {' v '.join(self.names)} after {self.timeline.last} moves>"

    @classmethod
    def of_deal(cls, game: Game, names: tuple[str, str]) -> "WatchedGame":
        """Return a game before its first move."""
        watched = cls(names, Timeline.begin(game))
        watched.chances.append(watched._evaluator.value(game.to_state()))
        return watched

    def grow(self, game: Game, decision: Decision | None = None) -> None:
        """Take in the last move of the game."""
        self.timeline = self.timeline.then(game)
        self.decisions.append(decision)
        self.chances.append(self._evaluator.value(game.to_state()))

    @classmethod
    def of_record(cls, record: GameRecord) -> "WatchedGame":
        """Return a recorded game."""
        watched = cls(record.players, Timeline.of_record(record), record)
        if record.observer is None:
            watched.chances += open_chances(record, watched._evaluator)
        return watched

    # --- what a record adds ------------------------------------------------------------------------------

    @property
    def note(self) -> str:
        """What else there is to say of the game, in a few words."""
        return "" if self.record is None else note_of(self.record)

    @property
    def total(self) -> int | None:
        """How many moves it will have; None while it is being played."""
        return None if self.record is None else len(self.record.moves)

    def taken_back(self, number: int) -> tuple[Undone, ...]:
        """Return what was taken back in a practice game so that it led back to a moment."""
        return () if self.record is None else tuple(each for each in self.record.undone if each.after == number)

    # --- a moment ----------------------------------------------------------------------------------------

    def belief(self, number: int, seat: Seat) -> ClosedFormBelief:
        """Return the exact belief of a seat at a moment, to which choices tell nothing."""
        return ClosedFormBelief.along(self.timeline.history(number, seat))


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
