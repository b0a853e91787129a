"""`uno-pomdp bench`: the benchmarks of the source tree from which the package is run."""

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson
from uno_pomdp.cli.stopping import run_child, telling
from uno_pomdp.cli.ui.console import print_json
from uno_pomdp.errors import UnoError, quoted

ROOT: Final = Path(__file__).parents[4]
"""The source tree, if the package is run from one."""


class NoBenchmarks(UnoError):
    """Benchmarks that are not there."""


def names() -> list[str]:
    """Return the names of the benchmarks of a source tree; none where there is no source tree."""
    if not (ROOT / "benchmarks" / "__main__.py").exists():
        return []
    scripts = (ROOT / "benchmarks").glob("*.py")
    return sorted(path.stem for path in scripts if path.stem[0] != "_" and path.stem != "harness")


def complete_benchmark(incomplete: str) -> list[str]:
    """Return the benchmarks of this source tree whose names begin so, for the shell."""
    return [name for name in names() if name.startswith(incomplete)]


@app.command(epilog="Example: uno-pomdp bench engine --quick")
def bench(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="One benchmark; without it, all.", autocompletion=complete_benchmark),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only show that they work: tiny sizes, no bars.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the benchmarks of a source tree; exit code 1 if a claim does not hold."""
    import tempfile

    known = names()
    if not known:
        raise NoBenchmarks("the benchmarks are not installed with the package: run them in a source tree")
    if name is not None and name not in known:
        raise NoBenchmarks(f"no benchmark is called {quoted(name)}: choose one of {', '.join(known)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.json"
        options = [*(["--only", name] if name else []), *(["--quick"] if quick else []), "--json", str(path)]
        command = [sys.executable, "-m", "benchmarks", *options]
        with telling(lambda: "in the benchmarks; nothing is kept but what is printed above"):
            code = run_child(command, cwd=ROOT, stdout=sys.stderr if as_json else None)
        if as_json and path.exists():
            print_json(json.loads(path.read_text(encoding="utf-8")))
    raise typer.Exit(code)
