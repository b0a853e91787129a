"""Enumeration against every world there is, with and without an opponent model."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.beliefs import exact_oracle
from tests.beliefs.exact_oracle import Guess, Likelihood, World, advance, posterior, worlds_at_deal
from tests.beliefs.games import Seen, choose, follow, mini_rules, random_game, whole_mini_rules
from tests.beliefs.reference import ReferenceBelief
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named, start
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.enumerated import SUPPORT_LIMIT, CannotEnumerate, EnumeratedBelief, TooManyHypotheses
from uno_pomdp.beliefs.hypotheses import all_hands, count_hands, merge, pack, place_values, ways_to_draw
from uno_pomdp.cards import STANDARD_DECK, Cards
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Played
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NO_CARD
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import MemorylessModel, PolicyModel, other_side
from uno_pomdp.rules import preset

GAMES = 10
"""Random games for each variant and each opponent."""
MOST_WORLDS = 3_000
"""A game is left where more worlds than this are possible."""


def by_model(model: MemorylessModel) -> Callable[[Game, random.Random], Action]:
    """Return a player who follows a model."""

    def chooser(game: Game, chance: random.Random) -> Action:
        seen = other_side(game.observation(1 - game.turn))
        hand = game.hand(game.turn).array()[None]
        drawn = np.array([NO_CARD if game.drawn is None else game.drawn], np.uint8)
        actions = game.legal_actions()
        logs = [model.log_probabilities(seen, hand, drawn, action.id)[0] for action in actions]
        return chance.choices(actions, [math.exp(log) for log in logs])[0]

    return chooser


def shares(belief: EnumeratedBelief) -> dict[Guess, Any]:
    """Return how likely each hypothesis is: a fraction where the weights are whole numbers."""
    hands, drawn, weights, _ = belief.hypotheses
    total = weights.sum()
    exact = weights.dtype == np.object_
    return {
        (tuple(Cards(hand.tobytes())), None if card == NO_CARD else int(card)): (
            Fraction(weight, total) if exact else weight / total
        )
        for hand, card, weight in zip(hands, drawn, weights, strict=True)
    }


def assert_equal(worlds: list[World], belief: EnumeratedBelief) -> None:
    """Require that a belief is what the worlds say: exactly where its weights are whole numbers, else to 1e-12."""
    expected, found = posterior(worlds, belief.observation.seat), shares(belief)
    tolerance = 0 if belief.hypotheses.weights.dtype == np.object_ else 1e-12
    assert expected.keys() == found.keys()
    assert all(abs(found[guess] - share) <= tolerance for guess, share in expected.items())


def compare(seen: Seen, belief: EnumeratedBelief, likelihood: Likelihood) -> int:
    """Follow a game with all its worlds; return after how many actions the posteriors were equal."""
    worlds = worlds_at_deal(seen.rules, seen.first)
    assert_equal(worlds, belief)
    equal = 0
    for moment in follow(belief, seen):
        worlds = advance(worlds, moment, likelihood)
        assert_equal(worlds, belief)
        equal += 1
        if len(worlds) > MOST_WORLDS:
            break
    return equal


MODELS = pytest.mark.parametrize(
    ("model", "likelihood", "chooser"),
    [
        pytest.param(None, exact_oracle.agnostic, choose, id="agnostic"),
        pytest.param(PolicyModel(RANDOM), exact_oracle.uniform, by_model(PolicyModel(RANDOM)), id="uniform"),
        pytest.param(PolicyModel(GREEDY), exact_oracle.greedy, by_model(PolicyModel(GREEDY)), id="greedy"),
    ],
)


@pytest.mark.parametrize("number", range(len(PAIRS_OF_VALUES)), ids=[named(variant) for variant in PAIRS_OF_VALUES])
@MODELS
def test_the_posterior_is_that_of_all_worlds_under_every_pair_of_values(
    number: int,
    model: MemorylessModel | None,
    likelihood: Likelihood,
    chooser: Callable[[Game, random.Random], Action],
) -> None:
    equal = 0
    for seed in range(GAMES * number, GAMES * (number + 1)):
        rules = whole_mini_rules(seed, PAIRS_OF_VALUES[number], most_unseen=6 + seed % 3)
        for seen in random_game(rules, seed, 14, chooser):
            equal += compare(seen, EnumeratedBelief(rules, seen.first, model, exact=model is None), likelihood)
    assert equal > 3 * GAMES


@pytest.mark.parametrize("number", range(len(VARIANTS)), ids=[named(variant) for variant in VARIANTS])
@MODELS
def test_the_posterior_is_that_of_all_worlds(
    number: int,
    model: MemorylessModel | None,
    likelihood: Likelihood,
    chooser: Callable[[Game, random.Random], Action],
) -> None:
    equal = 0
    for seed in range(GAMES * number, GAMES * (number + 1)):
        rules = mini_rules(seed, VARIANTS[number], most_unseen=7)
        for seen in random_game(rules, seed, 14, chooser):
            equal += compare(seen, EnumeratedBelief(rules, seen.first, model, exact=model is None), likelihood)
    assert equal > 3 * GAMES


def test_without_a_model_floats_and_whole_numbers_agree() -> None:
    for seed in range(40):
        rules = mini_rules(seed, VARIANTS[seed % len(VARIANTS)])
        for seen in random_game(rules, seed):
            rough, exact = (EnumeratedBelief(rules, seen.first, exact=exact) for exact in (False, True))
            for moment, _ in zip(follow(rough, seen), follow(exact, seen), strict=True):
                mask = moment.hidden.mask
                assert rough.hand_probability(moment.hidden) == pytest.approx(exact.hand_probability(moment.hidden))
                assert rough.avoids(mask) == pytest.approx(exact.avoids(mask))
                assert np.allclose(rough.expected_counts(), exact.expected_counts())
                assert rough.diagnostics().size == exact.diagnostics().size


def test_all_hands_are_as_many_as_counted_and_weigh_as_much_as_there_are_sets() -> None:
    chance = random.Random(1)
    for _ in range(50):
        unseen = Cards.of(chance.choices(range(54), k=chance.randint(1, 9)) * chance.choice((1, 2)))
        size = chance.randint(0, len(unseen))
        hands = all_hands(unseen, size)
        assert len(hands) == count_hands(unseen, size) == len({hand.tobytes() for hand in hands})
        assert (hands.sum(axis=1) == size).all()
        assert (hands <= unseen.array()).all()
        assert ways_to_draw(unseen, hands, np.object_).sum() == math.comb(len(unseen), size)


@pytest.mark.parametrize("deck", [STANDARD_DECK, Cards.parse("R0 " * 107 + "W"), Cards.of([*range(54), *range(54)])])
def test_merging_adds_up_what_is_equal_and_nothing_else(deck: Cards) -> None:
    random_ = np.random.default_rng(2)
    cards = np.array(list(deck))
    hands = np.array([Cards.of(random_.choice(cards, 3, replace=False)).array() for _ in range(2_000)])
    weights = random_.integers(1, 10, len(hands)).astype(np.object_)
    first, sums = merge(pack(hands, place_values(deck)), weights)
    expected: dict[bytes, int] = {}
    for hand, weight in zip(hands, weights, strict=True):
        expected[hand.tobytes()] = expected.get(hand.tobytes(), 0) + weight
    assert {hands[row].tobytes(): sum_ for row, sum_ in zip(first, sums, strict=True)} == expected


# --- from another belief ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["house", "printed"])
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_an_endgame_of_the_full_deck_goes_on_from_the_closed_form(rules: str, seed: int) -> None:
    seen = random_game(preset(rules), seed, at_most=400)[0]
    reference = ReferenceBelief(seen.rules, seen.first)
    enumerated: EnumeratedBelief | None = None
    compared = 0
    for moment in follow(reference, seen):
        if moment.observation.opponent_size > 3:
            enumerated = None  # a large hand again: wait for the next endgame
        if enumerated is not None:
            enumerated.update(moment.events, moment.observation)
            assert enumerated.age == reference.age
            chance = reference.hand_probability(moment.hidden)
            assert enumerated.hand_probability(moment.hidden) == pytest.approx(chance, rel=1e-9)
            assert np.allclose(enumerated.expected_counts(), reference.expected_counts(), atol=1e-12)
            compared += 1
        elif moment.observation.opponent_size <= 2 and moment.drawn is None:
            enumerated = EnumeratedBelief.from_belief(reference)
    assert compared


def test_no_start_in_the_middle_of_a_decision() -> None:
    game = start("R0", "Y1 Y2", "G1 G2", "B3 B4 B5", drawn_card="may_play")
    game.apply(Action.parse("draw"))
    belief = ReferenceBelief(game.rules, game.observation(1))
    with pytest.raises(CannotEnumerate, match="one action earlier or later"):
        EnumeratedBelief.from_belief(belief)


def test_a_first_observation_in_the_middle_of_a_decision() -> None:
    game = start("R0", "Y1 Y2", "G1 G2", "B3 B4 R5", drawn_card="may_play")
    game.apply(Action.parse("draw"))
    rules, first = game.rules, game.observation(1)
    reference, enumerated = ReferenceBelief(rules, first), EnumeratedBelief(rules, first)
    for action in (None, "keep"):
        if action:
            game.apply(Action.parse(action))
            for belief in (reference, enumerated):
                belief.update(*game.last_step(1))
        for hand in all_hands(first.unseen(rules), 3):
            cards = Cards(hand.tobytes())
            assert reference.hand_probability(cards) == pytest.approx(enumerated.hand_probability(cards))


# --- samples and errors ----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_samples_and_those_are_hypotheses() -> None:
    rules = preset("mini-12")
    seen = random_game(rules, 1)[0]
    belief = EnumeratedBelief(rules, seen.first, PolicyModel(RANDOM))
    for _ in follow(belief, seen):
        hands, drawn = belief.sample_hands(20, 3)
        again, _ = belief.sample_hands(20, 3)
        assert (hands == again).all()
        assert (drawn == NO_CARD).all()
        assert all(belief.hand_probability(Cards(hand.tobytes())) > 0 for hand in hands)


def test_the_full_deck_is_refused_before_memory_is_spent() -> None:
    first = Game.new(preset("house"), 0).observation(0)
    with pytest.raises(TooManyHypotheses, match=f"over the limit of {SUPPORT_LIMIT:,}.*closed form or particles"):
        EnumeratedBelief(preset("house"), first)


@pytest.mark.parametrize("drawn_card", ["keep", "may_play"])
def test_a_draw_past_the_limit_is_refused_and_changes_nothing(drawn_card: str) -> None:
    game = start("R0", "Y1 Y2", "G1 G2", "B3 B4 B5 B6 B7", drawn_card=drawn_card)
    first = game.observation(1)
    size = count_hands(first.unseen(game.rules), 2)
    belief = EnumeratedBelief(game.rules, first, limit=size)
    before = belief.hypotheses
    game.apply(Action.parse("draw"))
    with pytest.raises(TooManyHypotheses, match="from_belief"):
        belief.update(game.events(1), game.observation(1))
    assert belief.hypotheses is before
    EnumeratedBelief(game.rules, first, limit=size)
    with pytest.raises(TooManyHypotheses, match=f"{size:,} hypotheses or more are over the limit of {size - 1:,}"):
        EnumeratedBelief(game.rules, first, limit=size - 1)


def test_exact_weights_need_no_model() -> None:
    with pytest.raises(CannotEnumerate, match="model=None: the probabilities of greedy are floats"):
        EnumeratedBelief(
            preset("mini-7"), Game.new(preset("mini-7"), 0).observation(0), PolicyModel(GREEDY), exact=True
        )


def test_what_can_not_be_is_an_error() -> None:
    game = start("R0", "R1 Y2", "R2 Y1", "R3 Y3", draw="optional")
    belief = EnumeratedBelief(game.rules, game.observation(1), PolicyModel(GREEDY))
    before = belief.hypotheses
    seen = game.observation(1)
    for event, words in (
        (Played(0, Action.parse("R2")), "player 1 played R2 on R0"),
        (Played(0, Action.parse("Y3")), "player 1 played Y3 on R0"),
        (Drew(1, 1, False, (Action.parse("R2").id,)), "player 2 drew R2"),
    ):
        with pytest.raises(ImpossibleEvent, match=words):
            belief.update((event,), seen)
        assert belief.hypotheses is before


def test_a_failed_optional_draw_was_forced() -> None:
    game = start("R0", "R1 Y2", "G1 G2", "", draw="optional", reshuffle="no")
    belief = EnumeratedBelief(game.rules, game.observation(1))
    with pytest.raises(ImpossibleEvent, match="player 1 drew on R0"):
        belief.update((Drew(0, 0, False, None),), game.observation(1))


def test_a_choice_that_the_model_never_makes_is_an_error() -> None:
    game = start("R0", "R1 R2", "Y1 Y2", "R3 R4", draw="optional")
    belief = EnumeratedBelief(game.rules, game.observation(1), PolicyModel(GREEDY))
    game.apply(Action.parse("draw"))
    with pytest.raises(ImpossibleEvent, match="player 1 drew on R0"):
        belief.update(game.events(1), game.observation(1))
