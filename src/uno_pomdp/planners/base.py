"""What all planners share: a belief that follows the game, a budget, a clock, randomness per decision."""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from uno_pomdp.agents.policies import POLICY_NAMES, PolicyModel
from uno_pomdp.agents.protocol import Agent, Budget, Clock, Decision, InvalidAgent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.marginals import UniformBelief
from uno_pomdp.beliefs.particles import ParticleBelief
from uno_pomdp.beliefs.protocol import Belief
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.game.values import Event, Observation
from uno_pomdp.rules import Rules

MakeBelief = Callable[[Rules, Observation, Seed], Belief]


def _particles(name: str) -> MakeBelief:
    def make(rules: Rules, seen: Observation, seed: Seed) -> Belief:
        return ParticleBelief(rules, seen, PolicyModel(POLICY_NAMES.index(name)), seed=seed)

    return make


BELIEFS: Final[dict[str, MakeBelief]] = {
    "closed": lambda rules, seen, _: ClosedFormBelief(rules, seen),
    "uniform": lambda rules, seen, _: UniformBelief(rules, seen),
    **{name: _particles(name) for name in POLICY_NAMES},
}
"""By name: the closed form, one that knows sizes only, and particles that take the opponent for a policy."""


def belief_maker(name: str) -> MakeBelief:
    """Return what makes the belief of this name."""
    if name not in BELIEFS:
        raise InvalidAgent(f"no belief is called {name!r}: choose one of {', '.join(BELIEFS)}")
    return BELIEFS[name]


class Planner(Agent):
    """An agent with a belief and a budget."""

    def __init__(self, budget: Budget, belief: str = "closed", clock: Clock = time.perf_counter) -> None:
        self.budget = budget
        """How long it may think."""
        self._make_belief = belief_maker(belief)
        self._clock = clock

    def _begin(self, seed: Seed) -> None:
        belief_seed, self._seed = sequence(seed).spawn(2)
        self.belief = self._make_belief(self.rules, self.observation, belief_seed)

    def _follow(self, events: Sequence[Event]) -> None:
        self.belief.update(events, self.observation)

    def decide(self) -> Decision:
        """Return the best action found; a forced one at once."""
        started = self._clock()
        legal = self.observation.legal_actions()
        if len(legal) == 1:
            decision = Decision(legal[0], note="forced")
        else:
            decision = self._search(started, self._seed.spawn(1)[0])
        return replace(decision, milliseconds=1000 * (self._clock() - started), belief=self.belief.diagnostics())

    def _left(self, started: float) -> float:
        """Return the share of a time budget that is left; 1 for a budget of simulations."""
        if self.budget.milliseconds is None:
            return 1.0
        return 1.0 - 1000 * (self._clock() - started) / self.budget.milliseconds

    @abstractmethod
    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        """Return the best action found within the budget; there are at least two legal ones."""
