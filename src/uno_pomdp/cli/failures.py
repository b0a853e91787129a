"""From an error to one sentence and an exit code."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer

from uno_pomdp.cli.output import OutputLost, require_output, settled_streams
from uno_pomdp.cli.stopping import Stopped, stopping_on_signals
from uno_pomdp.cli.ui.console import err, hearing_complaints, say
from uno_pomdp.errors import UnoError, sentence_of

WRONG: Final = 2
"""Exit code: what was asked for can't be done."""
UNREAD: Final = 141
"""Exit code: the reader has closed the pipe, as shells report it."""
UsageError: Final[Any] = typer.BadParameter.__base__
"""What a wrong argument raises: a class of Click, or of the copy of Click in newer versions of Typer."""


@contextmanager
def showing_errors(debug: bool = False) -> Iterator[None]:
    """End with one sentence on what was wrong with the request, or with the whole traceback, which a bug always gets.

    Output, signals and warnings of the whole command are handled here, so that each has its sentence and exit code.
    """
    with settled_streams(), hearing_complaints():
        try:
            with stopping_on_signals():
                require_output()
                yield
                sys.stdout.flush()  # what fails now fails where it can still be said
        except Stopped as stopped:
            _say_stopped(stopped)
            sys.exit(stopped.code)
        except OutputLost as lost:  # no fault of the program: there is nothing to debug
            if lost.by_reader:
                sys.exit(UNREAD)
            say(str(lost))
            sys.exit(WRONG)
        except (UnoError, UsageError, OSError) as error:
            sentence = usage_sentence(error) if isinstance(error, UsageError) else sentence_of(error)
            if debug or sentence is None:
                raise
            say(sentence)
            sys.exit(WRONG)


def _say_stopped(stopped: Stopped) -> None:
    if stopped.sentence:
        if err.is_terminal and stopped.number == signal.SIGINT:
            err.print()  # behind the ^C of the terminal
        say(stopped.sentence)


def usage_sentence(error: Any) -> str:
    """Return what is wrong with a word of the command, and where it is said what would be right."""
    path = error.ctx.command_path if error.ctx else "uno-pomdp"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message[:1].lower()}{message[1:]}: `{path} --help` shows what it takes"
