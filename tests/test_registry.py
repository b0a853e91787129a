"""Texts become agents, or a sentence that says what would be right."""

import pytest

from uno_pomdp.agents.protocol import Budget, InvalidAgent
from uno_pomdp.planners.base import Planner
from uno_pomdp.registry import AGENTS, make_agent


@pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"policy"}))  # which needs a file
def test_every_agent_can_be_made_by_its_name_and_keeps_it(name: str) -> None:
    assert make_agent(name).name == name
    assert AGENTS[name].about


def test_options_reach_the_agent() -> None:
    agent = make_agent("flat:sims=300,belief=uniform,rollout=baseline,halving=no")
    assert isinstance(agent, Planner)
    assert agent.budget == Budget(simulations=300)
    assert agent.name == "flat:sims=300,belief=uniform,rollout=baseline,halving=no"
    timed = make_agent("ismcts:ms=2.5")
    assert isinstance(timed, Planner)
    assert timed.budget == Budget(milliseconds=2.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "no agent is called 'nobody': choose one of random, greedy, baseline, heuristic, flat, ismcts"),
        ("greedy:ms=1", "greedy has no option 'ms': it has no options"),
        ("flat:speed=1", "flat has no option 'speed': it has the options ms, sims, belief, rollout, halving"),
        ("flat:ms", "'ms' is no option of flat: write name=value"),
        ("flat:ms=soon", "ms=soon: 'soon' is no number"),
        ("flat:ms=1,sims=2", "give ms=… or a whole number of sims=…, not both"),
        ("flat:sims=1.5", "give ms=… or a whole number of sims=…, not both"),
        ("flat:sims=0", "a budget has to be more than nothing: give at least 1 simulation or some milliseconds"),
        ("flat:belief=none", "no belief is called 'none': choose one of closed, uniform, random, greedy"),
        ("flat:rollout=none", "no policy is called 'none': choose one of random, greedy, baseline, heuristic"),
        ("flat:halving=maybe", "halving=maybe: write yes or no"),
        ("ismcts:rollout=greedy", "ismcts needs a rollout policy that prefers some actions"),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_right(text: str, message: str) -> None:
    with pytest.raises(InvalidAgent) as caught:
        make_agent(text)
    assert str(caught.value).startswith(message)


def test_a_budget_is_one_of_two_things() -> None:
    with pytest.raises(InvalidAgent, match="a budget is a number of simulations or of milliseconds, one of the two"):
        Budget()
    with pytest.raises(InvalidAgent, match="one of the two"):
        Budget(simulations=1, milliseconds=1.0)
