"""The tree of information-set search: the bound is the formula, and every edge has the points of whoever takes it."""

from math import sqrt

import numpy as np
import pytest

from tests.helpers import start
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import STATE, States
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, WEIGHTS
from uno_pomdp.search.trials.tree import _edges_of
from uno_pomdp.search.trials.tree_kernels import (
    DOUBT,
    EDGE,
    NONE,
    TRUST,
    Edges,
    Nodes,
    add_edge,
    new_tree,
    select,
    walk_all,
)

IDS = [Action.parse(text).id for text in ("R1", "R2", "R3", "R4")]
ALL = int(sum(1 << action for action in IDS))


def select_once(first: Nodes, edges: Edges, legal: int, wanted: int, mean: float, explore: float) -> tuple[int, int]:
    """Select at the first node; the actions are bits."""
    edge, untried = select(first, edges, 0, np.uint64(legal), np.uint64(wanted), mean, explore)
    return edge, int(untried)


def edges_of(*rows: tuple[float, int, int]) -> tuple[Nodes, Edges]:
    """Return one node with edges R1, R2 … by total, visits, and times available before."""
    edges = np.zeros(len(rows), EDGE)
    for place, (total, visits, available) in enumerate(rows):
        edges[place]["total"], edges[place]["visits"], edges[place]["available"] = total, visits, available
        edges[place]["action"], edges[place]["next"] = IDS[place], place + 1 if place + 1 < len(rows) else NONE
    return np.zeros(1, np.int32), edges


def bound(total: float, visits: int, available: int, mean: float, explore: float, wanted: bool) -> float:
    """Return (total + TRUST · mean) / (visits + TRUST) + explore · prior · √available / (1 + visits)."""
    prior = 1.0 if wanted else DOUBT
    return (total + TRUST * mean) / (visits + TRUST) + explore * prior * sqrt(available) / (1 + visits)


# --- select ----------------------------------------------------------------------------------------------


def test_of_two_edges_with_the_same_mean_the_one_tried_less_is_taken() -> None:
    first, edges = edges_of((40.0, 80, 100), (10.0, 20, 100))
    assert select_once(first, edges, 3 << IDS[0], ALL, 0.5, 1.0)[0] == 1


def test_without_exploration_the_best_mean_is_taken() -> None:
    first, edges = edges_of((50.0, 80, 100), (10.0, 20, 100))
    assert select_once(first, edges, 3 << IDS[0], ALL, 0.5, 0.0)[0] == 0


def test_the_edge_with_the_highest_bound_of_the_formula_is_taken() -> None:
    rng = np.random.default_rng(5)
    taken = set()
    for _ in range(300):
        rows, wanted, mean, explore = [], 0, float(rng.random()), float(rng.choice([0.05, 0.3, 1.0, 3.0]))
        for place in range(4):
            visits = int(rng.integers(1, 60))
            rows.append((float(rng.random() * visits), visits, visits + int(rng.integers(0, 60))))
            wanted |= int(rng.random() < 0.5) << IDS[place]
        first, edges = edges_of(*rows)
        found, untried = select_once(first, edges, ALL, wanted, mean, explore)
        bounds = [
            bound(total, visits, available + 1, mean, explore, bool(wanted >> IDS[place] & 1))
            for place, (total, visits, available) in enumerate(rows)
        ]
        assert bounds[found] == pytest.approx(max(bounds), abs=1e-12)
        assert untried == 0
        taken.add(found)
    assert taken == {0, 1, 2, 3}


def test_an_edge_that_is_not_legal_here_is_neither_taken_nor_counted_as_available() -> None:
    first, edges = edges_of((9.0, 10, 10), (1.0, 10, 10), (2.0, 10, 10))
    legal = 1 << IDS[1] | 1 << IDS[2]
    assert select_once(first, edges, legal, ALL, 0.5, 0.1)[0] == 2
    assert edges["available"].tolist() == [10, 11, 11]


def test_what_the_policy_wants_is_tried_first_and_the_rest_where_results_are_poor() -> None:
    untried_wanted = 1 << IDS[1]
    first, edges = edges_of((9.0, 10, 10))
    assert select_once(first, edges, 7 << IDS[0], untried_wanted, 0.5, 0.3) == (NONE, untried_wanted)
    first, edges = edges_of((0.0, 10, 10))  # all lost: an action that the policy does not want has a higher bound
    found, untried = select_once(first, edges, 3 << IDS[0], 1 << IDS[0], 0.5, 0.3)
    assert (found, untried) == (NONE, 1 << IDS[1])
    first, edges = edges_of((10.0, 10, 10))
    assert select_once(first, edges, 3 << IDS[0], 1 << IDS[0], 0.5, 0.3)[0] == 0


# --- walks -----------------------------------------------------------------------------------------------


def worlds_of(game: Game, count: int) -> States:
    """Return so many copies of a game, each with its pile in another order."""
    rng = np.random.default_rng(1)
    worlds = np.repeat(game.to_state(), count)
    for world in worlds:
        size = int(world["draw_size"])
        world["draw_pile"][:size] = rng.permutation(world["draw_pile"][:size])
    return worlds


def walked(game: Game, walks: int) -> tuple[Nodes, Edges, Floats]:
    """Return the tree after so many worlds, each walked once from every action; and the points of each walk."""
    actions = np.array([action.id for action in game.legal_actions()])
    tree, first, edges = new_tree(walks * len(actions), actions)
    results = np.empty((walks, len(actions)))
    arms = np.arange(len(actions))
    walk_all(
        worlds_of(game, walks),
        np.zeros(1, STATE),
        arms,
        tree,
        first,
        edges,
        HEURISTIC,
        WEIGHTS,
        0.3,
        False,
        streams(3),
        results,
    )
    return first, edges, results


def two_numbers() -> Game:
    """Return a game in which both hold numbers alone: the turn passes with every play, so movers alternate."""
    return start("R9", "R1 R2 Y3 G4", "R5 Y6 G1 B2", "Y1 Y2 G5 B6 B7 R3 G8 Y8 R4 B9 G9 Y5 B1 B3 Y7")


def test_edges_of_the_root_count_what_the_walks_earned() -> None:
    _, edges, results = walked(two_numbers(), 400)
    for arm in range(results.shape[1]):
        assert edges[arm]["visits"] == 400
        assert edges[arm]["total"] == results[:, arm].sum()


def test_at_a_node_of_the_opponent_its_points_and_the_roots_add_up_to_the_visits() -> None:
    """Every walk that goes on from an action of the root takes one edge of the opponent there: one wins, one loses."""
    first, edges, results = walked(two_numbers(), 400)
    checked = 0
    for arm in range(results.shape[1]):
        below = _edges_of(first, edges, int(edges[arm]["child"]))
        assert edges[arm]["total"] not in (0.0, 400.0, 200.0)  # such totals would hide whose points they are
        assert sum(int(edges[edge]["visits"]) for edge in below) == 400
        assert sum(float(edges[edge]["total"]) for edge in below) == 400 - edges[arm]["total"]
        checked += len(below)
    assert checked > results.shape[1]


def test_two_plies_below_the_root_points_are_the_roots_again() -> None:
    """An edge of the opponent that goes on gives its walks, less those before it was ripe, to the root's edges."""
    first, edges, _ = walked(two_numbers(), 400)
    reply = max(_edges_of(first, edges, int(edges[0]["child"])), key=lambda edge: int(edges[edge]["visits"]))
    below = _edges_of(first, edges, int(edges[reply]["child"]))
    visits = sum(int(edges[edge]["visits"]) for edge in below)
    points = sum(float(edges[edge]["total"]) for edge in below)
    others = int(edges[reply]["visits"]) - visits  # walks that ended here; they won between none and all
    assert visits > 50
    lost = int(edges[reply]["visits"]) - float(edges[reply]["total"])
    assert lost - others <= points <= lost


# --- whose mean ------------------------------------------------------------------------------------------


def tried_below(game: Game, arm: str, tried: str, arm_total: float) -> list[str]:
    """Return what stands below an action of the root after one walk more; before it one action did, won half the time.

    The arm has 100 visits with these points; without exploration only the mean of the node speaks for what is untried.
    """
    actions = np.array([action.id for action in game.legal_actions()])
    place = int(np.flatnonzero(actions == Action.parse(arm).id)[0])
    tree, first, edges = new_tree(10, actions)
    edges[place]["total"], edges[place]["visits"], edges[place]["available"] = arm_total, 100, 100
    edge = add_edge(tree[0], first, edges, int(edges[place]["child"]), Action.parse(tried).id)
    edges[edge]["total"], edges[edge]["visits"], edges[edge]["available"] = 50.0, 100, 100
    results, arms = np.empty((1, 1)), np.array([place])
    walk_all(
        game.to_state(),
        np.zeros(1, STATE),
        arms,
        tree,
        first,
        edges,
        BASELINE,
        WEIGHTS,
        0.0,
        False,
        streams(1),
        results,
    )
    below = _edges_of(first, edges, int(edges[place]["child"]))
    assert sum(int(edges[each]["visits"]) for each in below) == 101
    return sorted(str(ACTIONS[edges[each]["action"]]) for each in below)


def test_where_the_turn_passes_untried_actions_start_with_what_is_left_of_the_mean() -> None:
    """The opponent has tried the +2 that it prefers, and won half: it tries another card where it wins more."""
    game = start("R9", "R1 R2 Y3 G4", "R5 R+2 Y6 G6", "Y1 Y2 G5 B6 B7 R3 G8 Y8 R4 B9 G9 Y5 B1 B3 Y7")
    assert tried_below(game, "R1", "R+2", arm_total=90.0) == ["R+2"]
    assert tried_below(game, "R1", "R+2", arm_total=10.0) == ["R+2", "R5"]


def test_where_the_same_player_moves_again_they_start_with_the_mean_itself() -> None:
    game = start("R9", "RS R2 R+2 G4", "R5 Y9 Y6 G6", "Y1 Y2 G5 B6 B7 R3 G8 Y8 R4 B9 G9 Y5 B1 B3 Y7")
    assert tried_below(game, "RS", "R+2", arm_total=90.0) == ["R+2", "R2"]
    assert tried_below(game, "RS", "R+2", arm_total=10.0) == ["R+2"]
