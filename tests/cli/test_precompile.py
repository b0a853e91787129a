"""Compiling ahead: a process beside ours where nothing is compiled yet, gone when ours has done."""

import subprocess
import sys
from typing import Any, Final

import pytest

from tests.cli.inside import call
from uno_pomdp.cli import precompile
from uno_pomdp.cli.commands.demo import AHEAD

LONG: Final = ["arena", "random", "greedy", "--pairs", "100000000", "--processes", "1"]
"""A command that does not end by itself."""


def noted(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Return a list to which every process that is started will be added."""
    processes: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return processes


@pytest.mark.parametrize(("cold", "cores", "started"), [(True, 2, 1), (True, 1, 0), (False, 2, 0)])
def test_it_is_done_where_there_is_something_to_compile_and_a_core_for_it(
    monkeypatch: pytest.MonkeyPatch, cold: bool, cores: int, started: int
) -> None:
    processes = noted(monkeypatch)
    noted_as_done: list[str] = []
    monkeypatch.setattr(precompile, "was_done", lambda _: not cold)
    monkeypatch.setattr(precompile, "note_done", noted_as_done.append)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    with precompile.compiling_ahead(LONG):
        assert [process.poll() for process in processes] == [None] * started
    assert len(processes) == started
    assert all(process.poll() is not None for process in processes)
    assert noted_as_done == [" ".join(LONG)] * started


def test_it_ends_with_what_it_was_done_for_even_if_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = noted(monkeypatch)
    monkeypatch.setattr(precompile, "was_done", lambda _: False)
    monkeypatch.setattr(precompile, "note_done", lambda _: pytest.fail("it was not done"))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(ZeroDivisionError), precompile.compiling_ahead(LONG):
        raise ZeroDivisionError
    assert processes[0].poll() is not None


def test_it_ends_when_the_process_that_waits_is_gone() -> None:
    running = [sys.executable, "-m", "uno_pomdp.cli.precompile", *LONG]
    with subprocess.Popen(running, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=3)
        process.stdin.close()
        assert process.wait(timeout=60) == 1


def test_what_a_demo_runs_ahead_is_a_command() -> None:
    done = call(*AHEAD)
    assert done.code == 0, done.err
