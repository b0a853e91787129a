"""Pictures of results, as files. Needs Matplotlib, which is looked for when a picture is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from uno_pomdp.arena.lengths import Spread
from uno_pomdp.plots import picture

MOST_BINS: Final = 80
"""Bins of a histogram at most; each is as wide as a whole number of turns or actions."""


def draw_lengths(path: Path, curves: Mapping[str, Spread], title: str, over: bool = True) -> None:
    """Draw how many games are how long: a histogram for each name, all with the same bins."""
    longest = max((spread.longest for spread in curves.values()), default=0)
    width = -(-(longest + 1) // MOST_BINS)
    edges = np.arange(0, longest + 1 + width, width) - 0.5  # whole numbers lie inside
    with picture(path, "length of a game", "games, %", over) as axes:
        for name, spread in curves.items():
            counts, _ = np.histogram(spread.values, edges)
            about = f"mean {spread.mean:.1f}, {spread.shortest:,} to {spread.longest:,}"
            axes.stairs(100 * counts / len(spread.values), edges, label=f"{name}: {about}")
        axes.set_ylim(bottom=0)
        axes.set_title(title, fontsize=9)
        axes.legend()
