"""The commands of the README, run as they are written, and its table of them."""

import re
from pathlib import Path
from typing import Final

import pytest
import typer

from tests.cli.inside import call
from tests.test_docs import blocks, page, tables
from uno_pomdp.cli.main import app

COMMANDS: Final = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group has them
LINES: Final = [
    line.partition("#")[0].split()
    for block in blocks(page("README.md"), "sh")
    for line in block.splitlines()
    if line.startswith("uno-pomdp ")
]
"""Every command of the README, in order: later ones use the files of earlier ones."""
TYPED: Final = {"play": "quit\n", "advise": "me\nr5 r7 y1 g+2 w4 b3 rs\nr1\nr5\ndraw\nkeep\n"}
"""What is typed where a person is asked."""


def test_every_command_of_the_readme_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    for _, *words in LINES:
        done = call(*words, typed=TYPED.get(words[0], ""))
        assert done.code == 0, (words, done.err)
        assert done.out, words
    assert {"game.txt", "table.txt", "mini-7.npz"} <= {path.name for path in tmp_path.iterdir()}


def test_every_command_is_in_the_table_and_most_are_shown() -> None:
    listed = {name for row in tables(page("README.md")) for name in re.findall(r"`(\w+)`", row[0])}
    assert set(COMMANDS) <= listed
    assert set(COMMANDS) - {words[1] for words in LINES} <= {
        "demo",
        "bench",
        "train",
        "serve",
        "engine",
    }  # by themselves


def test_the_start_fits_one_screen() -> None:
    start = page("README.md").partition("\n## ")[0]
    assert len(start.splitlines()) <= 24
