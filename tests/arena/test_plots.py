"""Pictures of results are files that show every curve."""

from pathlib import Path

import numpy as np
import pytest

from uno_pomdp.arena.lengths import Spread
from uno_pomdp.arena.plots import draw_lengths
from uno_pomdp.errors import CannotWrite


def test_a_histogram_of_lengths_has_every_game_and_says_the_ends(tmp_path: Path) -> None:
    curves = {"turns": Spread(np.array([3, 3, 900])), "actions": Spread(np.array([4, 5, 1000]))}
    for name in ("one.svg", "two.svg"):
        draw_lengths(tmp_path / name, curves, "greedy v random")
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    for words in ("turns: mean 302.0, 3 to 900", "actions: mean 336.3, 4 to 1,000", "greedy v random", "games, %"):
        assert words in text
    with pytest.raises(CannotWrite, match="it is there already"):
        draw_lengths(tmp_path / "one.svg", curves, "again", over=False)
