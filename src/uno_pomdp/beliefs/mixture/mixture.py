"""The closed form as kernels: a mixture of nested-group configurations, in plain floating point.

`groups` holds the same with exact integers and is the module to read first. Here a configuration is a row
of group sizes and the number of the *layout* it shares with others: before the first reshuffle all
configurations have one layout and differ in their sizes alone. Multiplicities α are kept relative to the
largest; numbers of assignments W are products of factorials, at most 108! ≈ 1e174, so no logarithm is
needed. Configurations below `NEGLIGIBLE` of the total are dropped.

    sizes    [configurations, groups]      cards of the hand in each group, oldest first
    alpha    [configurations]              multiplicity
    layout   [configurations]              which layout
    layers   [layouts, groups + 1, 54]     unseen cards by the oldest group that may hold them; last: none may
    within   [layouts, groups + 1]         M: cards in this layer and those before it
    weights  [configurations]              P(configuration)
    dropped  [drops]                       the groups that the last `tidy` dropped, in that order

One record holds it all, in places for a given number of each; what does not fit is reported, never dropped,
and the caller moves to a larger record (`grown`). `updates` holds what happens to it in a game.
"""

import math
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import CARD_TYPES, MAX_CARDS
from uno_pomdp.jit import as_int, kernel

Mixtures = npt.NDArray[np.void]
"""An array of mixture records."""
Mixture = Any
"""One of them, inside a kernel."""

NEGLIGIBLE: Final = 1e-12
"""A configuration with less than this share of the whole is dropped."""
FACTORIAL: Final = np.array([float(math.factorial(n)) for n in range(MAX_CARDS + 1)])
INVERSE: Final = 1.0 / FACTORIAL
_PRIME = np.uint64(0x100000001B3)
_SEED = np.uint64(0xCBF29CE484222325)
_S29 = np.uint64(29)


def mixture_dtype(scale: int = 1) -> np.dtype[np.void]:
    """Return a record for 2,048 configurations, 24 groups and 64 layouts, or `scale` times as many."""
    return sized_mixture(2048 * scale, 24 * scale, 64 * scale)


@cache
def sized_mixture(configurations: int, groups: int, layouts: int) -> np.dtype[np.void]:
    """Return a record with so many places; the configurations are a power of two, at least 2."""
    return np.dtype(
        [
            ("configurations", np.int64),
            ("groups", np.int64),
            ("layouts", np.int64),
            ("alpha", np.float64, (configurations,)),
            ("weights", np.float64, (configurations,)),
            ("drops", np.int64),
            ("dropped", np.int64, (groups,)),
            ("within", np.int64, (layouts, groups + 1)),
            ("number", np.int64, (layouts, groups + 1)),
            ("table", np.int32, (2 * configurations,)),
            ("layout", np.int32, (configurations,)),
            ("sizes", np.uint8, (configurations, groups)),
            ("layers", np.uint8, (layouts, groups + 1, CARD_TYPES)),
        ],
        align=True,
    )


@kernel
def begin(mixtures: Mixtures, unseen: npt.NDArray[np.uint8], size: int) -> None:
    """Write the mixture at the deal into the first record: one group, which may hold any unseen card."""
    m = mixtures[0]
    m["configurations"] = m["groups"] = m["layouts"] = 1
    m["alpha"][0] = 1.0
    m["layout"][0] = 0
    m["sizes"][0, 0] = size
    for card in range(CARD_TYPES):
        m["layers"][0, 0, card] = unseen[card]
        m["layers"][0, 1, card] = 0
    weigh(m)


# --- W, weights ------------------------------------------------------------------------------------------


@kernel
def assignments(m: Mixture, c: int) -> float:
    """Return W = Π_g (M_g − N_g)! / (M_g − N_g − n_g)! of one configuration; 0 where a group can't be filled."""
    count = 1.0
    older = 0
    k = m["layout"][c]
    for g in range(m["groups"]):
        n = as_int(m["sizes"][c, g])
        if n > 0:
            free = m["within"][k, g] - older
            if free < n:
                return 0.0
            count *= FACTORIAL[free] * INVERSE[free - n]
            older += n
    return count


@kernel
def weigh(m: Mixture) -> float:
    """Write M and P(configuration) ∝ α · W; return the sum before normalising, 0 if nothing is possible."""
    for k in range(m["layouts"]):
        total = 0
        for g in range(m["groups"] + 1):
            for card in range(CARD_TYPES):
                total += as_int(m["layers"][k, g, card])
            m["within"][k, g] = total
    whole = 0.0
    for c in range(m["configurations"]):
        weight = m["alpha"][c] * assignments(m, c)
        m["weights"][c] = weight
        whole += weight
    if whole > 0.0:
        for c in range(m["configurations"]):
            m["weights"][c] /= whole
    return whole


# --- keeping it small ------------------------------------------------------------------------------------


@kernel
def table_size(m: Mixture, rows: int) -> int:
    """Return the number of places to use for hashing so many rows, after clearing them."""
    most = len(m["table"])
    size = 4
    while size < most and size < 2 * rows:
        size *= 2
    for place in range(size):
        m["table"][place] = -1
    return size


@kernel
def same_row(m: Mixture, first: int, second: int) -> bool:
    """Return whether two configurations are equal but for α."""
    if m["layout"][first] != m["layout"][second]:
        return False
    for g in range(m["groups"]):
        if m["sizes"][first, g] != m["sizes"][second, g]:
            return False
    return True


@kernel
def enter_row(m: Mixture, row: int, places: int) -> bool:
    """Hash a row that lies behind all distinct ones: add its α to an equal row, or keep it as a new one (True)."""
    code = _SEED ^ np.uint64(m["layout"][row])
    for g in range(m["groups"]):
        code = (code * _PRIME) ^ np.uint64(m["sizes"][row, g])
    place = as_int((code ^ (code >> _S29)) & np.uint64(places - 1))
    while m["table"][place] >= 0:
        other = m["table"][place]
        if same_row(m, other, row):
            m["alpha"][other] += m["alpha"][row]
            return False
        place = (place + 1) & (places - 1)
    m["table"][place] = row
    return True


@kernel
def copy_row(m: Mixture, target: int, source: int) -> None:
    """Copy a configuration to another place."""
    m["alpha"][target] = m["alpha"][source]
    m["weights"][target] = m["weights"][source]
    m["layout"][target] = m["layout"][source]
    for g in range(m["groups"]):
        m["sizes"][target, g] = m["sizes"][source, g]


@kernel
def copy_layer(target: Mixture, k: int, g: int, source: Mixture, from_k: int, from_g: int) -> None:
    """Copy a layer of a layout to another place, in a loop: array assignment would compile messages on shapes."""
    for card in range(CARD_TYPES):
        target["layers"][k, g, card] = source["layers"][from_k, from_g, card]


@kernel
def merge(m: Mixture) -> None:
    """Add up configurations that have become equal."""
    if m["configurations"] == 1:
        return
    places = table_size(m, m["configurations"])
    different = 0
    for c in range(m["configurations"]):
        if different != c:
            copy_row(m, different, c)
        if enter_row(m, different, places):
            different += 1
    m["configurations"] = different


@kernel
def same_layout(m: Mixture, first: int, second: int) -> bool:
    """Return whether two layouts are equal."""
    for g in range(m["groups"] + 1):
        for card in range(CARD_TYPES):
            if m["layers"][first, g, card] != m["layers"][second, g, card]:
                return False
    return True


@kernel
def merge_layouts(m: Mixture) -> None:
    """Make layouts that have become equal one, then the configurations that are equal with it."""
    if m["layouts"] == 1:
        return
    different = 0
    for k in range(m["layouts"]):
        for g in range(m["groups"] + 1):
            copy_layer(m, different, g, m, k, g)
        found = 0
        while found < different and not same_layout(m, found, different):
            found += 1
        m["number"][k, 0] = found
        if found == different:
            different += 1
    m["layouts"] = different
    for c in range(m["configurations"]):
        m["layout"][c] = m["number"][m["layout"][c], 0]
    merge(m)


@kernel
def prune(m: Mixture) -> None:
    """Weigh, drop what is impossible or negligible, and keep α in the range of floating point."""
    weigh(m)
    kept = 0
    largest = 0.0
    for c in range(m["configurations"]):
        if m["weights"][c] >= NEGLIGIBLE:
            if kept != c:
                copy_row(m, kept, c)
            if m["alpha"][kept] > largest:
                largest = m["alpha"][kept]
            kept += 1
    m["configurations"] = kept
    if largest > 1e100 or largest < 1e-100:
        for c in range(kept):
            m["alpha"][c] /= largest


@kernel
def drop_group(m: Mixture, group: int) -> None:
    """Join a group to the one before it and its layer to the next one: one of the two is empty everywhere."""
    groups = m["groups"]
    for c in range(m["configurations"]):
        if group > 0:
            m["sizes"][c, group - 1] += m["sizes"][c, group]
        for g in range(group, groups - 1):
            m["sizes"][c, g] = m["sizes"][c, g + 1]
    for k in range(m["layouts"]):
        for card in range(CARD_TYPES):
            m["layers"][k, group + 1, card] += m["layers"][k, group, card]
        for g in range(group, groups):
            copy_layer(m, k, g, m, k, g + 1)
    m["groups"] = groups - 1


@kernel
def can_drop(m: Mixture, group: int) -> bool:
    """Return whether a group is empty in every configuration, or its own layer in every layout."""
    empty = True
    for c in range(m["configurations"]):
        if m["sizes"][c, group]:
            empty = False
            break
    if empty or group == 0:
        return empty
    for k in range(m["layouts"]):
        for card in range(CARD_TYPES):
            if m["layers"][k, group, card]:
                return False
    return True


@kernel
def tidy(m: Mixture) -> None:
    """Bring to canonical form as far as all configurations share it, and weigh.

    A group that is empty everywhere hands its layer on; one whose own layer is empty everywhere can't be
    told from the group before it, and joins it.
    """
    m["drops"] = 0
    for group in range(m["groups"] - 1, -1, -1):
        if m["groups"] > 1 and can_drop(m, group):
            drop_group(m, group)
            m["dropped"][m["drops"]] = group
            m["drops"] += 1
    if m["drops"]:
        merge_layouts(m)
        merge(m)
    prune(m)


def grown(mixtures: Mixtures, front: int, scale: int) -> Mixtures:
    """Return larger records with the same mixture at the same place."""
    larger = np.zeros(2, mixture_dtype(scale))
    old, new = mixtures[front], larger[front]
    for name in ("configurations", "groups", "layouts"):
        new[name] = old[name]
    for name in ("alpha", "weights", "within", "layout", "sizes", "layers"):
        new[name][tuple(slice(size) for size in old[name].shape)] = old[name]
    return larger
