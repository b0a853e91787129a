"""Rates: a token bucket for each thing that may be done so often."""

from uno_pomdp.web.clock import Clock
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.settings import Rate


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
