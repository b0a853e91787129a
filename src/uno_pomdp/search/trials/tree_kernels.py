"""A search tree as arrays, and one simulation through it: select, expand, play out, back up.

    node   first            its first edge, −1 for none
    edge   action, next     what it does, and the next edge of the same node
           child            the node it leads to
           visits, available, total
                            times taken, times it could have been, points of the player who takes it

A node is an information set of the searching player: the moves of both, not the hidden cards. Which edges are legal
depends on the sampled world, so an edge counts how often it was available, and the upper confidence bound uses that
count (information-set MCTS).

All worlds hold the searching player's true hand, so results at the other's nodes know it. Where a +4 can be challenged
that would give every lie away: whether the other challenges, and whether it lies itself, is told by the stated policy
and not by results (`stated`). Who moves after a challenge depends on what was shown: a challenge that was right leads
on by an edge of its own, `RIGHT`.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.kernels import apply, can_be_challenged, legal_mask
from uno_pomdp.game.layout import BIT, CHALLENGE, CHALLENGE_BIT, RUNNING, Record, States
from uno_pomdp.game.rng import Stream, Streams
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import HEURISTIC, WITHOUT_NOISE, Policy, Weights, after_coin, choose, wanted_of
from uno_pomdp.policies.rollouts import play_out, points

TREE: Final = np.dtype([("nodes", np.int64), ("edges", np.int64)], align=True)
"""How much of the arrays is used."""
EDGE: Final = np.dtype(
    [
        ("total", np.float64),
        ("visits", np.int32),
        ("available", np.int32),
        ("next", np.int32),
        ("child", np.int32),
        ("action", np.int32),
    ],
    align=True,
)
"""One edge of the tree, 32 bytes."""
DEEPEST: Final = 64
"""The greatest depth of the tree, in moves; what follows is played out."""
NONE: Final = -1
TRUST: Final = 4.0
"""Virtual visits of an edge before its first real one."""
RIPE: Final = 8
"""Visits of an edge before simulations through it go on in the tree."""
RIGHT: Final = 63
"""In place of an action: the challenge was right. It is none, so no player takes it."""
DOUBT: Final = 0.1
"""The prior of an action that the policy does not want, compared with one that it does."""

ROOTS: Final = np.sqrt(np.arange(4096))
"""Square roots of small counts."""

Edges = npt.NDArray[np.void]
Nodes = npt.NDArray[np.int32]


def new_tree(simulations: int, actions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.void], Nodes, Edges]:
    """Return a tree with the root's actions and room for so many nodes more, each with the edge that leads to it."""
    size = len(actions)
    tree = np.zeros(1, TREE)
    tree["nodes"] = size + 1
    tree["edges"] = size
    first = np.empty(simulations + size + 1, np.int32)
    first[: size + 1] = [0] + size * [NONE]
    edges = np.zeros(simulations + size, EDGE)
    edges["action"][:size] = actions
    edges["child"][:size] = np.arange(1, size + 1)
    edges["next"][:size] = [*range(1, size), NONE]
    return tree, first, edges


@inner_kernel
def add_edge(tree: Record, first: Nodes, edges: Edges, node: int, action: int) -> int:
    """Add an edge and the node it leads to; there has to be room."""
    edge = as_int(tree["edges"])
    tree["edges"] = edge + 1
    child = as_int(tree["nodes"])
    tree["nodes"] = child + 1
    first[child] = NONE
    edges[edge]["action"] = action
    edges[edge]["child"] = child
    edges[edge]["next"] = first[node]
    edges[edge]["visits"] = 0
    edges[edge]["available"] = 0
    edges[edge]["total"] = 0.0
    first[node] = edge
    return edge


@inner_kernel
def root_of(count: int) -> float:
    """Return the square root of a count, from a table while it is small."""
    return ROOTS[count] if count < len(ROOTS) else np.sqrt(count)  # type: ignore[no-any-return]


@inner_kernel
def select(
    first: Nodes, edges: Edges, node: int, legal: np.uint64, wanted: np.uint64, mean: float, explore: float
) -> tuple[int, np.uint64]:
    """Return the legal edge with the highest bound, or `NONE` and the untried actions to take one from.

    Bound: mean + explore · prior · √available / (1 + visits). An edge starts with `TRUST` virtual visits at the
    node's mean. The prior of what the policy wants is 1, of anything else `DOUBT`: so the tree first follows
    the policy, and leaves it where results say so.
    """
    best = NONE
    highest = -np.inf
    most = 1
    untried = legal
    edge = as_int(first[node])
    while edge != NONE:
        e = edges[edge]
        if legal & BIT[e["action"]]:
            untried &= ~BIT[e["action"]]
            available = as_int(e["available"]) + 1
            e["available"] = available
            most = available if available > most else most
            prior = explore if wanted & BIT[e["action"]] else explore * DOUBT
            visits = as_int(e["visits"])
            bound = (e["total"] + TRUST * mean) / (visits + TRUST) + prior * root_of(available) / (1 + visits)
            if bound > highest:
                highest = bound
                best = edge
        edge = as_int(e["next"])
    if untried:
        if untried & wanted:
            return NONE, untried & wanted
        if mean + explore * DOUBT * root_of(most) > highest:
            return NONE, untried
    return best, untried


@kernel
def stated(state: Record, legal: np.uint64, policy: Policy, caught: bool, weights: Record, stream: Stream) -> np.uint64:
    """Return what is left for the other player in the tree after its stated policy told of challenges and lies."""
    if legal & CHALLENGE_BIT:
        return CHALLENGE_BIT if caught else BIT[choose(policy, state, legal, weights, stream)]
    if policy & WITHOUT_NOISE == HEURISTIC:
        return after_coin(state, legal, weights, stream)
    return legal


@kernel
def after_right_challenge(tree: Record, first: Nodes, edges: Edges, node: int) -> int:
    """Return the node that follows a challenge if it was right; it is made if there is none."""
    edge = as_int(first[node])
    while edge != NONE and edges[edge]["action"] != RIGHT:
        edge = as_int(edges[edge]["next"])
    if edge == NONE:
        edge = add_edge(tree, first, edges, node, RIGHT)
    return as_int(edges[edge]["child"])


@inner_kernel
def walk(
    state: Record,
    arm: int,
    tree: Record,
    first: Nodes,
    edges: Edges,
    path: npt.NDArray[np.int32],
    movers: npt.NDArray[np.int32],
    policy: Policy,
    weights: Record,
    explore: float,
    caught: bool,
    stream: Stream,
) -> float:
    """Take an edge of the root, walk one world down the tree, add an edge at its rim, play the game out, count.

    Return the points of the player who moves at the root.
    """
    seat = as_int(state["turn"])
    mover = seat
    path[0] = arm
    movers[0] = mover
    depth = 1
    grown = False
    value = (edges[arm]["total"] + 0.5 * TRUST) / (edges[arm]["visits"] + TRUST)
    node = as_int(edges[arm]["child"])
    apply(state, as_int(edges[arm]["action"]))
    if edges[arm]["action"] == CHALLENGE and state["turn"] == seat:
        node = after_right_challenge(tree, first, edges, node)
    while state["status"] == RUNNING and not grown and depth < DEEPEST:
        legal = legal_mask(state)
        if mover != state["turn"]:
            mover = 1 - mover
            value = 1.0 - value
        if mover != seat and can_be_challenged(state["variant"]):
            legal = stated(state, legal, policy, caught and depth == 1, weights, stream)
        wanted = wanted_of(policy, state, legal, weights)
        edge, untried = select(first, edges, node, legal, wanted, value, explore)
        if edge == NONE:
            edge = add_edge(tree, first, edges, node, random_bit(untried, stream))
            edges[edge]["available"] = 1
            grown = True
        else:
            value = (edges[edge]["total"] + TRUST * value) / (edges[edge]["visits"] + TRUST)
            grown = edges[edge]["visits"] < RIPE
        path[depth] = edge
        movers[depth] = mover
        depth += 1
        apply(state, as_int(edges[edge]["action"]))
        node = as_int(edges[edge]["child"])
        if edges[edge]["action"] == CHALLENGE and state["turn"] == mover and not grown:
            node = after_right_challenge(tree, first, edges, node)
    play_out(state, policy, policy, weights, stream)
    for step in range(depth):
        edge = path[step]
        edges[edge]["visits"] += 1
        edges[edge]["total"] += points(state["winner"], movers[step])
    return points(state["winner"], seat)


@kernel
def walk_all(
    worlds: States,
    table: States,
    arms: npt.NDArray[np.int64],
    tree: npt.NDArray[np.void],
    first: Nodes,
    edges: Edges,
    policy: Policy,
    weights: Weights,
    explore: float,
    caught: bool,
    streams: Streams,
    results: npt.NDArray[np.float64],
) -> None:
    """Walk every world down the tree once from each of these edges of the root; write the points."""
    path = np.empty(DEEPEST, np.int32)
    movers = np.empty(DEEPEST, np.int32)
    for w in range(len(worlds)):
        for a in range(len(arms)):
            table[0] = worlds[w]
            results[w, a] = walk(
                table[0], arms[a], tree[0], first, edges, path, movers, policy, weights[0], explore, caught, streams[0]
            )
