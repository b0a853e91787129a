"""Files are written whole or not at all."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from uno_pomdp.errors import CannotWrite, PlaceTaken
from uno_pomdp.files import Held, SavedFile, same_file, try_folder, try_place, write_text, written_whole


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


@pytest.mark.parametrize("use", [try_folder, lambda folder: try_place(folder / "x"), lambda folder: Held(folder / "x")])
def test_what_killed_processes_have_left_is_removed_and_nothing_else(
    use: Callable[[Path], Held | None], tmp_path: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    dead, alive = (f"{number}.uno-pomdp.tmp" for number in (ended.pid, os.getpid()))
    gone = {f".game.txt.{dead}", ".game.txt.uno-pomdp.lock"}
    stay = {f".game.txt.{alive}", f".notes.{ended.pid}.tmp", ".notes.lock", f"game.txt.{dead}", ".x.two.uno-pomdp.tmp"}
    young = {f".young.{dead}", ".young.uno-pomdp.lock"}
    for name in gone | stay | young:
        (tmp_path / name).touch()
        if name not in young:
            os.utime(tmp_path / name, (1_000_000, 1_000_000))
    with Held(tmp_path / "played.txt"):
        (lock,) = {path.name for path in tmp_path.iterdir()} - (stay | young)
        (tmp_path / f".second.{dead}").touch()
        for name in (lock, f".second.{dead}"):
            os.utime(tmp_path / name, (1_000_000, 1_000_000))
        held = use(tmp_path)
        if held is not None:
            held.release()
        assert {path.name for path in tmp_path.iterdir()} == stay | young | {lock}


# --- places ----------------------------------------------------------------------------------------------


def test_an_error_is_about_the_file_that_was_asked_for(tmp_path: Path) -> None:
    for write in (lambda path: write_text(path, "x"), try_place, Held):
        with pytest.raises(
            CannotWrite, match=r"none/text can't be written: (No such file|there is no folder)"
        ) as caught:
            write(tmp_path / "none" / "text")
        assert caught.value.filename == str(tmp_path / "none" / "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match=r"the folder .*file/x can't be made: Not a directory"):
        try_folder(tmp_path / "file" / "x")


def test_only_plain_files_are_written() -> None:
    with pytest.raises(CannotWrite, match="/dev/null can't be written: it is no plain file"):
        write_text("/dev/null", "x")
    with pytest.raises(CannotWrite, match="it is a folder"):
        try_place("/")


def test_a_file_that_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, "first", over=False)
    with pytest.raises(CannotWrite, match="it is there already"):
        write_text(path, "second", over=False)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["first"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    assert same_file(tmp_path / "link", tmp_path / "file")


def test_a_name_as_long_as_the_system_takes_is_fine(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 125 + ".txt")
    try_place(path)
    with SavedFile(path) as file:
        file.write(b"text")
    assert [each.read_text() for each in tmp_path.iterdir()] == ["text"]


def test_a_trial_leaves_nothing(tmp_path: Path) -> None:
    try_place(tmp_path / "text")
    try_folder(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]
    assert os.listdir(tmp_path / "folder") == []


# --- files that are gone on with -------------------------------------------------------------------------


def test_a_file_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    with Held(path), pytest.raises(PlaceTaken, match=r"game\.txt is in use by another uno-pomdp: end that one first"):
        Held(path)
    with Held(path):
        pass
    assert os.listdir(tmp_path) == []


def test_a_process_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    program = f"from uno_pomdp.files import Held; held = Held({str(path)!r}); print('held', flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(PlaceTaken, match="in use"):
            Held(path)
        process.send_signal(signal.SIGKILL)
        process.wait()
        Held(path).release()
    assert os.listdir(tmp_path) == []


def test_what_another_program_wrote_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    with SavedFile(path) as file:
        for content in (b"one", b"two"):
            file.write(content)
        path.write_bytes(b"of another")
        with pytest.raises(PlaceTaken, match="was changed by another program, and is not written over"):
            file.write(b"three")
        assert path.read_bytes() == b"of another"
        path.unlink()
        file.write(b"three")
    assert path.read_bytes() == b"three"
    with SavedFile(path) as file:
        with pytest.raises(PlaceTaken, match="was changed"):
            file.write(b"four")
        file.accept()
        file.write(b"four")


def test_a_failure_is_not_taken_for_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with SavedFile(tmp_path / "game.txt") as file:
        file.write(b"one")
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            for content in (b"two", b"three", b"four"):
                with pytest.raises(CannotWrite, match=r"game\.txt can't be written: No space left on device"):
                    file.write(content)
        file.write(b"five")
    assert (tmp_path / "game.txt").read_bytes() == b"five"
