"""Commands that are stopped: exit codes as of shells, one sentence on what became of the work, nothing left behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest

from tests.cli.command import entry_point
from tests.cli.inside import Done, call
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.store import read_store
from uno_pomdp.cli.commands import bench, demo
from uno_pomdp.cli.stopping import PARENT, SIGNALS, Stopped, run_child, stopping_on_signals
from uno_pomdp.cli.ui.spectator import Spectator
from uno_pomdp.errors import WorkerLost
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.rules import preset

MINI: Final = "--rules", "mini-7"
MATCH: Final = "arena", "random", "greedy", *MINI, "--pairs", "5000", "--processes", "1"
WAYS: Final = [(signal.SIGINT, 130, ""), (signal.SIGTERM, 143, " by SIGTERM")]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def stopped(place: str, number: int, *arguments: str, reports: int = 1) -> Done:
    """Run a command that a signal reaches when the function at that place has reported so often."""
    module, _, name = place.rpartition(".")
    original: Callable[..., Any] = getattr(import_module(module), name)

    def function(*words: Any, report: Callable[..., None], **options: Any) -> Any:
        left = reports

        def told(*values: Any) -> None:
            nonlocal left
            report(*values)
            left -= 1
            if left == 0:
                signal.raise_signal(number)

        return original(*words, report=told, **options)

    with mock.patch(place, function):
        return call(*arguments)


@pytest.mark.parametrize(("number", "code", "by"), WAYS)
def test_a_match_with_a_store_says_that_the_same_command_goes_on_and_it_does(number: int, code: int, by: str) -> None:
    done = stopped("uno_pomdp.arena.run.run_match", number, *MATCH, "--store", "kept.jsonl")
    kept = len(read_store("kept.jsonl").pairs)
    assert done.code == code
    assert 0 < kept < 5000
    assert re.fullmatch(
        rf"uno-pomdp: stopped{by} after {kept:,} of 5,000 pairs of random v greedy, at \d+\.\d % ± \d+\.\d of the "
        r"points; finished pairs are kept in kept\.jsonl, and the same command goes on\n",
        done.err,
    )
    assert done.out == ""
    again = call(*MATCH, "--store", "kept.jsonl")
    assert again.code == 0
    assert again.out.splitlines()[:6] == call(*MATCH).out.splitlines()[:6]


def test_a_match_without_a_store_says_that_nothing_is_kept_and_prints_no_half_document() -> None:
    done = stopped("uno_pomdp.arena.run.run_match", signal.SIGINT, *MATCH, "--json")
    assert (done.code, done.out) == (130, "")
    assert done.err.endswith(" of the points; nothing is kept: for that give --store FILE\n")


def test_a_tournament_says_where_it_was() -> None:
    words = "tournament", "random", "greedy", *MINI, "--pairs", "5000", "--processes", "1", "--folder", "kept"
    with mock.patch("uno_pomdp.arena.tournament.run_match", _interrupting(run_match)):
        done = call(*words)
    assert done.code == 130
    assert " pairs of 1/1 random v greedy, at " in done.err
    assert done.err.endswith("; finished pairs are kept in kept, and the same command goes on\n")


def _interrupting(original: Callable[..., Any]) -> Callable[..., Any]:
    def function(*words: Any, report: Callable[..., None], **options: Any) -> Any:
        def told(progress: Any) -> None:
            report(progress)
            raise KeyboardInterrupt

        return original(*words, report=told, **options)

    return function


def test_a_report_on_an_equilibrium_that_is_stopped_says_what_is_kept() -> None:
    with mock.patch("uno_pomdp.equilibrium.nash_report.nash_report", side_effect=KeyboardInterrupt):
        done = call("nash", "greedy", *MINI)
    assert (done.code, done.err) == (
        130,
        "uno-pomdp: stopped before a pair was finished; nothing is kept: for that give --folder DIR\n",
    )


def test_a_solver_that_is_stopped_says_how_far_it_came_and_leaves_the_file_as_it_was() -> None:
    words = "solve", "mini-7", "--until", "1e-300", "--save", "policy.npz"
    done = stopped("uno_pomdp.equilibrium.cfr.solve", signal.SIGTERM, *words)
    assert done.code == 143
    assert re.fullmatch(
        r"uno-pomdp: stopped by SIGTERM after [\d,]+ iterations, at exploitability \d\.\d\de-\d\d; nothing is kept, "
        r"and policy\.npz is as it was\n",
        done.err,
    )
    assert not Path("policy.npz").exists()


@pytest.mark.parametrize("record", [None, "game.txt"])
def test_a_game_that_is_watched_says_after_how_many_moves_it_was_stopped(
    monkeypatch: pytest.MonkeyPatch, record: str | None
) -> None:
    look = Spectator.look

    def looked(self: Spectator, *seen: Any) -> None:
        look(self, *seen)
        if self.watched.timeline.last == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Spectator, "look", looked)
    done = call("watch", "random", "greedy", *MINI, *(["--record", record] if record else []))
    kept = "the game so far is in game.txt" if record else "nothing is kept: for that give --record FILE"
    assert (done.code, done.err) == (130, f"uno-pomdp: stopped after 2 moves; {kept}\n")
    if record:
        assert len(load_record(record).moves) == 2


def test_a_review_that_is_stopped_says_how_many_moves_were_judged() -> None:
    game = Game.new(preset("mini-7"), 1)
    game.apply(game.legal_actions()[0])
    game.apply(game.legal_actions()[0])
    save_record("game.txt", record_of(game))
    with mock.patch("uno_pomdp.review.game.review_game", _reviewing):
        done = call("analyze", "game.txt", "--html", "page.html")
    assert (done.code, done.err) == (
        130,
        "uno-pomdp: stopped judging the moves, 1 of 2 done; nothing is kept, and page.html is as it was\n",
    )


def _reviewing(*words: Any) -> None:
    report = words[3]
    report(1, 2)
    raise KeyboardInterrupt


def test_a_command_that_makes_nothing_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "names", lambda *_: signal.raise_signal(signal.SIGTERM))
    done = call("bench")
    assert (done.code, done.out, done.err) == (143, "", "")


def test_a_child_is_stopped_with_the_command() -> None:
    with pytest.raises(KeyboardInterrupt), mock.patch("subprocess.Popen.wait", side_effect=[KeyboardInterrupt, 0, 0]):
        run_child([sys.executable, "-c", "import time; time.sleep(60)"])


def test_a_child_ends_when_the_command_is_killed() -> None:
    own = "from uno_pomdp.cli.stopping import end_with_parent, run_child\nimport os, sys\n"
    child = f"{own}end_with_parent()\nprint(os.getpid(), flush=True)\nimport time\ntime.sleep(3600)"
    command = [sys.executable, "-c", f"{own}run_child([sys.executable, '-c', {child!r}])"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            own_id = int(process.stdout.readline())
        finally:
            process.kill()
        try:
            process.communicate(timeout=60)  # only when the child has its output open no more
        except subprocess.TimeoutExpired:
            os.kill(own_id, signal.SIGKILL)
            raise


@pytest.mark.parametrize("module", ["benchmarks", "benchmarks.engine"])
def test_a_benchmark_whose_command_is_gone_measures_nothing(module: str) -> None:
    surroundings = os.environ | {PARENT: "1" if os.getpid() != 1 else "2"}
    command = [sys.executable, "-m", module, *(["--only", "engine"] if module == "benchmarks" else []), "--quick"]
    done = subprocess.run(command, cwd=bench.ROOT, env=surroundings, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_signal_is_not_lost_while_c_calls_python() -> None:
    source = "try:\n    stop()\nexcept BaseException:\n    lost.append(1)\n"
    lost: list[int] = []
    words = {"stop": lambda: signal.raise_signal(signal.SIGTERM), "lost": lost}
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *SIGNALS)}
    try:
        with pytest.raises(Stopped), stopping_on_signals():  # noqa: PT012
            exec(compile(source, "/lib/llvmlite/binding/executionengine.py", "exec"), words)
            assert lost == []
            time.sleep(60)  # it comes again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_what_is_ignored_stays_ignored_and_handlers_come_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopping_on_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(("number", "group", "code"), [(signal.SIGINT, True, 130), (signal.SIGTERM, False, 143)])
def test_no_process_and_no_warning_is_left(number: int, group: bool, code: int) -> None:
    """Ctrl-C reaches all processes of a terminal, `kill` the command alone."""
    words = "arena", "random", "greedy", *MINI, "--pairs", "100000000", "--processes", "2", "--store", "kept.jsonl"
    with subprocess.Popen(
        [*entry_point(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        store = Path("kept.jsonl")
        try:
            while not (store.exists() and store.read_bytes().count(b"\n") > 400):  # more than one chunk
                assert process.poll() is None
                time.sleep(0.05)
            (os.killpg if group else os.kill)(process.pid, number)
            out, err = process.communicate(timeout=60)  # only when no process has its output open any more
        finally:
            with contextlib.suppress(ProcessLookupError):  # a match without an end must not outlive its test
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (code, "")
    lines = [line for line in err.splitlines() if not line.startswith("Compiling")]
    assert len(lines) == 1
    assert lines[0].startswith("uno-pomdp: stopped")


# --- before the command and after it ---------------------------------------------------------------------


def interrupted_at(module: str, source: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run the command with another module of this name on its path; press Ctrl-C when that has printed a line."""
    (folder / f"{module}.py").write_text(source)
    with subprocess.Popen(
        [*entry_point(), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        out = ""
        while not out.endswith("now\n"):
            out += (line := process.stdout.readline())
            assert line
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)
    return process.returncode, out + rest, err


def test_ctrl_c_while_the_command_is_loaded_is_one_line(tmp_path: Path) -> None:
    """The module that is imported first waits for it, and would swallow an exception."""
    waits = "import time\nprint('now')\ntry:\n    time.sleep(60)\nexcept BaseException:\n    raise ImportError\n"
    found = interrupted_at("typer", waits, tmp_path, "rules")
    assert found == (130, "now\n", "uno-pomdp: stopped\n")


def test_ctrl_c_once_the_command_has_ended_changes_nothing(tmp_path: Path) -> None:
    """What libraries tidy up at the end waits for it: the result is out already."""
    waits = "import atexit, time\natexit.register(lambda: (print('now'), time.sleep(1)))\n"
    code, out, err = interrupted_at("sitecustomize", waits, tmp_path, "rules")
    assert (code, err) == (0, "")
    assert out.endswith("now\n")
    assert "mini-7" in out


# --- processes that are killed ---------------------------------------------------------------------------


def processes_of(process: "subprocess.Popen[str]") -> list[int]:
    """Return the processes in which a command plays, once it has two of them."""
    while True:
        assert process.poll() is None
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        playing = [int(each) for each in children if b"LokyProcess" in Path(f"/proc/{each}/cmdline").read_bytes()]
        if len(playing) == 2:
            return playing
        time.sleep(0.05)


def playing(*more: str) -> "subprocess.Popen[str]":
    """Start a match without an end in two processes."""
    words = "arena", "random", "greedy", *MINI, "--pairs", "100000000", "--processes", "2", *more
    return subprocess.Popen([*entry_point(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="its processes are found in /proc")
def test_a_process_that_is_killed_is_one_sentence_and_the_same_command_goes_on() -> None:
    with playing("--store", "kept.jsonl") as process:
        try:
            one, _ = processes_of(process)
            store = Path("kept.jsonl")
            while not (store.exists() and store.read_bytes().count(b"\n") > 1):
                assert process.poll() is None
                time.sleep(0.05)
            os.kill(one, signal.SIGKILL)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, out) == (2, "")
    lines = [line for line in err.splitlines() if not line.startswith("Compiling")]
    assert len(lines) == 1
    assert re.fullmatch(
        r"uno-pomdp: a process that worked here was killed, as happens when memory is short, after [\d,]+ of "
        r"100,000,000 pairs of random v greedy, at \d+\.\d % ± \d+\.\d of the points; finished pairs are kept in "
        r"kept\.jsonl, and the same command goes on",
        lines[0],
    )
    assert len(read_store("kept.jsonl").pairs) > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="its processes are found in /proc")
def test_the_processes_end_when_the_command_is_killed() -> None:
    with playing() as process:
        try:
            ours = processes_of(process)
        finally:
            process.kill()
        try:
            process.communicate(timeout=60)  # only when no process has its output open any more
        except subprocess.TimeoutExpired:
            for each in ours:
                os.kill(each, signal.SIGKILL)
            raise


@pytest.mark.parametrize(
    ("words", "place", "kept"),
    [
        (
            ("tournament", "random", "greedy", *MINI, "--folder", "kept"),
            "uno_pomdp.arena.tournament.run_tournament",
            "before a pair was finished; finished pairs are kept in kept, and the same command goes on",
        ),
        (
            ("nash", "greedy", *MINI),
            "uno_pomdp.equilibrium.nash_report.nash_report",
            "before a pair was finished; nothing is kept: for that give --folder DIR",
        ),
        (
            ("demo", *MINI),
            "uno_pomdp.equilibrium.nash_report.nash_report",
            "before a pair was finished; what was finished is in uno-pomdp-demo, and the same command with --force "
            "begins anew",
        ),
    ],
)
def test_every_command_that_plays_in_processes_says_what_is_kept_when_one_is_killed(
    words: tuple[str, ...], place: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: Any, **__: Any) -> None:
        raise WorkerLost

    unplayed = mock.Mock(record=record_of(Game.new(preset("mini-7"), 1)))
    monkeypatch.setattr("uno_pomdp.cli.ui.annotated_game.play_annotated", lambda *_: unplayed)
    monkeypatch.setattr("uno_pomdp.cli.ui.annotated_game.print_game", lambda _: None)
    monkeypatch.setattr(demo, "play_tournament", lambda *_: None)
    with mock.patch(place, lost):
        done = call(*words)
    said = "a process that worked here was killed, as happens when memory is short, "
    assert (done.code, done.err) == (2, f"uno-pomdp: {said}{kept}\n")
