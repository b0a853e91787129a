"""`uno-pomdp engine`: analyses for other programs, as JSON lines on standard input and output."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Final, TextIO

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import number
from uno_pomdp.cli.output import OutputLost
from uno_pomdp.quantities import Whole

PIECE: Final = 1 << 16
"""Bytes that are read at a time."""


@app.command(epilog="Example: uno-pomdp engine --workers 2 < queries.jsonl")
def engine(
    workers: Annotated[int, number(Whole(1, 64), "Queries that are worked on at a time.")] = 1,
    queue: Annotated[int, number(Whole(0, 100_000), "Queries that may wait; more are refused.")] = 64,
) -> None:
    """Analyse positions for another program: JSON lines on standard input and output, as docs/engine.md says."""
    from uno_pomdp.cli.ui.console import showing_compilation
    from uno_pomdp.engine.engine import Engine

    lines, send = lines_of(sys.stdin), sender_to(sys.stdout)
    with contextlib.redirect_stdout(sys.stderr), showing_compilation():  # what a plug-in agent prints is no reply
        try:
            Engine(send, workers, queue).run(lines)
        except OSError as error:
            raise OutputLost(error) from error


def lines_of(stream: TextIO) -> Iterator[bytes]:
    """Yield the lines of standard input.

    They are read below Python's own streams: a thread that waits inside one of those would block the process's end.
    """
    file = _file_of(stream)
    if file is None:
        yield from (line.rstrip("\n").encode("utf-8", "surrogateescape") for line in stream)
        return
    from uno_pomdp.engine.protocol import MOST_BYTES

    rest = b""
    while piece := os.read(file, PIECE):
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
        if len(rest) > MOST_BYTES + 1:
            rest = rest[: MOST_BYTES + 1]  # too long in any case: its end is not kept
    if rest:
        yield rest


def sender_to(stream: TextIO) -> Callable[[str], None]:
    """Return what writes a line to standard output at once, below Python's own streams for the same reason."""
    file = _file_of(stream)

    def send(text: str) -> None:
        if file is None:
            stream.write(f"{text}\n")
            stream.flush()
            return
        left = f"{text}\n".encode()
        while left:
            left = left[os.write(file, left) :]

    return send


def _file_of(stream: TextIO) -> int | None:
    """Return the number of the file behind a stream; None for a stream of text alone, as tests have it."""
    try:
        return stream.fileno()
    except (OSError, io.UnsupportedOperation, AttributeError):
        return None
