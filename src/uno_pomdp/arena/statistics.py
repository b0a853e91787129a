"""Statistics of results: confidence intervals over pairs, and a sequential probability ratio test.

The unit is the *pair*: one deal played twice, seats swapped. Its score x is the mean of A's points in the two
games, a win counted as 1 and a draw as ½, so x is one of 0, ¼, ½, ¾, 1. The luck of the deal falls on both
sides of a pair; the variance of x is what is left of it.

One *imaginary pair*, half of it won and half lost, is added wherever a variance is estimated. It keeps the
interval of a few pairs, or of many with the same score, from having no width, and weighs nothing in a long match.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.errors import UnoError

Z95: Final = 1.959964
"""Half the width of a 95 % interval, in standard errors."""
SCORES: Final = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""What a pair can score."""
IMAGINARY: Final = np.array([0.5, 0.0, 0.0, 0.0, 0.5])
"""The imaginary pair, as counts of `SCORES`."""
PRIOR_LUCK: Final = 0.5
"""The weight of the prior that the coefficient is 1: as much as about 20 pairs."""
LEAST_ADJUSTED: Final = 20
"""Pairs below which nothing is said without luck: until then the prior counts for more than they do."""
NEVER: Final = 2**62
"""Stands for a number of pairs that was never reached: more than are ever played."""


class InvalidTest(UnoError):
    """A sequential test with impossible edges or error rates."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the 95 % interval about it.

    >>> import uno_pomdp as uno
    >>> points = uno.match("heuristic", "greedy", pairs=200, seed=1).points
    >>> points.low < points.estimate < points.high
    True
    """

    estimate: float
    """The estimate itself."""
    low: float
    """Where the interval begins."""
    high: float
    """Where it ends."""

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"estimate": self.estimate, "low": self.low, "high": self.high}

    def percent(self) -> str:
        """Return it as text, in per cent."""
        return f"{100 * self.estimate:.2f} % [{100 * self.low:.2f}, {100 * self.high:.2f}]"


def paired_interval(counts: Ints, z: float = Z95) -> Interval:
    """Return the mean score with its interval, from the number of pairs with each of the five scores.

    With n pairs and the imaginary one, mean m′ and variance s′² over all n + 1: m′ ± z s′ / √(n + 1); z = 1.96 for
    95 %.
    """
    pairs = int(counts.sum())
    if not pairs:
        return Interval(0.5, 0.0, 1.0)
    mean, variance = _moments(counts + IMAGINARY)
    half = z * sqrt(variance / (pairs + 1))
    return Interval(float(counts @ SCORES) / pairs, max(mean - half, 0.0), min(mean + half, 1.0))


def mean_interval(pairs: int, total: float, squares: float, z: float = Z95) -> Interval:
    """Return the mean of any scores of pairs with its interval, from their number, sum and sum of squares.

    The interval of `paired_interval`, imaginary pair included, for scores that are not among the five.
    """
    if not pairs:
        return Interval(0.5, 0.0, 1.0)
    mean = (total + 0.5) / (pairs + 1)
    half = z * sqrt(_variance(pairs, total, squares) / (pairs + 1))
    return Interval(total / pairs, max(mean - half, 0.0), min(mean + half, 1.0))


def _moments(weights: Floats) -> tuple[float, float]:
    total = float(weights.sum())
    mean = float(weights @ SCORES) / total
    return mean, float(weights @ (SCORES - mean) ** 2) / total


def wilson_interval(points: float, games: int) -> Interval:
    """Return the share of points in single games with Wilson's interval; a draw counts as half a win.

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n): for games that do not come in pairs.
    """
    if not games:
        return Interval(0.5, 0.0, 1.0)
    share, extra = points / games, Z95**2 / games
    half = Z95 * sqrt(share * (1 - share) / games + extra / (4 * games))
    middle = share + extra / 2
    return Interval(share, max((middle - half) / (1 + extra), 0.0), min((middle + half) / (1 + extra), 1.0))


# --- luck ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The result of a match with luck as a control variate."""

    points: Interval
    """A's mean points in a game."""
    reduction: float
    """Variance reduction: the plain variance by the adjusted one, with the imaginary pair in both, as in the intervals.
    It is worth so many times the pairs."""
    coefficients: tuple[float, float]
    """The coefficient β of the control variate, for pairs with even and with odd numbers."""


class LuckSums:
    """Sums for luck as a control variate, kept apart for pairs with even and with odd numbers.

    The score x of a pair less β times its luck l has the mean of x for any β that is fixed beforehand; its variance
    is least for β = Cov(x, l) / Var(l), below 1 where the evaluator is overconfident. β is estimated for the even
    pairs from the odd ones and for the odd pairs from the even ones: as pairs are independent, this is unbiased.
    """

    def __init__(self) -> None:
        self._sums = np.zeros((2, 6))  # for each half: pairs, Σx, Σx², Σl, Σl², Σxl

    def add(self, indices: Ints, scores: Floats, lucks: Floats) -> None:
        """Take in pairs: their numbers, scores and lucks."""
        for half in range(2):
            x, luck = scores[indices % 2 == half], lucks[indices % 2 == half]
            self._sums[half] += len(x), x.sum(), x @ x, luck.sum(), luck @ luck, x @ luck

    def coefficient(self, half: int) -> float:
        """Return β for one half of the pairs, estimated from the other half; near 1 while that has few."""
        pairs, x, _, luck, luck_squares, products = self._sums[1 - half]
        covariance = products - x * luck / pairs if pairs else 0.0
        return float((covariance + PRIOR_LUCK) / (luck_squares + PRIOR_LUCK))  # the mean of luck is 0: known

    def adjusted(self, z: float = Z95) -> Adjusted | None:
        """Return what the pairs so far say, with an interval of so many standard errors each way.

        None until it means something: there are `LEAST_ADJUSTED` pairs, and the mean is a share of the points.
        """
        first, second = self.coefficient(0), self.coefficient(1)
        shares = np.array([first, second])
        pairs, x, x_squares, luck, luck_squares, products = self._sums.T
        total = float((x - shares * luck).sum())
        squares = float((x_squares - 2 * shares * products + shares**2 * luck_squares).sum())
        count = int(pairs.sum())
        plain, left = _variance(count, float(x.sum()), float(x_squares.sum())), _variance(count, total, squares)
        if count < LEAST_ADJUSTED or not 0 <= total <= count:
            return None
        return Adjusted(mean_interval(count, total, squares, z), plain / left, (first, second))


def _variance(pairs: int, total: float, squares: float) -> float:
    """Return the variance of scores, the imaginary pair included."""
    return max((squares + 0.5) / (pairs + 1) - ((total + 0.5) / (pairs + 1)) ** 2, 0.0)


# --- the sequential test ---------------------------------------------------------------------------------


class Verdict(StrEnum):
    """What a sequential test has found."""

    UNDECIDED = "undecided"
    """More pairs are needed."""
    FIRST_BETTER = "the first is better"
    """A scores more than half."""
    SECOND_BETTER = "the second is better"
    """B does."""
    NO_EDGE = "neither is better"
    """Neither has the edge that was looked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How a sequential test stands."""

    verdict: Verdict
    """What it has found."""
    pairs: int
    """Pairs that it took, counted from the first; all of them while it is undecided."""
    evidence: float
    """The log-likelihood ratio for the better agent, at that pair."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Whether one agent is better than the other: a sequential probability ratio test on the scores of pairs.

    For A, H₀: the mean score is at most ½ + edge0, against H₁: it is at least ½ + edge1. With the mean m of the n
    scores so far and their variance s² (the imaginary pair included), the normal approximation of the
    generalised log-likelihood ratio is

        Λ = n · (edge1 − edge0) · (m − ½ − (edge0 + edge1) / 2) / s².

    A is found better when Λ ≥ ln((1 − β) / (α/2)); A's edge is given up when Λ ≤ ln(β / (1 − α/2)). The same is
    asked for B with 1 − x in place of x; when both are given up, neither is better. So agents whose edge is
    edge0 or less are called different with probability α at most, and an edge of edge1 or more is missed with
    probability β at most: both up to the approximation, for which the test does not look before `least` pairs.

    >>> import uno_pomdp as uno
    >>> result = uno.match("baseline", "random", pairs=10_000, seed=1, test=uno.SequentialTest(edge1=0.05))
    >>> str(result.finding.verdict), result.finding.pairs < 1000
    ('the first is better', True)
    """

    edge0: float = 0.0
    """By how much, in points, an agent is to be shown better."""
    edge1: float = 0.02
    """An edge that is to be found: 0.02 is 52 % against 48 %. The nearer to edge0, the longer the test."""
    alpha: float = 0.05
    """How often one may be called better when neither is by more than edge0."""
    beta: float = 0.05
    """How often an edge of edge1 may be missed."""
    least: int = 50
    """Pairs before the first look."""

    def __post_init__(self) -> None:
        if not 0 <= self.edge0 < self.edge1 < 0.5:
            raise InvalidTest(f"edges {self.edge0} and {self.edge1} can't be told apart: give 0 ≤ edge0 < edge1 < 0.5")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise InvalidTest(f"{name} = {getattr(self, name)} is no error rate: give one between 0 and 0.5")
        if self.least < 1:
            raise InvalidTest(f"a test can't look after {self.least} pairs: give at least 1")

    def bounds(self) -> tuple[float, float]:
        """Return the log-likelihood ratios at which an edge is given up and at which it is found."""
        return log(self.beta / (1 - self.alpha / 2)), log((1 - self.beta) / (self.alpha / 2))

    def look(self, scores: Floats) -> Finding:
        """Return what the scores of the pairs say, taken in this order; later ones are not looked at."""
        low, high = self.bounds()
        first, second = self.evidence(scores), self.evidence(1 - scores)
        found_first, found_second = _earliest(first >= high, self.least), _earliest(second >= high, self.least)
        given_up = max(_earliest(first <= low, self.least), _earliest(second <= low, self.least))
        pairs = min(found_first, found_second, given_up)
        if pairs > len(scores):
            last = max(first[-1], second[-1]) if len(scores) else 0.0
            return Finding(Verdict.UNDECIDED, len(scores), float(last))
        if pairs == found_first:
            return Finding(Verdict.FIRST_BETTER, pairs, float(first[pairs - 1]))
        if pairs == found_second:
            return Finding(Verdict.SECOND_BETTER, pairs, float(second[pairs - 1]))
        return Finding(Verdict.NO_EDGE, pairs, float(max(first[pairs - 1], second[pairs - 1])))

    def evidence(self, scores: Floats) -> Floats:
        """Return the log-likelihood ratio Λ for the agent with these scores, after each pair."""
        pairs = np.arange(1, len(scores) + 1)
        sums, squares = np.cumsum(scores), np.cumsum(scores**2)
        mean = (sums + 0.5) / (pairs + 1)
        variance = (squares + 0.5) / (pairs + 1) - mean**2
        middle = 0.5 + (self.edge0 + self.edge1) / 2
        return np.asarray((self.edge1 - self.edge0) * (sums - pairs * middle) / variance)


def _earliest(reached: npt.NDArray[np.bool_], least: int) -> int:
    """Return after how many pairs a condition first held; `NEVER` if it never did."""
    looked = reached[least - 1 :]
    return int(np.argmax(looked)) + least if looked.any() else NEVER
