"""How fast the arena is: rules `house`, two processes on two cores.

*In kernels* is `run_match` of two scripted agents over duplicate deals, each pair of games counted as two: the deal,
both games, the results of every pair handed over to the main process and their statistics. The processes are started
and the kernels compiled before the clock starts: a first, short match with the same processes does it, and that
start-up (some seconds, once) is not in the figure. No store is written. One process is shown beside it.

*By agents* is the play loop that all other agents use, with the same scripted agents asked move by move: what the
loop and the cheapest of agents cost together.

*Cores busy* is a match of `flat:ms=10` against `baseline` on two processes: the CPU time that both processes used,
divided by twice the wall-clock time of the match, for two cores. The processes are started and the kernels compiled
before. The match is whole: handing over pairs and the end, where one process has nothing left to play, are in the
figure. CPU time of the main process is not. Whatever else runs on the machine lowers it.

*Luck* is the variance reduction by luck as a control variate: of the results of single games, where the deal and the
draws are luck, and of the scores of pairs, where duplicate deals have cancelled the deal already and the draws are
left. The bars are on a strong match, one of two agents that search. Beside them stands what it costs: games a second in
kernels with luck, and the share of the time of a strong match. In kernels luck is measured by the heuristic value
alone; *the whole evaluator*, with the champion's nets, is shown for the same agents asked move by move, and the time it
takes for the luck of recorded games.
"""

import os
import sys
import time
from collections.abc import Iterator
from typing import Final

import joblib

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, median, median_ratio, run, seconds, shown
from uno_pomdp.arena.match import Match, play_game
from uno_pomdp.arena.run import Processes, run_match
from uno_pomdp.arena.statistics import LuckSums
from uno_pomdp.evaluation.heuristic_value import HeuristicValue
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.evaluation.win_probability import win_probability_of
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

HOUSE: Final = preset("house")
HEURISTIC: Final = ("heuristic", "heuristic")
PROCESSES: Final = 2


def in_kernels(run: Run) -> Iterator[Claim]:
    """Measure games a second of scripted agents."""
    pairs = run.pick(500_000, 500)

    def rate(processes: int, repeat: int) -> float:
        match = Match(HOUSE, HEURISTIC, pairs, seed=repeat)
        return match.pairs * 2 / seconds(lambda: run_match(match, processes=processes))

    for processes in (1, PROCESSES):  # processes started and kernels compiled before the clock starts
        run_match(Match(HOUSE, HEURISTIC, run.pick(20_000, 10), seed=99), processes=processes)
    two, one = run.interleaved(lambda repeat: rate(PROCESSES, repeat), lambda repeat: rate(1, repeat))
    yield at_least("heuristic v heuristic in kernels, two processes", median(two), 400_000, "games/s")
    yield shown("heuristic v heuristic in kernels, one process", median(one), "games/s")


def by_agents(run: Run) -> Iterator[Claim]:
    """Measure games a second of the same agents in the play loop."""
    pairs = run.pick(300, 2)
    run_match(Match(HOUSE, HEURISTIC, 2, seed=99, kernels=False))
    (rates,) = run.interleaved(
        lambda repeat: (
            2 * pairs / seconds(lambda: run_match(Match(HOUSE, HEURISTIC, pairs, repeat, kernels=False, luck=False)))
        )
    )
    yield shown("heuristic v heuristic by agents, one process", median(rates), "games/s")


def cores_busy(run: Run) -> Iterator[Claim]:
    """Measure how much of two cores a match of agents that have 10 ms keeps busy."""
    agents = ("flat:ms=10", "baseline")
    run_match(Match(HOUSE, agents, run.pick(8, 2), seed=99), processes=PROCESSES)

    def share(repeat: int) -> float:
        before = cpu_seconds()
        elapsed = seconds(lambda: run_match(Match(HOUSE, agents, run.pick(40, 2), repeat), processes=PROCESSES))
        after = cpu_seconds()
        if after.keys() != before.keys():
            raise RuntimeError("joblib has started other processes: their start-up would be measured")
        return 100 * sum(after[process] - before[process] for process in after) / (PROCESSES * elapsed)

    (shares,) = run.interleaved(share)
    yield at_least("flat:ms=10 v baseline, two processes, two cores busy", median(shares), 90, "%")


def cpu_seconds() -> dict[int, float]:
    """Return the CPU time of each process that plays."""
    found: dict[int, float] = {}
    pool = joblib.Parallel(
        n_jobs=PROCESSES, backend=Processes(), batch_size=1, max_nbytes=None
    )  # those of a match are kept
    while len(found) < PROCESSES:  # each call goes to whichever process is free
        found |= pool(joblib.delayed(_own_cpu)() for _ in range(PROCESSES))
    return found


def _own_cpu() -> tuple[int, float]:
    spent = time.process_time()
    time.sleep(0.05)  # so that the next call goes to another process
    return os.getpid(), spent


STRONG: Final = "flat:sims=300", "ismcts:sims=300"


def luck(run: Run) -> Iterator[Claim]:
    """Measure how much of the variance is luck, and what it costs to know."""

    def reductions(makers: tuple[str, str], pairs: int) -> tuple[float, float]:
        result = run_match(Match(HOUSE, makers, pairs, seed=1, luck=True), processes=run.pick(PROCESSES, 1))
        games = LuckSums()  # the two games of a pair have one number, so no game has a hand in its own coefficient
        for game in range(2):
            games.add(result.pairs["index"], result.pairs["points"][:, game] / 2, result.pairs["luck"][:, game])
        single = games.adjusted()
        assert single is not None
        assert result.adjusted is not None
        return single.reduction, result.adjusted.reduction

    what = "plain by adjusted"
    for makers in (STRONG, ("flat:sims=300", "heuristic"), HEURISTIC, ("heuristic", "baseline"), ("random", "random")):
        scripted = all(":" not in maker for maker in makers)
        games, pairs = reductions(makers, run.pick(10_000 if scripted else 2_500, 25))
        name = " v ".join(makers)
        for of, found in (("games", games), ("pairs", pairs)):
            title = f"{name}: variance of {of}, {what}"
            yield at_least(title, found, 2, "x") if makers == STRONG else shown(title, found, "x")
    match = Match(HOUSE, HEURISTIC, run.pick(2_000, 3), luck=True)
    (rates,) = run.interleaved(lambda _: 2 * match.pairs / seconds(lambda: run_match(match)))
    yield shown("heuristic v heuristic in kernels with luck, one process", median(rates), "games/s")

    def strong(measured: bool) -> float:
        match = Match(HOUSE, STRONG, run.pick(60, 1), luck=measured)
        return seconds(lambda: run_match(match))

    lucky, plain = run.interleaved(lambda _: strong(True), lambda _: strong(False))
    yield shown(f"{' v '.join(STRONG)}: time of a match with luck by without", median_ratio(lucky, plain), "x")


def opinions(run: Run) -> Iterator[Claim]:
    """Measure the whole evaluator where kernels have the heuristic value alone."""
    match = Match(HOUSE, HEURISTIC, run.pick(5_000, 25), seed=1, kernels=False)
    adjusted = run_match(match, processes=run.pick(PROCESSES, 1)).adjusted
    assert adjusted is not None
    yield shown(
        "heuristic v heuristic, the whole evaluator: variance of pairs, plain by adjusted", adjusted.reduction, "x"
    )
    agents, judge = (make_agent("heuristic"), make_agent("heuristic")), win_probability_of(HeuristicValue(), None)
    games = [play_game(HOUSE, seed, agents, (1, 2), record=True).record for seed in range(run.pick(100, 2))]
    records = [record for record in games if record is not None]
    whole, alone = run.interleaved(
        lambda _: seconds(lambda: [luck_of(record) for record in records]),
        lambda _: seconds(lambda: [luck_of(record, judge) for record in records]),
    )
    yield shown(
        "luck of a game: time of the whole evaluator by the heuristic value alone", median_ratio(whole, alone), "x"
    )


BENCHMARK = Benchmark(
    "arena",
    (
        Part("scripted agents in kernels", in_kernels),
        Part("scripted agents move by move", by_agents),
        Part("cores busy in a match of agents that search", cores_busy),
        Part("luck", luck),
        Part("the evaluator of luck", opinions),
    ),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
