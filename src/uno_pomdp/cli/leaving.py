"""Ways to leave a game before its end: by a command, Ctrl-C, the end of input, a closed terminal, a kill."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from uno_pomdp.errors import Interruption

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))

SIGNALLED: Final = 128
"""Exit codes above it are those of signals."""


class Leave(Interruption):
    """The person leaves."""

    def __init__(self, code: int = 0, why: str = "", hung_up: bool = False) -> None:
        super().__init__(why)
        self.code = code
        """The exit code."""
        self.why = why
        """A sentence for the error console; empty if there is nothing to explain."""
        self.hung_up = hung_up
        """Whether the terminal is gone, so that no message can be read."""


@contextmanager
def leaving_on_signals() -> Iterator[None]:
    """Turn a closed terminal, a request to end and Ctrl-C into `Leave`."""

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        name = signal.Signals(number).name
        raise Leave(SIGNALLED + number, f"ended by {name}", hung_up=name == "SIGHUP")

    before = {number: signal.signal(number, leave) for number in SIGNALS}
    try:
        yield
    except KeyboardInterrupt:
        raise Leave(SIGNALLED + signal.SIGINT) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
