"""Checkpoints and curves on disk: written whole or not at all."""

import csv
import io
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch

from uno_pomdp.errors import UnusableFile
from uno_pomdp.files import write_text, written_whole

CHECKPOINT: Final = "checkpoint.pt"
"""The name of the checkpoint in its folder."""
CURVE: Final = "curve.csv"
"""The name of the learning curve in its folder."""


def save_checkpoint(folder: Path, values: Mapping[str, Any]) -> None:
    """Write a checkpoint into its folder."""
    with written_whole(folder / CHECKPOINT) as file:
        torch.save(dict(values), file)


def load_checkpoint(folder: Path, device: str) -> dict[str, Any]:
    """Read the checkpoint of a folder."""
    path = folder / CHECKPOINT
    try:
        values = torch.load(path, map_location=device, weights_only=True)
    except OSError as error:
        raise UnusableFile(f"{path} can't be read: {error.strerror or error}") from error
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise UnusableFile(f"{path} is damaged: train again or take another folder") from error
    if not isinstance(values, dict) or not {"config", "progress", "player"} <= set(values):
        raise UnusableFile(f"{path} is no checkpoint of a training")
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
    write_text(folder / CURVE, text.getvalue())
