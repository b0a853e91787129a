"""What every benchmark script shares: claims and bars, interleaved repeats, table, JSON, exit code.

A script lists `Part`s. Each part measures something and yields `Claim`s: a figure with a bar that has to be
reached, or one that is only shown. A script is run as

    python -m benchmarks.NAME [--quick] [--json FILE]

and exits with 0 if every claim holds, 1 if one does not, 2 if it can't be run here. `--quick` only shows that
the script works: tiny sizes, no bars, and parts whose peer is not installed are skipped.
"""

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar

from rich.console import Console
from rich.table import Table

from uno_pomdp.cli.failures import showing_errors
from uno_pomdp.files import write_text

T = TypeVar("T")
ROOT: Final = Path(__file__).parent.parent

HOLDS: Final = 0
"""Exit code: every claim holds."""
BROKEN: Final = 1
"""Exit code: a claim does not hold."""
UNABLE: Final = 2
"""Exit code: the script can't be run here."""

REPEATS: Final = 5
"""How often both sides of a comparison are measured in a full run."""

PEERS: Final = {"rlcard": "rlcard", "pyspiel": "open_spiel", "pomdp_py": "pomdp-py"}
"""The modules of peers, and the packages that they come from."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure, and the bar it has to reach. Made by `at_least`, `at_most`, `shown` and `skipped`."""

    name: str
    """What was measured."""
    value: float | None
    """The figure; None if its part was skipped."""
    unit: str
    """What the figure counts."""
    bar: float | None = None
    """What it has to reach; None: the figure is only shown."""
    direction: Literal["at least", "at most"] = "at least"
    """On which side of the bar it has to be."""

    @property
    def holds(self) -> bool:
        """Whether the bar is reached; a figure without one claims nothing, so it holds."""
        if self.bar is None:
            return True
        if self.value is None:
            return False
        return self.value >= self.bar if self.direction == "at least" else self.value <= self.bar

    @property
    def full_name(self) -> str:
        """The name with unit and direction: all that a reader of the JSON needs to know."""
        side = "" if self.bar is None else f", {self.direction}"
        return f"{self.name} [{self.unit}{side}]"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"name": self.full_name, "value": self.value, "bar": self.bar, "holds": self.holds}


def at_least(name: str, value: float, bar: float, unit: str) -> Claim:
    """Claim that a figure reaches the bar from above."""
    return Claim(name, float(value), unit, float(bar))


def at_most(name: str, value: float, bar: float, unit: str) -> Claim:
    """Claim that a figure stays below the bar or on it."""
    return Claim(name, float(value), unit, float(bar), "at most")


def shown(name: str, value: float, unit: str) -> Claim:
    """Show a figure without claiming anything."""
    return Claim(name, float(value), unit)


@dataclass(frozen=True, slots=True)
class Run:
    """How thoroughly a script is being run."""

    quick: bool = False
    """Whether only to show that it works."""

    @property
    def repeats(self) -> int:
        """How often each side is measured."""
        return 1 if self.quick else REPEATS

    def pick(self, full: T, quick: T) -> T:
        """Return the size for this kind of run."""
        return quick if self.quick else full

    def interleaved(self, *sides: Callable[[int], float]) -> tuple[list[float], ...]:
        """Measure the sides in turn (A B A B …), each with the repeat's number; return the figures of each."""
        figures: tuple[list[float], ...] = tuple([] for _ in sides)
        for repeat in range(self.repeats):
            for side, found in zip(sides, figures, strict=True):
                found.append(side(repeat))
        return figures


median = statistics.median


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median over the repeats of our figure by theirs.

    Not the ratio of the medians: neighbours in time share what else the machine is doing, so a slow spell
    falls on both sides of one ratio, where two medians may come from different spells.
    """
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# --- beside another commit -------------------------------------------------------------------------------


@contextmanager
def checked_out(commit: str, *paths: str) -> Iterator[Path]:
    """Give these paths of another commit, in a folder of their own; this needs git and its history."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit, *paths], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        yield Path(folder)


class Worker:
    """A process that says `ready`, then does a piece of work for each line that names it, and says the seconds.

    Where a process lies in memory makes the same code faster or slower for as long as it lives: so both sides of a
    comparison are started anew many times.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        if self._line() != "ready":
            with self._process:
                raise RuntimeError("a process that was to be measured could not begin")
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            pass  # closes its input, which ends it, and waits

    def timed(self, name: str) -> float:
        """Let a piece of work be done, and return the seconds that it took."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@dataclass(frozen=True, slots=True)
class Part:
    """Some claims that are measured together."""

    title: str
    """What is being measured, for whoever waits."""
    measure: Callable[[Run], Iterable[Claim]]
    """Measures it."""
    peer: str | None = None
    """The module of the peer that it needs; one of `PEERS`, or any that can be looked for."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One script."""

    name: str
    """The name of its module."""
    parts: tuple[Part, ...]
    """What it measures, in order."""
    one_core: bool = True
    """Whether all of it, peers included, has to do with one core."""


def run(benchmark: Benchmark, arguments: Sequence[str] | None = None) -> int:
    """Run a script: measure, print the table, write the JSON if asked to; return the exit code."""
    with showing_errors(debug=True):
        return _run(benchmark, arguments)


def run_parts(
    parts: Iterable[str],
    benchmark: Callable[[str | None, Path | None], Benchmark],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run a script of which one part can be measured alone, and which draws pictures into a folder."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--part", choices=tuple(parts))
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    chosen, others = parser.parse_known_args(arguments)
    return run(benchmark(chosen.part, chosen.pictures), others)


def _run(benchmark: Benchmark, arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{benchmark.name}")
    parser.add_argument("--quick", action="store_true", help="only show that it works: tiny sizes, no bars")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the claims to this file")
    options = parser.parse_args(arguments)
    missing = sorted({part.peer for part in benchmark.parts if part.peer and not installed(part.peer)})
    if missing and not options.quick:
        print(f"{benchmark.name} needs {', '.join(map(_package, missing))}: run `make bench`.", file=sys.stderr)
        return UNABLE
    if benchmark.one_core:
        _stay_on_one_core()
    claims = [claim for part in benchmark.parts for claim in _measured(part, Run(options.quick), missing)]
    print_table(benchmark.name, claims)
    if options.json is not None:
        peers = [part.peer for part in benchmark.parts if part.peer and part.peer not in missing]
        write_text(options.json, json.dumps(report(claims, peers), indent=2, allow_nan=False) + "\n")
    return HOLDS if all(claim.holds for claim in claims) else BROKEN


def _measured(part: Part, run: Run, missing: Sequence[str]) -> Iterable[Claim]:
    if part.peer is not None and part.peer in missing:
        return [Claim(part.title, None, f"skipped: needs {_package(part.peer)}, which `make bench` installs")]
    print(f"… {part.title}", file=sys.stderr, flush=True)
    claims = part.measure(run)
    return [replace(claim, bar=None) for claim in claims] if run.quick else list(claims)


def installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def peer(module: str) -> Any:
    """Return the module of a peer; untyped, so that types check the same where it is not installed."""
    return importlib.import_module(module)


def _package(module: str) -> str:
    return PEERS.get(module, module)


def _stay_on_one_core() -> None:
    """Keep this process and its children on one core, whatever thread pools they have."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


# --- what comes out --------------------------------------------------------------------------------------


def print_table(title: str, claims: Iterable[Claim]) -> None:
    """Print the claims for people."""
    table = Table(title=title, title_justify="left")
    table.add_column("claim", overflow="fold")
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("unit", overflow="fold")
    table.add_column("bar", justify="right", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    for claim in claims:
        bar = "" if claim.bar is None else f"{claim.direction} {figure(claim.bar)}"
        verdict = "" if claim.bar is None else "yes" if claim.holds else "[bold red]no[/]"
        table.add_row(claim.name, figure(claim.value), claim.unit, bar, verdict)
    Console().print(table)


def figure(value: float | None) -> str:
    """Return a figure as text, with about four digits that mean something."""
    if value is None:
        return "skipped"
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def report(claims: Iterable[Claim], peers: Iterable[str]) -> dict[str, Any]:
    """Return what the JSON says."""
    return {
        "claims": [claim.to_json() for claim in claims],
        "machine": machine(),
        "versions": versions(peers),
    }


def machine() -> dict[str, str | int]:
    """Return what the figures depend on: the machine, but not whose it is."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "os": f"{platform.system()} {platform.machine()}",
    }


def _cpu_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def versions(peers: Iterable[str]) -> dict[str, str]:
    """Return the versions of ourselves, of what we stand on and of these peers."""
    packages = ["uno-pomdp", "numpy", "numba", *sorted({_package(module) for module in peers})]
    return {package: metadata.version(package) for package in packages}
