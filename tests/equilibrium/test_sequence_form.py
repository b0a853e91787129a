"""Values and best responses are those of slow recursion with fractions; equilibria those of a linear programme."""

import numpy as np
import pytest

from benchmarks.experiments.linear_program import solve_program
from tests.equilibrium.exact import POLICIES, BestResponse, self_play
from tests.equilibrium.games import GAMES, LATER_GAMES, tree_of
from uno_pomdp.arena.match import Match
from uno_pomdp.equilibrium.cfr import VARIANTS, InvalidSolver, Solver, solve
from uno_pomdp.equilibrium.linear_program import CannotSolve
from uno_pomdp.equilibrium.sequence_form import (
    InvalidPolicy,
    best_response,
    exploitability,
    plan_of,
    policy_of_plan,
    uniform_policy,
    value_of,
)
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.game.layout import SEATS
from uno_pomdp.policies.kernels import POLICY_NAMES

SMALL = ["mini-7", "copies", "copies printed", "until playable"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", SMALL)
def test_values_and_best_responses_are_those_of_the_fractions(name: str, policy: str) -> None:
    tree, rules = tree_of(name), (GAMES | LATER_GAMES)[name]
    found = exploitability(tree, scripted_policy(tree, POLICY_NAMES.index(policy)))
    assert found.value == pytest.approx(float(self_play(rules, POLICIES[policy])), abs=1e-12)
    for seat in SEATS:
        exact = BestResponse(rules, POLICIES[policy], seat).value
        assert found.best[seat] == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("name", SMALL)
def test_a_best_response_earns_what_it_says(name: str) -> None:
    tree = tree_of(name)
    policy = scripted_policy(tree, POLICY_NAMES.index("greedy"))
    for seat in SEATS:
        response = best_response(tree, policy, seat)
        assert value_of(tree, response.policy) * (1 - 2 * seat) == pytest.approx(response.value, abs=1e-12)
        other = slice(tree.sequence_start[1 - seat], tree.sequence_start[2 - seat])
        assert np.array_equal(response.policy[other], policy[other])


def test_the_value_is_what_games_earn() -> None:
    # 200,000 games: the standard error of the mean is below 1/√200,000 = 0.0023; a miss by 4.5 of them has p < 1e-5
    tree = tree_of("mini-7")
    pairs = Match(GAMES["mini-7"], ("greedy", "greedy"), pairs=100_000, seed=3).play(np.arange(100_000))
    points = pairs["points"].astype(float)  # A's, 2 for a win: as player 1, then as player 2
    earned = (points[:, 0] - 1).mean() / 2 - (points[:, 1] - 1).mean() / 2
    assert earned == pytest.approx(value_of(tree, scripted_policy(tree, POLICY_NAMES.index("greedy"))), abs=0.01)


def test_a_policy_comes_back_from_its_plan() -> None:
    tree = tree_of("mini-7")
    rng = np.random.default_rng(1)
    policy = policy_of_plan(tree, plan_of(tree, uniform_policy(tree)) * rng.random(tree.sequences))
    assert policy_of_plan(tree, plan_of(tree, policy)) == pytest.approx(policy, abs=1e-12)


# --- equilibria ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_the_linear_programme_finds_the_value_of_the_solvers(name: str) -> None:
    tree = tree_of(name)
    value, policy = solve_program(tree)
    solution = solve(tree, target=1e-7, look_every=200)
    assert solution.result.value == pytest.approx(value, abs=1e-6)
    assert best_response(tree, policy, 1).value == pytest.approx(-value, abs=1e-6)
    assert best_response(tree, solution.policy, 1).value == pytest.approx(-value, abs=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_comes_close_to_an_equilibrium(variant: str) -> None:
    tree = tree_of("mini-7")
    solver = Solver(tree, variant)
    solver.run(10)
    early = exploitability(tree, solver.average).exploitability
    solver.run(490)
    late = exploitability(tree, solver.average).exploitability
    assert -1e-12 <= late < early / 5
    assert late < (1e-3 if variant == "cfr" else 1e-5)


def test_iterations_in_pieces_are_the_same_iterations() -> None:
    tree = tree_of("copies")
    whole, pieces = Solver(tree), Solver(tree)
    whole.run(30)
    for _ in range(3):
        pieces.run(10)
    assert np.array_equal(whole.average, pieces.average)
    assert np.array_equal(whole.current, pieces.current)


def test_a_solution_says_how_it_came_about() -> None:
    seen: list[int] = []
    ticks = iter(range(100))
    tree = tree_of("mini-7")
    found = solve(
        tree,
        "cfr+",
        target=0.0,
        iterations=25,
        look_every=10,
        report=lambda progress: seen.append(progress.iterations),
        clock=lambda: next(ticks),
    )
    assert seen == [10, 20, 25]
    assert [entry.seconds for entry in found.progress] == [1, 2, 3]
    assert found.iterations == 25
    assert found.result == exploitability(tree, found.policy)


def test_exploitability_in_points_is_half_of_it() -> None:
    tree = tree_of("mini-7")
    found = exploitability(tree, uniform_policy(tree))
    assert found.exploitability == pytest.approx(sum(found.gains) / 2)
    assert found.points == found.exploitability / 2
    assert "exploitability 0.187474 (9.374 points of 100)" in str(found)


# --- refusals --------------------------------------------------------------------------------------------


def test_what_is_no_policy_is_refused() -> None:
    tree = tree_of("mini-7")
    with pytest.raises(InvalidPolicy, match="an array of 1604 floats, one for each sequence"):
        value_of(tree, np.ones(7))
    with pytest.raises(InvalidPolicy, match="none may be negative or not a number"):
        value_of(tree, uniform_policy(tree) - 0.4)
    policy = uniform_policy(tree)
    policy[tree.first[5]] += 0.1
    with pytest.raises(InvalidPolicy, match=r"of information set 5 add up to 1\.1, and should to one"):
        exploitability(tree, policy)


def test_what_solvers_can_not_do_is_refused() -> None:
    tree = tree_of("mini-7")
    with pytest.raises(InvalidSolver, match=r"no solver is called 'magic': choose one of cfr, cfr\+, dcfr, pcfr\+"):
        Solver(tree, "magic")
    with pytest.raises(InvalidSolver, match="at least 1"):
        Solver(tree).run(0)
    with pytest.raises(InvalidSolver, match="at least 1"):
        solve(tree, look_every=0)
    with pytest.raises(CannotSolve, match="81,804 sequences are too many"):
        solve_program(tree_of("mini-9"))
