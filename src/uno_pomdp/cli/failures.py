"""From an error to one sentence and an exit code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer

from uno_pomdp.cli.console import err
from uno_pomdp.errors import UnoError

WRONG: Final = 2
"""Exit code: what was asked for can't be done."""
INTERRUPTED: Final = 130
"""Exit code: stopped by Ctrl-C, as shells have it."""
UsageError: Final[Any] = typer.BadParameter.__base__
"""What a wrong word raises: a class of Click, or of the copy of it that newer Typers carry."""


@contextmanager
def showing_errors(debug: bool) -> Iterator[None]:
    """End with a sentence on what was wrong with the request, or with the whole traceback; a bug has it always."""
    try:
        yield
    except typer.Abort:  # of an older Typer; a newer one exits with this code itself
        sys.exit(INTERRUPTED)
    except (UnoError, UsageError, OSError) as error:
        sentence = sentence_of(error)
        if debug or sentence is None:
            raise
        err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)
        sys.exit(WRONG)


def sentence_of(error: Any) -> str | None:
    """Return what is wrong and what would be right; None for a failure that is not about the request."""
    if isinstance(error, UsageError):
        path = error.ctx.command_path if error.ctx else "uno-pomdp"
        message = " ".join(error.format_message().split()).rstrip(".")
        return f"{message[:1].lower()}{message[1:]}: `{path} --help` shows what it takes"
    if isinstance(error, OSError):
        return None if error.filename is None else f"{error.filename} can't be used: {error.strerror}"
    return str(error)
