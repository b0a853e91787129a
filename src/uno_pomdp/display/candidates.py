"""The candidates of a decision as bars: the probability of winning with its error, the prior, the simulations."""

from collections.abc import Sequence
from typing import Final

from uno_pomdp.display.candidate_table import CandidateRow, CandidateTable, Column
from uno_pomdp.display.svg import (
    ACCENT,
    CARD_FILLS,
    INK,
    PANEL,
    QUIET,
    element,
    fill_of,
    group,
    ink_on,
    line,
    picture,
    rect,
    shortened,
    text,
)

ROW: Final = 26.0
MARGIN: Final = 16.0
CHIP: Final = 54.0
BAR: Final = 130.0
"""The length of a full bar of a value."""
SHORT: Final = 70.0
"""That of a prior or of simulations."""
NOTE: Final = 240.0
"""The room of a note where no action has a value."""
SECONDARY: Final = "#8a6fc0"
"""What bars of priors and simulations are filled with."""
Z95: Final = 1.96
"""Standard errors on each side of a value that its whisker covers: 95 %."""


def candidates_svg(title: str, rows: Sequence[CandidateRow], lines: Sequence[str]) -> str:
    """Return the picture; `lines` stand below the bars."""
    table = CandidateTable(tuple(rows))
    columns = table.columns
    valued, weighed, visited = (column in columns for column in (Column.WINS, Column.PRIOR, Column.SIMULATIONS))
    at_value = MARGIN + 14 + CHIP + 14
    at_prior = at_value + (BAR + 112) * valued
    at_visits = at_prior + (SHORT + 54) * weighed
    end = at_visits + (SHORT + 84) * visited
    noted = not valued and any(row.note for row in rows)
    width = max(end + NOTE * noted + MARGIN, 480.0)
    most = max((row.visits for row in rows), default=0)
    parts = [text(MARGIN, 25, title, 13, INK, font_weight="bold")]
    places = {Column.WINS: at_value, Column.PRIOR: at_prior, Column.SIMULATIONS: at_visits}  # errors are whiskers
    parts += [text(x, 44, table.title(column), 11, QUIET) for column, x in places.items() if column in columns]
    for place, row in enumerate(rows):
        y = 50 + ROW * place
        drawn = [_chip(row, MARGIN + 14, y)]
        if row.chosen:
            drawn.append(element("path", d=f"M{MARGIN:.1f} {y + 7:.1f}l9 6l-9 6z", fill=INK))
        if row.value is not None:
            drawn += _value(row, row.value, at_value, y)
        elif valued:
            drawn.append(text(at_value, y + 17, shortened(table.reason(row), BAR + 104, 11), 11, QUIET))
        elif row.note:
            drawn.append(text(end, y + 17, shortened(row.note, NOTE, 11), 11, QUIET))
        if row.prior is not None:
            drawn += _bar(row.prior, row.figure(Column.PRIOR), at_prior, y)
        if row.visits:
            drawn += _bar(row.visits / most, row.figure(Column.SIMULATIONS), at_visits, y)
        parts.append(group(drawn, table.said(row)))
    bottom = 50 + ROW * len(rows)
    parts += [
        text(MARGIN, bottom + 14 + 16 * place, shortened(words, width - 2 * MARGIN, 11.5), 11.5, QUIET)
        for place, words in enumerate(lines)
    ]
    return picture(width, bottom + 8 + 16 * len(lines), title, [*map(table.said, rows), *lines], parts)


def _chip(row: CandidateRow, x: float, y: float) -> str:
    """Return an action in the colour of its card; draw and keep without one."""
    middle = x + CHIP / 2
    if row.colour is None and not row.black:
        box = rect(x, y + 3, CHIP, ROW - 6, PANEL, rx=4)
        return box + text(middle, y + 17, row.name, 12, INK, text_anchor="middle")
    own = None if row.black else row.colour
    frame: dict[str, str | float] = {}
    if row.black and row.colour is not None:
        frame = {"stroke": CARD_FILLS[row.colour], "stroke_width": 3}
    box = rect(x, y + 3, CHIP, ROW - 6, fill_of(own), rx=4, **frame)
    return box + text(middle, y + 17, row.name, 12, ink_on(own), text_anchor="middle", font_weight="bold")


def _value(row: CandidateRow, value: float, x: float, y: float) -> list[str]:
    """Return the bar of a probability, with a whisker of 95 %, and its figure."""
    parts = [rect(x, y + 6, BAR, 14, PANEL, rx=2), rect(x, y + 6, BAR * min(max(value, 0.0), 1.0), 14, ACCENT, rx=2)]
    if row.error:
        ends = [x + BAR * min(max(value + side * Z95 * row.error, 0.0), 1.0) for side in (-1, 1)]
        parts += [line(ends[0], y + 13, ends[1], y + 13, INK, stroke_width=1.5)]
        parts += [line(end, y + 9, end, y + 17, INK, stroke_width=1.5) for end in ends]
    return [*parts, text(x + BAR + 8, y + 17, row.wins, 12)]


def _bar(share: float, figure: str, x: float, y: float) -> list[str]:
    back, front = rect(x, y + 8, SHORT, 10, PANEL, rx=2), rect(x, y + 8, SHORT * share, 10, SECONDARY, rx=2)
    return [back, front, text(x + SHORT + 8, y + 17, figure, 12)]
