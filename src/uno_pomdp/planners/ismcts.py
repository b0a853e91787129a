"""Information-set Monte Carlo tree search: one tree over what the searching player can tell apart.

Every simulation walks another world from the belief. Both players choose in the tree by upper confidence
bounds, each for itself; beyond its rim both play on by a simple policy.
"""

import time
from typing import Final

import numpy as np

from uno_pomdp.agents.policies import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.agents.protocol import Budget, Candidate, Clock, Decision
from uno_pomdp.game.layout import STATE
from uno_pomdp.game.rng import streams
from uno_pomdp.game.values import ACTIONS, Action
from uno_pomdp.planners.base import Planner
from uno_pomdp.planners.tree import NONE, Edges, Nodes, new_tree, walk_all

CHUNK: Final = 256
"""The fewest worlds between two looks at the clock."""
LARGEST: Final = 1024
"""The most worlds at a time: what a core's cache holds."""
MOST: Final = 2_000_000
"""Simulations for one decision, whatever the clock says: 80 MB of tree."""


class InformationSetSearch(Planner):
    """Information-set MCTS on worlds from any belief."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        rollout: Policy = HEURISTIC,
        explore: float = 0.5,
        clock: Clock = time.perf_counter,
        threads: int = 1,
        endgame: bool = True,
    ) -> None:
        super().__init__(budget, belief, clock, threads, endgame)
        self.name = "ismcts"
        self._rollout = rollout
        self._explore = explore

    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        worlds_seed, walk_seed = seed.spawn(2)
        stream, table = streams(walk_seed), np.zeros(1, STATE)
        most = min(self.budget.simulations or MOST, MOST)
        room = min(most, 8 * CHUNK)
        tree, first, edges = new_tree(room)
        done = 0
        while done < most and (done == 0 or self._left(started) > 0.0):
            count = min(max(CHUNK, self._fitting(started, done)), LARGEST, most - done)
            if done + count > room:
                room = min(4 * room, most)
                first, edges = _grown(first, edges, room)
            worlds = self.belief.sample(count, worlds_seed.spawn(1)[0])
            walk_all(worlds, table, tree, first, edges, self._rollout, WEIGHTS, self._explore, stream)
            done += count
        return _decision(first, edges, done)


def _grown(first: Nodes, edges: Edges, simulations: int) -> tuple[Nodes, Edges]:
    """Return the arrays of a tree with room for more walks."""
    _, more_first, more_edges = new_tree(simulations)
    more_first[: len(first)] = first
    more_edges[: len(edges)] = edges
    return more_first, more_edges


def _edges_of(first: Nodes, edges: Edges, node: int) -> list[int]:
    """Return a node's edges, the most visited first."""
    found = []
    edge = int(first[node])
    while edge != NONE:
        found.append(edge)
        edge = int(edges[edge]["next"])
    return sorted(found, key=lambda e: (-int(edges[e]["visits"]), int(edges[e]["action"])))


def _decision(first: Nodes, edges: Edges, simulations: int) -> Decision:
    """Return the most visited action, with the line of most visited moves."""
    root = _edges_of(first, edges, 0)
    candidates = []
    for edge in root:
        visits = int(edges[edge]["visits"])
        value = float(edges[edge]["total"]) / visits
        error = (max(value * (1 - value), 0.0) / visits) ** 0.5
        candidates.append(Candidate(ACTIONS[edges[edge]["action"]], value, error, visits))
    line: list[Action] = []
    at = root
    while at and edges[at[0]]["visits"] > 1 and len(line) < 8:
        line.append(ACTIONS[edges[at[0]]["action"]])
        at = _edges_of(first, edges, int(edges[at[0]]["child"]))
    return Decision(candidates[0].action, tuple(candidates), tuple(line), simulations, simulations)
