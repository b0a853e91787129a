"""The agent of a net keeps the laws of agents, whatever it has learnt."""

from pathlib import Path

import pytest

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import untrained
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.game.game import Game
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.pretrained import pretrained_policy, pretrained_rules, response_file
from uno_pomdp.rules import PRESETS, Rules, preset
from uno_pomdp.testing import check_agent


@pytest.mark.parametrize("rules", ["house", "pass", PRINTED_PLAIN, "mini-7", "mini-12"])
def test_it_conforms(rules: str) -> None:
    champion = untrained(Rules.parse(rules))
    check_agent(lambda: PolicyNetAgent(champion), Rules.parse(rules), games=2, seed=5)


def test_it_plays_the_rules_it_was_trained_with_alone() -> None:
    agent = PolicyNetAgent(untrained(preset("house")))
    with pytest.raises(InvalidAgent, match="trained with the rules house and can't play pass"):
        agent.start(preset("pass"), Game.new(preset("pass"), 1).observation(0), 1)


def test_a_temperature_has_to_be_above_nothing() -> None:
    with pytest.raises(InvalidAgent, match="temperature: 0 is not a number above 0"):
        PolicyNetAgent(untrained(preset("house")), temperature=0.0)


def test_it_is_registered_where_a_net_is_shipped() -> None:
    assert ("champion" in AGENTS) == bool(pretrained_rules())


def test_rules_without_a_net_are_refused() -> None:
    assert "mini-12" not in pretrained_rules()
    agent = PolicyNetAgent()
    with pytest.raises(InvalidAgent, match="no champion comes with the package for the rules mini-12"):
        agent.start(preset("mini-12"), Game.new(preset("mini-12"), 1).observation(0), 1)


@pytest.mark.parametrize("rules", ["printed", "stacking", "party", "mini-bluff"])
def test_rules_that_no_net_can_know_are_refused_by_what_is_new_in_them(rules: str) -> None:
    with pytest.raises(InvalidAgent, match=r"no champion .*: nets do not know the rules? .*=.* yet, play heuristic"):
        PolicyNetAgent().check_game(preset(rules))


def test_every_shipped_net_is_for_the_rules_of_its_name() -> None:
    for name in pretrained_rules():
        assert pretrained_policy(Rules.parse(name)).rules == Rules.parse(name)


def test_every_shipped_response_answers_the_shipped_net_of_its_rules_and_is_no_champion_itself() -> None:
    found = {name: file for name in PRESETS if (file := response_file(Rules.parse(name))) is not None}
    assert "house" in found
    for name, file in found.items():
        response, champion = load_net(file), pretrained_policy(Rules.parse(name))
        assert response.rules == champion.rules
        assert response.about["answers"] == champion.checksum  # a new champion needs a new response
        assert response.checksum != champion.checksum
        assert response.about["decisions"] > 0
        assert not Path(response.about["config"]["against"]).is_absolute()
