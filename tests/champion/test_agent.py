"""The agent of a net keeps the laws of agents, whatever it has learnt."""

import pytest

from tests.champion.following import untrained
from uno_pomdp.agents.protocol import InvalidAgent
from uno_pomdp.champion.agent import SHIPPED, ChampionAgent
from uno_pomdp.game.engine import Game
from uno_pomdp.registry import AGENTS
from uno_pomdp.rules import preset
from uno_pomdp.testing import check_agent


@pytest.mark.parametrize("rules", ["house", "pass", "printed", "mini-7", "mini-12"])
def test_it_conforms(rules: str) -> None:
    champion = untrained(preset(rules))
    check_agent(lambda: ChampionAgent(champion), preset(rules), games=2, seed=5)


def test_it_plays_the_rules_it_was_trained_with_alone() -> None:
    agent = ChampionAgent(untrained(preset("house")))
    with pytest.raises(InvalidAgent, match="trained with the rules house and can't play pass"):
        agent.start(preset("pass"), Game.new(preset("pass"), 1).observation(0), 1)


def test_a_temperature_has_to_be_above_nothing() -> None:
    with pytest.raises(InvalidAgent, match="give a number above 0"):
        ChampionAgent(untrained(preset("house")), temperature=0.0)


def test_it_is_registered_where_its_net_is_shipped() -> None:
    assert ("champion" in AGENTS) == (SHIPPED / "house.npz").is_file()
