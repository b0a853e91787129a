"""What is said of kernels that are compiled, and of a cache that can't keep them: once, as a sentence, and truly."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.cli.inside import call
from uno_pomdp import jit, kernel_cache
from uno_pomdp.arena.run import _play_in
from uno_pomdp.cli.commands import bench
from uno_pomdp.cli.ui import console

NOWHERE = "deleting it is safe"


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Return what makes this process look for its kernels somewhere else, with nothing said yet."""

    def forget() -> None:
        kernel_cache.kernel_folder.cache_clear()
        kernel_cache.kernels_are_kept.cache_clear()

    def use(folder: Path) -> None:
        monkeypatch.setenv("UNO_POMDP_CACHE", str(folder))
        monkeypatch.delenv(kernel_cache.TOLD, raising=False)
        forget()

    yield use
    monkeypatch.undo()
    os.environ.pop(kernel_cache.TOLD, None)
    forget()


def compiled(monkeypatch: pytest.MonkeyPatch, *names: str, seconds: int = 2) -> str:
    """Return what a command says that compiles these kernels, so many seconds each."""

    @contextmanager
    def compiling(report: Callable[[str], None], done: Callable[[], None]) -> Iterator[None]:
        for name in names:
            report(name)
        done()
        yield

    def work() -> list[str]:
        with console.showing_compilation():
            return ["engine"]

    monkeypatch.setattr(jit, "compiling", compiling)
    monkeypatch.setattr(console, "notice", console.CompilingNotice(iter(range(0, 20, seconds)).__next__))
    monkeypatch.setattr("tests.cli.inside.NOTICE", re.compile("nothing is left out"))
    monkeypatch.setattr(bench, "names", work)
    monkeypatch.setattr(bench, "run_child", lambda *_, **__: 0)
    done = call("bench")
    assert done.code == 0
    return done.err


def test_the_first_time_only_is_said_where_kernels_are_kept(
    monkeypatch: pytest.MonkeyPatch, cache: Callable[[Path], None], tmp_path: Path
) -> None:
    cache(tmp_path)
    said = compiled(monkeypatch, "game.act", "game.deal", "search.flat", "nets.forward")
    assert said == "Compiling the search: a first run takes 5 to 30 seconds longer, later ones load it …\n"


def test_nothing_is_said_of_less_than_three_seconds(
    monkeypatch: pytest.MonkeyPatch, cache: Callable[[Path], None], tmp_path: Path
) -> None:
    cache(tmp_path)
    assert compiled(monkeypatch, "game.act", "game.deal", "search.flat", seconds=1) == ""
    assert compiled(monkeypatch, "game.act", seconds=9) == ""


def test_the_time_of_all_that_a_process_compiles_counts_and_no_other() -> None:
    times = iter([0.0, 1.0, 2.0, 100.0, 100.5, 200.0, 201.0])
    notice = console.CompilingNotice(times.__next__)
    assert [notice.about("game.act"), notice.about("game.deal")] == ["", ""]
    notice.done()  # after 2 s
    assert notice.about("nets.forward") == ""
    notice.done()  # 0.5 s more, long after
    notice.done()
    assert notice.about("nets.forward") == ""
    assert notice.about("nets.forward").startswith("Compiling the nets")


def test_every_folder_with_kernels_has_a_word_for_what_they_are_for() -> None:
    package = Path(jit.__file__).parent
    folders = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*/*.py")
        if re.search(r"^@(inner_)?kernel", path.read_text(encoding="utf-8"), re.M)
    }
    assert folders <= console.ROOMS.keys()


def test_a_spinner_turns_while_kernels_compile_and_not_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    turning: list[bool] = []
    shown = Console(file=StringIO(), force_terminal=True, width=80, height=24, _environ={})
    monkeypatch.setattr(console, "err", shown)
    monkeypatch.setattr(console, "notice", console.CompilingNotice(iter(range(0, 40, 4)).__next__))

    @contextmanager
    def compiling(report: Callable[[str], None], done: Callable[[], None]) -> Iterator[None]:
        for name in ("act", "deal"):
            report(name)
            turning.append(shown._live_stack != [])
            done()
            turning.append(shown._live_stack != [])
        yield

    monkeypatch.setattr(jit, "compiling", compiling)
    with console.showing_compilation():
        turning.append(shown._live_stack != [])
    assert turning == [False, False, True, False, False], "the first takes no three seconds yet"


@pytest.mark.parametrize("place", ["file", "file/below", "full"])
def test_where_they_are_not_kept_it_is_said_why_and_that_every_run_compiles(
    monkeypatch: pytest.MonkeyPatch, cache: Callable[[Path], None], tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("no folder")
    reason = "Not a directory"
    if place == "full":
        reason = "No space left on device"
        monkeypatch.setattr(kernel_cache, "written_whole", _full)
    cache(tmp_path / place)
    said = compiled(monkeypatch, "game.act", "game.deal", "search.flat").splitlines()
    assert len(said) == 2
    assert said[0].startswith(
        f"uno-pomdp: compiled kernels can't be kept in {tmp_path / place / 'kernels'} ({reason}): "
    )
    assert said[1] == "Compiling the search, 5 to 30 seconds in every run while compiled code can't be kept …"


@contextmanager
def _full(*_: Any, **__: Any) -> Iterator[None]:
    raise OSError(28, "No space left on device")
    yield


def test_a_complaint_in_a_match_is_a_sentence_of_the_command(
    monkeypatch: pytest.MonkeyPatch, cache: Callable[[Path], None], tmp_path: Path
) -> None:
    cache(tmp_path)

    def playing(*_: Any, **__: Any) -> None:
        kernel_cache.complain("the kernel [x] is damaged")
        kernel_cache.complain("and another")
        raise KeyboardInterrupt

    monkeypatch.setattr("uno_pomdp.arena.run.run_match", playing)
    said = call("arena", "random", "greedy").err.splitlines()
    assert said[0] == f"uno-pomdp: the kernel [x] is damaged; UNO_POMDP_CACHE can name another folder, and {NOWHERE}"
    assert len(said) == 2
    assert said[1].startswith("uno-pomdp: stopped ")


def test_a_process_of_a_match_hands_its_complaint_over_and_it_is_said_once(
    cache: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache(tmp_path)

    class Work:
        def play(self) -> tuple[list[int], float]:
            kernel_cache.complain("a kernel is damaged")
            return [], 0.0

    *_, complaints = _play_in(Path.cwd(), Work())  # type: ignore[arg-type]
    assert len(complaints) == 1
    caplog.clear()
    os.environ.pop(kernel_cache.TOLD)  # the process that started it has its own
    for complaint in complaints * 2:
        kernel_cache.pass_on(complaint)
    assert [record.message for record in caplog.records] == complaints
