"""The coach of a person: gives hints during a game and reviews it afterwards, from what the person's seat has seen."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from uno_pomdp.agents.agent import Decision
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import UnoError
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.review.analyst import Analyst, make_coach
from uno_pomdp.review.game import Report, review_game
from uno_pomdp.review.judgement import Review
from uno_pomdp.session.setup import COACH, Busy, Setup

T = TypeVar("T")


class NoCoach(UnoError):
    """A coach that has failed: the game goes on without one."""


class Coach:
    """An agent that values moves; with a budget of simulations it says the same each time.

    One that fails is not asked again: `NoCoach` says how it failed the first time, and that it has afterwards.
    """

    def __init__(self, text: str, seed: Seed, busy: Busy = nullcontext) -> None:
        self.name = text
        """The text that makes it."""
        self._seed = seed
        self._busy = busy
        self._failed = False

    @classmethod
    def of(cls, setup: Setup, text: str | None = None, busy: Busy = nullcontext) -> "Coach":
        """Return the coach of a game, the usual one if none is named; one that can't judge it is refused."""
        chosen = text or coach_for(setup.rules)
        with busy():
            make_coach(chosen, setup.rules, setup.seat)
        return cls(chosen, setup.chance(COACH), busy)

    def __repr__(self) -> str:
        return f"<Coach {self.name}>"

    def hint(self, history: SeatHistory) -> Decision | None:
        """Return what it would do in the person's place, and why; None where there is nothing to weigh."""
        if len(history.now.legal_actions()) < 2:
            return None
        return self._asked(lambda: Analyst(self.name, self._seed).follow(history).decide())

    def review(self, record: GameRecord, seat: int, report: Report | None = None) -> Review:
        """Return its judgement of the person's moves, once the game is over."""
        return self._asked(lambda: review_game(record, self.name, report=report, seats=(seat,)))

    def _asked(self, ask: Callable[[], T]) -> T:
        """Ask it, unless it has failed before."""
        if self._failed:
            raise NoCoach("there is no coach any more: it has failed")
        try:
            with self._busy():
                return ask()
        except AgentFailure as failure:
            self._failed = True
            raise NoCoach(f"{failure}; the game goes on without the coach") from failure
