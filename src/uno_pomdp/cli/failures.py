"""From an error to one sentence and an exit code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer

from uno_pomdp.cli.console import err
from uno_pomdp.errors import UnoError, sentence_of

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
        sentence = usage_sentence(error) if isinstance(error, UsageError) else sentence_of(error)
        if debug or sentence is None:
            raise
        err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)
        sys.exit(WRONG)


def usage_sentence(error: Any) -> str:
    """Return what is wrong with a word of the command, and where it is said what would be right."""
    path = error.ctx.command_path if error.ctx else "uno-pomdp"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message[:1].lower()}{message[1:]}: `{path} --help` shows what it takes"
