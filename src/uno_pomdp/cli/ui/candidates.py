"""What an agent weighed before it moved, as a table."""

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.cli.ui.belief import bar
from uno_pomdp.cli.ui.console import action_text
from uno_pomdp.game.actions import Action

NONE = "–"
"""What stands where there is no figure; the reason is in the same row."""
NARROW = 62
"""Columns below which there are no bars."""
WIDE = 78
"""Columns from which on reasons stand in the rows that they are about."""
NOT_VALUED = "the agent gives none"
"""The reason where an agent gives none."""


def candidates_view(
    decision: Decision, played: Action | None = None, numbers: Mapping[Action, int] | None = None, width: int = 80
) -> RenderableType:
    """Return a decision for people: every candidate, the best first, and the line expected; what was played is marked.

    Win probabilities where the agent has them, with their standard errors; the shares of a policy where it has one,
    which a search takes as its prior. Where a figure is missing, the row says why. `numbers` are what can be typed.
    """
    parts: list[RenderableType] = []
    if decision.candidates:
        parts += _table(decision.candidates, played, numbers, width)
    if len(decision.line) > 1:
        parts.append(Text("expects ", "dim") + Text(" ").join(map(action_text, decision.line)))
    if decision.note:
        parts.append(Text(decision.note, "dim"))
    if decision.simulations and decision.worlds:
        parts.append(Text(f"{decision.simulations:,} simulations in {decision.worlds:,} worlds", "dim"))
    return Group(*parts)


def _table(
    candidates: tuple[Candidate, ...], played: Action | None, numbers: Mapping[Action, int] | None, width: int
) -> list[RenderableType]:
    """Return the table; in a narrow window without bars and priors, and what is missing explained below it."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("" if numbers is None else "type", justify="right", no_wrap=True)
    table.add_column("move", no_wrap=True)
    narrow = width < NARROW
    valued = any(candidate.value is not None for candidate in candidates)
    policy = any(candidate.prior is not None for candidate in candidates) and not (narrow and valued)
    visited = any(candidate.visits for candidate in candidates)
    reasons = [_why(one, valued, policy, visited) for one in candidates]
    beside = any(reasons) and width >= WIDE
    if valued:
        table.add_column("wins", no_wrap=True)
        table.add_column("±", justify="right", no_wrap=True)
    if policy:
        table.add_column("prior" if valued else "plays it", justify="right", no_wrap=True)
    if visited:
        table.add_column("sims" if narrow else "simulations", justify="right", no_wrap=True)
    if played is not None:
        table.add_column("")
    if beside:
        table.add_column("", style="dim")
    for number, (one, reason) in enumerate(zip(candidates, reasons, strict=True), 1):
        row = [Text(str(number if numbers is None else numbers[one.action])), action_text(one.action)]
        if valued:
            row += [_chance(one.value, narrow), Text(NONE if one.error is None else f"{100 * one.error:.1f}")]
        if policy:
            row.append(Text(NONE if one.prior is None else f"{100 * one.prior:.0f} %"))
        if visited:
            row.append(Text(f"{one.visits:,}" if one.visits else NONE))
        if played is not None:
            row.append(Text("← played" if one.action == played else ""))
        table.add_row(*row, *([Text(reason)] if beside else []))
    if beside:
        return [table]
    told = [(one, reason) for one, reason in zip(candidates, reasons, strict=True) if reason]
    return [table, *(action_text(one.action) + Text(f" {NONE}: {reason}", "dim") for one, reason in told)]


def _why(one: Candidate, valued: bool, policy: bool, visited: bool) -> str:
    """Return why a figure is missing that other rows have, or what stands for it."""
    gap = valued and (one.value is None or one.error is None)
    gap |= (policy and one.prior is None) or (visited and not one.visits)
    return one.note or (NOT_VALUED if gap else "")


def _chance(value: float | None, narrow: bool) -> Text:
    return Text(NONE if value is None else f"{bar(value)} " * (not narrow) + f"{100 * value:5.1f} %")
