"""Pictures of how good beliefs are, as files. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.experiments.belief_quality import Calibration, Estimate
from uno_pomdp.beliefs.belief import REJUVENATED, RESAMPLED, Diagnostics
from uno_pomdp.plots import picture


def draw_calibration(path: Path, tables: Mapping[str, Calibration]) -> None:
    """Draw for each belief how often a type was held less P(type held), with the band for all bins at once."""
    with picture(path, "predicted P(type held)", "frequency held − predicted") as axes:
        axes.axhline(0.0, color="black", linewidth=0.8)
        for name, table in tables.items():
            rows = table.tested
            lines = axes.plot(table.predicted[rows], (table.frequency - table.predicted)[rows], "o-", label=name)
            middle, band = (table.frequency - table.predicted)[rows], table.band[rows]
            axes.fill_between(
                table.predicted[rows], middle - band, middle + band, color=lines[0].get_color(), alpha=0.25, linewidth=0
            )
        axes.legend()


def draw_convergence(path: Path, sizes: Sequence[int], errors: Sequence[Estimate], slope: float) -> None:
    """Draw the total variation of whole hands against the number of particles, beside a line of slope −1/2."""
    with picture(path, "particles", "total variation to enumeration") as axes:
        means = np.array([error.mean for error in errors])
        axes.errorbar(sizes, means, [error.half_width for error in errors], fmt="o-", label=f"slope {slope:.3f}")
        half = means[0] * np.sqrt(sizes[0] / np.array(sizes))
        axes.plot(sizes, half, "--", color="grey", label="slope −1/2")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.legend()


def draw_by_size(
    path: Path, up: str, curve: Mapping[int, Estimate], lines: Mapping[str, Estimate], logarithmic: bool = False
) -> None:
    """Draw something of a filter against its number of particles, and the same of other beliefs as lines across."""
    with picture(path, "particles", up) as axes:
        middle, half = [at.mean for at in curve.values()], [at.half_width for at in curve.values()]
        axes.errorbar(list(curve), middle, half, fmt="o-", capsize=3, label="particle filter")
        for number, (name, at) in enumerate(lines.items(), 1):
            axes.axhline(at.mean, color=f"C{number}", linestyle="--", linewidth=1, label=name)
            axes.axhspan(at.low, at.high, color=f"C{number}", alpha=0.15, linewidth=0)
        axes.set_xscale("log")
        axes.set_xticks(list(curve), [f"{size:,}" for size in curve])
        axes.minorticks_off()
        if logarithmic:
            axes.set_yscale("log")
        axes.legend(fontsize="small")


def draw_course(path: Path, course: Sequence[Diagnostics]) -> None:
    """Draw effective sample size and distinct hands of a filter through a game, and what its updates did."""
    with picture(path, "actions since the deal", "particles") as axes:
        ages, sizes = [now.age for now in course], [now.ess for now in course]
        axes.plot(ages, [now.size for now in course], ":", color="grey", label="particles")
        axes.plot(ages, [now.support for now in course], "-", color="C1", label="distinct hands")
        axes.plot(ages, sizes, "-", color="C0", label="effective sample size")
        for did, mark in ((RESAMPLED, "^"), (REJUVENATED, "o")):
            then = [now for now in course if now.did == did]
            axes.plot([now.age for now in then], [now.ess for now in then], mark, color="C0", label=did)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")
