"""The one way to use Numba: every kernel of the package is made by :func:`kernel`.

Compiled kernels are kept on disk by :mod:`uno_pomdp.kernel_cache`, each under a hash of all that it is compiled from.
With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function, to be stepped through in a debugger.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, cast

import numpy as np
from numba.core import config as numba_config
from numba.core import event

from uno_pomdp.kernel_cache import note
from uno_pomdp.kernel_dispatcher import COMPILE, LINK, KernelDispatcher

config: Any = numba_config  # its attributes are made at run time
F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` on first call, in nopython mode, without the GIL, cached on disk."""
    return _compiled(function, forceinline=False)


def inner_kernel(function: F) -> F:
    """Compile like :func:`kernel`, inlined into each caller: for the few steps of the innermost loops."""
    return _compiled(function, forceinline=True)


def _compiled(function: F, forceinline: bool) -> F:
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": forceinline}
    return cast(F, KernelDispatcher(function, targetoptions=options))


def was_done(what: str) -> bool:
    """Return whether `note_done` has recorded this for the present sources: its kernels are then in the cache."""
    noted = None if config.DISABLE_JIT else note(what)
    return noted is None or noted.exists()


def note_done(what: str) -> None:
    """Record that something was done once, so that all the kernels that it needs are compiled."""
    noted = None if config.DISABLE_JIT else note(what)
    if noted is not None:
        with contextlib.suppress(OSError):  # then they are looked for once more
            noted.touch()


@contextlib.contextmanager
def compiling(report: Callable[[str], None], done: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Call `report` with the name of each kernel of the package that is not taken from the cache, but compiled.

    The name is that of its module in the package and its own, as in `game.rng.mix`; a kernel that is made ready for
    Python is reported once more. `done` is called whenever the last of those that compile each other is compiled.
    """
    depth = 0

    class Compilations(event.Listener):
        def on_start(self, started: Any) -> None:
            nonlocal depth
            depth += 1
            function = started.data["dispatcher"].py_func
            if function.__module__.startswith(f"{__package__}."):
                report(f"{function.__module__.removeprefix(f'{__package__}.')}.{function.__name__}")

        def on_end(self, ended: Any) -> None:
            nonlocal depth
            del ended
            depth -= 1
            if depth == 0:
                done()

    listener = Compilations()
    with event.install_listener(COMPILE, listener), event.install_listener(LINK, listener):
        yield


class WorkingTime(event.Listener):
    """A clock that stands still while a kernel is compiled, together with the kernels that it calls."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._compiled = 0.0
        self._since = 0.0
        self._depth = 0

    def on_start(self, started: Any) -> None:
        """Stop the clock when the outermost kernel begins to compile."""
        del started
        if self._depth == 0:
            self._since = self._clock()
        self._depth += 1

    def on_end(self, ended: Any) -> None:
        """Let the clock go on when that kernel is compiled."""
        del ended
        self._depth -= 1
        if self._depth == 0:
            self._compiled += self._clock() - self._since

    def __call__(self) -> float:
        """Return the seconds."""
        return (self._since if self._depth else self._clock()) - self._compiled


working_time: Final = WorkingTime()
"""Seconds without those spent on compiling: for budgets, and for how long agents take."""
for _kind in (COMPILE, LINK):
    event.register(_kind, working_time)


as_int: Final = cast(Callable[[Any], int], np.int64)
"""Returns a number as a signed 64-bit integer; in a kernel `int` would keep a field of a record unsigned."""
