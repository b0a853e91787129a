"""Results for a notebook: charts of intervals above tables, from names and figures alone. Points are shown of 100."""

from collections.abc import Mapping, Sequence

from uno_pomdp.display.intervals import IntervalRow, Mark, interval_chart
from uno_pomdp.display.table import panel, paragraph, table

Figures = tuple[float, float, float]
"""An estimate, and where its interval begins and ends."""


def match_html(
    names: tuple[str, str], points: Mapping[str, Figures], scores: Mapping[str, tuple[int, ...]], verdict: str = ""
) -> str:
    """Return a match: the first agent's points, and its games, won, drawn and lost, in all and at each seat."""
    rows = [IntervalRow(name, *_of_hundred(at)) for name, at in points.items()]
    chart = interval_chart(
        f"Points of {names[0]} against {names[1]}", rows, [Mark(50.0, "50: neither is better")], "of 100, 95 %"
    )
    counts = [[name, *(f"{count:,}" for count in score)] for name, score in scores.items()]
    found = [paragraph(f"Sequential test: {verdict}.")] if verdict else []
    return panel(f"{names[0]} v {names[1]}", *found, chart, table(["", "games", "won", "drawn", "lost"], counts))


def tournament_html(
    ratings: Mapping[str, Figures], anchor: str, head: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """Return a tournament: Bradley–Terry ratings on the scale of Elo, and the cross table with points of 100."""
    chart = interval_chart(
        "Ratings", [IntervalRow(name, *at) for name, at in ratings.items()], [Mark(0.0, f"0: {anchor}")], "Elo, 95 %", 0
    )
    return panel(f"Tournament of {len(ratings)} agents", chart, table(head, rows))


def margins_html(
    title: str,
    column: str,
    rows: Sequence[tuple[str, str, Figures]],
    exact: float | None,
    sentences: Sequence[str],
) -> str:
    """Return margins in points with simultaneous intervals, each with a note; the exact margin is a line."""
    marks = [Mark(0.0, "0: not beaten")]
    if exact is not None:
        marks.append(Mark(100 * exact, f"exact best response: {100 * exact:.3f}", strong=True))
    shown = [IntervalRow(name, *_of_hundred(at), note) for name, note, at in rows]
    chart = interval_chart("Margin", shown, marks, "of 100, 95 % jointly") if shown else ""
    told = table(["", column], [[name, note] for name, note, _ in rows], words=(0, 1))
    return panel(title, chart, *map(paragraph, sentences), told)


def _of_hundred(figures: Figures) -> Figures:
    estimate, low, high = figures
    return 100 * estimate, 100 * low, 100 * high
