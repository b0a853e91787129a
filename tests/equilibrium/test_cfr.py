"""Each variant of regret minimisation is its formulas: policies and averages of the first iterations, by hand."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from tests.equilibrium.games import tree_of
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.cfr import VARIANTS, Solver, solve
from uno_pomdp.equilibrium.sequence_form import gains_of, plan_of, policy_of_plan, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.game.layout import SEATS

WEIGHT: dict[str, Callable[[int], float]] = {
    "cfr": lambda t: float(t**0),
    "cfr+": lambda t: float(t),
    "dcfr": lambda t: float(t * t),
    "pcfr+": lambda t: float(t * t),
}
"""By variant: what the plan of iteration t counts in the average (Zinkevich 2007, Tammelin 2014, Brown 2019)."""


@cache
def uneven() -> GameTree:
    """Return a small tree whose endings are worth something different each: no regret is 0 up to rounding by chance."""
    tree = tree_of("copies printed")
    chances = np.random.default_rng(1).random(tree.size)
    return replace(tree, nodes=tree.nodes._replace(reach=tree.nodes.reach * chances))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_average_is_the_weighted_sum_of_the_plans(variant: str) -> None:
    tree = uneven()
    solver, total, distinct = Solver(tree, variant), np.zeros(tree.sequences), set()
    for number in range(1, 6):
        solver.run(1)
        total += WEIGHT[variant](number) * plan_of(tree, solver.current)
        np.testing.assert_allclose(solver.average, policy_of_plan(tree, total), rtol=0, atol=1e-12)
        distinct.add(solver.current.tobytes())
    assert len(distinct) == 5  # else any weights would do
    others = [policy_of_plan(tree, sum_of(tree, variant, power)) for power in (0, 1, 2)]
    assert min(np.abs(others[0] - others[1]).max(), np.abs(others[1] - others[2]).max()) > 0.01


def sum_of(tree: GameTree, variant: str, power: int) -> Floats:
    """Return Σ tᵖ x_t over five iterations."""
    solver, total = Solver(tree, variant), np.zeros(tree.sequences)
    for number in range(1, 6):
        solver.run(1)
        total += float(number**power) * plan_of(tree, solver.current)
    return total


class Slow:
    """The same from the words of the variants: recursion over a player's own sequences, a set at a time."""

    def __init__(self, tree: GameTree, variant: str) -> None:
        self.tree, self.variant, self.number = tree, variant, 0
        self.policy = uniform_policy(tree)
        self.regrets = np.zeros(tree.sequences)
        self.behind: dict[int, list[int]] = {}
        for number in range(tree.sets):
            self.behind.setdefault(int(tree.parent[number]), []).append(number)

    def iterate(self) -> None:
        """Update player 1, then player 2 against the new player 1."""
        self.number += 1
        for seat in SEATS:
            gains = gains_of(self.tree, seat, plan_of(self.tree, self.policy))
            worth = partial(self.worth, seat, gains, self.policy.copy())
            for number in range(self.tree.set_start[seat], self.tree.set_start[seat + 1]):
                self.learn(number, [worth(sequence) for sequence in self.actions(number)])

    def actions(self, number: int) -> range:
        """Return the sequences of an information set."""
        return range(self.tree.first[number], self.tree.end[number])

    def worth(self, seat: int, gains: Floats, policy: Floats, sequence: int) -> float:
        """Return what a sequence earns when its player goes on by the policy."""
        later = (
            policy[action] * self.worth(seat, gains, policy, action)
            for number in self.behind.get(sequence, ())
            for action in self.actions(number)
        )
        return float(gains[sequence - self.tree.sequence_start[seat]] + sum(later))

    def learn(self, number: int, worth: list[float]) -> None:
        """Take in the regrets of an information set, and match them."""
        actions = self.actions(number)
        mean = sum(self.policy[action] * value for action, value in zip(actions, worth, strict=True))
        wanted = []
        for action, value in zip(actions, worth, strict=True):
            kept, regret = self.regrets[action] + value - mean, value - mean
            if self.variant == "dcfr":
                kept *= self.number**1.5 / (self.number**1.5 + 1) if kept > 0 else 0.5
            elif self.variant != "cfr":
                kept = max(kept, 0.0)
            self.regrets[action] = kept
            wanted.append(max(kept + (regret if self.variant == "pcfr+" else 0.0), 0.0))
        for action, amount in zip(actions, wanted, strict=True):
            self.policy[action] = amount / sum(wanted) if sum(wanted) > 0 else 1 / len(wanted)


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_iteration_plays_what_the_formulas_of_the_variant_say(variant: str) -> None:
    tree = uneven()
    solver, slow = Solver(tree, variant), Slow(tree, variant)
    for _ in range(4):
        solver.run(1)
        slow.iterate()
        np.testing.assert_allclose(solver.current, slow.policy, rtol=0, atol=1e-9)


def test_no_variant_plays_as_another_does() -> None:
    tree = uneven()
    solvers = [Solver(tree, variant) for variant in VARIANTS]
    for solver in solvers:
        solver.run(4)
    assert len({solver.current.tobytes() for solver in solvers}) == len(VARIANTS)


@pytest.mark.parametrize(
    ("iterations", "look_every", "looks"), [(25, 10, [10, 20, 25]), (3, 10, [3]), (20, 10, [10, 20])]
)
def test_no_more_iterations_are_done_than_asked_for(iterations: int, look_every: int, looks: list[int]) -> None:
    found = solve(tree_of("copies printed"), target=0.0, iterations=iterations, look_every=look_every)
    assert [progress.iterations for progress in found.progress] == looks
