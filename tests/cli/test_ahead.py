"""Compiling ahead: a process beside ours where nothing is compiled yet, gone when ours has done."""

import subprocess
from typing import Any

import pytest

from uno_pomdp.cli import ahead


@pytest.mark.parametrize(("cold", "cores", "started"), [(True, 2, 1), (True, 1, 0), (False, 2, 0)])
def test_it_is_done_where_there_is_something_to_compile_and_a_core_for_it(
    monkeypatch: pytest.MonkeyPatch, cold: bool, cores: int, started: int
) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            processes.append(self)

    monkeypatch.setattr(ahead, "nothing_compiled", lambda: cold)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(subprocess, "Popen", Noted)
    with ahead.compiling_ahead(["play"]):
        assert [process.poll() for process in processes] == [None] * started
    assert len(processes) == started
    assert all(process.poll() is not None for process in processes)
