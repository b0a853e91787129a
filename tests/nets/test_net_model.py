"""A net as an opponent model: what kernels say about many hypotheses is what an agent says that is led along each."""

import random

import numpy as np
import pytest

from tests.helpers import VARIANTS, named, rules_of
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Observations
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.opponent_models import Memories, Memory, OpponentModel, SeparateMemories, other_side, with_hand
from uno_pomdp.registry import as_model
from uno_pomdp.rules import Rules, preset


class Checked(Memories):
    """Both ways at once; they have to agree."""

    compared = 0

    def __init__(self, quick: Memories, slow: Memories) -> None:
        self.quick, self.slow = quick, slow

    def of(self, places: "np.ndarray") -> "Checked":
        """Return both of these."""
        return Checked(self.quick.of(places), self.slow.of(places))

    def joined(self, others: Memories) -> "Checked":
        """Return both, joined."""
        assert isinstance(others, Checked)
        return Checked(self.quick.joined(others.quick), self.slow.joined(others.slow))

    def told(self, tokens: "np.ndarray") -> "Checked":
        """Tell both."""
        return Checked(self.quick.told(tokens), self.slow.told(tokens))

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> "np.ndarray":
        """Return what both say."""
        quick = self.quick.log_probabilities(seen, hands, drawn, action)
        slow = self.slow.log_probabilities(seen, hands, drawn, action)
        np.testing.assert_allclose(quick, slow, rtol=1e-3, atol=1e-3)
        Checked.compared += int((slow < 0.0).sum())
        return quick


class Both(OpponentModel):
    """A model whose memories are checked."""

    name = "both"

    def __init__(self, inner: OpponentModel) -> None:
        self.inner = inner

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return what the inner one does."""
        return self.inner.start(rules, seen)

    def follow(self, memory: Memory, token: int) -> Memory:
        """Return what the inner one does."""
        return self.inner.follow(memory, token)

    def probabilities(self, seen: Observations, memory: Memory) -> "np.ndarray":
        """Return what the inner one does."""
        return self.inner.probabilities(seen, memory)

    def memories(self, rules: Rules, seen: Observations, hands: Rows) -> Memories:
        """Return both kinds."""
        return Checked(self.inner.memories(rules, seen, hands), OpponentModel.memories(self.inner, rules, seen, hands))


def follow_game(model: OpponentModel, rules: Rules, seed: int, size: int, actions: int) -> None:
    """Follow a random game with a filter."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    belief = ParticleBelief(rules, game.observation(seed % 2), Both(model), size, seed)
    while not game.over and len(game.moves) < actions:
        game.apply(chance.choice(game.legal_actions()))
        belief.update(*game.last_step(seed % 2))


@pytest.mark.parametrize("variant", VARIANTS[::3], ids=named)
def test_kernels_say_what_led_agents_say_under_all_variants(variant: dict[str, str]) -> None:
    rules = rules_of("hands of 6", variant)
    net = NetFile(rules, {}, random_net((16,), 3))
    model = PolicyNetAgent(net, 0.7).as_model()
    assert model is not None
    Checked.compared = 0
    for seed in range(12):
        follow_game(model, rules, seed, size=6, actions=25)
    assert Checked.compared > 20


def test_the_champion_is_the_same_in_kernels() -> None:
    Checked.compared = 0
    follow_game(as_model("champion"), preset("house"), 1, size=10, actions=12)
    assert Checked.compared > 30


def test_equal_hypotheses_are_asked_once_and_nobody_where_all_is_forced() -> None:
    rules = preset("house")
    model, game = as_model("champion"), Game.new(rules, 5)
    seen, hand = other_side(game.observation(1)), game.hand(0).array()
    none = np.full(3, 255, np.uint8)
    memories = model.memories(rules, seen, np.array([hand] * 3))
    assert not isinstance(memories, SeparateMemories)
    found = memories.log_probabilities(seen, np.array([hand] * 3), none, game.legal_actions()[0].id)
    said = model.probabilities(with_hand(seen, hand), model.start(rules, with_hand(seen, hand)))
    np.testing.assert_allclose(np.exp(found), said[game.legal_actions()[0].id], rtol=1e-4)
