"""`uno-pomdp train`: self-play, or a best response, with progress, strength and time left."""

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from uno_pomdp.cli.failed_games import showing_failures
from uno_pomdp.cli.ui.console import out, print_json, showing_compilation
from uno_pomdp.cli.ui.training import kept_training, showing_training, training_device
from uno_pomdp.files import Held, try_folder


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
    force: bool = False,
) -> None:
    """Train, or go on with what the folder holds, and write the net."""
    chosen = training_device(device)
    from uno_pomdp.learning.checkpoint import CHECKPOINT
    from uno_pomdp.learning.settings import parsed_settings, set_once
    from uno_pomdp.learning.training_folder import begun_or_resumed, finished

    asked = parsed_settings(settings)
    for key, given in (("rules", rules), ("seed", seed)):
        if given is not None:
            set_once(asked, key, str(given))
    try_folder(folder)
    bars = showing_training(lambda: kept_training(folder))
    with Held(folder / CHECKPOINT), showing_failures(), showing_compilation(), bars as bar:
        trainer, seconds = begun_or_resumed(
            folder, name, asked, against, chosen, threads, seconds, os.cpu_count() or 1, bar.watching, force
        )
        try:
            trainer.run(seconds, folder, bar)
            files, response = finished(trainer, folder, shlex.join(["uno-pomdp", *sys.argv[1:]]), games)
        finally:
            trainer.close()
    if as_json:
        found = response and {name: part for name, part in response.to_json().items() if name != "curve"}
        document = {"config": trainer.config.to_json(), "progress": trainer.progress.to_json(), "response": found}
        print_json(document | {"files": [str(path) for path in files]})
        return
    out.print(f"wrote {', '.join(map(str, files))}", markup=False, soft_wrap=True)
    if response is not None:
        out.print(str(response), markup=False, soft_wrap=True)
