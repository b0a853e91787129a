"""The review of a game: for each player a coach, which sees only what that player saw, values every move."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.evaluation.win_probability import open_chances, win_probability_for
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.record import GameRecord, record_of
from uno_pomdp.game.rng import sequence
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.review.analyst import Analyst, make_coach
from uno_pomdp.review.judgement import BAD, Review, ReviewedMove

SEED: Final = 1
"""The coach's seed unless another is given: the same game then has the same review."""
Report = Callable[[int, int], None]
"""Called with how many moves are judged, and how many there are."""


def review_game(
    game: GameRecord | Game,
    coach: str | None = None,
    seed: int = SEED,
    report: Report | None = None,
    seats: tuple[Seat, ...] | None = None,
) -> Review:
    """Return a coach's review of a game: by default of both players' moves, of an observed record only the observer's.

    >>> import uno_pomdp as uno
    >>> record = uno.play_game("mini-9", 2, ("greedy", "random"), record=True).record
    >>> review = uno.review_game(record, coach="flat:sims=200")
    >>> len(review.moves) == len(record.moves)
    True
    """
    record = record_of(game) if isinstance(game, Game) else game
    reviewer = Reviewer(Timeline.of_record(record), coach, seed, _judged(record, seats))
    for number in range(len(record.moves)):
        if report is not None:
            report(number, len(record.moves))
        reviewer.judge_next()
    if report is not None:
        report(len(record.moves), len(record.moves))
    moves, luck, chances = reviewer.moves, None, list[float]()
    if record.observer is None:
        evaluator = win_probability_for(record.rules)
        luck, chances = luck_of(record, evaluator), open_chances(record, evaluator)
        lucks = {chance.move: chance.luck if chance.seat == 0 else -chance.luck for chance in luck.chances}
        moves = [replace(move, luck=lucks.get(move.number - 1)) for move in moves]
    return Review(record, reviewer.coach, seed, reviewer.seats, tuple(moves), luck, tuple(chances), reviewer.repeatable)


class Reviewer:
    """A review in steps: it judges one move after the other, of a game that may still go on."""

    def __init__(
        self, timeline: Timeline, coach: str | None = None, seed: int = SEED, seats: tuple[Seat, ...] | None = None
    ) -> None:
        all_known = not any(first.hidden_played for first in timeline.firsts.values())
        self.timeline = timeline
        """The game; one that has gone on takes its place."""
        self.coach = coach or coach_for(timeline.rules, all_known)
        """Who judges."""
        self.seats = timeline.seats if seats is None else seats
        """Whose moves are judged."""
        self.moves: list[ReviewedMove] = []
        """What the coach thinks of each move so far."""
        agents = {seat: make_coach(self.coach, timeline.rules, seat) for seat in self.seats}
        self.repeatable = not any(agent.timed for agent in agents.values())
        """Whether the same review can be made again."""
        seeds = sequence(seed).spawn(len(SEATS))
        self._analysts = {seat: Analyst(agent, seeds[seat]) for seat, agent in agents.items()}
        for seat, analyst in self._analysts.items():
            analyst.follow(timeline.history(0, seat))

    def __repr__(self) -> str:
        return f"<Reviewer {self.coach} of {len(self.moves)} moves of {self.timeline}>"

    @property
    def behind(self) -> bool:
        """Whether moves were made that it has not judged."""
        return len(self.moves) < self.timeline.last

    def judge_next(self) -> None:
        """Judge one more move: a tenth of a second with a usual coach."""
        number = len(self.moves) + 1
        self.moves.append(self._judged(number))
        for seat, analyst in self._analysts.items():
            analyst.update(*self.timeline.step(number, seat))

    def _judged(self, number: int) -> ReviewedMove:
        timeline = self.timeline
        made = timeline.move(number)
        seat, action = made.seat, made.action
        move = ReviewedMove(number, seat, action, timeline.sizes(number), made.drawn)
        if seat not in self._analysts:
            return move
        legal = timeline.seen(number - 1, seat).legal_actions()
        if len(legal) < 2 or action not in legal:
            return replace(move, forced=True)
        values = self._analysts[seat].values()
        loss, error = values.loss(action)
        return replace(
            move,
            forced=False,
            candidates=values.candidates,
            line=values.line,
            before=values.value(values.best),
            after=values.value(action),
            loss=loss,
            error=error,
            lie=values.lie,
            note=values.note,
        )

    # --- what it has found -------------------------------------------------------------------------------

    def of(self, number: int) -> ReviewedMove | None:
        """Return what it thinks of a move, from 1; None if it has not come so far."""
        return self.moves[number - 1] if 1 <= number <= len(self.moves) else None

    def next_bad(self, number: int, way: int) -> int | None:
        """Return the next move after this one, or before it, that is marked; None if none is known."""
        found = [each.number for each in self.moves if each.grade in BAD and (each.number - number) * way > 0]
        return None if not found else min(found) if way > 0 else max(found)


def _judged(record: GameRecord, seats: tuple[Seat, ...] | None) -> tuple[Seat, ...]:
    if record.observer is None:
        return SEATS if seats is None else seats
    if seats is not None and seats != (record.observer,):
        raise InvalidRecord(
            f"this is {seat_name(record.observer)}'s record: only {seat_name(record.observer)}'s moves can be judged, "
            "for what the other knew is not in it"
        )
    return (record.observer,)
