"""Groups and layers: the mathematics of the closed form, in whole numbers, to be read beside its formulas.

Every card of the hidden hand is a *slot*. Under the choice-agnostic model each way to put labelled unseen
cards into the slots is equally likely, and what is learnt ("nothing playable", "that card lay face up then")
forbids cards to all slots held at that moment and to no later one. So slots fall into *groups*, oldest first,
whose allowed cards are nested, and unseen cards fall into *layers*: layer ℓ may be held by the groups ℓ, ℓ + 1, ….

    group    1     2     …   G
             ▲     ▲         ▲
    layer    1  →  2  →  …   G     G + 1 (certainly in the draw pile)

A belief is a mixture of such configurations, each with a whole multiplicity α: P(configuration) ∝ α · W.
Groups and layers are counted from 1 in the formulas and from 0 in the code.
"""

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from uno_pomdp.cards import CARD_TYPES, Cards, CardType

TypeCounts = tuple[int, ...]
"""Cards as a number for each of the 54 types."""
NOTHING: Final[TypeCounts] = (0,) * CARD_TYPES


class Configuration(NamedTuple):
    """Groups of slots, and the unseen cards in layers: one layer more than groups."""

    sizes: tuple[int, ...]
    """n_g: the slots of each group, oldest first."""
    layers: tuple[TypeCounts, ...]
    """m_ℓ[t]: the unseen cards of each layer; the last one lies in the draw pile."""


Mixture = dict[Configuration, int]
"""Configurations with their multiplicities α."""
Term = tuple[Configuration, int]


# --- counting --------------------------------------------------------------------------------------------


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


# --- what an event does to one configuration -------------------------------------------------------------


def play(configuration: Configuration, card: CardType) -> Iterator[Term]:
    """Take t out of the hand: for each ℓ ≤ G, g ≥ ℓ: m_ℓ[t] −= 1, n_g −= 1, α ·= m_ℓ[t] · n_g (before)."""
    sizes, layers = configuration
    for place, layer in enumerate(layers[:-1]):
        for group in range(place, len(sizes)):
            factor = layer[card] * sizes[group]
            if factor:
                yield Configuration(one_less(sizes, group), _take(layers, place, card)), factor


def remove(configuration: Configuration, card: CardType) -> Iterator[Term]:
    """Take t out of the draw pile: for each layer ℓ with m_ℓ[t] > 0: m_ℓ[t] −= 1, α ·= m_ℓ[t] (before)."""
    for place, layer in enumerate(configuration.layers):
        if layer[card]:
            yield Configuration(configuration.sizes, _take(configuration.layers, place, card)), layer[card]


def bar(configuration: Configuration, types_mask: int) -> Configuration:
    """Forbid the types A to all slots of now: they move from the layers 1 … G into layer G + 1."""
    *held, last = configuration.layers
    allowed = _without(types_mask)
    kept = [tuple(map(operator.mul, layer, allowed)) for layer in held]
    for before, after in zip(held, kept, strict=True):
        last = _sum(last, map(operator.sub, before, after))
    return Configuration(configuration.sizes, (*kept, last))


@functools.lru_cache(maxsize=4096)
def _without(types_mask: int) -> TypeCounts:
    """Return 1 for each type that is not in the set, 0 for those that are."""
    return tuple([1 - (types_mask >> t & 1) for t in range(CARD_TYPES)])


def open_group(configuration: Configuration, size: int) -> Configuration:
    """Add a group for cards drawn unseen: its own layer is G + 1; a new empty last layer is added."""
    return Configuration((*configuration.sizes, size), (*configuration.layers, NOTHING))


def reshuffle(configuration: Configuration, returned: Cards) -> Configuration:
    """Put played cards back: they join the last layer, for no slot of now can hold them."""
    *held, last = configuration.layers
    return Configuration(configuration.sizes, (*held, _sum(last, returned.data)))


def canonical(configuration: Configuration) -> Configuration:
    """Return the one form of all configurations that say the same.

    An empty group hands its layer to the next layer; a group whose own layer is empty joins the one before it.
    """
    sizes: list[int] = []
    layers: list[TypeCounts] = []
    waiting = NOTHING
    for size, layer in zip(configuration.sizes, configuration.layers, strict=False):
        own = _sum(waiting, layer)
        if not size:
            waiting = own
        elif sizes and not any(own):
            sizes[-1] += size
        else:
            sizes.append(size)
            layers.append(own)
            waiting = NOTHING
    return Configuration(tuple(sizes), (*layers, _sum(waiting, configuration.layers[-1])))


def merge(terms: Iterable[Term]) -> Mixture:
    """Bring all terms into canonical form, add the α of equal ones, drop those with W = 0.

    A common factor of all α says nothing and is taken out.
    """
    mixture: Mixture = {}
    for configuration, multiplicity in terms:
        form = canonical(configuration)
        if form in mixture or assignments(*form):
            mixture[form] = mixture.get(form, 0) + multiplicity
    common = math.gcd(*mixture.values())
    return {form: multiplicity // common for form, multiplicity in mixture.items()}


def one_less(counts: TypeCounts, place: int) -> TypeCounts:
    """Return the numbers with one of them smaller by one."""
    return (*counts[:place], counts[place] - 1, *counts[place + 1 :])


def _take(layers: tuple[TypeCounts, ...], place: int, card: CardType) -> tuple[TypeCounts, ...]:
    return (*layers[:place], one_less(layers[place], card), *layers[place + 1 :])


def _sum(one: Sequence[int], other: Iterable[int]) -> TypeCounts:
    return tuple(map(operator.add, one, other)) if any(one) else tuple(other)


def total(mixture: Mixture) -> int:
    """Return Σ α · W."""
    return sum(alpha * assignments(*form) for form, alpha in mixture.items())
