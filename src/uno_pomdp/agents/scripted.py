"""Agents that follow one of the scripted policies."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import Agent, Candidate, Clock, Decision
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.layout import ACTIONS, NO_CARD, Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import WEIGHTS, Policy, Weights, policy_name
from uno_pomdp.policies.model_kernels import policy_one
from uno_pomdp.policies.opponent_models import OpponentModel, PolicyModel, public_side


class ScriptedAgent(Agent):
    """Follows a scripted policy, and states its probabilities."""

    can = Abilities(has_policy=True, looked_up=True)

    def __init__(self, policy: Policy, weights: Weights = WEIGHTS, clock: Clock = working_time):
        self.name = policy_name(policy)
        self.model: Final = PolicyModel(policy, weights)
        """The policy."""
        if self.can.looked_up:  # not so of a class that builds on this one
            self.can = replace(self.can, kernel_policy=self.model)
        self._clock = clock

    def as_model(self) -> OpponentModel | None:
        """Return the policy as a model; None for a subclass, which may play otherwise."""
        return self.model if self.can.looked_up else None

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self._chance = np.random.default_rng(sequence(seed))

    def policy(self) -> npt.NDArray[np.float64]:
        """Return the probability of each of the 63 actions here."""
        result = np.empty(ACTIONS)
        seen, hand, drawn = own_record(self.observation)
        policy_one(self.model.policy, seen, hand, drawn, self.model.weights, result)
        return result

    def decide(self) -> Decision:
        """Return an action drawn from the policy."""
        started = self._clock()
        chances = self.policy()
        chosen = int(self._chance.choice(ACTIONS, p=chances / chances.sum()))
        candidates = sorted(
            (Candidate(action, prior=float(chances[action.id])) for action in self.observation.legal_actions()),
            key=lambda candidate: -(candidate.prior or 0.0),
        )
        return Decision(TYPED_ACTIONS[chosen], tuple(candidates), milliseconds=1000 * (self._clock() - started))


def own_record(seen: Observation) -> tuple[Observations, Rows, int]:
    """Return what a player sees as a record, with the hand and the card just drawn beside it."""
    records = public_side(seen)
    record = records[0]
    record["hand_mask"], record["hand"], record["seat"] = seen.hand.mask, seen.hand.array(), seen.seat
    record["hand_size"], record["opponent_size"] = len(seen.hand), seen.opponent_size
    record["drawn"] = NO_CARD if seen.drawn is None else seen.drawn
    return records, seen.hand.array(), int(record["drawn"])
