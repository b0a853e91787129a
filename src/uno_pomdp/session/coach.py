"""The coach of a person: gives hints during a game and reviews it afterwards, from what the person's seat has seen."""

from contextlib import nullcontext

from uno_pomdp.agents.agent import Decision
from uno_pomdp.game.record import GameRecord
from uno_pomdp.game.rng import Seed
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.registry import coach_for, make_agent
from uno_pomdp.review.game import Report, make_coach, review_game
from uno_pomdp.review.judgement import Review
from uno_pomdp.session.setup import COACH, Busy, Setup


class Coach:
    """An agent that values moves; with a budget of simulations it says the same each time."""

    def __init__(self, text: str, seed: Seed, busy: Busy = nullcontext) -> None:
        self.name = text
        """The text that makes it."""
        self._seed = seed
        self._busy = busy

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
        with self._busy():
            agent = make_agent(self.name)
            history.lead(agent, self._seed)
            return agent.decide()

    def review(self, record: GameRecord, seat: int, report: Report | None = None) -> Review:
        """Return its judgement of the person's moves, once the game is over."""
        with self._busy():
            return review_game(record, self.name, report=report, seats=(seat,))
