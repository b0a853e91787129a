"""How long games are, in turns and in actions, with their spread.

A turn is what one player does from when it is to move until the turn passes to the other player, or the game ends: one
action as a rule, several after a skip or reverse under which the same player moves again, or where a card that was just
drawn is played or kept. So turns alternate between the players, and a game has at most as many turns as actions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from uno_pomdp.arrays import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """A sample of integers, one for each game, with its mean, standard deviation and quartiles."""

    values: Ints
    """One for each game."""

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(self.values.mean())

    @property
    def deviation(self) -> float:
        """Their standard deviation: how much games differ, not how uncertain the mean is."""
        return float(self.values.std())

    @property
    def shortest(self) -> int:
        """The smallest."""
        return int(self.values.min())

    @property
    def quartiles(self) -> tuple[int, int, int]:
        """The smallest values that a quarter, a half and three quarters of the games do not exceed."""
        low, middle, high = np.quantile(self.values, (0.25, 0.5, 0.75), method="inverted_cdf").tolist()
        return low, middle, high

    @property
    def longest(self) -> int:
        """The largest."""
        return int(self.values.max())

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "mean": self.mean,
            "deviation": self.deviation,
            "shortest": self.shortest,
            "quartiles": list(self.quartiles),
            "longest": self.longest,
        }

    def __repr__(self) -> str:
        return f"<Spread of {len(self.values):,} games: {self}>"

    def __str__(self) -> str:
        return f"mean {self.mean:.1f}, standard deviation {self.deviation:.1f}, {self.shortest:,} to {self.longest:,}"


@dataclass(frozen=True, slots=True, eq=False)
class GameLengths:
    """How long games were.

    A turn is what one player does until the turn passes to the other, or the game ends: more than one action after a
    skip, or where a drawn card is played or kept.

    >>> import uno_pomdp as uno
    >>> lengths = uno.match("heuristic", "greedy", pairs=200, seed=1).lengths
    >>> lengths.turns.mean < lengths.actions.mean, lengths.turns.shortest > 6
    (True, True)
    """

    turns: Spread
    """Turns of both players."""
    actions: Spread
    """Actions of both players, forced ones included."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"turns": self.turns.to_json(), "actions": self.actions.to_json()}

    def __repr__(self) -> str:
        return f"<GameLengths of {len(self.turns.values):,} games: {self}>"

    def __str__(self) -> str:
        return f"turns: {self.turns}; actions: {self.actions}"
