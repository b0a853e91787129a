"""Pictures of how good beliefs are, as files. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uno_pomdp.beliefs.quality import Calibration, Estimate

if TYPE_CHECKING:
    pass

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
