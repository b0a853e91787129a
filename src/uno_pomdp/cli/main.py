"""The command `uno-pomdp`."""

import sys
from typing import Annotated

import typer
from rich.table import Table

from uno_pomdp import __version__
from uno_pomdp.cli.console import err, out
from uno_pomdp.errors import UnoError
from uno_pomdp.rules import PRESETS, preset

app = typer.Typer(
    help="The solver, laboratory and analysis board for two-player UNO.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

RulesName = Annotated[str, typer.Option("--rules", help="The rules by name; see `uno-pomdp rules`.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"uno-pomdp {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of all commands; `run` looks at `--debug` itself, for errors reach it first."""
    del debug, version


@app.command()
def demo(
    rules: RulesName = "house",
    games: Annotated[int, typer.Option(min=1, help="How many games to play after the first.")] = 100_000,
    seed: Seed = 1,
) -> None:
    """Play and print a random game, both players' moves, then many games and their summary."""
    from uno_pomdp.cli.demo import demo as run_demo  # kernels load only for commands that need them

    run_demo(preset(rules), games, seed)


@app.command("rules")
def list_rules() -> None:
    """List the rules that have a name."""
    table = Table(box=None, pad_edge=False)
    for title in ("name", "cards", "hands", "what"):
        table.add_column(title, justify="right" if title in ("cards", "hands") else "left")
    for name, known in PRESETS.items():
        table.add_row(name, str(len(known.rules.deck)), str(known.rules.hand_size), known.about)
    out.print(table)


def run() -> None:
    """Run the command; a request that can't be met ends with one sentence and exit code 2."""
    try:
        app()
    except UnoError as error:
        if "--debug" in sys.argv[1:]:
            raise
        err.print(f"uno-pomdp: {error}", markup=False, soft_wrap=True)
        sys.exit(2)
