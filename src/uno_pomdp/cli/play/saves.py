"""Saved games. A save is an ordinary record, unfinished: rules, deal seed, names and moves restore everything.

The person is called `human` in it, the opponent by the text that makes it. Both deal and agents' chance come from the
deal seed, so nothing else has to be kept. It is written whole after every move: a crash loses at most the line that was
being typed. One process at a time holds the lock on it, and overwrites nothing but what it wrote itself. Each round of
a match is a record of its own, `game.txt`, `game-2.txt` and so on; one that has ended is enough to go on from.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from uno_pomdp.cli.files import claimed_save, dated_file, free_file, read_game
from uno_pomdp.cli.places import folder, later_round
from uno_pomdp.errors import PlaceTaken, UnoError, UnusableFile
from uno_pomdp.files import FilePath, Held, SavedFile
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.session.setup import SavedGame, saved_game
from uno_pomdp.session.tally import moved_in


def new_file(wanted: Path | None, now: datetime, force: bool = False, inputs: Sequence[FilePath] = ()) -> SavedFile:
    """Return the file of a new game, held: the one wanted, if it may be written, or one named by the time."""
    if wanted is not None:
        return claimed_save(wanted, force, inputs)
    return dated_file(folder(), now, "--record")


def round_file(path: Path, number: int) -> SavedFile:
    """Return the file of a round of a match, held, beside that of the round before it."""
    stem = path.with_suffix("")
    before = f"-{number - 1}"
    first = stem.with_name(stem.name.removesuffix(before)) if number > 2 else stem
    return free_file(first.with_name(f"{first.name}-{number}"), "--record")


def write_copy(path: Path, record: GameRecord) -> None:
    """Write a record where the person wants it, over an older save of the same game but over nothing else."""
    with Held(path):
        there = path.exists()
        if there and not _is_older(path, record):
            raise PlaceTaken(f"{path} is there already and is not this game: name another file")
        save_record(path, record, over=there)


def _is_older(path: Path, record: GameRecord) -> bool:
    """Return whether a file holds the same game up to some move: then nothing is lost with it."""
    try:
        other = load_record(path)
    except (OSError, UnoError):
        return False
    mine, theirs = (record.rules, record.seed, record.pile), (other.rules, other.seed, other.pile)
    if other.undone != record.undone[: len(other.undone)]:
        return False
    return mine == theirs and other.moves == record.moves[: len(other.moves)]


def newest(usable: Callable[[Path], object] | None = None, tell: Callable[[str], None] | None = None) -> Path:
    """Return the unfinished game that was played last; one that can't be resumed is reported and skipped.

    Games in which the person has not moved are passed over: they are as good as new ones. A round that has ended counts
    as unfinished if its match goes on and the next round is not there: that is newer.
    """
    home = folder()
    found = sorted(home.glob("*.txt"), key=lambda path: path.stat().st_mtime, reverse=True) if home.is_dir() else []
    begun: set[tuple[int | None, int]] = set()
    for path in found:
        try:
            record = read_game(path)
            if record.match is not None and (record.outcome is not None or moved_in(record)):
                begun.add((record.seed, record.match.round))
            if moved_in(record) if record.outcome is None else _goes_on(record, begun):
                (usable or resumed)(path)
                return path
        except UnoError as error:
            if tell is not None:
                tell(f"{error}; it is passed over")
    raise UnusableFile(f"no unfinished game lies in {home}: name its file, as in --resume game.txt")


def _goes_on(record: GameRecord, begun: set[tuple[int | None, int]]) -> bool:
    """Return whether a round that has ended is the last of its match so far, and that is not over."""
    if record.match is None:
        return False
    with suppress(UnoError):  # no game of a person, or the last round
        following = saved_game(record).setup
        return following.match is not None and (following.seed, following.match.round) not in begun
    return False


def latest_round(path: Path) -> Path:
    """Return the last round of a match that was begun after the one in a file; of another game the file itself."""
    seen = {path.absolute()}
    while True:
        try:
            following = resumed(path)
        except UnusableFile:  # it is said when it is taken up
            return path
        match = following.setup.match
        later = later_round(path, following.setup.seed, match.round) if following.after and match else None
        if later is None or later in seen:
            return path
        seen.add(later)
        path = later


def resumed(path: Path) -> SavedGame:
    """Return the game that a file holds, as far as it has come; after a round that ended, the next one."""
    return saved_game(read_game(path), str(path))
