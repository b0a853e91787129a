"""All output goes through here: it handles characters that an encoding lacks, full disks and closed pipes.

It is loaded for `--help` too: nothing here may bring Numba with it.
"""

import codecs
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from uno_pomdp.errors import Interruption, UnoError

READABLE: Final = "uno-pomdp-readable"
"""The name of `readable` as a handler of encoding errors (`codecs.register_error`)."""

SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵏᵗ", "0123456789-+nkt", strict=True))
"""Superscripts: a run of them is written after ^."""
RAISED: Final = re.compile(f"[{''.join(SUPERSCRIPTS)}]+")
ASCII: Final = {
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),  # corners and crossings of boxes, but for:
    **dict.fromkeys("─━┄┅┈┉╌╍═╴╶╸╺╼╾", "-"),
    **dict.fromkeys("│┃┆┇┊┋╎╏║╵╷╹╻╽╿", "|"),
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)),  # a course: higher is heavier
    **dict.fromkeys("▮■▓▉▊▋▌", "#"),
    **dict.fromkeys("░▒▯□▍▎▏", "."),
    **dict(zip("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\|/-\\|/", strict=True)),  # what turns while one waits
    **dict(zip("▶▸►◀◂▲▴▼▾↑↓", ">>><<^^vv^v", strict=True)),
    **dict(zip("·•−–—‐‑×≈∝ℓ✓✗", ".*-----x~~lvx", strict=True)),
    **dict(zip("’‘′“”″", "'''\"\"\"", strict=True)),
    **dict(zip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₓ", "0123456789ijkx", strict=True)),
    "\u00a0": " ",
    "…": "...",
    "±": "+-",
    "→": "->",
    "⇄": "~",
    "←": "<-",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "√": "sqrt ",
    "∞": "inf",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "Σ": "sum ",
    "Π": "product ",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "λ": "lambda",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
}
"""For each character that the package prints its ASCII replacement: one character where columns depend on it."""


def readable(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for characters that an encoding does not have, and where encoding goes on.

    A replacement that is longer takes the room of the blanks after it, so that columns stay aligned. A character from
    elsewhere, as in a file's name, is written by its code: a similar character would make another name.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    run, behind = error.object[error.start : error.end], error.object[error.end :]
    run = RAISED.sub(lambda found: "^" + "".join(map(SUPERSCRIPTS.__getitem__, found[0])), run)
    text = "".join(ASCII.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in run)
    longer = len(text) - (error.end - error.start)
    blanks = len(behind) - len(behind.lstrip(" "))
    return text, error.end + (longer if 0 < longer < blanks else 0)


codecs.register_error(READABLE, readable)


class OutputLost(Interruption):
    """Standard output can't be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output can't be written: {error.strerror or error}")
        self.by_reader = isinstance(error, BrokenPipeError)
        """Whether the reader has closed the pipe: then there is nothing to report."""


class OutputClosed(UnoError):
    """A command whose results could not be written anywhere."""


class _Results(io.TextIOWrapper):
    """Standard output that raises `OutputLost` for its own failures."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            _give_up(self)
            raise OutputLost(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            _give_up(self)
            raise OutputLost(error) from error


class _Closed(io.TextIOWrapper):
    """Standard output of a process that was started without one."""


class _Notices(io.TextIOWrapper):
    """The error output: if it can't be written, nobody can be told, and the work goes on."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            _give_up(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _give_up(self)


def require_output() -> None:
    """Refuse to start if standard output is closed, so that the results would be lost."""
    if isinstance(sys.stdout, _Closed):
        raise OutputClosed("standard output is closed: lead it somewhere, to /dev/null if nobody is to see it")


def _give_up(stream: io.TextIOWrapper) -> None:
    """Redirect a stream to nowhere, so that its buffer does not fail again when Python ends."""
    with suppress(OSError):  # of a stream that is no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def settled_streams() -> Iterator[None]:
    """Replace the standard streams, so that nothing that is written or typed ends in a traceback."""
    _fill_closed()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _settled(sys.stdout, _Results), _settled(sys.stderr, _Notices)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # a name of a file can be of any bytes
        if not sys.stdin.isatty() and codecs.lookup(sys.stdin.encoding).name == "utf-8":
            # a file that is piped in may begin with a byte order mark
            sys.stdin.reconfigure(encoding="utf-8-sig", errors=sys.stdin.errors)
    try:
        yield
    finally:
        for mine, old in zip((sys.stdout, sys.stderr), before, strict=True):
            if mine is not old and isinstance(mine, io.TextIOWrapper):
                with suppress(OutputLost):
                    mine.flush()
                mine.detach()  # else the file would be closed with it
        sys.stdout, sys.stderr = before


def _settled(stream: TextIO, kind: type[io.TextIOWrapper]) -> TextIO:
    """Return a stream of that kind to where this one leads; one of text alone, as of tests, stays as it is."""
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, _Closed):
        return stream
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=READABLE,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _fill_closed() -> None:
    """Open streams that were closed at the start: a file opened later would get their descriptor and their output."""
    for name, kind in (("stdin", io.TextIOWrapper), ("stdout", _Closed), ("stderr", io.TextIOWrapper)):
        if getattr(sys, name) is None:  # the lowest number that is free is the one that was closed
            nowhere = io.FileIO(os.devnull, "r" if name == "stdin" else "w")
            buffered = io.BufferedReader(nowhere) if name == "stdin" else io.BufferedWriter(nowhere)
            setattr(sys, name, kind(buffered, encoding="utf-8"))
