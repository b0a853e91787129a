"""A chart of estimates with their intervals (forest plot): a row for each, reference lines, the figures beside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from uno_pomdp.display.svg import ACCENT, ALERT, INK, QUIET, element, group, line, picture, shortened, text

WIDTH: Final = 760.0
LABELS: Final = 250.0
"""Where the plot begins."""
FIGURES: Final = 530.0
"""Where it ends and the figures begin."""
ROW: Final = 24.0
MARGIN: Final = 16.0
TICKS: Final = 5
"""Steps of the axis, about."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """An estimate and its interval."""

    label: str
    """What it is about."""
    estimate: float
    low: float
    """Where the interval begins."""
    high: float
    """Where it ends."""
    note: str = ""
    """More about it, shown as a tooltip."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A reference value: a vertical line."""

    value: float
    """Where it stands."""
    label: str
    """What it is."""
    strong: bool = False
    """Whether it is a finding, such as an exact margin, and not a mere zero."""


def interval_chart(
    title: str, rows: Sequence[IntervalRow], marks: Sequence[Mark] = (), unit: str = "", digits: int = 2
) -> str:
    """Return the chart; marks are named below it."""
    low, high = _range([*(row.low for row in rows), *(mark.value for mark in marks)], [row.high for row in rows])
    top, bottom = 40.0, 40.0 + ROW * len(rows)
    step = _step(high - low)

    def x(value: float) -> float:
        return LABELS + (FIGURES - LABELS) * (value - low) / (high - low)

    parts = [text(MARGIN, 24, shortened(title, WIDTH - 2 * MARGIN, 13), 13, INK, font_weight="bold")]
    for place in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1):
        at = x(place * step)
        parts.append(line(at, top, at, bottom + 4))
        parts.append(text(at, bottom + 17, _tick(place * step, step), 11, QUIET, text_anchor="middle"))
    parts.append(text(FIGURES + 14, bottom + 17, unit, 11, QUIET))
    parts += [_mark(mark, x(mark.value), top, bottom) for mark in marks]
    parts += [_row(row, x, top + ROW * (place + 0.5), digits) for place, row in enumerate(rows)]
    for place, mark in enumerate(marks):
        y = bottom + 36 + 16 * place
        parts += [_rule(mark, MARGIN, y - 4, MARGIN + 18, y - 4), text(MARGIN + 24, y, mark.label, 11, QUIET)]
    words = [*(f"{row.label} {_figures(row, digits)}" for row in rows), *(mark.label for mark in marks)]
    return picture(WIDTH, bottom + 30 + 16 * len(marks), title, words, parts)


def _row(row: IntervalRow, x: Callable[[float], float], y: float, digits: int) -> str:
    left, right = x(row.low), x(row.high)
    parts = [
        text(MARGIN, y + 4, shortened(row.label, LABELS - MARGIN - 8), 12),
        line(left, y, right, y, ACCENT, stroke_width=2),
        line(left, y - 5, left, y + 5, ACCENT, stroke_width=2),
        line(right, y - 5, right, y + 5, ACCENT, stroke_width=2),
        element("circle", cx=x(row.estimate), cy=y, r=4.5, fill=ACCENT),
        text(FIGURES + 14, y + 4, _figures(row, digits), 12),
    ]
    return group(parts, f"{row.label}: {_figures(row, digits)}" + (f"; {row.note}" if row.note else ""))


def _figures(row: IntervalRow, digits: int) -> str:
    estimate, low, high = (f"{value:z.{digits}f}".replace("-", "−") for value in (row.estimate, row.low, row.high))
    return f"{estimate}  [{low}, {high}]"


def _mark(mark: Mark, x: float, top: float, bottom: float) -> str:
    return group([_rule(mark, x, top - 4, x, bottom + 4)], mark.label)


def _rule(mark: Mark, x1: float, y1: float, x2: float, y2: float) -> str:
    if mark.strong:
        return line(x1, y1, x2, y2, ALERT, stroke_width=2, stroke_dasharray="5 3")
    return line(x1, y1, x2, y2, INK, stroke_width=1)


def _range(lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """Return from where to where the plot goes: all values, and a little more."""
    both = [*lows, *highs] or [0.0]
    low, high = min(both), max(both)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _step(width: float) -> float:
    """Return a round step of which the axis has a few."""
    power = 10.0 ** floor(log10(width / TICKS))
    return next((factor * power for factor in (1, 2, 5) if width / (factor * power) <= TICKS), 10 * power)


def _tick(value: float, step: float) -> str:
    return f"{value:z.{max(-floor(log10(step) + 1e-9), 0)}f}".replace("-", "−")
