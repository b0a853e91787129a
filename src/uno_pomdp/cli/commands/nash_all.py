"""`uno-pomdp nash --all`: an agent of every kind against itself, in one table."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from uno_pomdp.cli.stopping import Stopped, kept_in
from uno_pomdp.cli.ui.console import AgentName, out, showing_compilation
from uno_pomdp.errors import ConflictingOptions, UnoError
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Budget
    from uno_pomdp.arena.run import MatchProgress
    from uno_pomdp.equilibrium.nash_report import NashReport
    from uno_pomdp.equilibrium.nash_table import NashTable


def asked_about(agent: str | None, every: bool, **others: object) -> str | None:
    """Return the agent that a report is about, or None for all, with which these other options are refused."""
    if every == (agent is not None):
        raise ConflictingOptions("name one agent, or give --all for a table of agents of every kind")
    for option, value in others.items():
        if every and value:
            raise ConflictingOptions(f"--{option} is for one agent: name it, or leave --{option} out")
    return agent


def measure_all(
    rules: Rules,
    budget: "Budget",
    pairs: int,
    seed: int,
    folder: Path | None,
    show_rates: "Callable[..., None]",
    processes: int,
) -> "tuple[NashTable, Stopped | UnoError | None]":
    """Measure every agent; if the work is stopped, return the rows that are finished, and what stopped it."""
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.progress import showing_progress
    from uno_pomdp.equilibrium.nash_table import NashTable, agents_for, nash_reports

    with showing_compilation():
        agents = agents_for(rules)
    done: list[NashReport] = []
    ended: Stopped | UnoError | None = None

    def kept() -> str:
        rows = f"{count_of(len(done), 'finished row')} printed, and of the rest " if done else ""
        return f"{rows}{kept_in(folder, '--folder DIR')}"

    def report(name: str, progress: "MatchProgress") -> None:
        name = f"{len(done) + 1}/{len(agents)} {name}"
        show_rates(name, progress)
        show(name, progress)

    try:
        with showing_failures(), showing_compilation(), showing_progress(kept) as show:
            for found in nash_reports(rules, agents, budget, pairs, seed, folder, report, processes=processes):
                done.append(found)  # noqa: PERF402  # each at once: what is finished stays when the rest is stopped
    except (Stopped, UnoError) as error:
        if not done:
            raise
        ended = error
    return NashTable(rules.name, seed, tuple(done), agents[len(done) :]), ended


def print_table(table: "NashTable") -> None:
    """Print a table for people."""
    from uno_pomdp.equilibrium.nash_table import TITLES

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
    from uno_pomdp.equilibrium.nash_table import TITLES

    shown = Table(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        figures = title in TITLES[1:5]
        shown.add_column(title, justify="right" if figures else "left", overflow="fold", no_wrap=figures)
    for row in rows:
        shown.add_row(AgentName(row[0]), *row[1:])
    out.print(shown)
