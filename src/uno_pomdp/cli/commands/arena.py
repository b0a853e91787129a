"""`uno-pomdp arena`: two agents, and who is better."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import (
    AsJson,
    ClusterAddress,
    Force,
    LengthsPlot,
    Pairs,
    Processes,
    Records,
    RulesName,
    Seed,
    agent_argument,
    number,
)
from uno_pomdp.cli.stopping import kept_in
from uno_pomdp.cli.ui.console import AgentName, out, print_json, showing_compilation
from uno_pomdp.quantities import Real, count_of
from uno_pomdp.rules import Rules, as_rules

if TYPE_CHECKING:
    from uno_pomdp.arena.results import MatchResult, Score
    from uno_pomdp.arena.run import MatchProgress
    from uno_pomdp.arena.statistics import Interval

SHORT_PAIRS = 100_000
"""Pairs inside kernels that are played before other processes would have started."""


@app.command(epilog="Example: uno-pomdp arena heuristic baseline --pairs 20000")
def arena(
    a: Annotated[str, agent_argument("A", "An agent, such as `flat:ms=10`; see `uno-pomdp agents`.")],
    b: Annotated[str, agent_argument("B", "Another.")],
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    until_shown: Annotated[
        float | None,
        number(
            Real(0.0, 0.5, above=True, below=True),
            "Stop as soon as one agent is shown to be better, or the gap to be under MARGIN: 0.02 is 52 % to 48 %.",
            metavar="MARGIN",
        ),
    ] = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play two agents against each other and say who is better."""
    from uno_pomdp.arena.match import Match
    from uno_pomdp.arena.run import run_match
    from uno_pomdp.arena.statistics import SequentialTest
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.files import claim_records, read_by, written
    from uno_pomdp.cli.ui.progress import RateMeter, showing_progress
    from uno_pomdp.files import claim
    from uno_pomdp.plots import check_picture

    played = as_rules(rules)
    check_picture(plot)
    test = None if until_shown is None else SequentialTest(edge1=until_shown)
    match = Match(played, (a, b), pairs, seed, records)
    with showing_compilation():
        match.check()
    claim(plot, force, [*read_by(a, b), *([] if store is None else [store])])
    claim_records(records, force, goes_on=store is not None and store.exists())
    name, meter = " v ".join(match.names), RateMeter()
    kept = partial(kept_in, store, "--store FILE", records)
    with showing_failures(cluster), showing_compilation(), showing_progress(kept) as show:

        def report(progress: "MatchProgress") -> None:
            meter.take(name, progress)
            show(name, progress)

        wanted = how_many(processes, cluster, match.in_kernels and pairs <= SHORT_PAIRS)
        result = run_match(match, processes=wanted, store=store, test=test, report=report, cluster=cluster)
    with written(plot, lambda file: draw(file, result, played, force)):
        if as_json:
            times = {"milliseconds": result.milliseconds, "milliseconds_per_game": result.milliseconds_per_game}
            print_json({"rules": played.name, "seed": seed} | result.to_json() | times)
        else:
            print_result(result, played, seed)
            out.print(str(meter), style="dim")


def draw(file: Path, result: "MatchResult", rules: Rules, force: bool) -> None:
    """Draw how long the games of a match were, in turns and in actions."""
    from uno_pomdp.arena.plots import draw_lengths

    title = f"{' v '.join(result.names)}, rules {rules.name}, {result.games:,} games"
    draw_lengths(file, {"turns": result.lengths.turns, "actions": result.lengths.actions}, title, over=force)


def how_many(processes: int | None, cluster: str | None, short: bool) -> int:
    """Return the number of processes for `run_match` when the user has named none."""
    return processes or (1 if short or cluster is not None else -1)


def print_result(result: "MatchResult", rules: Rules, seed: int) -> None:
    """Print a match for people."""
    first, second = result.names
    out.print(f"{first} v {second}, rules {rules.name}, seed {seed}", style="bold", markup=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in (first, "points", "95 % interval", "games", "won", "drawn", "lost"):
        table.add_column(AgentName(title), justify="left" if title == first else "right")
    rows: list[tuple[str, Interval, Score]] = [("in all", result.points, result.score)]
    rows += [(f"as player {seat + 1}", result.at(seat).points, result.at(seat)) for seat in (0, 1)]
    for what, points, score in rows:
        interval = f"{100 * points.low:.2f} to {100 * points.high:.2f}"
        counts = (score.games, score.wins, score.draws, score.losses)
        table.add_row(what, f"{100 * points.estimate:.2f} %", interval, *(f"{count:,}" for count in counts))
    if result.adjusted is not None:
        points = result.adjusted.points
        table.add_row(
            "without luck", f"{100 * points.estimate:.2f} %", f"{100 * points.low:.2f} to {100 * points.high:.2f}"
        )
    out.print(table)
    if result.adjusted is not None:
        out.print(f"taking luck out is worth {result.adjusted.reduction:.2f} times the games")
    print_lengths(result)
    times = [f"{name} {spent:.2f}" for name, spent in zip(result.names, result.milliseconds, strict=True) if spent]
    if times:
        out.print(f"ms for each decision: {', '.join(times)}", markup=False)
    if result.milliseconds_per_game is not None:
        out.print(f"ms for each game: {result.milliseconds_per_game:.3g}{'' if times else ', in kernels'}")
    out.print(verdict(result), markup=False, style="bold")


def print_lengths(result: "MatchResult") -> None:
    """Print how long the games of a match were."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("length of a game", "mean", "std. dev.", "shortest", "quartiles", "longest"):
        table.add_column(title, justify="left" if title == "length of a game" else "right")
    for what, spread in (("turns", result.lengths.turns), ("actions", result.lengths.actions)):
        quartiles = ", ".join(f"{at:,}" for at in spread.quartiles)
        figures = f"{spread.mean:.2f}", f"{spread.deviation:.2f}", f"{spread.shortest:,}", quartiles
        table.add_row(what, *figures, f"{spread.longest:,}")
    out.print(table)


def verdict(result: "MatchResult") -> str:
    """Return what the result says, as a sentence."""
    from uno_pomdp.arena.statistics import Verdict

    first, second = result.names
    if result.finding is not None:
        pairs = count_of(result.finding.pairs, "pair")
        return {
            Verdict.UNDECIDED: f"The test is undecided after {pairs}: give it more.",
            Verdict.FIRST_BETTER: f"{first} is better: the test needed {pairs}.",
            Verdict.SECOND_BETTER: f"{second} is better: the test needed {pairs}.",
            Verdict.NO_EDGE: f"Neither is better by that margin: the test needed {pairs}.",
        }[result.finding.verdict]
    points = result.sharpest()
    if points.low > 0.5:
        return f"{first} is better: the whole interval lies above 50 %."
    if points.high < 0.5:
        return f"{second} is better: the whole interval lies below 50 %."
    return "No difference is shown: the interval has 50 % in it."
