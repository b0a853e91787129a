"""`Progress`: how whoever asks an agent to search hears of it on the way, and stops it.

A search looks at its agent's `progress` between chunks of simulations. A budget of simulations comes to the same result
with one or without.
"""

import time
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Final

from uno_pomdp.agents.agent import Candidate, Clock
from uno_pomdp.errors import UnoError

Report = Callable[[Sequence[Candidate], int], None]
"""Is told the candidates so far, the best first, and the simulations so far."""
EVERY: Final = 0.1
"""Seconds between two reports, if nothing else is asked for."""


class SearchStopped(UnoError):
    """A search that was stopped before it had a result."""

    def __init__(self, reason: str = "the search was stopped before its end") -> None:
        super().__init__(reason)


class Progress:
    """Follows one search: is told of it now and then, and can stop it from any thread.

    Where several threads search, the one that was asked reports, with its own counts; all of them stop.
    """

    def __init__(self, report: Report | None = None, every: float = EVERY, clock: Clock = time.monotonic) -> None:
        self.report: Final = report
        """Called in the thread that was asked to search; None for nobody."""
        self.every: Final = every
        """The fewest seconds between two reports."""
        self._clock = clock
        self._thread = get_ident()
        self._due = 0.0
        self._stopped = False

    def __repr__(self) -> str:
        return f"<Progress, {'stopped' if self._stopped else f'every {self.every:g} s'}>"

    @property
    def stopped(self) -> bool:
        """Whether it was stopped."""
        return self._stopped

    def stop(self) -> None:
        """End the search: it raises `SearchStopped` at its next look. One that has not begun ends at once."""
        self._stopped = True

    # --- what a search calls -----------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin to count the time, in the thread that was asked to search."""
        self.check()
        self._thread = get_ident()
        self._due = self._clock() + self.every

    def check(self) -> None:
        """Raise `SearchStopped` if it was stopped."""
        if self._stopped:
            raise SearchStopped

    def look(self, simulations: int, candidates: Callable[[], Sequence[Candidate]]) -> None:
        """Raise `SearchStopped` if it was stopped; report if it is time and the right thread asks."""
        self.check()
        if self.report is None or get_ident() != self._thread:
            return
        now = self._clock()
        if now >= self._due:
            self._due = now + self.every
            self.report(candidates(), simulations)
