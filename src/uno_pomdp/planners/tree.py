"""A search tree as arrays, and one walk through it: select, expand, play out, back up.

    node   first            its first edge, −1 for none
    edge   action, next     what it does, and the next edge of the same node
           child            the node it leads to
           visits, available, total
                            times taken, times it could have been, points of the player who takes it

A node stands for what the searching player could tell about the past: the moves of both, not the hidden
cards. Which edges are legal depends on the world that is walked through, so an edge counts how often it was
available, and the upper confidence bound uses that count (information-set tree search).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.policies import Policy, Weights, play_out, wanted_of
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import BIT, RUNNING, Record, States
from uno_pomdp.game.rng import Stream, Streams
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.planners.rollouts import points

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
"""Moves that one walk can go down in the tree; what follows is played out."""
NONE: Final = -1
TRUST: Final = 4.0
"""Imagined visits of an edge before its first real one."""
BONUS: Final = 0.1
"""How much better the policy's own choice is imagined to be."""

LOGS: Final = np.log(np.maximum(np.arange(4096), 1))
"""Logarithms of small counts."""

Edges = npt.NDArray[np.void]
Nodes = npt.NDArray[np.int32]


def new_tree(simulations: int) -> tuple[npt.NDArray[np.void], Nodes, Edges]:
    """Return an empty tree with room for so many walks: each adds at most one node and its one edge."""
    tree = np.zeros(1, TREE)
    tree["nodes"] = 1
    first = np.full(simulations + 2, NONE, np.int32)
    return tree, first, np.zeros(simulations + 1, EDGE)


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
def log_of(count: int) -> float:
    """Return the logarithm of a count, from a table while it is small."""
    return LOGS[count] if count < len(LOGS) else np.log(count)  # type: ignore[no-any-return]


@inner_kernel
def select(
    first: Nodes, edges: Edges, node: int, legal: np.uint64, wanted: np.uint64, mean: float, explore: float
) -> tuple[int, np.uint64]:
    """Return the legal edge with the highest bound, or `NONE` and the untried actions to take one from.

    Bound: mean + explore · √(ln available / visits), where an edge starts with `TRUST` imagined visits. Their
    mean is that of the node, a little more for what the policy wants: so the tree first follows the policy,
    and leaves it where results say so.
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
            e["available"] += 1
            most = max(most, as_int(e["available"]))
            imagined = mean + BONUS if wanted & BIT[e["action"]] else mean
            visits = e["visits"] + TRUST
            bound = (e["total"] + TRUST * imagined) / visits + explore * np.sqrt(log_of(e["available"]) / visits)
            if bound > highest:
                highest = bound
                best = edge
        edge = as_int(e["next"])
    if untried:
        bound = mean + explore * np.sqrt(log_of(most) / TRUST)
        if untried & wanted:
            return NONE, untried & wanted
        if bound > highest:
            return NONE, untried
    return best, untried


@inner_kernel
def walk(
    state: Record,
    tree: Record,
    first: Nodes,
    edges: Edges,
    path: npt.NDArray[np.int32],
    movers: npt.NDArray[np.int32],
    policy: Policy,
    weights: Record,
    explore: float,
    stream: Stream,
) -> None:
    """Walk one world down the tree, add an edge at its rim, play the game out and count the result."""
    node = 0
    depth = 0
    grown = False
    value = 0.5
    mover = as_int(state["turn"])
    while state["status"] == RUNNING and not grown and depth < DEEPEST:
        legal = legal_mask(state)
        if mover != state["turn"]:
            mover = 1 - mover
            value = 1.0 - value
        wanted = wanted_of(policy, state, legal, weights)
        edge, untried = select(first, edges, node, legal, wanted, value, explore)
        if edge == NONE:
            edge = add_edge(tree, first, edges, node, random_bit(untried, stream))
            edges[edge]["available"] = 1
            grown = True
        else:
            value = (edges[edge]["total"] + TRUST * value) / (edges[edge]["visits"] + TRUST)
        path[depth] = edge
        movers[depth] = mover
        depth += 1
        apply(state, as_int(edges[edge]["action"]))
        node = as_int(edges[edge]["child"])
    play_out(state, policy, policy, weights, stream)
    for step in range(depth):
        edge = path[step]
        edges[edge]["visits"] += 1
        edges[edge]["total"] += points(state["winner"], movers[step])


@kernel
def walk_all(
    worlds: States,
    table: States,
    tree: npt.NDArray[np.void],
    first: Nodes,
    edges: Edges,
    policy: Policy,
    weights: Weights,
    explore: float,
    streams: Streams,
) -> None:
    """Walk every world through the tree once."""
    path = np.empty(DEEPEST, np.int32)
    movers = np.empty(DEEPEST, np.int32)
    for w in range(len(worlds)):
        table[0] = worlds[w]
        walk(table[0], tree[0], first, edges, path, movers, policy, weights[0], explore, streams[0])
