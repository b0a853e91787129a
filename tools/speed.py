"""Compare speed with another commit: both sides do the same work in new processes, in turn; CPU time.

    python -m tools.speed COMMIT                     every row, 20 pairs of processes: about a quarter of an hour
    python -m tools.speed COMMIT --rows tree,cfr     only these rows
    python -m tools.speed COMMIT --pairs 40          more pairs
    python -m tools.speed --quick                    shows that it works: tiny sizes, our own sources on both sides

A ratio above 1 says that the working tree is faster than the commit. *Median* is that of the pairs' ratios, with the
quartiles as its spread; *best* compares the fastest run of each side, which others on the machine disturb least. The
exit code is 1 if a row's median is below `--bar`. The rows are in `tools/speed_rows.py`.
"""

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.harness import ROOT, Worker, checked_out
from tools.speed_rows import ROWS

PROGRAM: Final = Path(__file__).with_name("speed_rows.py")
PAIRS: Final = 20
TURNS: Final = 3
"""How often each side does a row in one pair of processes; the fastest counts."""
BAR: Final = 0.97
QUICK: Final = 0.001
"""The size of the work in a quick run."""


@contextmanager
def other_tree(commit: str | None) -> Iterator[Path]:
    """Give the tree of the other commit; without one, our own."""
    if commit is None:
        yield ROOT
    else:
        with checked_out(commit, "src", "tests") as folder:
            yield folder


def worker(tree: Path, size: float, rows: Sequence[str]) -> Worker:
    """Return a process with the sources of this tree."""
    path = os.pathsep.join((str(tree / "src"), str(tree)))
    return Worker((str(PROGRAM), str(size), *rows), {"PYTHONPATH": path}, tree)


def measure(
    trees: tuple[Path, Path], rows: Sequence[str], pairs: int, size: float
) -> dict[str, list[tuple[float, float]]]:
    """Return for each row the seconds of both sides in each pair of processes."""
    found: dict[str, list[tuple[float, float]]] = {row: [] for row in rows}
    for pair in range(pairs):
        order = 1 if pair % 2 else -1
        with ExitStack() as started:
            sides = [started.enter_context(worker(tree, size, rows)) for tree in trees[::order]]
            for row in rows:
                turns = [[side.timed(row) for side in sides] for _ in range(TURNS)]
                here, there = [min(times) for times in zip(*turns, strict=True)][::order]
                found[row].append((here, there))
        print(f"\r{pair + 1} of {pairs} pairs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def report(found: dict[str, list[tuple[float, float]]], bar: float) -> bool:
    """Print the ratios; return whether all reach the bar."""
    table = Table(title="speed by that of the other commit", title_justify="left")
    for column in ("row", "median", "quartiles", "best", "ms here", ""):
        table.add_column(column, justify="left" if column == "row" else "right", no_wrap=True)
    holds = True
    for row, seconds in found.items():
        ratios = [there / max(here, 1e-9) for here, there in seconds]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        bests = [min(side) for side in zip(*seconds, strict=True)]
        reached = statistics.median(ratios) >= bar
        holds = holds and reached
        best = bests[1] / max(bests[0], 1e-9)
        spread = f"{low:.3f} to {high:.3f}"
        table.add_row(row, f"{middle:.3f}", spread, f"{best:.3f}", f"{1e3 * bests[0]:.1f}", "" if reached else "slower")
    Console().print(table)
    return holds


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 1 if a row does not reach the bar."""
    parser = argparse.ArgumentParser(prog="python -m tools.speed", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commit", nargs="?", help="the commit to compare with")
    parser.add_argument("--rows", default=",".join(ROWS), help="only these, with commas between them")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="how many pairs of processes")
    parser.add_argument("--bar", type=float, default=BAR, help="what the median of a row has to reach")
    parser.add_argument("--quick", action="store_true", help="only show that it works")
    asked = parser.parse_args(arguments)
    rows = asked.rows.split(",")
    if unknown := sorted(set(rows) - set(ROWS)):
        parser.error(f"no row is called {unknown[0]}: choose of {', '.join(ROWS)}")
    if (asked.commit is None) != asked.quick:
        parser.error("name a commit to compare with, or say --quick")
    try:
        with other_tree(asked.commit) as other:
            pairs, size, bar = (1, QUICK, 0.0) if asked.quick else (asked.pairs, 1.0, asked.bar)
            return 0 if report(measure((ROOT, other), rows, pairs, size), bar) else 1
    except subprocess.CalledProcessError as error:
        print(f"speed: {error.stderr.decode().strip() or error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
