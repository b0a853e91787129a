"""`uno-pomdp nash --all`: an agent of every kind against itself, in one table."""

from pathlib import Path
from typing import Final

from rich.table import Table

from uno_pomdp.arena.run import MatchProgress
from uno_pomdp.cli.commands.arena import how_many
from uno_pomdp.cli.commands.nash import SMALL, SMALL_DECK, budget_of
from uno_pomdp.cli.failed_games import showing_failures
from uno_pomdp.cli.files import attempt
from uno_pomdp.cli.stopping import Stopped, kept_in
from uno_pomdp.cli.ui.console import AgentName, err, out, print_json, showing_compilation
from uno_pomdp.cli.ui.progress import RateMeter, showing_progress
from uno_pomdp.equilibrium.nash_report import NashReport
from uno_pomdp.equilibrium.nash_table import TITLES, NashTable, agents_for, nash_reports
from uno_pomdp.errors import ConflictingOptions, UnoError
from uno_pomdp.files import claim, try_folder
from uno_pomdp.plots import check_picture
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules

LARGE: Final = 20, 200
"""Pairs and simulations for a large deck, if none are given: some five minutes on two cores for all agents."""


def asked_about(agent: str | None, every: bool, **others: object) -> str | None:
    """Return the agent that a report is about, or None for all, with which these other options are refused."""
    if every == (agent is not None):
        raise ConflictingOptions("name one agent, or give --all for a table of agents of every kind")
    for option, value in others.items():
        if every and value:
            raise ConflictingOptions(f"--{option} is for one agent: name it, or leave --{option} out")
    return agent


def nash_all(
    rules: Rules,
    pairs: int | None,
    sims: int | None,
    ms: float | None,
    seed: int,
    processes: int | None,
    folder: Path | None,
    plot: Path | None,
    as_json: bool,
    force: bool = False,
) -> None:
    """Measure every agent and print the table; if the work is stopped, the rows that are finished, and no picture."""
    usual_pairs, usual_sims = SMALL if len(rules.deck) <= SMALL_DECK else LARGE
    budget, count = budget_of(sims, ms, usual_sims), pairs or usual_pairs
    if plot is not None:
        check_picture(plot)
    claim(plot, force)
    if folder is not None:
        try_folder(folder)
    with showing_compilation():
        agents = agents_for(rules)
    done: list[NashReport] = []
    meter = RateMeter()
    ended: Stopped | UnoError | None = None

    def kept() -> str:
        rows = f"{count_of(len(done), 'finished row')} printed, and of the rest " if done else ""
        return f"{rows}{kept_in(folder, '--folder DIR')}"

    def report(name: str, progress: MatchProgress) -> None:
        name = f"{len(done) + 1}/{len(agents)} {name}"
        meter.take(name, progress)
        show(name, progress)

    try:
        with showing_failures(), showing_compilation(), showing_progress(kept) as show:
            where = {"processes": how_many(processes, None, short=False)}
            for found in nash_reports(rules, agents, budget, count, seed, folder, report, **where):
                done.append(found)  # noqa: PERF402  # each at once: what is finished stays when the rest is stopped
    except (Stopped, UnoError) as error:
        if not done:
            raise
        ended = error
    table = NashTable(rules.name, seed, tuple(done), agents[len(done) :])
    failed = attempt(plot, lambda file: table.draw(file, over=force)) if ended is None else ended
    if as_json:
        print_json(table.to_json())
    else:
        print_table(table)
        out.print(str(meter), style="dim")
        if plot is not None and failed is None:
            err.print(f"The picture is in {plot}.", markup=False, soft_wrap=True)
    if failed is not None:
        raise failed


def print_table(table: NashTable) -> None:
    """Print a table for people."""
    out.print(f"Every agent against itself: rules {table.rules}, seed {table.seed}", style="bold", markup=False)
    rows = table.rows()
    columns = [
        column for column, title in enumerate(TITLES[:-1]) if title != "exact" or any(row[column] for row in rows)
    ]
    print_columns([TITLES[column] for column in columns], [[row[column] for column in columns] for row in rows])
    print_columns([TITLES[0], TITLES[-1]], [[row[0], row[-1]] for row in rows])
    out.print(
        "Points of 100. Margin: of the best attempt, above one half; its interval holds for all attempts on that agent "
        "together (Bonferroni). Not shown: none of them is shown to beat it, which proves nothing.",
        style="dim",
    )
    if table.unfinished:
        out.print(f"Not finished: {', '.join(table.unfinished)}.", markup=False)


def print_columns(titles: list[str], rows: list[list[str]]) -> None:
    """Print a table: texts to the left, figures to the right."""
    shown = Table(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        figures = title in TITLES[1:5]
        shown.add_column(title, justify="right" if figures else "left", overflow="fold", no_wrap=figures)
    for row in rows:
        shown.add_row(AgentName(row[0]), *row[1:])
    out.print(shown)
