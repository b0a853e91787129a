"""`uno-pomdp nash`: how far an agent is from an equilibrium, as far as that can be shown."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from uno_pomdp.cli.app import app
from uno_pomdp.cli.commands.arena import how_many
from uno_pomdp.cli.commands.nash_all import asked_about, measure_all, print_table
from uno_pomdp.cli.options import AsJson, Force, Processes, RulesName, Seed, agent_argument, number
from uno_pomdp.cli.stopping import kept_in
from uno_pomdp.cli.ui.console import AgentName, err, out, print_json, showing_compilation
from uno_pomdp.errors import ConflictingOptions
from uno_pomdp.quantities import MILLISECONDS, PAIRS, SECONDS, SIMULATIONS, Real, range_of
from uno_pomdp.rules import Rules, as_rules

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Budget
    from uno_pomdp.arena.run import MatchProgress
    from uno_pomdp.cli.ui.progress import RateMeter
    from uno_pomdp.equilibrium.attempts import Challenger
    from uno_pomdp.equilibrium.double_oracle import Population
    from uno_pomdp.equilibrium.nash_report import NashReport
    from uno_pomdp.learning.nash_attempt import Learner

SMALL_DECK: Final = 20
"""Cards of a deck whose games are short enough for more of them."""
SMALL: Final = 200, 300
"""Pairs and simulations for a small deck, if none are given."""
LARGE: Final = 80, 500
"""Pairs and simulations for a large deck, if none are given: about a minute on two cores."""
LARGE_ALL: Final = 20, 200
"""The same with --all: some five minutes on two cores for all agents."""
KNOWN: Final = ("random", "greedy", "baseline", "heuristic")
"""The agents that a population starts from, beside the one that is asked about."""
CURVE_POINTS: Final = 6
"""How many points of a learning curve are printed at most."""


@app.command(epilog="Examples: uno-pomdp nash heuristic --rules mini-9 --plot heuristic.svg · uno-pomdp nash --all")
def nash(
    agent: Annotated[
        str | None, agent_argument("AGENT", "Who plays both seats; see `uno-pomdp agents`. Or give --all.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="One table of an agent of every kind, each against itself.")
    ] = False,
    rules: RulesName = "house",
    pairs: Annotated[
        int | None,
        number(
            PAIRS, "Deals of each match, each played twice.", show_default="200 on mini decks, else 80, with --all 20"
        ),
    ] = None,
    sims: Annotated[
        int | None,
        number(
            SIMULATIONS,
            "Simulations of a challenger's decision.",
            show_default="300 on mini decks, else 500, with --all 200",
        ),
    ] = None,
    ms: Annotated[float | None, number(MILLISECONDS, "Milliseconds of a challenger's decision instead.")] = None,
    seed: Seed = 1,
    processes: Processes = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the margins: .svg, .png or .pdf; needs `plots`.")
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Also the mixture of known agents that is hardest to beat.")
    ] = False,
    learn: Annotated[
        float | None,
        number(Real(1.0, SECONDS.most), "Also train a best response for so long; needs `train`.", metavar="SECONDS"),
    ] = None,
    responses: Annotated[
        list[Path] | None,
        typer.Option("--response", metavar="FILE", help="Also a net that was trained before; may be repeated."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Is an agent against itself an equilibrium? Best-response attempts, and exact values on mini decks."""
    from uno_pomdp.arena.match import Match
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.files import read_by, written
    from uno_pomdp.cli.ui.progress import RateMeter, showing_progress
    from uno_pomdp.equilibrium.attempts import challengers_of, handed_in
    from uno_pomdp.equilibrium.double_oracle import double_oracle
    from uno_pomdp.equilibrium.nash_report import nash_report
    from uno_pomdp.files import claim, try_folder
    from uno_pomdp.game.rng import later_seed
    from uno_pomdp.plots import check_picture

    asked = asked_about(agent, every, population=population, learn=learn, response=responses)
    played, meter = as_rules(rules), RateMeter()
    usual_pairs, usual_sims = SMALL if len(played.deck) <= SMALL_DECK else LARGE if asked else LARGE_ALL
    budget, count = budget_of(sims, ms, usual_sims), pairs or usual_pairs
    check_picture(plot)
    if asked is not None:
        Match(played, (asked, asked), count, seed).check()
    handed = [handed_in(file, asked, played) for file in responses or () if asked is not None]
    claim(plot, force, [*(responses or ()), *read_by(asked)])
    if folder is not None:
        try_folder(folder)
    workers = how_many(processes, None, short=False)
    if asked is None:
        rows, ended = measure_all(played, budget, count, seed, folder, meter.take, workers)
        with written(plot if ended is None else None, lambda file: rows.draw(file, over=force)) as failed:
            print_json(rows.to_json()) if as_json else print_table(rows)
            tell(meter, plot if ended is None and failed is None else None, as_json)
        if ended is not None:
            raise ended
        return
    challengers, where = [*challengers_of(asked, budget, played), *handed], dict[str, Any](processes=workers)
    learner: Learner | None = None
    if learn is not None:
        challenger, learner = learn_response(played, asked, learn, later_seed(seed, 1), folder, **where)
        challengers.append(challenger)
    found: Population | None = None
    with showing_failures(), showing_compilation(), showing_progress(lambda: kept_in(folder, "--folder DIR")) as show:

        def report(name: str, progress: "MatchProgress") -> None:
            meter.take(name, progress)
            show(name, progress)

        result = nash_report(played, asked, challengers, count, seed, folder=folder, report=report, **where)
        if population:
            known = tuple(dict.fromkeys([*KNOWN, asked]))
            candidates = tuple(each for name in known for each in challengers_of(name, budget, played)[:1])
            found = double_oracle(played, known, candidates, count, seed, folder=folder, report=report, **where)
    more = {"learned": learner, "population": found}
    document = result.to_json() | {name: part.to_json() for name, part in more.items() if part is not None}

    with written(plot, lambda file: result.draw(file, over=force)) as failed:
        if as_json:
            print_json(document)
        else:
            print_report(result)
            if learner is not None:
                print_learning(learner)
            if found is not None:
                print_population(found)
        tell(meter, plot if failed is None else None, as_json)


def tell(meter: "RateMeter", plot: Path | None, as_json: bool) -> None:
    """Tell people how fast it went, and where the picture is."""
    if not as_json:
        out.print(str(meter), style="dim")
        if plot is not None:
            err.print(f"The picture is in {plot}.", markup=False, soft_wrap=True)


def budget_of(sims: int | None, ms: float | None, usual: int) -> "Budget":
    """Return what challengers may spend on a decision."""
    from uno_pomdp.agents.agent import Budget

    if sims is not None and ms is not None:
        raise ConflictingOptions("give the challengers --sims or --ms, not both")
    return Budget(milliseconds=ms) if ms is not None else Budget(simulations=sims or usual)


def learn_response(
    rules: Rules, agent: str, seconds: float, seed: int, folder: Path | None, processes: int
) -> "tuple[Challenger, Learner]":
    """Train a best response for so long, or go on with that of a folder; return it as an attempt, and who found it."""
    from uno_pomdp.arena.tournament import store_name
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.training import kept_training, showing_training, training_device
    from uno_pomdp.equilibrium.attempts import LEARNT
    from uno_pomdp.files import Held, try_folder

    device = training_device()
    from uno_pomdp.learning.checkpoint import CHECKPOINT
    from uno_pomdp.learning.nash_attempt import Learner, timed_config

    config = timed_config(agent, rules, device)
    kept = None if folder is None else folder / Path(store_name(LEARNT, agent)).stem
    with ExitStack() as stack:
        for context in (showing_failures(), showing_compilation()):
            stack.enter_context(context)
        if kept is not None:
            try_folder(kept)
            stack.enter_context(Held(kept / CHECKPOINT))
        bar = stack.enter_context(showing_training(lambda: kept_training(kept)))
        learner = Learner(
            config, device, seconds, kept, config.measure_games, bar, watching=bar.watching, processes=processes
        )
        challenger = learner(rules, agent, seed)
    if kept is not None:
        err.print(f"Its checkpoint, curve and net are in {kept}.", markup=False, soft_wrap=True)
    return challenger, learner


def print_report(report: "NashReport") -> None:
    """Print a report for people."""
    out.print(f"Is {report.agent} an equilibrium? Rules {report.rules}, seed {report.seed}", style="bold", markup=False)
    at = report.self_play
    out.print(
        f"Self-play: player 1 has {100 * at.estimate:.2f} % of the points ({100 * at.low:.2f} to {100 * at.high:.2f}); "
        "over both seats it is 50 % for any agent and proves nothing.",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("best-response attempt", overflow="fold")
    titles = ["pairs", "margin", "95 % interval", "at least"] + ["of exact"] * (report.exact is not None)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for bound in report.bounds:
        share = report.reached(bound)
        attempt = Group(AgentName(bound.name), Padding(Text(bound.about), (0, 0, 0, 2)))
        row = [
            f"{bound.pairs:,}",
            f"{100 * bound.margin.estimate:+.2f}",
            f"{100 * bound.margin.low:+.2f} to {100 * bound.margin.high:+.2f}",
            f"{100 * bound.joint.low:+.2f}",
        ]
        table.add_row(attempt, *row, *(["" if share is None else f"{100 * share:.0f} %"] * (report.exact is not None)))
    if report.exact is not None:
        table.add_row("exact best response", "", f"{100 * report.exact.margin:+.2f}", "exact", "", "100 %")
    out.print(table)
    out.print(
        "Margin: points of 100 above one half. At least: holds for all attempts together (Bonferroni)."
        + (" Of exact: the share of the exact margin reached; over 100 % is sampling noise." if report.exact else ""),
        style="dim",
    )
    if report.exact is not None:
        best = [100 * (1 + value) / 2 for value in report.exact.result.best]
        low, high = (100 * (1 + value) / 2 for value in (report.exact.game.low, report.exact.game.high))
        out.print(
            f"The best response has {best[0]:.2f} % as player 1 and {best[1]:.2f} % as player 2; perfect play gives "
            f"player 1 {range_of(low, high, 2)} %."
        )
    else:
        out.print(f"Nothing exact: {report.why_not}.", markup=False)
    out.print(report.verdict, style="bold", markup=False)


def print_learning(learner: "Learner") -> None:
    """Print what training says by itself, and how it stood on the way."""
    learned, whom = learner.found, "on deals of its own"
    assert learned is not None
    if learner.imitation is not None:
        about = learner.imitation.about
        whom = f"against a net that imitates {about['imitates']}"
        out.print(
            f"The imitation was learnt from {about['choices']:,} decisions; top-1 agreement on held-out ones is "
            f"{100 * about['agreement']:.1f} %: there its likeliest action is the agent's.",
            style="dim",
            markup=False,
        )
    by = next(name for name in learned.curve[-1] if f"{name} ±" in learned.curve[-1])
    way = [f"{100 * row[by]:.1f} % after {row['decisions']:,}" for row in learned.curve]
    every = -(-len(way) // CURVE_POINTS)
    out.print(
        f"Training, {whom}: {learned.points} after {learned.decisions:,} choices; on the way "
        f"{', '.join(way[::-every][::-1])}.",
        style="dim",
        markup=False,
    )


def print_population(population: "Population") -> None:
    """Print the mixture of known agents that is hardest to beat."""
    out.print(f"\n{population.title}", style="bold", markup=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("agent", overflow="fold")
    for title in ("in the mixture", "its margin against the mixture", "95 % interval"):
        table.add_column(title, justify="right")
    for name, share, margin in population.rows():
        interval = f"{100 * margin.low:+.2f} to {100 * margin.high:+.2f}"
        table.add_row(
            AgentName(name), f"{100 * share:.1f} %" if share else "", f"{100 * margin.estimate:+.2f}", interval
        )
    out.print(table)
    out.print(population.verdict, style="bold", markup=False)
