"""Plots as files: axes to draw on, written whole. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from uno_pomdp.errors import UnoError
from uno_pomdp.extras import missing
from uno_pomdp.files import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS: Final = (".svg", ".png", ".pdf")
"""The file name suffixes of pictures."""


class NoPictures(UnoError):
    """A picture that can't be drawn here."""


def check_picture(path: Path | None) -> None:
    """Refuse a picture that can't be drawn, if one is wanted: asked before long work, not after it."""
    if path is None:
        return
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
