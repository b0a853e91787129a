"""Move values by common random numbers: every legal action is valued in the same worlds, to judge a move.

A search that drops actions early knows little about the dropped ones. Here all are tried in the same worlds w, with
points x_a(w), and the loss of action a against action b is the mean of x_b(w) − x_a(w). Its squared standard error is

    C_aa + C_bb − 2 C_ab,    C the covariance of the means: (Σ x_a x_b / n − x̄_a x̄_b) / (n − 1)

and the luck that lies in the worlds, which is most of C_aa and C_bb, cancels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Protocol, runtime_checkable

import numpy as np

from uno_pomdp.agents.agent import Candidate, check_candidates, check_line
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.search.endgame.endgame import SURE, Bounds


@dataclass(frozen=True, slots=True)
class MoveValues:
    """All legal actions with their values, the best first."""

    candidates: tuple[Candidate, ...]
    """Every legal action, each with its value, standard error and visits."""
    covariance: Floats = field(compare=False)
    """The covariance of the values, in the order of the candidates."""
    line: tuple[Action, ...] = ()
    """The principal variation: the expected moves of both players, beginning with the best action."""
    worlds: int = 0
    """How many worlds were sampled."""
    note: str = ""
    """What was proved about the endgame, if anything."""
    lie: Suspicion | None = None
    """How likely the wild +4 that may be challenged was a lie, in these worlds; None where there is none."""

    def __repr__(self) -> str:
        note = f"; {self.note}" if self.note else ""
        return (
            f"<MoveValues of {len(self.candidates)} actions in {self.worlds:,} worlds: best {self.candidates[0]}{note}>"
        )

    def _repr_svg_(self) -> str:
        """Return the values as bars for a notebook."""
        from uno_pomdp.display.candidates import candidates_svg

        rows = [one.row(one.action == self.best) for one in self.candidates]
        return candidates_svg("Value of every action", rows, [self.note] if self.note else [])

    def check(self, legal: Sequence[Action]) -> None:
        """Refuse what does not value these actions, with the reason: agents may come from anywhere."""
        check_candidates(self.candidates, legal)
        for one in self.candidates:
            if one.value is None:
                raise ValueError(f"{one.action} has no value: move_values values every legal action")
        if missing := set(legal) - {one.action for one in self.candidates}:
            raise ValueError(f"{min(map(str, missing))} is not valued: move_values values every legal action")
        size = len(self.candidates)
        if np.shape(self.covariance) != (size, size) or not np.isfinite(self.covariance).all():
            raise ValueError(f"the covariance has to be {size} × {size} numbers")
        check_line(self.line)

    @property
    def best(self) -> Action:
        """The action with the highest value."""
        return self.candidates[0].action

    def value(self, action: Action) -> float:
        """Return an action's probability of winning."""
        return self.candidates[self._place(action)].value or 0.0

    def loss(self, action: Action) -> tuple[float, float]:
        """Return by how much an action lies behind the best one, and the standard error of that difference."""
        place, c = self._place(action), self.covariance
        error = sqrt(max(c[0, 0] + c[place, place] - 2 * c[0, place], 0.0))
        return self.value(self.best) - self.value(action), error

    def _place(self, action: Action) -> int:
        return next(place for place, one in enumerate(self.candidates) if one.action == action)


@runtime_checkable
class ValuesMoves(Protocol):
    """An agent that can value every legal action in the same worlds."""

    def move_values(self) -> MoveValues:
        """Return the values of all legal actions; called only when it is this seat's turn."""


class MoveValueSums:
    """Running sums of the points of all actions in the same worlds."""

    def __init__(self, actions: Sequence[int]) -> None:
        self.actions = actions
        """The ids of the actions."""
        self.worlds = 0
        """Worlds so far."""
        self._total = np.zeros(len(actions))
        self._products = np.zeros((len(actions), len(actions)))

    def add(self, results: Floats) -> None:
        """Count the points of each action in each world `[worlds, actions]`."""
        self.worlds += len(results)
        self._total += results.sum(axis=0)
        self._products += results.T @ results

    def means(self) -> tuple[Floats, Floats]:
        """Return the mean points of each action, and the covariance of these means."""
        mean = self._total / self.worlds
        spread = self._products / self.worlds - np.outer(mean, mean)
        return mean, spread / max(self.worlds - 1, 1)

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the actions with their values so far, the best first."""
        return self.result(0, None).candidates

    def result(self, won: int, bounds: Bounds | None) -> MoveValues:
        """Return the values; `won` (a bit for each action) and `bounds` override estimates by what is proved."""
        values, covariance = self.means()
        exact = np.array([bool(won >> action & 1) for action in self.actions])
        values[exact] = 1.0
        if bounds is not None:
            low, high = bounds.low[self.actions], bounds.high[self.actions]
            values[~exact] = np.clip(values, low, high)[~exact]
            exact |= high - low < SURE
        covariance[exact] = covariance[:, exact] = 0.0
        order = sorted(range(len(self.actions)), key=lambda place: (-values[place], self.actions[place]))
        candidates = tuple(
            Candidate(
                ACTIONS[self.actions[place]],
                float(values[place]),
                sqrt(max(covariance[place, place], 0.0)),
                self.worlds,
            )
            for place in order
        )
        note = "wins before the opponent plays" if won else "" if bounds is None else "within what the endgame proves"
        return MoveValues(candidates, covariance[np.ix_(order, order)], worlds=self.worlds, note=note)
