"""Intervals cover what they say, and the sequential test keeps its error rates: both simulated."""

import numpy as np
import pytest

from uno_pomdp.arena.statistics import (
    PRIOR_LUCK,
    SCORES,
    Adjusted,
    Finding,
    InvalidTest,
    LuckSums,
    SequentialTest,
    Verdict,
    mean_interval,
    paired_interval,
    wilson_interval,
)
from uno_pomdp.arrays import Floats

SHARED = np.array([0.12, 0.0, 0.68, 0.0, 0.2])
"""Chances of the five pair scores where most deals are shared, as they are in UNO."""
LOOSE = np.array([0.09, 0.12, 0.28, 0.24, 0.27])
"""The same with many draws, and games that hardly depend on the deal."""
ONE_SIDED = np.array([0.0, 0.0, 0.08, 0.0, 0.92])
"""The same for an agent that wins nearly always."""


# --- intervals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chances", [SHARED, LOOSE, ONE_SIDED], ids=["shared", "loose", "one-sided"])
@pytest.mark.parametrize("pairs", [10, 40, 200, 2000])
def test_the_paired_interval_covers_the_truth(chances: Floats, pairs: int) -> None:
    """At least 94 % for any number of pairs, and 95 % of long matches.

    Over 10,000 simulated matches a share of 95 % is known to ± 0.7 points (3.29 standard errors). With few pairs
    of an agent that wins nearly always, the imaginary pair makes the interval wider than it need be.
    """
    truth = chances @ SCORES
    found = np.random.default_rng(pairs).multinomial(pairs, chances, size=10_000)
    covered = np.mean([truth in paired_interval(counts) for counts in found])
    assert covered >= 0.94
    assert pairs < 2000 or abs(covered - 0.95) <= 0.007


def test_the_pairing_makes_the_interval_of_shared_deals_narrower() -> None:
    counts = np.array([50, 0, 400, 0, 50])
    paired, single = paired_interval(counts), wilson_interval(500, 1000)
    assert paired.estimate == single.estimate == 0.5
    assert paired.high - paired.low < 0.7 * (single.high - single.low)


@pytest.mark.parametrize("counts", [[0] * 5, [0, 0, 0, 0, 1], [0, 0, 1, 0, 0], [30, 0, 0, 0, 0], [0, 0, 30, 0, 0]])
def test_no_interval_is_without_width_or_leaves_the_scale(counts: list[int]) -> None:
    interval = paired_interval(np.array(counts))
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.high - interval.low > 0.04


def test_the_paired_interval_is_the_formula() -> None:
    counts = np.array([3, 2, 10, 4, 6])
    scores = np.repeat(SCORES, counts)
    weights = np.append(np.ones(25), [0.5, 0.5])
    with_imaginary = np.append(scores, [0.0, 1.0])
    mean = np.average(with_imaginary, weights=weights)
    variance = np.average((with_imaginary - mean) ** 2, weights=weights)
    interval = paired_interval(counts)
    assert interval.estimate == pytest.approx(scores.mean())
    assert interval.low == pytest.approx(mean - 1.959964 * np.sqrt(variance / 26))
    assert interval.high == pytest.approx(mean + 1.959964 * np.sqrt(variance / 26))
    assert interval.percent() == f"58.00 % [{100 * interval.low:.2f}, {100 * interval.high:.2f}]"


def test_the_wilson_interval_is_the_published_one() -> None:
    """Newcombe (1998), table I, his method 3."""
    for points, games, low, high in [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]:
        interval = wilson_interval(points, games)
        assert interval.low == pytest.approx(low, abs=5e-5)
        assert interval.high == pytest.approx(high, abs=5e-5)
    assert (wilson_interval(0, 0).low, wilson_interval(0, 0).high) == (0, 1)


# --- the sequential test ---------------------------------------------------------------------------------


def shifted(edge: float) -> Floats:
    """Return chances like `SHARED` with a mean of ½ + edge."""
    return np.array([0.16 - edge, 0.0, 0.68, 0.0, 0.16 + edge])


def outcomes(test: SequentialTest, edge: float, runs: int, seed: int) -> list[Finding]:
    draws = np.random.default_rng(seed).choice(SCORES, size=(runs, 6_000), p=shifted(edge))
    return [test.look(scores) for scores in draws]


def share(findings: list[Finding], *verdicts: Verdict) -> float:
    return float(np.mean([finding.verdict in verdicts for finding in findings]))


RUNS = 1_500


def above(rate: float) -> float:
    """Return what a share over all runs exceeds with a chance of 1 in 1,000, if the rate is true."""
    return float(rate + 3.09 * np.sqrt(rate * (1 - rate) / RUNS))


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.1)])
def test_equal_agents_are_called_different_with_probability_alpha_at_most(alpha: float, beta: float) -> None:
    found = outcomes(SequentialTest(edge1=0.04, alpha=alpha, beta=beta), 0.0, RUNS, 1)
    assert share(found, Verdict.FIRST_BETTER, Verdict.SECOND_BETTER) <= above(alpha)
    assert share(found, Verdict.UNDECIDED) == 0


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.1)])
@pytest.mark.parametrize("side", [1, -1])
def test_an_edge_is_missed_with_probability_beta_at_most(alpha: float, beta: float, side: int) -> None:
    found = outcomes(SequentialTest(edge1=0.04, alpha=alpha, beta=beta), side * 0.04, RUNS, 2)
    right = Verdict.FIRST_BETTER if side > 0 else Verdict.SECOND_BETTER
    assert 1 - share(found, right) <= above(beta)


def test_an_edge_that_is_too_small_is_not_shown() -> None:
    found = outcomes(SequentialTest(edge0=0.03, edge1=0.07), 0.03, RUNS, 3)
    assert share(found, Verdict.FIRST_BETTER, Verdict.SECOND_BETTER) <= above(0.025)
    found = outcomes(SequentialTest(edge0=0.03, edge1=0.07), 0.07, RUNS, 4)
    assert share(found, Verdict.FIRST_BETTER) >= 1 - above(0.05)


def test_a_large_edge_is_found_sooner() -> None:
    test = SequentialTest(edge1=0.04)
    pairs = [np.mean([finding.pairs for finding in outcomes(test, edge, 200, 5)]) for edge in (0.04, 0.08, 0.16)]
    assert pairs[0] > 1.5 * pairs[1] > 2 * pairs[2]


def test_the_evidence_is_the_formula() -> None:
    scores = np.random.default_rng(1).choice(SCORES, 30)
    test = SequentialTest(edge0=0.01, edge1=0.05)
    with_imaginary = np.append(np.repeat(scores, 2), [0.0, 1.0])
    expected = 30 * 0.04 * (scores.mean() - 0.53) / with_imaginary.var()
    assert test.evidence(scores)[-1] == pytest.approx(expected)
    assert test.bounds() == pytest.approx((np.log(0.05 / 0.975), np.log(0.95 / 0.025)))


def test_what_comes_after_the_answer_does_not_change_it() -> None:
    test = SequentialTest(edge1=0.05)
    scores = np.random.default_rng(3).choice(SCORES, 5_000, p=shifted(0.05))
    finding = test.look(scores)
    assert finding.verdict == Verdict.FIRST_BETTER
    assert 50 <= finding.pairs < 5_000
    assert test.look(scores[: finding.pairs]) == finding
    assert test.look(scores[: finding.pairs - 1]).verdict == Verdict.UNDECIDED
    assert test.look(np.append(scores[: finding.pairs], np.zeros(5_000))) == finding
    mirrored = test.look(1 - scores)
    assert (mirrored.verdict, mirrored.pairs) == (Verdict.SECOND_BETTER, finding.pairs)


def test_the_test_does_not_look_too_early() -> None:
    assert SequentialTest().look(np.ones(49)).verdict == Verdict.UNDECIDED
    assert SequentialTest().look(np.ones(50)) == SequentialTest().look(np.ones(60))
    assert SequentialTest().look(np.zeros(0)) == Finding(Verdict.UNDECIDED, 0, 0.0)


@pytest.mark.parametrize(
    "options",
    [{"edge1": 0}, {"edge0": 0.03}, {"edge0": -0.1}, {"edge1": 0.5}, {"alpha": 0}, {"beta": 0.5}, {"least": 0}],
)
def test_a_test_that_can_not_be_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(InvalidTest):
        SequentialTest(**options)  # type: ignore[arg-type]  # `least` among them


# --- luck ------------------------------------------------------------------------------------------------


def test_the_interval_of_any_scores_is_that_of_the_five() -> None:
    scores = np.repeat(SCORES, [3, 1, 7, 2, 5])
    counted = paired_interval(np.array([3, 1, 7, 2, 5]))
    found = mean_interval(len(scores), float(scores.sum()), float(scores @ scores))
    assert [found.estimate, found.low, found.high] == pytest.approx([counted.estimate, counted.low, counted.high])
    assert mean_interval(0, 0.0, 0.0) == paired_interval(np.zeros(5, np.int64))


def sums_of(scores: Floats, lucks: Floats) -> LuckSums:
    sums = LuckSums()
    for part in np.array_split(np.arange(len(scores)), 3):  # however it comes in
        sums.add(part, scores[part], lucks[part])
    return sums


def summed(scores: Floats, lucks: Floats) -> Adjusted:
    found = sums_of(scores, lucks).adjusted()
    assert found is not None
    return found


def test_luck_is_taken_out_of_each_half_with_what_the_other_half_says() -> None:
    """The same by hand, score by score."""
    chance = np.random.default_rng(4)
    lucks = chance.normal(scale=0.2, size=400)
    scores = 0.5 + 0.6 * lucks + chance.normal(scale=0.1, size=400)
    even, odd = np.arange(0, 400, 2), np.arange(1, 400, 2)
    left = scores.copy()
    coefficients = []
    for half, other in ((even, odd), (odd, even)):
        covariance = ((scores[other] - scores[other].mean()) * lucks[other]).sum()
        share = (covariance + PRIOR_LUCK) / ((lucks[other] ** 2).sum() + PRIOR_LUCK)
        coefficients.append(share)
        left[half] -= share * lucks[half]
    found = summed(scores, lucks)
    assert found.coefficients == pytest.approx(coefficients)
    assert found.points.estimate == pytest.approx(left.mean())
    imaginary = 0.0, 1.0  # one pair: half of it won, half lost
    both = [np.append(each, imaginary) for each in (scores, left)]
    weights = np.append(np.ones(400), (0.5, 0.5))
    plain, adjusted = (np.cov(each, aweights=weights, ddof=0) for each in both)
    assert found.reduction == pytest.approx(float(plain / adjusted))
    assert found.reduction > 2


def test_without_pairs_all_luck_counts() -> None:
    assert [LuckSums().coefficient(half) for half in range(2)] == [1.0, 1.0]


def test_nothing_is_said_without_luck_before_it_means_something() -> None:
    chance = np.random.default_rng(5)
    scores, lucks = chance.choice(SCORES, size=40), chance.normal(scale=0.2, size=40)
    assert sums_of(scores[:19], lucks[:19]).adjusted() is None, "too few pairs"
    assert sums_of(scores[:20], lucks[:20]).adjusted() is not None
    assert sums_of(np.ones(40), np.full(40, -0.3)).adjusted() is None, "more than all points"
    assert sums_of(np.zeros(40), np.full(40, 0.3)).adjusted() is None, "less than none"


def test_taking_luck_out_is_worth_no_more_than_the_pairs_can_show() -> None:
    lucks = np.random.default_rng(5).normal(scale=0.2, size=40)
    all_luck, one_score = summed(lucks + 0.5, lucks), summed(np.full(40, 0.75), lucks)
    assert 2 < all_luck.reduction < 42, "luck is all there is"
    assert 0.1 < one_score.reduction < 1, "all pairs have one score"
    for found, plain in ((all_luck, lucks + 0.5), (one_score, np.full(40, 0.75))):
        wide, narrow = mean_interval(40, float(plain.sum()), float(plain @ plain)), found.points
        assert found.reduction == pytest.approx(((wide.high - wide.low) / (narrow.high - narrow.low)) ** 2)


@pytest.mark.parametrize(("pairs", "coverage"), [(20, 0.93), (40, 0.94)])
def test_adjusted_means_are_not_biased_and_their_intervals_hold(pairs: int, coverage: float) -> None:
    """Over 10,000 matches: a mean error within 3.29 standard errors (1 in 1,000), a coverage near 95 %."""
    chance = np.random.default_rng(pairs)
    lucks = chance.choice([-0.2, 0.2], size=(10_000, pairs))
    wins = (chance.random(lucks.shape) < 0.6 + 1.5 * lucks).astype(float)
    found = [summed(*match).points for match in zip(wins, lucks, strict=True)]
    errors = np.array([points.estimate - 0.6 for points in found])
    assert abs(errors.mean()) < 3.29 * errors.std() / 100
    assert errors.std() < 0.85 * wins.mean(axis=1).std()
    assert np.mean([0.6 in points for points in found]) >= coverage
