"""A game in which some actions are taken away: what it costs a player never, or always, to do something.

The value of the restricted game is what the best policy under the restriction guarantees, against an opponent who knows
of it.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.equilibrium.sequence_form import InvalidPolicy, add_up, plan_of, policy_of_plan
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, Nodes
from uno_pomdp.game.layout import SEATS

Flags = npt.NDArray[np.bool_]
"""By sequence of a tree: whether its action may be taken; or by node or information set whether it stays."""


def restricted(tree: GameTree, allowed: Flags) -> GameTree:
    """Return the game without the other actions and all that follows them; every information set keeps an action.

    Nodes, information sets and sequences that stay are in the same order; histories are those of the whole game.
    """
    nodes, sets, kept = _left(tree, allowed)
    node_number, set_number, sequence_number = _numbers(nodes), _numbers(sets), _numbers(kept)
    columns: list[Any] = [column[nodes] for column in tree.nodes]
    found = Nodes(*columns)
    found.parent[:] = node_number[found.parent]
    found.information[:] = set_number[found.information]
    found.sequence[:] = sequence_number[found.sequence]
    choices = np.flatnonzero(found.kind < CHANCE)
    _, met = np.unique(found.information[choices], return_index=True)
    first, end = (_before(kept)[place[sets]] for place in (tree.first, tree.end))
    return replace(
        tree,
        nodes=found,
        set_of=set_number[tree.set_of],
        parent=sequence_number[tree.parent[sets]],
        first=first,
        end=end,
        history=tree.history[sets],
        met=choices[met].astype(np.int32),
        seen=tree.seen[sets],
        actions=tree.actions[kept],
        set_start=_starts(tree.set_start, sets),
        sequence_start=_starts(tree.sequence_start, kept),
    )


def in_whole_game(tree: GameTree, allowed: Flags, policy: Floats) -> Floats:
    """Return a policy of the restricted game as one of the whole game: what was taken away is never done."""
    result = policy_of_plan(tree, allowed.astype(np.float64))  # where it is never met: any allowed action
    result[_left(tree, allowed)[2]] = policy
    return result


def by_sequence(tree: GameTree, sets: Flags) -> Flags:
    """Return by sequence what is said of its information set; False for the empty sequences."""
    result = np.zeros(tree.sequences, np.bool_)
    for seat in SEATS:
        mine = slice(tree.set_start[seat], tree.set_start[seat + 1])
        own = slice(tree.sequence_start[seat] + 1, tree.sequence_start[seat + 1])
        result[own] = np.repeat(sets[mine], (tree.end - tree.first)[mine])
    return result


def _left(tree: GameTree, allowed: Flags) -> tuple[Flags, Flags, Flags]:
    """Return the nodes, information sets and sequences that are left."""
    empty = list(tree.sequence_start[:2])
    if allowed.shape != (tree.sequences,) or allowed.dtype != np.bool_ or not allowed[empty].all():
        raise InvalidPolicy(f"a restriction of this tree says of {tree.sequences} sequences whether they are allowed")
    actions = np.empty(tree.sets)
    add_up(tree.first, tree.end, allowed.astype(np.float64), actions)
    if not actions.all():
        raise InvalidPolicy(f"no action of information set {int(actions.argmin())} is allowed, and one has to be")
    own = plan_of(tree, allowed.astype(np.float64)) > 0.0
    nodes: Flags = np.logical_and.reduce(own[tree.nodes.sequence], axis=1)
    sets = np.isin(np.arange(tree.sets), tree.nodes.information[nodes])
    kept = own & by_sequence(tree, sets)
    kept[empty] = True
    return nodes, sets, kept


def _before(kept: Flags) -> Int32s:
    """Return by place how many before it are kept; one place more than there are."""
    return np.concatenate([[0], np.cumsum(kept)]).astype(np.int32)


def _numbers(kept: Flags) -> Int32s:
    """Return by old number the new one, −1 for what is gone; the last is for −1."""
    return np.append(np.where(kept, _before(kept)[:-1], -1), -1).astype(np.int32)


def _starts(starts: tuple[int, int, int], kept: Flags) -> tuple[int, int, int]:
    first, second, end = (int(_before(kept)[start]) for start in starts)
    return first, second, end
