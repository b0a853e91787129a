"""`uno-pomdp train` says what it needs, and shows how it stands."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from uno_pomdp import extras
from uno_pomdp.cli.commands.train import train
from uno_pomdp.cli.ui import training


def test_without_torch_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(extras.NotInstalled, match=r"install it with pip install '\S+\[train\]'"):
        train(tmp_path, "small")


def test_it_shows_strength_rate_and_time_left() -> None:
    at = SimpleNamespace(decisions=2_500_000, rate=40_000.0, seconds=60.0, done=0.25, strength={"random": (0.61, 0.01)})
    assert training.standing(at) == "2.5 M choices, 40 k/s, 0:03:00 left 61.0 % v random"  # type: ignore[arg-type]
