"""Commands that are stopped: by Ctrl-C, a request to end, a closed terminal; and what became of their work."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from uno_pomdp.errors import Interrupted, Interruption, WorkerLost

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))
"""The signals that ask a process to end, beside that of Ctrl-C."""
COMPILER: Final = "llvmlite"
"""The package whose C code calls Python: an exception raised in such a callback is printed and lost."""
LATER_SECONDS: Final = 0.05
"""How long after a signal that arrived there it is sent again."""
GRACE_SECONDS: Final = 10.0
"""How long a child process has to end by itself."""
PARENT: Final = "UNO_POMDP_PARENT"
"""Environment variable: the process with which a child ends, for nobody can stop it afterwards."""


class Stopped(Interruption):
    """Somebody has stopped the command."""

    def __init__(self, number: int, told: str = "") -> None:
        super().__init__(number, told)
        self.number = number
        """The signal."""
        self.told = told
        """How far it came and what is kept, to be printed after the word `stopped`."""

    @property
    def code(self) -> int:
        """The exit code, as shells have it."""
        return 128 + self.number

    @property
    def sentence(self) -> str:
        """What to say; empty if nothing was being made."""
        by = "" if self.number == signal.SIGINT else f" by {signal.Signals(self.number).name}"
        return f"stopped{by} {self.told}" if self.told else ""


@contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Raise `Stopped` where a signal would end the process at once; what the caller ignores stays ignored."""
    here = threading.current_thread() is threading.main_thread()
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *SIGNALS)} if here else {}
    taken = {number: handler for number, handler in before.items() if handler in usual}
    for number in taken:
        signal.signal(number, _stop)
    try:
        yield
    except (KeyboardInterrupt, Stopped) as ended:
        for number in taken:  # a second one would only break the tidying up
            signal.signal(number, signal.SIG_IGN)
        if isinstance(ended, Stopped):
            raise
        raise Stopped(signal.SIGINT) from None
    finally:
        for number, handler in taken.items():
            if signal.getsignal(number) is _stop:
                signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise a signal's exception, but not within a callback from a compiler, where it would be lost."""
    while frame is not None:
        if COMPILER in Path(frame.f_code.co_filename).parts:
            again = threading.Timer(LATER_SECONDS, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        frame = frame.f_back
    if number == signal.SIGINT:
        raise Interrupted
    raise Stopped(number)


@contextmanager
def telling(what: Callable[[], str]) -> Iterator[None]:
    """If the work is stopped, or loses a process, say how far it came and what is kept of it.

    The innermost such message counts.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(signal.SIGINT, what()) from None
    except Stopped as stopped:
        stopped.told = stopped.told or what()
        raise
    except WorkerLost as lost:
        lost.told = lost.told or what()
        raise


def kept_of(file: Path | None) -> str:
    """Return what is left of work whose result would be written to a file at its end."""
    return "nothing is kept" if file is None else f"nothing is kept, and {file} is as it was"


def kept_in(place: Path | None, option: str, records: Path | None = None) -> str:
    """Return what became of finished pairs: they are in a file or folder, or their games are, or nothing is."""
    if place is not None:
        return f"finished pairs are kept in {place}, and the same command goes on"
    left = "nothing is kept" if records is None else f"the games are in {records}, but the result is not kept"
    return f"{left}: for that give {option}"


def run_child(command: Sequence[str], **options: Any) -> int:
    """Run another command as a child process and return its exit code; if it is stopped, it has time to clean up.

    It has to call `end_with_parent`, to end as well when this process is killed.
    """
    from uno_pomdp.arena.run import deaf_to_interrupts  # Numba: half a second

    with deaf_to_interrupts():
        process = subprocess.Popen(command, env=child_environment(), **options)
    with process:
        try:
            return process.wait()
        except (KeyboardInterrupt, Stopped):
            process.terminate()
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


def child_environment() -> dict[str, str]:
    """Return the environment of a child that is to end with this process, for which it calls `end_with_parent`."""
    return os.environ | {PARENT: str(os.getpid())}


def end_with_parent() -> None:
    """Let this process end with the one that has started it as its child; do nothing in any other process."""
    parent = os.environ.pop(PARENT, None)  # the children of this one are no children of that one
    if parent is None:
        return
    from uno_pomdp.arena.run import end_with

    end_with(int(parent))
