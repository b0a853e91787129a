"""The agent `champion`: a net that plays by itself, without any search."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from uno_pomdp.agents.agent import Agent, Clock, Decision, InvalidAgent
from uno_pomdp.agents.mixed_strategy import sampled_decision
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.nets.net_file import NetFile
from uno_pomdp.nets.net_model import NetModel
from uno_pomdp.nets.policy_net import PolicyNet
from uno_pomdp.nets.pretrained import WEIGHTS_FOLDER, pretrained_rules
from uno_pomdp.policies.opponent_models import OpponentModel
from uno_pomdp.quantities import TEMPERATURE, naming
from uno_pomdp.rules import Rules


class PolicyNetAgent(Agent):
    """Plays a mixed strategy that a net gives for what it knows: the closed form of the belief, and the public past."""

    def __init__(
        self,
        champion: NetFile | None = None,
        temperature: float = 1.0,
        file: Path | None = None,
        name: str = "champion",
        clock: Clock = working_time,
    ) -> None:
        with naming("temperature", InvalidAgent):
            TEMPERATURE.checked(temperature)
        self.name = name
        self.net: Final = PolicyNet(champion, temperature)
        """What says how likely each action is."""
        self.temperature: Final = temperature
        """Logits are divided by it: below 1 the policy is sharper than it was trained."""
        self.file: Final = file
        """Where the net was read from."""
        self._clock = clock

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that its net was not trained with."""
        del seat
        self.net.check_rules(rules)

    def as_model(self) -> OpponentModel | None:
        """Return the net as a model; None for a subclass, which may play otherwise."""
        if type(self) is not PolicyNetAgent:
            return None
        return NetModel(self._again, self.name, self.net.file_for, self.temperature)

    def _again(self) -> "PolicyNetAgent":
        """Return another one that plays by the same net."""
        return PolicyNetAgent(self.net.given, self.temperature, self.file, self.name, self._clock)

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self._chance = np.random.default_rng(sequence(seed))
        self.belief = ClosedFormBelief(self.rules, self.observation)
        """What it infers about the opponent's hand."""
        self.net.start(self.rules, self.observation, self.belief)

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self.net.follow(events, self.observation)
        if self.observation.outcome is None:
            self.belief.update(events, self.observation)

    def file_for(self, rules: Rules) -> Path | None:
        """Return the file of the net that it plays under these rules; None if there is none."""
        if self.file is not None or self.net.given is not None:
            return self.file
        return WEIGHTS_FOLDER / f"{rules.name}.npz" if rules.name in pretrained_rules() else None

    def champion_for(self, rules: Rules) -> NetFile:
        """Return what it plays by under these rules: what it was made with, or the package's net for them."""
        return self.net.file_for(rules)

    def policy(self) -> Floats:
        """Return the probability of each of the 63 actions here."""
        return self.net.policy(self.observation, self.belief)

    def value(self) -> float:
        """Return what the net expects for this seat, from −1 to 1; only where it has a choice."""
        return self.net.value(self.observation, self.belief)

    def decide(self) -> Decision:
        """Return an action drawn from the policy."""
        decision = sampled_decision(self.policy, self.observation, self._chance, self._clock)
        if not decision.candidates:
            return decision
        note = f"expects {100 * (0.5 + 0.5 * self.net.expected):.0f} % before it moves"
        return replace(decision, belief=self.belief.diagnostics(), note=note)
