"""Bradley–Terry ratings with intervals, on the scale of Elo.

The model: in a game between i and j the expected points of i are σ(rᵢ − rⱼ) with σ(t) = 1 / (1 + e⁻ᵗ). One
rating, the anchor, is 0. Ratings are printed times 400 / ln 10, so that 400 points are odds of ten to one.
"""

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arena.statistics import Z95, Interval
from uno_pomdp.arrays import Floats
from uno_pomdp.errors import UnoError

ELO: Final = 400 / log(10)
"""Points of rating for one unit of log-odds."""
TOLERANCE: Final = 1e-10
STEPS: Final = 100


class InvalidRating(UnoError):
    """Results from which not every agent can be rated."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of some agents, relative to one of them."""

    anchor: int
    """The agent whose rating is 0."""
    elo: Floats
    """Every rating."""
    covariance: npt.NDArray[np.float64]
    """The covariance of the ratings; zero in the anchor's row and column."""

    def __repr__(self) -> str:
        return f"<Ratings of {len(self.elo)} agents, from {self.elo.min():+.0f} to {self.elo.max():+.0f}>"

    def interval(self, agent: int) -> Interval:
        """Return an agent's rating."""
        return self.difference(agent, self.anchor)

    def difference(self, one: int, other: int) -> Interval:
        """Return how much higher one is rated than another, with the interval of the difference itself."""
        estimate = float(self.elo[one] - self.elo[other])
        spread = self.covariance
        variance = spread[one, one] + spread[other, other] - 2 * spread[one, other]
        half = Z95 * float(max(variance, 0.0)) ** 0.5
        return Interval(estimate, estimate - half, estimate + half)


def bradley_terry(agents: int, matches: list[tuple[int, int]], scores: Floats, anchor: int = 0) -> Ratings:
    """Return the ratings from matches (i, j) and their pair scores, a row for each match, a column for each deal.

    Maximum likelihood by Newton's method, every match with one imaginary pair, half won and half lost: without
    it the rating of an agent that has won all its games would be infinite. The covariance is the sandwich
    H⁻¹ J H⁻¹: H is the Fisher information of independent games, J the empirical covariance of the scores about the
    fitted model, clustered by deal. So it allows for the two games of a pair, and for matches that share their deals.
    """
    _check_connected(agents, matches, anchor)
    versus = np.zeros((agents, len(matches)))
    for match, (one, other) in enumerate(matches):
        versus[one, match], versus[other, match] = 1.0, -1.0
    free = np.arange(agents) != anchor
    versus = versus[free]
    pairs = scores.shape[1]
    points = scores.sum(axis=1) + 0.5
    strength = np.zeros(agents - 1)
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-(strength @ versus)))
        information = (versus * (pairs + 1) * expected * (1 - expected)) @ versus.T
        step = np.linalg.solve(information, versus @ (points - (pairs + 1) * expected))
        strength += np.clip(step, -1.0, 1.0)  # a far step would leave where the curvature was measured
        if np.abs(step).max() < TOLERANCE:
            break
    residuals = scores - expected[:, None]
    scatter = residuals @ residuals.T * (pairs / max(pairs - 1, 1))
    scatter += np.diag(((1 - expected) ** 2 + expected**2) / 2)
    inverse = np.linalg.inv(information)
    elo, covariance = np.zeros(agents), np.zeros((agents, agents))
    elo[free] = ELO * strength
    covariance[np.ix_(free, free)] = ELO**2 * inverse @ versus @ scatter @ versus.T @ inverse
    return Ratings(anchor, elo, covariance)


def _check_connected(agents: int, matches: list[tuple[int, int]], anchor: int) -> None:
    reached = {anchor}
    for _ in range(agents):
        reached |= {agent for match in matches if reached & set(match) for agent in match}
    if len(reached) < agents:
        missing = min(set(range(agents)) - reached)
        raise InvalidRating(f"agent {missing} met nobody through whom it could be compared with agent {anchor}")
