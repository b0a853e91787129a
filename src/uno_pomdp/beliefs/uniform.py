"""Closed forms under a uniform belief: m unseen cards, n of them in the opponent's hand, every choice alike.

That is exact at the deal, before anybody has moved. Later the opponent's moves have told something about
its hand, and these numbers are those of a player who forgot them all: `UniformBelief`, the weakest baseline.

Probabilities are exact fractions; `float` rounds them once.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Hands, Seed
from uno_pomdp.beliefs.evidence import pending_types
from uno_pomdp.cards import CARD_TYPES, NO_CARDS, Cards
from uno_pomdp.errors import UnoError
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import NO_CARD
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

ALL_TYPES: Final = (1 << CARD_TYPES) - 1


class ImpossibleSizes(UnoError):
    """Numbers of cards that can't be: more in a part than in the whole."""


# --- one card, a set of cards ----------------------------------------------------------------------------


def probability_of_none(m: int, n: int, c: int) -> Fraction:
    """Return the probability that none of c given unseen cards is in the hand: C(m − c, n) / C(m, n)."""
    _check_sizes(m, n, c)
    return Fraction(comb(m - c, n), comb(m, n))


# --- types and hands -------------------------------------------------------------------------------------


def count_of(unseen: Cards, types_mask: int) -> int:
    """Return how many of the cards are of these types (a bit each)."""
    total, left = 0, types_mask & ALL_TYPES
    while left:
        lowest = left & -left
        total += unseen.data[lowest.bit_length() - 1]
        left ^= lowest
    return total


def expected_counts(unseen: Cards, n: int) -> Floats:
    """Return how many cards of each type are held, on average: u · n / m for u unseen ones."""
    m = len(unseen)
    _check_sizes(m, n, m)
    return unseen.array().astype(np.float64) * n / max(m, 1)


def hand_probability(unseen: Cards, hand: Cards) -> Fraction:
    """Return the probability of exactly this hand: Π C(u, h) / C(m, n), multivariate hypergeometric.

    The product is over the types, u unseen and h held of each. A hand that does not fit has probability 0.
    """
    ways = 1
    for there, held in zip(unseen.data, hand.data, strict=True):
        ways *= comb(there, held)
    return Fraction(ways, comb(len(unseen), len(hand))) if ways else Fraction(0)


def ordered_pairs(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """Return by two types the ways to take a card of the first pool, then another one of the second, which holds it."""
    return (np.outer(first, second) - np.diag(first)).astype(np.float64)


def unordered(pairs: Floats) -> Floats:
    """Return a matrix by two types in order as one by types s ≤ t."""
    return np.asarray(np.triu(pairs) + np.tril(pairs, -1).T)


@lru_cache(maxsize=64)
def different_hands(unseen: Cards, n: int) -> int:
    """Return how many different hands of n there are: the coefficient of xⁿ in Π (1 + x + … + xᵘ)."""
    return _coefficient([[1] * (count + 1) for count in unseen.data if count], n)


@lru_cache(maxsize=64)
def effective_hands(unseen: Cards, n: int) -> Fraction:
    """Return one over the probability that two hands drawn are the same: C(m, n)² / [xⁿ] Π Σ C(u, h)² xʰ."""
    squares = [[comb(count, held) ** 2 for held in range(count + 1)] for count in unseen.data if count]
    return Fraction(comb(len(unseen), n) ** 2, _coefficient(squares, n))


def _coefficient(polynomials: Sequence[Sequence[int]], degree: int) -> int:
    """Return the coefficient of this degree in a product of polynomials, lowest coefficient first."""
    product = [1] + [0] * degree
    for polynomial in polynomials:
        product = [
            sum(factor * product[power - low] for low, factor in enumerate(polynomial[: power + 1]))
            for power in range(degree + 1)
        ]
    return product[degree]


def _check_sizes(m: int, n: int, c: int) -> None:
    if not 0 <= n <= m or not 0 <= c <= m:
        raise ImpossibleSizes(f"a hand of {n} and a set of {c} have to be among the unseen cards, but these are {m}")


# --- the belief ------------------------------------------------------------------------------------------


class UniformBelief(Belief):
    """The belief that knows only the sizes: uniform over hands of the unseen cards, all history forgotten.

    While the opponent has to play a pending card (`until_playable`) that is any playable unseen card, and its other
    cards are any of the rest that are not playable: so much is seen.

    >>> import uno_pomdp as uno
    >>> belief = uno.UniformBelief.after(uno.Game.new("house", seed=5), seat=0)
    >>> round(float(belief.expected_counts().sum()), 6)
    7.0
    """

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        self._look()

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action: what is unseen now is all that is remembered of it."""
        super().update(events, observation)
        self._look()

    def _look(self) -> None:
        """Note which unseen cards the hand may hold, and of which of them one is pending."""
        seen = self.observation
        self._unseen, self._size, self._one_of = seen.unseen(self.rules), seen.opponent_size, NO_CARDS
        if self.pending and (playable := pending_types(seen)):
            counts = enumerate(self._unseen.data)
            self._one_of = Cards.from_counts([number * (playable >> card & 1) for card, number in counts])
            self._unseen, self._size = self._unseen - self._one_of, self._size - 1

    def _take_in(self, event: Event) -> None:
        """Learn nothing."""

    def avoids(self, types_mask: int) -> float:
        """Return C(m − c, n) / C(m, n), c the unseen cards of these types; times the same of a pending card."""
        none = probability_of_none(len(self._unseen), self._size, count_of(self._unseen, types_mask))
        if self._one_of:
            none *= probability_of_none(len(self._one_of), 1, count_of(self._one_of, types_mask))
        return float(none)

    def expected_counts(self) -> Floats:
        """Return for each type its unseen cards times n / m."""
        expected = expected_counts(self._unseen, self._size)
        return expected + expected_counts(self._one_of, 1) if self._one_of else expected

    def hand_probability(self, hand: Cards) -> float:
        """Return the multivariate hypergeometric probability; 0 for a hand of another size."""
        if len(hand) != self.observation.opponent_size:
            return 0.0
        if not self._one_of:
            return float(hand_probability(self._unseen, hand))
        held = [Cards.of([card]) for card in hand.types() if self._one_of[card]]
        ways = (hand_probability(self._one_of, one) * hand_probability(self._unseen, hand - one) for one in held)
        return float(sum(ways))

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards."""
        if self._one_of:
            return unordered(np.outer(expected_counts(self._one_of, 1), expected_counts(self._unseen, 1)))
        unseen, size = self._unseen.array().astype(np.int64), len(self._unseen)
        return unordered(ordered_pairs(unseen, unseen) / (size * (size - 1)))

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return uniform hands; under `may_play` any card of the hand may be the one just drawn."""
        chance = np.random.default_rng(seed)
        hands = self._draw(self._unseen, self._size, count, chance)
        drawn = np.full(count, NO_CARD, np.uint8)
        if self._one_of:
            pending = self._draw(self._one_of, 1, count, chance)
            return hands + pending, pending.argmax(axis=1).astype(np.uint8)
        if self.pending:
            places = chance.integers(self._size, size=(count, 1))
            drawn[:] = (np.cumsum(hands, axis=1) <= places).sum(axis=1)
        return hands, drawn

    @staticmethod
    def _draw(cards: Cards, size: int, count: int, chance: np.random.Generator) -> Hands:
        return chance.multivariate_hypergeometric(cards.array().astype(np.int64), size, count).astype(np.uint8)

    def diagnostics(self) -> Diagnostics:
        """Return the number of different hands, and how many equally likely ones they are worth."""
        hands, worth = different_hands(self._unseen, self._size), effective_hands(self._unseen, self._size)
        if self._one_of:
            hands, worth = hands * different_hands(self._one_of, 1), worth * effective_hands(self._one_of, 1)
        return Diagnostics("uniform", hands, float(worth), hands, self.age)
