"""Checkpoints and curves on disk: written whole or not at all."""

import csv
import io
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import torch

from uno_pomdp.errors import UnoError

CHECKPOINT: Final = "checkpoint.pt"
"""The name of the checkpoint in its folder."""
CURVE: Final = "curve.csv"
"""The name of the learning curve in its folder."""


class InvalidCheckpoint(UnoError):
    """A folder that holds no checkpoint, or a damaged one."""


def save_checkpoint(folder: Path, values: Mapping[str, Any]) -> None:
    """Write a checkpoint into its folder."""
    _whole(folder / CHECKPOINT, lambda file: torch.save(dict(values), file))


def load_checkpoint(folder: Path, device: str) -> dict[str, Any]:
    """Read the checkpoint of a folder."""
    path = folder / CHECKPOINT
    try:
        values = torch.load(path, map_location=device, weights_only=True)
    except OSError as error:
        raise InvalidCheckpoint(f"{path} can't be read: {error.strerror or error}") from error
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise InvalidCheckpoint(f"{path} is damaged: train again or take another folder ({error})") from error
    if not isinstance(values, dict) or not {"config", "progress", "player"} <= set(values):
        raise InvalidCheckpoint(f"{path} is no checkpoint of a training")
    return values


def write_curve(folder: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the learning curve as CSV."""
    names: dict[str, None] = {}
    for row in rows:
        names |= dict.fromkeys(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    _whole(folder / CURVE, lambda file: file.write(text.getvalue().encode()))


def _whole(target: Path, write: Callable[[BinaryIO], object]) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
