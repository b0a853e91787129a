"""What the fitted V is worth: rules `house`, duplicate deals, luck-adjusted points with 95 % intervals.

*Lookahead* is the agent `value`, one step ahead with 400 simulations a decision. The bar against `greedy` is on the low
end of the interval: `value` beats `greedy` if all of it lies above one half. *Leaves* is POMCP with V at new histories
against POMCP with playouts, both with 300 simulations a decision and `heuristic` as the model of the opponent.
"""

import sys
from collections.abc import Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.rules import preset

HOUSE = preset("house")
PROCESSES = 2


def points(first: str, second: str, pairs: int) -> Interval:
    """Return the first agent's points."""
    return run_match(Match(HOUSE, (first, second), pairs, seed=1), processes=PROCESSES).sharpest()


def shown_match(first: str, second: str, pairs: int) -> Iterator[Claim]:
    """Show one match."""
    found = points(first, second, pairs)
    yield shown(f"{first} v {second}", 100 * found.estimate, "%")
    yield shown(f"{first} v {second}, half the interval", 50 * (found.high - found.low), "%")


def lookahead(run: Run) -> Iterator[Claim]:
    """Measure the agent `value`."""
    agent, pairs = run.pick(("value:sims=400", 1_000), ("value:sims=40", 1))
    found = points(agent, "greedy", pairs)
    yield at_least(f"{agent} v greedy, low end of the interval", 100 * found.low, 50, "%")
    yield shown(f"{agent} v greedy", 100 * found.estimate, "%")
    for other in ("baseline", "heuristic"):
        yield from shown_match(agent, other, pairs)


def leaves(run: Run) -> Iterator[Claim]:
    """Measure V at the leaves of a tree search."""
    budget, pairs = run.pick(("sims=300", 300), ("sims=40", 1))
    yield from shown_match(f"pomcp:{budget},leaf=value", f"pomcp:{budget}", pairs)


BENCHMARK = Benchmark("values", (Part("lookahead", lookahead), Part("leaves", leaves)), one_core=False)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
