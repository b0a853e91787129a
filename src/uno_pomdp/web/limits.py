"""Rates: a token bucket for each thing that may be done so often."""

from typing import Final

from starlette.types import Scope

from uno_pomdp.web.clock import Clock
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.settings import Rate

MOST_BUCKETS: Final = 1_000
"""Buckets that are kept side by side: the one used longest ago is the first to be full again, and makes room."""


class Bucket:
    """A token bucket: full at first, filled at a steady rate, emptied by what is done."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self._rate = rate
        self._clock = clock
        self._level = float(rate.burst)
        self._at = clock.now()

    def take(self, what: str) -> None:
        """Count one thing done, or refuse it where it would be too many."""
        now = self._clock.now()
        self._level = min(self._rate.burst, self._level + (now - self._at) * self._rate.per_second)
        self._at = now
        if self._level < 1.0:
            raise Problem("too_many", f"too many {what} in a short time: wait a moment, then go on", after=1.0)
        self._level -= 1.0


class Buckets:
    """A token bucket for each address that requests come from, made when it is first needed."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def take(self, scope: Scope, what: str) -> None:
        """Count one thing that the sender of a request does, or refuse it where it would be too many."""
        whose = address_of(scope)
        bucket = self._buckets.pop(whose, None) or Bucket(self._rate, self._clock)
        self._buckets[whose] = bucket  # the last in order is the one used last
        if len(self._buckets) > MOST_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        bucket.take(what)


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from."""
    address, _ = scope["client"] or ("", 0)
    return str(address)
