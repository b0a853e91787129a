"""How kernels are compiled: each once, for one set of types, and optimised only where Python calls it.

Numba by default makes machine code of every function that another one calls, for every combination of types that it
is called with (a byte, a literal 1, a 64-bit integer), with wrappers for Python, and then optimises all of it again in
each caller. Of the kernels here one in ten is ever called from Python. So:

- A parameter annotated as `int`, `float`, `bool` or a NumPy number has that type, whatever number is given.
- A kernel is first compiled for *linking* (`Inner`): types, and code for LLVM that is not optimised as a whole.
- Where Python calls it, an *entry* is made: that code with the code of all kernels below it and the wrapper for Python,
  optimised once, together.

Both are kept on disk. A warm run reads entries alone; what lies below an edit is linked from what was kept.
"""

import importlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from llvmlite import binding
from numba.core import codegen, compiler, event, serialize, sigutils, typing
from numba.core import config as numba_config
from numba.core import types as numba_types
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.imputils import lower_cast
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.targetconfig import ConfigStack

from uno_pomdp.kernel_cache import alone, read, write
from uno_pomdp.kernel_keys import digest

types: Any = numba_types  # its attributes are made at run time
config: Any = numba_config  # likewise
Types = tuple[Any, ...]

COMPILE: Final = "numba:compile"
"""The event that a kernel is compiled for its types."""
LINK: Final = "uno_pomdp:link"
"""The event that a kernel and all below it are optimised and made ready for Python."""
SCALARS: Final[dict[Any, Any]] = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    np.uint64: types.uint64,
    np.float32: types.float32,
}
"""What a parameter with such an annotation is compiled for."""
ENVIRONMENT: Final = "_ZN08NumbaEnv"
"""How the names of variables begin that hold a function's constants for Python."""


@dataclass(frozen=True, slots=True)
class Inner:
    """A kernel compiled for one set of types, to be linked into others."""

    descriptor: Any
    """Its name, types and calling convention, as Numba has them."""
    environment: Any
    """Its constants for Python."""
    signature: Any
    """Its types."""
    library: "InnerLibrary"
    """Its code."""
    initialisers: tuple[Any, ...]
    """What has to run before its code may."""


class InnerLibrary(codegen.JITCodeLibrary):
    """The code of one kernel without that of the kernels it calls, which are linked when an entry is made."""

    kernel: tuple[str, str, Types]
    """Module, name and types of the kernel."""

    def add_linking_library(self, library: Any) -> None:
        """Note a library that is called; it need not be ready for that."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Take in what Numba itself brings, under names of this library's own; nothing is optimised yet."""
        own = {function.name for function in self._final_module.functions if not function.is_declaration}
        for library in dict.fromkeys(self._linking_libraries):
            if not isinstance(library, InnerLibrary) and library is not rtsys.library:
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        _hide(self._final_module, own)
        self._finalize_dynamic_globals()
        self._finalized = True

    def callees(self) -> "list[InnerLibrary]":
        """Return the kernels that are called."""
        return [library for library in dict.fromkeys(self._linking_libraries) if isinstance(library, InnerLibrary)]

    def closure(self) -> "Iterator[InnerLibrary]":
        """Yield this library and those of all kernels below it, each once."""
        found, waiting = {self}, [self]
        while waiting:
            library = waiting.pop()
            yield library
            new = [callee for callee in library.callees() if callee not in found]
            found.update(new)
            waiting += new


class EntryLibrary(codegen.JITCodeLibrary):
    """The code of a kernel that Python calls, with everything below it."""

    wrapper: str
    """The name of the function for Python, the only one that is seen from outside."""

    def _optimize_final_module(self) -> None:
        _hide(self._final_module, {self.wrapper})
        super()._optimize_final_module()


def _hide(module: Any, seen: set[str]) -> None:
    """Make all functions but some private to a module: another's of the same name can't take their place."""
    for function in module.functions:
        if not function.is_declaration and function.name not in seen:
            function.linkage = "internal"


class KernelCompiler(compiler.Compiler):
    """Numba's compiler; a kernel's name in the code is made from what it is made of, the same in every process."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        identity = FunctionIdentity.from_function(func)
        identity.unique_id = int(digest(func)[:15], 16)
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        self.state.func_id = identity
        compiler.ExtractByteCode().run_pass(self.state)
        self.state.lifted = ()
        self.state.lifted_from = None
        return self._compile_bytecode()


class KernelDispatcher(CPUDispatcher):
    """One kernel, with its compiled versions by types."""

    @cached_property
    def _inners(self) -> dict[Types, Inner]:
        return {}

    @cached_property
    def _scalars(self) -> list[Any]:
        """What each parameter is compiled for if it is a number."""
        annotations = self.py_func.__annotations__
        return [SCALARS.get(annotations.get(name)) for name in self.py_func.__code__.co_varnames[: self._argcount]]

    @cached_property
    def _flags(self) -> compiler.Flags:
        """How it is compiled: without wrappers and machine code, which entries add."""
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    @property
    def _argcount(self) -> int:
        count: int = self.py_func.__code__.co_argcount
        return count

    def canonical(self, given: Sequence[Any]) -> Types:
        """Return the types that a call with these is compiled for."""
        return tuple(map(_canonical, given, self._scalars))

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, Any, Any, Any]:
        """Return how another kernel calls this one."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        inner = self.inner(self.canonical(folded))
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=[inner.signature]), signature, folded, {}

    def get_overload(self, sig: Any) -> Any:
        """Return what stands for the code that another kernel calls."""
        return self._inners[tuple(sigutils.normalize_signature(sig)[0])].descriptor

    def compile(self, sig: Any) -> Any:
        """Return the kernel as Python calls it with these types."""
        with global_compiler_lock:
            given = tuple(sigutils.normalize_signature(sig)[0])
            wanted = self.canonical(given)
            if wanted not in self.overloads:
                self.add_overload(self._kept_entry(wanted) or self._entry_made_alone(wanted))
            entry = self.overloads[wanted].entry_point
            if given != wanted:
                self._insert([one._code for one in given], entry, False)
            return entry

    # ---- for other kernels

    def inner(self, wanted: Types) -> Inner:
        """Return the kernel compiled for linking."""
        with global_compiler_lock:
            if wanted not in self._inners:
                found = self._kept_inner(wanted) or self._inner_made_alone(wanted)
                found.library.kernel = (self.py_func.__module__, self.py_func.__qualname__, wanted)
                self.targetctx.insert_user_function(found.descriptor, found.descriptor, [found.library])
                self._inners[wanted] = found
            return self._inners[wanted]

    def _inner_made_alone(self, wanted: Types) -> Inner:
        """Compile it, or wait for the process that does."""
        with alone(f"{self._file_name}-inner", self._key(wanted)):
            return self._kept_inner(wanted) or self._new_inner(wanted)

    def _new_inner(self, wanted: Types) -> Inner:
        library = InnerLibrary(self.targetctx.codegen(), self.py_func.__qualname__)
        with event.trigger_event(COMPILE, data={"dispatcher": self, "args": wanted, "return_type": None}):
            compiled = compiler.compile_extra(
                self.typingctx, self.targetctx, self.py_func, wanted, None, self._flags, {}, library, KernelCompiler
            )
            library.finalize()
        descriptor = compiled.fndesc
        descriptor.typemap = descriptor.calltypes = None  # not needed any more, and not to be kept
        made = Inner(descriptor, compiled.environment, compiled.signature, library, tuple(compiled.reload_init))
        self._keep_inner(wanted, made)
        return made

    def _keep_inner(self, wanted: Types, made: Inner) -> None:
        callees = [callee.kernel for callee in made.library.callees()]
        if not made.library.has_dynamic_globals and all(_kernel(*callee[:2]) is not None for callee in callees):
            code = made.library._final_module.as_bitcode()
            parts = (made.descriptor, made.environment, made.signature, code, callees, made.initialisers)
            write(f"{self._file_name}-inner", self._key(wanted), serialize.dumps(parts))

    def _kept_inner(self, wanted: Types) -> Inner | None:
        def load(content: bytes) -> tuple[Inner, list[tuple[KernelDispatcher, Types]]]:
            self.targetctx.refresh()
            descriptor, environment, signature, code, named, initialisers = pickle.loads(content)
            library = InnerLibrary(self.targetctx.codegen(), self.py_func.__qualname__)
            library._final_module = binding.parse_bitcode(code)
            library._finalized = True
            callees = [(_called(module, name), called_with) for module, name, called_with in named]
            return Inner(descriptor, environment, signature, library, initialisers), callees

        loaded = read(f"{self._file_name}-inner", self._key(wanted), load)
        if loaded is None:
            return None
        inner, callees = loaded
        for callee, called_with in callees:
            inner.library.add_linking_library(callee.inner(called_with).library)
        return inner

    # ---- for Python

    def _entry_made_alone(self, wanted: Types) -> Any:
        """Link it, or wait for the process that does."""
        with alone(self._file_name, self._key(wanted)):
            return self._kept_entry(wanted) or self._new_entry(wanted)

    def _new_entry(self, wanted: Types) -> Any:
        inner = self.inner(wanted)
        context = compiler._make_subtarget(self.targetctx, self._flags)  # with memory that is counted
        library = EntryLibrary(context.codegen(), self.py_func.__qualname__)
        library.wrapper = inner.descriptor.llvm_cpython_wrapper_name
        library.enable_object_caching()
        with event.trigger_event(LINK, data={"dispatcher": self}):
            with ConfigStack().enter(self._flags), context.push_code_library(library):
                context.create_cpython_wrapper(library, inner.descriptor, inner.environment, None, release_gil=True)
            library.add_linking_library(rtsys.library)
            for linked in inner.library.closure():
                library.add_linking_library(linked)
            entry = context.get_executable(library, inner.descriptor, inner.environment)
        environments = _environments(library._final_module)
        for environment in environments:
            context.codegen().set_env(environment.env_name, environment)
        if not library.has_dynamic_globals:
            code = library._get_compiled_object()
            parts = (inner.descriptor, inner.environment, inner.signature, code, environments, inner.initialisers)
            write(self._file_name, self._key(wanted), serialize.dumps(parts))
        return self._result(library, inner.descriptor, inner.environment, inner.signature, entry)

    def _kept_entry(self, wanted: Types) -> Any:
        return read(self._file_name, self._key(wanted), self._loaded_entry)

    def _loaded_entry(self, content: bytes) -> Any:
        context = self.targetctx
        rtsys.initialize(context)  # memory that is counted; the compiler's own tables need not be loaded for this
        descriptor, environment, signature, code, environments, initialisers = pickle.loads(content)
        for initialise in initialisers:
            initialise()
        library = EntryLibrary(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        context.codegen()._engine._defined_symbols.add(descriptor.llvm_cpython_wrapper_name)
        entry = context.get_executable(library, descriptor, environment)
        for one in environments:
            context.codegen().set_env(one.env_name, one)
        return self._result(library, descriptor, environment, signature, entry)

    def _result(self, library: Any, descriptor: Any, environment: Any, signature: Any, entry: Any) -> Any:
        return compiler.compile_result(
            typing_context=self.typingctx,
            target_context=self.targetctx,
            library=library,
            environment=environment,
            entry_point=entry,
            fndesc=descriptor,
            signature=signature,
            objectmode=False,
            lifted=(),
        )

    # ---- on disk

    @property
    def _file_name(self) -> str:
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}"

    def _key(self, wanted: Types) -> tuple[object, ...]:
        options = sorted(self.targetoptions.items())
        machine = self.targetctx.codegen().magic_tuple(), str(config.OPT)
        return digest(self.py_func), options, tuple(map(_described, wanted)), machine


def _canonical(given: Any, scalar: Any) -> Any:
    """Return the type that a parameter is compiled for: its annotation's if it is a number, never a literal's."""
    plain = types.unliteral(given)
    if isinstance(plain, types.NestedArray):
        return types.Array(plain.dtype, plain.ndim, "C")
    is_number = isinstance(plain, types.Number | types.Boolean)
    return scalar if scalar is not None and is_number else plain


def _described(given: Any) -> str:
    """Return a text that differs for different types: of a named tuple also where its class is, and its fields."""
    if not isinstance(given, types.BaseTuple):
        return repr(given)
    named = getattr(given, "instance_class", tuple)
    fields = getattr(named, "_fields", ())
    return f"{named.__module__}.{named.__qualname__}{fields}({', '.join(map(_described, given.types))})"


@lower_cast(types.NestedArray, types.Array)
def _nested_as_array(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Take an array inside a record for an array: they look the same in the code, only the type has the shape."""
    del context, builder, given, wanted
    return value


def _kernel(module: str, name: str) -> KernelDispatcher | None:
    """Return the kernel of this name; None if it is not at the top level of its module."""
    found = getattr(importlib.import_module(module), name, None)
    return found if isinstance(found, KernelDispatcher) else None


def _called(module: str, name: str) -> KernelDispatcher:
    """Return a kernel that another one calls, which was at the top level of its module when that was kept."""
    found = _kernel(module, name)
    if found is None:
        raise LookupError(f"{module} has no kernel {name}")
    return found


def _environments(module: Any) -> list[Any]:
    """Return the constants for Python of all functions in a module."""
    names = (variable.name for variable in module.global_variables if variable.name.startswith(ENVIRONMENT))
    return [one for one in map(lookup_environment, names) if one is not None and one.can_cache()]
