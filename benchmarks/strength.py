"""How strong agents are: rules `house`, duplicate deals, one core for each match, points with 95 % intervals.

The bars are on the estimates. Scripted agents play 500,000 pairs in kernels. Searches have 10 ms a decision; 4,000
pairs give an interval of about ± 1 %. Beliefs are compared at equal simulations against `greedy`: the closed form, one
that knows sizes only, and particles with the true model.
"""

import sys
from collections.abc import Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.parallel import run_match
from uno_pomdp.rules import preset

HOUSE = preset("house")
PROCESSES = 2


def points(first: str, second: str, pairs: int) -> tuple[float, float]:
    """Return the first agent's points in percent, and half the width of their interval."""
    result = run_match(Match(HOUSE, (first, second), pairs, seed=1), processes=PROCESSES).points
    return 100 * result.estimate, 50 * (result.high - result.low)


def claims(first: str, second: str, pairs: int, bar: float | None = None) -> Iterator[Claim]:
    """Measure one match."""
    estimate, half = points(first, second, pairs)
    name = f"{first} v {second}"
    yield shown(name, estimate, "%") if bar is None else at_least(name, estimate, bar, "%")
    yield shown(f"{name}, half the interval", half, "%")


def scripted(run: Run) -> Iterator[Claim]:
    """Measure the simple policies."""
    pairs = run.pick(500_000, 200)
    yield from claims("baseline", "random", pairs)
    yield from claims("heuristic", "random", pairs)
    yield from claims("heuristic", "baseline", pairs, 52)


def searching(run: Run) -> Iterator[Claim]:
    """Measure the searches."""
    pairs = run.pick(4_000, 1)
    flat, ismcts = run.pick(("flat:ms=10", "ismcts:ms=10"), ("flat:sims=50", "ismcts:sims=50"))
    yield from claims(flat, "random", pairs, 78)
    yield from claims(flat, "baseline", pairs, 62)
    yield from claims(ismcts, "baseline", pairs)


def believing(run: Run) -> Iterator[Claim]:
    """Measure what a belief is worth to the same search."""
    pairs, simulations = run.pick((2_000, 1_000), (1, 20))
    for belief in ("uniform", "closed", "greedy"):
        yield from claims(f"flat:sims={simulations},belief={belief}", "greedy", pairs)


BENCHMARK = Benchmark(
    "strength",
    (Part("scripted", scripted), Part("searches", searching), Part("beliefs", believing)),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
