"""The tree of POMCP: action–observation histories of one seat, and one simulation through it.

A history is a node of a trie (`game.information`). A decision is followed by the action chosen, and then by what the
seat observes until it has to decide again: its own draws, each move of the opponent. Nodes after a decision and nodes
at a decision both count visits and returns. The opponent is part of the environment: it moves by its policy.

    return at a decision = Σ γᵏ rₖ over the own actions k that follow, forced ones included; r = −λ each, ±1 at the end

With V at the leaves the sum ends at a new history, after k own actions, with γᵏ V in place of what would follow; where
cards are owed, of which V knows nothing, the game is played out.

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


@inner_kernel
def act(histories: HistoryTrie, node: int, state: Record, action: int, seat: int, notes: Notes) -> int:
    """Carry out an action of the player to move; return the history after what it tells the seat."""
    apply_noting(state, action, notes.moves[0])
    return told_node(histories, node, state, seat, notes)


@kernel
def told_node(histories: HistoryTrie, node: int, state: Record, seat: int, notes: Notes) -> int:
    """Return the history after what the last move told the seat; `NONE` for one that is lost, and at the end."""
    if node == NONE or state["status"] != RUNNING:
        return node
    for nth in range(tell(notes, seat, False)):
        node = child_with_room(histories, node, as_int(notes.tokens[nth])) if node else NONE
    return node


@inner_kernel
def until_decision(
    histories: HistoryTrie,
    node: int,
    state: Record,
    environment: SimulationModel,
    weights: Record,
    stream: Stream,
    notes: Notes,
) -> tuple[int, int]:
    """Let forced moves and the opponent's moves happen; return the next decision, and the own moves before it.

    `NONE` for a history that was lost because the tree is full.
    """
    seat = environment.seat
    forced = 0
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        alone = not several(legal)
        if state["turn"] == seat:
            if not alone:
                return child_with_room(histories, node, DECIDES) if node else NONE, forced
            forced += 1
        action = lowest_bit(legal) if alone else choose(environment.model, state, legal, weights, stream)
        node = act(histories, node, state, action, seat, notes)
    return node, forced


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


@inner_kernel
def simulate(
    state: Record,
    root: int,
    histories: HistoryTrie,
    counts: NodeCounts,
    kept: KeptParticles,
    environment: SimulationModel,
    weights: Record,
    evaluator: Record,
    path: npt.NDArray[np.int32],
    moves_at: npt.NDArray[np.int32],
    stream: Stream,
    notes: Notes,
) -> None:
    """Run one simulation: select, expand, evaluate the leaf by a rollout or by V, and back the return up."""
    node = root
    nodes = 0
    moves = 0
    fresh = False
    while state["status"] == RUNNING and node and not fresh and nodes + 2 <= len(path):
        fresh = counts.visits[node] == 0 and node != root
        path[nodes] = node
        moves_at[nodes] = moves
        nodes += 1
        if fresh:
            break
        legal = legal_mask(state)
        wanted = wanted_of(environment.rollout, state, legal, weights)
        action = select(histories, counts, node, legal, wanted, environment.explore, stream)
        node = child_with_room(histories, node, CHOSE | action)
        if node:
            path[nodes] = node
            moves_at[nodes] = moves
            nodes += 1
        node = act(histories, node, state, action, environment.seat, notes)
        moves += 1
        node, forced = until_decision(histories, node, state, environment, weights, stream, notes)
        moves += forced
        if nodes == 2 and node and state["status"] == RUNNING:
            keep_particle(kept, state, node)
    if fresh and environment.leaf and state["penalty"] == 0:
        value = evaluate(state, environment.seat, evaluator)
        for step in range(nodes):
            counts.visits[path[step]] += 1
            counts.total[path[step]] += return_up_to(value, moves - moves_at[step], environment)
        return
    rollout, model = environment.rollout, environment.model
    own = environment.seat
    moves += play_out(state, model if own else rollout, rollout if own else model, weights, stream)[own]
    winner = as_int(state["winner"])
    reward = 0.0 if winner == NOBODY else 1.0 if winner == environment.seat else -1.0
    for step in range(nodes):
        counts.visits[path[step]] += 1
        counts.total[path[step]] += return_after(reward, moves - moves_at[step], environment)


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
    path = np.empty(2 * DEEPEST, np.int32)
    moves_at = np.empty(2 * DEEPEST, np.int32)
    notes = new_notes()
    for w in range(len(worlds)):
        table[0] = worlds[w]
        simulate(
            table[0],
            root,
            histories,
            counts,
            kept,
            environment,
            weights[0],
            evaluators[0],
            path,
            moves_at,
            streams[0],
            notes,
        )
