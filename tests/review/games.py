"""Games for reviews: played by agents, from golden files, and hand-made."""

from functools import cache
from pathlib import Path
from typing import Final

from tests.helpers import do, start
from uno_pomdp.arena.match import play_game
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord, record_of
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules

FOLDER: Final = Path(__file__).parents[1] / "golden"
GOLDEN: Final = sorted(path for path in FOLDER.glob("*.txt") if not path.stem.endswith(".seen"))
"""Whole games under every preset."""


def golden(path: Path) -> GameRecord:
    """Return a golden game."""
    return load_record(path)


@cache
def played(first: str = "baseline", second: str = "heuristic", rules: str = "house", seed: int = 3) -> GameRecord:
    """Return a game between two agents."""
    record = play_game(Rules.parse(rules), seed, (make_agent(first), make_agent(second)), (1, 2), record=True).record
    assert record is not None
    return record


def missed_run() -> GameRecord:
    """Return a game in which player 1 could win at once with RS and R1, plays R1 first, and loses."""
    game = start("R0", "RS R1", "W G5", "Y5 Y6 G7 G8 B9 R9 W", reshuffle="no")
    return record_of(do(game, "R1 W:G draw G5"), ("one", "two"))
