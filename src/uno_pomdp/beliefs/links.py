"""Where each configuration of a step came from: the lattice through which histories are sampled backwards."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import BIT
from uno_pomdp.jit import as_int, kernel

Snapshot = tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.uint8]]
"""The configurations at one moment: sizes, α, layout, layers (see `mixture`)."""
Links = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int8], npt.NDArray[np.float64]]
"""By child the first of its links; then for each link its parent, the group the card left, running weights."""

NO_TYPES = np.uint64(0)
_PRIME = np.uint64(0x100000001B3)
_SEED = np.uint64(0xCBF29CE484222325)


@dataclass(frozen=True)
class Change:
    """What a step does to a configuration: all that follows, in the order in which it is done."""

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
    card, from_hand, slots, dropped = change.card, change.from_hand, change.slots, change.dropped
    sizes, alpha, layout, layers = before
    to_sizes, _, to_layout, to_layers = after
    goes, copies = follow_layouts(layers, to_layers, card, from_hand, slots, change.barred, change.returned, dropped)
    codes = code_rows(to_sizes, to_layout)
    order = np.argsort(codes, kind="stable")
    parent, child, group, weight = follow_rows(
        sizes, alpha, layout, goes, copies, to_sizes, to_layout, codes[order], order, card, from_hand, slots, dropped
    )
    by_child = np.argsort(child, kind="stable")
    first = np.searchsorted(child[by_child], np.arange(len(to_sizes) + 1))
    running = weight[by_child]
    run_up(first, running)
    return first.astype(np.int64), parent[by_child], group[by_child], running


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
    goes = np.full((layouts, columns), -1, np.int64)
    copies = np.ones((layouts, columns), np.int64)
    work = np.zeros((depth + 1, CARD_TYPES), np.uint8)
    for k in range(layouts):
        for column in range(columns):
            work[:depth] = layers[k]
            work[depth] = 0
            work[depth - 1] += returned
            for kind in range(CARD_TYPES):
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
                work[d + 1] += work[d]
                for g in range(d, height - 1):
                    work[g] = work[g + 1]
                height -= 1
            for other in range(len(to_layers)):
                if height == to_layers.shape[1] and (work[:height] == to_layers[other]).all():
                    goes[k, column] = other
                    break
    return goes, copies


@kernel
def code_row(sizes: npt.NDArray[np.uint8], groups: int, layout: int) -> np.uint64:
    """Return a hash of one configuration."""
    code = _SEED ^ np.uint64(layout)
    for g in range(groups):
        code = (code * _PRIME) ^ np.uint64(sizes[g])
    return code


@kernel
def code_rows(sizes: npt.NDArray[np.uint8], layout: npt.NDArray[np.int32]) -> npt.NDArray[np.uint64]:
    """Return a hash of each configuration."""
    codes = np.empty(len(sizes), np.uint64)
    for c in range(len(sizes)):
        codes[c] = code_row(sizes[c], sizes.shape[1], layout[c])
    return codes


@kernel
def find_row(
    row: npt.NDArray[np.uint8],
    layout: int,
    to_sizes: npt.NDArray[np.uint8],
    to_layout: npt.NDArray[np.int32],
    codes: npt.NDArray[np.uint64],
    order: npt.NDArray[np.int64],
) -> int:
    """Return the configuration with these sizes and layout; −1 if it was dropped as negligible."""
    groups = to_sizes.shape[1]
    code = code_row(row, groups, layout)
    place = as_int(np.searchsorted(codes, code))
    while place < len(codes) and codes[place] == code:
        found = order[place]
        if to_layout[found] == layout and (to_sizes[found] == row[:groups]).all():
            return as_int(found)
        place += 1
    return -1


@kernel
def follow_rows(
    sizes: npt.NDArray[np.uint8],
    alpha: npt.NDArray[np.float64],
    layout: npt.NDArray[np.int32],
    goes: npt.NDArray[np.int64],
    copies: npt.NDArray[np.int64],
    to_sizes: npt.NDArray[np.uint8],
    to_layout: npt.NDArray[np.int32],
    codes: npt.NDArray[np.uint64],
    order: npt.NDArray[np.int64],
    card: int,
    from_hand: bool,
    slots: int,
    dropped: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int8], npt.NDArray[np.float64]]:
    """Return for every way a configuration can go: parent, child, the group the card left, α times the factor."""
    count, groups = sizes.shape
    columns = goes.shape[1]
    most = count * columns * (groups if from_hand else 1)
    parent, child = np.empty(most, np.int64), np.empty(most, np.int64)
    group, weight = np.empty(most, np.int8), np.empty(most, np.float64)
    row = np.zeros(groups + 1, np.uint8)
    total = 0
    for c in range(count):
        for column in range(columns):
            to = goes[layout[c], column]
            if to < 0:
                continue
            for g in range(column if from_hand else groups - 1, groups):
                held = as_int(sizes[c, g])
                if from_hand and held == 0:
                    continue
                row[:groups] = sizes[c]
                row[groups] = slots
                if from_hand:
                    row[g] -= 1
                height = groups + (1 if slots > 0 else 0)
                for d in dropped:
                    if d > 0:
                        row[d - 1] += row[d]
                    for h in range(d, height - 1):
                        row[h] = row[h + 1]
                    height -= 1
                found = find_row(row, to, to_sizes, to_layout, codes, order)
                if found >= 0:
                    parent[total] = c
                    child[total] = found
                    group[total] = g if from_hand else -1
                    factor = copies[layout[c], column] * (held if from_hand else 1)
                    weight[total] = alpha[c] * (factor if card >= 0 else 1)
                    total += 1
    return parent[:total], child[:total], group[:total], weight[:total]


@kernel
def run_up(first: npt.NDArray[np.int64], weight: npt.NDArray[np.float64]) -> None:
    """Add weights up within each child's links, in place."""
    for child in range(len(first) - 1):
        for link in range(first[child] + 1, first[child + 1]):
            weight[link] += weight[link - 1]
