"""The store: every session as it stands, in an SQLite file, so that a server that was killed goes on.

WAL, so that a write is one append and readers never wait; `synchronous=FULL`, so that a move is on the disk when it is
answered, and not only with the system: a move costs one fsync, as a saved game of `play` does. Keys are hashes of
tokens; games have their seeds in here, so the file is its owner's alone.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from uno_pomdp.errors import UnoError, UnusableFile
from uno_pomdp.files import Held, make_private
from uno_pomdp.web.tokens import Key

VERSION: Final = 1
"""Of the table; a file of another one is refused."""
TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS session "
    "(key BLOB PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL, used REAL NOT NULL) WITHOUT ROWID"
)


class NotStored(UnoError):
    """A session that could not be written."""

    @property
    def trouble(self) -> str:
        """What is said of a session that goes on nevertheless."""
        return f"NOT SAVED: {self}"


class SessionStore:
    """The file; without a path, one in memory that ends with the process. Any thread may use it."""

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._held: Held | None = None
        if path is not None:
            self._held = Held(path)  # a second server would play the same games
            make_private(path)
        try:
            self._file = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
            if version not in (0, VERSION):
                raise UnusableFile(f"{path} is from another version of uno-pomdp: name another file with --store")
            self._file.execute(TABLE)
            self._file.execute("CREATE INDEX IF NOT EXISTS by_use ON session (used)")
            self._file.execute(f"PRAGMA user_version={VERSION}")
        except sqlite3.Error as error:
            self._release()
            raise UnusableFile(f"{path} can't be used as a store: {error}; name another with --store") from error
        except UnusableFile:
            self._release()
            raise

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._file
            except sqlite3.Error as error:  # its text may hold paths: for the log, not for a page
                raise NotStored("the server could not write to its store: its disk may be full") from error

    def save(self, key: Key, kind: str, data: str, now: float) -> None:
        """Write a session; when this returns, it is on the disk."""
        with self._open() as file:
            file.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?)", (key, kind, data, now))

    def load(self, key: Key, kind: str) -> str | None:
        """Return what was written of a session; None if there is none of this kind."""
        with self._open() as file:
            row = file.execute("SELECT data FROM session WHERE key = ? AND kind = ?", (key, kind)).fetchone()
        return None if row is None else str(row[0])

    def touch(self, key: Key, now: float) -> None:
        """Note that a session was used."""
        with self._open() as file:
            file.execute("UPDATE session SET used = ? WHERE key = ?", (now, key))

    def forget(self, before: float, most: int) -> int:
        """Forget what was not used since a time, and beyond so many sessions those used longest ago."""
        with self._open() as file:
            gone = file.execute("DELETE FROM session WHERE used < ?", (before,)).rowcount
            (count,) = file.execute("SELECT count(*) FROM session").fetchone()
            if count > most:
                oldest = "SELECT key FROM session ORDER BY used LIMIT ?"
                gone += file.execute(f"DELETE FROM session WHERE key IN ({oldest})", (count - most,)).rowcount
        return gone

    def __len__(self) -> int:
        with self._open() as file:
            (count,) = file.execute("SELECT count(*) FROM session").fetchone()
        return int(count)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._held.release()
            self._held = None
