"""Curves of strength as pictures: over training, and over the time for a decision. They need Matplotlib."""

import csv
from collections.abc import Mapping
from pathlib import Path

from uno_pomdp.arena.statistics import Interval
from uno_pomdp.plots import picture

_MARK = " ±"


def draw_curve(path: Path, curve: Path) -> None:
    """Draw a net's points against each opponent over the choices that it was trained on, from the CSV of a run."""
    rows = list(csv.DictReader(curve.read_text(encoding="utf-8").splitlines()))
    opponents = [name.removesuffix(_MARK) for name in rows[0] if name.endswith(_MARK)] if rows else []
    with picture(path, "choices, millions", "points, %") as axes:
        for name in opponents:
            kept = [row for row in rows if row[name]]
            done = [float(row["decisions"]) / 1e6 for row in kept]
            points, half = ([100 * float(row[key]) for row in kept] for key in (name, name + _MARK))
            axes.errorbar(done, points, half, fmt="o-", markersize=3, capsize=2, label=f"v {name}")
        axes.legend()


def draw_budgets(path: Path, curves: Mapping[str, Mapping[float, Interval]]) -> None:
    """Draw for each agent how its points grow with the milliseconds of a decision."""
    with picture(path, "milliseconds a decision", "points, %") as axes:
        for name, curve in curves.items():
            middle = [100 * points.estimate for points in curve.values()]
            half = [50 * (points.high - points.low) for points in curve.values()]
            axes.errorbar(list(curve), middle, half, fmt="o-", capsize=3, label=name)
        axes.set_xscale("log")
        axes.set_xticks(sorted({budget for curve in curves.values() for budget in curve}))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.legend()
