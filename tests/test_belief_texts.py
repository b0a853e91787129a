"""Beliefs by name under fuzzing: each text is refused in one sentence, or gives a belief that keeps every law."""

import random

import pytest

from uno_pomdp.agent_kinds import BELIEFS
from uno_pomdp.agents.agent import Decision
from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.errors import InvalidBelief, UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.registry import AgentSpec, BeliefSpec
from uno_pomdp.rules import preset
from uno_pomdp.testing import check_belief

KEYS = ("particles", "model", "resample", "limit", "doubt", "belief", "", "Model")
VALUES = (
    "1", "2", "30", "0", "-1", "0.5", "1.0", "1e3", "nan", "inf", "", "٣", "greedy", "random", "(baseline)", "champion",
    "(champion:temperature=2)", "heuristic:noise=0.5", "flat:sims=2", "nobody", "(greedy", "greedy)", "()",
    "((greedy))", "py:tests.test_belief_texts.Own", "py:tests.test_belief_texts.Mute", "policy:file=none.npz",
    "💥", "x" * 300,
)  # fmt: skip
NAMES = (*BELIEFS, *BELIEFS, "particles", "particles", "greedy", "heuristic", "none", "", "Closed")


class Own(ScriptedAgent):
    """An agent of one's own that states its policy; nobody takes a kernel for it."""

    def __init__(self) -> None:
        super().__init__(GREEDY)

    def policy(self) -> Floats:
        """Return the policy, and depend on the past a little."""
        return super().policy()


class Mute(ScriptedAgent):
    """Claims to have a policy, and states none."""

    def __init__(self) -> None:
        super().__init__(GREEDY)

    def policy(self) -> Floats:
        """Return nothing."""
        return None  # type: ignore[return-value]

    def decide(self) -> Decision:
        """Return anything."""
        return Decision(self.observation.legal_actions()[0])


def some_text(chance: random.Random) -> str:
    """Return a belief with some options, right or wrong."""
    parts = [chance.choice(NAMES)]
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3))):
        key = chance.choice(KEYS[:5]) if chance.random() < 0.9 else chance.choice(KEYS)
        fitting = {
            "particles": VALUES[:4],
            "resample": VALUES[4:7],
            "doubt": VALUES[4:7],
            "limit": ("500", "100000"),
            "model": VALUES[12:18],
        }
        values = fitting[key] if key in fitting and chance.random() < 0.7 else VALUES
        parts.append(f"{key}={chance.choice(values)}" if chance.random() < 0.95 else chance.choice(VALUES))
    return ",".join(parts)


@pytest.mark.parametrize("number", range(4))
def test_a_text_is_refused_in_a_sentence_or_gives_a_belief_that_conforms(number: int) -> None:
    chance, made, refused = random.Random(number), set(), 0
    for _ in range(60):
        text = some_text(chance)
        try:
            spec = BeliefSpec.parse(text)
            make = spec.maker()
            make(preset("mini-9"), Game.new(preset("mini-9"), 1).observation(0))
        except UnoError as error:
            refused += 1
            assert_a_sentence(str(error))
        else:
            if spec not in made and "Mute" not in spec.text:
                made.add(spec)
                check_belief(make, "mini-9", games=1, seed=number, true_hand_possible=spec.name != "particles")
            assert BeliefSpec.parse(spec.text) == spec
    assert refused > 10
    assert len(made) > 3


def assert_a_sentence(text: str) -> None:
    """Check that a refusal is one line that ends without a full stop and is not without end."""
    assert text
    assert "\n" not in text
    assert len(text) < 700
    assert not text.endswith(".")


def test_the_same_options_of_a_planner_say_the_same() -> None:
    chance, agreed = random.Random(5), 0
    for _ in range(150):
        text = some_text(chance)
        if "belief=" in text or "ms=" in text:
            continue
        planner = f"flat:belief={text}"
        try:
            found = BeliefSpec.parse(text)
        except InvalidBelief:
            with pytest.raises(UnoError):
                AgentSpec.parse(planner)
        else:
            assert AgentSpec.parse(planner).options["belief"] == found
            agreed += 1
    assert agreed > 20


def test_a_model_that_states_nothing_is_refused_when_it_is_asked() -> None:
    rules = preset("mini-9")
    belief = BeliefSpec.parse("particles,model=py:tests.test_belief_texts.Mute,particles=20").maker()
    game, chance = Game.new(rules, 2), random.Random(2)
    found = belief(rules, game.observation(0))

    def follow() -> None:
        while True:
            game.apply(chance.choice(game.legal_actions()))
            found.update(*game.last_step(0))

    with pytest.raises(AgentFailure, match=r"py:tests.test_belief_texts.Mute failed: policy returned None"):
        follow()
