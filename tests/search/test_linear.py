"""The agent `value` and V at the leaves of POMCP."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers import do, start
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.game.game import Game
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.registry import AgentSpec, make_agent
from uno_pomdp.rules import preset
from uno_pomdp.search.pomcp.history_tree import SimulationModel, return_up_to
from uno_pomdp.search.search import Search
from uno_pomdp.search.trials.linear import LinearValues


def candidates(text: str, game: Game, seed: int = 1) -> dict[str, float | None]:
    agent = make_agent(text)
    agent.start(game.rules, game.observation(game.turn), seed)
    decision = agent.decide()
    assert decision.action == decision.candidates[0].action
    return {str(candidate.action): candidate.value for candidate in decision.candidates}


@pytest.mark.parametrize("text", ["value:sims=100", "value:sims=100,steps=3", "value:sims=100,model=random"])
def test_a_win_that_the_lookahead_reaches_is_certain(text: str) -> None:
    """A skip, then the last card: the next decision is none any more, the game is over before it."""
    game = start("R7", "RS R1", "Y1 Y2", "B2 B3 G1 G2 G3 R4 R5 Y5")
    values = candidates(text, game)
    assert next(iter(values)) == "RS"
    assert values["RS"] == 1.0
    assert values["R1"] is not None
    assert values["R1"] < 1.0


def test_a_loss_that_the_reply_brings_is_seen() -> None:
    """Of the nine cards that the opponent's last one can be, four fit on R1 and none on Y3.

    100 worlds each: the share of four in nine has a standard error of 0.05.
    """
    game = do(start("R7", "R8 R1 Y3", "RS R3 R2", "B2 B4 G1 G2 G5 R4 R5 B5"), "R8 RS R3")
    values = candidates("value:sims=200,belief=closed,halving=no", game)
    assert next(iter(values)) == "Y3"
    assert values["R1"] is not None
    assert values["R1"] < 5 / 9 + 4 * 0.05


def test_a_file_is_played_against_its_opponent_unless_another_model_is_named(tmp_path: Path) -> None:
    value = fit_value(UnoPOMDP("house", "greedy"), games=10, worlds=4)
    value.save(tmp_path / "v.npz")
    agents = [make_agent(f"value:file={tmp_path}/v.npz{more}") for more in ("", ",model=random")]
    trials = [agent.trial for agent in agents if isinstance(agent, Search)]
    assert [trial.model for trial in trials if isinstance(trial, LinearValues)] == [GREEDY, RANDOM]
    assert AgentSpec.parse(f"value:file={tmp_path}/v.npz").reads == (tmp_path / "v.npz",)
    game = Game.new(preset("house"), 5)
    ours, shipped = (candidates(text, game) for text in (f"value:sims=50,file={tmp_path}/v.npz", "value:sims=50"))
    assert ours.keys() == shipped.keys()
    assert ours != shipped
    with pytest.raises(InvalidAgent, match="the value function is for the rules house, not pass"):
        agents[0].check_game(preset("pass"))


def test_a_lookahead_discounts_and_pays_for_steps_as_the_value_was_fitted(tmp_path: Path) -> None:
    """A skip, then the last card: two own moves, the win comes with the second; 0.9 − 0.1 − 0.09 in all."""
    process = UnoPOMDP("house", "greedy", discount=0.9, step_cost=0.1)
    found = fit_value(process, games=10, worlds=4)
    game = start("R7", "RS R1", "Y1 Y2", "B2 B3 G1 G2 G3 R4 R5 Y5")
    replace(found, rules=game.rules).save(tmp_path / "v.npz")
    values = candidates(f"value:sims=100,file={tmp_path}/v.npz", game)
    assert values["RS"] == pytest.approx(0.5 + 0.5 * (0.9 - 0.1 - 0.09))


def test_a_value_fitted_to_a_few_games_beats_its_opponent(tmp_path: Path) -> None:
    """400 games fitted, 100 pairs at 60 simulations: the bar is the whole 95 % interval above ½, at seed 1 for good."""
    fit_value(UnoPOMDP("house", "greedy"), games=400, worlds=8).save(tmp_path / "v.npz")
    points = run_match(
        Match(preset("house"), (f"value:sims=60,file={tmp_path}/v.npz", "greedy"), 100, seed=1, luck=False)
    ).points
    assert points.low > 0.5


def test_it_beats_greedy() -> None:
    """120 pairs at 60 simulations: measured 66 to 68 % of the points, the bar is the whole 95 % interval above ½."""
    points = run_match(Match(preset("house"), ("value:sims=60", "greedy"), 120, seed=1, luck=False)).points
    assert points.low > 0.5


def test_values_at_the_leaves_lead_pomcp_to_a_win_in_one() -> None:
    game = start("R7", "RS R1", "Y1 Y2", "B2 B3 G1 G2 G3 R4 R5 Y5")
    values = candidates("pomcp:sims=400,belief=closed,leaf=value", game)
    assert next(iter(values)) == "RS"
    assert values["RS"] == pytest.approx(1.0, abs=0.01)


def test_the_same_seed_gives_the_same_values_and_leaves_matter() -> None:
    game = Game.new(preset("house"), 5)
    for text in ("value:sims=100", "pomcp:sims=200,leaf=value"):
        assert candidates(text, game, 3) == candidates(text, game, 3)
        assert candidates(text, game, 3) != candidates(text, game, 4)
    assert candidates("pomcp:sims=200,leaf=value", game, 3) != candidates("pomcp:sims=200", game, 3)


@pytest.mark.parametrize("gamma", [1.0, 0.95, 0.5])
@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_a_return_up_to_a_value_is_the_discounted_sum_before_it(gamma: float, penalty: float) -> None:
    environment = SimulationModel(0, RANDOM, RANDOM, 1.0, gamma, penalty, True)
    for moves in range(12):
        for value in (-1.0, 0.3, 1.0):
            expected = gamma**moves * value - sum(penalty * gamma**k for k in range(moves))
            assert return_up_to(value, moves, environment) == pytest.approx(expected, abs=1e-12)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InvalidAgent, match="no leaf is called 'guess': choose one of rollout, value"):
        make_agent("pomcp:leaf=guess")
    with pytest.raises(InvalidAgent, match="steps: 0 is not a whole number from 1 to 1,000"):
        make_agent("value:steps=0")
    with pytest.raises(InvalidAgent, match=r"steps: '1\.5' is not a whole number"):
        make_agent("value:steps=1.5")
