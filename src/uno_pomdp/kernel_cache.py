"""Compiled kernels on disk, each keyed by what it is made of: an edit elsewhere compiles nothing again.

Numba's own cache looks at the file of the function that it compiles, not at what that function calls. Here the key of
a kernel is a hash of its bytecode, of the values of the constants that it takes, and of the same of every kernel that
it calls, however deep; with the types it is compiled for, the processor, and the versions of Python, Numba and NumPy.
So a comment, a docstring or a command changes no key, and a changed constant changes those of the kernels it is in.

Each file is one kernel for one set of types, with a checksum. What is damaged, can't be read or can't be written is
said once and compiled as if it were not there: a cache is never a reason to fail.
"""

import contextlib
import hashlib
import logging
import os
import pickle
import sys
import time
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from shutil import rmtree
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numba
import numpy as np
from numba.core import serialize, sigutils
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher

from uno_pomdp.files import written_whole

log = logging.getLogger(__name__)

UNUSED_DAYS: Final = 30
"""What was not used for this long is removed."""
CHECKSUM: Final = 32
"""Bytes of the checksum at the head of a file."""
PROBE: Final = bytes(1 << 16)
"""As much as a small kernel takes: what a folder has to hold to be of use."""
TOLD: Final = "UNO_POMDP_CACHE_TOLD"
"""In the environment once a complaint was made, so that the processes of a match do not repeat it."""
VERSIONS: Final = (sys.version_info[:2], sys.implementation.cache_tag, numba.__version__, np.__version__)


class KernelCache(_Cache):  # type: ignore[misc]  # Numba has no types
    """The compiled forms of one kernel, as Numba's dispatcher asks for them."""

    def __init__(self, function: FunctionType, options: tuple[Any, ...]) -> None:
        self._function = function
        self._options = options
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """Where the files lie."""
        folder = kernel_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Use the files."""
        self._enabled = True

    def disable(self) -> None:
        """Do not use them."""
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: a file of another key is never read."""

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        """Return the kernel compiled for these types; None if it has to be compiled."""
        target.refresh()
        path = self._file(signature, target.codegen())
        content = None if path is None else _checked(path)
        return None if content is None else CompileResult._rebuild(target, *pickle.loads(content))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a kernel that was just compiled."""
        path = self._file(signature, compiled.codegen)
        if path is None or compiled.library.has_dynamic_globals:
            return
        payload = serialize.dumps(compiled._reduce())
        try:
            with written_whole(path, durable=False) as file:
                file.write(hashlib.sha256(payload).digest() + payload)
        except OSError as error:
            complain(f"compiled kernels can't be kept in {path.parent} ({error.strerror}): later runs compile again")

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        folder = kernel_folder() if self._enabled else None
        if folder is None:
            return None
        types = sigutils.normalize_signature(signature)
        made_of = (digest(self._function), self._options, repr(types), codegen.magic_tuple(), VERSIONS)
        key = hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]
        return folder / f"{self._function.__module__}.{self._function.__qualname__}-{key}.nbc"


def _checked(path: Path) -> bytes | None:
    """Return what a file holds behind its checksum; None if there is no such file or nothing to be trusted in it."""
    try:
        with path.open("rb") as file:
            content = file.read()
            if os.fstat(file.fileno()).st_mtime < time.time() - 86_400:
                with contextlib.suppress(OSError):  # of another user: then it is removed a little early
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


# ---- the key


@cache
def digest(function: FunctionType) -> str:
    """Return a hash of all that a kernel is made of: itself, its constants, and every kernel below it."""
    found, waiting = {function}, [function]
    while waiting:
        for callee in _parts(waiting.pop())[1]:
            if callee not in found:
                found.add(callee)
                waiting.append(callee)
    return hashlib.sha256("\n".join(sorted(_parts(part)[0] for part in found)).encode()).hexdigest()


@cache
def _parts(function: FunctionType) -> tuple[str, tuple[FunctionType, ...]]:
    """Return a hash of a function and its constants, and the functions that it names."""
    callees: list[FunctionType] = []
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    names = sorted(set(_names(function.__code__)) & function.__globals__.keys())
    described = [
        f"{function.__module__}.{function.__qualname__}",
        _code(function.__code__),
        *(_described(value, function, callees) for value in (function.__defaults__, function.__kwdefaults__, *cells)),
        *(f"{name}={_described(function.__globals__[name], function, callees)}" for name in names),
    ]
    return hashlib.sha256(repr(described).encode()).hexdigest(), tuple(callees)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code(code: CodeType) -> str:
    """Return what a function does, without where it stands and what its docstring says."""
    constants = code.co_consts[1:] if code.co_consts and isinstance(code.co_consts[0], str) else code.co_consts
    inner = [_code(one) if isinstance(one, CodeType) else repr(one) for one in constants]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return repr((code.co_code, inner, names, code.co_argcount, code.co_kwonlyargcount, code.co_flags))


def _described(value: Any, function: FunctionType, callees: list[FunctionType]) -> str:
    """Return a text that differs where a kernel compiled with this value would; functions are added to `callees`."""
    match value:
        case Dispatcher() | FunctionType():
            callees.append(getattr(value, "py_func", value))
            return f"{value.__module__}.{value.__qualname__}"
        case np.ndarray():
            return f"array {value.dtype!r} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        case np.dtype():
            return f"{value!r} {value.itemsize}"
        case tuple() | list():
            return f"{type(value).__qualname__}({', '.join(_described(one, function, callees) for one in value)})"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_described(one, function, callees)}' for key, one in value.items())}}}"
        case Enum():
            return f"{value!r} {_described(value.value, function, callees)}"
        case ModuleType() if value.__name__.partition(".")[0] == __package__:
            taken = sorted(set(_names(function.__code__)) & vars(value).keys())
            return f"{value.__name__}: {[_described(getattr(value, name), function, callees) for name in taken]}"
        case ModuleType():
            return value.__name__
        case type() if issubclass(value, Enum):
            return f"{value.__qualname__}{[_described(one, function, callees) for one in value]}"
        case type():
            return f"{value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}"
        case None | bool() | int() | float() | str() | bytes() | np.generic() | BuiltinFunctionType() | np.ufunc():
            return repr(value)
    raise TypeError(f"{function.__qualname__} uses {value!r}, of which it is not known when it changes")


# ---- the folder


@cache
def kernel_folder() -> Path | None:
    """Return where compiled kernels lie, with room for one more; None, and a word about it, if nothing can be kept."""
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
    """Say once, in this process and those it starts, what is wrong with the cache."""
    pass_on(f"{sentence}; UNO_POMDP_CACHE can name another folder, and deleting it is safe")


def pass_on(complaint: str) -> None:
    """Say what a process complained of, if nothing was said yet."""
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
    with contextlib.suppress(OSError):  # another process may be at it too
        if swept.exists() and swept.stat().st_mtime > now - 86_400:
            return
        swept.touch()
    for path in (*root.glob("kernels-*"), *root.glob("kernels/*")):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < now - UNUSED_DAYS * 86_400:
                rmtree(path) if path.is_dir() else path.unlink()
