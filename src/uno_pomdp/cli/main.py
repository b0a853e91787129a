"""The command `uno-pomdp`."""

import os
import sys
from functools import cache
from typing import Any, Final

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.commands import (
    advise,
    agents,
    analyze,
    arena,
    bench,
    demo,
    engine,
    games,
    nash,
    play,
    rules,
    schema,
    serve,
    solve,
    tournament,
    train,
    watch,
)
from uno_pomdp.cli.failures import showing_errors

__all__ = ["app", "run"]

NAME: Final = "uno-pomdp"
"""What the command is called."""
COMPLETION: Final = "_UNO_POMDP_COMPLETE"
"""The variable that a shell sets to ask for completions; Click derives its name from the command's."""
COMMANDS: Final = (
    play,
    games,
    watch,
    analyze,
    advise,
    serve,
    rules,
    agents,
    demo,
    arena,
    tournament,
    nash,
    solve,
    train,
    bench,
    engine,
    schema,
)
"""The modules of all commands, in the order of the help; each adds its own when it is imported."""
_ORDER: Final = [module.__name__ for module in COMMANDS]
app.registered_commands.sort(key=lambda command: _ORDER.index(command.callback.__module__))


def run() -> None:
    """Run the command; a request that can't be met ends with one sentence and exit code 2."""
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    with showing_errors(debug=len(arguments) < len(sys.argv) - 1):
        code = invoked(arguments) if arguments else started()
    sys.exit(code)


def started() -> int:
    """Show the menu where a person sits, and the help in a pipe; return the exit code."""
    if COMPLETION in os.environ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return invoked(["--help"])
    from uno_pomdp.cli.menu import menu

    return menu(invoked)


@cache
def command_line() -> Any:
    """Return all commands and options as Click has them: made once, for the menu runs one after the other."""
    return typer.main.get_command(app)


def invoked(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit code; its exceptions are passed on.

    Click's own `main` would take an error inside a command for the end of input, or a full disk for a closed pipe.
    """
    command = command_line()
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if COMPLETION in os.environ:  # a shell asks what a word could become: Click answers, and exits
        command.main(arguments, prog_name=NAME)
    try:
        with command.make_context(NAME, arguments) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0
