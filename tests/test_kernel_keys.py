"""The keys of kernels: by edits of copies of the tree, and by every kind of value that a kernel can take."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest

import uno_pomdp
from tests.helpers import run_python
from uno_pomdp import kernel_keys
from uno_pomdp.kernel_keys import digest

PACKAGE = Path(uno_pomdp.__file__).parent
KEYS = """
import importlib, json, pkgutil, sys, uno_pomdp
from numba.core.dispatcher import Dispatcher
from uno_pomdp.kernel_keys import digest
keys = {}
for found in pkgutil.walk_packages(uno_pomdp.__path__, "uno_pomdp."):
    if found.name.split(".")[1] not in ("adapters", "learning", "cli", "__main__"):  # the first two need extras
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, Dispatcher) and value.__module__ == found.name:
                keys[f"{found.name.removeprefix('uno_pomdp.')}.{name}"] = digest(value.py_func)
print(json.dumps(keys))
"""


class Package:
    """A copy of the package that can be edited."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ignore = shutil.ignore_patterns("__pycache__", "*.npz")
        shutil.copytree(PACKAGE, folder / "uno_pomdp", ignore=ignore)
        self._sources: dict[Path, str] = {}

    def edit(self, name: str, before: str, after: str) -> None:
        """Replace a text that stands once in a source."""
        path = self._folder / "uno_pomdp" / name
        text = self._sources.setdefault(path, path.read_text("utf-8"))
        assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times in {name}"
        path.write_text(text.replace(before, after), "utf-8")

    def undo(self) -> None:
        """Take all edits back."""
        for path, text in self._sources.items():
            path.write_text(text, "utf-8")

    def keys(self) -> dict[str, str]:
        """Return the key of every kernel."""
        done = run_python(KEYS, PYTHONPATH=str(self._folder), PYTHONDONTWRITEBYTECODE="1")
        return cast(dict[str, str], json.loads(done.stdout))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def keys(package: Package) -> dict[str, str]:
    return package.keys()


@pytest.fixture
def edited(package: Package, keys: dict[str, str]) -> Iterator[Callable[..., set[str]]]:
    """Give what makes edits in the copy and returns the kernels that are to be compiled again."""

    def edit(*edits: tuple[str, str, str]) -> set[str]:
        for name, before, after in edits:
            package.edit(name, before, after)
        now = package.keys()
        assert now.keys() == keys.keys()
        return {kernel for kernel in keys if keys[kernel] != now[kernel]}

    yield edit
    package.undo()


def test_keys_are_the_same_wherever_the_sources_lie_and_in_every_process(keys: dict[str, str]) -> None:
    assert len(keys) > 250
    assert len(set(keys.values())) == len(keys)
    assert json.loads(run_python(KEYS, PYTHONHASHSEED="7").stdout) == keys


SAID_OR_MOVED = [
    ("cli/main.py", "import sys\n", "import sys\n\nEDITED = 1\n"),
    ("game/kernels.py", '"""', '"""Edited. '),
    ("game/rng.py", "import numpy as np\n", "import numpy as np\n\n\n# a line further down\n"),
    ("search/root.py", '"""', '"""Edited. '),
]
"""An edit of the command line, and others in which the first such text is only said otherwise or moved."""


def test_edits_of_the_command_line_and_what_is_only_said_or_moved_compile_nothing_again(
    package: Package, edited: Callable[..., set[str]]
) -> None:
    """All edits at once: a kernel that any of them touched would be among those to compile."""
    edits = []
    for name, before, after in SAID_OR_MOVED:
        source = (package._folder / "uno_pomdp" / name).read_text("utf-8")
        assert before in source
        edits.append((name, source, source.replace(before, after, 1)))
    assert edited(*edits) == set()


def test_an_edit_of_a_search_compiles_what_is_built_on_it_and_nothing_else(
    edited: Callable[..., set[str]],
) -> None:
    again = edited(("search/trials/tree_kernels.py", "    most = 1\n", "    most = 2\n"))
    assert {name.rpartition(".")[0] for name in again} <= {"search.trials.tree_kernels", "search.trials.tree"}
    assert "search.trials.tree_kernels.select" in again
    assert len(again) >= 2, "select is called by another kernel"


def test_an_edit_of_a_constant_compiles_the_kernels_that_it_is_in(edited: Callable[..., set[str]]) -> None:
    again = edited(("game/rng.py", "0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"))
    assert {"game.kernels.deal", "game.rng.seeds"} & again
    assert "game.bits.popcount" not in again
    assert "equilibrium.cfr" not in {name.rpartition(".")[0] for name in again}


class Red(IntEnum):
    """Colours of one kind."""

    ONE = 1


class Blue(IntEnum):
    """Colours of another."""

    ONE = 2


VALUES: list[Any] = [
    1, 1.0, True, -0.0, 0.0, "1", b"1", None, np.int64(1), np.uint8(1), (1, 2), (1, (2,)), [1, 2], {"a": 1}, {"a": 2},
    np.arange(3), np.arange(3) + 1, np.arange(3, dtype=np.int8), np.zeros((3, 1)), np.zeros((1, 3)),
    np.dtype([("a", np.int8), ("b", np.int64)]), np.dtype([("a", np.int8), ("b", np.int64)], align=True),
    np.uint64, int, len, np.sqrt, np.cos, np, os, Red.ONE, Blue.ONE, Red, Blue, kernel_keys,
]  # fmt: skip


def function_of(value: Any, **more: Any) -> FunctionType:
    """Return a function that takes a global value."""
    names: dict[str, Any] = {"VALUE": value, "__name__": "somewhere", **more}
    exec("def function(x):\n    return VALUE, x", names)
    return cast(FunctionType, names["function"])


def test_every_value_that_a_kernel_can_take_has_a_key_of_its_own() -> None:
    found = [digest(function_of(value)) for value in VALUES]
    assert len(set(found)) == len(VALUES)
    assert found == [digest(function_of(value)) for value in VALUES]


def test_a_value_that_a_kernel_does_not_name_has_no_part_in_its_key() -> None:
    assert digest(function_of(1, OTHER=1)) == digest(function_of(1, OTHER=2))


def made(source: str, name: str = "function") -> FunctionType:
    """Return a function from its source."""
    names: dict[str, Any] = {"__name__": "somewhere"}
    exec(source, names)
    return cast(FunctionType, names[name])


RETURNED = {
    "a text": "def function(): return {!r}",
    "a text below a docstring": "def function():\n    'said'\n    return {!r}",
    "a text in a lambda": "function = lambda: {!r}",
    "a text in a comprehension": "def function(x): return [{!r} for _ in x]",
    "a text in a generator": "def function(x): return list({!r} for _ in x)",
    "a text in a function inside": "def function():\n    def inner(): return {!r}\n    return inner",
}


@pytest.mark.parametrize("what", RETURNED)
def test_a_text_that_is_used_is_part_of_the_key_wherever_it_stands(what: str) -> None:
    one, same, other = (digest(made(RETURNED[what].format(text))) for text in ("one", "one", "other"))
    assert one == same
    assert one != other


def test_a_docstring_is_no_part_of_the_key_in_a_function_inside_either() -> None:
    said = "def function():\n    {!r}\n    def inner():\n        {!r}\n        return 1\n    return inner"
    assert digest(made(said.format("one", "one"))) == digest(made(said.format("other", "another")))


def closed_over(value: int) -> FunctionType:
    """Return a function that takes a number from the one that made it."""
    names: dict[str, Any] = {"__name__": "somewhere"}
    exec("def maker(value):\n    def function(x):\n        return value + x\n    return function", names)
    return cast(FunctionType, names["maker"](value))


@pytest.mark.parametrize(
    "function",
    [
        closed_over,
        lambda value: made(f"def function(x={value}): return x"),
        lambda value: made(f"def function(*, x={value}): return x"),
        lambda value: made(f"def function(x): return {value}"),
    ],
    ids=["closure", "default", "default by name", "constant"],
)
def test_a_value_that_a_function_was_made_with_is_part_of_its_key(function: Callable[[int], FunctionType]) -> None:
    assert digest(function(1)) == digest(function(1))
    assert digest(function(1)) != digest(function(2))


def test_a_callee_however_deep_is_part_of_the_key_and_cycles_end() -> None:
    def built(leaf: int) -> FunctionType:
        names: dict[str, Any] = {"__name__": "somewhere"}
        exec(
            f"def leaf(x): return x + {leaf}\n"
            "def even(x): return x == 0 or odd(x - 1)\n"
            "def odd(x): return x != 0 and even(leaf(x))",
            names,
        )
        return cast(FunctionType, names["even"])

    assert digest(built(1)) == digest(built(1))
    assert digest(built(1)) != digest(built(2))


def test_a_value_of_which_nobody_knows_when_it_changes_is_refused() -> None:
    with pytest.raises(TypeError, match="function uses <object"):
        digest(function_of(object()))
