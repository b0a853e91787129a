"""Kernels are compiled once, for the types of their annotations, and made ready for Python only where it calls them."""

import os
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from numba.core.types import Boolean, Number

from tests.helpers import run_python
from uno_pomdp.game.game import Game
from uno_pomdp.jit import kernel
from uno_pomdp.kernel_dispatcher import KernelDispatcher
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

ROOT = Path(__file__).parent.parent
PAIR = np.dtype([("small", np.uint8), ("row", np.uint8, (3,))])


@kernel
def scaled(count: int, mask: np.uint64, share: float, wanted: bool) -> float:
    """Take a number of each kind."""
    if count > 100:
        raise ValueError("more than a hundred")
    return count * share if wanted and mask else 0.0


@kernel
def total(row: npt.NDArray[np.uint8], start: int) -> int:
    """Take an array."""
    found = start
    for each in row:
        found += each
    return found


@kernel
def by_every_kind(pairs: Any, loose: npt.NDArray[np.uint8]) -> float:
    """Call others with a byte, a literal and an integer, with an array inside a record and one outside."""
    pair = pairs[0]
    found = scaled(pair["small"], np.uint64(1), 0.5, True) + scaled(2, pair["small"], 1, pair["small"] > 0)
    return found + total(pair["row"], 1) + total(loose, pair["small"]) + scaled(len(loose), np.uint64(1), 2.0, True)


@kernel
def ranges(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return arrays."""
    return np.arange(count), np.full(count, 0.5)


def as_dispatcher(function: object) -> Any:
    """Return a kernel with all that it has; a plain function has nothing."""
    if not isinstance(function, KernelDispatcher):
        pytest.skip("kernels are plain functions here")
    return function


def test_a_number_of_any_width_is_the_number_of_the_annotation() -> None:
    dispatcher = as_dispatcher(scaled)
    for count in (3, np.uint8(3), np.int32(3), np.int64(3), np.uint64(3)):
        for mask in (1, np.uint64(1)):
            for share in (2, 2.0, np.float32(2.0)):
                assert scaled(cast(int, count), cast(np.uint64, mask), cast(float, share), True) == 6.0
    assert [list(map(str, types)) for types in dispatcher.overloads] == [["int64", "uint64", "float64", "bool"]]


def test_callers_with_bytes_literals_and_arrays_in_records_share_one_compilation() -> None:
    dispatcher = as_dispatcher(by_every_kind)
    pairs = np.zeros(1, PAIR)
    pairs["small"], pairs["row"] = 4, (1, 2, 3)
    assert by_every_kind(pairs, np.array([5, 6], np.uint8)) == 2.0 + 2.0 + 7 + 15 + 4.0
    (types,) = dispatcher.overloads
    dispatcher.inner(types)  # from the disk, if it was compiled before
    for inner in (scaled, total):
        assert len(as_dispatcher(inner)._inners) == 1
    assert not as_dispatcher(total).overloads, "nothing but kernels calls it, so Python needs no way to it"


def test_arrays_come_back_and_hold_their_memory() -> None:
    first, second = ranges(5)
    again, _ = ranges(5)
    assert first.tolist() == again.tolist() == [0, 1, 2, 3, 4]
    assert second.tolist() == [0.5] * 5
    assert not np.shares_memory(first, again)


def test_what_a_kernel_raises_deep_down_is_raised() -> None:
    pairs = np.zeros(1, PAIR)
    pairs["small"] = 101
    with pytest.raises(ValueError, match="more than a hundred"):
        by_every_kind(pairs, np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="more than a hundred"):
        scaled(101, np.uint64(1), 1.0, True)


def test_a_wrong_number_of_arguments_is_refused() -> None:
    with pytest.raises(TypeError):
        total(np.zeros(1, np.uint8))  # type: ignore[call-arg]


def test_a_kernel_from_the_disk_does_the_same(tmp_path: Any) -> None:
    code = (
        "import numpy as np\nfrom tests.test_kernel_dispatcher import PAIR, by_every_kind, ranges, scaled\n"
        "pairs = np.zeros(1, PAIR); pairs['small'] = 4; pairs['row'] = 1\n"
        "print(by_every_kind(pairs, np.ones(2, np.uint8)), [one.tolist() for one in ranges(2)])\n"
        "try:\n    scaled(101, np.uint64(1), 1.0, True)\nexcept ValueError as error:\n    print(error)"
    )
    cold, warm = (run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.splitlines() for _ in range(2))
    assert cold == warm == ["18.0 [[0, 1], [0.5, 0.5]]", "more than a hundred"]


def test_every_kernel_of_a_search_is_compiled_for_one_set_of_numbers() -> None:
    rules = preset("house")
    for name in ("flat:sims=20", "ismcts:sims=20", "champion:sims=20"):
        agent = make_agent(name)
        agent.start(rules, Game.new(rules, 5).observation(0), 1)
        agent.decide()
    kernels = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("uno_pomdp.")
        for value in vars(module).values()
        if isinstance(value, KernelDispatcher) and value.__module__ == name
    ]
    for dispatcher in kernels:
        for types in dispatcher.overloads:
            dispatcher.inner(types)  # from the disk, with all below it
    compiled = [dispatcher for dispatcher in kernels if dispatcher._inners]
    assert len(compiled) > 80
    for dispatcher in compiled:
        numbers = {
            tuple(str(one) for one in types if isinstance(one, Number | Boolean)) for types in dispatcher._inners
        }
        assert len(numbers) == 1, f"{dispatcher.py_func.__qualname__}: {numbers}"


TUPLES = """
from typing import NamedTuple
from uno_pomdp.jit import kernel

class Two(NamedTuple):
    {fields}

@kernel
def first_of(two: Two) -> float:
    return two.first

def found() -> float:
    return first_of(Two(first=1.0, second=2.0))
"""


def test_a_named_tuple_with_other_fields_or_in_another_module_is_another_type(tmp_path: Path) -> None:
    in_order, exchanged = "first: float\n    second: float", "second: float\n    first: float"
    here = TUPLES.format(fields=in_order)
    moved = here.replace("class Two(", "class Other(") + "\nfrom elsewhere import Two\n"
    (tmp_path / "elsewhere.py").write_text(here)
    for source in (here, TUPLES.format(fields=exchanged), moved):
        (tmp_path / "tuples.py").write_text(source.replace("two: Two", "two"))
        path = os.pathsep.join((str(tmp_path), str(ROOT / "src")))
        environment = {"PYTHONPATH": path, "UNO_POMDP_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        run_python("import tuples; assert tuples.found() == 1.0", **environment)
