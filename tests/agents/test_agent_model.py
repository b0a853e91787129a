"""Agents as opponent models: led along what their seat was told, they say what they would have said in the game."""

import random

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from uno_pomdp.agents.agent import Agent, Decision, InvalidAgent
from uno_pomdp.agents.agent_model import AgentModel
from uno_pomdp.agents.scripted import ScriptedAgent, own_record
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import tokens_told
from uno_pomdp.game.layout import SEATS
from uno_pomdp.policies.kernels import HEURISTIC
from uno_pomdp.policies.opponent_models import Memory, PolicyModel
from uno_pomdp.registry import AgentSpec, as_model
from uno_pomdp.rules import preset


class Counting(ScriptedAgent):
    """A class that builds on a scripted agent, so that nobody takes a kernel for it; counts how many there are."""

    made = 0

    def __init__(self) -> None:
        super().__init__(HEURISTIC)
        Counting.made += 1


class Stating(Agent):
    """States whatever it is given."""

    name = "stating"

    def __init__(self, said: "np.ndarray | None") -> None:
        self.said = said

    def policy(self) -> "np.ndarray | None":
        """Return it."""
        return self.said

    def decide(self) -> Decision:
        """Return anything."""
        return Decision(self.observation.legal_actions()[0])


@pytest.mark.parametrize(
    ("text", "rules"),
    [("champion", "house"), ("champion", "mini-9"), ("heuristic", PRINTED_PLAIN), ("greedy", "mini-12")],
)
def test_a_led_agent_says_what_the_agent_of_the_game_says(text: str, rules: str) -> None:
    spec = AgentSpec.parse(text)
    for seed in range(4):
        game, chance = Game.new(rules, seed), random.Random(seed)
        agents = [spec.make() for _ in SEATS]
        models = [AgentModel(spec.make, text) for _ in SEATS]
        memories: list[Memory] = []
        for seat in SEATS:
            agents[seat].start(game.rules, game.observation(seat), 1)
            memories.append(models[seat].start(game.rules, own_record(game.observation(seat))[0]))
        while not game.over:
            seat = game.turn
            if len(game.legal_actions()) > 1:
                said = models[seat].probabilities(own_record(game.observation(seat))[0], memories[seat])
                assert said == pytest.approx(agents[seat].policy(), rel=1e-12)
            game.apply(chance.choice(game.legal_actions()))
            for seat in SEATS:
                events, seen = game.last_step(seat)
                agents[seat].update(events, seen)
                for token in tokens_told(events, seat):
                    memories[seat] = models[seat].follow(memories[seat], token)


def test_what_was_said_is_kept_and_the_agent_goes_on_from_where_it_stands() -> None:
    Counting.made = 0
    model = AgentModel(Counting, "counting", kept=2)
    game = Game.new(preset("house"), 1)
    seen = own_record(game.observation(0))[0]
    first = model.start(game.rules, seen)
    checked = Counting.made
    said = model.probabilities(seen, first)
    assert model.probabilities(seen, first) is said
    then = first
    while game.turn != 0 or then == first or len(game.legal_actions()) == 1:
        game.apply(game.legal_actions()[0])
        for token in tokens_told(game.last_step(0)[0], 0):
            then = model.follow(then, token)
    model.probabilities(own_record(game.observation(0))[0], then)
    model.probabilities(seen, first)  # still kept, although nobody stands there
    assert Counting.made == checked + 1


@pytest.mark.parametrize(
    "said",
    [None, np.zeros(3), np.full(63, 1 / 63), np.zeros(63), np.full(63, np.nan), -np.eye(63)[0]],
    ids=["nothing", "few", "illegal", "zero", "no numbers", "negative"],
)
def test_what_is_no_policy_is_refused(said: "np.ndarray | None") -> None:
    model = AgentModel(lambda: Stating(said), "mine")
    seen = own_record(Game.new(preset("house"), 1).observation(0))[0]
    with pytest.raises(InvalidAgent, match=r"mine does not state its policy|what mine states is no policy"):
        model.probabilities(seen, model.start(preset("house"), seen))


def test_texts_give_the_quickest_model_and_agents_without_a_policy_are_refused() -> None:
    model = as_model("baseline")
    assert isinstance(model, PolicyModel)
    assert as_model(model) is model
    assert isinstance(as_model("py:tests.agents.test_agent_model.Counting"), AgentModel)
    with pytest.raises(InvalidAgent, match=r"flat:ms=5 does not state its policy.*choose random, greedy"):
        as_model("flat:ms=5")
