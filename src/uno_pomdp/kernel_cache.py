"""Compiled kernels on disk: one file for each kernel and set of types, with a checksum.

A damaged or inaccessible entry is reported once and compiled as if it were not there: the cache is never a reason to
fail.
"""

import hashlib
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Final

import numba
import numpy as np

from uno_pomdp.files import written_whole

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

UNUSED_DAYS: Final = 30
"""Entries that were not used for this many days are removed."""
CHECKSUM: Final = 32
"""Bytes of the checksum at the head of a file."""
PROBE: Final = bytes(1 << 16)
"""As much as a small kernel takes: what a folder has to hold to be of use."""
TOLD: Final = "UNO_POMDP_CACHE_TOLD"
"""Set in the environment once a warning was given, so that the processes of a match do not repeat it."""
VERSIONS: Final = (sys.version_info[:2], sys.implementation.cache_tag, numba.__version__, np.__version__)


def read(name: str, key: object) -> bytes | None:
    """Return what was kept of a kernel under this key; None if it has to be compiled."""
    path = _file(name, key)
    return None if path is None else _checked(path)


def write(name: str, key: object, payload: bytes) -> None:
    """Keep a kernel that was just compiled."""
    path = _file(name, key)
    if path is None:
        return
    try:
        with written_whole(path, durable=False) as file:
            file.write(hashlib.sha256(payload).digest() + payload)
    except OSError as error:
        complain(f"compiled kernels can't be kept in {path.parent} ({error.strerror}): later runs compile again")


@contextmanager
def alone(name: str, key: object) -> Iterator[None]:
    """Hold a lock: other processes that want to compile the same kernel wait, and then find it in the cache.

    There is no deadlock: the holder of a kernel's lock waits only for kernels that this one calls. Where the file
    system has no locks nobody waits.
    """
    path = _file(name, key)
    if path is None or fcntl is None:
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):
            lock = path.with_suffix(".lock")
            file = stack.enter_context(lock.open("wb"))
            fcntl.flock(file, fcntl.LOCK_EX)
            stack.callback(lock.unlink, missing_ok=True)
        yield


def _file(name: str, key: object) -> Path | None:
    folder = kernel_folder()
    hashed = hashlib.sha256(repr((key, VERSIONS)).encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{name}-{hashed}.nbc"


def _checked(path: Path) -> bytes | None:
    """Return what a file holds behind its checksum; None if there is no such file or it is damaged."""
    try:
        with path.open("rb") as file:
            content = file.read()
            if os.fstat(file.fileno()).st_mtime < time.time() - 86_400:
                with suppress(OSError):  # of another user: then it is removed a little early
                    os.utime(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        complain(f"the compiled kernel {path} can't be read ({error.strerror}): it is compiled again")
        return None
    if hashlib.sha256(content[CHECKSUM:]).digest() == content[:CHECKSUM]:
        return content[CHECKSUM:]
    complain(f"the compiled kernel {path} is damaged: it is compiled again")
    return None


@cache
def kernel_folder() -> Path | None:
    """Return the folder of compiled kernels, with room for one more; None, with a warning, if nothing can be kept."""
    root = _root()
    folder = root / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        complain(f"compiled kernels can't be kept in {folder} ({error.strerror}): every run compiles them again")
        return None
    _sweep(root)
    return folder


@cache
def kernels_are_kept() -> bool:
    """Return whether what is compiled now will be there in the next run."""
    folder = kernel_folder()
    if folder is None:
        return False
    probe = folder / f"probe-{os.getpid()}"
    try:
        with written_whole(probe, durable=False) as file:
            file.write(PROBE)
        probe.unlink()
    except OSError as error:
        complain(f"compiled kernels can't be kept in {folder} ({error.strerror}): every run compiles them again")
        return False
    return True


def complain(sentence: str) -> None:
    """Warn once, in this process and those it starts, of what is wrong with the cache."""
    pass_on(f"{sentence}; UNO_POMDP_CACHE can name another folder, and deleting it is safe")


def pass_on(complaint: str) -> None:
    """Repeat the warning of another process, unless one was given already."""
    if TOLD not in os.environ:
        os.environ[TOLD] = "yes"
        log.warning("%s", complaint)


def note(what: str) -> Path | None:
    """Return the file that says that something was done once with exactly these sources; None if nothing is kept."""
    folder = kernel_folder()
    key = hashlib.sha256(f"{source_hash()} {what}".encode()).hexdigest()[:16]
    return None if folder is None else folder / f"done-{key}"


@cache
def source_hash() -> str:
    """Return a hash over every source file of the package, names and contents."""
    package = Path(__file__).parent
    hashed = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        hashed.update(path.relative_to(package).as_posix().encode() + b"\0")
        hashed.update(path.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def _root() -> Path:
    chosen = os.environ.get("UNO_POMDP_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "uno-pomdp"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uno-pomdp"


def _sweep(root: Path) -> None:
    """Remove, once a day, what was not used for long: files, and folders as older versions made them."""
    swept, now = root / "swept", time.time()
    with suppress(OSError):  # another process may be at it too
        if swept.exists() and swept.stat().st_mtime > now - 86_400:
            return
        swept.touch()
    for path in (*root.glob("kernels-*"), *root.glob("kernels/*")):
        with suppress(OSError):
            if path.stat().st_mtime < now - UNUSED_DAYS * 86_400:
                rmtree(path) if path.is_dir() else path.unlink()
