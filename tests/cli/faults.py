"""A disk that fails: every call of the system by which the package changes files, each in its turn."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from errno import EACCES, EIO, ENOSPC
from functools import partial
from pathlib import Path
from typing import Any, Final

CHANGING: Final = ("open", "write", "fsync", "replace", "link", "ftruncate", "makedirs")
"""What can fail; removing is not among them, for a disk that can't even do that keeps what it has."""


@dataclass(frozen=True)
class Fault:
    """How a disk fails."""

    number: int
    """The number of the error."""
    stays: bool
    """Whether everything after it fails too."""

    def __str__(self) -> str:
        return f"{os.strerror(self.number)}, {'from then on' if self.stays else 'once'}"


FULL: Final = Fault(ENOSPC, stays=True)
FAULTS: Final = (FULL, Fault(EACCES, stays=False), Fault(EIO, stays=False))


@dataclass
class Disk:
    """Stands in for `os` in `uno_pomdp.files`: what changes files below a folder fails from the nth time on."""

    root: Path
    """The folder; elsewhere, as in the cache of kernels, everything works."""
    fault: Fault = FULL
    """How it fails."""
    nth: int = 0
    """Which call fails first, counted from 1; 0: none."""
    calls: list[str] = field(default_factory=list)
    """What was called."""
    opened: set[int] = field(default_factory=set)
    """Open files below the folder."""

    @property
    def failed(self) -> bool:
        """Whether something failed."""
        return 0 < self.nth <= len(self.calls)

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return partial(self._called, name, real) if name in CHANGING else real

    def close(self, descriptor: int) -> None:
        """Close a file."""
        self.opened.discard(descriptor)
        os.close(descriptor)

    def _called(self, name: str, real: Callable[..., Any], what: Any, *more: Any, **options: Any) -> Any:
        here = what in self.opened if isinstance(what, int) else self.root in Path(os.path.abspath(what)).parents
        if here:
            self.calls.append(name)
            if len(self.calls) == self.nth or (self.fault.stays and self.failed):
                if name == "write":  # as much as there was room for
                    real(what, more[0][: len(more[0]) // 2])
                raise OSError(self.fault.number, os.strerror(self.fault.number), f"{what} inside")
        if name == "fsync":
            return None  # no power cut is tested here, and a disk takes its time
        done = real(what, *more, **options)
        if here and name == "open":
            self.opened.add(done)
        return done
