"""How a broken law is reported: one sentence that says which law, and how to reproduce it."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from uno_pomdp.game.actions import DRAW, Action, seat_name
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation

Choose = Callable[[Observation, random.Random], Action]
"""The policy of a check's games: returns one of the legal actions that the player to move sees."""


@dataclass(frozen=True, slots=True)
class Place:
    """A moment of a game, from one seat."""

    check: str
    """The check that is being made."""
    seed: int
    """The seed of the game."""
    action: int
    """How many actions were done before."""
    seat: Seat
    """Whose belief or agent is looked at."""

    def require(self, holds: object, law: str) -> None:
        """Fail with the law's sentence, and this place, unless it holds."""
        if not holds:
            raise AssertionError(f"{self.check}: {law} ({self})")

    def __str__(self) -> str:
        return f"{seat_name(self.seat)}'s seat, after action {self.action} of the game with seed {self.seed}"


def choose_at_random(seen: Observation, chance: random.Random) -> Action:
    """Return a random legal action; a draw by choice rarely, for it makes games very long."""
    actions = seen.legal_actions()
    if len(actions) > 1 and actions[-1] == DRAW and chance.random() > 0.1:
        actions = actions[:-1]
    return chance.choice(actions)
