"""The arrays of a tree while it grows, and the start of the walk."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, Counters, Nodes, Sets, Work
from uno_pomdp.equilibrium.tree.walk import push, walk
from uno_pomdp.game.information import HistoryTrie, begin, grown, new_trie
from uno_pomdp.game.layout import OBSERVATION, STATE, States
from uno_pomdp.jit import kernel
from uno_pomdp.pomdp.deals import Deals, lay_out

NO_ACTION = 255
"""The action of the empty sequences."""


class GrowingTree:
    """Growing arrays that `walk` fills; node 0 is the deal."""

    def __init__(self, spare: int) -> None:
        self.spare = spare
        """The room that one visit may need."""
        self.work = _new_work(4 * spare)
        """The places still to be visited."""
        self.histories = new_trie()
        """The trie of histories."""
        self.set_of = np.full(len(self.histories.parent), -1, np.int32)
        """By history: its information set."""
        self.nodes = _new_nodes(1 << 12)
        """The nodes."""
        self.sets = _new_sets(1 << 10)
        """The information sets."""
        self.actions: npt.NDArray[np.uint8] = np.full(1 << 12, NO_ACTION, np.uint8)
        """By sequence: its action."""
        one = np.ones(1, np.int64)
        self.counters = Counters(nodes=one, sets=0 * one, sequences=2 * one, work=0 * one)
        """How much of these arrays is in use."""

    def walk(self) -> bool:
        """Go on with the walk; False if it needs more room."""
        return walk(
            self.work,
            self.histories,
            self.set_of,
            self.nodes,
            self.sets,
            self.actions,
            self.counters,
            self.spare,
        )

    def make_room(self) -> None:
        """Double each array that is short of room for another visit."""
        counters, needed = self.counters, 2 * self.spare
        if len(self.nodes.parent) - counters.nodes[0] < needed:
            self.nodes = Nodes(*_doubled(self.nodes))
        if len(self.sets.seat) - counters.sets[0] < needed:
            self.sets = Sets(*_doubled(self.sets))
        if len(self.actions) - counters.sequences[0] < needed:
            (self.actions,) = _doubled([self.actions])
        if len(self.work.parent) - counters.work[0] < needed:
            self.work = Work(*_doubled(self.work))
        while len(self.histories.parent) - self.histories.total[0] < 2 * needed:
            self.histories = grown(self.histories)
            more = np.full(len(self.histories.parent) - len(self.set_of), -1, np.int32)
            self.set_of = np.concatenate([self.set_of, more])


def cut(arrays: Iterable[npt.NDArray[Any]], count: int) -> list[Any]:
    """Return copies of the first `count` of each."""
    return [array[:count].copy() for array in arrays]


def _doubled(arrays: Iterable[npt.NDArray[Any]]) -> list[Any]:
    return [np.concatenate([array, np.zeros_like(array)]) for array in arrays]


def _new_nodes(room: int) -> Nodes:
    kinds = (np.int32, np.int8, np.int32, np.float64, np.int32, np.int8, np.float64)
    columns: list[Any] = [np.zeros(room, kind) for kind in kinds]
    nodes = Nodes(*[*columns, np.zeros((room, 2), np.int32)])
    nodes.kind[0] = CHANCE
    nodes.probability[0] = nodes.reach[0] = 1.0
    nodes.information[0] = -1
    nodes.sequence[0] = 0, 1
    return nodes


def _new_sets(room: int) -> Sets:
    columns: list[Any] = [np.zeros(room, kind) for kind in (np.int8, np.int32, np.int32, np.int32, np.int32)]
    return Sets(*[*columns, np.zeros(room, OBSERVATION)])


def _new_work(room: int) -> Work:
    columns: list[Any] = [np.zeros(room, kind) for kind in (STATE, np.int32, np.int32, np.float64, np.float64)]
    pairs = np.zeros((room, 2), np.int32)
    return Work(*[*columns, pairs, pairs.copy(), np.zeros(room, np.int8)])


@kernel
def push_deal(work: Work, counters: Counters, histories: HistoryTrie, undealt: States, deals: Deals, deal: int) -> None:
    """Put the start of one deal on the stack."""
    told, did = np.empty(2, np.int32), np.empty(2, np.int32)
    for seat in range(2):
        told[seat] = begin(histories, seat, deals.top[deal], deals.hands[deal, seat])
        did[seat] = seat
    place = push(work, counters, 0, deal, deals.probability[deal], 1.0, told, did)
    work.state[place] = undealt[0]
    lay_out(work.state[place], deals, deal)
