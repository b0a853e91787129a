"""The deal, the draw pile and the reshuffle are uniform. Each chi-square test errs once in 1,000 seeds.

Deals are made from the seeds 0, 1, 2, …: neighbouring seeds have to be as good as any.
"""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tests.helpers import do, play_out, start
from uno_pomdp.cards import COLOURED_TYPES, STANDARD_DECK, Cards
from uno_pomdp.game.bindings import deal_all, reshuffle_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import STATE, States, template
from uno_pomdp.rules import Rules, preset

ERROR = 1e-3
"""The probability with which a fair deal fails one of these tests, were the seeds not fixed."""


def deals(rules: Rules, count: int) -> States:
    states = np.zeros(count, STATE)
    deal_all(states, template(rules), rules.hand_size, np.arange(count, dtype=np.uint64))
    return states


def is_uniform(found: Iterable[Hashable], possible: int) -> bool:
    """Return whether what was found is uniform over so many possible things."""
    counts = Counter(found)
    assert len(counts) <= possible
    return bool(stats.chisquare([*counts.values()] + [0] * (possible - len(counts))).pvalue > ERROR)


def test_the_first_top_card_is_uniform_over_the_coloured_cards() -> None:
    games = 50_000
    found = np.bincount(deals(Rules(), games)["top"], minlength=54)
    assert not found[COLOURED_TYPES:].any()
    expected = STANDARD_DECK.array()[:COLOURED_TYPES] * (games / 100)
    assert stats.chisquare(found[:COLOURED_TYPES], expected).pvalue > ERROR


def hidden_hands(again_from_the_start: bool) -> dict[int, Fraction]:
    """Return how likely each card is the other's hand, for one who holds R0 and sees the top R1, hands of one card.

    A black card that is turned up means a new deal, or only that the next card is turned up in its place.
    """
    found: Counter[int] = Counter()
    deck = Cards.parse("R0 R1 R2 R3 W W4")
    for own, other, *rest in itertools.permutations(deck):
        turned = rest[0] if again_from_the_start else next(card for card in rest if card < COLOURED_TYPES)
        found[other] += (own, turned) == (0, 1)
    return {card: Fraction(count, found.total()) for card, count in found.items() if count}


def test_the_prior_is_uniform_if_a_black_top_card_means_a_new_deal_and_only_then() -> None:
    assert set(hidden_hands(again_from_the_start=True).values()) == {Fraction(1, 4)}
    turned_again = hidden_hands(again_from_the_start=False)
    assert turned_again == {2: Fraction(3, 10), 3: Fraction(3, 10), 52: Fraction(1, 5), 53: Fraction(1, 5)}


@pytest.mark.parametrize("seat", [0, 1])
def test_the_black_cards_of_a_hand_are_hypergeometric(seat: int) -> None:
    games = 50_000
    found = np.bincount(deals(Rules(), games)["hand"][:, seat, COLOURED_TYPES:].sum(axis=1), minlength=8)
    expected = stats.hypergeom(107, 8, 7).pmf(np.arange(8)) * games
    few = expected < 10
    merged = [np.append(counts[~few], counts[few].sum()) for counts in (found, expected)]
    assert stats.chisquare(*merged).pvalue > ERROR


@pytest.mark.parametrize("seat", [0, 1])
def test_each_type_comes_into_a_hand_as_often_as_the_deck_holds_it(seat: int) -> None:
    games = 50_000
    found = deals(Rules(), games)["hand"][:, seat].sum(axis=0, dtype=np.int64)
    deck = STANDARD_DECK.array().astype(float)
    left = deck.copy()  # on average, once the top card is gone
    left[:COLOURED_TYPES] -= deck[:COLOURED_TYPES] / 100
    chance = left / 107
    expected = 7 * games * chance
    spread = 7 * games * chance * (1 - chance)
    assert np.all(np.abs(found - expected) < 4.3 * np.sqrt(spread))  # 54 bounds of 1.7e-5 each: below ERROR
    assert found.sum() == 7 * games


def test_every_order_of_a_small_deck_is_equally_likely() -> None:
    states = deals(Rules(deck=Cards.parse("R0 R1 R2 R3 W"), hand_size=1), 96 * 200)
    assert set(states["draw_size"].tolist()) == {2}
    found = zip(
        states["top"].tolist(),
        states["hand"][:, 0].argmax(axis=1).tolist(),
        states["hand"][:, 1].argmax(axis=1).tolist(),
        map(tuple, states["draw_pile"][:, :2].tolist()),
        strict=True,
    )
    assert is_uniform(found, 4 * 24)


def test_every_order_of_the_draw_pile_is_equally_likely() -> None:
    states = deals(Rules(deck=Cards.parse("R0 R1 R2 R3 R4 R5 W"), hand_size=1), 24 * 35 * 60)
    ranks = states["draw_pile"][:, :4].argsort(axis=1).argsort(axis=1)
    assert is_uniform(map(tuple, ranks.tolist()), 24)


@pytest.mark.parametrize("place", [0, 46, 92])
def test_a_place_of_the_standard_draw_pile_holds_each_type_as_often_as_the_deck_does(place: int) -> None:
    games = 50_000
    found = np.bincount(deals(Rules(), games)["draw_pile"][:, place], minlength=54)
    expected = STANDARD_DECK.array() * (games / 107.0)
    expected[:COLOURED_TYPES] *= 99 / 100
    assert stats.chisquare(found, expected).pvalue > ERROR


def orders_after_reshuffle(seeds: Iterable[int]) -> list[tuple[int, ...]]:
    """Reshuffle the cards R1 R2 R3 R4 under a top card R5 with each seed."""
    orders = []
    for seed in seeds:
        game = start("R1", "R2 R4 Y7", "R3 R5 Y8", seed=seed)
        moves = do(game, "R2 R3 R4 R5 draw").moves
        orders.append(moves[-1].order)
    return orders


def test_every_order_of_a_reshuffle_is_equally_likely() -> None:
    assert is_uniform(orders_after_reshuffle(range(24 * 150)), 24)


def test_the_orders_of_two_reshuffles_are_independent() -> None:
    state = start("R0", "R1", "R2", "R3").to_state()
    found = []
    for seed in range(36 * 150):
        state["rng"] = seed * 0x1234567
        both: list[int] = []
        for _ in range(2):
            state["played"][0, :4] = [1, 2, 3, 0]
            state["played_size"], state["top"], state["draw_size"] = 4, 0, 0
            assert reshuffle_one(state)
            both += state["draw_pile"][0, :3].tolist()
        found.append(tuple(both))
    assert is_uniform(found, 36)


def test_the_reshuffle_does_not_repeat_the_deal() -> None:
    # the same cards dealt and reshuffled with the same seed: equal orders only as often as chance has it
    same = 0
    for seed in range(2400):
        dealt = Game.new(Rules(deck=Cards.parse("R1 R2 R3 R4 R5 Y7 Y8"), hand_size=1), seed).draw_pile
        (order,) = orders_after_reshuffle([seed])
        same += np.argsort(dealt).tolist() == np.argsort(order).tolist()
    assert 60 < same < 145  # a binomial of 2,400 and 1/24 leaves this interval less than once in 10,000 seeds


def test_the_order_of_a_reshuffle_does_not_depend_on_the_order_of_play() -> None:
    for seed in range(50):
        forward = do(start("R0", "R1 R2 R3 Y9", "R4 R5 R6 Y8", seed=seed), "R1 R4 R2 R5 R3 R6 draw")
        backward = do(start("R0", "R1 R2 R3 Y9", "R4 R5 R6 Y8", seed=seed), "R3 R5 R2 R4 R1 R6 draw")
        assert forward.moves[-1].reshuffled == backward.moves[-1].reshuffled
        assert forward.draw_pile == backward.draw_pile


def test_the_order_of_a_reshuffle_depends_on_the_seed_and_on_the_cards() -> None:
    assert len(set(orders_after_reshuffle(range(100)))) > 15
    piles = set()
    for last in ("R6", "R7"):
        game = do(start("R0", "R1 R2 R3 Y9", f"R4 R5 {last} Y8"), f"R1 R4 R2 {last} R3 R5 draw")
        piles.add(game.moves[-1].reshuffled)
    assert len(piles) == 2


@pytest.mark.parametrize("name", ["house", "mini-7", "mini-12"])
def test_neighbouring_seeds_give_different_deals(name: str) -> None:
    rules = preset(name)
    found = {Game.new(rules, seed).deal for seed in (*range(20), 2**64 - 1, 2**63)}
    assert len(found) > 15


def test_until_the_first_reshuffle_the_next_card_does_not_depend_on_who_draws_it() -> None:
    rules = Rules(draw="optional", drawn_card="may_play")
    for seed in range(10):
        pile = Game.new(rules, seed).draw_pile
        for moves in range(5):
            drawn: list[int] = []
            for move in play_out(Game.new(rules, seed), moves).moves:
                if move.reshuffled is not None:
                    break
                drawn.extend(move.cards)
            assert tuple(drawn) == pile[: len(drawn)]


def test_duplicate_deals_give_the_same_cards_to_swapped_seats() -> None:
    for seed in range(20):
        deal = Game.new(Rules(), seed).deal
        assert Game.new(Rules(), seed).deal == deal
        swapped = Game.from_deal(Rules(), type(deal)(deal.top, deal.hands[::-1], deal.pile), seed)
        assert (swapped.hand(0), swapped.hand(1)) == (deal.hands[1], deal.hands[0])
        assert swapped.draw_pile == deal.pile


def test_every_deal_is_the_deck() -> None:
    for states, rules in ((deals(preset(name), 200), preset(name)) for name in ("house", "mini-10")):
        for state in states:
            pile = state["draw_pile"][: state["draw_size"]].tolist()
            hands = itertools.chain(*(Cards(state["hand"][seat].tobytes()) for seat in (0, 1)))
            assert Cards.of([*pile, *hands, int(state["top"])]) == rules.deck
            assert state["played"][: state["played_size"]].tolist() == [state["top"]]
