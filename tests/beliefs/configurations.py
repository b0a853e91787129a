"""What each event does to a belief in whole numbers: a mixture of configurations of groups and layers.

Each configuration has a whole multiplicity α: P(configuration) ∝ α · W. `uno_pomdp.beliefs.mixture.groups` says what
groups and layers are, and counts W.
"""

import functools
import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from uno_pomdp.beliefs.mixture.groups import TypeCounts, assignments, one_less
from uno_pomdp.cards import CARD_TYPES, Cards, CardType

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


def _take(layers: tuple[TypeCounts, ...], place: int, card: CardType) -> tuple[TypeCounts, ...]:
    return (*layers[:place], one_less(layers[place], card), *layers[place + 1 :])


def _sum(one: Sequence[int], other: Iterable[int]) -> TypeCounts:
    return tuple(map(operator.add, one, other)) if any(one) else tuple(other)


def total(mixture: Mixture) -> int:
    """Return Σ α · W."""
    return sum(alpha * assignments(*form) for form, alpha in mixture.items())
