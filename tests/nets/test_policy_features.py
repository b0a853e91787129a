"""What the net is told is what its description says, and nothing that is hidden."""

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import action_at, colours_in_order, encoded, followed, plays_so_far
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, LEGAL, STUCK
from uno_pomdp.rules import Rules, preset

GAMES = {"house": 4, PRINTED_PLAIN: 3, "pass": 3, "mini-9": 20, "mini-12": 40}


@pytest.mark.parametrize("name", GAMES)
def test_every_number_is_the_one_described(name: str) -> None:
    rules, looked = Rules.parse(name), 0
    for seed in range(GAMES[name]):
        for game, agents in followed(rules, seed):
            agent, seen = agents[game.turn], game.observation(game.turn)
            agent.policy()
            wanted = encoded(rules, seen, agent.belief, plays_so_far(game))
            assert len(wanted) == FEATURES
            np.testing.assert_allclose(agent.net.features, wanted, rtol=1e-5, atol=1e-5)
            looked += 1
    assert looked > 20


@pytest.mark.parametrize("name", ["house", PRINTED_PLAIN])
def test_the_policy_is_the_net_s_with_colours_put_back(name: str) -> None:
    rules = Rules.parse(name)
    for game, agents in followed(rules, 3):
        agent, seen = agents[game.turn], game.observation(game.turn)
        policy = agent.policy()
        order = colours_in_order(rules, seen)
        legal = {action.id for action in seen.legal_actions()}
        assert set(np.flatnonzero(policy)) == legal
        assert policy.sum() == pytest.approx(1.0)
        logits = {action_at(place, order): float(agent.net.outputs[place]) for place in range(ACTIONS)}
        first, second, *_ = sorted(legal)
        ratio = np.exp(logits[first] - logits[second])
        assert policy[first] / policy[second] == pytest.approx(ratio, rel=1e-4)


def test_a_play_that_ends_all_answers_is_told() -> None:
    """Where the opponent can't hold a card playable on an action, the number says so with certainty."""
    rules, certain = preset("mini-9"), 0
    for seed in range(40):
        for game, agents in followed(rules, seed):
            agents[game.turn].policy()
            row = agents[game.turn].net.features
            stuck = row[STUCK : STUCK + 60][row[LEGAL : LEGAL + 60] > 0]
            assert ((stuck > -1e-6) & (stuck < 1 + 1e-6)).all()
            certain += int((stuck > 1 - 1e-6).sum())
    assert certain > 0
