"""`uno-pomdp train`: self-play, or a best response, with progress, strength and time left."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, Force, agent_option, complete_config, complete_rules, number
from uno_pomdp.cli.ui.console import out, print_json, showing_compilation
from uno_pomdp.quantities import SECONDS, SEED, THREADS, Whole

MEASURED: Final = 200_000
"""Games in which the finished net is measured."""


@app.command(epilog="Example: uno-pomdp train runs/small --config small --seconds 100")
def train(
    folder: Annotated[Path, typer.Argument(help="For checkpoint, curve and net; goes on if it has a checkpoint.")],
    config: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="champion, mirror, small, mini or mini-mirror.", autocompletion=complete_config
        ),
    ] = "champion",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another value of one setting.")
    ] = None,
    against: Annotated[str, agent_option("Learn a best response to this agent, or net in a file.")] = "",
    seconds: Annotated[
        float | None,
        number(
            SECONDS,
            "End with the iteration in which this time is over, all runs in the folder together; starting and the last "
            "measurement come on top.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="cpu or cuda.", show_default="cuda where there is one")
    ] = "",
    threads: Annotated[int, number(Whole(0, THREADS.most), "Threads for games.", show_default="one a core")] = 0,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="RULES",
            help="The rules by name.",
            show_default="the configuration's",
            autocompletion=complete_rules,
        ),
    ] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same run.", show_default="0")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train a champion by self-play, or a best response to a frozen player; needs the extra `train`."""
    from uno_pomdp.cli.failed_games import showing_failures
    from uno_pomdp.cli.ui.training import kept_training, showing_training, training_device
    from uno_pomdp.files import Held, try_folder

    chosen = training_device(device)
    from uno_pomdp.learning.checkpoint import CHECKPOINT
    from uno_pomdp.learning.settings import parsed_settings, set_once
    from uno_pomdp.learning.training_folder import begun_or_resumed, finished

    asked = parsed_settings(settings or ())
    for key, given in (("rules", rules), ("seed", seed)):
        if given is not None:
            set_once(asked, key, str(given))
    try_folder(folder)
    bars = showing_training(lambda: kept_training(folder))
    with Held(folder / CHECKPOINT), showing_failures(), showing_compilation(), bars as bar:
        trainer, seconds = begun_or_resumed(
            folder, config, asked, against, chosen, threads, seconds, os.cpu_count() or 1, bar.watching, force
        )
        try:
            trainer.run(seconds, folder, bar)
            files, response = finished(trainer, folder, shlex.join(["uno-pomdp", *sys.argv[1:]]), MEASURED)
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
