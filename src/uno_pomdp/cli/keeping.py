"""A game that is saved at every move, and an honest report of what is on the disk."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from uno_pomdp.cli.ui.console import err
from uno_pomdp.errors import CannotWrite, UnoError
from uno_pomdp.files import SavedFile, write_text
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord

NOT_SAVED: Final = 2
"""Exit code: the game is not where it should be."""


@dataclass(frozen=True, slots=True)
class KeptGame:
    """Where a game is when its session ends."""

    saved: bool
    """Whether all of it is in its file."""
    sentence: str
    """Where it is and how to go on, to be said after `The game is`."""
    path: Path | None
    """A file that holds all of it, its own or another; None if there is none."""
    text: str = ""
    """Its record, if no file could take it: to be printed, so that it is not lost."""

    def tell(self) -> None:
        """Say on the error console that a game is not saved, and print it if that is all that is left of it."""
        if not self.saved:
            err.print(f"uno-pomdp: the game is {self.sentence}", markup=False, soft_wrap=True)
            if self.text:
                err.print(f"\n{self.text}", markup=False, soft_wrap=True, end="")


class Keeper:
    """Saves a game in its file, held for as long as it is played, and remembers what is not saved yet."""

    def __init__(self, file: SavedFile, command: str, record: GameRecord | None = None) -> None:
        self._file = file
        self._command = command
        self._saved = record
        self._record = record

    @property
    def path(self) -> Path:
        """The game's file."""
        return self._file.path

    def keep(self, record: GameRecord) -> None:
        """Save the game as it stands; what stands in the way is raised, and the next time tries again."""
        self._record = record
        self._file.write(format_record(record).encode())
        self._saved = record

    def release(self) -> None:
        """Release the lock on the file."""
        self._file.release()

    def settled(self) -> KeptGame:
        """Try once more to save what is not saved, elsewhere if need be, and return where the game is."""
        if self._record is not None and self._record is not self._saved:
            try:
                self.keep(self._record)
            except UnoError as error:
                return self._elsewhere(self._record, error)
        return KeptGame(True, self.how_to_resume(self.path), self.path)

    def how_to_resume(self, path: Path) -> str:
        """Return where a game lies and the command that goes on with it."""
        return f"saved as {path}; go on with: {self._command} {quote(str(path))}"

    def _elsewhere(self, record: GameRecord, error: UnoError) -> KeptGame:
        """Put a game that its own file does not take where the system keeps what is temporary."""
        moves = len(record.moves)
        held = 0 if self._saved is None else len(self._saved.moves)
        has = f"; it has {held} of the {moves} moves" if isinstance(error, CannotWrite) else ""
        try:
            path = Path(tempfile.gettempdir()) / f"{self.path.stem}-{os.getpid()}.txt"
            write_text(path, format_record(record), over=False)
        except OSError:  # that may well be the same full disk
            return KeptGame(False, f"NOT saved: {error}{has}; its whole record follows", None, format_record(record))
        goes_on = "" if record.outcome else f"; go on with: {self._command} {quote(str(path))}"
        return KeptGame(False, f"NOT saved: {error}{has}; all of it is in {path}{goes_on}", path)
