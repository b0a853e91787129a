"""Compiled kernels on disk: one file for each kernel and set of types, with a checksum.

A damaged or inaccessible entry is reported once and compiled as if it were not there: the cache is never a reason to
fail. What is read here is run, so nothing is taken from a folder or a file that others can write to.
"""

import errno
import hashlib
import logging
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Final, TypeVar

import llvmlite
import numba
import numpy as np

from uno_pomdp.extras import require_numba
from uno_pomdp.files import written_whole

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

require_numba(numba.__version__)  # here, for `jit` imports this before what reaches into Numba

log = logging.getLogger(__name__)

UNUSED_DAYS: Final = 30
"""Entries that were not used for this many days are removed."""
CHECKSUM: Final = 32
"""Bytes of the checksum at the head of a file."""
PROBE: Final = bytes(1 << 16)
"""As much as a small kernel takes: what a folder has to hold to be of use."""
TOLD: Final = "UNO_POMDP_CACHE_TOLD"
"""Set in the environment once a warning was given, so that the processes of a match do not repeat it."""
VERSIONS: Final = (
    sys.version_info[:2],
    sys.implementation.cache_tag,
    numba.__version__,
    llvmlite.__version__,
    np.__version__,
)
"""What else compiled code depends on."""
NO_WAITING: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe in the place of a file is opened without waiting for its other end."""
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
"""The modes of a file or folder that others can write to."""
T = TypeVar("T")


def read(name: str, key: object, load: Callable[[bytes], T]) -> T | None:
    """Return what `load` makes of what was kept of a kernel under this key; None if it has to be compiled.

    What does not load, whatever `load` raises, is removed.
    """
    path = _file(name, key)
    if path is None:
        return None
    try:
        content = _content(path)
        why = "" if _checksum(name, key, content[CHECKSUM:]) == content[:CHECKSUM] else "is damaged"
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"can't be read ({error.strerror})"
    if not why:
        try:
            return load(content[CHECKSUM:])
        except Exception as error:  # it was packed by another program or for another machine: anything may come of it
            why = f"can't be loaded ({type(error).__name__})"
    with suppress(OSError):  # then it is replaced, or stays and is of no use next time either
        _remove(path)
    complain(f"the compiled kernel {path} {why}: it is compiled again")
    return None


def write(name: str, key: object, payload: bytes) -> None:
    """Keep a kernel that was just compiled."""
    path = _file(name, key)
    if path is None:
        return
    try:
        with written_whole(path, durable=False, private=True) as file:
            file.write(_checksum(name, key, payload) + payload)
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
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | NO_WAITING, 0o600)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            stack.callback(lock.unlink, missing_ok=True)
        yield


def _file(name: str, key: object) -> Path | None:
    folder = kernel_folder()
    hashed = hashlib.sha256(repr((key, VERSIONS)).encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{name}-{hashed}.nbc"


def _checksum(name: str, key: object, payload: bytes) -> bytes:
    """Return a hash of a kernel's code and of what it is the code of: a file under another's name is no good."""
    head = repr((name, key, VERSIONS)).encode()
    return hashlib.sha256(len(head).to_bytes(8, "little") + head + payload).digest()


def _content(path: Path) -> bytes:
    """Return what a file holds, and note that it was used; refuse what is no plain file, or not ours alone."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | NO_WAITING)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        if _others_can_write(found):
            raise OSError(errno.EPERM, "others can write to it", str(path))
        if found.st_mtime < time.time() - 86_400:
            with suppress(OSError):  # then it is removed a little early
                os.utime(path)
        return file.read()


def _remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _others_can_write(found: os.stat_result) -> bool:
    """Return whether anybody but this user and root can write to a file or folder."""
    if sys.platform == "win32":  # whose folders of applications are each user's own
        return False
    return found.st_uid not in (os.geteuid(), 0) or bool(found.st_mode & OTHERS_WRITE)


@cache
def kernel_folder() -> Path | None:
    """Return the folder of compiled kernels, with room for one more; None, with a warning, if nothing can be kept."""
    root = _root()
    folder = root / "kernels"
    try:
        with suppress(FileExistsError):
            root.mkdir(mode=0o700, parents=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        unsafe = _open_to_others(root, folder)
    except OSError as error:
        complain(f"compiled kernels can't be kept in {folder} ({error.strerror}): every run compiles them again")
        return None
    if unsafe is not None:
        remedy = f"; `chmod go-w {unsafe}` changes that" if unsafe.stat().st_mode & OTHERS_WRITE else ""
        complain(
            f"compiled kernels are not kept in {folder}, because others can write to {unsafe}: every run compiles "
            f"them again{remedy}"
        )
        return None
    _sweep(root)
    return folder


def _open_to_others(root: Path, folder: Path) -> Path | None:
    """Return which of both folders others can write to; in one like /tmp they can't replace what is not theirs."""
    above = root.stat()
    if _others_can_write(folder.stat()):
        return folder
    return root if _others_can_write(above) and not above.st_mode & stat.S_ISVTX else None


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
    """Remove, once a day, what was not used for long."""
    swept, now = root / "swept", time.time()
    with suppress(OSError):  # another process may be at it too
        if swept.exists() and swept.stat().st_mtime > now - 86_400:
            return
        swept.touch()
    for path in root.glob("kernels/*"):
        with suppress(OSError):
            if path.stat().st_mtime < now - UNUSED_DAYS * 86_400:
                _remove(path)
