"""`uno-pomdp train`: self-play, or a best response, with progress, strength and time left."""

import shlex
import sys
from collections.abc import Iterable
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from uno_pomdp.cli.console import err, out, print_json, showing_compilation
from uno_pomdp.errors import UnoError

if TYPE_CHECKING:
    from uno_pomdp.learning.trainer import Progress, Trainer


class NoTorch(UnoError):
    """Training without what it needs."""


def train(
    folder: Path,
    name: str,
    settings: Iterable[str],
    against: str,
    seconds: float | None,
    device: str,
    threads: int,
    rules: str | None = None,
    seed: int | None = None,
    as_json: bool = False,
    games: int = 200_000,
) -> None:
    """Train, or go on with what the folder holds, and write the net."""
    if find_spec("torch") is None:
        raise NoTorch("training needs torch: install it with pip install 'uno-pomdp[train]'")
    import torch  # an extra: looked for when it is asked for

    from uno_pomdp.learning.__main__ import finished, parsed_settings
    from uno_pomdp.learning.checkpoint import CHECKPOINT
    from uno_pomdp.learning.config import config_of, responding
    from uno_pomdp.learning.trainer import Trainer

    torch.set_num_threads(1)
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    with showing_compilation():
        if (folder / CHECKPOINT).exists():
            trainer = Trainer.resume(folder, chosen, threads)
        else:
            chosen_here = {"rules": rules, "seed": None if seed is None else str(seed)}
            named = {key: text for key, text in chosen_here.items() if text is not None}
            config = config_of(name, parsed_settings(settings) | named)
            if against:
                config = responding(config, against)
            trainer = Trainer(config, chosen, threads)
    try:
        _run(trainer, seconds, folder)
        files, response = finished(trainer, folder, shlex.join(["uno-pomdp", *sys.argv[1:]]), games)
        if as_json:
            points = response and [response.points.points, response.points.half_width]
            document = {"config": trainer.config.to_json(), "progress": trainer.progress.row(), "response": points}
            print_json(document | {"files": [str(path) for path in files]})
            return
        out.print(f"wrote {', '.join(map(str, files))}", markup=False, soft_wrap=True)
        if response is not None:
            out.print(str(response), markup=False, soft_wrap=True)
    finally:
        trainer.close()


def _run(trainer: "Trainer", seconds: float | None, folder: Path) -> None:
    with Bars(TextColumn("training"), BarColumn(), TextColumn("{task.description}"), console=err) as bars:
        task = bars.add_task("", total=1.0)

        def report(progress: "Progress") -> None:
            bars.update(task, completed=progress.done, description=standing(progress))

        trainer.run(seconds, folder, report)


def standing(progress: "Progress") -> str:
    """Return strength, rate and time left as a short text."""
    left = timedelta(seconds=round(progress.seconds * (1.0 - progress.done) / max(progress.done, 1e-9)))
    strength = ", ".join(f"{100 * points:.1f} % v {name}" for name, (points, _) in progress.strength.items())
    return f"{progress.decisions / 1e6:,.1f} M choices, {progress.rate / 1e3:,.0f} k/s, {left} left {strength}".strip()
