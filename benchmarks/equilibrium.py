"""Equilibria of mini decks: how fast trees are made and solved, how exact it is, and how far agents are from them.

*To 1e-3* is the time from the rules to a policy with exploitability below 1e-3: the tree, the solver (`pcfr+`) and its
looks at the exploitability together. Exploitability is the mean of both players' best-response gains (NashConv / 2) on
the scale of results, +1 for a win and −1 for a loss; in points (a win is 1) it is half of that.

*Node visits*: one iteration of CFR+ passes every node of the tree twice, once for each player. Both sides run CFR+ on
the same tree, open_spiel in Python (`CFRPlusSolver`) on the tree exported as `.efg`; the rates are nodes of that tree
passed in a second, so their ratio is the ratio of the times for the same iterations. Ours works on the sequence form of
the tree, where endings of the same pair of sequences are one.
"""

import sys
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.experiments.linear_program import solve_program
from benchmarks.harness import (
    Benchmark,
    Claim,
    Part,
    Run,
    at_least,
    at_most,
    median,
    median_ratio,
    peer,
    run,
    seconds,
    shown,
)
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.cfr import VARIANTS, Solver, solve
from uno_pomdp.equilibrium.gambit import to_efg
from uno_pomdp.equilibrium.sequence_form import best_response, exploitability, uniform_policy
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import BASELINE, GREEDY, POLICY_NAMES, RANDOM
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.clairvoyant import clairvoyant
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.rules import preset
from uno_pomdp.testing import check_tree


@cache
def tree_of(name: str) -> GameTree:
    """Return the tree of a preset, made once."""
    return build_tree(preset(name))


# --- the solvers -----------------------------------------------------------------------------------------


def solving(run: Run) -> Iterator[Claim]:
    """Measure the time to an exploitability of 1e-3."""
    solve(tree_of("mini-7"), target=0.1)  # compiled
    small = run.pick("mini-9", "mini-7")
    (times,) = run.interleaved(lambda _: seconds(lambda: solve(build_tree(preset(small)), target=1e-3)))
    yield at_most(f"{small}: from the rules to exploitability 1e-3", median(times), 120, "s")
    for variant in VARIANTS[1:]:
        found = solve(tree_of(small), variant, target=1e-3, look_every=5)
        yield shown(f"{small}: iterations of {variant} to 1e-3", found.iterations, "iterations")
    large = run.pick("mini-10", "mini-7")
    yield shown(f"{large}: time to make the tree", seconds(lambda: tree_of(large)), "s")
    found = solve(tree_of(large), target=1e-3)
    yield shown(f"{large}: time of the solver to 1e-3", found.progress[-1].seconds, "s")
    yield at_most(f"{large}: exploitability", found.result.exploitability, 1e-3, "result")
    if sys.platform != "win32":
        import resource  # not on Windows

        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield shown(f"{large}: most memory of the process, all of this included", memory, "MiB")


def trees(run: Run) -> Iterator[Claim]:
    """Check and count the whole trees, and compare their values with a linear programme."""
    for name in run.pick(["mini-7", "mini-9", "mini-10"], ["mini-7"]):
        tree = tree_of(name)
        check_tree(tree)
        yield shown(f"{name}: information sets with a choice", tree.sets, "sets")
        yield shown(f"{name}: nodes", tree.size, "nodes")
        found = solve(tree, target=run.pick(1e-5, 1e-3), look_every=50)
        yield shown(f"{name}: value for player 1", found.result.value, "result")
    value, _ = solve_program(tree_of("mini-7"))
    precise = solve(tree_of("mini-7"), target=1e-8, look_every=100)
    gap = abs(precise.result.value - value)
    yield at_most("mini-7: value, linear programme − solver", gap, 1e-6, "result")


def exploitable(run: Run) -> Iterator[Claim]:
    """Show how far the scripted policies are from an equilibrium."""
    for name in run.pick(["mini-7", "mini-9", "mini-10"], ["mini-7"]):
        tree = tree_of(name)
        for number, policy in enumerate(POLICY_NAMES):
            found = exploitability(tree, scripted_policy(tree, number))
            yield shown(f"{name}: exploitability of {policy}", found.exploitability, "result")


def iteration(run: Run) -> Iterator[Claim]:
    """Compare value iteration with the best response of the tree, and solve the clairvoyant mini-12."""
    name = run.pick("mini-9", "mini-7")
    gap = residual = 0.0
    for policy in (RANDOM, GREEDY, BASELINE):
        solved = value_iteration(UnoPOMDP(preset(name), PolicyModel(policy)))
        response = best_response(tree_of(name), scripted_policy(tree_of(name), policy), 0)
        gap = max(gap, abs(solved.value - response.value))
        residual = max(residual, solved.values.residual)
    yield at_most(f"{name}: value iteration − best response, the largest of three opponents", gap, 1e-9, "result")
    yield at_most(f"{name}: Bellman residual", residual, 1e-9, "result")
    round_ = run.pick("mini-12", "mini-7")
    for policy in (RANDOM, GREEDY, BASELINE):
        against = f"against {POLICY_NAMES[policy]}"
        seen = clairvoyant(UnoPOMDP(preset(round_), PolicyModel(policy)))
        yield shown(f"{round_}: clairvoyant value {against}", seen.value, "result")
        yield at_most(f"{round_}: Bellman residual {against}", seen.values.residual, 1e-9, "result")
        yield shown(f"{round_}: positions {against}", seen.process.states, "positions")
        yield shown(f"{round_}: sweeps {against}", seen.values.sweeps, "sweeps")


# --- the peer --------------------------------------------------------------------------------------------


class SpielTree:
    """A tree in open_spiel, exported and read back, with its information sets under both names."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        """The tree."""
        self.game = peer("pyspiel").load_efg_game(to_efg(tree))
        """The peer's game."""
        self._sets: dict[str, int] = {}
        starts = np.searchsorted(tree.nodes.parent[1:][_by_parent(tree)], np.arange(tree.size + 1))
        children = _by_parent(tree) + 1
        waiting = [(0, self.game.new_initial_state())]
        while waiting:
            node, state = waiting.pop()
            for place, child in enumerate(children[starts[node] : starts[node + 1]].tolist()):
                waiting.append((child, state.child(state.legal_actions()[place])))
            if not state.is_terminal() and not state.is_chance_node():
                self._sets[state.information_state_string()] = int(tree.nodes.information[node])

    def policy(self, policy: Floats) -> Any:
        """Return a policy of ours as the peer's."""
        theirs = peer("open_spiel.python.policy").TabularPolicy(self.game)
        for name, row in theirs.state_lookup.items():
            place = slice(self.tree.first[self._sets[name]], self.tree.end[self._sets[name]])
            legal = np.flatnonzero(theirs.legal_actions_mask[row])
            theirs.action_probability_array[row] = 0.0
            theirs.action_probability_array[row, legal] = policy[place]
        return theirs

    def exploitability(self, policy: Floats) -> float:
        """Return what the peer says."""
        module = peer("open_spiel.python.algorithms.exploitability")
        return float(module.exploitability(self.game, self.policy(policy)))

    def best_responses(self, policy: Floats) -> tuple[float, float]:
        """Return the values of the peer's best responses, by seat."""
        module = peer("open_spiel.python.algorithms.best_response")
        root = self.game.new_initial_state()
        theirs = self.policy(policy)
        first, second = (module.BestResponsePolicy(self.game, seat, theirs).value(root) for seat in range(2))
        return float(first), float(second)

    def solver(self) -> Any:
        """Return the peer's CFR+."""
        return peer("open_spiel.python.algorithms.cfr").CFRPlusSolver(self.game)

    def after_cfr_plus(self, iterations: int) -> float:
        """Return the exploitability of the last policy, not the average, of the peer's CFR+."""
        solver = self.solver()
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        module = peer("open_spiel.python.algorithms.exploitability")
        return float(module.exploitability(self.game, solver.current_policy()))


def _by_parent(tree: GameTree) -> Any:
    """Return the nodes but the first in the order of their parents, less one."""
    return np.argsort(tree.nodes.parent[1:], kind="stable")


def agreeing(run: Run) -> Iterator[Claim]:
    """Compare best responses and exploitability with the peer's on the exported tree."""
    tree = tree_of("mini-7")
    theirs = SpielTree(tree)
    gap = response_gap = 0.0
    policies = {
        "uniform": uniform_policy(tree),
        "greedy": scripted_policy(tree, GREEDY),
        "solution": solve(tree, target=1e-4).policy,
    }
    for policy in list(policies.values())[: run.pick(3, 1)]:
        ours = exploitability(tree, policy)
        gap = max(gap, abs(ours.exploitability - theirs.exploitability(policy)))
        pairs = zip(ours.best, theirs.best_responses(policy), strict=True)
        response_gap = max(response_gap, *(abs(mine - other) for mine, other in pairs))
    yield at_most("mini-7: exploitability − open_spiel's, the largest of three policies", gap, 1e-9, "result")
    yield at_most("mini-7: best response − open_spiel's, the largest of six", response_gap, 1e-9, "result")


def visiting(run: Run) -> Iterator[Claim]:
    """Measure node visits of CFR+ beside the peer's."""
    tree = tree_of("mini-7")
    our_iterations, their_iterations = run.pick((5_000, 20), (5, 1))
    solver, theirs = Solver(tree, "cfr+"), SpielTree(tree).solver()
    solver.run(1)

    def our_rate(_: int) -> float:
        return 2 * tree.size * our_iterations / seconds(lambda: solver.run(our_iterations))

    def their_rate(_: int) -> float:
        return (
            2
            * tree.size
            * their_iterations
            / seconds(lambda: [theirs.evaluate_and_update_policy() for _ in range(their_iterations)])
        )

    ours, others = run.interleaved(our_rate, their_rate)
    yield at_least("mini-7: node visits of CFR+ ÷ open_spiel's in Python", median_ratio(ours, others), 50, "×")
    yield shown("mini-7: node visits of CFR+", median(ours), "nodes/s")
    yield shown("mini-7: node visits of CFR+, open_spiel in Python", median(others), "nodes/s")
    touched = sum(len(payoffs.value) for payoffs in tree.payoffs) + tree.sequences
    yield shown("mini-7: sequences and payoffs that stand for one node visit", touched / (2 * tree.size), "entries")


BENCHMARK = Benchmark(
    "equilibrium",
    (
        Part("solvers", solving),
        Part("whole trees", trees),
        Part("exploitability", exploitable),
        Part("value iteration", iteration),
        Part("agreement with open_spiel", agreeing, peer="pyspiel"),
        Part("node visits", visiting, peer="pyspiel"),
    ),
)

if __name__ == "__main__":
    warnings.filterwarnings("ignore", module="open_spiel")
    sys.exit(run(BENCHMARK))
