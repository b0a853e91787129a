"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from uno_pomdp.files import write_text, written_whole


def test_a_text_is_written(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, "größer\n")
    assert path.read_text(encoding="utf-8") == "größer\n"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_error_leaves_the_old_file_and_nothing_else(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    write_text(path, "old")

    def fail(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="no space"):
        write_text(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_what_is_interrupted_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data"

    def interrupted() -> None:
        with written_whole(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(tmp_path.iterdir())


def test_who_reads_sees_the_old_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"old")
    with written_whole(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
