"""Pictures of results, as files. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Mapping
from pathlib import Path

from uno_pomdp.arena.statistics import Interval
from uno_pomdp.plots import picture


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
