"""Simulations of POMCP against a model in Python: the kernel stops where the opponent has a choice, and asks the model.

The tree, its statistics and every step are those of `history_tree.simulate`; only the opponent's choices are made
outside the kernel. A particle is a world with the model's memory in it, for the model is told every move.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.progress import Progress
from uno_pomdp.arrays import Int32s
from uno_pomdp.game.actions import actions_of
from uno_pomdp.game.bindings import legal_one, observe_one
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.information import HistoryTrie, Notes, new_notes, tell
from uno_pomdp.game.kernels import apply_noting, legal_mask
from uno_pomdp.game.layout import NOBODY, OBSERVATION, RUNNING, Record, States
from uno_pomdp.game.rng import Streams, uniform
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import Weights, choose, wanted_of
from uno_pomdp.policies.opponent_models import Memories
from uno_pomdp.pomdp.linear_features import Evaluators
from uno_pomdp.pomdp.linear_value import evaluate
from uno_pomdp.search.pomcp.history_tree import (
    CHOSE,
    DECIDES,
    DEEPEST,
    NodeCounts,
    SimulationModel,
    child_with_room,
    return_after,
    return_up_to,
    select,
    told_node,
)

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
DONE: Final = 0
"""The simulation has ended, and was counted."""
ASKS: Final = 1
"""The opponent has a choice."""
KEEPS: Final = 2
"""The simulation has reached a decision that may become the next root: its world may be kept."""
NO_REPLY: Final = -1
MOST_TOLD: Final = 4096
"""Room for the moves between two choices of the opponent: more than can occur."""


class Particle(NamedTuple):
    """A world, as an array of one, and the memory that the opponent's model has in it."""

    world: States
    """The world."""
    memory: Memories
    """The model's memory in this world."""


class AskedSimulations:
    """Simulates worlds one after the other, asking the model wherever the opponent has a choice."""

    def __init__(
        self,
        environment: SimulationModel,
        weights: Weights,
        evaluators: Evaluators,
        stream: Streams,
        progress: Progress | None = None,
    ) -> None:
        self._environment = environment
        self._weights = weights
        self._evaluators = evaluators
        self._stream = stream
        self._progress = progress
        self._path, self._moves_at = np.empty(2 * DEEPEST, np.int32), np.empty(2 * DEEPEST, np.int32)
        self._told = np.zeros(MOST_TOLD, np.int32)

    def simulate(
        self, particles: Sequence[Particle], root: int, histories: HistoryTrie, counts: NodeCounts
    ) -> list[tuple[int, Particle]]:
        """Simulate once from every particle; return those that came to decisions next to the root, with their nodes."""
        kept: list[tuple[int, Particle]] = []
        for world, memory in particles:
            state, walk = world.copy(), np.zeros(1, WALK)
            self._told[0] = 0
            walk["node"], walk["decides"] = root, True
            reply, status = NO_REPLY, KEEPS
            while status != DONE:
                if self._progress is not None:
                    self._progress.check()  # a model may take long to answer
                status = go_on(
                    state, reply, walk, root, histories, counts, self._environment, self._weights, self._evaluators,
                    self._path, self._moves_at, self._told, self._stream,
                )  # fmt: skip
                if status != DONE:
                    memory = self._remembering(memory)
                if status == KEEPS:
                    kept.append((int(walk["node"][0]), Particle(state.copy(), memory)))
                reply = self._reply(state, memory) if status == ASKS else NO_REPLY
        return kept

    def _remembering(self, memory: Memories) -> Memories:
        """Return the memory after what the model was told since it was last asked."""
        for token in self._told[1 : 1 + int(self._told[0])].tolist():
            memory = memory.told(np.array([token], np.int32))
        self._told[0] = 0
        return memory

    def _reply(self, state: States, memory: Memories) -> int:
        """Return an action drawn from the opponent's policy; the model is asked about no more actions than needed."""
        seen = np.zeros(1, OBSERVATION)
        observe_one(seen, state, 1 - self._environment.seat)
        hands, drawn = seen["hand"], seen["drawn"]
        left, said = uniform_one(self._stream), {}
        for action in actions_of(int(legal_one(state))):
            said[action.id] = float(np.exp(memory.log_probabilities(seen, hands, drawn, action.id)[0]))
            left -= said[action.id]
            if left < 0.0:
                return action.id
        return max(said, key=lambda action: said[action])  # probabilities add up to one, but for rounding


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def uniform_one(streams: Streams) -> float:
    """Return a number uniform over [0, 1) from the first stream."""
    return uniform(streams[0])


@inner_kernel
def act_telling(
    histories: HistoryTrie, state: Record, action: int, seat: int, walk: Record, told: Int32s, notes: Notes
) -> None:
    """Carry out an action; follow what it tells the seat in the tree, and write down what it tells the opponent."""
    apply_noting(state, action, notes.moves[0])
    if state["status"] != RUNNING:
        return
    if not walk["beyond"]:
        walk["node"] = told_node(histories, as_int(walk["node"]), state, seat, notes)
    for nth in range(tell(notes, 1 - seat, True)):
        told[0] += 1
        told[told[0]] = notes.tokens[nth]


@kernel
def go_on(
    states: States,
    reply: int,
    walks: Walks,
    root: int,
    histories: HistoryTrie,
    counts: NodeCounts,
    environment: SimulationModel,
    weights: Weights,
    evaluators: Evaluators,
    path: Int32s,
    moves_at: Int32s,
    told: Int32s,
    streams: Streams,
) -> int:
    """Go on with a simulation, after the opponent's reply if there is one: to its next choice, or to the end."""
    state, walk, seat, notes = states[0], walks[0], environment.seat, new_notes()
    if reply != NO_REPLY:
        act_telling(histories, state, reply, seat, walk, told, notes)
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        alone = not several(legal)
        own = state["turn"] == seat
        if not own and not alone:
            return ASKS
        if own and not alone and not walk["beyond"]:
            if not walk["decides"]:
                walk["decides"] = True
                if walk["node"]:
                    walk["node"] = child_with_room(histories, as_int(walk["node"]), DECIDES)
                if walk["nodes"] == 2 and walk["node"]:
                    return KEEPS
            node, nodes, moves = as_int(walk["node"]), as_int(walk["nodes"]), as_int(walk["moves"])
            if not node or nodes + 2 > len(path):
                walk["beyond"] = True
                continue
            path[nodes] = node
            moves_at[nodes] = moves
            walk["nodes"] = nodes + 1
            if counts.visits[node] == 0 and node != root:
                if environment.leaf:
                    value = evaluate(state, seat, evaluators[0])
                    for step in range(nodes + 1):
                        counts.visits[path[step]] += 1
                        counts.total[path[step]] += return_up_to(value, moves - moves_at[step], environment)
                    return DONE
                walk["beyond"] = True
                continue
            wanted = wanted_of(environment.rollout, state, legal, weights[0])
            action = select(histories, counts, node, legal, wanted, environment.explore, streams[0])
            node = child_with_room(histories, node, CHOSE | action)
            if node:
                path[nodes + 1] = node
                moves_at[nodes + 1] = moves
                walk["nodes"] = nodes + 2
            walk["node"] = node
            act_telling(histories, state, action, seat, walk, told, notes)
            walk["moves"] = moves + 1
            walk["decides"] = False
            continue
        if own:
            walk["moves"] += 1
        action = lowest_bit(legal) if alone else choose(environment.rollout, state, legal, weights[0], streams[0])
        act_telling(histories, state, action, seat, walk, told, notes)
    winner = as_int(state["winner"])
    reward = 0.0 if winner == NOBODY else 1.0 if winner == seat else -1.0
    for step in range(as_int(walk["nodes"])):
        counts.visits[path[step]] += 1
        counts.total[path[step]] += return_after(reward, as_int(walk["moves"]) - moves_at[step], environment)
    return DONE
