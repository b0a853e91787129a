"""The root of a search: how actions are ranked, by one thread and by several."""

from functools import partial
from math import log

import numpy as np
import pytest

from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.search.root import UNLIKELY, Arms, leaning, ranked
from uno_pomdp.search.threads import merged

IDS = [Action.parse(text).id for text in ("R1", "R2", "Y3", "G4", "B5")]


def arms_of(results: Floats, prior: list[float] | None, trust: float) -> Arms:
    """Return arms that were all tried in the same worlds, with these points `[worlds, arms]`."""
    arms = Arms.of(IDS[: results.shape[1]], None, None if prior is None else np.array(prior), trust)
    arms.add(results)
    return arms


def test_near_equal_values_are_ranked_by_the_prior_by_one_thread_and_by_two() -> None:
    """0.50 with a prior of 0.9 lies above 0.51 with one of 0.05: 0.02 · ln 18 = 0.058."""
    results = np.array([[0.51, 0.50]] * 10)
    arms = arms_of(results, [0.05, 0.9], 0.02)
    alone = arms.candidates()
    assert [one.action.id for one in alone] == [IDS[1], IDS[0]]
    together = ranked([alone[1], alone[0]], 0.02)
    assert [one.action.id for one in together] == [IDS[1], IDS[0]]


def test_several_threads_rank_as_one_thread_does_with_the_same_results() -> None:
    rng = np.random.default_rng(2)
    by_prior = 0
    for _ in range(200):
        trust = float(rng.choice([0.0, 0.02, 0.1]))
        prior = rng.dirichlet(np.ones(5)) * 0.95 + 0.01  # none so unlikely that it is not tried
        arms = arms_of(0.5 + 0.1 * rng.random((4, 5)), prior.tolist(), trust)
        alone = [one.action.id for one in arms.candidates()]
        shuffled = [arms.candidates()[place] for place in rng.permutation(5)]
        assert [one.action.id for one in ranked(shuffled, trust)] == alone
        score = arms.values + trust * np.log(prior)
        assert alone == [IDS[arm] for arm in np.argsort(-score)]
        by_prior += alone[0] != IDS[int(arms.values.argmax())]
    assert by_prior > 20


def test_without_a_prior_the_best_mean_comes_first_and_what_was_dropped_early_last() -> None:
    found = [Candidate(ACTIONS[IDS[n]], value, 0.1, visits) for n, (value, visits) in enumerate([(0.4, 90), (0.6, 90)])]
    dropped = Candidate(ACTIONS[IDS[2]], 0.9, 0.3, 30)
    assert [one.value for one in ranked([dropped, *found], 0.0)] == [0.6, 0.4, 0.9]


def test_merged_searches_choose_by_the_pooled_means_and_the_prior() -> None:
    def one(values: tuple[float, float]) -> Decision:
        candidates = tuple(
            Candidate(ACTIONS[IDS[n]], value, 0.1, 50, prior)
            for n, (value, prior) in enumerate(zip(values, (0.05, 0.9), strict=True))
        )
        return Decision(candidates[0].action, candidates)

    decision = merged([one((0.60, 0.52)), one((0.44, 0.50))], partial(ranked, trust=0.02))
    assert decision.action.id == IDS[1]
    assert merged([one((0.60, 0.52)), one((0.44, 0.50))], partial(ranked, trust=0.0)).action.id == IDS[0]


@pytest.mark.parametrize("prior", [1.0, 0.5, 0.1, UNLIKELY, UNLIKELY / 10, 0.0])
def test_a_prior_adds_trust_times_its_logarithm(prior: float) -> None:
    assert float(leaning(np.array(prior), 0.3)) == pytest.approx(0.3 * log(max(prior, UNLIKELY)))


def test_halving_keeps_the_better_half_and_values_have_their_own_errors() -> None:
    rng = np.random.default_rng(4)
    results = rng.random((40, 5)) + np.array([0.0, 0.4, 0.2, 0.6, 0.1])
    arms = arms_of(results, None, 0.0)
    arms.halve()
    assert sorted(arms.alive.tolist()) == [1, 2, 3]
    arms.halve()
    assert sorted(arms.alive.tolist()) == [1, 3]
    by_action = {one.action.id: one for one in arms.candidates()}
    for place, action in enumerate(IDS):
        assert by_action[action].value == pytest.approx(results[:, place].mean())
        assert by_action[action].error == pytest.approx(results[:, place].std(ddof=1) / 40**0.5)
