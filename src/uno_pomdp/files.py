"""All writing of files: atomic (whole or not at all), locked while in use, with errors about the file asked for.

Every system call that changes something on a disk is made here, through `os`: a test that makes each of them fail in
turn covers every write of the package. A failure is a `CannotWrite` with the name of the file that was asked for, never
that of a temporary one.
"""

import errno
import io
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self
from zlib import crc32

from uno_pomdp.errors import CannotWrite, NoFolder, PlaceTaken

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FilePath = str | os.PathLike[str]
PROBE: Final = bytes(1 << 14)
"""What is written to try whether files can be written."""
LONGEST: Final = 200
"""The longest name in bytes, with room for a suffix: file systems allow 255."""
NO_LINKS: Final = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
"""The error numbers of file systems without hard links."""
NO_LOCKS: Final = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""The error numbers of file systems without locks."""
TEMPORARY: Final = ".uno-pomdp.tmp"
"""How the names of temporary files end, behind the number of the process."""
LOCK: Final = "uno-pomdp.lock"
"""How the names of locks end."""
OURS: Final = (TEMPORARY, f".{LOCK}")
YOUNG_SECONDS: Final = 60.0
"""What is younger may be in use, whatever its process is."""
BINARY: Final = getattr(os, "O_BINARY", 0)
NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


# --- whole files -----------------------------------------------------------------------------------------


@contextmanager
def written_whole(path: FilePath, durable: bool = True, over: bool = True, private: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to, which replaces `path` atomically at the end; after an error nothing has changed.

    With `durable` its content is on the disk (fsync) before that; without, a power failure may leave a damaged file.
    An existing file is replaced only with `over`. A `private` one can be read and written by its owner alone.
    """
    content = io.BytesIO()  # nothing is begun on the disk before all of it is there
    yield content
    write_bytes(path, content.getbuffer(), durable, over, private)


def write_text(path: FilePath, text: str, over: bool = True) -> None:
    """Write a text, whole or not at all."""
    write_bytes(path, text.encode("utf-8"), over=over)


def write_bytes(
    path: FilePath, content: bytes | memoryview, durable: bool = True, over: bool = True, private: bool = False
) -> None:
    """Write bytes, whole or not at all; a link is followed."""
    with _about(path):
        target = _plain(path)
        temporary = beside(target, f"{os.getpid()}{TEMPORARY}")
        try:
            _fill(temporary, content, durable, 0o600 if private else 0o666)
            if over:
                os.replace(temporary, target)
            else:
                _place_new(temporary, target)
        except BaseException:
            _remove(temporary)
            raise


def try_place(path: FilePath) -> None:
    """Try whether a file can be written, before long work begins; no trace of the trial is left."""
    with _about(path):
        target = _plain(path)
        if not target.parent.is_dir():
            raise CannotWrite(os.fspath(path), f"there is no folder {Path(path).parent}", errno.ENOENT)
        remove_left_over(target.parent)
        trial = beside(target, f"{os.getpid()}{TEMPORARY}")
        try:
            _fill(trial, PROBE, durable=True)
        finally:
            _remove(trial)


def claim(path: Path | None, force: bool, inputs: Iterable[FilePath] = (), instead: str = "name another file") -> None:
    """Refuse a file that a command must not write, or can't, before the work: never what it reads, even by force."""
    if path is None:
        return
    for read in inputs:
        if same_file(path, read):
            raise PlaceTaken(f"{path} is a file that this command reads: name another one to write")
    try_place(path)
    if path.exists() and not force:
        raise PlaceTaken(f"{path} is there already: {instead}, or write over it with --force")


def try_folder(folder: FilePath) -> None:
    """Make a folder with those above it, and try whether files can be written in it."""
    make_folder(folder)
    remove_left_over(Path(folder))
    with visible_trial(folder):
        pass


def make_folder(folder: FilePath) -> None:
    """Make a folder with those above it; one that is there is fine."""
    _check_name(folder)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise NoFolder(os.fspath(folder), reason, error.errno) from error


def make_private(path: FilePath) -> None:
    """Make an empty file that its owner alone can read, if there is none."""
    with _about(path):
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def visible_trial(folder: FilePath) -> Iterator[Path]:
    """Yield a temporary file in a folder, so that other machines can check whether they see it."""
    trial = Path(folder) / f".trial.{os.getpid()}{TEMPORARY}"
    try:
        with _about(folder):
            _fill(trial, PROBE, durable=True)
        yield trial
    finally:
        _remove(trial)


def remove(path: FilePath) -> None:
    """Remove a file, if there is one."""
    with _about(path), suppress(FileNotFoundError):
        os.unlink(path)


def remove_left_over(folder: Path) -> None:
    """Remove temporary files and locks in a folder that killed processes have left there; theirs alone, by the names.

    A process on another machine is not seen from here, and what was just made may be another's: both are young.
    """
    with suppress(OSError), os.scandir(folder) as found:  # whoever wants to write there hears of what is wrong
        names = [each.name for each in found if each.name.startswith(".") and each.name.endswith(OURS)]
        for path in (folder / name for name in names):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime < YOUNG_SECONDS:
                    continue
                if path.name.endswith(LOCK):
                    _remove_lock(path)
                elif not _is_running(path.name.removesuffix(TEMPORARY).rpartition(".")[2]):
                    _remove(path)


def _remove_lock(path: Path) -> None:
    """Remove a lock that nobody holds."""
    descriptor = os.open(path, os.O_RDWR | BINARY | NO_LINK)
    try:
        if _locked(descriptor) and _is_at(descriptor, path):
            _remove(path)
    finally:
        os.close(descriptor)


def _is_running(process: str) -> bool:
    """Return whether a process runs, by its number; where that can't be asked, an open file can't be removed either."""
    if not process.isdecimal():
        return True
    if sys.platform == "win32":  # there `os.kill` is no question
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or no number of a process
        return True
    return True


def same_file(one: FilePath, other: FilePath) -> bool:
    """Return whether two names are of one file, there or yet to be written."""
    with suppress(OSError):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def beside(target: Path, ending: str) -> Path:
    """Return the name of a hidden file in the folder of another."""
    name = target.name
    if len(os.fsencode(name)) > LONGEST:
        name = f"{name[:40]}-{crc32(os.fsencode(name)):08x}"
    return target.with_name(f".{name}.{ending}")


# --- files that are appended to --------------------------------------------------------------------------


class Appended:
    """An append-only file, locked by one process at a time: each addition is written whole or not at all."""

    def __init__(self, path: FilePath) -> None:
        self.name = os.fspath(path)
        """The file, as it was asked for."""
        with _about(path):
            self._is_new = not os.path.exists(path)
            self._descriptor = os.open(_plain(path), os.O_RDWR | os.O_CREAT | BINARY, 0o666)
            self._size = 0
            try:
                if not _locked(self._descriptor) or not _is_at(self._descriptor, path):
                    raise PlaceTaken(f"{self.name} is being written by another run: wait for its end")
            except BaseException:
                os.close(self._descriptor)
                raise

    def read(self) -> bytes:
        """Return all that the file holds."""
        with _about(self.name):
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            with io.FileIO(self._descriptor, closefd=False) as file:
                content = file.readall()
        self._size = len(content)
        return content

    def cut(self, size: int) -> None:
        """Drop what follows the first bytes."""
        if size < self._size:
            with _about(self.name):
                os.ftruncate(self._descriptor, size)
            self._size = size

    def append(self, content: bytes) -> None:
        """Add bytes; once this returns they are on the disk, and after an error none of them is."""
        with _about(self.name):
            try:
                os.lseek(self._descriptor, self._size, os.SEEK_SET)
                _write_all(self._descriptor, content)
                os.fsync(self._descriptor)
            except BaseException:
                with suppress(OSError):  # else whoever reads it next drops what is half-written
                    os.ftruncate(self._descriptor, self._size)
                raise
        self._size += len(content)

    def close(self) -> None:
        """Close the file; a new one that is still empty is removed."""
        if self._is_new and not self._size:
            _remove(Path(self.name))
        os.close(self._descriptor)


# --- files that are written again and again --------------------------------------------------------------


class Held:
    """A lock on a file in use. The system releases it when the process ends, however it ends: no lock is ever stale.

    The file itself is replaced whenever it is written, so the lock is on a hidden one beside it.
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        """The file, as it was asked for."""
        with _about(path):
            target = _plain(path)
            if not target.parent.is_dir():
                raise CannotWrite(os.fspath(path), f"there is no folder {self.path.parent}", errno.ENOENT)
            remove_left_over(target.parent)
            self._lock = beside(target, LOCK)
            self._descriptor: int | None = None
            while self._descriptor is None:  # who held it before may have removed the file that was just opened
                self._descriptor = self._open()

    def _open(self) -> int | None:
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
        try:
            if not _locked(descriptor):
                raise PlaceTaken(
                    f"{self.path} is in use by another uno-pomdp: end that one first, or go on with a copy of the file"
                )
            if _is_at(descriptor, self._lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            if sys.platform != "win32":  # there nobody can remove what is open
                _remove(self._lock)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class SavedFile(Held):
    """A file that one process rewrites repeatedly, but never over changes that another program made meanwhile."""

    def __init__(self, path: FilePath) -> None:
        super().__init__(path)
        self._mine: tuple[bytes, ...] = ()

    def accept(self) -> None:
        """Accept what is there now as the last version: it will be read and continued, or overwritten."""
        found = self._found()
        self._mine = () if found is None else (found,)

    def write(self, content: bytes) -> None:
        """Write it whole or not at all; refuse if what is there is not what was written or accepted last."""
        with _about(self.path):
            found = self._found()
        if found is not None and found not in self._mine:  # one that was removed is written again
            raise PlaceTaken(f"{self.path} was changed by another program, and is not written over")
        wanted = sha256(content).digest()
        self._mine = (wanted,) if found is None else (found, wanted)  # a failure leaves the one, perhaps the other
        write_bytes(self.path, content, over=found is not None)
        self._mine = (wanted,)

    def _found(self) -> bytes | None:
        """Return a checksum of what is there; None if there is nothing."""
        with suppress(FileNotFoundError), open(self.path, "rb") as file:
            return file_digest(file, "sha256").digest()
        return None


# --- the system ------------------------------------------------------------------------------------------


@contextmanager
def _about(path: FilePath) -> Iterator[None]:
    """Turn system errors into `CannotWrite` errors about the file that was asked for."""
    _check_name(path)
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        reason = "it is there already" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise CannotWrite(os.fspath(path), reason, error.errno) from error


def _check_name(path: FilePath) -> None:
    if "\0" in os.fspath(path):
        raise CannotWrite(os.fspath(path), "no file's name has a NUL character", errno.EINVAL)


def _plain(path: FilePath) -> Path:
    """Return the file that a name leads to; refuse what is no plain file, such as a folder or a device."""
    target = Path(os.path.realpath(path))
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode
        if stat.S_ISDIR(mode):
            raise CannotWrite(os.fspath(path), "it is a folder", errno.EISDIR)
        if not stat.S_ISREG(mode):
            raise CannotWrite(os.fspath(path), "it is no plain file", errno.EINVAL)
    return target


def _is_at(descriptor: int, path: FilePath) -> bool:
    """Return whether an open file still has its name: it may have been removed before it was locked."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def _fill(path: Path, content: bytes | memoryview, durable: bool, mode: int = 0o666) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY | NO_LINK, mode)
    try:
        _write_all(descriptor, content)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes | memoryview) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _place_new(temporary: Path, target: Path) -> None:
    """Give a file its name, if that is free."""
    try:
        os.link(temporary, target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.replace(temporary, target)
    else:
        _remove(temporary)


def _remove(path: Path) -> None:
    """Remove a temporary file; a failure to do so is harmless and ignored."""
    with suppress(OSError):
        os.unlink(path)


if sys.platform == "win32":

    def _locked(descriptor: int) -> bool:
        """Lock an open file, for as long as it is open; False if another process has it."""
        os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # a byte that nobody reads: there a lock keeps readers away
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _locked(descriptor: int) -> bool:
        """Lock an open file, for as long as it is open; False if another process has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in NO_LOCKS:  # where there are none, `SavedFile` still notices what others write
                raise
        return True
