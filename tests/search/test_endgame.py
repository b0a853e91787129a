"""Endgames: what is called proved is so, by the slow solver; and nothing else about a planner changes."""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN, choose, start
from tests.search.drawless_oracle import (
    Replies,
    Table,
    Worlds,
    after_play,
    baseline_replies,
    can_run,
    noisy_replies,
    random_replies,
)
from uno_pomdp.agents.agent import Budget, Candidate, Decision
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import ACTIONS, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import BASELINE, RANDOM, noisy
from uno_pomdp.registry import BeliefSpec, make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.endgame.endgame import Bounds, Endgame, bounded, winning_runs
from uno_pomdp.testing import check_agent

PLENTY = Budget(simulations=10**6)
SMALL_DECKS = {
    "mini-7": replace(preset("mini-7"), reshuffle="no"),
    "mini-10": preset("mini-10"),
    "pass": replace(preset("mini-10"), skip="pass"),
    "last resort": replace(preset("mini-10"), wild_four="last_resort"),
    "skips": Rules(deck=Cards.parse("R0 RS RR YS YR Y1 Y1 W W4 R+2"), hand_size=3, reshuffle="no"),
    "penalties": Rules(deck=Cards.parse("R0 R+2 R+2 Y+2 Y1 W4 W4 W R2 Y2"), hand_size=3, reshuffle="no"),
}
POLICIES: dict[int, Replies] = {
    RANDOM: random_replies,
    BASELINE: baseline_replies,
    noisy(BASELINE, 0.25): noisy_replies(baseline_replies, Fraction(1, 4)),
}


def endgames(rules: Rules, seeds: range) -> Iterator[tuple[Observation, ClosedFormBelief]]:
    """Yield the decisions of random games in which the opponent has one or two cards."""
    for seed in seeds:
        game, chance = Game.new(rules, seed), random.Random(seed)
        beliefs = [ClosedFormBelief(rules, game.observation(seat)) for seat in SEATS]
        while not game.over:
            seen = game.observation(game.turn)
            if len(seen.legal_actions()) > 1 and len(seen.hand) <= 3 and seen.opponent_size <= 2:
                yield seen, beliefs[game.turn]
            len(game.moves)
            game.apply(choose(game, chance))
            for seat in SEATS:
                beliefs[seat].update(*game.last_step(seat))


def table_of(seen: Observation, rules: Rules, replies: Replies, beyond: bool) -> Table:
    return Table(rules, replies, beyond, tuple(seen.hand), seen.top, seen.colour, tuple(seen.unseen(rules)))


def worlds_of(seen: Observation, belief: Belief) -> Worlds:
    """Return all possible hands with their probabilities, by asking for each hand."""
    unseen = list(seen.unseen(belief.rules))
    size = seen.opponent_size
    hands = {tuple(sorted(unseen[i] for i in places)) for places in np.ndindex(*[len(unseen)] * size)}
    chances = {hand: belief.hand_probability(Cards.of(hand)) for hand in sorted(hands)}
    found = {hand: Fraction(chance) for hand, chance in chances.items() if chance > 0.0}
    total = sum(found.values())
    return {hand: chance / total for hand, chance in found.items()}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", SMALL_DECKS)
def test_the_race_is_what_plain_recursion_finds(name: str, policy: int) -> None:
    rules = SMALL_DECKS[name]
    looked, decided = 0, 0
    for seen, belief in endgames(rules, range(40)):
        bounds = Endgame(policy).bounds(seen, belief, PLENTY)
        assert bounds is not None
        worlds = worlds_of(seen, belief)
        for action in seen.legal_actions():
            assert action.card is not None
            assert action.colour is not None
            play = action.card, action.colour
            low, high = after_play(table_of(seen, rules, POLICIES[policy], beyond=False), play, worlds)
            assert bounds.low[action.id] == pytest.approx(float(low), abs=1e-9), (seen, action)
            assert bounds.high[action.id] == pytest.approx(float(high), abs=1e-9), (seen, action)
            decided += low == high
            looked += 1
    assert looked > 40
    assert decided > 5


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["mini-7", "skips", "penalties"])
def test_the_game_to_its_end_lies_within_the_bounds(name: str, policy: int) -> None:
    """Draws included, to the end: the exact probability of winning with the best play."""
    rules = SMALL_DECKS[name]
    looked = 0
    for seen, belief in endgames(rules, range(6)):
        if len(seen.unseen(rules)) > 5:
            continue
        bounds = Endgame(policy).bounds(seen, belief, PLENTY)
        assert bounds is not None
        for action in seen.legal_actions():
            play = action.card or 0, action.colour or 0
            low, high = after_play(table_of(seen, rules, POLICIES[policy], beyond=True), play, worlds_of(seen, belief))
            assert low == high
            assert bounds.low[action.id] - 1e-9 <= low <= bounds.high[action.id] + 1e-9, (seen, action)
            looked += 1
    assert looked > 5


@pytest.mark.parametrize("name", SMALL_DECKS)
def test_runs_are_what_plain_recursion_finds(name: str) -> None:
    rules = SMALL_DECKS[name]
    found = 0
    for seed in range(150):
        game, chance = Game.new(rules, seed), random.Random(seed)
        while not game.over:
            seen = game.observation(game.turn)
            if not seen.penalty:
                some = can_run(table_of(seen, rules, random_replies, False), seen.draw_size, seen.opponent_size)
                assert bool(winning_runs(seen)) == some, seen
                found += some
            game.apply(choose(game, chance))
    assert found > 20


@pytest.mark.parametrize("rules", ["house", "pass", PRINTED_PLAIN, "mini-12"])
def test_a_run_wins_whatever_the_opponent_holds(rules: str) -> None:
    """Play every run that is found: the opponent never gets to play a card."""
    won = 0
    for seed in range(60):
        game, chance = Game.new(Rules.parse(rules), seed), random.Random(seed)
        while not game.over:
            mask = winning_runs(game.observation(game.turn))
            if not mask:
                game.apply(choose(game, chance))
                continue
            winner = game.turn
            while not game.over:
                if game.turn == winner:
                    mask = winning_runs(game.observation(winner))
                    assert mask, game.observation(winner)
                    game.apply(ACTIONS[mask.bit_length() - 1])
                else:
                    assert game.observation(winner).penalty
                    game.apply(game.legal_actions()[0])
            assert game.outcome is not None
            assert game.outcome.winner == winner
            won += 1
    assert won > 10


# --- what a decision says --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["flat:sims=200", "ismcts:sims=200", "flat:ms=5", "flat:sims=200,threads=2"])
def test_a_run_is_played_without_a_search(text: str) -> None:
    game = start("R7", "RS R+2 Y+2 Y5", "G1 G2 G3 B1", "B2 B3 G1 G2 G3 R4 R5 Y5")
    agent = make_agent(text)
    agent.start(game.rules, game.observation(0), 1)
    decision = agent.decide()
    assert str(decision.action) == "RS"
    assert decision.note == "endgame solved: wins before the opponent plays"
    assert decision.simulations == 0
    assert decision.candidates[0].value == 1.0


@pytest.mark.parametrize("text", ["flat:sims=200", "ismcts:sims=200"])
def test_a_race_that_is_decided_says_so(text: str) -> None:
    """Nobody can answer a red 1, and then the red 2 wins; a red 2 may be answered with the blue one."""
    game = start("R7", "R1 R2", "G3 G4", "B5 B6 B2")
    agent = make_agent(text)
    agent.start(game.rules, game.observation(0), 1)
    decision = agent.decide()
    assert str(decision.action) == "R1"
    assert decision.note == "endgame solved: R1 wins 100.0 %, no other more than 100.0 %"
    assert decision.candidates[0].value == pytest.approx(1.0)
    assert decision.candidates[0].error == 0.0
    assert 0 < decision.simulations <= 100
    assert decision.worlds == 0


def test_bounds_that_separate_an_action_prove_it() -> None:
    low, high = np.zeros(63), np.ones(63)
    low[[3, 5]], high[[3, 5]] = [0.5, 0.2], [0.8, 0.5]
    assert Bounds(low, high, 1).best([3, 5]) == 3
    high[5] = 0.51
    assert Bounds(low, high, 1).best([3, 5]) is None


def test_what_is_searched_is_kept_within_the_bounds() -> None:
    red, yellow = Action.parse("R1"), Action.parse("Y1")
    low, high = np.zeros(63), np.ones(63)
    low[red.id], high[yellow.id] = 0.6, 0.55
    found = Decision(yellow, (Candidate(yellow, 0.7, 0.1, 60), Candidate(red, 0.5, 0.1, 40)), (yellow,), 100, 100)
    kept = bounded(found, Bounds(low, high, 30), list)
    assert kept.action == red
    assert [(one.action, one.value) for one in kept.candidates] == [(red, 0.6), (yellow, 0.55)]
    assert kept.line == (red,)
    assert kept.simulations == 102
    assert kept.note == "endgame: R1 wins 60.0 to 100.0 %, the rest is searched"


def test_a_budget_that_is_too_small_is_not_spent_on_a_race() -> None:
    rules = preset("house")
    for seen, belief in endgames(rules, range(12)):
        assert Endgame().bounds(seen, belief, Budget(simulations=1)) is None
        bounds = Endgame().bounds(seen, belief, Budget(simulations=2_000))
        assert bounds is None or 0 <= bounds.simulations <= 1_000


@pytest.mark.parametrize("text", ["flat:sims=60", "ismcts:sims=60,threads=2", "flat:sims=2000,belief=uniform"])
@pytest.mark.parametrize("rules", [PRINTED_PLAIN, "mini-9", "mini-12"])
def test_planners_that_solve_endgames_conform(text: str, rules: str) -> None:
    check_agent(lambda: make_agent(text), Rules.parse(rules), games=3, seed=8)


def test_endgames_can_be_left_to_the_search() -> None:
    game = start("R7", "RS R+2 Y+2 Y5", "G1 G2 G3 B1", "B2 B3 G1 G2 G3 R4 R5 Y5")
    agent = make_agent("flat:sims=200,endgame=no")
    agent.start(game.rules, game.observation(0), 1)
    assert agent.decide().simulations > 100


# --- hands of two ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["closed", "uniform", "particles,model=heuristic"])
def test_pairs_have_the_probability_of_their_hands(name: str) -> None:
    """By the slow way of the base class: a hand at a time."""
    rules = preset("mini-12")
    looked = 0
    for seed in range(12):
        game, chance = Game.new(rules, seed), random.Random(seed)
        belief = BeliefSpec.parse(name).maker()(rules, game.observation(0))
        for _ in range(8):
            if game.over:
                break
            if game.observation(0).opponent_size == 2:
                pairs = belief.pair_probabilities()
                assert pairs == pytest.approx(Belief.pair_probabilities(belief), abs=1e-12)
                assert pairs.sum() == pytest.approx(1.0)
                looked += 1
            game.apply(choose(game, chance))
            belief.update(*game.last_step(0))
    assert looked > 12
