"""Time, injected: whoever tests limits and slots need not wait."""

import asyncio
import time


class Clock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return seconds from any start, which never go back."""
        return time.monotonic()

    def today(self) -> float:
        """Return seconds since 1970, which are still the same clock after a restart."""
        return time.time()

    async def until(self, moment: float) -> None:
        """Wait until `now` has come so far."""
        await asyncio.sleep(max(moment - self.now(), 0.0))
