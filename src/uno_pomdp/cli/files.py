"""Files that the user names: what can't be read or written is refused in one sentence, before the work if possible."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from uno_pomdp.errors import CannotWrite, InvalidRecord, PlaceTaken, UnusableFile
from uno_pomdp.files import FilePath, SavedFile, same_file, try_folder, try_place
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.registry import AgentSpec


def claim(path: Path | None, force: bool, inputs: Iterable[FilePath] = (), instead: str = "name another file") -> None:
    """Refuse a file that a command must not write, or can't, before the work: never what it reads, even by force."""
    if path is None:
        return
    for read in inputs:
        if same_file(path, read):
            raise PlaceTaken(f"{path} is a file that this command reads: name another one to write")
    try_place(path)
    if path.exists() and not force:
        raise PlaceTaken(f"{path} is there already: {instead}, or write over it with --force")


def claimed_save(path: Path, force: bool, inputs: Iterable[FilePath] = ()) -> SavedFile:
    """Return a locked file for a new game; one that exists already only with `--force`."""
    claim(path, force, inputs, f"name another file, go on with it by --resume {path}")
    file = SavedFile(path)
    if force:
        file.accept()
    return file


def held_game(path: Path) -> SavedFile:
    """Return the locked file of a game to be resumed; refuse one that can't be read."""
    with _refusing(path):
        path.stat()
    file = SavedFile(path)
    try:
        with _refusing(path):
            file.accept()
    except UnusableFile:
        file.release()
        raise
    return file


def claim_records(folder: Path | None, force: bool, goes_on: bool) -> None:
    """Refuse a folder that can't take the records of games, or holds some already; a resumed match adds to its own."""
    if folder is None:
        return
    if not (force or goes_on) and any(found for depth in ("", "*/") for found in folder.glob(f"{depth}pair-*.txt")):
        raise PlaceTaken(f"{folder} holds games already: name another folder, or write over them with --force")
    try_folder(folder)


def read_by(*agents: str | None) -> list[Path]:
    """Return the files that agents may read."""
    found: list[Path] = []
    for agent in agents:
        if agent is not None:
            found += AgentSpec.parse(agent).reads
    return found


def attempt(path: Path | None, write: Callable[[Path], None]) -> CannotWrite | None:
    """Write a file of results if one is wanted; return the error, for the results have to be printed first."""
    try:
        if path is not None:
            write(path)
    except CannotWrite as error:
        return error
    return None


def read_game(path: Path) -> GameRecord:
    """Return the game in a file; what is wrong with it is told in a sentence."""
    with _refusing(path):
        try:
            return load_record(path)
        except InvalidRecord as error:
            raise UnusableFile(f"{path} is no record of a game: {error}") from error


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    if "\0" in str(path):  # which the system's own functions answer with a `ValueError`
        raise UnusableFile(f"{path} can't be read: no file's name has a NUL character")
    try:
        yield
    except OSError as error:
        raise UnusableFile(f"{path} can't be read: {error.strerror or error}") from error
