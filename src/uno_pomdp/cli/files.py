"""Files that a person names: what can't be read or written is one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from uno_pomdp.errors import InvalidRecord, UnoError
from uno_pomdp.game.record import GameRecord, load_record, save_record


class NoFile(UnoError):
    """A file that can't be read or written."""


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
    """Write a text to a file."""
    with _refusing(path, "written"):
        path.write_text(text, encoding="utf-8")


@contextmanager
def _refusing(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoFile(f"{path} can't be {verb}: {error.strerror or error}") from error
