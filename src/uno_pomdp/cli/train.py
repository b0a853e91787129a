"""`uno-pomdp train`: self-play, or a best response, with progress, strength and time left."""

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from uno_pomdp.cli.console import out, print_json, showing_compilation
from uno_pomdp.cli.training import showing_training, training_device
from uno_pomdp.rules import preset


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
    chosen = training_device(device)
    from uno_pomdp.learning.__main__ import finished, parsed_settings
    from uno_pomdp.learning.checkpoint import CHECKPOINT
    from uno_pomdp.learning.config import config_of, responding
    from uno_pomdp.learning.imitation import IMITATION, ImitationConfig, is_agent, kept_imitation
    from uno_pomdp.learning.trainer import Trainer

    with showing_compilation():
        if (folder / CHECKPOINT).exists():
            trainer = Trainer.resume(folder, chosen, threads)
        else:
            chosen_here = {"rules": rules, "seed": None if seed is None else str(seed)}
            named = {key: text for key, text in chosen_here.items() if text is not None}
            config = config_of(name, parsed_settings(settings) | named)
            if against and is_agent(against):
                imitation, cores = ImitationConfig(seed=config.seed), os.cpu_count() or 1
                with showing_training() as bar:
                    kept_imitation(folder, against, preset(config.rules), imitation, chosen, cores, report=bar.watching)
                against = str(folder / IMITATION)
            if against:
                config = responding(config, against)
            trainer = Trainer(config, chosen, threads)
    try:
        with showing_training() as report:
            trainer.run(seconds, folder, report)
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
