"""Particle sets kept by information state: who follows the same game again with the same filter gets them back.

What a filter holds is a function of its options, its seed and all that its seat saw: the first observation and every
action since. The key is a hash of these; hands and piles in it are counts, so the order of their cards plays no part.
In matches no state is met twice. Where one is (undo and retry, a review after play, a coach and the panel beside it,
several queries about one game), an update costs a look-up. The sets that were used last are kept, up to a limit in
bytes, one store for the whole process; several threads may use it at a time.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, Final, Generic, TypeVar

import numpy as np

from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation

MEGABYTE: Final = 1 << 20
LIMIT: Final = 256 * MEGABYTE
"""Bytes that are kept unless somebody asks for another limit."""
UNLIMITED: Final = 1 << 62
"""More bytes than there are."""
T = TypeVar("T")
Key = bytes


def first_key(options: object, seen: Observation) -> Key:
    """Return the key of a filter with these options, at the beginning."""
    return _hashed(b"", (options, _canonical(seen)))


def next_key(key: Key, events: Sequence[Event], seen: Observation) -> Key:
    """Return the key after one more action, from the one before it."""
    return _hashed(key, (tuple(events), _canonical(seen)))


def _canonical(seen: Observation) -> tuple[object, ...]:
    """Return an observation as plain values: cards as counts, then sizes and status."""
    status = seen.seat, seen.turn, seen.top, seen.colour, seen.penalty, seen.deciding, seen.drawn, seen.before
    sizes = seen.opponent_size, seen.draw_size, seen.hidden_played, seen.variant, seen.colours
    return seen.hand.data, seen.played.data, status, sizes, str(seen.outcome)


def _hashed(key: Key, told: object) -> Key:
    return blake2b(key + repr(told).encode(), digest_size=16).digest()


class ParticleCache(Generic[T]):
    """What filters held, by information state; the least recently used goes first."""

    def __init__(self) -> None:
        self.hits = 0
        """Times that a state was there."""
        self.misses = 0
        """Times that it was not."""
        self.held = 0
        """Bytes that are kept."""
        self._kept: OrderedDict[Key, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return f"<ParticleCache: {len(self)} states, {self.held:,} bytes, {self.hits} hits, {self.misses} misses>"

    def get(self, key: Key) -> T | None:
        """Return what was kept of a state; None if nothing was."""
        with self._lock:
            if key not in self._kept:
                self.misses += 1
                return None
            self.hits += 1
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Key, state: T, limit: int = LIMIT) -> None:
        """Keep what a filter holds, unless it is larger than the limit by itself."""
        size = size_of(state)
        with self._lock:
            if size > limit or key in self._kept:
                return
            self._kept[key] = state, size
            self.held += size
            while self.held > limit:
                self.held -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget everything, and count from zero."""
        with self._lock:
            self._kept.clear()
            self.hits = self.misses = self.held = 0


def size_of(value: Any) -> int:
    """Return the bytes of all arrays in a value that is made of arrays, tuples and plain records."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, tuple):
        return sum(map(size_of, value))
    return sum(size_of(getattr(value, each.name)) for each in fields(value)) if is_dataclass(value) else 0


particle_cache: Final[ParticleCache[Any]] = ParticleCache()
"""That of this process."""


def limit_of(asked: str) -> int:
    """Return how many bytes may be kept, from the option `cache`: yes, no, unlimited or a number of megabytes."""
    known = {"yes": LIMIT, "no": 0, "unlimited": UNLIMITED}
    return known[asked] if asked in known else int(asked) * MEGABYTE
