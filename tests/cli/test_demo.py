"""`uno-pomdp demo`: every move of both players, the result, the summary; the same for the same seed."""

import re
from pathlib import Path

import pytest

from tests.cli.command import uno
from uno_pomdp.cards import card_name
from uno_pomdp.cli.demo import play_one
from uno_pomdp.game.engine import Game, Move
from uno_pomdp.game.selfplay import play_random_games
from uno_pomdp.game.values import DRAW, KEEP, seat_name
from uno_pomdp.rules import PRESETS, preset

MOVE = re.compile(r" *(\d+)  (player [12])  (.*)")
ESCAPE = "\x1b["


def row(number: int, move: Move) -> tuple[str, str, str]:
    """Return how a move of a game is shown, without the hand behind it."""
    drawn = " ".join(map(card_name, move.drawn))
    if move.action == KEEP:
        what = "keeps it"
    elif move.action == DRAW:
        what = f"draws {'the penalty ' if len(drawn.split()) > 1 else ''}{drawn}"
        what = what if drawn else "has to draw, but the deck is exhausted"
    else:
        what = f"plays {move.action}"
    return str(number), seat_name(move.seat), what


def rows(text: str) -> list[tuple[str, str, str]]:
    """Return the moves that a demo shows: number, who, what."""
    found = [MOVE.fullmatch(line) for line in text.splitlines()]
    return [(each[1], each[2], re.split(r"   *", each[3].strip())[0]) for each in found if each]


def shown(game: Game) -> list[tuple[str, str, str]]:
    """Return the moves that a demo of this game has to show."""
    return [row(number, move) for number, move in enumerate(game.moves, 1)]


@pytest.mark.parametrize(("name", "seed"), [("house", 1), ("printed", 3), ("mini-9", 4)])
def test_every_move_of_both_players_is_shown(name: str, seed: int) -> None:
    game = play_one(preset(name), seed)
    text = uno("demo", "--rules", name, "--games", "10", "--seed", str(seed), COLUMNS="300").stdout
    assert rows(text) == shown(game)
    assert f"\n{game.outcome}\n" in text
    assert text.count("cards reshuffled") == sum(move.reshuffled is not None for move in game.moves)


def test_the_demo_begins_with_the_deal_and_ends_with_a_summary() -> None:
    game = play_one(preset("house"), 1)
    lines = uno("demo", "--games", "1000", COLUMNS="200").stdout.splitlines()
    assert lines[0] == f"A random game, rules house, deal seed {game.seed}"
    assert lines[1:3] == [f"player {seat + 1} is dealt {game.deal.hands[seat]}" for seat in (0, 1)]
    assert lines[3] == f"top card {card_name(game.deal.top)}"
    tally = play_random_games(preset("house"), 1000, 1)
    assert re.fullmatch(r"1,000 random games in .* s, on one core: .* games/s", lines[-3])
    assert f"{tally.decisions / 1000:.1f} decisions a game, {tally.reshuffles} reshuffles" in lines[-2]
    assert lines[-1].startswith(f"player 1 wins {tally.first_wins / 10:.2f} % ± ")


def test_the_default_width_without_colours_shows_every_move_in_80_columns() -> None:
    done = uno("demo", "--games", "1000", "--seed", "2", COLUMNS="80", NO_COLOR="1")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert ESCAPE not in done.stdout + done.stderr
    assert len(rows(done.stdout)) == len(play_one(preset("house"), 2).moves)


def test_the_first_run_says_on_the_error_stream_that_it_compiles_and_the_next_says_nothing(tmp_path: Path) -> None:
    first, next_one = (uno("demo", "--games", "1", UNO_POMDP_CACHE=str(tmp_path)) for _ in range(2))
    assert first.stderr == "Compiling the kernels, this first time only (some seconds) …\n"
    assert next_one.stderr == ""
    assert ESCAPE not in first.stdout
    assert without_times(first.stdout) == without_times(next_one.stdout)


def test_colours_change_nothing_but_the_colours() -> None:
    coloured = uno("demo", "--games", "1", COLUMNS="120", FORCE_COLOR="1").stdout
    assert ESCAPE in coloured
    plain = uno("demo", "--games", "1", COLUMNS="120").stdout
    assert without_times(re.sub(r"\x1b\[[0-9;]*m", "", coloured)) == without_times(plain)


def without_times(text: str) -> str:
    """Return a demo's text without the figures that the clock gave."""
    return re.sub(r" in .* on one core: .* games/s|[\d.]+ M decisions/s", "", text)


def test_the_same_seed_gives_the_same_output_and_another_seed_another() -> None:
    first, again, other = (
        without_times(uno("demo", "--games", "1000", "--seed", seed, COLUMNS="200").stdout) for seed in "556"
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_demo(name: str) -> None:
    text = uno("demo", "--rules", name, "--games", "20", COLUMNS="300").stdout
    assert text.startswith(f"A random game, rules {name}, deal seed ")
    assert len(rows(text)) == len(play_one(preset(name), 1).moves)
