"""Whole mini games solved and policies measured without a tree: first top card by first top card, each on its own.

The first top card is public, so what follows each of them is a game of its own: values add up, and so does
exploitability. One that is the image of another needs no work, and two can be worked on at a time.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from uno_pomdp.agents.agent import Clock
from uno_pomdp.cards import CardType
from uno_pomdp.equilibrium.cfr import InvalidSolver
from uno_pomdp.equilibrium.compact.compact_cfr import CompactSolver
from uno_pomdp.equilibrium.compact.compact_game import ENDING_LIMIT, KernelPolicy, build_compact, first_tops
from uno_pomdp.equilibrium.compact.plans import added, exploitability_of_plans, plan_of_choices, scripted_choices
from uno_pomdp.equilibrium.compact.symmetry import Which
from uno_pomdp.equilibrium.sequence_form import Exploitability
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import Rules

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SolvedTop:
    """What was found after one first top card."""

    top: CardType
    """The first top card."""
    nodes: float
    """Nodes of the whole tree that it stands for."""
    tree_sets: float
    """Information sets of the whole tree that it stands for."""
    sets: int
    """Information sets that are left."""
    visits: int
    """Public histories that were visited."""
    entries: int
    """Entries of both players' plans."""
    bytes: int
    """Memory of the game and of its solver."""
    build_seconds: float
    """Time to make the game."""
    solve_seconds: float
    """Time to solve it, with the looks at its exploitability."""
    iterations: int
    """Iterations done."""
    result: Exploitability = field(repr=False)
    """Value and exploitability, as a part of the whole game."""


@dataclass(frozen=True, slots=True)
class CompactSolution:
    """A whole game solved."""

    rules: Rules
    """The rules of the game."""
    tops: tuple[SolvedTop, ...]
    """What was found after each first top card."""

    @property
    def result(self) -> Exploitability:
        """Value and exploitability of the policy that was found."""
        return added([top.result for top in self.tops])

    @property
    def nodes(self) -> float:
        """How many nodes the whole tree has."""
        return 1.0 + sum(top.nodes for top in self.tops)

    @property
    def tree_sets(self) -> float:
        """How many information sets the whole tree has."""
        return sum(top.tree_sets for top in self.tops)

    @property
    def sets(self) -> int:
        """How many information sets were worked on."""
        return sum(top.sets for top in self.tops)


def solve_compact(
    rules: Rules,
    variant: str = "pcfr+",
    *,
    target: float = 1e-3,
    iterations: int = 100_000,
    look_every: int = 10,
    symmetry: Which = "all",
    threads: int = 1,
    single: bool = False,
    limit: int = ENDING_LIMIT,
    report: Callable[[SolvedTop], None] | None = None,
    clock: Clock = time.perf_counter,
) -> CompactSolution:
    """Solve a game until its exploitability is at most the target, or so many iterations are done.

    In single precision plans and regrets take half of the memory; what is said about them is exact all the same.
    """
    if look_every < 1:
        raise InvalidSolver("look_every is a number of iterations of at least 1")

    def solve_top(top: CardType, cards: int) -> SolvedTop:
        started = clock()
        game = build_compact(rules, top, cards, symmetry=symmetry, limit=limit)
        built = clock()
        solver = CompactSolver(game, variant, single=single)
        found: Exploitability | None = None
        while found is None or (found.exploitability > target * game.share and solver.iterations < iterations):
            solver.run(min(look_every, iterations - solver.iterations))
            found = solver.look()
        solved = SolvedTop(
            top=top,
            nodes=game.nodes,
            tree_sets=game.tree_sets,
            sets=game.sets,
            visits=game.visits,
            entries=sum(game.entries),
            bytes=game.bytes + solver.bytes,
            build_seconds=built - started,
            solve_seconds=clock() - built,
            iterations=solver.iterations,
            result=found,
        )
        if report is not None:
            report(solved)
        return solved

    return CompactSolution(rules, tuple(_for_each(solve_top, first_tops(rules, symmetry).items(), threads)))


def exploitability_of_scripted(
    rules: Rules,
    policies: Sequence[KernelPolicy],
    *,
    symmetry: Which = "ranks",
    threads: int = 1,
    limit: int = ENDING_LIMIT,
) -> list[Exploitability]:
    """Return how much each of some scripted policies loses to its best responses."""

    def of_top(top: CardType, cards: int) -> list[Exploitability]:
        game = build_compact(rules, top, cards, symmetry=symmetry, scripted=policies, limit=limit)
        plans = (plan_of_choices(game, scripted_choices(game, number)) for number in range(len(policies)))
        return [exploitability_of_plans(game, plan) for plan in plans]

    parts = _for_each(of_top, first_tops(rules, symmetry).items(), threads)
    return [added(list(part)) for part in zip(*parts, strict=True)]


def exact_of_scripted(rules: Rules, model: PolicyModel) -> Exploitability:
    """Return how much a scripted policy loses to its best responses."""
    (found,) = exploitability_of_scripted(rules, [(model.policy, model.weights)])
    return found


def _for_each(work: Callable[[CardType, int], T], tops: Iterable[tuple[CardType, int]], threads: int) -> list[T]:
    """Return what some work finds for each first top card, several at a time."""
    if threads == 1:
        return [work(*top) for top in tops]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda top: work(*top), tops))
