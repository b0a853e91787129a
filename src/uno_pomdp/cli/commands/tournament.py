"""`uno-pomdp tournament`: many agents, their ratings and the cross table."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from uno_pomdp.cli.app import app
from uno_pomdp.cli.commands.arena import SHORT_PAIRS, how_many
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
    agent_option,
)
from uno_pomdp.cli.stopping import kept_in
from uno_pomdp.cli.ui.console import AgentName, out, print_json, showing_compilation
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import as_rules

if TYPE_CHECKING:
    from uno_pomdp.arena.run import MatchProgress
    from uno_pomdp.arena.tournament import Meeting, TournamentResult


@app.command(epilog="Example: uno-pomdp tournament random greedy heuristic --against baseline --pairs 5000")
def tournament(
    agents: Annotated[list[str], agent_argument("AGENT…", "The agents; see `uno-pomdp agents`.")],
    against: Annotated[str | None, agent_option("All meet this agent alone; its rating is 0.")] = None,
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play many agents against each other, or all against one, and rate them."""
    from uno_pomdp.arena.plots import draw_lengths
    from uno_pomdp.arena.tournament import Tournament, run_tournament
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.files import claim_records, read_by, written
    from uno_pomdp.cli.ui.progress import RateMeter, showing_progress
    from uno_pomdp.files import claim, try_folder
    from uno_pomdp.plots import check_picture

    played = as_rules(rules)
    check_picture(plot)
    if against is not None and against not in agents:
        agents = [*agents, against]
    wanted = Tournament(played, tuple(agents), pairs, seed, against, records)
    meetings, meter = wanted.meetings(), RateMeter()
    with showing_compilation():
        wanted.check()
    claim(plot, force, read_by(*agents))
    claim_records(records, force, goes_on=folder is not None and any(folder.glob("*.jsonl")))
    if folder is not None:
        try_folder(folder)
    kept = partial(kept_in, folder, "--folder DIR", records)
    with showing_failures(cluster), showing_compilation(), showing_progress(kept) as show:

        def report(meeting: "Meeting", progress: "MatchProgress") -> None:
            one, other = (wanted.names[agent] for agent in meeting)
            name = f"{meetings.index(meeting) + 1}/{len(meetings)} {one} v {other}"
            meter.take(name, progress)
            show(name, progress)

        short = pairs <= SHORT_PAIRS and all(wanted.match(meeting).in_kernels for meeting in meetings)
        result = run_tournament(wanted, how_many(processes, cluster, short), folder, report, cluster=cluster)
    title = f"{count_of(len(meetings), 'match')} of {count_of(pairs, 'pair')}, rules {played.name}, seed {seed}"

    def draw(file: Path) -> None:
        turns = {result.names[agent]: result.lengths(agent).turns for agent in result.ranking()}
        draw_lengths(file, turns, f"Turns of an agent's games: {title}", over=force)

    with written(plot, draw):
        if as_json:
            print_json({"rules": played.name, "seed": seed} | result.to_json() | {"times": result.times()})
        else:
            print_tables(result, title)
            print_lengths(result)
            out.print(str(meter), style="dim")


def print_tables(result: "TournamentResult", title: str) -> None:
    """Print ratings and points for people: agents by number in the columns, so that many fit."""
    out.print(title, style="bold", markup=False)
    order = result.ranking()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("#", "agent", "rating", "95 % interval"):
        table.add_column(column, justify="left" if column == "agent" else "right", overflow="fold")
    for number in range(1, len(order) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, (row, agent) in enumerate(zip(result.rows()[1:], order, strict=True), 1):
        cells = [result.points(agent, other) for other in order]
        table.add_row(
            str(number),
            AgentName(row[0]),
            *row[1:3],
            *("" if cell is None else f"{100 * cell.estimate:.1f}" for cell in cells),
        )
    out.print(table)
    out.print("Points in per cent, of the row's agent against the column's.", style="dim")


def print_lengths(result: "TournamentResult") -> None:
    """Print how long each agent's games were, in turns and in actions, and its times where a clock ran."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("#", "turns", "std. dev.", "shortest", "longest", "actions", "ms a game", "ms a decision"):
        table.add_column(title, justify="right")
    for number, agent in enumerate(result.ranking(), 1):
        lengths = result.lengths(agent)
        turns = lengths.turns
        figures = [f"{turns.mean:.1f}", f"{turns.deviation:.1f}", f"{turns.shortest:,}", f"{turns.longest:,}"]
        figures.append(f"{lengths.actions.mean:.1f}")
        times = result.milliseconds_per_game(agent), result.milliseconds(agent)
        table.add_row(str(number), *figures, *("" if time is None else f"{time:.3g}" for time in times))
    out.print(table)
    out.print("Lengths of the agent's games: mean turns and their spread, mean actions.", style="dim")
