"""Every registered agent keeps the laws of `check_agent`, and the check catches those who do not."""

from dataclasses import replace

import numpy as np
import pytest

from tests.helpers import FORMER_PRINTED
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.agents.agent import Agent, Candidate, Decision
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.game.actions import KEEP
from uno_pomdp.policies.kernels import BASELINE
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset
from uno_pomdp.testing import check_agent

SMALL = {name: f"{name}:sims=40" for name in ("flat", "ismcts", "pomcp", "value")}
"""Budgets for tests."""


@pytest.mark.parametrize("rules", ["house", "pass", FORMER_PRINTED, "mini-7", "mini-12"])
@pytest.mark.parametrize(
    "name", sorted(AGENTS.keys() - {"policy", "champion", "onnx", "py"})
)  # which play what a file says, under its rules
def test_every_agent_conforms(name: str, rules: str) -> None:
    games, at_most = (1, 60) if name == "pomcp" else (2, 400)  # its particles take their time
    check_agent(lambda: make_agent(SMALL.get(name, name)), Rules.parse(rules), games=games, seed=5, at_most=at_most)


@pytest.mark.parametrize("belief", ["uniform", "particles", "particles,model=greedy,particles=200,resample=0.9"])
def test_planners_conform_with_any_belief(belief: str) -> None:
    check_agent(lambda: make_agent(f"flat:sims=30,belief={belief}"), preset("house"), games=1, seed=2, at_most=40)


@pytest.mark.parametrize("name", ["flat", "ismcts"])
def test_planners_keep_to_the_clock(name: str) -> None:
    check_agent(lambda: make_agent(f"{name}:ms=3"), preset("house"), games=1, deterministic=False, at_most=30)


class Wrong(ScriptedAgent):
    """A baseline player with something wrong, as each test says."""

    def __init__(self) -> None:
        super().__init__(BASELINE)


def caught(agent: type[Agent], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_agent(agent, preset("house"), games=2)


def test_an_illegal_action_is_caught() -> None:
    class Keeps(Wrong):
        def decide(self) -> Decision:
            return Decision(KEEP)

    caught(Keeps, "keep is not legal: an agent has to choose a legal action")


def test_randomness_of_its_own_is_caught() -> None:
    chance = np.random.default_rng(1)

    class Moody(Wrong):
        def decide(self) -> Decision:
            return Decision(self.observation.legal_actions()[chance.integers(len(self.observation.legal_actions()))])

        def policy(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]] | None":  # type: ignore[override]
            return None

    caught(Moody, "the same seed and the same information have to lead to the same decision")


def test_reasons_that_do_not_fit_are_caught() -> None:
    class Boasts(Wrong):
        def decide(self) -> Decision:
            done = super().decide()
            return replace(done, candidates=(Candidate(done.action, value=1.5),))

    caught(Boasts, "a candidate's value has to be a probability of winning")


def test_a_policy_that_does_not_add_up_is_caught() -> None:
    class Doubles(Wrong):
        def policy(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
            return super().policy() * 2

    caught(Doubles, "a policy has to add up to one")
