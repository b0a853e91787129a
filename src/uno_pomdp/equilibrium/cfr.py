"""Counterfactual regret minimisation over the arrays of a tree, whole iterations inside kernels.

Updates alternate: one player computes what each of its sequences earns against the other's current realization plan,
adds the regrets of every information set, and takes a new policy from them; then the other does. The *average* policy
converges to an equilibrium; in sequence form it is a weighted sum of plans, Σ w_t x_t. The variants differ in how
regrets are kept and in the weights:

    cfr    regret matching on plain sums, w = 1                      (Zinkevich et al. 2007)
    cfr+   sums cut off at zero, w = t                               (Tammelin 2014)
    dcfr   sums shrink: t^1.5/(t^1.5+1) above zero, ½ below, w = t²  (Brown and Sandholm 2019)
    pcfr+  cfr+ that predicts the last regret once more, w = t²      (Farina, Kroer and Sandholm 2021)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Clock
from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.equilibrium.sequence_form import (
    Exploitability,
    exploitability,
    multiply,
    policy_of_plan,
    uniform_policy,
    write_plan,
)
from uno_pomdp.equilibrium.tree.game_tree import GameTree, Payoffs
from uno_pomdp.errors import UnoError, quoted
from uno_pomdp.jit import as_int, kernel

VARIANTS: Final = ("cfr", "cfr+", "dcfr", "pcfr+")
"""The variants by name; kernels know them by their place here."""
AnyFloats = npt.NDArray[np.floating[Any]]
"""Floats of any precision."""
_CFR_PLUS: Final = 1
_DCFR: Final = 2
_PCFR_PLUS: Final = 3


class InvalidSolver(UnoError):
    """An unknown variant, or an impossible number of iterations."""


@dataclass(frozen=True, slots=True)
class SolverProgress:
    """How exploitable the average policy is after some iterations."""

    iterations: int
    """Iterations done; in each both players have been updated."""
    seconds: float
    """Time spent so far, the computation of exploitability included."""
    result: Exploitability
    """Its value and how far it is from an equilibrium."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, without the time."""
        return {"iterations": self.iterations, "exploitability": self.result.exploitability}


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver found."""

    variant: str
    """Which solver."""
    policy: Floats
    """The average policy."""
    progress: tuple[SolverProgress, ...]
    """The course of the exploitability; the last entry is this policy's."""

    def __repr__(self) -> str:
        found = self.result.exploitability
        return f"<Solution by {self.variant}: {self.iterations:,} iterations, exploitability {found:.6f}>"

    @property
    def iterations(self) -> int:
        """Iterations done."""
        return self.progress[-1].iterations

    @property
    def result(self) -> Exploitability:
        """Value and exploitability of the policy."""
        return self.progress[-1].result

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values without the policy, which has a file of its own; payoffs from −1 to 1."""
        return {
            "solver": self.variant,
            "iterations": self.iterations,
            "value_of_the_game": self.result.bracket.to_json(),
            "exploitability": self.result.exploitability,
            "curve": [at.to_json() for at in self.progress],
        }


def check_variant(variant: str) -> None:
    """Refuse a solver that does not exist."""
    if variant not in VARIANTS:
        raise InvalidSolver(f"no solver is called {quoted(variant)}: choose one of {', '.join(VARIANTS)}")


class Solver:
    """Regret minimisation that can be stopped, inspected and continued."""

    def __init__(self, tree: GameTree, variant: str = "pcfr+") -> None:
        check_variant(variant)
        self.tree: Final = tree
        """The game."""
        self.variant: Final = variant
        """Which variant."""
        self.iterations = 0
        """Iterations done."""
        self._policy = uniform_policy(tree)
        self._plan = np.ones(tree.sequences)
        write_plan(tree.parent, tree.first, tree.end, 0, tree.sets, self._policy, self._plan)
        self._regrets = np.zeros(tree.sequences)
        self._sum = np.zeros(tree.sequences)
        self._values = np.empty(tree.sequences)

    def __repr__(self) -> str:
        return f"<Solver {self.variant} on {self.tree.rules.name}: {self.iterations:,} iterations>"

    def run(self, iterations: int) -> None:
        """Do so many more iterations."""
        if iterations < 1:
            raise InvalidSolver(f"{iterations} iterations can't be done: give a number of at least 1")
        tree = self.tree
        iterate(
            VARIANTS.index(self.variant),
            self.iterations,
            iterations,
            tree.parent,
            tree.first,
            tree.end,
            np.array(tree.set_start),
            np.array(tree.sequence_start),
            tree.payoffs,
            self._policy,
            self._plan,
            self._regrets,
            self._sum,
            self._values,
        )
        self.iterations += iterations

    @property
    def current(self) -> Floats:
        """The policy of the last iteration, as a copy; it need not converge."""
        return self._policy.copy()

    @property
    def average(self) -> Floats:
        """The average policy; uniform where its plan has probability 0, and before the first iteration."""
        return policy_of_plan(self.tree, self._sum)


def solve(
    tree: GameTree,
    variant: str = "pcfr+",
    *,
    target: float = 1e-3,
    iterations: int = 100_000,
    look_every: int = 25,
    report: Callable[[SolverProgress], None] | None = None,
    clock: Clock = time.perf_counter,
) -> Solution:
    """Iterate until the average policy's exploitability is below the target, or so many iterations are done."""
    if look_every < 1:
        raise InvalidSolver("look_every is a number of iterations of at least 1")
    solver = Solver(tree, variant)
    started = clock()
    seen: list[SolverProgress] = []
    while not seen or (seen[-1].result.exploitability >= target and solver.iterations < iterations):
        solver.run(min(look_every, iterations - solver.iterations))
        policy = solver.average
        seen.append(SolverProgress(solver.iterations, clock() - started, exploitability(tree, policy)))
        if report is not None:
            report(seen[-1])
    return Solution(variant, policy, tuple(seen))


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def iterate(
    variant: int,
    done: int,
    iterations: int,
    parent: Int32s,
    first: Int32s,
    end: Int32s,
    set_start: Int32s,
    sequence_start: Int32s,
    payoffs: tuple[Payoffs, Payoffs],
    policy: Floats,
    plan: Floats,
    regrets: Floats,
    average: Floats,
    values: Floats,
) -> None:
    """Do iterations done + 1 … done + iterations."""
    for number in range(done + 1, done + iterations + 1):
        for seat in range(2):
            low, high = sequence_start[seat], sequence_start[seat + 1]
            other_low, other_high = sequence_start[1 - seat], sequence_start[2 - seat]
            own = values[low:high]
            multiply(payoffs[seat], plan[other_low:other_high], 1.0 - 2.0 * seat, own)
            start, stop = set_start[seat], set_start[seat + 1]
            regret_step(variant, number, parent, first, end, start, stop, policy, regrets, values)
            write_plan(parent, first, end, start, stop, policy, plan)
            weight = weight_of(variant, number)
            for sequence in range(low, high):
                average[sequence] += weight * plan[sequence]


@kernel
def regret_step(
    variant: int,
    number: int,
    parent: Int32s,
    first: Int32s,
    end: Int32s,
    start: int,
    stop: int,
    policy: Floats,
    regrets: Floats,
    values: Floats,
) -> None:
    """Add the regrets of a player's information sets, from the leaves up, and take a new policy from them."""
    shrink = shrinking(number)
    for index in range(stop - 1, start - 1, -1):
        value = match_regrets(variant, shrink, as_int(first[index]), as_int(end[index]), policy, regrets, values)
        values[parent[index]] += value


@kernel
def shrinking(number: int) -> float:
    """Return by how much dcfr shrinks regrets above zero in an iteration."""
    power: float = np.float64(number) ** 1.5
    return power / (power + 1.0)


@kernel
def weight_of(variant: int, number: int) -> float:
    """Return what the plan of an iteration counts in the average."""
    return 1.0 if variant == 0 else np.float64(number) if variant == _CFR_PLUS else np.float64(number) ** 2


@kernel
def match_regrets(
    variant: int, shrink: float, first: int, end: int, policy: AnyFloats, regrets: AnyFloats, values: Floats
) -> float:
    """Add the regrets of one information set, take a new policy from them, and return what the old one was worth."""
    value = 0.0
    for sequence in range(first, end):
        value += policy[sequence] * values[sequence]
    total = 0.0
    for sequence in range(first, end):
        regret = values[sequence] - value
        kept = regrets[sequence] + regret
        if variant in (_CFR_PLUS, _PCFR_PLUS):
            kept = kept if kept > 0.0 else 0.0
        elif variant == _DCFR:
            kept *= shrink if kept > 0.0 else 0.5
        regrets[sequence] = kept
        wanted = kept + regret if variant == _PCFR_PLUS else kept
        wanted = wanted if wanted > 0.0 else 0.0
        policy[sequence] = wanted
        total += wanted
    for sequence in range(first, end):
        policy[sequence] = policy[sequence] / total if total > 0.0 else 1.0 / (end - first)
    return value
