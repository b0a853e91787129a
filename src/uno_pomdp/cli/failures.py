"""From an error to one sentence and an exit code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from uno_pomdp.cli.console import err
from uno_pomdp.errors import UnoError

WRONG: Final = 2
"""Exit code: what was asked for can't be done."""
INTERRUPTED: Final = 130
"""Exit code: stopped by Ctrl-C, as shells have it."""


@contextmanager
def showing_errors(debug: bool) -> Iterator[None]:
    """End with a sentence on what was wrong with the request, or with the whole traceback; a bug has it always."""
    try:
        yield
    except click.exceptions.Abort:
        err.print("uno-pomdp: stopped")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read the output has gone, as in `uno-pomdp rules | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (UnoError, click.ClickException, OSError) as error:
        sentence = sentence_of(error)
        if debug or sentence is None:
            raise
        err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)
        sys.exit(WRONG)


def sentence_of(error: UnoError | click.ClickException | OSError) -> str | None:
    """Return what is wrong and what would be right; None for a failure that is not about the request."""
    if isinstance(error, click.ClickException):
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "uno-pomdp"
        message = " ".join(error.format_message().split()).rstrip(".")
        return f"{message[:1].lower()}{message[1:]}: `{path} --help` shows what it takes"
    if isinstance(error, OSError):
        return None if error.filename is None else f"{error.filename} can't be used: {error.strerror}"
    return str(error)
