"""The opponent inside the model: a policy that sees its own seat alone, and may remember what it was told."""

from typing import Final, Protocol

import numpy as np

from uno_pomdp.agents.scripted import policy_one
from uno_pomdp.agents.tabular import PolicyTable
from uno_pomdp.arrays import Floats
from uno_pomdp.game.information import Token, find, opening
from uno_pomdp.game.layout import ACTIONS, Observations
from uno_pomdp.game.observation import observation_of
from uno_pomdp.policies.kernels import POLICY_NAMES, WEIGHTS, Policy, Weights, policy_named

Memory = int
"""What an opponent keeps of the past, in a number of its own making; it is part of the model's state."""


class OpponentPolicy(Protocol):
    """A policy π(a | own information). Records are `OBSERVATION`s of the opponent's seat, arrays of one."""

    @property
    def name(self) -> str:
        """What to call it in a report."""

    def start(self, seen: Observations) -> Memory:
        """Return its memory at the deal."""

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return its memory after it was told of a move, its own included."""

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the probability of each of the 63 actions where it is to move and has a choice."""


class ScriptedOpponent:
    """One of the scripted policies, which looks at the table and remembers nothing."""

    def __init__(self, policy: Policy, weights: Weights = WEIGHTS) -> None:
        self.policy: Final = policy
        """Which policy."""
        self.weights: Final = weights
        """The heuristic's weights; other policies do not look at them."""

    def __repr__(self) -> str:
        return f"<ScriptedOpponent {self.name}>"

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return POLICY_NAMES[self.policy]

    def start(self, seen: Observations) -> Memory:
        """Return 0: there is nothing to remember."""
        del seen
        return 0

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the same."""
        del token
        return memory

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the policy's probabilities."""
        del memory
        result = np.empty(ACTIONS)
        policy_one(self.policy, seen, seen["hand"][0], int(seen["drawn"][0]), self.weights, result)
        return result


class TableOpponent:
    """A policy from a table, such as an equilibrium; it remembers its whole history, by its number there."""

    def __init__(self, table: PolicyTable, name: str = "policy") -> None:
        self.table: Final = table
        """What it plays."""
        self.name: Final = name
        """What to call it in a report."""

    def __repr__(self) -> str:
        return f"<TableOpponent {self.name}: {self.table!r}>"

    def start(self, seen: Observations) -> Memory:
        """Return the history at the deal."""
        return find(self.table.histories, opening(observation_of(seen)))

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return the history with one token more."""
        return find(self.table.histories, [token], memory)

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the table's probabilities."""
        del seen
        result = np.zeros(ACTIONS)
        actions, chances = self.table.row(memory)
        result[actions] = chances
        return result


def as_opponent(opponent: OpponentPolicy | str) -> OpponentPolicy:
    """Return an opponent as it is, or the scripted policy that a text names."""
    return ScriptedOpponent(policy_named(opponent)) if isinstance(opponent, str) else opponent
