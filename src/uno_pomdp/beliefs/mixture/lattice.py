"""Where each configuration of a step came from: the lattice through which histories are sampled backwards."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints
from uno_pomdp.beliefs.evidence import NO_TYPES
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import BIT
from uno_pomdp.jit import as_int, kernel

Snapshot = tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.uint8]]
"""The configurations at one moment: sizes, α, layout, layers (see `mixture`)."""
Links = tuple[Ints, Ints, Ints, Ints, npt.NDArray[np.float64]]
"""Compressed rows: by child, the first of its links. Then for each link: its parent; the group that the card left, by
its first place among the slots of the hand, oldest first, and its size (0 if no card left it); cumulative weights."""

_PRIME = np.uint64(0x100000001B3)
_SEED = np.uint64(0xCBF29CE484222325)
_S29 = np.uint64(29)


@dataclass(frozen=True)
class Change:
    """What a step does to a configuration, in the order of the fields."""

    returned: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(CARD_TYPES, np.uint8))
    """Cards that went back into the draw pile."""
    barred: np.uint64 = NO_TYPES
    """Types that turned out not to be in the hand."""
    card: int = -1
    """The type played or seen; −1 if there is none."""
    from_hand: bool = False
    """Whether that card came from the hand."""
    slots: int = 0
    """Slots opened in a new group."""
    dropped: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Groups that were dropped then, in order."""


def link_all(before: Snapshot, after: Snapshot, change: Change) -> Links:
    """Return the links of a step."""
    sizes, alpha, layout, layers = before
    to_sizes, _, to_layout, to_layers = after
    card, from_hand, slots, dropped = change.card, change.from_hand, change.slots, change.dropped
    goes, copies = follow_layouts(layers, to_layers, card, from_hand, slots, change.barred, change.returned, dropped)
    table = enter_rows(to_sizes, to_layout)
    child, parent, start, count, weight = follow_rows(
        sizes, alpha, layout, goes, copies, to_sizes, to_layout, table, card, from_hand, slots, dropped
    )
    return sort_links(len(to_sizes), child, parent, start, count, weight)


def stay(links: Links) -> bool:
    """Return whether every configuration has itself as its only parent, and no card left the hand."""
    first, parent, _, count, _ = links
    same = len(parent) == len(first) - 1 and not count.any()
    return same and bool((parent == np.arange(len(parent))).all())


class Lattice:
    """The links of all steps one after the other, in arrays that grow: a history is drawn in one walk through them."""

    def __init__(self) -> None:
        self._count = 0
        self._ends = [0] * 5
        self._steps = np.empty((64, 3), np.int64)
        self._links: list[npt.NDArray[Any]] = [np.empty(256, np.int64) for _ in range(4)] + [np.empty(256)]

    def __len__(self) -> int:
        return self._count

    @property
    def steps(self) -> Ints:
        """By step: where its links begin in `first`, −1 if it leaves all as it was; the type played; slots opened."""
        return self._steps[: self._count]

    @property
    def links(self) -> Links:
        """All links; `first` counts over all of them, `parent` within the step."""
        first, parent, start, count, running = (array[:end] for array, end in zip(self._links, self._ends, strict=True))
        return first, parent, start, count, running

    def add(self, links: Links, change: Change) -> None:
        """Add a step."""
        node = -1 if stay(links) else self._ends[0]
        if node >= 0:
            first, *others = links
            for number, new in enumerate((first + self._ends[1], *others)):
                end = self._ends[number] + len(new)
                self._links[number] = with_room(self._links[number], end)
                self._links[number][self._ends[number] : end] = new
                self._ends[number] = end
        self._steps = with_room(self._steps, self._count + 1)
        self._steps[self._count] = node, change.card if change.from_hand else -1, change.slots
        self._count += 1


def with_room(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return the array, or a longer copy if it has fewer rows than this."""
    if size <= len(array):
        return array
    longer = np.empty((2 * size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


@kernel
def follow_layouts(
    layers: npt.NDArray[np.uint8],
    to_layers: npt.NDArray[np.uint8],
    card: int,
    from_hand: bool,
    slots: int,
    barred: np.uint64,
    returned: npt.NDArray[np.uint8],
    dropped: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return by layout and layer of the card: the layout that it leads to (−1 for none), and the card's copies.

    A step without a card has one column.
    """
    layouts, depth, _ = layers.shape
    columns = 1 if card < 0 else depth - 1 if from_hand else depth
    goes = np.empty((layouts, columns), np.int64)
    copies = np.empty((layouts, columns), np.int64)
    work = np.empty((depth + 1, CARD_TYPES), np.uint8)
    for k in range(layouts):
        for column in range(columns):
            goes[k, column] = -1
            copies[k, column] = 1
            for kind in range(CARD_TYPES):
                for layer in range(depth):
                    work[layer, kind] = layers[k, layer, kind]
                work[depth, kind] = 0
                work[depth - 1, kind] += returned[kind]
                if barred & BIT[kind]:
                    for g in range(depth - 1):
                        work[depth - 1, kind] += work[g, kind]
                        work[g, kind] = 0
            if card >= 0:
                copies[k, column] = work[column, card]
                if copies[k, column] == 0:
                    continue
                work[column, card] -= 1
            height = depth + (1 if slots > 0 else 0)
            for d in dropped:
                for kind in range(CARD_TYPES):
                    work[d + 1, kind] += work[d, kind]
                    for g in range(d, height - 1):
                        work[g, kind] = work[g + 1, kind]
                height -= 1
            if height == to_layers.shape[1]:
                goes[k, column] = find_layout(work, to_layers)
    return goes, copies


@kernel
def find_layout(work: npt.NDArray[np.uint8], layers: npt.NDArray[np.uint8]) -> int:
    """Return the number of a layout; −1 if there is none like it."""
    for k in range(len(layers)):
        same = True
        for g in range(layers.shape[1]):
            for card in range(CARD_TYPES):
                if work[g, card] != layers[k, g, card]:
                    same = False
                    break
            if not same:
                break
        if same:
            return k
    return -1


@kernel
def code_row(sizes: npt.NDArray[np.uint8], groups: int, layout: int) -> np.uint64:
    """Return a hash of one configuration."""
    code = _SEED ^ np.uint64(layout)
    for g in range(groups):
        code = (code * _PRIME) ^ np.uint64(sizes[g])
    return code ^ (code >> _S29)


@kernel
def enter_rows(sizes: npt.NDArray[np.uint8], layout: npt.NDArray[np.int32]) -> Ints:
    """Return a hash table of configurations, at most half full; −1 marks an empty place."""
    places = 4
    while places < 2 * len(sizes):
        places *= 2
    table = np.empty(places, np.int64)
    for place in range(places):
        table[place] = -1
    for c in range(len(sizes)):
        place = as_int(code_row(sizes[c], sizes.shape[1], layout[c]) & np.uint64(places - 1))
        while table[place] >= 0:
            place = (place + 1) & (places - 1)
        table[place] = c
    return table


@kernel
def find_row(
    row: npt.NDArray[np.uint8],
    layout: int,
    to_sizes: npt.NDArray[np.uint8],
    to_layout: npt.NDArray[np.int32],
    table: Ints,
) -> int:
    """Return the configuration with these sizes and layout; −1 if it was dropped as negligible."""
    groups = to_sizes.shape[1]
    place = as_int(code_row(row, groups, layout) & np.uint64(len(table) - 1))
    while table[place] >= 0:
        found = table[place]
        same = to_layout[found] == layout
        for g in range(groups):
            same = same and to_sizes[found, g] == row[g]
        if same:
            return as_int(found)
        place = (place + 1) & (len(table) - 1)
    return -1


@kernel
def follow_rows(
    sizes: npt.NDArray[np.uint8],
    alpha: npt.NDArray[np.float64],
    layout: npt.NDArray[np.int32],
    goes: Ints,
    copies: Ints,
    to_sizes: npt.NDArray[np.uint8],
    to_layout: npt.NDArray[np.int32],
    table: Ints,
    card: int,
    from_hand: bool,
    slots: int,
    dropped: Ints,
) -> tuple[Ints, Ints, Ints, Ints, npt.NDArray[np.float64]]:
    """Return for every way a configuration can go: child, parent, the group the card left, α · the step's factor."""
    configurations, groups = sizes.shape
    columns = goes.shape[1]
    most = configurations * columns * (groups if from_hand else 1)
    child, parent = np.empty(most, np.int64), np.empty(most, np.int64)
    start, count = np.empty(most, np.int64), np.empty(most, np.int64)
    weight = np.empty(most, np.float64)
    row = np.empty(groups + 1, np.uint8)
    total = 0
    for c in range(configurations):
        for column in range(columns):
            to = goes[layout[c], column]
            if to < 0:
                continue
            older = 0
            for g in range(groups if from_hand else 1):
                held = as_int(sizes[c, g]) if from_hand else 0
                older += held
                if from_hand and (g < column or held == 0):
                    continue
                for h in range(groups):
                    row[h] = sizes[c, h]
                row[groups] = slots
                if from_hand:
                    row[g] -= 1
                drop_groups(row, groups + (1 if slots > 0 else 0), dropped)
                found = find_row(row, to, to_sizes, to_layout, table)
                if found >= 0:
                    child[total] = found
                    parent[total] = c
                    start[total] = older - held if from_hand else 0
                    count[total] = held
                    factor = copies[layout[c], column] * (held if from_hand else 1)
                    weight[total] = alpha[c] * (factor if card >= 0 else 1)
                    total += 1
    return child[:total], parent[:total], start[:total], count[:total], weight[:total]


@kernel
def drop_groups(row: npt.NDArray[np.uint8], height: int, dropped: Ints) -> None:
    """Drop groups from a row of sizes: each joins the one before it."""
    for d in dropped:
        if d > 0:
            row[d - 1] += row[d]
        for h in range(d, height - 1):
            row[h] = row[h + 1]
        height -= 1


@kernel
def sort_links(
    children: int, child: Ints, parent: Ints, start: Ints, count: Ints, weight: npt.NDArray[np.float64]
) -> tuple[Ints, Ints, Ints, Ints, npt.NDArray[np.float64]]:
    """Return the links in the order of their children, the weights added up within each child."""
    first = np.empty(children + 1, np.int64)
    for c in range(children + 1):
        first[c] = 0
    for c in child:
        first[c + 1] += 1
    for c in range(children):
        first[c + 1] += first[c]
    filled = first[:-1].copy()
    links = len(child)
    parents, starts, counts = np.empty(links, np.int64), np.empty(links, np.int64), np.empty(links, np.int64)
    running = np.empty(links, np.float64)
    for link in range(links):
        c = child[link]
        place = filled[c]
        parents[place] = parent[link]
        starts[place] = start[link]
        counts[place] = count[link]
        running[place] = weight[link] + (running[place - 1] if place > first[c] else 0.0)
        filled[c] += 1
    return first, parents, starts, counts, running
