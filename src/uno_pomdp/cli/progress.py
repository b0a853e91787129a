"""How a long run stands, on the error console while it is a terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from uno_pomdp.arena.parallel import Progress
from uno_pomdp.cli.console import err

Show = Callable[[str, Progress], None]
"""Shows how a match of that name stands."""


class Meter:
    """What a run did itself: games of earlier runs, out of a store, are not its own."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._games: dict[str, float] = {}

    def take(self, name: str, progress: Progress) -> None:
        """Take in how a match stands."""
        self._games[name] = progress.games_per_second * progress.seconds

    def __str__(self) -> str:
        games, seconds = round(sum(self._games.values())), time.perf_counter() - self._started
        return (
            f"{games:,} games played in {seconds:.1f} s: {games / seconds:,.0f} games/s" if games else "nothing to play"
        )


def standing(progress: Progress) -> str:
    """Return estimate, rate and time left as a short text."""
    half = 50 * (progress.points.high - progress.points.low)
    left = timedelta(seconds=round(progress.seconds_left)) if progress.games_per_second else "?"
    return (
        f"{100 * progress.points.estimate:.1f} % ± {half:.1f}, {_rate(progress.games_per_second)} games/s, {left} left"
    )


def _rate(games: float) -> str:
    return f"{games:,.0f}" if games >= 10 else f"{games:.1f}"


def _nothing(name: str, progress: Progress) -> None:
    del name, progress


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar for so many of so many; nothing where nobody looks."""
    if not err.is_terminal:
        yield lambda *_: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), TextColumn("{task.completed}"))
    with Bars(*columns, console=err, transient=True, expand=True) as bars:
        bar = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


@contextmanager
def showing_progress() -> Iterator[Show]:
    """Show a bar with estimate, games a second and time left; nothing where nobody looks."""
    if not err.is_terminal:
        yield _nothing
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), TextColumn("{task.fields[standing]}"))
    with Bars(*columns, console=err, transient=True, expand=True) as bars:
        bar = bars.add_task("", start=True, visible=False, total=1, standing="")

        def show(name: str, progress: Progress) -> None:
            text = standing(progress)
            room = max(err.width - len(text) - 12, 8)  # the bar has what is left
            short = name if len(name) <= room else name[: room - 1] + "…"
            bars.update(
                bar, description=short, total=progress.pairs, completed=progress.done, standing=text, visible=True
            )

        yield show
