"""Weighing: all actions in the same worlds, the error of a difference that is the true one, what is proved is exact."""

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN, start
from uno_pomdp.agents.agent import Budget
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.move_values import MoveValues, MoveValueSums, ValuesMoves
from uno_pomdp.search.searches import flat_monte_carlo


def weighed(game: Game, seed: int, simulations: int) -> MoveValues:
    """Return what flat Monte Carlo finds for the player to move."""
    agent = flat_monte_carlo(Budget(simulations=simulations))
    agent.start(game.rules, game.observation(game.turn), seed)
    return agent.move_values()


def test_means_and_covariance_are_those_of_the_textbook() -> None:
    points = np.random.default_rng(1).random((50, 3))
    scales = MoveValueSums([1, 5, 9])
    for chunk in (points[:20], points[20:21], points[21:]):
        scales.add(chunk)
    mean, covariance = scales.means()
    assert mean == pytest.approx(points.mean(axis=0))
    assert covariance == pytest.approx(np.cov(points.T) / 50)
    found = scales.result(0, None)
    worst = found.candidates[-1].action
    best, behind = (points[:, [1, 5, 9].index(action.id)] for action in (found.best, worst))
    loss, error = found.loss(worst)
    assert loss == pytest.approx((best - behind).mean())
    assert error == pytest.approx((best - behind).std(ddof=1) / np.sqrt(50))


def test_the_error_of_a_difference_is_how_much_it_varies_from_seed_to_seed() -> None:
    game = Game.new(preset("house"), 3)
    first, second = game.legal_actions()[:2]
    found = [weighed(game, seed, 600) for seed in range(150)]
    differences = [each.value(first) - each.value(second) for each in found]
    errors = []
    for each in found:
        a, b = (next(i for i, one in enumerate(each.candidates) if one.action == x) for x in (first, second))
        c = each.covariance
        errors.append(c[a, a] + c[b, b] - 2 * c[a, b])
    # the ratio of two variances, one from 150 values: its 99.9 % band is about 0.67 to 1.43
    assert 0.67 < np.var(differences, ddof=1) / np.mean(errors) < 1.43


def test_every_legal_action_has_the_same_worlds_and_the_best_stands_first() -> None:
    game = Game.new(preset("house"), 3)
    found = weighed(game, 1, 1000)
    assert {one.action for one in found.candidates} == set(game.legal_actions())
    assert {one.visits for one in found.candidates} == {found.worlds}
    assert found.worlds == 1000 // len(game.legal_actions())
    values = [one.value or 0.0 for one in found.candidates]
    assert values == sorted(values, reverse=True)
    assert found.loss(found.best) == (0.0, 0.0)
    assert found.line == () or found.line[0] == found.best


@pytest.mark.parametrize("text", ["flat:sims=300", "ismcts:sims=300", "value:sims=300", "flat:sims=1", "flat:ms=1"])
def test_every_root_search_can_weigh(text: str) -> None:
    game = Game.new(Rules.parse(PRINTED_PLAIN), 2)
    agent = make_agent(text)
    assert isinstance(agent, ValuesMoves)
    agent.start(game.rules, game.observation(0), 1)
    found = agent.move_values()
    assert {one.action for one in found.candidates} == set(game.legal_actions())
    assert all(0.0 <= (one.value or 0.0) <= 1.0 for one in found.candidates)
    assert found.worlds >= 2


def test_the_same_seed_gives_the_same_weighing_whatever_the_halving_and_the_threads() -> None:
    game = Game.new(preset("house"), 3)
    texts = ("flat:sims=500", "flat:sims=500,halving=no", "flat:sims=500,threads=2")
    found = []
    for text in texts:
        agent = make_agent(text)
        agent.start(game.rules, game.observation(0), 7)
        assert isinstance(agent, ValuesMoves)
        found.append(agent.move_values())
    assert found[0] == found[1] == found[2]
    assert found[0] != weighed(game, 8, 500)


def test_a_run_is_worth_exactly_a_win_and_what_is_not_one_keeps_its_value() -> None:
    # The skip and then the other red card win at once; the other red card first lets player 2 change the colour.
    game = start("R0", "RS R1", "W G5", "Y5 Y6 G7 G8 B9 R9 W", reshuffle="no")
    found = weighed(game, 1, 400)
    assert found.best == Action.parse("RS")
    assert found.value(found.best) == 1.0
    loss, error = found.loss(Action.parse("R1"))
    assert 0.0 < loss < 1.0
    assert error == found.candidates[1].error


def test_a_single_legal_action_is_weighed_too() -> None:
    game = start("R0", "Y1 R1 R5", "R2 R3 R4", "R6 R7 R8", reshuffle="no")
    for word in ("R1", "R2", "R5", "R3"):
        game.apply(Action.parse(word))
    found = weighed(game, 1, 100)
    assert found.loss(game.legal_actions()[0]) == (0.0, 0.0)
    assert found.worlds == 100
