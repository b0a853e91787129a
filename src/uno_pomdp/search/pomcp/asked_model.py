"""Simulations of POMCP against a model in Python, which is asked where the opponent has a choice: the kernel pauses.

A particle is a world with the model's memory in it, for the model is told every move.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uno_pomdp.agents.progress import Progress
from uno_pomdp.game.actions import actions_of
from uno_pomdp.game.bindings import legal_one, observe_one
from uno_pomdp.game.information import HistoryTrie
from uno_pomdp.game.layout import OBSERVATION, States
from uno_pomdp.game.rng import Streams, uniform
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import Weights
from uno_pomdp.policies.opponent_models import Memories
from uno_pomdp.pomdp.linear_features import Evaluators
from uno_pomdp.search.pomcp.history_tree import (
    ASKS,
    DONE,
    KEEPS,
    NO_REPLY,
    WALK,
    NodeCounts,
    SimulationModel,
    begin_walk,
    go_on_one,
    new_scratch,
)


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
        self._scratch = new_scratch()
        self._told = self._scratch.told

    def simulate(
        self, particles: Sequence[Particle], root: int, histories: HistoryTrie, counts: NodeCounts
    ) -> list[tuple[int, Particle]]:
        """Simulate once from every particle; return those that came to decisions next to the root, with their nodes."""
        kept: list[tuple[int, Particle]] = []
        for world, memory in particles:
            state, walk = world.copy(), np.zeros(1, WALK)
            self._told[0] = 0
            begin_walk(walk, root)
            reply, status = NO_REPLY, KEEPS
            while status != DONE:
                if self._progress is not None:
                    self._progress.check()  # a model may take long to answer
                status = go_on_one(
                    state, reply, walk, root, histories, counts, self._environment, self._weights, self._evaluators,
                    self._scratch, self._stream,
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
