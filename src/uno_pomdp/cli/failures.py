"""From an error to one sentence and an exit code."""

import errno
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import typer

from uno_pomdp.cli.output import OutputLost, require_output, settled_streams
from uno_pomdp.cli.stopping import Stopped, stopping_on_signals
from uno_pomdp.cli.ui.console import err, hearing_complaints, say
from uno_pomdp.errors import UnoError, sentence_of

WRONG: Final = 2
"""Exit code: what was asked for can't be done."""
UNREAD: Final = 141
"""Exit code: the reader has closed the pipe, as shells report it."""
NO_MEMORY: Final = "there is not enough memory: end other programs, ask for less, or raise the limit of this process"
"""What is said when the system gives no more memory."""
LACKING: Final = ("failed to map segment", "annot allocate memory", "can't start new thread", "out of memory")
"""How libraries, the system and Python say that they get no more of it."""
UsageError: Final[Any] = typer.BadParameter.__base__
"""What a wrong argument raises: a class of Click, or of the copy of Click in newer versions of Typer."""


@contextmanager
def showing_errors(debug: bool = False) -> Iterator[None]:
    """End with one sentence on what was wrong with the request; a bug ends with its traceback.

    With `debug` the traceback stands above every such sentence. Output, signals and warnings of the whole command are
    handled here, so that each has its sentence and exit code.
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
            sentence = sentence or (NO_MEMORY if lacks_memory(error) else None)
            if sentence is None:
                raise
            _refuse(error, sentence, debug)
        except (MemoryError, ImportError, RuntimeError) as error:
            if not lacks_memory(error):
                raise
            _refuse(error, NO_MEMORY, debug)


def lacks_memory(error: BaseException | None) -> bool:
    """Return whether an error comes from too little memory: a library that can't be loaded says so in its own words."""
    while error is not None:
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MemoryError) or number == errno.ENOMEM or any(each in str(error) for each in LACKING):
            return True
        error = error.__cause__ or error.__context__
    return False


def _refuse(error: Exception, sentence: str, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exception(error)
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
