"""Closed forms of a uniform belief, against counting all hands and against SciPy, and the belief made of them."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.helpers import do, start
from uno_pomdp.beliefs import uniform
from uno_pomdp.beliefs.uniform import ImpossibleSizes, UniformBelief
from uno_pomdp.cards import CARD_TYPES, NO_CARDS, STANDARD_DECK, Cards
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import BIT, NO_CARD, PLAYABLE, SEATS, SECOND
from uno_pomdp.rules import Rules, preset

UNSEEN = [Cards.parse("R0 R0 R1 Y1 Y1 YS W W4"), Cards.parse("R5"), Cards.parse("B1 " * 6), preset("mini-10").deck]
SIZES = [(unseen, n) for unseen in UNSEEN for n in range(len(unseen) + 1)]


def hands_of(unseen: Cards, n: int) -> Counter[Cards]:
    """Return every hand of n with the number of ways to get it from cards that can be told apart."""
    return Counter(Cards.of(chosen) for chosen in itertools.combinations(tuple(unseen), n))


def mean(hands: Counter[Cards], value: Any) -> Fraction:
    """Return the mean of a number over all hands."""
    return Fraction(sum(ways * value(hand) for hand, ways in hands.items()), hands.total())


# --- formulas --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unseen", "n"), SIZES)
def test_formulas_for_one_type_count_the_hands(unseen: Cards, n: int) -> None:
    hands, m = hands_of(unseen, n), len(unseen)
    for card in unseen.types():
        c = unseen[card]
        assert uniform.probability_of_none(m, n, c) == mean(hands, lambda hand, card=card: card not in hand)
        assert uniform.expected_counts(unseen, n)[card] == float(mean(hands, lambda hand, card=card: hand[card]))


@pytest.mark.parametrize(("unseen", "n"), SIZES)
def test_formulas_for_hands_count_the_hands(unseen: Cards, n: int) -> None:
    hands = hands_of(unseen, n)
    for hand, ways in hands.items():
        assert uniform.hand_probability(unseen, hand) == Fraction(ways, hands.total())
    assert uniform.different_hands(unseen, n) == len(hands)
    agree = sum(Fraction(ways, hands.total()) ** 2 for ways in hands.values())
    assert uniform.effective_hands(unseen, n) == 1 / agree


def test_formulas_agree_with_scipy_on_the_standard_deck() -> None:
    unseen, n = STANDARD_DECK - Cards.parse("R5 R6 R7 Y1 Y2 Y3 W G4"), 7
    m = len(unseen)
    counts = unseen.array().astype(np.int64)
    hand = Cards.parse("R1 R1 B2 B3 W W4 W4")
    expected = stats.multivariate_hypergeom.pmf(hand.array().astype(np.int64), counts, n)
    assert float(uniform.hand_probability(unseen, hand)) == pytest.approx(expected, rel=1e-9)
    for c in (1, 2, 4, 30):
        law = stats.hypergeom(m, c, n)
        assert float(uniform.probability_of_none(m, n, c)) == pytest.approx(law.pmf(0), rel=1e-9)


def test_no_cards_at_all() -> None:
    assert uniform.probability_of_none(0, 0, 0) == uniform.hand_probability(NO_CARDS, NO_CARDS) == 1
    assert not uniform.expected_counts(NO_CARDS, 0).any()
    assert uniform.different_hands(NO_CARDS, 0) == uniform.effective_hands(NO_CARDS, 0) == 1


def test_a_hand_that_does_not_fit_has_probability_zero() -> None:
    assert uniform.hand_probability(Cards.parse("R0 R1"), Cards.parse("R0 R0")) == 0
    assert uniform.hand_probability(Cards.parse("R0"), Cards.parse("R0 R1 R2")) == 0


@pytest.mark.parametrize(("m", "n", "c"), [(5, 6, 1), (5, -1, 1), (5, 2, 6), (5, 2, -1)])
def test_a_part_larger_than_the_whole_is_refused(m: int, n: int, c: int) -> None:
    with pytest.raises(ImpossibleSizes, match=f"hand of {n} and a set of {c} have to be among .* these are {m}"):
        uniform.probability_of_none(m, n, c)


# --- the belief ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_the_uniform_belief_at_the_deal_is_the_prior(seat: int) -> None:
    rules = preset("mini-12")
    seen = Game.new(rules, 3).observation(seat)
    belief, unseen = UniformBelief(rules, seen), seen.unseen(rules)
    hands = hands_of(unseen, 2)
    for hand, ways in hands.items():
        assert belief.hand_probability(hand) == ways / hands.total()
    assert belief.hand_probability(Cards.parse("R0")) == 0.0
    for mask in (0, int(BIT[0]), int(BIT[0] | BIT[13]), int(PLAYABLE[0, 0]), 2**54 - 1):
        avoiding = sum(ways for hand, ways in hands.items() if not hand.mask & mask)
        assert belief.avoids(mask) == pytest.approx(avoiding / hands.total(), abs=1e-12)
    np.testing.assert_array_equal(belief.expected_counts(), uniform.expected_counts(unseen, 2))
    state = belief.diagnostics()
    assert (state.kind, state.support, state.size, state.age) == ("uniform", len(hands), len(hands), 0)
    assert 1.0 <= state.ess <= len(hands)


def test_the_uniform_belief_remembers_nothing_but_what_is_unseen() -> None:
    game = start("R7", "R1 Y2 G3", "Y3 Y4 G6", "R2 R3 R4 R5 B1")
    first = UniformBelief(game.rules, game.observation(0))
    for number, word in enumerate(("R1", "draw", "draw"), 1):
        do(game, word)
        first.update(game.events(0, number - 1), game.observation(0))
    fresh = UniformBelief(game.rules, game.observation(0))
    np.testing.assert_array_equal(first.probabilities(), fresh.probabilities())
    assert (first.age, fresh.age) == (3, 0)
    assert first.nothing_playable() < 1.0


def test_sampled_hands_come_as_often_as_they_should() -> None:
    rules = preset("mini-12")
    seen = Game.new(rules, 8).observation(0)
    belief = UniformBelief(rules, seen)
    rows, drawn = belief.sample_hands(20_000, 5)
    found = Counter(Cards.from_counts(row) for row in rows)
    expected = hands_of(seen.unseen(rules), 2)
    assert set(found) == set(expected)
    shares = [expected[hand] / expected.total() * 20_000 for hand in found]
    assert stats.chisquare(list(found.values()), shares).pvalue > 1e-6
    assert (drawn == NO_CARD).all()


def test_while_the_opponent_decides_each_card_of_its_hand_may_be_the_one_drawn() -> None:
    game = do(start("R7", "B1 B2", "R1 R3", "B7 R5", drawn_card="may_play"), "draw")
    belief = UniformBelief(game.rules, game.observation(SECOND))
    rows, drawn = belief.sample_hands(6_000, 1)
    assert rows[np.arange(6_000), drawn].all()
    whole = UniformBelief(Rules(deck=Cards.parse("R7 R1 R3 B1 B1 B2"), hand_size=1), game.observation(SECOND))
    rows, drawn = whole.sample_hands(6_000, 1)
    assert (rows == Cards.parse("B1 B1 B2").array()).all()
    assert stats.binomtest(int((drawn == 3 * 13 + 2).sum()), 6_000, 1 / 3).pvalue > 1e-6
    assert set(drawn.tolist()) == {3 * 13 + 1, 3 * 13 + 2}


def test_the_own_decision_is_no_drawn_card_of_the_opponent() -> None:
    game = do(start("R7", "B1 B2", "R1 R3", "B7 R5", drawn_card="may_play"), "draw")
    _, drawn = UniformBelief(game.rules, game.observation(0)).sample_hands(5, 1)
    assert (drawn == NO_CARD).all()


def test_a_seed_sequence_is_not_used_up_by_sampling() -> None:
    rules = preset("house")
    belief, seed = UniformBelief(rules, Game.new(rules, 1).observation(0)), np.random.SeedSequence(7)
    first, second = belief.sample_hands(9, seed)[0], belief.sample_hands(9, seed)[0]
    np.testing.assert_array_equal(first, second)
    assert first.shape == (9, CARD_TYPES)
    assert not np.array_equal(first, belief.sample_hands(9, 8)[0])
