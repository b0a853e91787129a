"""open_spiel, where it is installed (`make bench`), finds the same numbers on the exported tree."""

import pytest

from benchmarks.equilibrium import SpielTree
from tests.equilibrium.games import endgame, tree_of
from uno_pomdp.equilibrium.cfr import Solver, solve
from uno_pomdp.equilibrium.sequence_form import exploitability, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import GREEDY

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("tree", [tree_of("copies"), endgame()], ids=["copies", "a bluff"])
def test_best_responses_and_exploitability_are_the_peers(tree: GameTree) -> None:
    peer = SpielTree(tree)
    for policy in (uniform_policy(tree), scripted_policy(tree, GREEDY), solve(tree, target=1e-4).policy):
        ours = exploitability(tree, policy)
        assert peer.best_responses(policy) == pytest.approx(ours.best, abs=1e-9)
        assert peer.exploitability(policy) == pytest.approx(ours.exploitability, abs=1e-9)


def test_the_same_iterations_of_cfr_plus_give_the_same_policy() -> None:
    tree = tree_of("copies")
    solver = Solver(tree, "cfr+")
    solver.run(10)  # the averages differ: the peer's begins with the uniform policy, ours after the first update
    assert SpielTree(tree).after_cfr_plus(10) == pytest.approx(exploitability(tree, solver.current).exploitability)
