"""Files that the user names: what can't be read or written is refused in one sentence, before the work if possible."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from uno_pomdp.errors import CannotWrite, InvalidRecord, PlaceTaken, UnusableFile
from uno_pomdp.files import FilePath, SavedFile, claim, make_folder, try_folder
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord, observed
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import AgentSpec
from uno_pomdp.session.setup import playing


def claim_all(folder: Path, files: Iterable[Path], force: bool) -> None:
    """Make a folder for files with fixed names, if it can take them; refuse it if some are there already."""
    there = [path.relative_to(folder).as_posix() for path in files if path.exists()]
    if there and not force:
        held = (
            there[0] if len(there) == 1 else f"{there[0]} and {count_of(len(there) - 1, 'other file')} of this command"
        )
        raise PlaceTaken(
            f"{folder} holds {held} already: name another folder, or write over what is there with --force"
        )
    try_folder(folder)


def claimed_save(path: Path, force: bool, inputs: Iterable[FilePath] = ()) -> SavedFile:
    """Return a locked file for a new game; one that exists already only with `--force`."""
    claim(path, force, inputs, f"name another file, go on with it by --resume {path}")
    file = SavedFile(path)
    if force:
        file.accept()
    return file


def dated_file(home: Path, now: datetime, option: str) -> SavedFile:
    """Return a new file named by the time, held, in a folder that is made; `option` would name another."""
    try:
        make_folder(home)
    except CannotWrite as error:
        raise UnusableFile(f"{home} can't be made: {error.strerror}; name a file with {option}") from error
    return free_file(home / now.strftime("%Y-%m-%d-%H%M%S"), option)


def free_file(stem: Path, option: str) -> SavedFile:
    """Return a file that is not there yet, held: of this name, or with a number behind it."""
    for nth in range(1, 1000):
        path = stem.with_name(f"{stem.name}{f'-{nth}' if nth > 1 else ''}.txt")
        if not path.exists():
            with suppress(PlaceTaken):  # by another game that begins in the same second
                return SavedFile(path)
    raise UnusableFile(f"{stem.parent} has a thousand games called {stem.name}: name a file with {option}")


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


@contextmanager
def written(path: Path | None, write: Callable[[Path], None]) -> Iterator[CannotWrite | None]:
    """Write a file of results before they are printed inside; what went wrong is raised after that."""
    failed = attempt(path, write)
    yield failed
    if failed is not None:
        raise failed


def read_game(path: Path) -> GameRecord:
    """Return the game in a file; what is wrong with it is told in a sentence."""
    with _refusing(path):
        try:
            return load_record(path)
        except InvalidRecord as error:
            raise UnusableFile(f"{path} is no record of a game: {error}") from error


def read_shown(path: Path, seat: Seat | None = None, whole: bool = False) -> GameRecord:
    """Return the game in a file as far as it may be shown: of one that counts and is not over, what the person saw.

    Of such a game the other seat is refused, and so is the whole of it.
    """
    record = read_game(path)
    person = playing(record)
    if person is None:
        return record
    if whole:
        raise UnusableFile(
            f"the game in {path} is not over: until then the opponent's cards stay hidden, "
            "and there is no document of it"
        )
    if seat not in (None, person):
        raise UnusableFile(
            f"the game in {path} is not over: until then you can look at it as {seat_name(person)} alone, where you "
            f"sit, for {seat_name(1 - person)}'s cards stay hidden"
        )
    return observed(record, person)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    if "\0" in str(path):  # which the system's own functions answer with a `ValueError`
        raise UnusableFile(f"{path} can't be read: no file's name has a NUL character")
    try:
        yield
    except OSError as error:
        raise UnusableFile(f"{path} can't be read: {error.strerror or error}") from error
