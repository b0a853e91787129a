"""The results of a long match on disk: lines of JSON, appended and never changed. The format is in docs/arena.md.

The first line tells which match it is, each other line one finished pair, ending in a checksum. A line counts
once its newline is written: what a kill leaves half-written is dropped, and that pair is played again.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn, TypeVar
from zlib import crc32

import numpy as np

from uno_pomdp.arena.results import PAIR, Pairs
from uno_pomdp.errors import CannotWrite, PlaceTaken, UnusableFile, quoted
from uno_pomdp.files import Appended, make_folder
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.rules import DEFAULTS

FORMAT: Final = "uno-pomdp results"
VERSION: Final = 3
Number = TypeVar("Number", int, float)
SCORES: Final = (0.0, 0.5, 1.0)
"""What a game can bring; its place here is the doubled points."""
MOST_COUNTED: Final = 2**31 - 1
"""The largest whole number of a line."""
SHOWN: Final = 60
"""Characters of a value of a header that a refusal repeats."""
CHECKSUM: Final = ',"crc":"'


def save_games(folder: Path, index: int, games: Sequence[GameRecord]) -> None:
    """Write the games of a pair as records; playing it again writes the same files."""
    make_folder(folder)
    for number, game in enumerate(games, 1):
        save_record(folder / f"pair-{index:07d}-game-{number}.txt", game)


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store says."""

    header: dict[str, Any]
    """Which match it is."""
    pairs: Pairs
    """The finished pairs, in the order in which they were finished."""
    size: int
    """The bytes that count; what follows them was half-written when the run was killed."""

    def __repr__(self) -> str:
        agents = " v ".join(map(str, self.header.get("agents", ())))
        return f"<Stored: {agents}, {len(self.pairs):,} pairs, {self.size:,} bytes>"


def read_store(path: str | os.PathLike[str]) -> Stored:
    """Read a store, also one that a run is writing to."""
    try:
        return _parse(Path(path).read_bytes(), os.fspath(path))
    except OSError as error:
        raise UnusableFile(f"{os.fspath(path)} can't be read: {error.strerror}") from error


class Store:
    """A store to append to: locked by one run at a time, and for one match only."""

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self._name = os.fspath(path)
        try:
            self._file = Appended(path)
        except (CannotWrite, PlaceTaken) as error:
            raise UnusableFile(str(error)) from error
        try:
            self.pairs = self._resume({"format": FORMAT, "version": VERSION} | header)
            """The pairs that were finished before."""
        except CannotWrite as error:
            self._file.close()
            raise UnusableFile(str(error)) from error
        except BaseException:
            self._file.close()
            raise
        self._count = len(self.pairs)

    def __repr__(self) -> str:
        return f"<Store {self._name}: {self._count:,} pairs>"

    def _resume(self, header: dict[str, Any]) -> Pairs:
        """Return the finished pairs and cut off what is half-written; begin a store that is empty."""
        line = json.dumps(header, ensure_ascii=False).encode() + b"\n"
        self._seed = crc32(line)
        content = self._file.read()
        if line.startswith(content):  # empty, or killed within its first line
            self._file.cut(0)
            self._file.append(line)
            return np.zeros(0, PAIR)
        stored = _parse(content, self._name)
        self._seed = crc32(content[: content.index(b"\n") + 1])
        for key in header:
            was = stored.header.get(key)
            if key == "rules" and isinstance(was, dict):
                was = DEFAULTS | was
            if was != header[key]:
                difference = _difference(key, was, header[key])
                raise UnusableFile(f"{self._name} holds another match: {difference}")
        self._file.cut(stored.size)
        return stored.pairs

    def append(self, pairs: Pairs) -> None:
        """Add finished pairs; once this returns, no kill loses them."""
        try:
            self._file.append("".join(_line(pair, self._seed) for pair in pairs.tolist()).encode())
        except CannotWrite as error:
            raise UnusableFile(f"{error}; pairs kept so far: {self._count}, and the same command goes on") from error
        self._count += len(pairs)

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# --- lines -----------------------------------------------------------------------------------------------


def _line(pair: tuple[Any, ...], seed: int) -> str:
    """Return a pair as its line; the checksum goes over the store's first line and this one up to itself."""
    index, (first, second), actions, decisions, seconds, luck, lengths, turns = pair
    lucks = "null" if isnan(luck[0]) else f"[{float(luck[0])!r},{float(luck[1])!r}]"
    body = (
        f'{{"pair":{index},"as_first":{first / 2:g},"as_second":{second / 2:g},"actions":{actions},'
        f'"decisions":[{decisions[0]},{decisions[1]}],"seconds":[{seconds[0]:.6f},{seconds[1]:.6f}],'
        f'"luck":{lucks},"game_actions":[{lengths[0]},{lengths[1]}],"game_turns":[{turns[0]},{turns[1]}]'
    )
    return f'{body}{CHECKSUM}{crc32(body.encode(), seed):08x}"}}\n'


def _parse(content: bytes, name: str) -> Stored:
    size = content.rfind(b"\n") + 1
    first, *lines = content[:size].splitlines(keepends=True) or [b""]
    header = _header(first, name)
    seed = crc32(first)
    pairs = np.zeros(len(lines), PAIR)
    for row, line in enumerate(lines):
        pairs[row] = _pair(line, seed, name, row + 2)
    indices, counts = np.unique(pairs["index"], return_counts=True)
    if (counts > 1).any():
        raise UnusableFile(f"{name} is damaged: pair {indices[counts > 1][0]} stands there more than once")
    return Stored(header, pairs, size)


def _header(line: bytes, name: str) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UnusableFile(f"{name} is no results store: its first line does not say {FORMAT!r}")
    version = header.get("version")
    if version != VERSION:
        raise UnusableFile(
            f"{name} is of version {quoted(version)}: only version {VERSION} can be read, so keep it and play "
            "into a new file"
        )
    return header


def _pair(line: bytes, seed: int, name: str, number: int) -> tuple[Any, ...]:
    body, mark, checksum = line.rpartition(CHECKSUM.encode())
    if not mark or checksum != b'%08x"}\n' % crc32(body, seed):
        _damaged(name, number)
    try:
        found = json.loads(line)
        points = tuple(SCORES.index(_real(found[key])) for key in ("as_first", "as_second"))
        luck = (nan, nan) if found["luck"] is None else _two(found["luck"], _real)
        spent = _two(found["seconds"], _real)
        lengths = (_two(found[name], _whole) for name in ("game_actions", "game_turns"))
        counts = _whole(found["actions"]), _two(found["decisions"], _whole)
        return _whole(found["pair"]), points, *counts, spent, luck, *lengths
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        raise UnusableFile(
            f"{name} is damaged: line {number} is no finished pair; delete it and its pair is played again"
        ) from None


def _two(values: object, read: Callable[[object], Number]) -> tuple[Number, Number]:
    """Return two numbers of a line; that of the first game or agent comes first."""
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise ValueError
    return read(values[0]), read(values[1])


def _whole(value: object) -> int:
    """Return a number of a line that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COUNTED:
        raise ValueError
    return value


def _real(value: object) -> float:
    """Return a number of a line that measures something."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError
    return value


def _damaged(name: str, number: int) -> NoReturn:
    raise UnusableFile(
        f"{name} is damaged: line {number} does not fit its checksum; delete it and its pair is played again"
    )


def _difference(key: str, was: object, now: object) -> str:
    """Return where two values of a header differ: the first field of rules that does, the part of a long text."""
    if key == "rules" and isinstance(was, dict) and isinstance(now, dict):
        field = next((name for name in now | was if was.get(name) != now.get(name)), "")
        key, was, now = f"rules: {field}", was.get(field), now.get(field)
    texts = [json.dumps(value, ensure_ascii=False) for value in (was, now)]
    same = next((place for place, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), 0)
    start = max(same - SHOWN // 3, 0) if max(map(len, texts)) > SHOWN else 0
    there, here = (
        "…" * (start > 0) + text[start : start + SHOWN] + "…" * (len(text) > start + SHOWN) for text in texts
    )
    return f"{key} is {there} there and {here} here"
