"""The door to Numba: where compiled kernels lie, and what happens when they can't be kept."""

import os
import re
import shutil
import time
from pathlib import Path

import numba
import pytest

import uno_pomdp
from tests.helpers import run_python
from uno_pomdp import jit
from uno_pomdp.game.rng import mix

PACKAGE = Path(uno_pomdp.__file__).parent
HASH = "from uno_pomdp import jit; print(jit.source_hash())"
MIX = """
import logging, numpy as np
logging.basicConfig(format='%(levelname)s %(message)s')
from uno_pomdp.jit import compiling
from uno_pomdp.game.rng import mix
with compiling(print):
    mix(np.uint64(1))
    mix(np.uint64(2))
print('done', mix(np.uint64(1234567 + 0x9E3779B97F4A7C15)))
"""
MIXED = "done 6457827717110365317"


def copy_of_package(folder: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, folder / "uno_pomdp", ignore=ignore))


def hash_in(folder: Path) -> str:
    return run_python(HASH, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1").stdout.strip()


def test_the_same_sources_have_the_same_hash_wherever_they_lie(tmp_path: Path) -> None:
    copy_of_package(tmp_path)
    assert hash_in(tmp_path) == jit.source_hash()
    assert re.fullmatch("[0-9a-f]{16}", jit.source_hash())


@pytest.mark.parametrize("name", ["cards.py", "game/kernels.py", "game/rng.py", "jit.py"])
def test_one_more_byte_in_any_source_changes_the_hash(tmp_path: Path, name: str) -> None:
    changed = copy_of_package(tmp_path) / name
    changed.write_bytes(changed.read_bytes() + b"\n")
    assert hash_in(tmp_path) != jit.source_hash()


def test_a_source_of_another_name_changes_the_hash(tmp_path: Path) -> None:
    package = copy_of_package(tmp_path)
    (package / "cli" / "__init__.py").rename(package / "cli" / "other.py")
    assert hash_in(tmp_path) != jit.source_hash()


def test_compiled_kernels_lie_in_a_directory_named_by_the_hash(tmp_path: Path) -> None:
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [f"kernels-{jit.source_hash()}"]
    assert any(tmp_path.rglob("*mix*.nbc"))


def test_a_kernel_is_reported_when_it_is_compiled_and_not_when_it_comes_from_the_cache(tmp_path: Path) -> None:
    cold, warm = (run_python(MIX, UNO_POMDP_CACHE=str(tmp_path)).stdout.splitlines() for _ in range(2))
    assert cold == ["mix", MIXED]
    assert warm == [MIXED]


def test_a_cache_that_can_not_be_written_is_a_warning_and_the_kernels_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a directory")
    done = run_python(MIX, UNO_POMDP_CACHE=str(file))
    assert done.stdout.splitlines() == ["mix", MIXED]
    assert done.stderr.count("WARNING kernels are compiled anew in every run: ") == 1
    assert file.read_text() == "not a directory"


def test_caches_of_other_sources_are_removed_once_they_are_old(tmp_path: Path) -> None:
    for name, days in [("kernels-old", 31), ("kernels-recent", 29), ("something-else", 31)]:
        (tmp_path / name).mkdir()
        used = time.time() - days * 86_400
        os.utime(tmp_path / name, (used, used))
    run_python("from uno_pomdp import jit; jit.cache_directory()", UNO_POMDP_CACHE=str(tmp_path))
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"kernels-recent", "something-else", f"kernels-{jit.source_hash()}"}


def test_the_directory_of_numba_itself_is_as_before_after_a_kernel_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", "somewhere")
    jit.kernel(jit.source_hash)
    jit.inner_kernel(jit.source_hash)
    assert vars(numba.core.config)["CACHE_DIR"] == "somewhere"


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


def test_nothing_is_compiled_until_a_kernel_was_asked_for(tmp_path: Path) -> None:
    code = (
        "import numpy as np; from uno_pomdp.jit import nothing_compiled; from uno_pomdp.game.rng import mix; "
        "print(nothing_compiled()); mix(np.uint64(1)); print(nothing_compiled())"
    )
    answers = [run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.split() for _ in range(2)]
    assert answers == [["True", "False"], ["False", "False"]]
    plain = run_python(code, UNO_POMDP_CACHE=str(tmp_path / "other"), NUMBA_DISABLE_JIT="1")
    assert plain.stdout.split() == ["False", "False"]


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
