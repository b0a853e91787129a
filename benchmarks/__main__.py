"""Run every benchmark, each in a process of its own, and write docs/benchmarks.md from what they measured.

    python -m benchmarks [--quick] [--only NAME] [--json FILE]

With `--quick` the page is not written, nor with `--json`, which writes all reports to a file instead. With `--only`
the other benchmarks' sections stay as they are.
"""

import argparse
import ast
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.harness import BROKEN, HOLDS, UNABLE, figure
from uno_pomdp.cli.failures import showing_errors
from uno_pomdp.cli.stopping import end_with_parent, run_child
from uno_pomdp.files import write_text

FOLDER: Final = Path(__file__).parent
ROOT: Final = FOLDER.parent
PAGE: Final = ROOT / "docs" / "benchmarks.md"

HEADER: Final = """\
# Benchmarks

Written by `make bench` from what it measured: change the scripts in `benchmarks/`, not this page. Where a peer
is compared, it ran in the same run, in turn with us, 5 times; a claim without a bar is only shown.
"""


def names(folder: Path = FOLDER) -> list[str]:
    """Return the benchmark scripts, by the names of their modules."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem[0] != "_" and path.stem != "harness")


def command(name: str) -> list[str]:
    """Return the arguments to Python that run one benchmark."""
    return ["-m", f"benchmarks.{name}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="only show that they work; writes nothing")
    parser.add_argument("--only", choices=names(), metavar="NAME", help=f"one of {', '.join(names())}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the reports to this file, not into the page")
    options = parser.parse_args(arguments)
    reports: dict[str, dict[str, Any]] = {}
    failed = []
    for name in [options.only] if options.only else names():
        report = run_script(name, options.quick)
        if report is None:
            failed.append(name)
        else:
            reports[name] = report
    if options.json is not None:
        write_text(options.json, json.dumps(reports, indent=2) + "\n")
    elif reports and not options.quick:
        old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        PAGE.parent.mkdir(exist_ok=True)
        write_text(PAGE, page(old, {name: section(name, report) for name, report in reports.items()}))
    broken = [f"{name}: {claim}" for name, report in reports.items() for claim in broken_claims(report)]
    for line in broken:
        print(f"does not hold: {line}", file=sys.stderr)
    for name in failed:
        print(f"{name} gave no result", file=sys.stderr)
    return UNABLE if failed else BROKEN if broken else HOLDS


def run_script(name: str, quick: bool) -> dict[str, Any] | None:
    """Run one benchmark in its own process; return its JSON, or None if it could not be run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        options = ["--json", str(path), *(["--quick"] if quick else [])]
        code = run_child([sys.executable, *command(name), *options], cwd=ROOT)
        if code not in (HOLDS, BROKEN) or not path.exists():
            return None
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return report


def broken_claims(report: dict[str, Any]) -> list[str]:
    """Return the names of the claims that do not hold."""
    return [claim["name"] for claim in report["claims"] if not claim["holds"]]


# --- the page --------------------------------------------------------------------------------------------


def section(name: str, report: dict[str, Any]) -> str:
    """Return a benchmark's part of the page: what it measures, its command, its table, where it ran."""
    rows = [
        (claim["name"], figure(claim["value"]), "", "")
        if claim["bar"] is None
        else (
            claim["name"],
            figure(claim["value"]),
            figure(claim["bar"]),
            "yes" if claim["holds"] else "**no**",
        )
        for claim in report["claims"]
    ]
    table = [
        "| claim | measured | bar | holds |",
        "|---|--:|--:|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    broken = broken_claims(report)
    verdict = f"Does not hold: {'; '.join(broken)}." if broken else "Every claim holds."
    machine = ", ".join(f"{key} {value}" for key, value in report["machine"].items())
    versions = ", ".join(f"{package} {version}" for package, version in report["versions"].items())
    parts = [
        f"## {name}",
        description(FOLDER / f"{name}.py"),
        f"```sh\npython {' '.join(command(name))}\n```",
        "\n".join(table),
        verdict,
        f"Measured on: {machine}. With: {versions}.",
    ]
    return "\n\n".join(parts)


def description(script: Path) -> str:
    """Return what a script says about itself."""
    return ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""


def page(old: str, new: dict[str, str]) -> str:
    """Return the page with these sections put in, and without those of scripts that are gone."""
    sections = {name: text for name, text in sections_of(old).items() if name in names()} | new
    marked = [f"{_mark(name)}\n\n{sections[name]}\n" for name in sorted(sections)]
    return "\n".join([HEADER, *marked])


def sections_of(text: str) -> dict[str, str]:
    """Return the sections of a page, by name: each goes from its mark to the next one."""
    _, *pieces = re.split(r"^<!-- benchmark: (\w+) -->$", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(pieces[::2], pieces[1::2], strict=True)}


def _mark(name: str) -> str:
    return f"<!-- benchmark: {name} -->"


if __name__ == "__main__":
    end_with_parent()
    with showing_errors(debug=True):
        code = main()
    sys.exit(code)
