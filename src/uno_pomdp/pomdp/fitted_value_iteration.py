"""Fitted value iteration: V of a seat's decisions as a function of features, from sampled or listed transitions.

    (T V)(b) = max_a Σ_outcome p · (γᵏ V of the next decision, or γᵏ⁻¹ r at the end, less λ Σ_{i<k} γⁱ)
                                                                      k: own moves on the way, λ: the cost of a step
    w ← argmin Σ_b (f(w · φ(b)) − (T V)(b))² + ridge · |w|²           f = bound · tanh, or the identity

The opponent moves by a fixed policy, so what follows an action does not depend on V: outcomes are sampled once, and an
iteration is a product of matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.errors import UnoError

NEWTON_STEPS: Final = 3
"""Steps of Gauss–Newton for each fit; it starts from the fit before."""


class InvalidFit(UnoError):
    """A fit that can't be made."""


class Transitions(NamedTuple):
    """Decisions, their actions, and what can follow each action.

    Actions of one decision stand together, and so do the outcomes of one action, in the order of their numbers.
    """

    features: npt.NDArray[np.floating]
    """Of each decision."""
    actions: Ints
    """Where the actions of each decision start; one more at the end."""
    outcomes: Ints
    """Where the outcomes of each action start; one more at the end."""
    probability: Floats
    """Of each outcome of its action."""
    reward: Floats
    """At the end of the game, −1 to 1; 0 where it goes on."""
    over: npt.NDArray[np.bool_]
    """Whether the outcome is the end of the game."""
    moves: Ints
    """Own moves up to the end, or up to the next decision, the action included."""
    following: npt.NDArray[np.floating]
    """Features of the next decision; anything where the game is over."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """How one iteration went."""

    number: int
    """From 1."""
    change: float
    """The largest change of V at a decision."""
    residual: float
    """The root mean square of V − T V at the decisions, for the V before the iteration."""
    misfit: float
    """The root mean square of the new V − T V of the V before: what the features can't say, and noise."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What fitted value iteration found."""

    weights: Floats
    """One for each feature."""
    iterations: tuple[Iteration, ...]
    """Every iteration."""
    converged: bool
    """Whether the last change was small enough."""

    def __repr__(self) -> str:
        ended = "converged" if self.converged else "not converged"
        return f"<Fit of {len(self.weights)} weights: {len(self.iterations)} iterations, {ended}>"


@dataclass(frozen=True, slots=True)
class FittedIteration:
    """How to iterate."""

    discount: float = 1.0
    """γ."""
    step_cost: float = 0.0
    """λ, for each own move."""
    bound: float = 1.0
    """V lies between −bound and bound, where it is squashed."""
    ridge: float = 1e-5
    """How much the squared weights count, beside a mean over decisions."""
    squash: bool = True
    """Whether V is the tanh of the weighted sum."""
    crossed: bool = True
    """Whether actions are chosen and valued by different outcomes (a double estimator, as in double Q-learning).

    The best of several noisy means is too high by chance. Even outcomes choose for odd ones, and odd for even. Not for
    listed outcomes, which are exact.
    """
    tolerance: float = 1e-4
    """Iterations end with a largest change below this."""
    most: int = 200

    def fit(self, transitions: Transitions, report: Callable[[Iteration], None] = lambda _: None) -> Fit:
        """Iterate from V = 0 until V hardly changes."""
        self._check(transitions)
        weights = np.zeros(transitions.features.shape[1])
        before = self.values(transitions.features, weights)
        done: list[Iteration] = []
        while len(done) < self.most and not (done and done[-1].change < self.tolerance):
            target = self.backup(transitions, weights)
            weights = self._regress(transitions.features, target, weights)
            after = self.values(transitions.features, weights)
            change = float(np.abs(after - before).max())
            done.append(Iteration(len(done) + 1, change, _rms(before - target), _rms(after - target)))
            report(done[-1])
            before = after
        return Fit(weights, tuple(done), bool(done[-1].change < self.tolerance))

    def values(self, features: npt.NDArray[np.floating], weights: Floats) -> Floats:
        """Return V where these are the features."""
        total = np.asarray(features @ weights.astype(features.dtype), np.float64)
        return self.bound * np.tanh(total) if self.squash else total

    def backup(self, transitions: Transitions, weights: Floats) -> Floats:
        """Return T V at each decision."""
        t = transitions
        after = np.where(
            t.over,
            t.reward * self.discount ** (t.moves - 1),
            self.values(t.following, weights) * self.discount**t.moves,
        )
        if self.step_cost:
            after -= self.step_cost * steps_paid(t.moves, self.discount)
        if not self.crossed:
            return np.asarray(np.maximum.reduceat(self._means(t, after, t.probability), t.actions[:-1]))
        odd = (np.arange(len(after)) - np.repeat(t.outcomes[:-1], np.diff(t.outcomes))) % 2 == 1
        halves = [self._means(t, after, np.where(odd == side, t.probability, 0.0)) for side in (False, True)]
        return (_chosen(t, halves[0], halves[1]) + _chosen(t, halves[1], halves[0])) / 2

    def _means(self, t: Transitions, after: Floats, weight: Floats) -> Floats:
        """Return the weighted mean over the outcomes of each action."""
        starts = t.outcomes[:-1]
        return np.asarray(np.add.reduceat(after * weight, starts) / np.add.reduceat(weight, starts))

    def _regress(self, features: npt.NDArray[np.floating], target: Floats, weights: Floats) -> Floats:
        """Return the weights of least squares."""
        count, width = features.shape
        wide = features.astype(np.float64)
        for _ in range(NEWTON_STEPS if self.squash else 1):
            values = self.values(features, weights)
            slope = self.bound - values**2 / self.bound if self.squash else np.ones(count)
            scaled = wide * slope[:, None]
            left = scaled.T @ scaled / count + self.ridge * np.eye(width)
            weights = weights + np.linalg.solve(left, scaled.T @ (target - values) / count - self.ridge * weights)
        return weights

    def _check(self, t: Transitions) -> None:
        if not 0.0 < self.discount <= 1.0:
            raise InvalidFit(f"the discount is {self.discount}: it has to be above 0 and at most 1")
        if not len(t.features):
            raise InvalidFit("there are no decisions to fit: sample at least one")
        if self.crossed and np.diff(t.outcomes).min() < 2:
            raise InvalidFit("to value by other outcomes than those that choose, each action needs at least 2")


def steps_paid(moves: Ints, discount: float) -> Floats:
    """Return Σ_{i<k} γⁱ for each number k of moves: how many steps are paid for."""
    return np.asarray(moves if discount == 1.0 else (1.0 - discount**moves) / (1.0 - discount), np.float64)


def _chosen(t: Transitions, by: Floats, values: Floats) -> Floats:
    """Return at each decision the value of the action that is best by other means."""
    best = np.maximum.reduceat(by, t.actions[:-1])
    is_best = by == np.repeat(best, np.diff(t.actions))
    first = np.flatnonzero(is_best)
    owner = np.repeat(np.arange(len(t.features)), np.diff(t.actions))[first]
    _, place = np.unique(owner, return_index=True)
    return np.asarray(values[first[place]])


def _rms(values: Floats) -> float:
    return float(np.sqrt((values**2).mean()))
