"""Policies in sequence form: reach, values, best responses and exploitability, exact up to rounding.

A policy π is an array over the sequences of a tree: the probability of each action in its information set, 1 for the
empty sequences. Its *plan* x (realization plan) multiplies these along a player's own path. With the payoff matrix A
over both players' sequences, player 1's value is xᵀ A y, and g = A y holds what each of its sequences earns against y:
all that a best response, or a step of regret minimisation, needs to know of the other player.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.equilibrium.tree.game_tree import GameTree, Payoffs
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.jit import kernel

ROUNDING: Final = 1e-9
"""How far the sum of the probabilities of an information set may be from 1."""


class InvalidPolicy(UnoError):
    """An array that is no policy of a tree."""


@dataclass(frozen=True, slots=True)
class BestResponse:
    """A best response of one player."""

    seat: Seat
    """Who responds."""
    value: float
    """What it earns that player, from −1 to 1."""
    policy: Floats
    """The policy answered, with the responder's own probabilities replaced by those of one best action each."""

    def __repr__(self) -> str:
        return f"<BestResponse of {seat_name(self.seat)}: value {self.value:+.6f}>"


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two bounds between which a value lies."""

    low: float
    """The value is at least this."""
    high: float
    """The value is at most this."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Exploitability:
    """How much a policy for both players loses to its best responses."""

    value: float
    """What player 1 earns when both follow the policy, from −1 to 1."""
    best: tuple[float, float]
    """What each player earns by the best response to the other's half."""

    @property
    def gains(self) -> tuple[float, float]:
        """How much each player gains by leaving the policy."""
        return self.best[0] - self.value, self.best[1] + self.value

    @property
    def exploitability(self) -> float:
        """The mean gain of both players: half of NashConv, 0 for an equilibrium, and never less by rounding."""
        return max(sum(self.gains) / 2, 0.0)

    @property
    def bracket(self) -> Bracket:
        """Bounds on the value of the game to player 1: what each player's half of the policy guarantees."""
        return Bracket(-self.best[1], self.best[0])

    @property
    def points(self) -> float:
        """The exploitability in points: a win is 1, a draw ½, a loss 0."""
        return self.exploitability / 2

    def __str__(self) -> str:
        return (
            f"value {self.value:+.6f} for player 1, best responses {self.best[0]:+.6f} and {self.best[1]:+.6f}, "
            f"exploitability {self.exploitability:.6f} ({100 * self.points:.3f} points of 100)"
        )


# --- policies --------------------------------------------------------------------------------------------


def uniform_policy(tree: GameTree) -> Floats:
    """Return the policy that takes every legal action equally often."""
    widths = (tree.end - tree.first).astype(np.float64)
    policy = np.ones(tree.sequences)
    for seat in SEATS:
        sets = slice(tree.set_start[seat], tree.set_start[seat + 1])
        rows = slice(tree.sequence_start[seat] + 1, tree.sequence_start[seat + 1])
        policy[rows] = np.repeat(1.0 / widths[sets], (tree.end - tree.first)[sets])
    return policy


def check_policy(tree: GameTree, policy: Floats) -> None:
    """Refuse an array that is no policy of the tree."""
    if policy.shape != (tree.sequences,) or policy.dtype != np.float64:
        raise InvalidPolicy(f"a policy of this tree is an array of {tree.sequences} floats, one for each sequence")
    if not (np.isfinite(policy).all() and (policy >= 0.0).all()):
        raise InvalidPolicy("a policy holds probabilities: none may be negative or not a number")
    totals = np.empty(tree.sets)
    add_up(tree.first, tree.end, policy, totals)
    if len(totals) and np.abs(totals - 1.0).max() > ROUNDING:
        wrong = int(np.abs(totals - 1.0).argmax())
        raise InvalidPolicy(
            f"the probabilities of information set {wrong} add up to {totals[wrong]:.9g}, and should to one"
        )


def plan_of(tree: GameTree, policy: Floats) -> Floats:
    """Return the realization plan: the product of a player's own probabilities up to each sequence."""
    plan = np.ones(tree.sequences)
    write_plan(tree.parent, tree.first, tree.end, 0, tree.sets, policy, plan)
    return plan


def policy_of_plan(tree: GameTree, plan: Floats) -> Floats:
    """Return the policy of a plan or of a sum of plans; uniform where the plan is 0."""
    policy = uniform_policy(tree)
    totals = np.empty(tree.sets)
    add_up(tree.first, tree.end, plan, totals)
    divide(tree.first, tree.end, plan, totals, policy)
    return policy


# --- values ----------------------------------------------------------------------------------------------


def gains_of(tree: GameTree, seat: Seat, plan: Floats) -> Floats:
    """Return what each sequence of a player earns at the endings right behind it, against the other's plan."""
    other = slice(tree.sequence_start[1 - seat], tree.sequence_start[2 - seat])
    result = np.empty(tree.sequence_start[seat + 1] - tree.sequence_start[seat])
    multiply(tree.payoffs[seat], plan[other], 1.0 - 2.0 * seat, result)
    return result


def value_of(tree: GameTree, policy: Floats) -> float:
    """Return what player 1 earns when both follow the policy, from −1 to 1."""
    check_policy(tree, policy)
    plan = plan_of(tree, policy)
    return float(plan[: tree.sequence_start[1]] @ gains_of(tree, 0, plan))


def best_response(tree: GameTree, policy: Floats, seat: Seat) -> BestResponse:
    """Return a best response of a player to the other's half of the policy."""
    check_policy(tree, policy)
    response = policy.copy()
    value = respond(tree, seat, plan_of(tree, policy), response)
    return BestResponse(seat, value, response)


def respond(tree: GameTree, seat: Seat, plan: Floats, response: Floats) -> float:
    """Write the best response of a player into a policy and return its value; nothing is checked."""
    values = gains_of(tree, seat, plan)
    return best_actions(
        tree.parent,
        tree.first,
        tree.end,
        tree.set_start[seat],
        tree.set_start[seat + 1],
        tree.sequence_start[seat],
        values,
        response,
    )


def exploitability(tree: GameTree, policy: Floats) -> Exploitability:
    """Return what both players' best responses gain on the policy."""
    check_policy(tree, policy)
    plan = plan_of(tree, policy)
    value = float(plan[: tree.sequence_start[1]] @ gains_of(tree, 0, plan))
    scratch = policy.copy()
    return Exploitability(value, (respond(tree, 0, plan, scratch), respond(tree, 1, plan, scratch)))


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def add_up(first: Int32s, end: Int32s, values: Floats, totals: Floats) -> None:
    """Write for each information set the sum over its actions."""
    for number in range(len(first)):
        total = 0.0
        for sequence in range(first[number], end[number]):
            total += values[sequence]
        totals[number] = total


@kernel
def divide(first: Int32s, end: Int32s, values: Floats, totals: Floats, policy: Floats) -> None:
    """Write each action's share of its information set's total, where there is one."""
    for number in range(len(first)):
        if totals[number] > 0.0:
            for sequence in range(first[number], end[number]):
                policy[sequence] = values[sequence] / totals[number]


@kernel
def write_plan(parent: Int32s, first: Int32s, end: Int32s, start: int, stop: int, policy: Floats, plan: Floats) -> None:
    """Write the plan of a policy for the information sets from start to stop; the empty sequences are set."""
    for number in range(start, stop):
        reach = plan[parent[number]]
        for sequence in range(first[number], end[number]):
            plan[sequence] = reach * policy[sequence]


@kernel
def multiply(payoffs: Payoffs, plan: Floats, sign: float, result: Floats) -> None:
    """Write the product of a payoff matrix and the plan of the player of its columns."""
    for row in range(len(result)):
        total = 0.0
        for entry in range(payoffs.start[row], payoffs.start[row + 1]):
            total += payoffs.value[entry] * plan[payoffs.column[entry]]
        result[row] = sign * total


@kernel
def best_actions(
    parent: Int32s, first: Int32s, end: Int32s, start: int, stop: int, offset: int, values: Floats, response: Floats
) -> float:
    """Write the first best action of each information set, from the leaves up; return the value of the game."""
    for number in range(stop - 1, start - 1, -1):
        best = first[number]
        for sequence in range(first[number], end[number]):
            response[sequence] = 0.0
            if values[sequence - offset] > values[best - offset]:
                best = sequence
        response[best] = 1.0
        values[parent[number] - offset] += values[best - offset]
    return float(values[0])
