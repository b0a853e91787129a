"""The candidates of a decision, as a table."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.agent import Decision
from uno_pomdp.cli.ui.belief import bar
from uno_pomdp.cli.ui.console import STYLES, action_text
from uno_pomdp.display.candidate_table import NONE, CandidateRow, CandidateTable, Column
from uno_pomdp.game.actions import Action
from uno_pomdp.quantities import count_of

NARROW = 62
"""Columns below which there are no bars."""
WIDE = 78
"""Columns from which on reasons stand in the rows that they are about."""


def candidates_view(
    decision: Decision, played: Action | None = None, numbers: Mapping[Action, int] | None = None, width: int = 80
) -> RenderableType:
    """Return a decision as a table: every candidate, the best first, and the line expected; the move made is marked.

    Win probabilities where the agent has them, with their standard errors; the shares of a policy where it has one,
    which a search takes as its prior. Where a figure is missing, the row says why. `numbers` are what can be typed.
    """
    parts: list[RenderableType] = []
    if decision.candidates:
        actions = [one.action for one in decision.candidates]
        typed = range(1, len(actions) + 1) if numbers is None else [numbers[action] for action in actions]
        table = CandidateTable(tuple(one.row(one.action == played) for one in decision.candidates), "played")
        parts += _drawn(table, typed, numbers is not None, width)
    if len(decision.line) > 1:
        parts.append(Text("expects ", "dim") + Text(" ").join(map(action_text, decision.line)))
    if decision.note:
        parts.append(Text(decision.note, "dim"))
    if decision.simulations and decision.worlds:
        parts.append(
            Text(f"{count_of(decision.simulations, 'simulation')} in {count_of(decision.worlds, 'world')}", "dim")
        )
    return Group(*parts)


def _drawn(table: CandidateTable, numbers: Sequence[int], typed: bool, width: int) -> list[RenderableType]:
    """Return the table; in a narrow window without bars and priors, and what is missing explained below it."""
    narrow = width < NARROW
    columns = [one for one in table.columns if not (narrow and one is Column.PRIOR and Column.WINS in table.columns)]
    reasons = [table.reason(row, columns) for row in table.rows]
    beside = any(reasons) and width >= WIDE
    marked = any(row.chosen for row in table.rows)
    drawn = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    drawn.add_column("type" if typed else "", justify="right", no_wrap=True)
    drawn.add_column("move", no_wrap=True)
    for column in columns:
        title = "sims" if narrow and column is Column.SIMULATIONS else table.title(column)
        drawn.add_column(title, justify="left" if column is Column.WINS else "right", no_wrap=True)
    for style in [""] * marked + ["dim"] * beside:
        drawn.add_column("", style=style)
    for number, row, reason in zip(numbers, table.rows, reasons, strict=True):
        cells = [Text(_chance(row, narrow) if one is Column.WINS else row.figure(one)) for one in columns]
        mark = [Text(f"← {table.mark_of(row)}" if row.chosen else "")] * marked
        drawn.add_row(Text(str(number)), _name(row), *cells, *mark, *[Text(reason)] * beside)
    if beside:
        return [drawn]
    told = [(row, reason) for row, reason in zip(table.rows, reasons, strict=True) if reason]
    return [drawn, *(_name(row) + Text(f" {NONE}: {reason}", "dim") for row, reason in told)]


def _chance(row: CandidateRow, narrow: bool) -> str:
    figure = row.figure(Column.WINS)
    return figure if row.value is None else f"{bar(row.value)} " * (not narrow) + f"{figure:>7}"


def _name(row: CandidateRow) -> Text:
    return Text(row.name, "" if row.colour is None else STYLES[row.colour])
