"""POMCP: Monte Carlo planning in the decision process of one seat, with the opponent's policy inside it.

With the opponent's true policy as the model it is a search for a best response. The tree is kept between moves: the
action taken and the observations after it lead to the next root. Its particles are the worlds of those simulations
that reached it; the missing ones are drawn from the belief.

A scripted policy is simulated in kernels. Any other model is asked in Python wherever the opponent has a choice, in the
same tree (`asked_model`): each such question takes the time that the model needs to answer.
"""

import sys
from collections.abc import Sequence
from typing import Final, Self

import numpy as np

from uno_pomdp.agents.agent import Agent, Budget, Candidate, Clock, Decision, InvalidAgent
from uno_pomdp.agents.scripted import own_record
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.errors import quoted
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.events import Drew, Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import (
    EMPTY,
    SEAT,
    child_of,
    find_child,
    tokens_told,
)
from uno_pomdp.game.layout import SEATS, STATE, Seat, States
from uno_pomdp.game.rng import Seed, Streams, sequence, streams
from uno_pomdp.game.seat_history import Step
from uno_pomdp.jit import working_time
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy
from uno_pomdp.policies.opponent_models import MemorylessModel, NoMemories, OpponentModel, PolicyModel
from uno_pomdp.pomdp.linear_value import SHIPPED
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.quantities import DISCOUNT, EXPLORATION, STEP_PENALTY, naming
from uno_pomdp.rules import Rules
from uno_pomdp.search.meter import BudgetMeter
from uno_pomdp.search.named_beliefs import MakeBelief, check_belief, particles
from uno_pomdp.search.pomcp.asked_model import AskedSimulations, Particle
from uno_pomdp.search.pomcp.history_tree import (
    CHOSE,
    DECIDES,
    LARGEST,
    NO_POLICY,
    NONE,
    SPARE,
    KeptParticles,
    SimulationModel,
    new_tree,
    simulate_all,
    with_room,
)
from uno_pomdp.search.root import UNTRIED

CHUNK: Final = 256
"""The fewest worlds between two looks at the clock."""
MOST: Final = 1024
"""The most worlds at a time: what a core's cache holds."""
NODES_EACH: Final = 16
"""An upper bound on the mean number of nodes that a simulation adds."""
LEAVES: Final = ("rollout", "value")
"""How a leaf is valued: by a rollout, or by the fitted value function V."""
MOST_ASKED: Final = 16
"""The most worlds at a time where a model is asked in Python, which is slow: so that the clock is read often enough."""
PARTICLES: Final = 4096
"""The most particles that are kept for the decisions that may become the next root."""


class Pomcp(Agent):
    """POMCP against an opponent whose policy is taken to be known."""

    def __init__(
        self,
        budget: Budget,
        model: Policy | OpponentModel = HEURISTIC,
        belief: MakeBelief | None = None,
        rollout: Policy = HEURISTIC,
        explore: float = 1.0,
        discount: float = 1.0,
        step_penalty: float = 0.0,
        leaf: str = "rollout",
        clock: Clock = working_time,
    ) -> None:
        for name, kind, value in (
            ("explore", EXPLORATION, explore),
            ("gamma", DISCOUNT, discount),
            ("penalty", STEP_PENALTY, step_penalty),
        ):
            with naming(name, InvalidAgent):
                kind.checked(value)
        if leaf not in LEAVES:
            raise InvalidAgent(f"no leaf is called {quoted(leaf)}: choose one of {', '.join(LEAVES)}")
        self.name = "pomcp"
        self.budget: Budget = budget
        known = PolicyModel(model) if isinstance(model, int) else model
        self._make_belief = particles(known) if belief is None else belief
        self._with_belief = belief is not None
        self._clock = clock
        self._model = known
        self._in_kernels = isinstance(known, PolicyModel)
        self._rollout = rollout
        self._explore = explore
        self._discount = discount
        self._step_penalty = step_penalty
        self._leaf = leaf
        self._weights = known.weights if isinstance(known, PolicyModel) else WEIGHTS
        self._process: UnoPOMDP | None = None
        self._table = np.zeros(1, STATE)
        self._root = NONE

    @classmethod
    def of(
        cls,
        process: UnoPOMDP,
        budget: Budget,
        rollout: Policy = HEURISTIC,
        explore: float = 1.0,
        leaf: str = "rollout",
        clock: Clock = working_time,
    ) -> Self:
        """Return a planner for a decision process: for its rules, seat, opponent, discount and cost of steps.

        Its belief takes the opponent's policy into account.
        """
        opponent, gamma, cost = process.opponent, process.discount, process.step_cost
        planner = cls(budget, opponent, None, rollout, explore, gamma, cost, leaf, clock)
        planner._process = process
        return planner

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse rules that its model does not know, and another process than its own."""
        if not self._in_kernels:
            check_known(rules, f"pomcp with {self._model.name} as the model", "a scripted model does", PLAIN_TURNS)
        process = self._process
        if process is None:
            self._check_model(rules, seat)
            if self._with_belief:
                check_belief(self._make_belief, rules, seat)
            return
        asked = process.seat if seat is None else seat
        if (process.rules, process.seat) != (rules, asked):
            raise InvalidAgent(
                f"this planner is for {seat_name(process.seat)} under the rules {process.rules.name}, "
                f"not for {seat_name(asked)} under {rules.name}"
            )

    def _check_model(self, rules: Rules, seat: Seat | None) -> None:
        """Refuse rules that the opponent's model does not know; where the seat is open, it may know either."""
        if isinstance(self._model, MemorylessModel):
            return
        game, refused = Game.new(rules, 0), []
        for other in SEATS if seat is None else (1 - seat,):
            try:
                self._model.start(rules, own_record(game.observation(other))[0])
            except InvalidAgent as error:
                refused.append(error)
        if len(refused) == (len(SEATS) if seat is None else 1):
            raise refused[0]
        if self._with_belief:
            self._check_belief(self._make_belief(rules, game.observation(seat or 0)))

    def _check_belief(self, belief: Belief) -> None:
        """Refuse a belief whose worlds lack the model's memory."""
        if isinstance(self._model, MemorylessModel):
            return
        if not isinstance(belief, ParticleBelief) or belief.model is not self._model:
            raise InvalidAgent(
                f"{self._model.name} remembers the game, so that its worlds are particles: leave belief=… out"
            )

    def begin(self, seed: Seed) -> None:
        """Prepare for a game."""
        self.check_game(self.rules, self.observation.seat)
        self._seed = sequence(seed).spawn(2)[1]
        self.belief = self._make_belief(self.rules, self.observation)
        """What it infers about the opponent's hand."""
        self._check_belief(self.belief)
        self._seen = self.observation
        self._evaluator = SHIPPED.evaluator(self.rules)
        self._forget()

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        self.belief.update(events, self.observation)
        if any(isinstance(event, Drew) and event.forgot for event in events):
            self._root = NONE  # no tree foresees it
        for token in self._tokens(events):
            self._root = find_child(self._histories, self._root, token) if self._root != NONE else NONE
        self._seen = self.observation

    def _tokens(self, events: Sequence[Event]) -> list[int]:
        """Return the steps in the tree that one action makes."""
        seat = self.observation.seat
        choice = self._seen.turn == seat and len(self._seen.legal_actions()) > 1
        chosen = [DECIDES, CHOSE | Step(tuple(events), self.observation).action.id] if choice else []
        return chosen + tokens_told(events, seat, own=False)

    def _forget(self) -> None:
        """Start a new tree."""
        self._histories, self._counts = new_tree()
        self._root = child_of(self._histories, EMPTY, SEAT | self.observation.seat)
        self._kept = KeptParticles(np.empty(PARTICLES, STATE), np.zeros(PARTICLES, np.int32), np.zeros(1, np.int64))
        self._remembering: list[tuple[int, Particle]] = []

    def decide(self) -> Decision:
        """Return the most visited action; a forced one at once."""
        meter = BudgetMeter.start(self.budget, self._clock, self.progress)
        return meter.decided(self.observation, self.belief, self._search)

    def _search(self, meter: BudgetMeter) -> Decision:
        """Return the most visited action after simulating within the budget."""
        if self._root == NONE or self._histories.total[0] > LARGEST // 2:
            self._forget()
        decision = child_of(self._histories, self._root, DECIDES)
        worlds_seed, walk_seed = self._seed.spawn(1)[0].spawn(2)
        stream = streams(walk_seed)
        particles = self._particles(decision)
        inherited = int(self._counts.visits[decision])
        most = self.budget.simulations or sys.maxsize
        done = 0
        while done < most and (done == 0 or meter.left() > 0.0):
            fewest, many = (CHUNK, MOST) if self._in_kernels else (1, MOST_ASKED)
            count = min(max(fewest, meter.fitting(done)), many, most - done)
            worlds = particles[done : done + count]
            if not len(worlds):
                worlds = self._drawn(count, worlds_seed.spawn(1)[0])
            self._simulate(worlds, decision, stream, meter)
            done += len(worlds)
            meter.look(done, lambda: self._best(decision)[1])
        note = f"{inherited} simulations kept from before" if inherited else ""
        return Decision(*self._best(decision), worlds=done, simulations=done, note=note)

    def _particles(self, decision: int) -> States | list[Particle]:
        """Return the particles of this decision, and make room for those of the next."""
        if not self._in_kernels:
            here = [particle for node, particle in self._remembering if node == decision]
            self._remembering = []
            return here
        used = int(self._kept.used[0])
        found = self._kept.worlds[:used][self._kept.node[:used] == decision]
        self._kept.used[0] = 0
        return np.asarray(found)

    def _drawn(self, count: int, seed: Seed) -> States | list[Particle]:
        """Return worlds drawn from the belief, with the model's memory in each if it has to be asked."""
        if self._in_kernels:
            return self.belief.sample(count, seed)
        if isinstance(self._model, MemorylessModel):
            worlds, nothing = self.belief.sample(count, seed), NoMemories(self._model)
            return [Particle(worlds[n : n + 1], nothing) for n in range(count)]
        assert isinstance(self.belief, ParticleBelief)
        worlds, memories = self.belief.sample_remembering(count, seed)
        return [Particle(worlds[n : n + 1], memories.of(np.array([n]))) for n in range(count)]

    def _simulate(self, worlds: States | list[Particle], decision: int, stream: Streams, meter: BudgetMeter) -> None:
        """Simulate once from every world."""
        self._histories, self._counts = with_room(self._histories, self._counts, NODES_EACH * len(worlds) + SPARE)
        seat = self.observation.seat
        policy = self._model.policy if isinstance(self._model, PolicyModel) else NO_POLICY
        environment = SimulationModel(
            seat, policy, self._rollout, self._explore, self._discount, self._step_penalty, self._leaf == "value"
        )
        if isinstance(worlds, list):
            asking = AskedSimulations(environment, self._weights, self._evaluator, stream, meter.progress)
            kept = asking.simulate(worlds, decision, self._histories, self._counts)
            self._remembering += kept[: PARTICLES - len(self._remembering)]
            return
        for part in meter.parts(len(worlds), CHUNK):
            simulate_all(
                worlds[part],
                self._table,
                decision,
                self._histories,
                self._counts,
                self._kept,
                environment,
                self._weights,
                self._evaluator,
                stream,
            )

    def _best(self, decision: int) -> tuple[Action, tuple[Candidate, ...], tuple[Action, ...]]:
        """Return the most visited action, all candidates, and the line of own most visited actions."""
        candidates = []
        for action in self.observation.legal_actions():
            node = find_child(self._histories, decision, CHOSE | action.id)
            visits = int(self._counts.visits[node]) if node else 0
            if not visits:
                candidates.append(Candidate(action, note=UNTRIED))
                continue
            value = 0.5 + 0.5 * float(self._counts.total[node]) / visits
            error = (max(value * (1.0 - value), 0.0) / visits) ** 0.5
            candidates.append(Candidate(action, value, error, visits))
        candidates.sort(key=lambda candidate: -candidate.visits)
        return candidates[0].action, tuple(candidates), (candidates[0].action,)
