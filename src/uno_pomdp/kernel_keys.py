"""The key of a kernel: a hash of all that it is made of, so that an edit elsewhere compiles nothing again.

Numba's own cache looks at the file of the function that it compiles, not at what that function calls. Here the key is a
hash of the function's bytecode, of the values of the constants that it reads, and of the same for every kernel that it
calls, directly or indirectly. A comment, a docstring or a command changes no key; a changed constant changes the keys
of the kernels it is in.
"""

import hashlib
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cache
from inspect import CO_NEWLOCALS
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher

CO_HAS_DOCSTRING: Final = 0x4000000
"""The flag of code whose first constant is a docstring, since Python 3.14; `inspect` has it under this name."""


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
    constants = code.co_consts[1:] if _has_docstring(code) else code.co_consts
    inner = [_code(one) if isinstance(one, CodeType) else repr(one) for one in constants]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return repr((code.co_code, inner, names, code.co_argcount, code.co_kwonlyargcount, code.co_flags))


def _has_docstring(code: CodeType) -> bool:
    """Return whether the first constant is a docstring, and not a text that the code uses."""
    if sys.version_info >= (3, 14):
        return bool(code.co_flags & CO_HAS_DOCSTRING)
    # before there was a flag, every function that has none began with None; comprehensions and classes did not
    is_function = bool(code.co_flags & CO_NEWLOCALS) and not code.co_name.startswith("<")
    return is_function and bool(code.co_consts) and isinstance(code.co_consts[0], str)


def _described(value: Any, function: FunctionType, callees: list[FunctionType]) -> str:
    """Return a text that differs where a kernel compiled with this value would; functions are added to `callees`."""
    match value:
        case Dispatcher():
            return _described(value.py_func, function, callees)
        case FunctionType():
            callees.append(value)
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
    raise TypeError(f"{function.__qualname__} uses {value!r}, whose changes can't be detected")
