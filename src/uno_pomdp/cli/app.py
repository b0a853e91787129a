"""The application to which commands are added, with the options of all of them."""

from typing import Annotated

import typer

from uno_pomdp._version import __version__
from uno_pomdp.cli.options import App
from uno_pomdp.cli.ui.console import out

app = App(
    help="The solver, laboratory and analysis board for two-player UNO.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"uno-pomdp {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error above its sentence.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of all commands; `run` looks at `--debug` itself, wherever it stands."""
    del debug, version
