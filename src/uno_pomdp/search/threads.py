"""Root-parallel search: several threads search one decision, each in its own worlds, and their counts are added.

Kernels run without the GIL, so threads share a process and a belief, which a search only reads. What a search
writes (worlds, trees, streams of random numbers) is its own. With the same seed, the same number of threads and
a budget of simulations the merged decision is the same, in whatever order the threads finish.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from math import sqrt

import numpy as np

from uno_pomdp.agents.agent import Budget, Candidate, Decision, InvalidAgent
from uno_pomdp.agents.progress import SearchStopped
from uno_pomdp.quantities import THREADS, naming

SearchAlone = Callable[[Budget, np.random.SeedSequence], Decision]
"""One search of the decision at hand, within a budget and with its own randomness."""
Ranking = Callable[[Sequence[Candidate]], list[Candidate]]
"""Ranks candidates, the best first."""


class Threads:
    """A thread pool kept for an agent's life: starting threads for every decision costs more than waking these."""

    def __init__(self, count: int) -> None:
        self.count = count
        """How many searches run at a time; one of them runs in the calling thread."""
        self._pool: ThreadPoolExecutor | None = None

    def search(self, search: SearchAlone, budget: Budget, seed: np.random.SeedSequence, ranking: Ranking) -> Decision:
        """Return the merged decision of searches that share the budget."""
        budgets = shares(budget, self.count)
        if len(budgets) == 1:
            return search(budget, seed)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1, thread_name_prefix="search")
        seeds = seed.spawn(len(budgets))
        others = [self._pool.submit(search, *asked) for asked in zip(budgets[1:], seeds[1:], strict=True)]
        try:
            return merged([search(budgets[0], seeds[0]), *(other.result() for other in others)], ranking)
        except SearchStopped:
            wait(others)  # which stop as well: nobody is left at work on what the agent may now be asked anew
            raise


def threads_of(count: int) -> Threads | None:
    """Return a pool of so many threads; None if there is only one."""
    with naming("threads", InvalidAgent):
        THREADS.checked(count)
    return Threads(count) if count > 1 else None


def shares(budget: Budget, threads: int) -> list[Budget]:
    """Return each thread's budget: its share of the simulations, at least one; or all of the time."""
    if budget.simulations is None:
        return [budget] * threads
    each, more = divmod(budget.simulations, threads)
    counts = (each + (thread < more) for thread in range(threads))
    return [Budget(simulations=count) for count in counts if count]


def merged(decisions: Sequence[Decision], ranking: Ranking) -> Decision:
    """Return one decision from the summed counts of all searches, with the candidates ranked by `ranking`."""
    candidates: dict[int, list[Candidate]] = {}
    for decision in decisions:
        for candidate in decision.candidates:
            candidates.setdefault(candidate.action.id, []).append(candidate)
    best_first = ranking([_pooled(candidates[action]) for action in sorted(candidates)])
    action = best_first[0].action
    return Decision(
        action,
        tuple(best_first),
        max((decision.line for decision in decisions if decision.action == action), key=len, default=()),
        sum(decision.worlds for decision in decisions),
        sum(decision.simulations for decision in decisions),
        note=decisions[0].note,
    )


def _pooled(found: Sequence[Candidate]) -> Candidate:
    """Return what several searches found about one action: means weighted by visits, n = Σ nᵢ, q = Σ nᵢ qᵢ / n.

    The searches are independent, so the squared error is Σ (nᵢ / n)² eᵢ².
    """
    visits = sum(one.visits for one in found)
    if not visits:
        return found[0]
    value = sum(one.visits * (one.value or 0.0) for one in found) / visits
    error = sqrt(sum((one.visits * (one.error or 0.0)) ** 2 for one in found)) / visits
    return replace(found[0], value=min(value, 1.0), error=error, visits=visits, note="")
