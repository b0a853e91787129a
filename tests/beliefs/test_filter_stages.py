"""The stages of the particle filter one by one: what waits, what is drawn, weighed, resampled and read."""

from dataclasses import replace
from itertools import combinations
from math import log

import numpy as np
import pytest

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import filter_kernels, filter_stages
from uno_pomdp.beliefs.filter_stages import Particles
from uno_pomdp.beliefs.hidden_past import ALL_TYPES, HiddenPast
from uno_pomdp.beliefs.past_kernels import LEAST
from uno_pomdp.beliefs.past_models import AskedPasts, KernelPasts, PastModel
from uno_pomdp.cards import CARD_TYPES, Cards, parse_card
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import COLOUR_MASK, Observations
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import (
    Memory,
    NoMemories,
    OpponentModel,
    PolicyModel,
    SeparateMemories,
    other_side,
)
from uno_pomdp.rules import Rules

R1, Y6, W = parse_card("R1"), parse_card("Y6"), parse_card("W")
UNSEEN = "R1 R1 R1 R2 Y1 Y5 Y6 Y6 G6 G7 G7 W W"
NONE = np.array([0.0, *[-np.inf] * 4])
"""The logarithms of the prior without any doubt."""


def particles_of(*hands: str, weights: tuple[float, ...] | None = None, unseen: str = UNSEEN) -> Particles:
    """Return particles with these hands, dealt from these unseen cards."""
    pool = Cards.parse(unseen)
    cards = np.array([list(Cards.parse(hand)) for hand in hands], np.uint8)
    rows = np.array([Cards.parse(hand).array() for hand in hands])
    logs = np.zeros(len(hands)) if weights is None else np.log(weights)
    past = HiddenPast.begin(pool.array()).take(cards.shape[1])
    return Particles(past, cards, rows, np.zeros(len(hands), np.int64), logs)


def texts(particles: Particles) -> list[str]:
    return [str(Cards(row.tobytes())) for row in particles.hands]


def red_five() -> Observations:
    """Return what player 1 sees of a table with the red 5 on top, less its hand."""
    rules = Rules(deck=Cards.parse("R5 R1 R2 Y1 Y5 Y6 G6 G7 W"), hand_size=2)
    for seed in range(100):
        game = Game.new(rules, seed)
        if game.deal.top == 5:
            return other_side(game.observation(1))
    raise AssertionError("no deal turns up the red 5")


def weighed(particles: Particles, action: str, model: PastModel) -> Floats:
    """Return the log-weights after a choice of that player, without softening."""
    past = particles.past.chose(red_five(), Action.parse(action).id)
    return filter_stages.look(particles, past, len(particles), model, streams(1), None).log_weights


# --- reweight --------------------------------------------------------------------------------------------


def test_without_a_model_a_play_has_the_weight_of_its_copies() -> None:
    found = weighed(particles_of("R1 R2", "R1 R1", "Y6 G6"), "R1", KernelPasts())
    np.testing.assert_allclose(np.exp(found), [1.0, 2.0, 0.0])


@pytest.mark.parametrize("asked", [False, True])
def test_a_choice_is_weighed_by_the_probability_of_the_model(asked: bool) -> None:
    model = PolicyModel(GREEDY)
    pasts = AskedPasts(lambda _: NoMemories(model), 0, remembers=False) if asked else KernelPasts(GREEDY)
    found = weighed(particles_of("R1 R2", "R1 R1", "R1 G6", "Y6 G6"), "R1", pasts)
    np.testing.assert_allclose(np.exp(found), [0.5, 1.0, 1.0, 0.0])


def test_with_noise_a_choice_is_a_mixture_of_the_model_and_any_legal_action() -> None:
    """ε = 0.1: 0.9 · ½ + 0.1 · ½ for one of two cards; 0.1 · ¼ for a wild in a colour that greedy does not declare."""
    two = replace(particles_of("R1 R2", "R1 W"), levels=np.full(2, 2))
    np.testing.assert_allclose(np.exp(weighed(two, "R1", KernelPasts(GREEDY)))[0], 0.5)
    wild = np.exp(weighed(two, "W:Y", KernelPasts(GREEDY)))
    np.testing.assert_allclose(wild, [0.0, 0.1 / 4])


def test_a_choice_that_the_model_excludes_leaves_possible_hands_alive() -> None:
    """Greedy declares the colour held most; a black card in another colour still has to come from a hand with it."""
    found = weighed(particles_of("R1 W", "Y6 G6"), "W:Y", KernelPasts(GREEDY))
    assert found.tolist() == pytest.approx([log(LEAST), -np.inf])


def test_an_event_that_hardly_any_hand_fits_is_softened_and_particles_are_moved_to_hands_that_fit() -> None:
    """None of 400 hands has the Y5 that is played; afterwards many have."""
    some = particles_of(*["G6 G7", "R2 W"] * 200)
    past = some.past.chose(red_five(), Action.parse("Y5").id)
    found = filter_stages.look(some, past, 400, KernelPasts(GREEDY), streams(1), NONE)
    alive = np.isfinite(found.log_weights)
    assert filter_stages.effective(filter_stages.normalise(found.log_weights)) >= filter_stages.FITTING * 400
    assert found.hands[alive][:, parse_card("Y5")].all()
    assert not found.independent
    assert not np.isfinite(filter_stages.look(some, past, 400, KernelPasts(GREEDY), streams(1), None).log_weights).any()


def test_the_penalty_is_the_highest_that_leaves_enough_particles() -> None:
    before, terms = np.zeros(1000), np.zeros(1000)
    violations = np.repeat([0, 1], [10, 990])
    penalty = filter_stages.highest_penalty(before, terms, violations)
    kept = [
        filter_stages.effective(filter_stages.normalise(filter_stages.softened(terms, violations, penalty * factor)))
        for factor in (1.0, 1.05)
    ]
    assert kept[0] >= filter_stages.SOFTENED * 1000 > kept[1]


def test_seeing_a_card_weighs_by_the_copies_left() -> None:
    found = filter_stages.see(particles_of("Y6 W W", "R1 Y6 W", "R1 R1 R1"), R1)
    np.testing.assert_allclose(np.exp(found.log_weights), [3.0, 2.0, 0.0])
    assert found.past.unseen_now[R1] == 2


def test_hands_with_a_barred_card_are_excluded() -> None:
    found = filter_stages.bar(particles_of("R1 Y6", "Y6 G7"), 1 << R1)
    assert found.log_weights.tolist() == [-np.inf, 0.0]


# --- predict ---------------------------------------------------------------------------------------------


def test_cards_that_wait_are_drawn_uniformly_from_what_the_hand_leaves() -> None:
    waiting = filter_stages.take(particles_of(*["R1"] * 20_000, unseen="R1 R1 R1 Y6 W"), 1)
    assert waiting.hands.sum() == 20_000
    found = filter_stages.draw(waiting, streams(5))
    shares = np.bincount(found.cards[:, 1], minlength=CARD_TYPES) / 20_000
    assert shares[R1] == pytest.approx(0.5, abs=0.015)  # four standard errors
    assert shares[W] == pytest.approx(0.25, abs=0.0125)
    assert (found.hands.sum(axis=1) == 2).all()
    assert found.waiting == 0


def test_cards_that_wait_are_of_the_types_that_are_left_to_them() -> None:
    barred = filter_stages.bar(filter_stages.take(particles_of("Y6", "G7"), 2), int(COLOUR_MASK[0]) | 1 << W)
    found = filter_stages.draw(barred, streams(2))
    assert not found.hands[:, : COLOUR_MASK[0].item().bit_length()].any()
    assert not found.hands[:, W].any()


def test_a_card_leaves_the_hands_that_hold_it() -> None:
    found = filter_stages.play(particles_of("R1 R1", "R1 Y6"), R1)
    assert texts(found) == ["R1", "Y6"]


def test_a_pending_card_that_is_played_was_drawn_with_the_chance_of_its_copies() -> None:
    waiting = filter_stages.take(particles_of("R1 R1", "R2 Y6"), 1)
    found = filter_stages.draw_this(waiting, R1)
    np.testing.assert_allclose(np.exp(found.log_weights), [1.0, 3.0])
    assert texts(found) == ["R1 R1 R1", "R1 R2 Y6"]


# --- read ------------------------------------------------------------------------------------------------


def test_what_is_read_of_cards_that_wait_is_the_mean_over_all_ways_to_draw_them() -> None:
    """By counting every set of labelled cards that two hands can draw, one of them twice as likely."""
    unseen = Cards.parse(UNSEEN)
    for types in (ALL_TYPES, ALL_TYPES & ~int(COLOUR_MASK[2])):
        some = filter_stages.take(particles_of("R1 Y6", "R2 W", weights=(0.5, 1.0)), 2, types)
        weights = filter_stages.normalise(some.log_weights)
        counts, holds, none, share = np.zeros(CARD_TYPES), np.zeros(CARD_TYPES), 0.0, 0.0
        wanted = Cards.parse("R1 Y6 R1 W")
        for row, weight in zip(some.hands, weights.tolist(), strict=True):
            hand = Cards(row.tobytes())
            left = [card for card in unseen - hand if types >> card & 1]
            ways = list(combinations(left, 2))
            for drawn in ways:
                held = (hand + Cards.of(drawn)).array()
                counts += weight * held / len(ways)
                holds += weight * (held > 0) / len(ways)
                none += weight * (not held[: int(COLOUR_MASK[0]).bit_length()].any()) / len(ways)
                share += weight * (Cards(held.tobytes()) == wanted) / len(ways)
        np.testing.assert_allclose(filter_stages.expected_counts(some, weights), counts)
        np.testing.assert_allclose(filter_stages.held_shares(some, weights), holds)
        assert filter_stages.avoids(some, weights, int(COLOUR_MASK[0])) == pytest.approx(none)
        assert filter_stages.hand_share(some, weights, wanted) == pytest.approx(share)


@pytest.mark.parametrize("waiting", [0, 1, 2])
def test_pairs_are_hands_of_two(waiting: int) -> None:
    hands = (("R1 Y6", "W W"), ("R1", "W"), ("", ""))[waiting]
    some = particles_of(*hands, weights=(0.25, 0.75))
    if waiting:
        some = filter_stages.take(some, waiting)
    weights = filter_stages.normalise(some.log_weights)
    pairs = filter_stages.pair_shares(some, weights)
    assert pairs.sum() == pytest.approx(1.0)
    for one, two in ((R1, Y6), (R1, R1), (W, W), (Y6, W)):
        share = filter_stages.hand_share(some, weights, Cards.of([one, two]))
        assert pairs[min(one, two), max(one, two)] == pytest.approx(share)


def test_the_marginals_are_those_of_the_weighted_hands() -> None:
    some = particles_of("R1 R1 Y6", "R1 G7 W", weights=(0.25, 0.75))
    weights = filter_stages.normalise(some.log_weights)
    shares, means = filter_stages.held_shares(some, weights), filter_stages.expected_counts(some, weights)
    assert (shares[R1], means[R1], shares[W], shares.sum()) == pytest.approx((1.0, 1.25, 0.75, 2.75))
    assert filter_stages.avoids(some, weights, 1 << W) == pytest.approx(0.25)


# --- normalise, resample ---------------------------------------------------------------------------------


def test_weights_are_normalised_however_small_and_zero_only_when_all_are_excluded() -> None:
    np.testing.assert_allclose(filter_stages.normalise(np.log([0.25, 0.75]) - 5_000.0), [0.25, 0.75])
    dead = filter_stages.normalise(np.full(2, -np.inf))
    assert dead.tolist() == [0.0, 0.0]
    assert filter_stages.effective(dead) == 0.0
    assert filter_stages.effective(np.full(8, 1 / 8)) == pytest.approx(8.0)
    assert filter_stages.effective(np.array([1.0, 0.0])) == pytest.approx(1.0)


def test_systematic_resampling_gives_each_particle_its_share_rounded_up_or_down() -> None:
    weights = np.array([0.05, 0.35, 0.0, 0.6])
    for seed in range(50):
        counts = np.bincount(filter_stages.resample(weights, 10, streams(seed)), minlength=4)
        assert (np.abs(counts - weights * 10) < 1).all()


def test_a_systematic_sample_takes_equal_steps_from_a_random_offset() -> None:
    """Place k of the sample is where the summed weights pass (k + u) / n, u uniform over [0, 1)."""
    weights = np.array([0.1, 0.0, 0.25, 0.4, 0.25])
    edges = np.cumsum(weights)
    firsts = []
    for seed in range(400):
        chosen = np.empty(3, np.int64)
        filter_kernels.systematic(weights, streams(seed), chosen)
        u = (int(streams(seed)["state"][0]) + 0x9E3779B97F4A7C15) % 2**64
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            u = (u ^ u >> shift) * factor % 2**64
        offset = ((u ^ u >> 31) >> 11) / 2**53
        assert chosen.tolist() == np.searchsorted(edges, (np.arange(3) + offset) / 3, side="right").tolist()
        firsts.append(int(chosen[0]))
    assert firsts.count(0) / 400 == pytest.approx(0.3, abs=0.1)  # 0.1 · 3, within four standard errors


def test_what_is_remembered_goes_with_its_particle() -> None:
    memories = SeparateMemories(TableLike(), ["first", "second", "third"])
    some = replace(particles_of("R1", "Y6", "G7"), memories=memories).of(np.array([1, 1, 1, 2]))
    assert texts(some) == ["Y6", "Y6", "Y6", "G7"]
    told = filter_stages.tell(some, 7)
    assert isinstance(told.memories, SeparateMemories)
    assert told.memories._each == ["second 7", "second 7", "second 7", "third 7"]
    drew = filter_stages.tell(filter_stages.draw(filter_stages.take(some, 2), streams(1)), 5 << 24, slot=1, count=2)
    assert isinstance(drew.memories, SeparateMemories)
    assert len(set(drew.memories._each)) > 2  # each was told of the cards of its own


class TableLike(OpponentModel):
    """Remembers all that it was told, in words."""

    name = "table-like"

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return nothing yet."""
        del rules, seen
        return ""

    def follow(self, memory: Memory, token: int) -> Memory:
        """Return one word more."""
        return f"{memory} {token}"

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return nothing of use."""
        del seen, memory
        return np.zeros(63)


def test_two_sets_of_fresh_particles_are_one() -> None:
    both = filter_stages.join(particles_of("R1", "Y6"), particles_of("G7", weights=(0.5,)))
    np.testing.assert_allclose(filter_stages.normalise(both.log_weights), [0.4, 0.4, 0.2])
    assert texts(both) == ["R1", "Y6", "G7"]


def test_states_of_one_chain_count_as_one_hand() -> None:
    """A thousand hands drawn by themselves count as so many; in chains of ten equal states, as the hundred chains."""
    chance = np.random.default_rng(5)
    texts = ["R1 Y6", "G6 G7", "R2 W", "B3 B4"]
    drawn = particles_of(*(texts[number] for number in chance.integers(4, size=1000)))
    weights = np.full(1000, 1 / 1000)
    assert filter_stages.effective_hands(drawn, weights) == pytest.approx(1000, rel=1e-9)
    chains = drawn.of(np.repeat(np.arange(100), 10))
    assert filter_stages.effective_hands(replace(chains, parents=np.repeat(np.arange(100), 10)), weights) < 101
    assert filter_stages.effective_hands(replace(chains, parents=np.repeat(np.arange(50), 20)), weights) < 110
    assert filter_stages.effective(weights) == pytest.approx(1000)


def test_hands_that_are_all_alike_count_by_their_weights() -> None:
    known = particles_of("R1 Y6", "R1 Y6", "R1 Y6")
    assert filter_stages.effective_hands(known, np.array([0.5, 0.5, 0.0])) == pytest.approx(2.0)
