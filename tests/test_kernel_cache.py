"""Compiled kernels on disk: what happens when the files are damaged or can't be."""

import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import run_python
from uno_pomdp.game.rng import mix
from uno_pomdp.kernel_dispatcher import types

MIX = """
import numpy as np
from uno_pomdp.jit import compiling
from uno_pomdp.kernel_cache import kernels_are_kept
from uno_pomdp.game.rng import mix
names = []
with compiling(names.append):
    mix(np.uint64(1))
print(*dict.fromkeys(names), sep="\\n", end="\\n" * bool(names))
print(mix(np.uint64(1234567 + 0x9E3779B97F4A7C15)), kernels_are_kept())
"""
MIXED = "6457827717110365317"


def test_a_kernel_is_kept_under_its_name_and_comes_back(tmp_path: Path) -> None:
    cold, warm = (run_python(MIX, UNO_POMDP_CACHE=str(tmp_path)) for _ in range(2))
    assert cold.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert warm.stdout.splitlines() == [f"{MIXED} True"]
    names = {path.name.rpartition("-")[0] for path in tmp_path.rglob("*.nbc")}
    assert names == {"uno_pomdp.game.rng.mix", "uno_pomdp.game.rng.mix-inner"}
    assert not cold.stderr + warm.stderr


def file_of(folder: Path, inner: bool = False) -> Path:
    """Return the file of `mix`, as Python calls it or as other kernels do."""
    (path,) = (path for path in folder.rglob("*.nbc") if ("-inner-" in path.name) == inner)
    return path


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the kernel was kept."""
    folder = tmp_path_factory.mktemp("compiled")
    run_python(MIX, UNO_POMDP_CACHE=str(folder))
    return folder


@pytest.fixture
def warm(compiled: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(compiled, tmp_path / "warm"))


def test_a_kernel_that_was_optimised_otherwise_is_another(warm: Path) -> None:
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm), NUMBA_OPT="2")
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert len(list(warm.rglob("*.nbc"))) == 4


def emptied(content: bytes) -> bytes:
    return content[:0]


def cut_short(content: bytes) -> bytes:
    return content[:-1]


def changed_inside(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [emptied, cut_short, changed_inside])
def test_a_damaged_file_is_said_and_compiled_and_written_again(warm: Path, damage: Callable[[bytes], bytes]) -> None:
    path = file_of(warm)
    path.write_bytes(damage(path.read_bytes()))
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"the compiled kernel {path} is damaged: it is compiled again; ")
    again = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert (again.stdout.splitlines(), again.stderr) == ([f"{MIXED} True"], "")


def as_folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").touch()


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


def writable_by_all(path: Path) -> None:
    path.touch()
    path.chmod(0o666)


def a_loop(path: Path) -> None:
    path.symlink_to(path)


UNREADABLE: dict[Callable[[Path], None], str] = {
    as_folder: "Is a directory",
    as_pipe: "it is no plain file",
    writable_by_all: "others can write to it",
    a_loop: "Too many levels of symbolic links",
}


@pytest.mark.parametrize("make", UNREADABLE)
def test_what_is_not_ours_or_no_file_is_said_and_replaced(warm: Path, make: Callable[[Path], None]) -> None:
    """A pipe does not wait for its other end either: nobody writes to it."""
    path = file_of(warm)
    path.unlink()
    make(path)
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert done.stderr.startswith(
        f"the compiled kernel {path} can't be read ({UNREADABLE[make]}): it is compiled again"
    )
    assert done.stderr.count("\n") == 1
    again = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert (again.stdout.splitlines(), again.stderr) == ([f"{MIXED} True"], "")


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(warm: Path) -> None:
    path = file_of(warm)
    path.unlink()
    os.mkfifo(path.with_suffix(".lock"))
    assert run_python(MIX, UNO_POMDP_CACHE=str(warm)).stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]


PUT_THERE = """
import pickle
from uno_pomdp import kernel_cache
from uno_pomdp.kernel_dispatcher import types
from uno_pomdp.game.rng import mix
class Fails:
    def __reduce__(self): return (int, ("no number",))
key = mix._key((types.uint64,))
"""


def put_there(folder: Path, what: str, inner: bool = False) -> Path:
    """Write a file for `mix` whose checksum is right; return its path."""
    name = f"uno_pomdp.game.rng.mix{'-inner' if inner else ''}"
    run_python(f"{PUT_THERE}kernel_cache.write({name!r}, key, {what})", UNO_POMDP_CACHE=str(folder))
    return file_of(folder, inner)


LOADS_NOT = {
    "no pickle": ("b'rubbish'", "UnpicklingError"),
    "a pickle that raises": ("pickle.dumps(Fails())", "ValueError"),
    "something else": ("pickle.dumps([1, 2])", "ValueError"),
    "no code": ("pickle.dumps((None, None, None, b'no code', [], ()))", "RuntimeError"),
}


@pytest.mark.parametrize(
    ("what", "inner"), [(what, inner) for what in LOADS_NOT for inner in (False, True) if inner or what != "no code"]
)
def test_what_does_not_load_is_thrown_away_and_compiled(warm: Path, what: str, inner: bool) -> None:
    content, kind = LOADS_NOT[what]
    path = put_there(warm, content, inner)
    if inner:
        file_of(warm).unlink()
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert done.stderr.startswith(f"the compiled kernel {path} can't be loaded ({kind}): it is compiled again; ")
    assert done.stderr.count("\n") == 1
    again = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert (again.stdout.splitlines(), again.stderr) == ([f"{MIXED} True"], "")


def test_a_kernel_that_calls_one_which_is_gone_is_compiled(warm: Path) -> None:
    callees = "[('uno_pomdp.game.rng', 'nothing', ())]"
    code = "__import__('llvmlite.binding').binding.parse_assembly('').as_bitcode()"
    put_there(warm, f"pickle.dumps((None, None, None, {code}, {callees}, ()))", inner=True)
    file_of(warm).unlink()
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert "can't be loaded (LookupError)" in done.stderr


def test_a_file_under_the_name_of_another_kernel_is_damaged(warm: Path) -> None:
    """Whole and with its own checksum, but what is found there is another kernel."""
    path, other = file_of(warm), file_of(warm, inner=True)
    shutil.copy(other, path)
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert done.stderr.startswith(f"the compiled kernel {path} is damaged: it is compiled again; ")


def test_a_file_with_the_key_of_another_is_damaged(warm: Path) -> None:
    """A kernel that was optimised otherwise, copied to where this one is looked for."""
    path = file_of(warm)
    run_python(MIX, UNO_POMDP_CACHE=str(warm), NUMBA_OPT="2")
    (other,) = (one for one in warm.rglob("*.nbc") if "-inner-" not in one.name and one != path)
    shutil.copy(other, path)
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert done.stderr.startswith(f"the compiled kernel {path} is damaged: it is compiled again; ")


@pytest.mark.parametrize("changed", ["llvmlite", "numpy"])
def test_a_kernel_compiled_with_another_version_is_not_looked_at(warm: Path, changed: str) -> None:
    other = f"import numba, {changed}\n{changed}.__version__ += '.1'\n"
    done = run_python(other + MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
    assert not done.stderr
    assert len(list(warm.rglob("*.nbc"))) == 4


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
@pytest.mark.parametrize("which", ["kernels", "."])
def test_a_folder_that_others_can_write_to_is_refused_and_kernels_work(warm: Path, which: str, mode: int) -> None:
    for path in warm.rglob("*.nbc"):
        path.write_bytes(b"never looked at")
    before = {path: path.read_bytes() for path in warm.rglob("*.nbc")}
    folder = (warm / which).resolve()
    folder.chmod(mode)
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    if (which, mode) == (".", 0o1777):  # as in /tmp: nobody can replace the folder below it
        assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} True"]
        return
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} False"]
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(
        f"compiled kernels are not kept in {warm / 'kernels'}, because others can write to {folder}: "
        f"every run compiles them again; `chmod go-w {folder}` changes that; "
    )
    assert {path: path.read_bytes() for path in warm.rglob("*.nbc")} == before


def test_folders_and_files_that_are_made_here_are_nobody_elses_whatever_the_mask(tmp_path: Path) -> None:
    cold, warm = (run_python(f"import os; os.umask(0)\n{MIX}", UNO_POMDP_CACHE=str(tmp_path / "new")) for _ in range(2))
    assert (cold.stderr, warm.stderr, warm.stdout.splitlines()) == ("", "", [f"{MIXED} True"])
    made = [tmp_path / "new", *(path for path in (tmp_path / "new").rglob("*") if path.suffix != "")]
    assert [path for path in made if path.stat().st_mode & 0o022] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(warm: Path) -> None:
    os.chown(warm / "kernels", 12345, 12345)
    done = run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} False"]
    assert "others can write to" in done.stderr
    assert "chmod" not in done.stderr


def test_a_folder_that_can_not_be_is_said_once_and_kernels_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a directory")
    done = run_python(MIX, UNO_POMDP_CACHE=str(file))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} False"]
    assert done.stderr.startswith(f"compiled kernels can't be kept in {file}/kernels (Not a directory): ")
    assert done.stderr.count("\n") == 1
    assert file.read_text() == "not a directory"


FULL = """
import errno
from uno_pomdp import kernel_cache
def full(path, durable, private=False):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))
kernel_cache.written_whole = full
"""


def test_a_full_disk_is_said_once_and_kernels_work(tmp_path: Path) -> None:
    done = run_python(FULL + MIX, UNO_POMDP_CACHE=str(tmp_path))
    assert done.stdout.splitlines() == ["game.rng.mix", f"{MIXED} False"]
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
    (tmp_path / "something-else").mkdir()
    age(tmp_path / "something-else", 31)
    for name, days in [("a.nbc", 31), ("b.nbc", 29), ("done-1", 31), (".a.nbc.1.tmp", 31)]:
        (tmp_path / "kernels" / name).touch()
        age(tmp_path / "kernels" / name, days)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"kernels", "something-else", "swept"}
    assert {path.name for path in (tmp_path / "kernels").iterdir()} == {"b.nbc"}
    age(tmp_path / "kernels" / "b.nbc", 31)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert (tmp_path / "kernels" / "b.nbc").exists(), "it was looked at today"
    age(tmp_path / "swept", 2)
    run_python(code, UNO_POMDP_CACHE=str(tmp_path))
    assert not (tmp_path / "kernels" / "b.nbc").exists()


def test_a_kernel_that_is_used_is_not_removed(warm: Path) -> None:
    path = file_of(warm)
    os.utime(path, (time.time() - 20 * 86_400,) * 2)
    run_python(MIX, UNO_POMDP_CACHE=str(warm))
    assert path.stat().st_mtime > time.time() - 86_400


def test_a_kernel_is_linked_from_what_was_kept_of_it_or_compiled_again_if_that_is_damaged(warm: Path) -> None:
    compiled = "from numba.core import event\nfrom uno_pomdp.kernel_dispatcher import COMPILE, LINK\n" + "".join(
        f"event.register({kind}, type('L', (event.Listener,), {{'on_start': lambda s, e: print({kind!r}), "
        "'on_end': lambda s, e: None})())\n"
        for kind in ("COMPILE", "LINK")
    )
    code = compiled + "import numpy as np\nfrom uno_pomdp.game.rng import mix\nprint(mix(np.uint64(1)))"
    file_of(warm).unlink()
    linked = run_python(code, UNO_POMDP_CACHE=str(warm)).stdout.split()
    assert linked[0] == "LINK"
    assert len(linked) == 2
    file_of(warm).unlink()
    file_of(warm, inner=True).write_bytes(b"")
    again = run_python(code, UNO_POMDP_CACHE=str(warm))
    assert again.stdout.split() == ["COMPILE", *linked]
    assert "mix-inner-" in again.stderr


def test_of_processes_that_need_the_same_kernel_at_once_one_compiles_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: run_python(MIX, UNO_POMDP_CACHE=str(tmp_path)).stdout.splitlines(), range(3)))
    assert sorted(len(lines) for lines in runs) == [1, 1, 2], "only one had something to report"
    assert {lines[-1] for lines in runs} == {f"{MIXED} True"}
    assert not list(tmp_path.rglob("*.lock"))


def test_code_for_another_machine_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel: Any = mix
    key, code = kernel._key((types.uint64,)), type(kernel.targetctx.codegen())
    this = kernel.targetctx.codegen().magic_tuple()
    assert this
    assert kernel._key((types.uint64,)) == key
    for place in range(len(this)):
        other = tuple(f"{part} of another" if nth == place else part for nth, part in enumerate(this))
        monkeypatch.setattr(code, "magic_tuple", lambda _, other=other: other)
        assert kernel._key((types.uint64,)) != key
