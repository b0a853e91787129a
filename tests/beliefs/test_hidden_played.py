"""Beliefs from the middle of a game in which some played cards are not known: a third hidden place."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.exact_oracle import Likelihood, World, agnostic, greedy, uniform
from tests.beliefs.games import follow, mini_rules, whole_mini_rules
from tests.beliefs.hidden_played import all_worlds, compare, views, worlds_of
from tests.helpers import PAIRS_OF_VALUES, cards, named
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import CARD_TYPES, RED, Cards, parse_card
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.bindings import legal_one, observe_one
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.layout import NO_CARD, OBSERVATION, States
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.rules import Rules, preset

ALPHA = 1e-6
"""A statistical test with a fixed seed is to fail by chance no oftener than this."""


# --- against all worlds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_beliefs_with_hidden_played_cards_are_what_all_worlds_say(variant: dict[str, str]) -> None:
    met = Counter[str]()
    for seed in range(10):
        for make in (whole_mini_rules, mini_rules):
            for seen in views(make(seed, variant, 6), seed, moves=2 + seed % 5):
                compare(seen, met)
    assert met["posteriors"] > 60
    assert min(met["own draw"], met["other draw"]) > 5
    assert (met["hidden went back"] > 0) == (variant["reshuffle"] == "yes")


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        ({"wild_four": "challenge"}, "Shown"),
        ({"swap": "seven_zero"}, "Swapped"),
        ({"draw": "until_playable"}, "pending"),
        ({"drawn_card": "may_play", "draw": "optional"}, "pending"),
    ],
)
def test_what_is_shown_swapped_or_pending_goes_with_hidden_played_cards(variant: dict[str, str], wanted: str) -> None:
    met = Counter[str]()
    for seed in range(14):
        for seen in views(whole_mini_rules(seed, variant, 7), seed, moves=1 + seed % 6, at_most=14):
            compare(seen, met)
    assert met[wanted] > 3
    assert met["hidden went back"] > 4


def test_with_an_empty_pile_the_hand_is_not_known_while_played_cards_are_hidden() -> None:
    rules = Rules(deck=Cards.parse("R1 R2 Y1 Y2 G1 G2"), hand_size=1)
    table = ObservedGame(rules, 0, Cards.parse("R1"), parse_card("R2"), Midgame(RED, 1, hidden=2), 2)
    assert table.observation.draw_size == 0
    belief = ClosedFormBelief(rules, table.observation)
    assert belief.hand_probability(Cards.parse("Y1 G1")) == pytest.approx(1 / 6)
    assert ClosedFormBelief(rules, replace(table.observation, hidden_played=0, opponent_size=4)).avoids(1 << 1) == 1.0


@pytest.mark.parametrize("hidden", [0, 2, 4])
def test_a_forgotten_uno_puts_hidden_played_cards_back(hidden: int) -> None:
    """With one card in the pile its two cards need a reshuffle; each set of cards was drawn alike."""
    rules = Rules(deck=Cards.parse("R1 R2 Y1 Y2 G1 G2 B1 B2"), hand_size=1)
    known = Cards.of([*Cards.parse("Y1 Y2 G1 G2")][hidden:])
    table = ObservedGame(rules, 0, Cards.parse("R1"), parse_card("R2"), Midgame(RED, 0, played=known, hidden=hidden), 1)
    assert table.observation.draw_size == 1
    beliefs = ClosedFormBelief(rules, table.observation), EnumeratedBelief(rules, table.observation, exact=True)
    table.forget_uno(1)
    for belief in beliefs:
        belief.update(table.events[-1], table.observation)
    unseen, first = Cards.parse("Y1 Y2 G1 G2 B1 B2"), [card for card in cards("Y1 Y2 G1 G2 B1 B2") if not known[card]]
    hands = Counter[tuple[int, ...]]()
    for held in first:  # any unseen card was held; then two of all others were drawn
        for drawn in itertools.combinations([card for card in unseen if card != held], 2):
            hands[tuple(sorted((held, *drawn)))] += 1
    for hand, ways in hands.items():
        for belief in beliefs:
            assert belief.hand_probability(Cards.of(hand)) == pytest.approx(ways / hands.total())
    assert table.observation.hidden_played == 0


# --- choices that tell something -------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "likelihood"), [("random", uniform), ("greedy", greedy)])
def test_policy_aware_beliefs_with_hidden_played_cards_are_what_all_worlds_say(
    model: str, likelihood: Likelihood
) -> None:
    equal = 0
    for seed, variant in enumerate(PAIRS_OF_VALUES):
        for seen in views(whole_mini_rules(seed, variant, 6), seed, moves=3):
            belief = EnumeratedBelief(seen.rules, seen.first, model)
            steps = follow(belief, seen)
            for number, shares in enumerate(all_worlds(seen, likelihood)):
                if not shares:  # these games are not played by the model: it excludes some of their choices
                    break
                if number:
                    next(steps)
                for (hand, card), share in shares.items():
                    rows = (belief.hypotheses.hands == Cards.of(hand).array()).all(axis=1)
                    rows &= belief.hypotheses.drawn == (NO_CARD if card is None else card)
                    assert belief.hypotheses.weights[rows].sum() == pytest.approx(float(share), rel=1e-9)
                equal += 1
    assert equal > 40


def test_the_particle_filter_is_near_enumeration() -> None:
    apart = []
    for seed, variant in enumerate(PAIRS_OF_VALUES):
        for seen in views(whole_mini_rules(seed, variant, 6), seed, moves=3):
            exact = EnumeratedBelief(seen.rules, seen.first, "random")
            filtered = ParticleBelief(seen.rules, seen.first, "random", 2000, seed=1)
            steps = zip(follow(exact, seen), follow(filtered, seen), strict=True)
            apart += [np.abs(filtered.expected_counts() - exact.expected_counts()).max() for _ in steps]
    assert len(apart) > 40
    assert np.mean(apart) < 0.03


# --- complete worlds -------------------------------------------------------------------------------------


def seen_in(belief: Belief, worlds: States, number: int) -> Observation:
    """Return what the seat of a belief sees of a sampled world."""
    record = np.zeros(1, OBSERVATION)
    observe_one(record, worlds[number : number + 1], belief.observation.seat)
    return observation_of(record)


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_worlds_hold_the_whole_deck_and_look_as_the_seat_sees_the_game(variant: dict[str, str]) -> None:
    checked = 0
    for seed in range(3):
        for seen in views(whole_mini_rules(seed, variant, 7), seed, moves=4):
            beliefs = [ClosedFormBelief(seen.rules, seen.first), UniformBelief(seen.rules, seen.first)]
            beliefs.append(ParticleBelief(seen.rules, seen.first, "heuristic", 100))
            for moment in (None, *seen.moments):
                for belief in beliefs:
                    if moment is not None:
                        belief.update(moment.events, moment.observation)
                    checked += check_worlds(belief)
    assert checked > 30


def check_worlds(belief: Belief) -> int:
    """Require that sampled worlds are whole, and that the seat sees in them what it sees; return how many were."""
    seen, worlds = belief.observation, belief.sample(4, seed=3)
    for number, world in enumerate(worlds):
        played = Cards.of(world["played"][: world["played_size"]].tolist())
        pile = Cards.of(world["draw_pile"][: world["draw_size"]].tolist())
        hands = [Cards(world["hand"][seat].tobytes()) for seat in (0, 1)]
        assert hands[0] + hands[1] + pile + played == belief.rules.deck
        found = seen_in(belief, worlds, number)
        assert len(played - seen.played) == seen.hidden_played
        assert replace(found, played=seen.played, hidden_played=seen.hidden_played) == seen
        assert seen.outcome is not None or int(legal_one(worlds[number : number + 1])) > 0
    return len(worlds)


@pytest.mark.parametrize("kind", [ClosedFormBelief, UniformBelief])
def test_hand_pile_and_hidden_played_cards_are_sampled_uniformly(kind: type[Belief]) -> None:
    """A chi-squared test over all 30 ways to put five different cards into places of 1, 2 and 2."""
    rules = Rules(deck=Cards.parse("R1 R2 Y1 Y2 G1 G2 B1"), hand_size=1)
    table = ObservedGame(rules, 0, Cards.parse("R1"), parse_card("R2"), Midgame(RED, hidden=2), 1)
    worlds, found = kind(rules, table.observation).sample(6_000, seed=5), Counter[tuple[int, ...]]()
    for world in worlds:
        lying, piled = world["played"][:2].tolist(), world["draw_pile"][: world["draw_size"]].tolist()
        assert world["played"][2] == parse_card("R2")
        found[int(world["hand"][1].argmax()), *sorted(lying), *sorted(piled)] += 1
    assert len(found) == 30
    assert stats.chisquare(list(found.values())).pvalue > ALPHA


def test_the_hidden_played_cards_of_sampled_worlds_follow_the_law_of_all_worlds() -> None:
    """The mean number of each type among them; no mean may be more than five standard errors away (1e-6 each)."""
    checked = 0
    for seed, variant in enumerate(PAIRS_OF_VALUES):
        for seen in views(whole_mini_rules(seed, variant, 6), seed, moves=3):
            belief = ClosedFormBelief(seen.rules, seen.first)
            for number, worlds in enumerate(worlds_of(seen, agnostic)):
                if number:
                    belief.update(seen.moments[number - 1].events, seen.moments[number - 1].observation)
                if hidden := belief.observation.hidden_played:
                    check_hidden(belief, worlds, hidden)
                    checked += 1
    assert checked > 40


def check_hidden(belief: ClosedFormBelief, worlds: list[World], hidden: int) -> None:
    """Compare the hidden played cards of sampled worlds with those of all worlds."""
    weights = np.array([float(world.weight) for world in worlds])
    rows = np.array([Cards.of(world.game.played[:hidden]).array() for world in worlds]).astype(np.float64)
    mean = weights @ rows / weights.sum()
    spread = np.sqrt(np.maximum(weights @ rows**2 / weights.sum() - mean**2, 0.0))
    sampled, known = belief.sample(3_000, seed=11), len(belief.observation.played)
    lying = sampled["played"][:, known - 1 : known - 1 + hidden]
    found = np.array([(lying == card).sum() for card in range(CARD_TYPES)]) / len(sampled)
    assert (np.abs(found - mean) <= 5 * spread / np.sqrt(len(sampled)) + 1e-9).all()


# --- what is refused -------------------------------------------------------------------------------------


def test_a_stacked_debt_for_cards_that_are_not_known_is_refused() -> None:
    rules = replace(preset("house"), stack="same")
    hand, top = Cards.parse("R1 R2"), parse_card("G+2")
    unnamed = ObservedGame(rules, 0, hand, top, Midgame(2, owed=4, hidden=20), 5)
    with pytest.raises(InvalidBelief, match=r"4 cards are owed, more than for G\+2 alone: name the cards"):
        ClosedFormBelief(rules, unnamed.observation)
    named_ = Midgame(2, owed=4, played=Cards.of(cards("B+2")), hidden=19)
    assert ClosedFormBelief(rules, ObservedGame(rules, 0, hand, top, named_, 5).observation).has_colour(2) > 0.0
