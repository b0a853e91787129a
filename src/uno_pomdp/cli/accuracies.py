"""How accurate games were, kept beside them: a review takes seconds, and its figure does not change."""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from uno_pomdp.cli.places import folder
from uno_pomdp.errors import CannotWrite
from uno_pomdp.files import write_text
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord

NAME: Final = "accuracies.json"
REVIEWS: Final = 2
"""Raised when the same coach comes to judge the same game otherwise: figures from before then are not known."""
MOST: Final = 1 << 24
"""Bytes of a file that is read."""


class Accuracies:
    """Figures by game and coach, in a file; a damaged one, or one that can't be written, only costs time."""

    def __init__(self) -> None:
        self._path: Path = folder() / NAME
        self._known: dict[str, float | None] = {}
        with suppress(OSError, ValueError):
            if self._path.stat().st_size < MOST:
                self._known = _figures(json.loads(self._path.read_text(encoding="utf-8")))

    def knows(self, record: GameRecord, coach: str) -> bool:
        """Return whether a coach has judged this game."""
        return _key(record, coach) in self._known

    def of(self, record: GameRecord, coach: str) -> float | None:
        """Return the person's accuracy in per cent; None if it is not known, or nothing was to be decided."""
        return self._known.get(_key(record, coach))

    def note(self, record: GameRecord, coach: str, accuracy: float | None) -> None:
        """Keep a figure, if the games have a folder."""
        self._known[_key(record, coach)] = accuracy
        if self._path.parent.is_dir():
            with suppress(CannotWrite):
                write_text(self._path, json.dumps(self._known, indent=0))


def _figures(told: Any) -> dict[str, float | None]:
    """Return what a file says, as far as it has figures."""
    if not isinstance(told, dict):
        return {}
    return {
        key: value
        for key, value in told.items()
        if value is None or (isinstance(value, float | int) and -1e3 < value <= 100)
    }


def _key(record: GameRecord, coach: str) -> str:
    return sha256(f"{REVIEWS}\n{coach}\n{format_record(record)}".encode()).hexdigest()[:20]
