"""Run `uno-pomdp` in this process, through its entry point: quick enough for every sentence that it can say."""

import contextlib
import io
import signal
import sys
from dataclasses import dataclass
from typing import TextIO
from unittest import mock

from tests.cli.command import NOTICE
from uno_pomdp.cli.main import run
from uno_pomdp.cli.stopping import SIGNALS
from uno_pomdp.cli.ui import console


@dataclass(frozen=True)
class Done:
    """What a run of the command did."""

    code: int
    """Its exit code."""
    out: str
    """What it wrote to standard output."""
    err: str
    """What it wrote to the error output, but for the word that kernels are compiled."""


class Terminal(io.StringIO):
    """Standard input at which a person sits."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


def call(*arguments: str, typed: str = "", terminal: bool = False, out: TextIO | None = None) -> Done:
    """Run the command with these arguments and this standard input; an error that is no exit is raised.

    With `out` its output goes there, and is not returned.
    """
    text, err, code = io.StringIO(), io.StringIO(), 0
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *SIGNALS)}
    with (
        contextlib.redirect_stdout(out or text),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", (Terminal if terminal else io.StringIO)(typed)),
        mock.patch.object(sys, "argv", ["uno-pomdp", *arguments]),
    ):
        try:
            run()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        finally:
            for number, handler in handlers.items():  # a command that was stopped hears no more
                signal.signal(number, handler)
            for each in (console.out, console.err):  # what a full disk did not take is not for the next command
                each._buffer.clear()
    return Done(code, text.getvalue(), NOTICE.sub("", err.getvalue()))


def in_words(move: str) -> str:
    """Return the notation of a card that was played as it is told: a black one with the colour in words."""
    card, _, colour = move.partition(":")
    colours = {"R": "RED", "Y": "YELLOW", "G": "GREEN", "B": "BLUE"}
    return f"{card} and chose {colours[colour]}" if colour else card
