"""The core of the tests under other Pythons and other versions of what is installed with this package.

`make test-versions` runs it: the Pythons from 3.11 to 3.14 that are found here, each with the newest and the lowest
version of every run-time dependency, and with each version of Numba between. An environment is made for each in a
temporary folder, by uv, which alone finds the lowest versions; nothing is installed here. It prints a table for
CONTRIBUTING.md.

    python tools/test_versions.py                          everything: some minutes for each row
    python tools/test_versions.py --python python3.12      one Python, named or by its path; may be repeated
    python tools/test_versions.py --only lowest            only these versions: newest, lowest, or a Numba such as 0.66
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
"""The versions of Python that are looked for."""
CORE: Final = (
    "tests/test_kernel_dispatcher.py",
    "tests/game/test_perft.py",
    "tests/game/test_kernels_oracle.py",
    "tests/game/test_notation.py",
    "tests/beliefs/test_uniform.py",
    "tests/arena/test_match.py",
    "tests/test_kernel_cache.py",
    "tests/test_kernel_keys.py",
)
"""The game against the oracle and its records, a belief, matches, and the kernels with their cache and keys."""
TESTERS: Final = ("distributed", "hypothesis", "matplotlib", "pytest", "scipy", "starlette", "uvicorn")
"""What these tests need besides, in its newest version."""
NEWEST, LOWEST = "newest", "lowest"
HARMLESS: Final = "ignore:It looks like `register_random`"
"""A warning of Hypothesis about an object of its own, under Python 3.14; all others are errors."""
LONGEST: Final = 3600.0
"""Seconds that the tests of one row may take."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    python: str
    """The version of Python."""
    which: str
    """`newest`, `lowest`, or a version of Numba."""
    said: str
    """What came of it."""
    passed: bool
    """Whether all tests passed."""
    installed: str = ""
    """What was installed for it."""

    def __str__(self) -> str:
        return f"| {self.python} | {self.which} | {self.said} | {self.installed} |"


class Failed(Exception):
    """A command that did not end well; its last line says why."""


def dependencies() -> list[str]:
    """Return what `pyproject.toml` wants to be there at run time."""
    wanted: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return wanted


def versions_to_try(wanted: Sequence[str]) -> list[str]:
    """Return the newest and the lowest of all that is wanted, and the versions of Numba between these."""
    (numba,) = (one for one in wanted if one.startswith("numba"))
    low, beyond = (int(minor) for minor in re.findall(r"0\.(\d+)", numba))
    return [NEWEST, *(f"0.{minor}" for minor in range(beyond - 2, low, -1)), LOWEST]


def found_pythons() -> dict[str, Path]:
    """Return the Pythons of this machine by version: those on the path, and pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, Path] = {}
    for version in PYTHONS:
        for path in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))):
            if path is not None and version_of(path) == version:
                found.setdefault(version, Path(path))
    return found


def version_of(python: str | Path) -> str:
    """Return the version of a Python; empty if it can't be run, like pyenv's stand-ins for those that it lacks."""
    try:
        return said(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    except (OSError, Failed):
        return ""


def said(*command: str | Path) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed((done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1])
    return done.stdout


def try_versions(uv: Path, python: Path, which: str, folder: Path) -> Row:
    """Install some versions for a Python into a new environment, and run the core of the tests there."""
    version, wanted = version_of(python), dependencies()
    if which not in (NEWEST, LOWEST):
        wanted = [f"numba=={which}.*" if one.startswith("numba") else one for one in wanted]
    here = folder / f"{version}-{which}"
    inside = here / "bin" / "python"
    install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", inside, "--only-binary", ":all:"]
    try:
        said(uv, "venv", "--quiet", "--python", python, here)
        said(*install, "--resolution", "lowest-direct" if which == LOWEST else "highest", *wanted)
        said(*install, *TESTERS)  # what is there already stays
        frozen = dict(line.split("==") for line in said(uv, "pip", "freeze", "--python", inside).split())
    except Failed as error:
        return Row(version, which, f"can't be installed: {error}", False)
    names = [re.split(r"[<>=]", one)[0] for one in wanted]
    installed = ", ".join(f"{name} {frozen[name]}" for name in [*names, "llvmlite"])
    return Row(version, which, *run_core(inside, folder / "cache"), installed)


def run_core(python: Path, cache: Path) -> tuple[str, bool]:
    """Return what came of the core of the tests, and whether all passed."""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "UNO_POMDP_CACHE": str(cache),
    }
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        "-v",
        "--tb=short",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-W",
        HARMLESS,
        *CORE,
    ]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return f"no end after {LONGEST:.0f} s", False
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], file=sys.stderr)
    counted = re.findall(r"=+ (.*?) in [\d.]+", done.stdout)
    return counted[-1] if counted else f"pytest ended with {done.returncode}", done.returncode == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for and print the table; return 0 if all passed, 1 if not, 2 for what can't be tried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", action="append", metavar="PATH", help="a Python; all that are found if not given")
    parser.add_argument("--only", metavar="WHICH", help="newest, lowest, or a version of Numba such as 0.66")
    asked = parser.parse_args(arguments)
    pythons = found_pythons() if asked.python is None else {version_of(path): Path(path) for path in asked.python}
    if "" in pythons:
        print("test_versions: one of the Pythons can't be run", file=sys.stderr)
        return 2
    rows: list[Row] = []
    with TemporaryDirectory(prefix="versions-") as folder:
        tools = Path(folder) / "uv"
        try:
            said(sys.executable, "-m", "venv", tools)
            said(tools / "bin" / "pip", "install", "--quiet", "uv")
        except Failed as error:
            print(f"test_versions: uv can't be installed: {error}", file=sys.stderr)
            return 2
        print("| Python | versions | what came of it | installed |\n|---|---|---|---|", flush=True)
        for python in pythons.values():
            for which in versions_to_try(dependencies()):
                if asked.only in (None, which):
                    rows.append(try_versions(tools / "bin" / "uv", python, which, Path(folder)))
                    print(rows[-1], flush=True)
    missing = [version for version in PYTHONS if version not in pythons] if asked.python is None else []
    if missing:
        print(f"\nNot found here: Python {', '.join(missing)}.")
    return 0 if rows and all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
