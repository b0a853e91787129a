"""Searches find what is there to be found, keep to their budgets and explain themselves."""

from itertools import count

import pytest

from tests.helpers import start
from uno_pomdp.agents.agent import Budget, Decision
from uno_pomdp.game.game import Game
from uno_pomdp.policies.kernels import HEURISTIC
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.named_beliefs import closed
from uno_pomdp.search.root import CHUNK, TrialMaker
from uno_pomdp.search.search import Search
from uno_pomdp.search.trials.playouts import Playouts
from uno_pomdp.search.trials.tree import TreeWalks

PLANNERS = ["flat:sims=400", "flat:sims=400,halving=no", "ismcts:sims=400"]


def decide(text: str, game: Game, seed: int = 1) -> Decision:
    agent = make_agent(text)
    agent.start(game.rules, game.observation(game.turn), seed)
    return agent.decide()


@pytest.mark.parametrize("text", PLANNERS)
def test_a_win_in_one_is_found(text: str) -> None:
    """With a skip and a red card left, the skip first wins at once; the number first may not."""
    game = start("R7", "RS R1", "Y1 Y2", "B2 B3 G1 G2 G3 R4 R5 Y5")
    decision = decide(text, game)
    assert str(decision.action) == "RS"
    best = decision.candidates[0]
    assert best.action == decision.action
    assert best.value == 1.0


@pytest.mark.parametrize("text", PLANNERS)
def test_a_forced_move_takes_no_simulations(text: str) -> None:
    game = start("R7", "Y1 Y2", "R1 R2", "B2 B3")
    assert decide(text, game).simulations == 0
    assert decide(text, game).note == "forced"


@pytest.mark.parametrize("text", PLANNERS)
def test_a_decision_tells_its_reasons(text: str) -> None:
    game = Game.new(preset("house"), 5)
    decision = decide(text, game)
    assert {candidate.action for candidate in decision.candidates} == set(game.legal_actions())
    assert sum(candidate.visits for candidate in decision.candidates) == decision.simulations
    assert 300 <= decision.simulations <= 400
    assert decision.worlds > 0
    assert decision.belief is not None
    assert decision.belief.kind == "closed form"
    for candidate in decision.candidates:
        assert candidate.value is not None
        assert candidate.error is not None
        assert 0.0 <= candidate.error <= 0.5


def test_the_same_seed_gives_the_same_decision_and_values() -> None:
    game = Game.new(preset("house"), 5)
    for text in PLANNERS:
        assert decide(text, game, 3).candidates == decide(text, game, 3).candidates
        assert decide(text, game, 3).candidates != decide(text, game, 4).candidates


@pytest.mark.parametrize("trial", [Playouts(HEURISTIC), TreeWalks(HEURISTIC, 0.3)])
def test_a_time_budget_is_watched_on_the_clock_that_was_given(trial: TrialMaker) -> None:
    ticks = count()
    game = Game.new(preset("house"), 5)
    agent = Search("", Budget(milliseconds=10.0), closed, trial, clock=lambda: next(ticks) * 0.001)
    agent.start(game.rules, game.observation(0), 1)
    decision = agent.decide()
    assert decision.simulations > CHUNK
    assert decision.milliseconds == pytest.approx(12.0, abs=6.0)


def test_halving_spends_most_on_the_best() -> None:
    game = Game.new(preset("house"), 5)
    decision = decide("flat:sims=3000", game)
    visits = [candidate.visits for candidate in decision.candidates]
    assert visits[0] == max(visits)
    assert visits[0] > 1.5 * min(visits)


def test_more_simulations_grow_the_tree_without_a_limit_in_the_way() -> None:
    decision = decide("ismcts:sims=6000", Game.new(preset("house"), 5))
    assert decision.simulations == 6000
    assert len(decision.line) >= 2


def test_a_budget_smaller_than_the_number_of_actions_is_kept() -> None:
    game = Game.new(preset("house"), 5)
    assert len(game.legal_actions()) > 2
    assert decide("flat:sims=2", game).simulations == 2
    assert decide("ismcts:sims=2", game).simulations == 2
