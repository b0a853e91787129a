"""The one door to Numba: every kernel of the package is made by :func:`kernel`.

Numba's disk cache looks at the file of the function it compiles, not at the files of what that function
calls. So the cache directory carries a hash of all sources of the package: any change starts a fresh one.
With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function, to be stepped through in a debugger.
"""

import contextlib
import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core import event

config: Any = numba_config  # its attributes are made at run time
F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger(__name__)

UNUSED_DAYS = 30
"""A cache directory of other sources is removed when it was not used for this long."""


def kernel(function: F) -> F:
    """Compile `function` on first call, in nopython mode, without the GIL, cached on disk."""
    return _compiled(function, forceinline=False)


def inner_kernel(function: F) -> F:
    """Compile like :func:`kernel`, and into each caller: for the few steps of the innermost loops."""
    return _compiled(function, forceinline=True)


def _compiled(function: F, forceinline: bool) -> F:
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    directory = cache_directory()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(directory or before)
    try:
        njit = numba.njit(nogil=True, error_model="numpy", cache=directory is not None, forceinline=forceinline)
        return cast(F, njit(function))
    finally:
        config.CACHE_DIR = before


@cache
def cache_directory() -> Path | None:
    """Where compiled kernels of exactly these sources lie; None (and a warning) if nothing can be written."""
    root = _cache_root()
    directory = root / f"kernels-{source_hash()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        os.utime(directory)
    except OSError as error:
        log.warning("kernels are compiled anew in every run: %s", error)
        return None
    _remove_unused(root, keep=directory)
    return directory


def nothing_compiled() -> bool:
    """Return whether kernels are to be compiled, and none of these sources lies in the cache."""
    directory = None if config.DISABLE_JIT else cache_directory()
    return directory is not None and next(directory.rglob("*.nbi"), None) is None


def was_done(what: str) -> bool:
    """Return whether `note_done` was told of this with these sources: then its kernels lie in the cache."""
    note = _note(what)
    return note is None or note.exists()


def note_done(what: str) -> None:
    """Note that something was done once, with all the kernels that it needs."""
    note = _note(what)
    if note is not None:
        with contextlib.suppress(OSError):  # then they are looked for once more
            note.touch()


def _note(what: str) -> Path | None:
    """Return the file that stands for `what`; None if no kernels are kept."""
    directory = None if config.DISABLE_JIT else cache_directory()
    return None if directory is None else directory / f"done-{hashlib.sha256(what.encode()).hexdigest()[:16]}"


def source_hash() -> str:
    """Return a hash over every source file of the package, names and contents."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def compiling(report: Callable[[str], None]) -> Iterator[None]:
    """Call `report` with the name of each kernel of this package that is compiled, not taken from the cache."""

    class Listener(event.Listener):
        def on_start(self, started: Any) -> None:
            function = started.data["dispatcher"].py_func
            if function.__module__.startswith(f"{__package__}."):
                report(function.__name__)

        def on_end(self, ended: Any) -> None:
            del ended

    with event.install_listener("numba:compile", Listener()):
        yield


class WorkingTime(event.Listener):
    """A clock that stands still while a kernel is compiled, with all the kernels that this one calls."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._compiled = 0.0
        self._since = 0.0
        self._depth = 0

    def on_start(self, started: Any) -> None:
        """Stop at the outermost kernel."""
        del started
        if self._depth == 0:
            self._since = self._clock()
        self._depth += 1

    def on_end(self, ended: Any) -> None:
        """Go on behind it."""
        del ended
        self._depth -= 1
        if self._depth == 0:
            self._compiled += self._clock() - self._since

    def __call__(self) -> float:
        """Return the seconds."""
        return (self._since if self._depth else self._clock()) - self._compiled


working_time: Final = WorkingTime()
"""Seconds without those spent on compiling: for budgets, and for how long agents take."""
event.register("numba:compile", working_time)  # type: ignore[no-untyped-call]


def _cache_root() -> Path:
    chosen = os.environ.get("UNO_POMDP_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "uno-pomdp"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uno-pomdp"


def _remove_unused(root: Path, keep: Path) -> None:
    oldest = time.time() - UNUSED_DAYS * 86_400
    for other in root.glob("kernels-*"):
        with contextlib.suppress(OSError):  # another process may be removing it too
            if other != keep and other.stat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)


@inner_kernel
def as_int(value: Any) -> int:
    """Return a number as a signed 64-bit integer; `int` would keep a field of a record unsigned."""
    return np.int64(value)  # type: ignore[return-value]  # an int in all but name
