"""Search with the champion: one choice ahead, valued by a net; ranked by that and by what the champion prefers."""

from math import log

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import untrained
from tests.nets.test_position_features import worth_one
from uno_pomdp.agents.agent import Budget, InvalidAgent
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import RUNNING, STATE, States
from uno_pomdp.game.rng import streams
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.position_features import OPPONENTS, POSITIONS, new_workspace
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, RANDOM, WEIGHTS
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.search.root import UNLIKELY, Arms, leaning
from uno_pomdp.search.search import Search
from uno_pomdp.search.searches import value_net_search
from uno_pomdp.search.trials.value_net import look_ahead
from uno_pomdp.testing import check_agent

HOUSE = preset("house")
NET = random_net((12, 8), 4, POSITIONS)


def search(rules: Rules = HOUSE, sims: int = 60, **options: float) -> Search:
    """Return a search with nets that have learnt nothing."""
    positions = NetFile(rules, {}, random_net((8, 8), 2, POSITIONS), POSITIONS)
    return value_net_search(Budget(simulations=sims), champion=untrained(rules), positions=positions, **options)  # type: ignore[arg-type]


def at_choice(rules: Rules, seed: int) -> Game:
    """Return a game at its first choice of at least three actions."""
    game = Game.new(rules, seed)
    while len(game.legal_actions()) < 3:
        game.apply(game.legal_actions()[0])
    return game


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "mini-12"])
def test_it_conforms(rules: str) -> None:
    check_agent(lambda: search(Rules.parse(rules)), Rules.parse(rules), games=2, seed=5)


@pytest.mark.parametrize(
    "text", ["champion:sims=80", "champion:sims=80,threads=2,belief=particles,model=heuristic,opponent=baseline"]
)
def test_that_of_the_package_conforms(text: str) -> None:
    check_agent(lambda: make_agent(text), HOUSE, games=1, seed=3, at_most=60)


def test_an_action_is_worth_what_the_net_says_of_the_next_choice() -> None:
    """The same by plain steps of the batch API: forced moves until somebody has a choice."""
    batch, chance = Batch.deal(HOUSE, 400, 7), np.random.default_rng(7)
    parts = []
    for step in range(46):
        legal = batch.legal_masks()
        if step in (9, 45):
            parts.append(batch.states[batch.running & (legal.sum(1) > 1)][:40].copy())
        batch.step(np.array([chance.choice(np.flatnonzero(row)) if row.any() else 0 for row in legal]))
    worlds = np.concatenate(parts)
    action = np.array([0])
    workspace = new_workspace(NET)
    ended = 0
    for world in range(len(worlds)):
        one: States = worlds[world : world + 1].copy()
        seat = int(one["turn"][0])
        action[0] = np.flatnonzero(Batch(HOUSE, one.copy()).legal_masks()[0])[-1]
        found = np.empty((1, 1))
        look_ahead(one, np.zeros(1, STATE), action, NET, workspace, 0, WEIGHTS, streams(1), found)
        slow = Batch(HOUSE, one.copy())
        slow.step(action)
        while slow.running[0] and slow.legal_masks()[0].sum() == 1:
            slow.step(slow.legal_masks()[0].argmax()[None])
        if slow.running[0]:
            value = worth_one(NET, workspace, slow.states, 0)
            expected = 0.5 + 0.5 * (value if slow.turn[0] == seat else -value)
        else:
            ended += 1
            expected = 0.5 + 0.5 * slow.results()[0] * (1 - 2 * seat)
        assert found[0, 0] == pytest.approx(expected, abs=1e-6)
    assert len(worlds) == 80
    assert ended


def test_against_a_simple_policy_the_next_own_choice_is_valued() -> None:
    worlds = PolicyNetAgent(untrained(HOUSE))
    game = at_choice(HOUSE, 4)
    worlds.start(HOUSE, game.observation(game.turn), 1)
    sample = worlds.belief.sample(50, 3)
    actions = np.array([action.id for action in game.legal_actions()])
    results = [np.empty((50, len(actions))) for _ in range(2)]
    for opponent, found in zip((0, OPPONENTS.index("random")), results, strict=True):
        for world in range(50):
            table, one = np.zeros(1, STATE), sample[world : world + 1]
            for place in range(len(actions)):
                choice = actions[place : place + 1]
                look_ahead(
                    one, table, choice, NET, new_workspace(NET), opponent, WEIGHTS, streams(1),
                    found[world : world + 1, place : place + 1],
                )  # fmt: skip
                if opponent and table["status"][0] == RUNNING:
                    assert table["turn"][0] == game.turn
    assert not np.allclose(results[0], results[1])
    assert OPPONENTS.index("random") - 1 == RANDOM


def test_great_trust_plays_what_the_champion_likes_best_and_none_what_the_net_does() -> None:
    differ = 0
    for seed in range(8):
        game = at_choice(HOUSE, seed)
        champion = PolicyNetAgent(untrained(HOUSE))
        champion.start(HOUSE, game.observation(game.turn), 1)
        policy = champion.policy()
        chosen = []
        for trust in (1e6, 0.0):
            agent = search(trust=trust, endgame=False)
            agent.start(HOUSE, game.observation(game.turn), 1)
            decision = agent.decide()
            chosen.append(decision.action)
            assert all(one.prior == pytest.approx(policy[one.action.id]) for one in decision.candidates)
        assert policy[chosen[0].id] == policy.max()
        differ += chosen[0] != chosen[1]
    assert differ


def test_what_the_prior_excludes_is_not_tried_and_the_likeliest_first() -> None:
    prior = np.array([0.5, UNLIKELY / 2, 0.1, 0.3])
    arms = Arms.of([3, 5, 7, 9], None, prior, 0.1)
    assert arms.alive.tolist() == [0, 2, 3]
    assert Arms.of([3, 5, 7, 9], 2, prior, 0.1).alive.tolist() == [0, 3]
    arms.add(np.array([[0.5, 0.6, 0.5]]))
    # 0.1 · ln (0.5 / 0.1) = 0.16 outweighs the 0.1 points more
    assert arms.candidates()[0].action.id == 3
    assert leaning(np.array([1.0, 0.1]), 0.02) == pytest.approx([0.0, 0.02 * log(0.1)])
    arms.halve()
    assert arms.alive.tolist() == [0, 3]


def test_a_weighing_values_every_action_whatever_the_prior() -> None:
    game = at_choice(HOUSE, 2)
    agent = search(sims=300)
    agent.start(HOUSE, game.observation(game.turn), 1)
    weighing = agent.move_values()
    assert {one.action for one in weighing.candidates} == set(game.legal_actions())
    assert all(one.visits == weighing.worlds for one in weighing.candidates)


def test_a_known_opponent_is_known_in_endgames_too() -> None:
    proofs = [
        value_net_search(Budget(simulations=9), opponent=name).endgame for name in ("baseline", "random", "champion")
    ]
    assert [proof and proof.policy for proof in proofs] == [BASELINE, RANDOM, HEURISTIC]


def test_positions_of_other_rules_are_refused() -> None:
    agent = value_net_search(
        Budget(simulations=9), champion=untrained(HOUSE), positions=NetFile(preset("pass"), {}, NET, POSITIONS)
    )
    with pytest.raises(InvalidAgent, match="learnt with the rules pass, not house"):
        agent.start(HOUSE, Game.new(HOUSE, 1).observation(0), 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("champion:trust=0.1", "without ms=… or sims=… champion does not search"),
        ("champion:opponent=baseline", "without ms=… or sims=… champion does not search"),
        ("champion:ms=1,temperature=0.5", "temperature is of no use"),
        ("champion:ms=1,trust=nan", "trust: 'nan' is not a number from 0 to 1,000,000"),
        ("champion:ms=1,trust=-1", "trust: '-1' is not a number from 0"),
    ],
)
def test_options_that_would_do_nothing_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidAgent, match=said):
        make_agent(text)


def test_rules_without_nets_and_unknown_opponents_are_refused() -> None:
    rules = preset("mini-12")
    with pytest.raises(InvalidAgent, match="mini-12"):
        make_agent("champion:ms=1").start(rules, Game.new(rules, 1).observation(0), 1)
    with pytest.raises(InvalidAgent, match="choose one of champion, random, greedy, baseline, heuristic"):
        make_agent("champion:ms=1,opponent=nobody")
