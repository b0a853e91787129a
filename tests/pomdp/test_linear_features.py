"""Features say what a seat knows, as plain counting says it, and nothing more."""

import random
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN, rules_of, start
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import COLOURS, DRAW_TWO, REVERSE, SKIP, WILD, WILD_FOUR, CardType, colour_of, rank_of
from uno_pomdp.game.actions import DRAW, KEEP
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import States
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel
from uno_pomdp.pomdp.linear_features import FEATURES, NAMES, Evaluators, new_evaluator, write_features
from uno_pomdp.pomdp.linear_value import FITTED, evaluate
from uno_pomdp.rules import Rules, preset

RULES = {
    **{name: Rules.parse(name) for name in ("house", "pass", PRINTED_PLAIN, "mini-10", "mini-12")},
    "many blacks": rules_of("many blacks", {}),
    "skips": rules_of("skips", {}),
}


@kernel
def features_one(states: States, seat: int, evaluators: Evaluators) -> None:
    """Write the features of the first state."""
    write_features(states[0], seat, evaluators[0])


@kernel
def evaluate_one(states: States, seat: int, evaluators: Evaluators) -> float:
    """Return V of the first state."""
    return evaluate(states[0], seat, evaluators[0])


def features(rules: Rules, states: States, seat: int) -> list[float]:
    made = new_evaluator(rules, np.zeros(FEATURES))
    features_one(states, seat, made)
    return made["features"][0].tolist()  # type: ignore[no-any-return]


class Place(NamedTuple):
    """A decision with a choice."""

    state: States
    """All of it."""
    seat: int
    """Who decides."""
    seen: Observation
    """What it sees."""


def decisions(rules: Rules, most: int) -> list[Place]:
    """Return decisions with a choice, from games of random moves."""
    found: list[Place] = []
    for seed in range(40 * most):
        chance = random.Random(seed)
        game = Game.new(rules, seed)
        for _ in range(chance.randrange(60)):
            if game.over:
                break
            legal = game.legal_actions()
            if len(legal) > 1 and chance.random() < 0.2:
                found.append(Place(game.to_state(), game.turn, game.observation(game.turn)))
            game.apply(chance.choice(legal))
        if len(found) >= most:
            break
    return found[:most]


def plainly(rules: Rules, seen: Observation) -> dict[str, float]:
    """Return the features by counting cards one by one."""
    hand = list(seen.hand)
    unseen = list(seen.unseen(rules))
    size, other, pool = len(hand), seen.opponent_size, len(unseen)
    share = Fraction(other, pool) if pool else Fraction(0)

    def fits(card: CardType) -> bool:
        return card in (WILD, WILD_FOUR) or colour_of(card) == seen.colour or rank_of(card) == rank_of(seen.top)

    def again(card: CardType) -> bool:
        if rank_of(card) in (SKIP, REVERSE):
            return rules.skip == "again"
        return rank_of(card) == DRAW_TWO or card == WILD_FOUR

    def alone(place: int) -> bool:
        rest = hand[:place] + hand[place + 1 :]
        mine = hand[place]
        return colour_of(mine) is not None and not any(
            colour_of(card) == colour_of(mine) or rank_of(card) == rank_of(mine) for card in rest
        )

    def denied(colour: int | None) -> Fraction:
        cards = sum(colour_of(card) in (colour, None) for card in unseen)
        return Fraction(comb(pool - cards, other), comb(pool, other))

    coloured = [colour_of(card) for card in hand if colour_of(card) is not None]
    turns = max(1, sum(not again(card) for card in hand))
    lonely = sum(alone(place) for place in range(size))
    legal = {action.card for action in seen.legal_actions() if action not in (DRAW, KEEP)}
    playable = sum(card in legal for card in hand) if seen.drawn is None else sum(card == seen.drawn for card in hand)
    if seen.drawn is not None and not legal:
        playable = 0
    blacks = sum(colour_of(card) is None for card in hand)
    result: dict[str, float | Fraction] = {
        "one": 1,
        "own": size,
        "other": other,
        "own_inverse": Fraction(1, size),
        "other_inverse": Fraction(1, other),
        "turns_inverse": Fraction(1, turns),
        "last": other == 1,
        "wilds": hand.count(WILD),
        "wild_fours": hand.count(WILD_FOUR),
        "draw_twos": sum(rank_of(card) == DRAW_TWO for card in hand),
        "skips": sum(rank_of(card) in (SKIP, REVERSE) for card in hand),
        "black_share": Fraction(blacks, size),
        "colours": len(set(coloured)),
        "longest": max(coloured.count(colour) for colour in COLOURS),
        "lonely": lonely,
        "lonely_late": Fraction(lonely, turns),
        "playable": playable,
        "playable_inverse": Fraction(1, 1 + playable),
        "other_playable": share * sum(map(fits, unseen)),
        "other_again": share * sum(again(card) and card != WILD_FOUR for card in unseen),
        "denial": sum(map(denied, coloured), Fraction(0)) / max(len(coloured), 1),
        "deciding": seen.deciding,
    }
    return {name: float(value) for name, value in result.items()}


@pytest.mark.parametrize("name", RULES)
def test_features_are_those_of_plain_counting(name: str) -> None:
    rules = RULES[name]
    places = decisions(rules, 80)
    assert len(places) == 80
    for state, seat, seen in places:
        found = dict(zip(NAMES, features(rules, state, seat), strict=True))
        assert found == pytest.approx(plainly(rules, seen), abs=1e-9)


@pytest.mark.parametrize("name", RULES)
def test_hidden_cards_change_nothing(name: str) -> None:
    rules = RULES[name]
    different = 0
    for state, seat, seen in decisions(rules, 40):
        expected = features(rules, state, seat)
        worlds = UniformBelief(rules, seen).sample(5, 1)
        for place in range(len(worlds)):
            different += bool((worlds[place]["hand"][1 - seat] != state[0]["hand"][1 - seat]).any())
            assert features(rules, worlds[place : place + 1], seat) == expected
    assert different > 10


def test_v_is_a_value_and_one_card_to_play_is_a_win() -> None:
    rules = preset("house")
    evaluator = new_evaluator(rules, FITTED)
    for state, seat, seen in decisions(rules, 60):
        value = evaluate_one(state, seat, evaluator)
        expected = np.tanh(np.dot(FITTED, features(rules, state, seat)))
        assert value == pytest.approx(1.0 if len(seen.hand) == 1 else expected)
        assert -1.0 < value <= 1.0
    last = start("R7", "W", "Y1", "B2 B3")
    assert evaluate_one(last.to_state(), 0, evaluator) == 1.0
