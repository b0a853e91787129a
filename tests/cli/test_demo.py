"""`uno-pomdp demo`: a game with comments, a tournament, two reports, their files; the same for the same seed."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.cli.command import uno
from tests.cli.inside import call, in_words
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.cli.ui.annotated_game import AnnotatedGame, play_annotated
from uno_pomdp.game.actions import DRAW, KEEP
from uno_pomdp.game.game import Game
from uno_pomdp.game.move import Move
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import replay
from uno_pomdp.rules import Rules, preset

MOVE = re.compile(r" *(\d+)  +(\d+ : \d+) +(P[12])   (.*)")
ESCAPE = "\x1b["
PENALTIES = Rules(deck=Cards.parse("R0 R1 R2 R+2 Y0 Y1 Y2 Y+2"), hand_size=2)
"""Rules under which the played pile often goes back."""
SMALL = ("--pairs", "2", "--sims", "10")


@cache
def commented(name: str, seed: int) -> AnnotatedGame:
    """Return the game of a demo with ten simulations."""
    return play_annotated(preset(name), ("ismcts:sims=40", "flat:sims=40"), seed)


def what(move: Move) -> str:
    """Return how a move of a game is told."""
    drawn = " ".join(map(card_name, move.cards))
    if move.action == KEEP:
        return "kept the card"
    if move.action == DRAW:
        penalty = " as a penalty" if len(move.drawn) > 1 else ""
        return f"drew {drawn}{penalty}" if drawn else "had to draw, but the deck is exhausted"
    return f"played {in_words(str(move.action))}"


def rows(text: str) -> list[tuple[str, str, str, str]]:
    """Return the moves that a demo shows: number, sizes of both hands, who, what."""
    found = [MOVE.fullmatch(line) for line in text.splitlines()]
    return [(each[1], each[2], each[3], re.split(r"   *", each[4].strip())[0]) for each in found if each]


def shown(game: Game) -> list[tuple[str, str, str, str]]:
    """Return the moves that a demo of this game has to show, with the sizes of both hands after each."""
    again, found = Game.from_deal(game.rules, game.deal, game.seed), []
    for number, move in enumerate(game.moves, 1):
        again.apply(move.action)
        sizes = f"{len(again.hand(0))} : {len(again.hand(1))}"
        found.append((str(number), sizes, f"P{move.seat + 1}", what(move)))
    return found


def test_every_move_of_both_players_is_shown(tmp_path: Path) -> None:
    game = replay(commented("house", 1).record)
    options = ("--rules", "house", "--seed", "1", "--folder", str(tmp_path))
    text = uno("demo", *SMALL, *options, COLUMNS="300").stdout
    assert rows(text) == shown(game)
    assert f"\n{game.outcome}\n" in text
    assert text.startswith(f"One game, rules house, deal seed {game.seed}\n")
    assert text.count("shuffled back into the draw pile") == sum(move.reshuffled is not None for move in game.moves)


def test_moves_have_the_hope_of_the_mover_and_the_belief_of_the_other() -> None:
    found = commented("house", 1)
    game = replay(found.record)
    hopes, surprises = found.hopes(), found.surprises()
    assert len(hopes) == len(surprises) == len(game.moves)
    assert all(0.0 <= hope <= 1.0 for hope in hopes if hope is not None)
    assert any(hope is not None for hope in hopes)
    for move, surprise in zip(game.moves, surprises, strict=True):
        if surprise is not None:
            assert 0.0 <= surprise[0] <= 1.0
            assert surprise[1] == (move.action == DRAW)  # rules house: who can play has to
            assert surprise[0] > 0.0 or not surprise[1]
            assert surprise[0] < 1.0 or surprise[1]


def test_the_belief_follows_a_game_through_its_reshuffles() -> None:
    for seed in range(100):
        found = play_annotated(PENALTIES, ("random", "random"), seed)
        game = replay(found.record)
        if sum(move.reshuffled is not None for move in game.moves) > 2:
            break
    surprises = found.surprises()
    assert sum(move.reshuffled is not None for move in game.moves) > 2
    stuck = [move.action == DRAW for move, each in zip(game.moves, surprises, strict=True) if each is not None]
    assert stuck == [each[1] for each in surprises if each is not None]


def test_a_demo_in_80_columns_without_colours_leaves_its_files(tmp_path: Path) -> None:
    options = ("--rules", "printed", "--seed", "3", "--folder", str(tmp_path / "demo"))
    first = uno("demo", *SMALL, *options, COLUMNS="80", NO_COLOR="1")
    assert ESCAPE not in first.stdout + first.stderr
    shown_part, _, files = first.stdout.partition("\nFiles\n")
    assert max(map(len, shown_part.splitlines())) <= 80
    for title in ("A small tournament", "a mini deck", "these rules", "exact best response", "95 % interval"):
        assert title in shown_part
    assert all(Path(line).is_file() for line in files.splitlines())
    assert {"game.txt", "nash-mini-9.json", "nash-printed.json", "nash-printed.svg"} <= {
        Path(line).name for line in files.splitlines()
    }
    assert len(rows(shown_part)) == len(load_record(tmp_path / "demo" / "game.txt").moves)
    report = json.loads((tmp_path / "demo" / "nash-mini-9.json").read_text(encoding="utf-8"))
    assert report["verdict"] in " ".join(shown_part.split())


def test_a_demo_repeated_in_its_folder_says_the_same_and_colours_change_nothing_else(tmp_path: Path) -> None:
    arguments = ("demo", *SMALL, "--rules", "mini-9", "--seed", "4", "--folder", str(tmp_path))
    coloured = uno(*arguments, COLUMNS="120", FORCE_COLOR="1").stdout
    assert ESCAPE in coloured
    plain = uno(*arguments, "--force", COLUMNS="120").stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert rows(plain) == shown(replay(commented("mini-9", 4).record))


def test_another_seed_is_another_game() -> None:
    assert commented("mini-9", 4).record.hands != commented("mini-9", 5).record.hands


@pytest.mark.parametrize(
    "name", ["game.txt", "nash-mini-9.json", "nash-house.svg", "tournament/baseline-v-heuristic-1e75aac5.jsonl"]
)
def test_what_lies_in_the_folder_is_written_over_only_by_force(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine\n")
    before = sorted(tmp_path.rglob("*"))
    done = call("demo", *SMALL, "--folder", str(tmp_path))
    assert done.code == 2
    assert done.err == (
        f"uno-pomdp: {tmp_path} holds {name} already: name another folder, or write over what is there with --force\n"
    )
    assert (tmp_path / name).read_text() == "mine\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_can_not_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = uno("demo", "--folder", str(tmp_path / "file"), code=2)
    assert "can't be made" in done.stderr
