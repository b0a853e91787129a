"""Trials by one-step lookahead: an action in a world, the opponent's reply, then the fitted V of the next decision.

V speaks of ordinary turns. Where cards are owed, and may be answered or challenged, the model chooses for both, up to
the next turn in which nothing is owed.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.arrays import Floats
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import CHALLENGE, NO_COLOUR, RUNNING, STATE, Record, States
from uno_pomdp.game.rng import Stream, Streams, streams
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy, Weights, choose
from uno_pomdp.policies.rollouts import points, until_choice
from uno_pomdp.pomdp.linear_features import Evaluators
from uno_pomdp.pomdp.linear_value import SHIPPED, LinearValue, evaluate
from uno_pomdp.pomdp.returns import return_at_end, return_with_value
from uno_pomdp.quantities import STEPS_AHEAD, naming
from uno_pomdp.rules import Rules
from uno_pomdp.search.root import Trial, TrialMaker


@dataclass(frozen=True, slots=True)
class LinearValues(TrialMaker):
    """Tries actions by the fitted V of the next decision."""

    model: Policy = HEURISTIC
    """The policy that the opponent is assumed to play."""
    steps: int = 1
    """The depth of the lookahead, in own choices."""
    value: LinearValue = SHIPPED
    """The fitted value function V."""
    rules: Rules | None = None
    """The rules that V is for; None for any."""

    def __post_init__(self) -> None:
        with naming("steps", InvalidAgent):
            STEPS_AHEAD.checked(self.steps)

    def check_rules(self, rules: Rules) -> None:
        """Refuse other rules than those that V was fitted for, if it was fitted for some."""
        if self.rules is not None and self.rules != rules:
            raise InvalidAgent(f"the value function is for the rules {self.rules.name}, not {rules.name}")

    def make(self, rules: Rules, actions: npt.NDArray[np.int64], seed: np.random.SeedSequence) -> "LinearTrial":
        """Return what tries these actions."""
        return LinearTrial(actions, self.model, self.steps, self.value.evaluator(rules), seed)


class LinearTrial(Trial):
    """Actions are tried by letting the opponent reply, and valuing the next decision."""

    def __init__(
        self,
        actions: npt.NDArray[np.int64],
        model: Policy,
        steps: int,
        evaluator: Evaluators,
        seed: np.random.SeedSequence,
    ) -> None:
        self._actions = actions
        self._model = model
        self._steps = steps
        self._evaluator = evaluator
        self._stream = streams(seed)
        self._table = np.zeros(1, STATE)

    def play(self, worlds: States, alive: npt.NDArray[np.int64], results: Floats) -> None:
        """Write what each action that is alive is worth in each world."""
        value_worlds(
            worlds,
            self._table,
            self._actions[alive],
            self._model,
            self._steps,
            WEIGHTS,
            self._evaluator,
            self.caught,
            self._stream,
            results,
        )


@inner_kernel
def until_ordinary(state: Record, seat: int, model: Policy, weights: Record, stream: Stream) -> int:
    """Go on to the seat's next choice in which nothing is owed; return its own moves before it."""
    moves = until_choice(state, seat, model, weights, stream)
    while state["status"] == RUNNING and state["penalty"] > 0:
        apply(state, choose(model, state, legal_mask(state), weights, stream))
        moves += 1 + until_choice(state, seat, model, weights, stream)
    return moves


@kernel
def value_worlds(
    worlds: States,
    table: States,
    actions: npt.NDArray[np.int64],
    model: Policy,
    steps: int,
    weights: Weights,
    evaluator: Evaluators,
    caught: bool,
    chance: Streams,
    results: Floats,
) -> None:
    """Write the value in points of each action in each world `[worlds, actions]`.

    With more than one step of lookahead, the seat's later actions are those of the model.
    """
    for w in range(len(worlds)):
        seat = as_int(worlds[w]["turn"])
        for a in range(len(actions)):
            table[0] = worlds[w]
            state = table[0]
            apply(state, actions[a])
            if caught and state["before"] != NO_COLOUR and state["status"] == RUNNING:
                apply(state, CHALLENGE)
            moves = 1 + until_ordinary(state, seat, model, weights[0], chance[0])
            for _ in range(steps - 1):
                if state["status"] != RUNNING:
                    break
                apply(state, choose(model, state, legal_mask(state), weights[0], chance[0]))
                moves += 1 + until_ordinary(state, seat, model, weights[0], chance[0])
            if state["status"] == RUNNING:
                value = evaluate(state, seat, evaluator[0])
                earned = return_with_value(value, moves, evaluator[0]["discount"], evaluator[0]["step_cost"])
            else:
                reward = 2.0 * points(state["winner"], seat) - 1.0
                earned = return_at_end(reward, moves, evaluator[0]["discount"], evaluator[0]["step_cost"])
            results[w, a] = 0.5 + 0.5 * earned
