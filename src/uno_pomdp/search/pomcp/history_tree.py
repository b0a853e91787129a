"""The tree of POMCP: action–observation histories of one seat, and one simulation through it.

A history is a node of a trie (`game.information`). A decision is followed by the action chosen, and then by what the
seat observes until it has to decide again: its own draws, each move of the opponent. Nodes after a decision and nodes
at a decision both count visits and returns. The opponent is part of the environment: it moves by its policy.

    return at a decision = Σ γᵏ rₖ over the own actions k that follow, forced ones included; r = −λ each, ±1 at the end

With V at the leaves the sum ends at a new history, after k own actions, with γᵏ V in place of what would follow; where
cards are owed, of which V knows nothing, the game is played out.

The opponent is asked inside the kernel where its policy is known there; else the simulation pauses, and whoever runs it
says what the opponent does and calls it again.

What an action tells a seat is what `game.information.tell` says, but for the seat's own actions: these are choices.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.game.bits import lowest_bit, random_bit, several
from uno_pomdp.game.information import (
    HistoryTrie,
    Notes,
    Token,
    child_of,
    find_child,
    grown,
    new_notes,
    new_trie,
    tell,
)
from uno_pomdp.game.kernels import apply_noting, legal_mask
from uno_pomdp.game.layout import (
    BIT,
    NOBODY,
    RUNNING,
    Record,
    States,
)
from uno_pomdp.game.rng import Stream, Streams
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import Policy, Weights, choose, wanted_of
from uno_pomdp.policies.rollouts import play_out
from uno_pomdp.pomdp.linear_features import Evaluators
from uno_pomdp.pomdp.linear_value import evaluate
from uno_pomdp.pomdp.returns import return_at_end, return_with_value

DECIDES: Final[Token] = 7 << 24
"""The seat has a choice; parts the history at the decision from the same history after what was chosen before."""
CHOSE: Final[Token] = 8 << 24
"""What the seat chose, where it had a choice: the action's id is added."""
DEEPEST: Final = 128
"""The greatest depth of the tree, in own decisions; what follows is played out."""
SPARE: Final = 256
"""Nodes that one simulation adds at most: it stops growing the tree when fewer are left."""
LARGEST: Final = 1 << 21
"""The most nodes of a tree; once it has them, simulations go on without adding any."""
NONE: Final = 0
_ONE = np.uint64(1)
_NOTHING = np.uint64(0)


NO_POLICY: Final[Policy] = -1
"""The policy of an opponent that has to be asked outside the kernels."""
NO_REPLY: Final = -1
"""Nobody was asked."""
DONE: Final = 0
"""The simulation has ended, and was counted."""
ASKS: Final = 1
"""The opponent has a choice."""
KEEPS: Final = 2
"""The simulation has reached a decision that may become the next root: its world may be kept."""
MOST_TOLD: Final = 4096
"""Room for what the moves between two choices of the opponent tell it: more than can occur."""
WALK: Final = np.dtype(
    [
        ("node", np.int64),  # where in the tree it is
        ("nodes", np.int64),  # how many nodes it came through
        ("moves", np.int64),  # own moves so far
        ("decides", np.bool_),  # whether the node is that of the decision at hand
        ("beyond", np.bool_),  # whether it has left the tree
    ]
)
"""One simulation under way."""
Walks = npt.NDArray[np.void]


class NodeCounts(NamedTuple):
    """What is counted at each node of the trie."""

    visits: npt.NDArray[np.int32]
    """Simulations that came through."""
    total: npt.NDArray[np.float64]
    """The sum of their returns."""


class KeptParticles(NamedTuple):
    """Particles: worlds of simulations that reached one of the decisions that may become the next root."""

    worlds: States
    """The worlds."""
    node: npt.NDArray[np.int32]
    """The node of the history that each has reached."""
    used: npt.NDArray[np.int64]
    """How many there are, as an array of one."""


class SimulationModel(NamedTuple):
    """The parameters of a simulation, beside the tree."""

    seat: int
    """The seat that plans."""
    model: Policy
    """The opponent's policy."""
    rollout: Policy
    """The rollout policy: what the planning seat plays beyond the tree."""
    explore: float
    """The weight of the exploration bonus (UCB1)."""
    discount: float
    """The discount γ."""
    step_penalty: float
    """The cost λ of each own action."""
    leaf: bool = False
    """Whether V is asked at a new history, instead of playing the game out."""


class Scratch(NamedTuple):
    """Scratch of the simulations, one after the other."""

    path: npt.NDArray[np.int32]
    """The nodes that the simulation came through."""
    moves_at: npt.NDArray[np.int32]
    """Own moves before each of them."""
    told: npt.NDArray[np.int32]
    """What the opponent was told since it was last asked: how many tokens, then these."""
    notes: Notes
    """The last move."""


@kernel
def new_scratch() -> Scratch:
    """Return scratch for simulations."""
    told = np.empty(MOST_TOLD, np.int32)
    told[0] = 0
    return Scratch(np.empty(2 * DEEPEST, np.int32), np.empty(2 * DEEPEST, np.int32), told, new_notes())


def new_counts(histories: HistoryTrie) -> NodeCounts:
    """Return statistics that are zero, for all nodes there is room for."""
    room = len(histories.parent)
    return NodeCounts(np.zeros(room, np.int32), np.zeros(room))


def new_tree() -> tuple[HistoryTrie, NodeCounts]:
    """Return the tree of the empty history."""
    histories = new_trie()
    return histories, new_counts(histories)


def with_room(histories: HistoryTrie, counts: NodeCounts, nodes: int) -> tuple[HistoryTrie, NodeCounts]:
    """Return the tree with room for so many more nodes, up to the largest tree."""
    while len(histories.parent) < min(int(histories.total[0]) + nodes, LARGEST):
        histories = grown(histories)
        wide = new_counts(histories)
        wide.visits[: len(counts.visits)] = counts.visits
        wide.total[: len(counts.total)] = counts.total
        counts = wide
    return histories, counts


# --- one step of the decision process --------------------------------------------------------------------


@kernel
def told_node(histories: HistoryTrie, node: int, state: Record, seat: int, notes: Notes) -> int:
    """Return the history after what the last move told the seat; `NONE` for one that is lost, and at the end."""
    if node == NONE or state["status"] != RUNNING:
        return node
    for nth in range(tell(notes, seat, False)):
        node = child_with_room(histories, node, as_int(notes.tokens[nth])) if node else NONE
    return node


@inner_kernel
def child_with_room(histories: HistoryTrie, node: int, token: Token) -> int:
    """Return the history with one token more; `NONE` if it is new and the tree is full."""
    if histories.total[0] + SPARE < len(histories.parent):
        return child_of(histories, node, token)
    return find_child(histories, node, token)


# --- select, simulate, back up ---------------------------------------------------------------------------


@inner_kernel
def select(
    histories: HistoryTrie,
    counts: NodeCounts,
    node: int,
    legal: np.uint64,
    wanted: np.uint64,
    explore: float,
    stream: Stream,
) -> int:
    """Return the action with the highest q + explore · √(ln N / n); untried ones first, the policy's before others."""
    visits = as_int(counts.visits[node])
    log_visits = np.log(visits if visits > 0 else 1)
    best = -1
    highest = -np.inf
    untried = _NOTHING
    left = legal
    while left:
        action = lowest_bit(left)
        left &= left - _ONE
        child = find_child(histories, node, CHOSE | action)
        visits = as_int(counts.visits[child]) if child else 0
        if visits == 0:
            untried |= BIT[action]
            continue
        bound = counts.total[child] / visits + explore * np.sqrt(log_visits / visits)
        if bound > highest:
            highest = bound
            best = action
    if untried & wanted:
        untried &= wanted
    return random_bit(untried, stream) if untried else best


@kernel
def begin_walk(walks: Walks, root: int) -> None:
    """Begin a simulation at a decision."""
    walk = walks[0]
    walk["node"] = root
    walk["nodes"] = 0
    walk["moves"] = 0
    walk["decides"] = True
    walk["beyond"] = False


@inner_kernel
def go_on(
    state: Record,
    reply: int,
    walk: Record,
    root: int,
    histories: HistoryTrie,
    counts: NodeCounts,
    environment: SimulationModel,
    weights: Record,
    evaluator: Record,
    scratch: Scratch,
    stream: Stream,
) -> int:
    """Go on with a simulation: select, expand, evaluate the leaf by a rollout or by V, and back the return up.

    Return `DONE`, or why it pauses: `KEEPS` at a decision next to the root; `ASKS` where the opponent has a choice that
    no kernel can make, and is to be called again with its `reply`.
    """
    seat, asks = environment.seat, environment.model == NO_POLICY
    path, moves_at = scratch.path, scratch.moves_at
    node, nodes, moves = as_int(walk["node"]), as_int(walk["nodes"]), as_int(walk["moves"])
    decides, beyond = bool(walk["decides"]), bool(walk["beyond"])
    leaf = False
    while state["status"] == RUNNING:
        own = state["turn"] == seat
        if beyond and not asks:
            rollout, model = environment.rollout, environment.model
            moves += play_out(state, model if seat else rollout, rollout if seat else model, weights, stream)[seat]
            break
        legal = legal_mask(state)
        alone = not several(legal)
        if reply != NO_REPLY:
            action = reply
            reply = NO_REPLY
        elif alone:
            action = lowest_bit(legal)
        elif not own:
            if asks:
                pause(walk, node, nodes, moves, decides, beyond)
                return ASKS
            action = choose(environment.model, state, legal, weights, stream)
        elif beyond:
            action = choose(environment.rollout, state, legal, weights, stream)
        else:
            if not decides:
                decides = True
                node = child_with_room(histories, node, DECIDES) if node else NONE
                if nodes == 2 and node:
                    pause(walk, node, nodes, moves, decides, beyond)
                    return KEEPS
            if not node or nodes + 2 > len(path):
                beyond = True
                continue
            path[nodes] = node
            moves_at[nodes] = moves
            nodes += 1
            if counts.visits[node] == 0 and node != root:
                leaf = environment.leaf and state["penalty"] == 0
                if leaf:
                    break
                beyond = True
                continue
            wanted = wanted_of(environment.rollout, state, legal, weights)
            action = select(histories, counts, node, legal, wanted, environment.explore, stream)
            decides = False
            node = child_with_room(histories, node, CHOSE | action)
            if node:
                path[nodes] = node
                moves_at[nodes] = moves
                nodes += 1
        moves += as_int(own)
        apply_noting(state, action, scratch.notes.moves[0])
        if not beyond:
            node = told_node(histories, node, state, seat, scratch.notes)
        if asks and state["status"] == RUNNING:
            tell_model(scratch, 1 - seat)
    if leaf:
        value = evaluate(state, seat, evaluator)
        for step in range(nodes):
            counts.visits[path[step]] += 1
            counts.total[path[step]] += return_up_to(value, moves - moves_at[step], environment)
        return DONE
    winner = as_int(state["winner"])
    reward = 0.0 if winner == NOBODY else 1.0 if winner == seat else -1.0
    for step in range(nodes):
        counts.visits[path[step]] += 1
        counts.total[path[step]] += return_after(reward, moves - moves_at[step], environment)
    return DONE


@inner_kernel
def pause(walk: Record, node: int, nodes: int, moves: int, decides: bool, beyond: bool) -> None:
    """Write down where a simulation is."""
    walk["node"] = node
    walk["nodes"] = nodes
    walk["moves"] = moves
    walk["decides"] = decides
    walk["beyond"] = beyond


@kernel
def tell_model(scratch: Scratch, seat: int) -> None:
    """Write down what the last move tells the opponent's model."""
    told = scratch.told
    for nth in range(tell(scratch.notes, seat, True)):
        told[0] += 1
        told[told[0]] = scratch.notes.tokens[nth]


@inner_kernel
def return_after(reward: float, moves: int, environment: SimulationModel) -> float:
    """Return Σ γᵏ rₖ for a game that ends with the last of so many own moves."""
    return return_at_end(reward, moves, environment.discount, environment.step_penalty)


@inner_kernel
def return_up_to(value: float, moves: int, environment: SimulationModel) -> float:
    """Return Σ γᵏ rₖ over so many own moves, and γ to their number times the value of what follows."""
    return return_with_value(value, moves, environment.discount, environment.step_penalty)


@inner_kernel
def keep_particle(kept: KeptParticles, state: Record, node: int) -> None:
    """Keep a world as a particle of a possible next root, while there is room."""
    used = as_int(kept.used[0])
    if used < len(kept.node):
        kept.worlds[used] = state
        kept.node[used] = node
        kept.used[0] = used + 1


@kernel
def simulate_all(
    worlds: States,
    table: States,
    root: int,
    histories: HistoryTrie,
    counts: NodeCounts,
    kept: KeptParticles,
    environment: SimulationModel,
    weights: Weights,
    evaluators: Evaluators,
    streams: Streams,
) -> None:
    """Simulate once from every world."""
    scratch = new_scratch()
    walks = np.empty(1, WALK)
    walk = walks[0]
    for w in range(len(worlds)):
        table[0] = worlds[w]
        begin_walk(walks, root)
        while (
            go_on(
                table[0],
                NO_REPLY,
                walk,
                root,
                histories,
                counts,
                environment,
                weights[0],
                evaluators[0],
                scratch,
                streams[0],
            )
            == KEEPS
        ):
            keep_particle(kept, table[0], as_int(walk["node"]))


@kernel
def go_on_one(
    states: States,
    reply: int,
    walks: Walks,
    root: int,
    histories: HistoryTrie,
    counts: NodeCounts,
    environment: SimulationModel,
    weights: Weights,
    evaluators: Evaluators,
    scratch: Scratch,
    streams: Streams,
) -> int:
    """Go on with the simulation in the first record: see `go_on`."""
    return go_on(
        states[0],
        reply,
        walks[0],
        root,
        histories,
        counts,
        environment,
        weights[0],
        evaluators[0],
        scratch,
        streams[0],
    )
