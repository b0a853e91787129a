"""A bounded cache with counters: what was worked out for one information state is kept for the next asker."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from uno_pomdp.errors import UnoError

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Keeps the values used last; asking twice costs once."""

    def __init__(self, capacity: int = 1024) -> None:
        if capacity < 1:
            raise UnoError(f"a cache of {capacity} values keeps nothing: give a capacity of at least 1")
        self.capacity = capacity
        """How many values are kept at most."""
        self.hits = 0
        """Times a value was there."""
        self.misses = 0
        """Times it had to be worked out."""
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable, work_out: Callable[[], Value]) -> Value:
        """Return the value of a key, worked out if it is not kept; the one unused for longest goes first."""
        if key in self._values:
            self.hits += 1
            self._values.move_to_end(key)
            return self._values[key]
        self.misses += 1
        value = work_out()
        self._values[key] = value
        if len(self._values) > self.capacity:
            self._values.popitem(last=False)
        return value

    def __len__(self) -> int:
        return len(self._values)

    @property
    def hit_rate(self) -> float:
        """The share of requests that were answered from the cache; 0 before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0
