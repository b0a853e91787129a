"""The value of a game by linear programming over its sequence form (Koller, Megiddo and von Stengel 1996).

    maximise v₀   subject to   E x = e,  x ≥ 0,  Fᵀ v ≤ Aᵀ x

x is player 1's realization plan, E and F are the constraints on both players' plans, and v holds what player 2 loses
from each of its information sets on. A check on the iterative solvers: exact, but only for small trees. SciPy comes
with the extra `solve`.
"""

from importlib import import_module
from typing import Any, Final

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.linear_program import CannotSolve, need_scipy
from uno_pomdp.equilibrium.sequence_form import policy_of_plan, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.game.layout import Seat

SEQUENCE_LIMIT: Final = 20_000
"""Sequences of a tree at most: `mini-7` has 1,604 and takes a moment, `mini-9` has 81,804 and would take hours."""


def solve_program(tree: GameTree) -> tuple[float, Floats]:
    """Return the value of the game for player 1, and a policy whose first half is optimal for player 1."""
    need_scipy()
    if tree.sequences > SEQUENCE_LIMIT:
        raise CannotSolve(
            f"{tree.sequences:,} sequences are too many for the linear programme, which takes {SEQUENCE_LIMIT:,}: "
            "use the solvers of cfr"
        )
    optimize, sparse = import_module("scipy.optimize"), import_module("scipy.sparse")
    own, other = _constraints(tree, 0), _constraints(tree, 1)
    payoffs = tree.payoffs[0]
    matrix = sparse.csr_matrix((payoffs.value, payoffs.column, payoffs.start), shape=(own.shape[1], other.shape[1]))
    plans, sets = own.shape[1], other.shape[0]
    cost = np.zeros(plans + sets)
    cost[plans] = -1.0
    start = np.zeros(own.shape[0])
    start[0] = 1.0
    solved = optimize.linprog(
        cost,
        A_ub=sparse.hstack([-matrix.T, other.T]).tocsr(),
        b_ub=np.zeros(other.shape[1]),
        A_eq=sparse.hstack([own, sparse.csr_matrix((own.shape[0], sets))]).tocsr(),
        b_eq=start,
        bounds=[(0, None)] * plans + [(None, None)] * sets,
        method="highs",
    )
    if not solved.success:
        raise CannotSolve(f"the linear programme was not solved: {solved.message}")
    plan = np.zeros(tree.sequences)
    plan[:plans] = np.maximum(solved.x[:plans], 0.0)
    policy = uniform_policy(tree)
    policy[:plans] = policy_of_plan(tree, plan)[:plans]
    return -float(solved.fun), policy


def _constraints(tree: GameTree, seat: Seat) -> Any:
    """Return the matrix of a player's plans: row 0 the empty sequence, then Σ actions − parent for each set."""
    sets = np.arange(tree.set_start[seat], tree.set_start[seat + 1])
    offset = tree.sequence_start[seat]
    widths = tree.end[sets] - tree.first[sets]
    rows = np.concatenate([[0], np.repeat(np.arange(1, len(sets) + 1), widths), np.arange(1, len(sets) + 1)])
    width = tree.sequence_start[seat + 1] - offset
    columns = np.concatenate([np.arange(width), tree.parent[sets] - offset])
    values = np.concatenate([np.ones(width), -np.ones(len(sets))])
    return import_module("scipy.sparse").csr_matrix((values, (rows, columns)), shape=(len(sets) + 1, width))
