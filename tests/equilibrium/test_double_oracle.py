"""The meta-game: matrices with known solutions, the exact double oracle, and one by play."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.experiments.exact_double_oracle import exact_double_oracle
from benchmarks.experiments.linear_program import solve_program
from tests.equilibrium.games import tree_of
from uno_pomdp.arena.match import InvalidMatch
from uno_pomdp.equilibrium import double_oracle as oracle_module
from uno_pomdp.equilibrium.attempts import Challenger
from uno_pomdp.equilibrium.double_oracle import double_oracle, margin_of
from uno_pomdp.equilibrium.linear_program import solve_matrix
from uno_pomdp.equilibrium.sequence_form import exploitability, uniform_policy, value_of
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import BASELINE, GREEDY, HEURISTIC, RANDOM, Policy
from uno_pomdp.rules import preset


def test_matrix_games_with_known_solutions() -> None:
    value, rows, columns = solve_matrix(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert value == pytest.approx(0.0, abs=1e-9)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)
    value, rows, columns = solve_matrix(np.array([[3.0, -1.0], [-2.0, 1.0]]))  # by hand: 1/7 at (3/7, 4/7), (2/7, 5/7)
    assert value == pytest.approx(1 / 7)
    assert rows == pytest.approx([3 / 7, 4 / 7])
    assert columns == pytest.approx([2 / 7, 5 / 7])


@pytest.mark.parametrize("name", ["mini-7", "copies"])
def test_the_exact_double_oracle_ends_at_the_value_of_the_game(name: str) -> None:
    tree = tree_of(name)
    start = [uniform_policy(tree), scripted_policy(tree, BASELINE), scripted_policy(tree, HEURISTIC)]
    found = exact_double_oracle(tree, start)
    value, _ = solve_program(tree)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.bounds[0] <= value + 1e-9
    assert found.bounds[1] >= value - 1e-9
    assert found.gap <= 1e-6
    assert exploitability(tree, found.policy).exploitability <= 1e-6
    assert found.sizes == (3 + found.rounds, 3 + found.rounds)
    stopped = exact_double_oracle(tree, start, rounds=0)
    assert (stopped.sizes, stopped.rounds) == ((3, 3), 0)
    assert stopped.gap > found.gap


def test_one_half_of_the_deals_chooses_the_mixture_and_the_other_measures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Greedy wins every even pair against baseline and loses three of four odd ones: it is chosen, and measured so."""
    scores = np.array([1.0, 0.25] * 200)
    monkeypatch.setattr(oracle_module, "play_match", lambda *_, **__: SimpleNamespace(scores=scores))
    monkeypatch.setattr(oracle_module, "QUICK_PAIRS", 400)
    found = double_oracle(preset("house"), ["greedy", "baseline"], [], 400, seed=1)
    assert found.mixture == pytest.approx([1.0, 0.0])
    greedy, baseline = found.margins
    assert greedy.estimate == 0.0
    assert baseline.estimate == pytest.approx(0.25)  # it has three quarters of the pairs that did not choose
    assert found.names[found.worst] == "baseline"
    assert found.payoffs[0, 1] == pytest.approx(0.125)  # over all deals


def test_a_candidate_that_beats_the_mixture_joins_it_and_one_that_does_not_stays_out() -> None:
    # heuristic has about 70 % against random and 53 % against baseline; 4,000 pairs have a standard error of 0.6 %
    candidates = [Challenger("heuristic", "", False), Challenger("random", "", False)]
    found = double_oracle(preset("house"), ["greedy", "baseline"], candidates, 4_000, seed=1)
    assert found.names == ("greedy", "baseline", "heuristic")
    assert found.mixture == pytest.approx([0.0, 0.0, 1.0])
    assert found.payoffs == pytest.approx(-found.payoffs.T)
    assert found.rounds == 2
    assert [name for name, _ in found.refused] == ["random"]
    assert found.refused[0][1].high < 0.0
    assert found.margins[found.worst].estimate == 0.0  # the mixture is heuristic alone, and nobody known beats it
    assert found.verdict.startswith("Of these agents heuristic does best against the mixture, with a margin of +0.00")
    assert found.to_json()["agents"] == ["greedy", "baseline", "heuristic"]


def test_margins_are_measured_with_intervals_that_cover() -> None:
    # 2,000 samples of 200 scores with mean 0.55: 95 % of the intervals should hold it; 4.5 standard errors are 2.2 %
    chance = np.random.default_rng(1)
    samples = chance.choice([0.0, 0.25, 0.5, 0.75, 1.0], p=[0.1, 0.2, 0.2, 0.4, 0.1], size=(2_000, 200))
    alone = np.ones(1)
    assert np.mean([0.05 in margin_of([scores], alone, 1) for scores in samples]) == pytest.approx(0.95, abs=0.022)
    assert margin_of([samples[0]], alone, 5).low < margin_of([samples[0]], alone, 1).low
    halves = np.array(
        [0.5, 0.5]
    )  # the worst case: both matches say the same, so a mixture is no surer than one of them
    both = [margin_of([scores, scores], halves, 1) for scores in samples[:20]]
    assert [one.estimate for one in both] == pytest.approx([margin_of([s], alone, 1).estimate for s in samples[:20]])
    assert [one.low for one in both] == pytest.approx([margin_of([s], alone, 1).low for s in samples[:20]])


def value_against(tree: GameTree, first: Policy, second: Policy) -> float:
    """Return what player 1 earns by one policy against another."""
    policy = scripted_policy(tree, second)
    own = slice(0, tree.sequence_start[1])
    policy[own] = scripted_policy(tree, first)[own]
    return value_of(tree, policy)


def test_quick_agents_meet_often_whatever_is_asked_for() -> None:
    """Ten pairs would not tell greedy from random: with 20,000 the error of a margin is below half a point."""
    found = double_oracle(preset("mini-7"), ["random", "greedy", "baseline"], [], 10, seed=1)
    tree = tree_of("mini-7")
    for one, first in enumerate((RANDOM, GREEDY, BASELINE)):
        for other, second in enumerate((RANDOM, GREEDY, BASELINE)):
            exact = (value_against(tree, first, second) - value_against(tree, second, first)) / 4
            assert found.payoffs[one, other] == pytest.approx(exact, abs=0.01)
    assert found.margins[found.worst].high < 0.01


def test_populations_that_can_not_be_are_refused() -> None:
    with pytest.raises(InvalidMatch, match="needs an agent and two pairs"):
        double_oracle(preset("mini-7"), ["random"], [], 1)
    with pytest.raises(InvalidMatch, match="is in the population twice"):
        double_oracle(preset("mini-7"), ["random", "random"], [], 10)
