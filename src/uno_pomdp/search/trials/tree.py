"""Information-set Monte Carlo tree search: one tree over the searching player's information sets.

At the root all actions are tried in the same worlds. Below it both players choose in the tree, each for itself: first
as a scripted policy prefers, then by results. Beyond the leaves both play on by that policy. What the other does about
bluffs, it does by that policy everywhere: see `tree_kernels`.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.layout import STATE, States
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.quantities import EXPLORATION, naming
from uno_pomdp.rules import Rules
from uno_pomdp.search.root import Trial, TrialMaker
from uno_pomdp.search.trials.tree_kernels import NONE, Edges, Nodes, new_tree, walk_all

ROOM: Final = 1 << 16
"""Simulations that a new tree has room for; it grows fourfold. Memory that is not used yet costs nothing."""
EDGES_EACH: Final = 2
"""Edges that one simulation adds at most: one at the rim, one after a challenge."""
LONGEST_LINE: Final = 8


@dataclass(frozen=True, slots=True)
class TreeWalks(TrialMaker):
    """Tries actions by simulations through one tree for each decision."""

    rollout: Policy = HEURISTIC
    """The policy that both players follow in the tree at first, and beyond its leaves."""
    explore: float = 0.3
    """The weight of the exploration bonus."""

    def __post_init__(self) -> None:
        with naming("explore", InvalidAgent):
            EXPLORATION.checked(self.explore)

    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> "TreeTrial":
        """Return what tries these actions."""
        del rules
        return TreeTrial(actions, self.rollout, self.explore, seed)


class TreeTrial(Trial):
    """Actions are tried by simulations through a tree that they all share."""

    def __init__(
        self, actions: npt.NDArray[np.int64], rollout: Policy, explore: float, seed: np.random.SeedSequence
    ) -> None:
        self._actions = actions
        self._rollout = rollout
        self._explore = explore
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)
        self._tree, self._first, self._edges = new_tree(ROOM, actions)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write the points of each simulation, which also grows the tree."""
        while int(self._tree["edges"][0]) + EDGES_EACH * results.size > len(self._edges):
            self._grow()
        walk_all(
            worlds,
            self._table,
            alive,
            self._tree,
            self._first,
            self._edges,
            self._rollout,
            WEIGHTS,
            self._explore,
            self.caught,
            self._stream,
            results,
        )

    def _grow(self) -> None:
        """Make room for more simulations."""
        _, first, edges = new_tree(4 * len(self._edges), self._actions)
        first[: len(self._first)] = self._first
        edges[: len(self._edges)] = self._edges
        self._first, self._edges = first, edges

    def line(self, best: Action) -> tuple[Action, ...]:
        """Return the most visited moves."""
        line = [best]
        edge = int(np.flatnonzero(self._actions == best.id)[0])
        while len(line) < LONGEST_LINE:
            after = _edges_of(self._first, self._edges, int(self._edges[edge]["child"]))
            if not after or self._edges[after[0]]["visits"] < 2:
                break
            edge = after[0]
            line.append(ACTIONS[self._edges[edge]["action"]])
        return tuple(line)


def _edges_of(first: Nodes, edges: Edges, node: int) -> list[int]:
    """Return a node's edges, the most visited first."""
    found = []
    edge = int(first[node])
    while edge != NONE:
        found.append(edge)
        edge = int(edges[edge]["next"])
    return sorted(found, key=lambda e: (-int(edges[e]["visits"]), int(edges[e]["action"])))
