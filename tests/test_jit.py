"""The door to Numba: how kernels are compiled, and a clock that does not count it."""

from pathlib import Path

import numba

from tests.helpers import run_python
from uno_pomdp import jit
from uno_pomdp.game.rng import mix

MIX = """
import numpy as np
from uno_pomdp.jit import compiling
from uno_pomdp.game.rng import mix
with compiling(print):
    mix(np.uint64(1))
    mix(np.uint64(2))
print('done', mix(np.uint64(1234567 + 0x9E3779B97F4A7C15)))
"""
MIXED = "done 6457827717110365317"


def test_a_kernel_is_reported_when_it_is_compiled_and_not_when_it_comes_from_the_cache(tmp_path: Path) -> None:
    cold, warm = (run_python(MIX, UNO_POMDP_CACHE=str(tmp_path)).stdout.splitlines() for _ in range(2))
    assert cold == ["game.rng.mix", "game.rng.mix", MIXED]
    assert warm == [MIXED]


def test_the_end_is_told_when_the_outermost_of_nested_kernels_is_compiled(tmp_path: Path) -> None:
    code = """
from uno_pomdp.jit import compiling
from uno_pomdp.game.rng import below, streams
told = []
with compiling(told.append, lambda: told.append('done')):
    below(streams(1)[0], 5)
    after = list(told)
print(*after)
"""
    cold, warm = (run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.split() for _ in range(2))
    first = cold.index("done")
    assert cold[0] == "game.rng.below"
    assert {"game.rng.below_from", "game.rng.mix"} < set(cold[:first])
    assert set(cold[first:]) == {"done", "game.rng.below"}, "made ready for Python"
    assert warm == []


def test_without_compilation_a_kernel_is_a_plain_function() -> None:
    code = """
import types, numpy as np
from uno_pomdp.game import bits, kernels, rng
for function in (bits.popcount, bits.random_bit, kernels.apply, kernels.deal, rng.mix):
    assert type(function) is types.FunctionType, function
print(rng.mix(np.uint64(1234567) + rng.GOLDEN), bits.popcount(np.uint64(7)))
"""
    assert run_python(code, NUMBA_DISABLE_JIT="1").stdout.split() == ["6457827717110365317", "3"]


def test_with_compilation_a_kernel_is_compiled_without_the_lock_of_the_interpreter() -> None:
    assert isinstance(mix, numba.core.dispatcher.Dispatcher)
    assert mix.targetoptions["nogil"]
    assert mix.targetoptions["nopython"]


def test_what_was_done_once_is_known_to_later_processes_with_the_same_sources(tmp_path: Path) -> None:
    code = (
        "from uno_pomdp.jit import note_done, was_done; "
        "print(was_done('this')); note_done('this'); print(was_done('this'), was_done('that'))"
    )
    answers = [run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.split() for _ in range(2)]
    assert answers == [["False", "True", "False"], ["True", "True", "False"]]
    plain = run_python(code, UNO_POMDP_CACHE=str(tmp_path / "other"), NUMBA_DISABLE_JIT="1")
    assert plain.stdout.split() == ["True", "True", "True"], "nothing has to be compiled"
    assert not (tmp_path / "other").exists()


def test_working_time_stands_still_while_a_kernel_is_compiled_with_those_that_it_calls() -> None:
    now = 0.0
    working = jit.WorkingTime(lambda: now)
    seen = [working()]
    for what in (None, working.on_start, None, working.on_start, None, working.on_end, None, working.on_end, None):
        if what is None:
            now += 1.0
        else:
            what(None)
        seen.append(working())
    assert seen == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]


def test_the_working_time_of_a_process_hears_of_its_compilations(tmp_path: Path) -> None:
    code = """
import time, numpy as np
from uno_pomdp.jit import working_time
from uno_pomdp.game.rng import mix
for _ in range(2):
    before = time.perf_counter() - working_time()
    mix(np.uint64(1))
    print(time.perf_counter() - working_time() - before > 0.02)
"""
    assert run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.split() == ["True", "False"]
