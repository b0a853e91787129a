"""Agents that follow one of the scripted policies."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import Agent, Candidate, Clock, Decision
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.layout import ACTIONS, NO_CARD, NO_COLOUR, OBSERVATION, Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import WEIGHTS, Policy, Weights, policy_name
from uno_pomdp.policies.model_kernels import policy_one
from uno_pomdp.policies.opponent_models import OpponentModel, PolicyModel


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
    records = np.zeros(1, OBSERVATION)
    record = records[0]
    record["hand_mask"], record["hand"], record["played"] = seen.hand.mask, seen.hand.array(), seen.played.array()
    record["hand_size"], record["opponent_size"] = len(seen.hand), seen.opponent_size
    record["draw_size"], record["played_size"] = seen.draw_size, seen.played_size
    record["top"], record["colour"] = seen.top, seen.colour
    record["turn"], record["penalty"], record["deciding"] = seen.turn, seen.penalty, seen.deciding
    record["drawn"] = NO_CARD if seen.drawn is None else seen.drawn
    record["before"] = NO_COLOUR if seen.before is None else seen.before
    record["variant"], record["colours"], record["seat"] = seen.variant, seen.colours, seen.seat
    return records, seen.hand.array(), int(record["drawn"])
