"""What commands that train share: torch, where it is installed, and a bar that says how training stands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from uno_pomdp.cli.stopping import telling
from uno_pomdp.cli.ui.console import err
from uno_pomdp.extras import require_torch

if TYPE_CHECKING:
    from uno_pomdp.learning.progress import TrainingProgress


def training_device(named: str = "") -> str:
    """Return the torch device: the one named, else a GPU if there is one; without torch, refuse."""
    require_torch()
    import torch  # an extra: looked for when it is asked for

    torch.set_num_threads(1)  # games have the other cores, and waiting threads of torch would take their time
    return named or ("cuda" if torch.cuda.is_available() else "cpu")


@dataclass(frozen=True)
class TrainingBar:
    """A bar with strength, rate and time left, called with each progress."""

    bars: Bars
    """The progress display."""
    task: TaskID
    """Its task in that display."""

    def __call__(self, progress: "TrainingProgress") -> None:
        """Show how training stands."""
        self.bars.start()
        self.bars.update(self.task, completed=progress.done, description=standing(progress))

    def watching(self, choices: int, done: float) -> None:
        """Show how far the watching of an agent is that is to be imitated."""
        self.bars.start()
        self.bars.update(self.task, completed=done, description=f"watching first, {choices:,} choices")


def kept_training(folder: Path | None) -> str:
    """Return what is kept of a training that is stopped."""
    from uno_pomdp.learning.checkpoint import CHECKPOINT  # of an extra

    if folder is None:
        return "nothing is kept: for that give --folder DIR"
    if not (folder / CHECKPOINT).exists():
        return f"there is no checkpoint in {folder} yet, and the same command begins anew"
    return f"the same command goes on from the last checkpoint in {folder}"


@contextmanager
def showing_training(kept: Callable[[], str]) -> Iterator[TrainingBar]:
    """Show a bar with strength, rate and time left; where it is stopped, `kept` returns what is left of it.

    It appears with the first progress: what is refused before has none.
    """
    bars = Bars(TextColumn("training"), BarColumn(), TextColumn("{task.description}"), console=err)
    with telling(lambda: f"in training; {kept()}"):
        try:
            yield TrainingBar(bars, bars.add_task("", total=1.0))
        finally:
            if bars.live.is_started:
                bars.stop()


def standing(progress: "TrainingProgress") -> str:
    """Return strength, rate and time left as a short text; before anything is done nobody knows what is left."""
    known = progress.done > 0.0
    left = f", {timedelta(seconds=round(progress.seconds * (1.0 / progress.done - 1.0)))} left" if known else ""
    strength = ", ".join(f"{100 * points:.1f} % v {name}" for name, (points, _) in progress.strength.items())
    return f"{progress.decisions / 1e6:,.1f} M choices, {progress.rate / 1e3:,.0f} k/s{left} {strength}".strip()
