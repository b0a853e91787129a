"""Pictures of how good beliefs are, as files. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from uno_pomdp.beliefs.diagnostics import Calibration, Estimate
from uno_pomdp.errors import UnoError
from uno_pomdp.extras import missing
from uno_pomdp.files import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS: Final = (".svg", ".png", ".pdf")
"""How the names of pictures may end."""


class NoPictures(UnoError):
    """A picture that can't be drawn here."""


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


def check_picture(path: Path) -> None:
    """Refuse a picture that can't be drawn: asked before long work, not after it."""
    if path.suffix not in FORMATS or not path.parent.is_dir():
        raise NoPictures(f"{path} is no file for a picture: name a {', '.join(FORMATS)} in a folder that exists")
    if find_spec("matplotlib") is None:
        raise _no_matplotlib()


def _no_matplotlib() -> NoPictures:
    return NoPictures(missing("pictures need", "Matplotlib", "plots"))


@contextmanager
def picture(path: Path, across: str, up: str, over: bool = True) -> "Iterator[Axes]":
    """Give axes to draw on, and write them to the file, whole or not at all; the same drawing gives the same bytes."""
    check_picture(path)
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise _no_matplotlib() from None
    with matplotlib.rc_context({"svg.hashsalt": "uno-pomdp", "font.size": 9}):
        figure = Figure(figsize=(6.0, 3.6), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.grid(alpha=0.3)
        yield axes
        with written_whole(path, over=over) as file:
            figure.savefig(file, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)
