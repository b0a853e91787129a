r"""Larger exact games: how far two cores go, and what the game is worth by the size of its deck.

Every deck has two colours with numbers, skip and +2, and from 10 cards on wild and wild +4; hands of 2, no reshuffle.
*Nodes* are those of the whole tree, without forced moves and without symmetry, as `build_tree` counts them; *public
histories* and *information sets* are what is left to work on (`uno_pomdp.equilibrium.compact`). *To 1e-3* is the time
from the rules to an exploitability of at most 1e-3 on two threads; *build* and *solve* are the seconds of both threads
together. The *edge* of player 1 is what perfect play gives it above half of the points. Exploitability is on the scale
of results, +1 for a win and −1 for a loss. Memory is the most that the process has held so far: decks stand in order of
size.

Any other deck, with what it should reach; in single precision plans take half of the memory, and one thread holds one
first top card at a time where two hold two:

    python -m benchmarks.large_games --rules "mini-10,deck=R0 R1 R2 R3 RS R+2 Y0 Y1 Y2 Y3 YS Y+2 W W W4" \
        --nodes 1e12 --single --without-policies
"""

import argparse
import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.harness import (
    BROKEN,
    HOLDS,
    Benchmark,
    Claim,
    Part,
    Run,
    at_least,
    at_most,
    figure,
    run,
    seconds,
    shown,
)
from uno_pomdp.cli.failures import showing_errors
from uno_pomdp.equilibrium.compact.compact_solution import (
    CompactSolution,
    exploitability_of_scripted,
    solve_compact,
)
from uno_pomdp.equilibrium.sequence_form import Exploitability, exploitability
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import POLICY_NAMES, WEIGHTS
from uno_pomdp.rules import Rules, as_rules, preset

TWELVE: Final = "R0 R1 R2 RS R+2 Y0 Y1 Y2 YS Y+2 W W4"
DECKS: Final = {
    "7 cards": "mini-7",
    "9 cards": "mini-9",
    "10 cards": "mini-10",
    "11 cards": "mini-10,deck=R0 R1 RS R+2 Y0 Y1 YS Y+2 W W W4",
    "12 cards": f"mini-10,deck={TWELVE}",
    "12 cards, challenge": f"mini-10,deck={TWELVE},wild_four=challenge",
    "13 cards": f"mini-10,deck={TWELVE} W",
    "14 cards": "mini-10,deck=R0 R1 R2 R3 RS R+2 Y0 Y1 Y2 Y3 YS Y+2 W W4",
}
"""The decks of the table."""
NODES: Final = {"12 cards": 1e8, "14 cards": 1e11}
"""The decks that have bars, with the nodes that they have at least."""
TARGET: Final = 1e-3
"""The exploitability that is asked for."""
SECONDS: Final = 1200.0
"""The time for that."""
GIGABYTES: Final = 20.0
"""The memory for that."""
THREADS: Final = 2
ENDINGS: Final = 1_000_000_000
"""Endings after a first top card at most."""
MEGABYTE: Final = 1024.0  # in the unit of ru_maxrss on Linux


@dataclass(frozen=True, slots=True)
class Row:
    """What was found about one deck."""

    name: str
    """The deck."""
    solution: CompactSolution
    """The game solved."""
    wall: float
    """Seconds from the rules to the target."""
    megabytes: float
    """The most memory that the process has held so far."""
    scripted: list[Exploitability] | None
    """What the scripted policies lose."""

    @property
    def cells(self) -> dict[str, float]:
        """The figures of the table, by the titles of its columns."""
        tops, result = self.solution.tops, self.solution.result
        lost = {name: found.exploitability for name, found in zip(POLICY_NAMES, self.scripted or (), strict=False)}
        return {
            "nodes": self.solution.nodes,
            "public histories": sum(top.visits for top in tops),
            "information sets of the tree": self.solution.tree_sets,
            "information sets": self.solution.sets,
            "memory, MB": self.megabytes,
            "build, s": sum(top.build_seconds for top in tops),
            "solve, s": sum(top.solve_seconds for top in tops),
            f"to {TARGET:g}, s": self.wall,
            "exploitability": result.exploitability,
            "value": result.value,
            "edge of player 1, points of 100": 50 * result.value,
        } | lost


def row_of(name: str, rules: Rules, scripted: bool = True, threads: int = THREADS, single: bool = False) -> Row:
    """Return what is found about a deck."""
    solve_compact(preset("mini-7"))  # compiled
    found: list[CompactSolution] = []

    def solve() -> None:
        found.append(solve_compact(rules, target=TARGET, threads=threads, single=single, limit=ENDINGS))

    wall = seconds(solve)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
    policies = [(number, WEIGHTS) for number in range(len(POLICY_NAMES))]
    lost = exploitability_of_scripted(rules, policies, threads=threads, limit=ENDINGS) if scripted else None
    return Row(name, found[0], wall, megabytes, lost)


def claims_of(row: Row, nodes: float | None) -> Iterator[Claim]:
    """Show the figures of a row; one that has to reach so many nodes has bars."""
    cells, to_target = row.cells, f"to {TARGET:g}, s"
    for title, value in cells.items():
        name = f"{row.name}: {'exploitability of ' if title in POLICY_NAMES else ''}{title}"
        if nodes is not None and title == "nodes":
            yield at_least(name, value, nodes, "nodes")
        elif nodes is not None and title == to_target:
            yield at_most(name, value, SECONDS, "s")
        elif nodes is not None and title == "exploitability":
            yield at_most(name, value, TARGET, "result")
        elif nodes is not None and title == "memory, MB":
            yield at_most(name, value, 1000 * GIGABYTES, "MB")
        else:
            yield shown(name, value, "")


def sizes(run: Run) -> Iterator[Claim]:
    """Solve every deck of the table."""
    rows = []
    for name, text in DECKS.items() if not run.quick else list(DECKS.items())[:1]:
        rows.append(row_of(name, as_rules(text)))
        yield from claims_of(rows[-1], NODES.get(name))
    print_rows(rows)


def lossless(run: Run) -> Iterator[Claim]:
    """Compare scripted policies with what the whole tree says of them."""
    rules = preset(run.pick("mini-10", "mini-7"))
    tree = build_tree(rules)
    gaps = []
    found = exploitability_of_scripted(rules, [(number, WEIGHTS) for number in range(len(POLICY_NAMES))])
    for number, mine in enumerate(found):
        whole = exploitability(tree, scripted_policy(tree, number))
        pairs = zip((mine.value, *mine.best), (whole.value, *whole.best), strict=True)
        gaps += [abs(one - other) for one, other in pairs]
    yield at_most(
        f"{rules.name}: values and best responses − those of the tree, largest gap", max(gaps), 1e-9, "result"
    )


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table: a line for each figure, a column for each deck."""
    table = Table("", *(row.name for row in rows))
    for title in rows[0].cells:
        table.add_row(title, *(figure(row.cells[title]) for row in rows))
    Console().print(table)


BENCHMARK = Benchmark(
    "large_games", (Part("sizes of decks", sizes), Part("against the whole tree", lossless)), one_core=False
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark, or look at one deck."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_games", add_help=False)
    parser.add_argument("--rules", metavar="TEXT")
    parser.add_argument("--nodes", type=float, default=1e8, metavar="N")
    parser.add_argument("--threads", type=int, default=THREADS, metavar="N")
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--without-policies", action="store_true")
    options, rest = parser.parse_known_args(arguments)
    if options.rules is None:
        return run(BENCHMARK, rest)
    with showing_errors(debug=True):
        rules = as_rules(options.rules)
        row = row_of(f"{len(rules.deck)} cards", rules, not options.without_policies, options.threads, options.single)
        print_rows([row])
        return HOLDS if all(claim.holds for claim in claims_of(row, options.nodes)) else BROKEN


if __name__ == "__main__":
    sys.exit(main())
