"""Single keys of a terminal, arrows too. However it is left, the terminal is then as it was."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

LEFT: Final = "left"
RIGHT: Final = "right"
UP: Final = "up"
DOWN: Final = "down"
HOME: Final = "home"
END: Final = "end"
PAGE_UP: Final = "page up"
PAGE_DOWN: Final = "page down"
SPACE: Final = " "
QUIT: Final = "q"

Read = Callable[[float], str | None]
"""Returns the next key, waiting so many seconds for it at most; None if there was none."""
SEQUENCE: Final = re.compile(rb"\x1b[\[O]([0-9;]*)([A-Za-z~])")
"""What a key sends that is no character."""
LETTERS: Final = {b"A": UP, b"B": DOWN, b"C": RIGHT, b"D": LEFT, b"H": HOME, b"F": END}
"""Keys by the last letter of what they send."""
NUMBERS: Final = {b"1": HOME, b"7": HOME, b"4": END, b"8": END, b"5": PAGE_UP, b"6": PAGE_DOWN}
"""Keys by the number in it, if that ends with ~."""
ESCAPE: Final = b"\x1b"
END_OF_INPUT: Final = b"\x04"
"""What Ctrl-D sends where single keys are read."""
REST_SECONDS: Final = 0.05
"""How long the rest of what a key sends may come after its beginning."""


def no_keys(seconds: float) -> str | None:
    """Wait: nobody is there who could press a key."""
    time.sleep(seconds)
    return None


def split(waiting: bytes) -> tuple[str | None, bytes]:
    """Return the first key in what was sent, and the rest; None for one that has no meaning."""
    found = SEQUENCE.match(waiting)
    if found is not None:
        number, letter = found[1].partition(b";")[0], found[2]
        key = NUMBERS.get(number) if letter == b"~" else LETTERS.get(letter)
        return key, waiting[found.end() :]
    first, rest = waiting[:1], waiting[1:]
    if first in (b"", END_OF_INPUT):
        return QUIT, rest
    return first.decode("ascii", "ignore").lower() or None, rest


if sys.platform == "win32":

    def can_read_keys() -> bool:
        """Return False: single keys are not read there, and games are printed."""
        return False

    def reading_keys() -> AbstractContextManager[Read]:
        """Refuse: `can_read_keys` is asked first."""
        raise NotImplementedError

else:
    import select
    import termios

    LOCAL_MODES: Final = 3
    """The place of the local modes in what `tcgetattr` returns."""
    CHARACTERS: Final = 6
    """The place of the control characters."""

    def can_read_keys() -> bool:
        """Return whether a person sits at standard input."""
        try:
            return os.isatty(sys.stdin.fileno())
        except (OSError, ValueError, AttributeError):  # no file at all
            return False

    @contextmanager
    def reading_keys() -> Iterator[Read]:
        """Read single keys, unseen, until the end of the block; Ctrl-C is a signal as ever."""
        number = sys.stdin.fileno()
        before = termios.tcgetattr(number)
        single = termios.tcgetattr(number)
        single[LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
        single[CHARACTERS][termios.VMIN], single[CHARACTERS][termios.VTIME] = 1, 0
        # Ctrl-Z does nothing: a process that sleeps would leave its screen and its way of reading to the shell
        single[CHARACTERS][termios.VSUSP] = bytes([os.fpathconf(number, "PC_VDISABLE") & 0xFF])
        waiting = b""

        def read(seconds: float) -> str | None:
            nonlocal waiting
            if not waiting:
                if not select.select([number], [], [], max(seconds, 0.0))[0]:
                    return None
                waiting = _sent(number)
            if waiting == ESCAPE and select.select([number], [], [], REST_SECONDS)[0]:
                waiting += _sent(number)
            key, waiting = split(waiting)
            return key

        try:
            termios.tcsetattr(number, termios.TCSADRAIN, single)
            yield read
        finally:
            _put_back(number, before)

    def _sent(number: int) -> bytes:
        """Return what a terminal sent; nothing if it is gone."""
        try:
            return os.read(number, 64)
        except OSError:
            return b""

    def _put_back(number: int, before: list[object]) -> None:
        """Make the terminal what it was; keys that were pressed too late are not for whoever reads next."""
        try:
            termios.tcsetattr(number, termios.TCSAFLUSH, before)  # type: ignore[arg-type]  # what tcgetattr returned
        except termios.error:  # it is gone
            return
