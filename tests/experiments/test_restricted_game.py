"""A game without some of its actions is a game, and worth what the linear programme without them says."""

import numpy as np
import pytest

from benchmarks.experiments.linear_program import solve_program
from benchmarks.experiments.restricted_game import Flags, by_sequence, in_whole_game, restricted
from tests.equilibrium.games import tree_of
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.sequence_form import InvalidPolicy, best_response, uniform_policy, value_of
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.game.layout import DRAW, SEATS, Seat
from uno_pomdp.testing import check_tree


def without_draws(tree: GameTree, seat: Seat) -> Flags:
    """Return a restriction: this player never draws where there is a choice."""
    mine = np.zeros(tree.sequences, np.bool_)
    mine[tree.sequence_start[seat] : tree.sequence_start[seat + 1]] = True
    allowed: Flags = ~(mine & (tree.actions == DRAW))
    return allowed


def test_without_a_restriction_it_is_the_same_game() -> None:
    tree = tree_of("mini-7")
    same = restricted(tree, np.ones(tree.sequences, np.bool_))
    for name in ("parent", "first", "end", "history", "met", "actions", "set_of", "set_start", "sequence_start"):
        assert np.array_equal(getattr(same, name), getattr(tree, name)), name
    for column in tree.nodes._fields:
        assert np.array_equal(getattr(same.nodes, column), getattr(tree.nodes, column)), column


@pytest.mark.parametrize("seat", SEATS)
def test_what_is_left_is_a_game_of_perfect_recall_in_which_the_player_can_only_lose(seat: Seat) -> None:
    tree = tree_of("copies printed")
    allowed = without_draws(tree, seat)
    left = restricted(tree, allowed)
    check_tree(left)
    assert left.size < tree.size
    assert not (left.actions[left.sequence_start[seat] : left.sequence_start[seat + 1]] == DRAW).any()
    value, _ = solve_program(tree)
    less, _ = solve_program(left)
    assert (less - value) * (1 - 2 * seat) <= 1e-9
    found = solve(left, target=1e-7)
    assert found.result.value == pytest.approx(less, abs=1e-6)
    whole = in_whole_game(tree, allowed, found.policy)
    assert value_of(tree, whole) == pytest.approx(found.result.value, abs=1e-12)
    # who is not restricted has the same best response in both
    answer = best_response(tree, whole, SEATS[1 - seat])
    assert answer.value == pytest.approx(found.result.best[1 - seat], abs=1e-12)
    assert not whole[~allowed].any()


def test_what_is_said_of_sets_is_said_of_their_sequences() -> None:
    tree = tree_of("mini-7")
    every = by_sequence(tree, np.ones(tree.sets, np.bool_))
    assert every.sum() == tree.sequences - 2
    one = by_sequence(tree, np.arange(tree.sets) == tree.set_start[1])
    assert np.flatnonzero(one).tolist() == list(range(tree.first[tree.set_start[1]], tree.end[tree.set_start[1]]))


def test_a_restriction_that_leaves_no_action_is_refused() -> None:
    tree = tree_of("mini-7")
    allowed = np.ones(tree.sequences, np.bool_)
    allowed[tree.first[5] : tree.end[5]] = False
    with pytest.raises(InvalidPolicy, match="no action of information set 5 is allowed, and one has to be"):
        restricted(tree, allowed)
    with pytest.raises(InvalidPolicy, match="says of 1604 sequences whether they are allowed"):
        restricted(tree, uniform_policy(tree) > 2)
