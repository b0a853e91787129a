"""The agent that searches: it samples worlds from its belief and tries actions in them. Searches differ in their parts.

The parts, in the order in which a decision meets them:

    belief    follows the game, and is what worlds are sampled from
    endgame   proves what it can before anything is searched
    prior     gives each action a probability before any simulation; the root adds its logarithm to the mean points
    threads   search the same decision in parallel
    trial     tries actions in worlds: by playouts, a tree, a fitted value or a net
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import Agent, Budget, Candidate, Clock, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import working_time
from uno_pomdp.rules import Rules
from uno_pomdp.search.endgame.endgame import Endgame, bounded, winning_runs
from uno_pomdp.search.meter import BudgetMeter
from uno_pomdp.search.move_values import MoveValues
from uno_pomdp.search.named_beliefs import MakeBelief, check_belief
from uno_pomdp.search.root import Arms, TrialMaker, in_same_worlds, ranked, successive_halving
from uno_pomdp.search.suspicion import ShownCards
from uno_pomdp.search.threads import Threads


class Prior(Protocol):
    """A prior: the probability of each action before any simulation, such as a policy net's (`nets.policy_net`)."""

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that it knows nothing about."""

    def start(self, rules: Rules, seen: Observation, belief: Belief) -> None:
        """Begin a game that is followed with this belief."""

    def follow(self, events: Sequence[Event], seen: Observation) -> None:
        """Take in one action of either player."""

    def policy(self, seen: Observation, belief: Belief) -> Floats:
        """Return the probability of each of the 63 actions, for what the seat sees and believes."""


class Search(Agent):
    """Tries actions in sampled worlds, and takes the best."""

    can = Abilities(values_moves=True)

    def __init__(
        self,
        name: str,
        budget: Budget,
        belief: MakeBelief,
        trial: TrialMaker,
        prior: Prior | None = None,
        trust: float = 0.0,
        endgame: Endgame | None = None,
        threads: Threads | None = None,
        halving: bool = True,
        clock: Clock = working_time,
    ) -> None:
        self.name = name
        self.budget: Budget = budget
        self._make_belief = belief
        self.trial = trial
        """How actions are tried."""
        self.prior = prior
        """The prior; None for a search without one."""
        self.trust = trust
        """How much the logarithm of the prior counts."""
        self.endgame = endgame
        """The endgame solver; None for a search without one."""
        self.threads = threads
        """The thread pool; None for a single thread."""
        self.halving = halving
        """Successive halving: whether each round drops the worse half of the actions."""
        self._clock = clock

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that one of its parts does not know."""
        self._check_parts(rules)
        check_belief(self._make_belief, rules, seat)

    def _check_parts(self, rules: Rules) -> None:
        if self.prior is not None:
            self.prior.check_rules(rules)
        self.trial.check_rules(rules)

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self._check_parts(self.rules)
        self._seed = sequence(seed).spawn(2)[1]
        self.belief = self._make_belief(self.rules, self.observation)
        """What it infers about the opponent's hand."""
        self.shown = ShownCards(self.observation.seat)
        """What the opponent has been shown of the own hand."""
        if self.prior is not None:
            self.prior.start(self.rules, self.observation, self.belief)

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self.belief.update(events, self.observation)
        self.shown.follow(events)
        if self.prior is not None:
            self.prior.follow(events, self.observation)

    def decide(self) -> Decision:
        """Return the best action found; a forced one at once."""
        meter = BudgetMeter.start(self.budget, self._clock, self.progress)
        return meter.decided(self.observation, self.belief, self._considered)

    def _considered(self, meter: BudgetMeter) -> Decision:
        """Return what is proved about an endgame, or else what is found by searching."""
        seed = self._seed.spawn(1)[0]
        if self.endgame is None:
            return self._searched(meter, seed)
        proof = self.endgame.prove(self.observation, self.belief, self.budget, self.progress)
        if proof.decision is not None:
            return proof.decision
        found = self._searched(replace(meter, budget=proof.left), seed)
        return found if proof.bounds is None else bounded(found, proof.bounds, self.ranking)

    def _searched(self, meter: BudgetMeter, seed: np.random.SeedSequence) -> Decision:
        """Return the decision of one thread, or of several merged."""
        prior = None if self.prior is None else self.prior.policy(self.observation, self.belief)
        if self.threads is None:
            return self.search_alone(meter, prior, meter.budget, seed)
        return self.threads.search(partial(self.search_alone, meter, prior), meter.budget, seed, self.ranking)

    def search_alone(
        self, meter: BudgetMeter, prior: Floats | None, budget: Budget, seed: np.random.SeedSequence
    ) -> Decision:
        """Return the best action that one thread finds within its budget; there are at least two legal ones.

        Several threads may be searching at a time: nothing that they share is written to.
        """
        legal = [action.id for action in self.observation.legal_actions()]
        arms = Arms.of(legal, budget.simulations, None if prior is None else prior[legal], self.trust)
        worlds_seed, trial_seed = seed.spawn(2)
        trial = self.trial.make(self.rules, arms.actions, trial_seed)
        trial.caught = self.shown.convicts(self.observation)
        return successive_halving(arms, trial, self.belief, worlds_seed, replace(meter, budget=budget), self.halving)

    def ranking(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return what was found, the best first."""
        return ranked(candidates, self.trust)

    def move_values(self) -> MoveValues:
        """Return every legal action's value within the budget: none is dropped, and all are tried in the same worlds.

        What can be proved about an endgame is proved. One thread does it all; at least two worlds are tried.
        """
        meter = BudgetMeter.start(self.budget, self._clock, self.progress)
        actions = [action.id for action in self.observation.legal_actions()]
        worlds_seed, trial_seed = self._seed.spawn(1)[0].spawn(2)
        trial = self.trial.make(self.rules, np.array(actions), trial_seed)
        trial.caught = self.shown.convicts(self.observation)
        sums = in_same_worlds(actions, trial, self.belief, worlds_seed, meter)
        won, bounds = 0, None
        if self.endgame is not None:
            won = winning_runs(self.observation)
            bounds = self.endgame.bounds(self.observation, self.belief, self.budget, self.progress)
        values = sums.result(won, bounds)
        return replace(values, line=trial.line(values.best), lie=self.belief.suspicion())
