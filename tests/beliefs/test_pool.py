"""Beliefs that follow games in kernels infer what the closed form infers."""

import numpy as np
import pytest

from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture.mixture import NEGLIGIBLE
from uno_pomdp.beliefs.mixture.pool import (
    UNKNOWN,
    BeliefPool,
    NotFollowed,
    act,
    begin_belief,
    begin_beliefs,
    check_followed,
    new_pool,
)
from uno_pomdp.beliefs.mixture.queries import expected_counts
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import deal
from uno_pomdp.game.layout import SEATS, STATE, States, template
from uno_pomdp.jit import kernel
from uno_pomdp.rules import Rules, as_rules, preset

Counts = np.ndarray[tuple[int], np.dtype[np.uint8]]


@kernel
def start(beliefs: BeliefPool, states: States, undealt: States, hand_size: int, seed: np.uint64, deck: Counts) -> None:
    """Deal the first game."""
    deal(states, 0, undealt, hand_size, seed)
    begin_beliefs(beliefs, 0, states[0], deck)


@kernel
def carry_out(beliefs: BeliefPool, states: States, action: int, deck: Counts) -> None:
    """Carry out an action in the first game."""
    act(beliefs, 0, states[0], action, deck)


@kernel
def begin_again(beliefs: BeliefPool, states: States, seat: int, deck: Counts) -> None:
    """Start a belief of the first game from what its seat sees now."""
    begin_belief(beliefs, 0, states[0], seat, deck)


def same(game: Game, states: States) -> bool:
    """Return whether the first record is the game."""
    piles = game.draw_pile[::-1], game.played_pile
    sizes = int(states["draw_size"][0]), int(states["played_size"][0])
    lie = [tuple(states[name][0, :size].tolist()) for name, size in zip(("draw_pile", "played"), sizes, strict=True)]
    hands = all(np.array_equal(states["hand"][0, seat], game.hand(seat).array()) for seat in SEATS)
    return hands and lie == [*map(tuple, piles)] and int(states["turn"][0]) == game.turn


def compare(rules: Rules, seed: int, beliefs: BeliefPool, tolerance: float) -> int:
    """Play a random game and compare both beliefs with the closed form after each action; return how many were."""
    states, deck, chance = np.zeros(1, STATE), rules.deck.array(), np.random.default_rng(seed)
    game = Game.new(rules, seed)
    start(beliefs, states, template(rules), rules.hand_size, np.uint64(seed), deck)
    closed_forms = [ClosedFormBelief(rules, game.observation(seat)) for seat in SEATS]
    compared = 0
    while not game.over and compared < 150:
        legal = game.legal_actions()
        action = legal[chance.integers(len(legal))]
        game.apply(action)
        carry_out(beliefs, states, action.id, deck)
        assert same(game, states)
        if game.over:
            break
        for seat, belief in enumerate(closed_forms):
            belief.update(*game.last_step(seat))
            if belief.deciding:
                continue  # the card just drawn has no group in a belief before its owner decides
            found = np.empty(CARD_TYPES)
            expected_counts(beliefs.pool, int(beliefs.place[0, seat]), found)
            np.testing.assert_allclose(found, belief.expected_counts(), atol=tolerance)
        compared += 1
    return compared


PRINTED = "printed,wild_four=last_resort"


@pytest.mark.parametrize("name", ["house", "pass", PRINTED, "stacking", "mini-9", "mini-12"])
def test_beliefs_are_the_closed_form_after_every_action(name: str) -> None:
    beliefs = new_pool(1, NEGLIGIBLE)
    games = 40 if name.startswith("mini") else 12
    assert sum(compare(as_rules(name), seed, beliefs, 1e-9) for seed in range(games)) > 60
    assert beliefs.forgotten[0] == 0


@pytest.mark.parametrize("field", ["wild_four=challenge", "draw=until_playable", "swap=seven_zero"])
def test_rules_that_are_not_followed_are_refused(field: str) -> None:
    with pytest.raises(NotFollowed, match=f"games with {field} are not followed in arrays"):
        check_followed(as_rules(f"house,{field}"))
    check_followed(as_rules("house,stack=rising,first_card=acts"))


def test_a_floor_drops_no_more_than_it_says() -> None:
    """Each of at most 150 actions drops configurations of less than a millionth: a hand of 40 errs by less than 1 %."""
    compare(preset("house"), 5, new_pool(1, 1e-6), 0.01)


def test_what_does_not_fit_is_forgotten_and_counted() -> None:
    """In a record for two configurations the belief starts again, with what sizes and unseen cards say."""
    rules, beliefs = preset("house"), new_pool(1, UNKNOWN)._replace(floor=NEGLIGIBLE)
    states, deck, chance = np.zeros(1, STATE), rules.deck.array(), np.random.default_rng(1)
    game = Game.new(rules, 1)
    start(beliefs, states, template(rules), rules.hand_size, np.uint64(1), deck)
    while not game.over:
        legal = game.legal_actions()
        action = legal[chance.integers(len(legal))]
        game.apply(action)
        before = int(beliefs.forgotten[0])
        carry_out(beliefs, states, action.id, deck)
        if game.over or beliefs.forgotten[0] == before:
            continue
        found = np.empty(CARD_TYPES)
        fresh = []
        for seat in SEATS:
            seen = game.observation(seat)
            unseen = seen.unseen(rules)
            expected_counts(beliefs.pool, int(beliefs.place[0, seat]), found)
            fresh.append(np.allclose(found, unseen.array() * seen.opponent_size / len(unseen)))
        assert any(fresh)
    assert beliefs.forgotten[0] > 0


def test_without_a_belief_nothing_is_followed_but_the_game_and_the_colours() -> None:
    rules, beliefs = preset("house"), new_pool(1, UNKNOWN)
    states, deck, chance = np.zeros(1, STATE), rules.deck.array(), np.random.default_rng(2)
    game = Game.new(rules, 2)
    start(beliefs, states, template(rules), rules.hand_size, np.uint64(2), deck)
    while not game.over:
        action = game.legal_actions()[chance.integers(len(game.legal_actions()))]
        game.apply(action)
        carry_out(beliefs, states, action.id, deck)
        assert same(game, states)
        if not game.over:
            seen = game.observation(0)
            begin_again(beliefs, states, 0, deck)
            found = np.empty(CARD_TYPES)
            expected_counts(beliefs.pool, int(beliefs.place[0, 0]), found)
            unseen = seen.unseen(rules)
            np.testing.assert_allclose(found, unseen.array() * seen.opponent_size / max(len(unseen), 1))
    assert beliefs.traces["chosen"].sum() > 0
