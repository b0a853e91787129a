"""A training in a folder: started or resumed, and its files when it is over."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import torch

from uno_pomdp.errors import PlaceTaken
from uno_pomdp.learning.best_response import RESPONSE, LearnedResponse, measured
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE
from uno_pomdp.learning.config import PRESETS, TrainConfig, config_of, responding
from uno_pomdp.learning.frozen_opponent import IMITATION, frozen_name, imitation_of, is_imitation
from uno_pomdp.learning.imitation.imitation import WATCHING, ImitationConfig, Watching, kept_imitation
from uno_pomdp.learning.nets import exported
from uno_pomdp.learning.trainer import Trainer, check_seconds
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import NetFile, halved

NET: Final = "net.npz"
"""The name of the net in its folder."""


def begun_or_resumed(
    folder: Path,
    name: str,
    settings: Mapping[str, str],
    against: str,
    device: str,
    threads: int = 0,
    seconds: float | None = None,
    processes: int = 1,
    watching: Watching | None = None,
    force: bool = False,
) -> tuple[Trainer, float | None]:
    """Return the training of a folder, or a new one, and its time limit in seconds.

    Where an agent has to be imitated, watching it first takes a part of the time. If the folder holds a training, that
    is resumed, and the configuration asked for must be the same. A new one overwrites nothing unless by `force`.
    """
    check_folder(folder, force)
    config = config_of(name, settings)
    if seconds is not None:
        check_seconds(seconds)
    if (folder / CHECKPOINT).exists():
        trainer = Trainer.resume(folder, device, threads)
        try:
            _check_same(folder, trainer.config, config, PRESETS[name].keys() | settings.keys(), against)
        except InvalidTraining:
            trainer.close()
            raise
    elif not against:
        return Trainer(config, device, threads), seconds
    else:
        rules, net = config.game_rules, None
        frozen = frozen_name(against, rules)
        if frozen is None:
            share = None if seconds is None else WATCHING * seconds
            imitation = ImitationConfig(seed=config.seed)
            net = kept_imitation(folder, against, rules, imitation, device, processes, share, watching)
            frozen = imitation_of(against)
        trainer = Trainer(responding(config, frozen), device, threads, net)
    if seconds is not None and is_imitation(trainer.config.against):
        seconds *= 1.0 - WATCHING
    return trainer, seconds


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder with results that no training in it has written, unless by `force`: they would be overwritten."""
    there = [name for name in (NET, CURVE, RESPONSE) if (folder / name).exists()]
    if there and not force and not (folder / CHECKPOINT).exists():
        raise PlaceTaken(
            f"{folder} holds {' and '.join(there)} but no training to go on with: name another folder, "
            "or write over what is there with --force"
        )


def _check_same(folder: Path, before: TrainConfig, asked: TrainConfig, names: Iterable[str], against: str) -> None:
    """Refuse settings that differ from those of a training to be resumed."""
    if against:
        frozen = frozen_name(against, before.game_rules) or imitation_of(against)
        asked, names = responding(asked, frozen), {*names, "against"}
    elif before.against:
        asked = responding(asked, before.against)
    old, new = before.to_json(), asked.to_json()
    other = [name for name in old if name in names and old[name] != new[name]]
    if other:
        said = ", ".join(f"{name}={'nobody' if old[name] == '' else old[name]}" for name in other)
        raise InvalidTraining(f"{folder} holds a training with {said}: go on with that, or name another folder")


def finished(
    trainer: Trainer, folder: Path, command: str, games: int = 200_000
) -> tuple[list[Path], LearnedResponse | None]:
    """Write the net of a finished training and measure a best response; return the files and the measurement."""
    files = [folder / CHECKPOINT, folder / CURVE, folder / NET]
    write_net(trainer, files[-1], False, command)
    if not trainer.config.against:
        return files, None
    found = measured(trainer, games, command)
    found.champion.save(folder / RESPONSE)
    return [*files, folder / RESPONSE, *folder.glob(IMITATION)], found


def write_net(trainer: Trainer, path: Path, last: bool, command: str, over: bool = True) -> None:
    """Write the averaged player or the last one, with how it was trained."""
    about = {
        "config": trainer.config.to_json(),
        "command": command,
        "averaged": not last,
        "progress": trainer.progress.row(),
        "torch": torch.__version__,
    }
    net = halved(exported(trainer.player if last else trainer.average))
    NetFile(trainer.config.game_rules, about, net).save(path, over)
