"""Saved games. A save is an ordinary record, unfinished: rules, deal seed, names and moves restore everything.

The person is called `human` in it, the opponent by the text that makes it. Both deal and agents' chance come from the
deal seed, so nothing else has to be kept. It is written whole after every move: a crash loses at most the line that was
being typed. One process at a time holds the lock on it, and overwrites nothing but what it wrote itself.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from uno_pomdp.cli.files import claimed_save, read_game
from uno_pomdp.errors import CannotWrite, PlaceTaken, UnoError, UnusableFile
from uno_pomdp.files import FilePath, Held, SavedFile, make_folder
from uno_pomdp.game.actions import FORGOT_UNO, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import GameRecord, record_of
from uno_pomdp.rules import Rules

HUMAN: Final = "human"
"""What the person is called in records."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All that determines a game, except the moves of the person."""

    rules: Rules
    """The rules."""
    seed: int
    """The deal seed."""
    seat: Seat
    """Where the person sits."""
    opponent: str
    """The text that makes the other player."""

    @property
    def players(self) -> tuple[str, str]:
        """The names for the record."""
        return (HUMAN, self.opponent) if self.seat == 0 else (self.opponent, HUMAN)

    def chance(self, what: int) -> np.random.SeedSequence:
        """Return a seed grown from the deal's: 0 and 1 for the seats, 2 for the coach."""
        return np.random.SeedSequence(self.seed, spawn_key=(what,))

    def record(self, actions: Sequence[Action]) -> GameRecord:
        """Return the whole record of the game after these actions."""
        game = Game.new(self.rules, self.seed)
        for action in actions:
            game.apply(action)
        return record_of(game, self.players)


def folder() -> Path:
    """Return where games lie whose file the person has not named."""
    chosen = os.environ.get("UNO_POMDP_GAMES")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "uno-pomdp" / "games"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "uno-pomdp" / "games"


def new_file(wanted: Path | None, now: datetime, force: bool = False, inputs: Sequence[FilePath] = ()) -> SavedFile:
    """Return the file of a new game, held: the one wanted, if it may be written, or one named by the time."""
    if wanted is not None:
        return claimed_save(wanted, force, inputs)
    home = folder()
    try:
        make_folder(home)
    except CannotWrite as error:
        raise UnusableFile(f"{home} can't be made: {error.strerror}; name a file with --record") from error
    stem = now.strftime("%Y-%m-%d-%H%M%S")
    for nth in range(1, 1000):
        path = home / f"{stem}{f'-{nth}' if nth > 1 else ''}.txt"
        if not path.exists():
            with suppress(PlaceTaken):  # by another game that begins in the same second
                return SavedFile(path)
    raise UnusableFile(f"{home} has a thousand games of this second: name a file with --record")


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
    return mine == theirs and other.moves == record.moves[: len(other.moves)]


def newest(usable: Callable[[Path], object] | None = None, tell: Callable[[str], None] | None = None) -> Path:
    """Return the unfinished game that was played last; one that can't be resumed is reported and skipped."""
    home = folder()
    found = sorted(home.glob("*.txt"), key=lambda path: path.stat().st_mtime, reverse=True) if home.is_dir() else []
    for path in found:
        try:
            if read_game(path).outcome is None:
                (usable or resumed)(path)
                return path
        except UnoError as error:
            if tell is not None:
                tell(f"{error}; it is passed over")
    raise UnusableFile(f"no unfinished game lies in {home}: name its file, as in --resume game.txt")


def resumed(path: Path) -> tuple[Setup, tuple[Action, ...]]:
    """Return the game that a file holds, and its moves so far."""
    record = read_game(path)
    if record.outcome is not None:
        raise UnusableFile(f"the game in {path} is over, {record.outcome}: `uno-pomdp analyze {path}` reviews it")
    if record.seed is None or record.players.count(HUMAN) != 1:
        raise UnusableFile(f"{path} is no game of a person against an agent: one player of it has to be called {HUMAN}")
    seat = record.players.index(HUMAN)
    setup = Setup(record.rules, record.seed, seat, record.players[1 - seat])
    actions = tuple(move.action for move in record.moves)
    if record.practice or record.match is not None or record.midgame is not None or FORGOT_UNO in actions:
        raise UnusableFile(f"the game in {path} is more than a deal and its moves: it can be read, but not resumed")
    if _dealt_otherwise(setup, record, actions):
        raise UnusableFile(f"the cards in {path} are not those of its seed: such a game can be read, but not resumed")
    return setup, actions


def _dealt_otherwise(setup: Setup, record: GameRecord, actions: tuple[Action, ...]) -> bool:
    try:
        return setup.record(actions) != record
    except UnoError:  # a move that is not legal with the seed's own cards
        return True
