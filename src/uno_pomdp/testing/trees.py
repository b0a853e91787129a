"""`check_tree`: checks at every node that a tree is a two-player game with perfect recall."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Int32s
from uno_pomdp.equilibrium.sequence_form import plan_of, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL, Bytes
from uno_pomdp.game.information import SEAT, tokens_of
from uno_pomdp.game.layout import SEATS
from uno_pomdp.jit import kernel

_ROUNDING = 1e-12
"""How far sums of probabilities may be from one."""


def check_tree(tree: GameTree) -> None:
    """Raise AssertionError where a law is broken.

    The probabilities of chance add up to one; endings pay −1, 0 or 1, and their probabilities add up to one. All nodes
    of an information set belong to one player, offer the same actions, and are reached by the same sequence of that
    player's own information sets and actions (perfect recall), as the tree's sequences say.
    """
    _check_chance(tree)
    _check_sets(tree)
    _check_recall(tree)


def _check_chance(tree: GameTree) -> None:
    nodes = tree.nodes
    _require(bool((nodes.parent[1:] < np.arange(1, tree.size)).all()), "a parent has to come before its children")
    sums = np.bincount(nodes.parent[1:], nodes.probability[1:], tree.size)[nodes.kind == CHANCE]
    _require(bool((np.abs(sums - 1.0) < _ROUNDING).all()), "the probabilities of chance have to add up to one")
    ends = nodes.kind == TERMINAL
    inner = np.unique(nodes.parent[1:])
    _require(
        not ends[inner].any() and len(inner) + ends.sum() == tree.size, "endings, and they alone, have no children"
    )
    _require(set(np.unique(nodes.payoff[ends]).tolist()) <= {-1, 0, 1}, "an ending pays −1, 0 or 1")
    _require(not nodes.payoff[~ends].any(), "nothing is paid before the end")
    plan = plan_of(tree, uniform_policy(tree))
    total = float((nodes.reach[ends] * plan[nodes.sequence[ends]].prod(axis=1)).sum())
    _require(abs(total - 1.0) < 1e-9, "the probabilities of the endings have to add up to one")


def _check_sets(tree: GameTree) -> None:
    nodes = tree.nodes
    for seat in SEATS:
        numbers = nodes.information[nodes.kind == seat]
        own = (numbers >= tree.set_start[seat]) & (numbers < tree.set_start[seat + 1])
        _require(bool(own.all()), "an information set may not be shared between players")
        for number in range(tree.set_start[seat], tree.set_start[seat + 1], max(1, tree.size_of(seat) // 100)):
            _require(tokens_of(tree.histories, int(tree.history[number]))[0] == SEAT | seat, "a history has one owner")
    other = nodes.kind >= CHANCE
    _require(bool((nodes.information[other] == -1).all()), "chance and endings have no information set")
    met = np.unique(nodes.information[~other])
    _require(np.array_equal(met, np.arange(tree.sets)), "every information set has to have a node")


def _check_recall(tree: GameTree) -> None:
    nodes = tree.nodes
    sequence = np.empty_like(nodes.sequence)
    sequence[0] = tree.sequence_start[:2]
    children = np.zeros(tree.size, np.int32)
    wrong = follow(
        nodes.parent, nodes.kind, nodes.label, nodes.information, tree.first, tree.actions, children, sequence
    )
    _require(wrong < 0, f"node {wrong} is reached by an action that its information set does not have")
    _require(np.array_equal(sequence, nodes.sequence), "a node's sequences have to be those of its path")
    for seat in SEATS:
        here = np.flatnonzero(nodes.kind == seat)
        numbers = nodes.information[here]
        widths = tree.end[numbers] - tree.first[numbers]
        _require(
            np.array_equal(children[here], widths), "all nodes of an information set have to offer the same actions"
        )
        same = sequence[here, seat] == tree.parent[numbers]
        _require(bool(same.all()), "a player has to remember its own past: nodes of an information set differ in it")


@kernel
def follow(
    parent: Int32s,
    kind: Bytes,
    label: Int32s,
    information: Int32s,
    first: Int32s,
    actions: npt.NDArray[np.uint8],
    children: Int32s,
    sequence: Int32s,
) -> int:
    """Write each player's last sequence at every node, from the labels alone; return a node that does not fit, or −1.

    The children of a player's node come in the order of its actions.
    """
    for node in range(1, len(parent)):
        before = parent[node]
        for seat in range(2):
            sequence[node, seat] = sequence[before, seat]
        if kind[before] < CHANCE:
            taken = first[information[before]] + children[before]
            if actions[taken] != label[node]:
                return node
            sequence[node, kind[before]] = taken
        children[before] += 1
    return -1


def _require(holds: bool, law: str) -> None:
    assert holds, f"check_tree: {law}"
