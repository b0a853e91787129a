"""The agent `onnx`: a net that was trained anywhere plays by itself, without any search."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from uno_pomdp.agents.agent import Agent, Clock, Decision, InvalidAgent
from uno_pomdp.agents.mixed_strategy import sampled_decision
from uno_pomdp.arrays import Floats
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import ACTIONS, Seat
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.nets.onnx.export import CHAMPION
from uno_pomdp.nets.onnx.onnx_net import NetSeat, OnnxNet
from uno_pomdp.quantities import TEMPERATURE, naming
from uno_pomdp.rules import Rules


class OnnxAgent(Agent):
    """Plays the mixed strategy of a net in an ONNX file: the softmax of its logits over the legal actions."""

    def __init__(self, net: OnnxNet, temperature: float = 1.0, name: str = "onnx", clock: Clock = working_time) -> None:
        with naming("temperature", InvalidAgent):
            TEMPERATURE.checked(temperature)
        self.name = name
        self.net: Final = net
        """What says how good each action is."""
        self.temperature: Final = temperature
        """Logits are divided by it."""
        self._clock = clock

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that its net can't play."""
        del seat
        self.net.check_rules(rules)

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        if self.net.encoding == CHAMPION and self.observation.hidden_played:
            raise InvalidAgent(
                f"{self.observation.hidden_played} played cards are not known, and the champion's features need them "
                "all: name them, or choose flat or ismcts"
            )
        self._chance = np.random.default_rng(sequence(seed))
        self._seat = NetSeat(self.net, self.rules, self.observation, self.temperature)

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self._seat.follow(events, self.observation)

    def policy(self) -> Floats:
        """Return the probability of each of the 63 actions here."""
        legal = self.observation.legal_actions()
        if len(legal) != 1:
            return self._seat.policy(self.observation)
        result = np.zeros(ACTIONS)
        result[legal[0].id] = 1.0
        return result

    def decide(self) -> Decision:
        """Return an action drawn from the policy."""
        return sampled_decision(self.policy, self.observation, self._chance, self._clock)
