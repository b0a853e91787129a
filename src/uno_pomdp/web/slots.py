"""Slots: when an opponent's answer is published, so that the time it took tells nothing about its cards.

A forced move takes no search, and a choice does; whoever saw answers as they are found could tell one from the other.
So an answer appears a fixed time after the move that it answers. A search that takes longer appears at the next
multiple, and from then on the slot is twice as long, so that a game tells of that once or twice, and never again.
"""

from math import ceil
from typing import Final

ROOM: Final = 2.0
"""How much longer than its time budget a first slot is at least."""


class Slots:
    """When the answers of one game are published."""

    def __init__(self, seconds: float, milliseconds: float = 0.0) -> None:
        self.length = seconds
        """Seconds from a move to its answer; twice and twice that for an opponent that thinks longer by the clock."""
        while 0.0 < self.length < ROOM * milliseconds / 1000.0:
            self.length *= 2

    def moment(self, since: float, found: float) -> float:
        """Return when to publish an answer to what was shown `since`, if it is found by then."""
        if self.length == 0.0:
            return found
        took = max(1, ceil((found - since) / self.length))
        moment = since + took * self.length
        if took > 1:
            self.length *= 2
        return moment
