"""Groups and layers: the mathematics of the closed form, in whole numbers, to be read beside its formulas.

Every card of the hidden hand is a *slot*. Under the choice-agnostic model each way to put labelled unseen
cards into the slots is equally likely, and what is learnt ("nothing playable", "that card lay face up then")
forbids cards to all slots held at that moment and to no later one. So slots fall into *groups*, oldest first,
whose allowed cards are nested, and unseen cards fall into *layers*: layer ℓ may be held by the groups ℓ, ℓ + 1, ….

    group    1     2     …   G
             ▲     ▲         ▲
    layer    1  →  2  →  …   G     G + 1 (certainly in the draw pile)

Groups and layers are counted from 1 in the formulas and from 0 in the code.
"""

import functools
import itertools
import math
import operator
from collections.abc import Sequence

from uno_pomdp.cards import CARD_TYPES

TypeCounts = tuple[int, ...]
"""Cards as a number for each of the 54 types."""


def assignments(sizes: Sequence[int], layers: Sequence[Sequence[int]]) -> int:
    """Return W, the ways to put labelled cards into the slots.

    W = Π_g (M_g − N_g)(M_g − N_g − 1)…(M_g − N_g − n_g + 1),  M_g = Σ_{ℓ≤g} |m_ℓ|,  N_g = Σ_{h<g} n_h
    """
    return injections(sizes, [sum(layer) for layer in layers])


def injections(sizes: Sequence[int], totals: Sequence[int]) -> int:
    """Return W from the sizes of the layers alone."""
    ways, free = 1, 0
    for size, total in zip(sizes, totals, strict=False):  # the last layer is of no use to any group
        free += total  # now M_g − N_g
        ways *= math.perm(free, size)
        if not ways:
            return 0
        free -= size
    return ways


def hand_assignments(sizes: Sequence[int], layers: Sequence[Sequence[int]], counts: Sequence[int]) -> int:
    """Return how many of the W assignments fill the slots with exactly this hand c.

    Σ over splits c = Σ_ℓ c_ℓ of Π_{ℓ,t} C(m_ℓ[t], c_ℓ[t]) · Π_g (K_g − N_g)(K_g − N_g − 1)… (n_g factors),
    K_g = Σ_{ℓ≤g} |c_ℓ|. Types are added one after the other; of a split only the sizes |c_ℓ| are remembered.
    """
    groups = len(sizes)
    if sum(counts) != sum(sizes):
        return 0
    ways = {(0,) * groups: 1}
    own = layers[:groups]
    for card in itertools.compress(range(CARD_TYPES), counts):
        ways = _add_type(ways, _splits(tuple([layer[card] for layer in own]), counts[card]))
    return sum(number * injections(sizes, totals) for totals, number in ways.items())


@functools.lru_cache(maxsize=4096)
def _splits(available: tuple[int, ...], held: int) -> list[tuple[tuple[int, ...], int]]:
    """Return every split of `held` cards of one type over the layers, with Π_ℓ C(m_ℓ[t], c_ℓ[t])."""
    return [
        (split, math.prod(map(math.comb, available, split)))
        for split in itertools.product(*(range(min(number, held) + 1) for number in available))
        if sum(split) == held
    ]


def _add_type(
    ways: dict[tuple[int, ...], int], splits: list[tuple[tuple[int, ...], int]]
) -> dict[tuple[int, ...], int]:
    """Add the cards of one type, split in every possible way, to the sizes of the layers so far."""
    result: dict[tuple[int, ...], int] = {}
    for split, chosen in splits:
        for totals, number in ways.items():
            after = tuple(map(operator.add, totals, split))
            result[after] = result.get(after, 0) + number * chosen
    return result


def one_less(counts: TypeCounts, place: int) -> TypeCounts:
    """Return the numbers with one of them smaller by one."""
    return (*counts[:place], counts[place] - 1, *counts[place + 1 :])
