"""`save FILE` in a game: over an older copy of the same game, and over nothing else."""

from pathlib import Path
from typing import Final

from tests.cli.inside import Done, call
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record
from uno_pomdp.rules import preset

SEED: Final = next(
    seed for seed in range(100) if len({a.card for a in Game.new(preset("house"), seed).legal_actions()}) > 2
)
"""A deal that begins with a choice of at least three cards."""


def played(folder: Path, name: str, *lines: str, seed: int = SEED) -> Done:
    """Play a game with these lines typed, then leave it."""
    typed = "".join(f"{line}\n" for line in (*lines, "quit"))
    return call("play", "random", "--seed", str(seed), "--record", str(folder / name), typed=typed)


def test_a_copy_is_written_over_an_earlier_one_of_the_same_game(tmp_path: Path) -> None:
    copy = tmp_path / "copy.txt"
    played(tmp_path, "a.txt", f"save {copy}", "1", f"save {copy}")
    assert len(load_record(copy).moves) >= 1
    assert load_record(copy).moves == load_record(tmp_path / "a.txt").moves


def test_another_line_of_the_same_deal_is_not_overwritten(tmp_path: Path) -> None:
    """Rules, seed, cards and players are the same; the first move is not."""
    copy = tmp_path / "copy.txt"
    played(tmp_path, "a.txt", "1", f"save {copy}")
    kept = copy.read_bytes()
    done = played(tmp_path, "b.txt", "2", f"save {copy}")
    assert copy.read_bytes() == kept
    assert str(copy) in done.out + done.err  # a sentence names the file
    one, other = (load_record(tmp_path / name) for name in ("a.txt", "b.txt"))
    assert (one.seed, one.pile, one.players) == (other.seed, other.pile, other.players)
    assert one.moves[0] != other.moves[0]
    assert load_record(copy).moves[0] == one.moves[0]


def test_another_deal_and_another_file_are_not_overwritten(tmp_path: Path) -> None:
    copy, notes = tmp_path / "copy.txt", tmp_path / "notes.txt"
    played(tmp_path, "a.txt", f"save {copy}")
    notes.write_text("shopping", encoding="utf-8")
    kept = copy.read_bytes()
    played(tmp_path, "b.txt", f"save {copy}", seed=SEED + 1)
    played(tmp_path, "c.txt", f"save {notes}")
    assert copy.read_bytes() == kept
    assert notes.read_text(encoding="utf-8") == "shopping"
