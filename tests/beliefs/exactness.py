"""The closed form beside enumeration and beside its kernels, through whole games: what tests and benchmarks compare."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from tests.beliefs.games import Seen, follow
from tests.beliefs.reference import ReferenceBelief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.layout import BIT, BLACK_MASK, COLOUR_MASK, PLAYABLE
from uno_pomdp.game.observation import Observation

MASKS = [int(COLOUR_MASK[0]), int(PLAYABLE[1, 15]), int(PLAYABLE[3, 52]), (1 << CARD_TYPES) - 1, 0]


def masks(seen: Observation) -> list[int]:
    """Return sets of types worth asking about: playable now, a colour, the blacks, one type, none, all."""
    some = [PLAYABLE[seen.colour, seen.top], COLOUR_MASK[seen.colour], BLACK_MASK, BIT[seen.top]]
    return [*map(int, some), 0, (1 << CARD_TYPES) - 1]


def assert_share(found: Fraction, part: int, total: int) -> None:
    """Require found = part / total, multiplied out: a fraction made of them would be brought to lowest terms."""
    assert found.numerator * total == part * found.denominator


def assert_equal(reference: ReferenceBelief, enumerated: EnumeratedBelief) -> None:
    """Require that both say the same about everything, to the last digit."""
    hands, drawn, weights, _ = enumerated.hypotheses
    total = int(weights.sum())
    chances: Counter[Cards] = Counter()
    for hand, weight in zip(hands, weights, strict=True):
        chances[Cards(hand.tobytes())] += weight
    for cards, weight in chances.items():  # they add up to 1, so all other hands have probability zero in both
        assert_share(reference.exact_hand_probability(cards), weight, total)
    expected, held = reference.exact_expected_counts(), hands.any(axis=0)
    assert not any(expected[card] for card in np.flatnonzero(~held))
    types = np.flatnonzero(held)
    for card, count in zip(types, hands[:, types].astype(np.object_).T @ weights, strict=True):
        assert_share(expected[card], count, total)
    types_held = np.bitwise_or.reduce(np.where(hands, BIT[:CARD_TYPES], np.uint64(0)), axis=1)
    for mask in masks(reference.observation):
        without = weights[types_held & np.uint64(mask) == 0].sum()
        assert_share(reference.exact_avoids(mask), without, total)
    if reference.must_play:
        for hand, card, weight in zip(hands, drawn, weights, strict=True):
            assert_share(reference.exact_with_pending(Cards(hand.tobytes()), int(card)), weight, total)


def compare(seen: Seen) -> int:
    """Follow a game in both; return how many configurations were alive at once, at most."""
    reference = ReferenceBelief(seen.rules, seen.first)
    enumerated = EnumeratedBelief(seen.rules, seen.first, exact=True)
    assert_equal(reference, enumerated)
    most = 1
    for moment in follow(reference, seen):
        enumerated.update(moment.events, moment.observation)
        assert_equal(reference, enumerated)
        assert reference.exact_hand_probability(moment.hidden) > 0
        most = max(most, len(reference.mixture))
    return most


def agree(seen: Seen) -> Iterator[tuple[ClosedFormBelief, ReferenceBelief, Cards]]:
    """Follow a game with both, and check every marginal after every action."""
    fast, exact = ClosedFormBelief(seen.rules, seen.first), ReferenceBelief(seen.rules, seen.first)
    for moment, _ in zip(follow(fast, seen), follow(exact, seen), strict=True):
        np.testing.assert_allclose(fast.expected_counts(), exact.expected_counts(), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(fast.probabilities(), exact.probabilities(), rtol=1e-8, atol=1e-10)
        for mask in MASKS:
            assert fast.avoids(mask) == pytest.approx(exact.avoids(mask), rel=1e-8, abs=1e-10)
        yield fast, exact, moment.hidden
