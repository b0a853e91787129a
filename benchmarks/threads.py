"""What a second core is worth to a search: rules `house`, two cores.

Simulations a second with `threads=2`, divided by those with one thread, in one process and in turn, over decisions in
mid-game (the positions of `benchmarks.search`). With a budget of time each thread has all of it; with one of
simulations each has half of them. Threads are for thinking long, as a coach does: the bar is on a tenth of a second. A
match of short decisions has processes instead. Beside it stand decisions of 10 ms, of which waking a thread and merging
is a larger part.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, run, seconds, shown
from benchmarks.search import HOUSE, Position, positions
from uno_pomdp.registry import make_agent
from uno_pomdp.search.search import Search

BAR: Final = 1.7


def rate_of(text: str, places: list[Position]) -> Callable[[int], float]:
    """Return what measures the simulations a second of an agent, who keeps its threads all the while."""
    agent = make_agent(text)
    assert isinstance(agent, Search)

    def rate(repeat: int) -> float:
        agent.start(HOUSE, places[0].game.observation(places[0].game.turn), repeat)
        simulations = 0

        def decide() -> None:
            nonlocal simulations
            for place in places:
                agent.observation, agent.belief = place.game.observation(place.game.turn), place.belief
                simulations += agent.decide().simulations

        spent = seconds(decide)
        return simulations / spent

    return rate


def scaling(name: str, budgets: dict[str, float | None]) -> Callable[[Run], Iterator[Claim]]:
    """Return the part that measures one search."""

    def measure(run: Run) -> Iterator[Claim]:
        places = positions(run.pick(20, 2))
        for budget, bar in budgets.items() if not run.quick else (("sims=100", None),):
            one, two = (rate_of(f"{name}:{budget}{threads}", places) for threads in ("", ",threads=2"))
            one(99), two(99)
            ones, twos = run.interleaved(one, two)
            title, ratio = f"{name}:{budget}, simulations/s with 2 threads ÷ 1", median_ratio(twos, ones)
            yield shown(title, ratio, "×") if bar is None else at_least(title, ratio, bar, "×")
            yield shown(f"{name}:{budget}, 2 threads", median(twos), "simulations/s")

    return measure


BUDGETS: Final = {"ms=100": BAR, "sims=100000": BAR, "ms=10": None, "sims=10000": None}
"""With the bar of each, if it has one."""
BENCHMARK = Benchmark(
    "threads",
    (Part("threads of flat", scaling("flat", BUDGETS)), Part("threads of ismcts", scaling("ismcts", BUDGETS))),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
