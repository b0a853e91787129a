"""The judge: certain where the game is decided, the same for both seats and all colours, and mostly right."""

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from uno_pomdp.cards import Cards
from uno_pomdp.evaluation.heuristic_value import NET, HeuristicValue
from uno_pomdp.evaluation.heuristic_weights import fitted
from uno_pomdp.evaluation.win_probability import win_probability_of
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import States
from uno_pomdp.game.rng import Streams, streams
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Weights
from uno_pomdp.policies.rollouts import play_out
from uno_pomdp.rules import Rules, preset

HOUSE = preset("house")
PRESETS = ("house", "pass", PRINTED_PLAIN, "mini-7", "mini-9", "mini-10", "mini-12")


def position(first: str, second: str, top: str = "R5") -> States:
    """Return a position with player 1 to move and hands of one size."""
    hands = Cards.parse(first), Cards.parse(second)
    rules = Rules(hand_size=len(hands[0]))
    (card,) = Cards.parse(top)
    rest = rules.deck - hands[0] - hands[1] - Cards.parse(top)
    return Game.from_deal(rules, Deal(card, hands, tuple(rest))).to_state()


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("R7", "B1", 1),  # wins at once
        ("W", "R1", 1),
        ("Rs R7", "R1 R2", 1),  # moves again
        ("R+2 R1", "R7 R9", 1),  # the other draws
    ],
)
def test_what_is_decided_is_certain(first: str, second: str, value: float) -> None:
    assert win_probability_of(HeuristicValue(), None).value(position(first, second)) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("rules", PRESETS)
def test_every_position_has_a_value_and_exchanged_seats_the_opposite_one(rules: str) -> None:
    judge = win_probability_of(HeuristicValue(), None)
    batch = Batch.deal(Rules.parse(rules), 20, seed=3)
    chance = np.random.default_rng(1)
    for _ in range(12):
        for state in batch.states[batch.running]:
            one = np.array([state])
            other = one.copy()
            for field in ("hand", "hand_mask", "hand_size"):
                other[field][0] = one[field][0, ::-1]
            other["turn"] = 1 - one["turn"]
            value = judge.value(one)
            assert 0 <= value <= 1
            assert judge.value(other) == pytest.approx(1 - value, abs=1e-6)
        masks = batch.legal_masks()
        batch.step(np.array([chance.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]))


def test_the_net_is_finite_and_of_its_size() -> None:
    numbers = fitted()
    assert numbers.nbytes == NET.itemsize
    assert np.isfinite(numbers).all()


@kernel
def play_all_out(states: States, weights: Weights, players: Streams) -> None:
    """Play every game out, both seats by the heuristic."""
    for row in range(len(states)):
        play_out(states[row], HEURISTIC, HEURISTIC, weights[0], players[0])


def test_the_judge_is_mostly_right_about_games_of_the_heuristic() -> None:
    """From 3,000 deals: the mean within 3.29 standard errors (1 in 1,000), the square error far below a guess's ¼."""
    judge = win_probability_of(HeuristicValue(), None)
    batch = Batch.deal(HOUSE, 3_000, seed=5)
    values = np.array([judge.value(batch.states[row : row + 1]) for row in range(3_000)])
    play_all_out(batch.states, WEIGHTS, streams(6))
    points = (1 + batch.results()) / 2
    errors = points - values
    assert abs(errors.mean()) < 3.29 * errors.std() / np.sqrt(3_000)
    assert (errors**2).mean() < 0.215
    sure = values > 0.75
    assert points[sure].mean() > 0.7
    assert points[~sure].mean() < 0.6
