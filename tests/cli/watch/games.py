"""Games to be watched, and a console that shows what would be on a terminal."""

from functools import cache
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console, RenderableType

from uno_pomdp.arena.match import play_game
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.session.watched import WatchedGame

GOLDEN: Final = Path(__file__).parents[2] / "golden"
COACH: Final = "flat:sims=60"


@cache
def played(rules: str = "house", seed: int = 187) -> GameRecord:
    """Return the record of a game."""
    record = play_game(rules, seed, ("heuristic", "random"), record=True).record
    assert record is not None
    return record


def golden(name: str) -> GameRecord:
    """Return a golden game."""
    return load_record(GOLDEN / f"{name}.txt")


def watched(rules: str = "house", seed: int = 187) -> WatchedGame:
    """Return a game as it is watched."""
    return WatchedGame.of_record(played(rules, seed))


def terminal(width: int = 80, height: int = 24) -> Console:
    """Return a terminal of this size whose screens can be read."""
    return Console(file=StringIO(), force_terminal=True, width=width, height=height, highlight=False, _environ={})


def lines_of(what: RenderableType, console: Console) -> list[str]:
    """Return what stands in each line."""
    return ["".join(part.text for part in line).rstrip() for line in console.render_lines(what)]
