"""Compiled kernels on disk: what happens when the files are damaged or can't be."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import run_python

MIX = """
import numpy as np
from uno_pomdp.jit import compiling
from uno_pomdp.kernel_cache import kernels_are_kept
from uno_pomdp.game.rng import mix
with compiling(print):
    mix(np.uint64(1))
print(mix(np.uint64(1234567 + 0x9E3779B97F4A7C15)), kernels_are_kept())
"""
MIXED = "6457827717110365317"


def test_a_kernel_is_kept_under_its_name_and_comes_back(tmp_path: Path) -> None:
    cold, warm = (run_python(MIX, UNO_POMDP_CACHE=str(tmp_path)) for _ in range(2))
    assert cold.stdout.splitlines() == ["mix", f"{MIXED} True"]
    assert warm.stdout.splitlines() == [f"{MIXED} True"]
    names = {path.name.rpartition("-")[0] for path in tmp_path.rglob("*.nbc")}
    assert names == {"uno_pomdp.game.rng.mix", "uno_pomdp.game.rng.mix-inner"}
    assert not cold.stderr + warm.stderr


def file_of(folder: Path, inner: bool = False) -> Path:
    """Return the file of `mix`, as Python calls it or as other kernels do."""
    (path,) = (path for path in folder.rglob("*.nbc") if ("-inner-" in path.name) == inner)
    return path


def emptied(content: bytes) -> bytes:
    return content[:0]


def cut_short(content: bytes) -> bytes:
    return content[:-1]


def changed_inside(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [emptied, cut_short, changed_inside])
def test_a_damaged_file_is_said_and_compiled_and_written_again(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    path = file_of(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    done = run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert done.stdout.splitlines() == ["mix", f"{MIXED} True"]
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"the compiled kernel {path} is damaged: it is compiled again; ")
    mended = run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert (mended.stdout.splitlines(), mended.stderr) == ([f"{MIXED} True"], "")


def test_a_file_that_can_not_be_read_is_said_and_compiled(tmp_path: Path) -> None:
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    path = file_of(tmp_path)
    path.unlink()
    path.mkdir()
    done = run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert done.stdout.splitlines() == ["mix", f"{MIXED} True"]
    assert done.stderr.startswith(f"the compiled kernel {path} can't be read (Is a directory): it is compiled again")
    assert done.stderr.count("\n") == 1


def test_a_folder_that_can_not_be_is_said_once_and_kernels_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a directory")
    done = run_python(MIX, UNO_POMDP_CACHE=str(file))
    assert done.stdout.splitlines() == ["mix", f"{MIXED} False"]
    assert done.stderr.startswith(f"compiled kernels can't be kept in {file}/kernels (Not a directory): ")
    assert done.stderr.count("\n") == 1
    assert file.read_text() == "not a directory"


FULL = """
import errno
from uno_pomdp import kernel_cache
def full(path, durable):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))
kernel_cache.written_whole = full
"""


def test_a_full_disk_is_said_once_and_kernels_work(tmp_path: Path) -> None:
    done = run_python(FULL + MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert done.stdout.splitlines() == ["mix", f"{MIXED} False"]
    assert done.stderr.startswith(f"compiled kernels can't be kept in {tmp_path}/kernels (No space left on device): ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("*.nbc"))


def test_what_was_said_is_not_said_again_by_the_processes_of_a_match(tmp_path: Path) -> None:
    code = f"import subprocess, sys\n{FULL}{MIX}\nsubprocess.run([sys.executable, '-c', {FULL + MIX!r}], check=True)"
    assert run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stderr.count("\n") == 1


def test_what_is_not_used_for_long_is_removed_once_a_day(tmp_path: Path) -> None:
    def age(path: Path, days: float) -> None:
        os.utime(path, (time.time() - days * 86_400,) * 2)

    code = "from uno_pomdp.kernel_cache import kernel_folder; kernel_folder()"
    (tmp_path / "kernels").mkdir()
    for name, days in [("kernels-old", 31), ("kernels-recent", 29), ("something-else", 31)]:
        (tmp_path / name).mkdir()
        age(tmp_path / name, days)
    for name, days in [("a.nbc", 31), ("b.nbc", 29), ("done-1", 31), (".a.nbc.1.tmp", 31)]:
        (tmp_path / "kernels" / name).touch()
        age(tmp_path / "kernels" / name, days)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"kernels", "kernels-recent", "something-else", "swept"}
    assert {path.name for path in (tmp_path / "kernels").iterdir()} == {"b.nbc"}
    age(tmp_path / "kernels" / "b.nbc", 31)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert (tmp_path / "kernels" / "b.nbc").exists(), "it was looked at today"
    age(tmp_path / "swept", 2)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert not (tmp_path / "kernels" / "b.nbc").exists()


def test_a_kernel_that_is_used_is_not_removed(tmp_path: Path) -> None:
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    path = file_of(tmp_path)
    os.utime(path, (time.time() - 20 * 86_400,) * 2)
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert path.stat().st_mtime > time.time() - 86_400


def test_a_kernel_is_linked_from_what_was_kept_of_it_or_compiled_again_if_that_is_damaged(tmp_path: Path) -> None:
    run_python(MIX, UNO_POMDP_CACHE=str(tmp_path))
    compiled = "from numba.core import event\nfrom uno_pomdp.kernel_dispatcher import COMPILE, LINK\n" + "".join(
        f"event.register({kind}, type('L', (event.Listener,), {{'on_start': lambda s, e: print({kind!r}), "
        "'on_end': lambda s, e: None})())\n"
        for kind in ("COMPILE", "LINK")
    )
    code = compiled + "import numpy as np\nfrom uno_pomdp.game.rng import mix\nprint(mix(np.uint64(1)))"
    file_of(tmp_path).unlink()
    linked = run_python(code, UNO_POMDP_CACHE=str(tmp_path)).stdout.split()
    assert linked[0] == "LINK"
    assert len(linked) == 2
    file_of(tmp_path).unlink()
    file_of(tmp_path, inner=True).write_bytes(b"")
    again = run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert again.stdout.split() == ["COMPILE", *linked]
    assert "mix-inner-" in again.stderr
