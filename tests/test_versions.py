"""The tool that runs tests under other versions: what it tries, and what it says of what can't be tried."""

from pathlib import Path

import pytest

from tools import test_versions as versions
from uno_pomdp.extras import NUMBA


def test_every_version_of_numba_that_is_allowed_is_tried() -> None:
    (_, low), (_, high) = NUMBA
    between = [f"0.{minor}" for minor in range(high - 1, low, -1)]
    assert versions.versions_to_try(versions.dependencies()) == ["newest", *between, "lowest"]


def test_the_tests_are_there() -> None:
    assert [path for path in versions.CORE if not (versions.ROOT / path).is_file()] == []


def test_pythons_are_told_by_running_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins of pyenv are on the path for Pythons that it does not run."""
    real = tmp_path / "pyenv" / "versions" / "3.12.9" / "bin"
    for folder, text in ((tmp_path, "exit 127"), (real, "echo 3.12")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "python3.12").write_text(f"#!/bin/sh\n{text}\n")
        (folder / "python3.12").chmod(0o755)
    (real / "python").symlink_to("python3.12")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert versions.version_of(tmp_path / "python3.12") == versions.version_of(tmp_path / "none") == ""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")  # for the shell
    assert versions.found_pythons()["3.12"] == real / "python"


def test_a_python_that_can_not_be_run_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert versions.main(["--python", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == "test_versions: one of the Pythons can't be run\n"
