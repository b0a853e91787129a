"""Ratings: known strengths are recovered, and intervals cover them, shared deals included."""

import itertools

import numpy as np
import pytest

from uno_pomdp.arena.ratings import ELO, InvalidRating, bradley_terry
from uno_pomdp.arrays import Floats

STRENGTHS = np.array([0.0, 0.3, 0.8, -0.4])
ROUND_ROBIN = list(itertools.combinations(range(4), 2))
TO_FIRST = [(1, 0), (2, 0), (3, 0)]


def simulated(matches: list[tuple[int, int]], pairs: int, rng: np.random.Generator, luck: float = 0.0) -> Floats:
    """Return pair scores by the model; with luck, a deal favours one seat in all matches and both games of a pair."""
    tilt = luck * rng.standard_normal(pairs)
    rows = []
    for one, other in matches:
        edge = STRENGTHS[one] - STRENGTHS[other]
        games = [rng.random(pairs) < 1 / (1 + np.exp(-(edge + sign * tilt))) for sign in (1, -1)]
        rows.append((games[0].astype(float) + games[1]) / 2)
    return np.array(rows)


@pytest.mark.parametrize("matches", [ROUND_ROBIN, TO_FIRST], ids=["round robin", "against a reference"])
def test_known_strengths_are_recovered(matches: list[tuple[int, int]]) -> None:
    ratings = bradley_terry(4, matches, simulated(matches, 200_000, np.random.default_rng(1)))
    assert ratings.elo == pytest.approx(ELO * STRENGTHS, abs=4)
    assert ratings.elo[0] == 0


@pytest.mark.parametrize("matches", [ROUND_ROBIN, TO_FIRST], ids=["round robin", "against a reference"])
def test_the_intervals_cover_the_strengths(matches: list[tuple[int, int]]) -> None:
    """Over 1,000 tournaments, each of three intervals covers in 95 % ± 2.3 points (3.29 standard errors)."""
    rng = np.random.default_rng(2)
    covered = np.zeros(3)
    for _ in range(1_000):
        ratings = bradley_terry(4, matches, simulated(matches, 200, rng))
        covered += [ELO * STRENGTHS[agent] in ratings.interval(agent) for agent in (1, 2, 3)]
    assert (np.abs(covered / 1_000 - 0.95) < 0.023).all()


def test_shared_luck_makes_the_intervals_narrower_and_not_wrong() -> None:
    """The luck of the deal cancels within a pair: games scatter less than independent ones would."""
    rng = np.random.default_rng(3)
    ratings = bradley_terry(4, ROUND_ROBIN, simulated(ROUND_ROBIN, 20_000, rng, luck=3.0))
    independent = bradley_terry(4, ROUND_ROBIN, simulated(ROUND_ROBIN, 20_000, rng))
    for agent in (1, 2, 3):
        one, other = ratings.interval(agent), independent.interval(agent)
        assert one.high - one.low < 0.85 * (other.high - other.low)


def test_the_anchor_changes_the_zero_and_no_difference() -> None:
    scores = simulated(ROUND_ROBIN, 500, np.random.default_rng(4))
    one, other = bradley_terry(4, ROUND_ROBIN, scores, anchor=0), bradley_terry(4, ROUND_ROBIN, scores, anchor=2)
    assert other.elo[2] == 0
    assert other.interval(2).low == other.interval(2).high == 0
    for first, second in ROUND_ROBIN:
        here, there = one.difference(first, second), other.difference(first, second)
        assert (here.estimate, here.low, here.high) == pytest.approx((there.estimate, there.low, there.high))


def test_two_agents_get_the_odds_of_their_points() -> None:
    scores = np.array([[1.0] * 3 + [0.5] * 4 + [0.0] * 2])
    expected = (5 + 0.5) / 10
    assert bradley_terry(2, [(1, 0)], scores).elo[1] == pytest.approx(ELO * np.log(expected / (1 - expected)))


def test_who_wins_everything_is_rated_within_reason() -> None:
    rating = bradley_terry(2, [(1, 0)], np.ones((1, 50))).interval(1)
    assert rating.estimate == pytest.approx(ELO * np.log(101))  # 50½ pairs of 51
    assert 200 < rating.low < rating.high < 2_000


def test_who_met_nobody_can_not_be_rated() -> None:
    with pytest.raises(InvalidRating, match="agent 2 met nobody"):
        bradley_terry(4, [(0, 1), (2, 3)], np.ones((2, 5)))
