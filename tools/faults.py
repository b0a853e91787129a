"""Mutation testing: `python tools/faults.py` puts faults into a copy of the sources, one at a time, and runs tests.

A fault that no test notices is a gap in the tests. The faults are in tools/faults.toml, what came of them in
docs/faults.md. Nothing is written to the working tree: each fault goes into a copy in a temporary folder.

    python tools/faults.py                          all of them: about half an hour
    python tools/faults.py tree-bonus-subtracted    one, by its name
    python tools/faults.py --round 2                those of one round
    python tools/faults.py --check                  only whether each still fits the sources
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TABLE: Final = Path(__file__).with_suffix(".toml")
LONGEST: Final = 900.0
"""Seconds that the tests of one fault may take: then it hangs, which a person would notice."""
LEFT_OUT: Final = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "build", "dist", ".hypothesis")
"""What a copy of the tree does without."""
PASSED, FAILED = 0, 1
"""What pytest returns; anything else is no answer."""


class InvalidFault(Exception):
    """A fault that does not fit the sources, or a run that says nothing."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One small fault, and the tests that are to notice it."""

    id: str
    """Its name."""
    round: int
    """1: had been found to pass all tests; 2: chosen without a look at the tests."""
    file: str
    """Where it goes."""
    before: str
    """The text there, which occurs once."""
    after: str
    """What takes its place."""
    breaks: str
    """What would be wrong with it."""
    tests: tuple[str, ...]
    """The test files of its folder and of those around it that should notice."""

    def put_into(self, root: Path) -> None:
        """Change the file below a folder."""
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        times = text.count(self.before)
        if times != 1:
            raise InvalidFault(f"{self.id}: its text occurs {times} times in {self.file}, and has to once")
        path.write_text(text.replace(self.before, self.after), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Run:
    """What the tests said of one fault."""

    fault: Fault
    """The fault."""
    noticed: tuple[str, ...]
    """The tests that failed; pytest stops at the first."""
    seconds: float
    """How long it took."""

    def __str__(self) -> str:
        said = f"caught    {self.fault.id}: {self.noticed[0]}" if self.noticed else f"SURVIVED  {self.fault.id}"
        return f"{said} ({self.seconds:.0f} s)"


def load_faults(table: Path = TABLE) -> list[Fault]:
    """Return all faults of a table."""
    with table.open("rb") as file:
        rows = tomllib.load(file)["fault"]
    faults = [Fault(**row | {"tests": tuple(row["tests"])}) for row in rows]
    names = [fault.id for fault in faults]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidFault(f"{twice[0]} is in {table.name} twice: give each fault a name of its own")
    return faults


def check(faults: Iterable[Fault], root: Path = ROOT) -> None:
    """Refuse a fault that does not fit the sources, or whose tests are not there."""
    for fault in faults:
        missing = [path for path in (fault.file, *fault.tests) if not (root / path).is_file()]
        if missing:
            raise InvalidFault(f"{fault.id}: there is no {missing[0]}")
        with TemporaryDirectory() as folder:
            (Path(folder) / fault.file).parent.mkdir(parents=True)
            shutil.copy(root / fault.file, Path(folder) / fault.file)
            fault.put_into(Path(folder))


def run_tests(root: Path, tests: Sequence[str]) -> tuple[str, ...]:
    """Run tests of a copy up to the first failure; return its name without parameters, or that there was no end."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", *tests]
    # bytecode is told apart by time and size alone, and a fault may change neither
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return (f"no end after {LONGEST:.0f} s",)
    if done.returncode not in (PASSED, FAILED):
        raise InvalidFault(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    failed = re.findall(r"^(?:FAILED|ERROR) ([^\s\[]+)", done.stdout, flags=re.MULTILINE)
    if bool(failed) != (done.returncode == FAILED):
        raise InvalidFault(f"pytest named no test that failed:\n{done.stdout[-2000:]}")
    return tuple(failed)


def try_fault(fault: Fault, root: Path) -> Run:
    """Put a fault into a copy, run its tests, and take it out again."""
    path = root / fault.file
    sound = path.read_bytes()
    started = time.perf_counter()
    try:
        fault.put_into(root)
        noticed = run_tests(root, fault.tests)
    finally:
        path.write_bytes(sound)
    return Run(fault, noticed, time.perf_counter() - started)


def try_all(faults: Sequence[Fault], root: Path = ROOT) -> list[Run]:
    """Try faults one after the other in a copy of the tree, and print what comes of each."""
    check(faults, root)
    runs = []
    with TemporaryDirectory(prefix="faults-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(root, copy, ignore=LEFT_OUT)
        failed = run_tests(copy, sorted({path for fault in faults for path in fault.tests}))
        if failed:
            raise InvalidFault(f"{failed[0]} fails without any fault: mend that first")
        for fault in faults:
            runs.append(try_fault(fault, copy))
            print(runs[-1], flush=True)
    return runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the faults that are asked for; return 0 if all are caught, 1 if one survives, 2 for what can't be tried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to try; all if none is named")
    parser.add_argument("--round", type=int, help="only those of this round")
    parser.add_argument("--check", action="store_true", help="only say whether each still fits the sources")
    asked = parser.parse_args(arguments)
    try:
        faults = load_faults()
        unknown = sorted(set(asked.names) - {fault.id for fault in faults})
        if unknown:
            raise InvalidFault(f"no fault is called {unknown[0]}: the names are in {TABLE.name}")
        faults = [
            fault
            for fault in faults
            if (not asked.names or fault.id in asked.names) and asked.round in (None, fault.round)
        ]
        if asked.check:
            check(faults)
            print(f"{len(faults)} faults fit the sources")
            return 0
        runs = try_all(faults)
    except InvalidFault as error:
        print(f"faults: {error}", file=sys.stderr)
        return 2
    survived = [run.fault.id for run in runs if not run.noticed]
    left = f"; survived: {', '.join(survived)}" if survived else ""
    print(f"{len(runs) - len(survived)} of {len(runs)} caught{left}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
