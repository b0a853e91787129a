"""How strong agents are: rules `house`, duplicate deals, one core for each game, points with 95 % intervals.

The points of searches are luck-adjusted: unbiased whatever measures the luck, and with half the variance. The
plain mean of the same games stands beside them. The bars are on the estimates. Scripted agents play 500,000 pairs in
kernels; searches have 10 ms a decision.

*Beliefs* are compared at equal simulations against `greedy`: one that knows sizes only, the closed form, and particles
with the true model.

*Budget* is how the points of `flat` against `baseline` grow with the time it has.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.experiments.strength_curves import draw_budgets
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, run, shown
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.rules import preset

HOUSE: Final = preset("house")
PROCESSES: Final = 2
BUDGETS: Final = (0.3, 1.0, 3.0, 10.0, 30.0)
"""Milliseconds of the curve."""
PICTURES: Final = Path(__file__).parent.parent / "docs" / "pictures"


def played(first: str, second: str, pairs: int) -> MatchResult:
    """Play a match."""
    return run_match(Match(HOUSE, (first, second), pairs, seed=1), processes=PROCESSES)


def claims(result: MatchResult, bar: float | None = None) -> Iterator[Claim]:
    """Show one match."""
    name, points = " v ".join(result.names), result.sharpest()
    estimate = 100 * points.estimate
    yield shown(name, estimate, "%") if bar is None else at_least(name, estimate, bar, "%")
    yield shown(f"{name}, half the interval", 50 * (points.high - points.low), "%")
    if result.adjusted is not None:
        yield shown(f"{name}, with luck", 100 * result.points.estimate, "%")


def scripted(run: Run) -> Iterator[Claim]:
    """Measure the scripted policies."""
    pairs = run.pick(500_000, 200)
    yield from claims(played("baseline", "random", pairs))
    yield from claims(played("heuristic", "random", pairs))
    yield from claims(played("heuristic", "baseline", pairs), 52)


def searching(run: Run) -> Iterator[Claim]:
    """Measure the searches."""
    pairs = run.pick(2_200, 1)
    flat, ismcts = run.pick(("flat:ms=10", "ismcts:ms=10"), ("flat:sims=50", "ismcts:sims=50"))
    yield from claims(played(flat, "random", pairs), 78)
    yield from claims(played(ismcts, "baseline", pairs))


def budgets(run: Run) -> Iterator[Claim]:
    """Measure how points grow with time; the bar is that of 10 ms."""
    curve: dict[float, Interval] = {}
    for budget in BUDGETS:
        agent = run.pick(f"flat:ms={budget:g}", f"flat:sims={10 * budget:g}")
        result = played(agent, "baseline", run.pick(2_200, 1))
        curve[budget] = result.sharpest()
        yield from claims(result, 62 if budget == 10 else None)
    if not run.quick:
        draw_budgets(PICTURES / "strength-by-budget.svg", {"flat v baseline": curve})


def believing(run: Run) -> Iterator[Claim]:
    """Measure what a belief is worth to the same search."""
    pairs, simulations = run.pick((2_200, 1_000), (1, 20))
    for belief in ("uniform", "closed", "particles,model=greedy"):
        yield from claims(played(f"flat:sims={simulations},belief={belief}", "greedy", pairs))


BENCHMARK = Benchmark(
    "strength",
    (
        Part("scripted", scripted),
        Part("searches", searching),
        Part("budget", budgets),
        Part("beliefs", believing),
    ),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
