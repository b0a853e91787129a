"""What a coach thinks of moves that were made, one after the other and each when there is time: a review in steps."""

from uno_pomdp.default_agents import coach_for
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.rng import player_seed, sequence
from uno_pomdp.review.game import SEED, judged_move, make_coach
from uno_pomdp.review.judgement import Grade, ReviewedMove
from uno_pomdp.search.move_values import ValuesMoves
from uno_pomdp.session.course import Course

BAD = frozenset({Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER})
"""What is marked, and found by the keys."""


class Opinions:
    """The judgements of a coach as far as it has come. Each is that of `review_game`, to the last figure."""

    def __init__(self, course: Course, coach: str | None = None) -> None:
        all_known = not any(course.seen(0, seat).hidden_played for seat in course.seats)
        self.coach = coach or coach_for(course.rules, all_known)
        """Who judges."""
        self.moves: list[ReviewedMove] = []
        """What it thinks of each move so far."""
        self._course = course
        self._agents = {seat: make_coach(self.coach, course.rules, seat) for seat in course.seats}
        seeds = sequence(SEED).spawn(len(SEATS))
        for seat, agent in self._agents.items():
            agent.start(course.rules, course.seen(0, seat), player_seed(seeds[seat]))

    def __repr__(self) -> str:
        return f"<Opinions of {self.coach} on {len(self.moves)} of {self._course.last} moves>"

    @property
    def behind(self) -> bool:
        """Whether moves were made that it has not judged."""
        return len(self.moves) < self._course.last

    def of(self, number: int) -> ReviewedMove | None:
        """Return what it thinks of a move, from 1; None if it has not come so far."""
        return self.moves[number - 1] if 1 <= number <= len(self.moves) else None

    def judge_next(self) -> None:
        """Judge one more move: a tenth of a second with a usual coach."""
        course, number = self._course, len(self.moves) + 1
        self.moves.append(self._judged(number))
        for seat, agent in self._agents.items():
            agent.update(*course.step(number, seat))

    def _judged(self, number: int) -> ReviewedMove:
        course = self._course
        seat, action = course.mover(number), course.action(number)
        move = ReviewedMove(number, seat, action, course.sizes(number))
        agent = self._agents.get(seat)
        if agent is None:
            return move
        legal = course.seen(number - 1, seat).legal_actions()
        if len(legal) < 2 or action not in legal:
            return ReviewedMove(number, seat, action, course.sizes(number), forced=True)
        assert isinstance(agent, ValuesMoves)
        return judged_move(move, agent.move_values())

    def next_bad(self, number: int, way: int) -> int | None:
        """Return the next move after this one, or before it, that is marked; None if none is known."""
        found = [each.number for each in self.moves if each.grade in BAD and (each.number - number) * way > 0]
        return None if not found else min(found) if way > 0 else max(found)
