"""The progress of a long run, on the error console if that is a terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.progress import BarColumn, ProgressColumn, TextColumn
from rich.progress import Progress as Bars

from uno_pomdp.arena.run import MatchProgress
from uno_pomdp.cli.stopping import telling
from uno_pomdp.cli.ui.console import err
from uno_pomdp.quantities import count_of

Show = Callable[[str, MatchProgress], None]
"""Shows the progress of the match of that name."""


class RateMeter:
    """What this run did itself: games of earlier runs, read from a store, do not count."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._games: dict[str, float] = {}

    def take(self, name: str, progress: MatchProgress) -> None:
        """Take in how a match stands."""
        self._games[name] = progress.games_per_second * progress.seconds

    def __str__(self) -> str:
        games, seconds = round(sum(self._games.values())), time.perf_counter() - self._started
        return (
            f"{games:,} games played in {seconds:.1f} s: {games / seconds:,.0f} games/s" if games else "nothing to play"
        )


def standing(progress: MatchProgress) -> str:
    """Return estimate, rate and time left as a short text."""
    left = timedelta(seconds=round(progress.seconds_left)) if progress.games_per_second else "?"
    return f"{_points(progress)}, {_rate(progress.games_per_second)} games/s, {left} left"


def _rate(games: float) -> str:
    return f"{games:,.0f}" if games >= 10 else f"{games:.1f}"


def nothing_kept() -> str:
    """Return what is said to be kept of work that leaves nothing behind."""
    return "nothing is kept"


@contextmanager
def counting(what: str, kept: Callable[[], str] = nothing_kept) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of items done, on a terminal only; if the work is stopped, say what `kept` returns."""
    at = (0, 0)

    def told() -> str:
        done, total = at
        return f"{what}, {done:,} of {total:,} done; {kept()}" if total else f"{what}; {kept()}"

    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), TextColumn("{task.fields[done]}"))
    with telling(told), _bars(*columns) as bars:
        bar = None if bars is None else bars.add_task(what, total=None, done="")

        def show(done: int, total: int) -> None:
            nonlocal at
            at = done, total
            if bars is not None and bar is not None:
                bars.update(bar, completed=done, total=total, done=f"{done:,} of {total:,}")

        yield show


@contextmanager
def showing_progress(kept: Callable[[], str] = nothing_kept) -> Iterator[Show]:
    """Show a bar with estimate, games a second and time left, on a terminal only.

    If the match is stopped, a sentence says how far it came; `kept` returns what is kept, as the end of that sentence.
    """
    last: tuple[str, MatchProgress] | None = None

    def told() -> str:
        return f"{'before a pair was finished' if last is None else came_to(*last)}; {kept()}"

    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), TextColumn("{task.fields[standing]}"))
    with telling(told), _bars(*columns) as bars:
        bar = None if bars is None else bars.add_task("", start=True, visible=False, total=1, standing="")

        def show(name: str, progress: MatchProgress) -> None:
            nonlocal last
            last = name, progress
            if bars is None or bar is None:
                return
            text = standing(progress)
            room = max(err.width - len(text) - 12, 8)  # the bar has what is left
            short = name if len(name) <= room else name[: room - 1] + "…"
            bars.update(
                bar, description=short, total=progress.pairs, completed=progress.done, standing=text, visible=True
            )

        yield show


def came_to(name: str, progress: MatchProgress) -> str:
    """Return how far a match came, to be printed after `stopped`."""
    return (
        f"after {progress.done:,} of {count_of(progress.pairs, 'pair')} of {name}, at {_points(progress)} of the points"
    )


def _points(progress: MatchProgress) -> str:
    half = 50 * (progress.points.high - progress.points.low)
    return f"{100 * progress.points.estimate:.1f} % ± {half:.1f}"


@contextmanager
def _bars(*columns: ProgressColumn) -> Iterator[Bars | None]:
    """Show bars on the error console while it is a terminal."""
    if not err.is_terminal:
        yield None
        return
    with Bars(*columns, console=err, transient=True, expand=True) as bars:
        yield bars
