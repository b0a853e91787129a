"""What all planners share: a belief that follows the game, a budget, a clock, randomness per decision."""

import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Final, Self

import numpy as np

from uno_pomdp.agents.agent import Agent, Budget, Candidate, Clock, Decision, InvalidAgent
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.policies.kernels import HEURISTIC, POLICY_NAMES, Policy, PolicyModel
from uno_pomdp.quantities import THREADS, naming
from uno_pomdp.rules import Rules
from uno_pomdp.search.endgame.endgame import Endgame
from uno_pomdp.search.threads import Threads

UNTRIED: Final = "budget spent: skipped"
"""The note on an action that a budget did not reach."""
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

    _rollout: Policy = HEURISTIC
    """What both players are taken to play beyond the search."""

    def __init__(
        self,
        budget: Budget,
        belief: str = "closed",
        clock: Clock = working_time,
        threads: int = 1,
        endgame: bool = True,
    ) -> None:
        with naming("threads", InvalidAgent):
            THREADS.checked(threads)
        self.budget: Budget = budget
        """How long it may think."""
        self._make_belief = belief_maker(belief)
        self._clock = clock
        self._threads = Threads(threads)
        self._endgame = Endgame() if endgame else None

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        belief_seed, self._seed = sequence(seed).spawn(2)
        self.belief = self._make_belief(self.rules, self.observation, belief_seed)

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self.belief.update(events, self.observation)

    def decide(self) -> Decision:
        """Return the best action found; a forced one at once."""
        started = self._clock()
        legal = self.observation.legal_actions()
        decision = Decision(legal[0], note="forced") if len(legal) == 1 else self._considered(started)
        return replace(decision, milliseconds=1000 * (self._clock() - started), belief=self.belief.diagnostics())

    def _considered(self, started: float) -> Decision:
        """Return what is proved about an endgame, or else what is found by searching."""
        seed = self._seed.spawn(1)[0]

        def alone(budget: Budget, child: np.random.SeedSequence) -> Decision:
            return self._within(budget)._search(started, child)

        def search(budget: Budget) -> Decision:
            return self._threads.search(alone, budget, seed, self._ranked)

        if self._endgame is None:
            return search(self.budget)
        return self._endgame.decide(self.observation, self.belief, self._rollout, self.budget, search, self._ranked)

    def _within(self, budget: Budget) -> Self:
        """Return a planner that shares all with this one but the budget; itself, if that is its own."""
        if budget is self.budget:
            return self
        twin = copy(self)
        twin.budget = budget
        return twin

    def _left(self, started: float) -> float:
        """Return the share of a time budget that is left; 1 for a budget of simulations."""
        if self.budget.milliseconds is None:
            return 1.0
        return 1.0 - 1000 * (self._clock() - started) / self.budget.milliseconds

    def _fitting(self, started: float, done: int, share: float = 1.0) -> int:
        """Return how many more simulations should fit into half the time left; any number for a budget of simulations.

        To ask for half, and then again, makes few calls, which hold the GIL while they are prepared, and ends in time.
        """
        if self.budget.milliseconds is None:
            return sys.maxsize
        used = 1.0 - self._left(started)
        return int(done * max(share - used, 0.0) / (2 * used)) if used > 0.0 else 0

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return what several searches found together, the best first: the most visited, unless a planner differs."""
        return sorted(candidates, key=lambda candidate: -candidate.visits)

    @abstractmethod
    def _search(self, started: float, seed: np.random.SeedSequence) -> Decision:
        """Return the best action found within the budget; there are at least two legal ones.

        Several threads may be searching at a time: nothing that they share is written to.
        """
