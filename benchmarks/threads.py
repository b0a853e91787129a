"""What a second core is worth to a search: rules `house`, two cores.

Simulations a second with `threads=2` by those with one thread, in one process and in turn, over decisions in mid-game
(the positions of `benchmarks.search`). With a budget of 10 ms each thread has all of the time; with 10,000 simulations
each has half of them. The bar is on both.
"""

import sys
from collections.abc import Callable, Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, run, seconds, shown
from benchmarks.search import HOUSE, Position, positions
from uno_pomdp.planners.base import Planner
from uno_pomdp.registry import make_agent

BAR = 1.7


def rate_of(text: str, places: list[Position]) -> Callable[[int], float]:
    """Return what measures the simulations a second of an agent, who keeps its threads all the while."""
    agent = make_agent(text)
    assert isinstance(agent, Planner)

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


def scaling(name: str, budgets: tuple[str, str]) -> Callable[[Run], Iterator[Claim]]:
    """Return the part that measures one search."""

    def measure(run: Run) -> Iterator[Claim]:
        places = positions(run.pick(50, 2))
        for budget in budgets if not run.quick else ("sims=100",):
            one, two = (rate_of(f"{name}:{budget}{threads}", places) for threads in ("", ",threads=2"))
            one(99), two(99)
            ones, twos = run.interleaved(one, two)
            yield at_least(f"{name}:{budget}, simulations/s with 2 threads ÷ 1", median_ratio(twos, ones), BAR, "×")
            yield shown(f"{name}:{budget}, 2 threads", median(twos), "simulations/s")

    return measure


BUDGETS = ("ms=10", "sims=10000")
BENCHMARK = Benchmark(
    "threads",
    (Part("threads of flat", scaling("flat", BUDGETS)), Part("threads of ismcts", scaling("ismcts", BUDGETS))),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
