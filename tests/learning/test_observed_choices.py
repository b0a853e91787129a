"""Watching an agent: what is noted is what it was told and what it did."""

import numpy as np
import pytest

from tests.nets.following import untrained
from uno_pomdp.learning.imitation.observed_choices import KINDS, joined, watch_game, watch_games
from uno_pomdp.nets.net_file import OUTPUTS, forward
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.policy_features import ACTIONS, LEGAL
from uno_pomdp.rules import preset


@pytest.mark.parametrize(("rules", "games"), [("house", 12), ("mini-12", 80)])
def test_what_is_noted_is_what_the_agent_was_told_and_what_it_did(rules: str, games: int) -> None:
    """A champion that always does what it finds likeliest: its own net says the same of every row."""
    net = untrained(preset(rules))
    choices = joined(watch_games(lambda: PolicyNetAgent(net, temperature=1e-4), preset(rules), 3, games))
    assert len(choices.actions) > 20
    outputs, agreed = np.empty(OUTPUTS, np.float32), 0
    for row, action in zip(choices.features.astype(np.float32), choices.actions, strict=True):
        legal = row[LEGAL : LEGAL + ACTIONS] > 0
        assert legal.sum() > 1
        assert legal[action]
        forward(net.net, row, outputs)
        agreed += int(np.where(legal, outputs[:ACTIONS], -np.inf).argmax() == action)
    assert agreed > 0.97 * len(choices.actions)  # rows are kept in few digits, so that a tie may break otherwise


def test_the_same_number_is_the_same_game_on_any_process() -> None:
    rules = preset("mini-9")
    alone = list(watch_games("flat:sims=20", rules, 5, 6))
    together = list(watch_games("flat:sims=20", rules, 5, 6, processes=2))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.actions, other.actions)
        np.testing.assert_array_equal(one.features, other.features)
    one, other = (watch_game("flat:sims=20", preset("house"), 5, number) for number in range(KINDS))
    assert not np.array_equal(one.actions, other.actions)
