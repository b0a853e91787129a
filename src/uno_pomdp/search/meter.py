"""How much of one decision's budget is left, by a given clock."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from uno_pomdp.agents.agent import Budget, Candidate, Clock, Decision
from uno_pomdp.agents.progress import Progress
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.game.observation import Observation


@dataclass(frozen=True, slots=True)
class BudgetMeter:
    """A budget that is being spent."""

    budget: Budget
    """The whole budget."""
    clock: Clock
    started: float
    """When thinking began, by that clock."""
    progress: Progress | None = None
    """Who follows the search, and may stop it."""

    @classmethod
    def start(cls, budget: Budget, clock: Clock, progress: Progress | None = None) -> Self:
        """Begin to count the time."""
        if progress is not None:
            progress.begin()
        return cls(budget, clock, clock(), progress)

    def look(self, simulations: int, candidates: Callable[[], Sequence[Candidate]]) -> None:
        """Let who follows the search know how far it is; `SearchStopped` if it is to end."""
        if self.progress is not None:
            self.progress.look(simulations, candidates)

    def parts(self, worlds: int, each: int) -> Iterator[slice]:
        """Return the parts in which a chunk of worlds is tried: the whole, or few enough to be stopped in between.

        One after the other they come to the same as the whole.
        """
        if self.progress is None:
            yield slice(worlds)
            return
        for first in range(0, worlds, max(each, 1)):
            self.progress.check()
            yield slice(first, first + max(each, 1))

    def milliseconds(self) -> float:
        """Return the time so far."""
        return 1000 * (self.clock() - self.started)

    def decided(self, seen: Observation, belief: Belief, search: Callable[[Self], Decision]) -> Decision:
        """Return the only legal action at once, or what a search within this budget finds, with time and belief."""
        legal = seen.legal_actions()
        decision = Decision(legal[0], note="forced") if len(legal) == 1 else search(self)
        found = belief.diagnostics()
        return replace(decision, milliseconds=self.milliseconds(), belief=found, lie=belief.suspicion())

    def left(self) -> float:
        """Return the share of a time budget that is left; 1 for a budget of simulations."""
        if self.budget.milliseconds is None:
            return 1.0
        return 1.0 - self.milliseconds() / self.budget.milliseconds

    def fitting(self, done: int, share: float = 1.0) -> int:
        """Return how many more simulations should fit into half the time left; any number for a budget of simulations.

        To ask for half, and then again, makes few calls, which hold the GIL while they are prepared, and ends in time.
        """
        if self.budget.milliseconds is None:
            return sys.maxsize
        used = 1.0 - self.left()
        return int(done * max(share - used, 0.0) / (2 * used)) if used > 0.0 else 0
