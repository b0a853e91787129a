"""Where saved games lie, and what their last line says. Nothing here reads a whole game: that would need Numba."""

import os
import re
import sys
from pathlib import Path
from typing import Final

UNFINISHED: Final = "result: unfinished"
"""The last line of a game that can be gone on with."""
HEAD: Final = 4000
"""Bytes in which the lines before the cards of a record are found."""
PERSON: Final = "human"
"""What the person is called in records."""
TAIL: Final = 200
"""Bytes in which the last line of a record is found."""


def folder() -> Path:
    """Return where games lie whose file the person has not named."""
    chosen = os.environ.get("UNO_POMDP_GAMES")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "uno-pomdp" / "games"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "uno-pomdp" / "games"


def last_line(path: Path) -> str:
    """Return the last line of a file; nothing if it can't be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - TAIL, 0))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1].strip() if lines else ""


def head(path: Path) -> dict[str, str]:
    """Return what the first lines of a record say, by their names; nothing if it can't be read."""
    try:
        with path.open("rb") as file:
            lines = file.read(HEAD).decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    return {name: value for name, mark, value in (line.partition(": ") for line in lines) if mark}


def later_round(path: Path, seed: int, number: int) -> Path | None:
    """Return the file of a round of a match in the folder of an earlier one, by its deal and its number.

    One in which the person has not moved is as good as none.
    """
    marks = f"\nseed: {seed}\n", f"\nround: {number}\n"
    for other in sorted(path.absolute().parent.glob("*.txt")):
        try:
            with other.open("rb") as file:
                text = file.read(HEAD).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:
            continue
        if all(mark in text for mark in marks) and (last_line(other) != UNFINISHED or person_moved(other)):
            return other
    return None


def saved(unfinished: bool, home: Path | None = None) -> list[Path]:
    """Return the games of a folder that look finished or not, the newest first; those of saved games if none is named.

    An unfinished one in which the person has not moved is left out: it is as good as a new one.
    """
    home = home or folder()
    lines = [(path, last_line(path)) for path in home.glob("*.txt")] if home.is_dir() else []
    found = [path for path, line in lines if line.startswith("result:") and (line == UNFINISHED) == unfinished]
    return sorted((path for path in found if not unfinished or person_moved(path)), key=changed, reverse=True)


def person_moved(path: Path) -> bool:
    """Return whether the person has a move in an unfinished game; true of a record of nobody's game."""
    told = head(path)
    names = [name for name in ("player 1", "player 2") if told.get(name) == PERSON]
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return False
    return not names or re.search(rf"^\d+\. {names[0]}: ", text, re.MULTILINE) is not None


def changed(path: Path) -> float:
    """Return when a file was written last, in seconds of the system's time."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
