"""Files that a person names: what can't be read or written is one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from uno_pomdp.errors import InvalidRecord, UnoError
from uno_pomdp.files import write_text
from uno_pomdp.game.record import GameRecord, load_record, save_record


class NoFile(UnoError):
    """A file that can't be read or written."""


def require_place(path: Path | None) -> None:
    """Refuse a file that can't be written for want of a folder, before anything takes its time."""
    if path is not None and not path.absolute().parent.is_dir():
        raise NoFile(f"{path} can't be written: there is no folder {path.parent}")
    if path is not None and path.is_dir():
        raise NoFile(f"{path} can't be written: it is a folder")


def read_game(path: Path) -> GameRecord:
    """Return the game in a file."""
    with _refusing(path, "read"):
        try:
            return load_record(path)
        except InvalidRecord as error:
            raise NoFile(f"{path}: {error}") from error


def write_game(path: Path, record: GameRecord) -> None:
    """Write a game to a file, whole or not at all."""
    with _refusing(path, "written"):
        save_record(path, record)


def write_page(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all."""
    with _refusing(path, "written"):
        write_text(path, text)


@contextmanager
def _refusing(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoFile(f"{path} can't be {verb}: {error.strerror or error}") from error
