"""Run `uno-pomdp` in this process, through its entry point: quick enough for every sentence that it can say."""

import contextlib
import io
import sys
from dataclasses import dataclass
from unittest import mock

from uno_pomdp.cli.console import COMPILING
from uno_pomdp.cli.main import run


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


def call(*arguments: str, typed: str = "", terminal: bool = False) -> Done:
    """Run the command with these arguments and this standard input; an error that is no exit is raised."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", (Terminal if terminal else io.StringIO)(typed)),
        mock.patch.object(sys, "argv", ["uno-pomdp", *arguments]),
    ):
        try:
            run()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
    return Done(code, out.getvalue(), err.getvalue().replace(f"{COMPILING}\n", ""))
