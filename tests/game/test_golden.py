"""Golden games: whole games as text under `tests/golden`, replayed line by line and compared.

They fix deals, reshuffles, rules and the text itself: a change of any shows as a difference here. After a
wanted change write them anew with `python -m tests.game.test_golden` and read what differs.
"""

from pathlib import Path
from typing import Final

import pytest

from tests.helpers import play_out
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.game.actions import Action, seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, load_record, parse_record
from uno_pomdp.game.record import record_of, replay
from uno_pomdp.rules import PRESETS, preset

FOLDER: Final = Path(__file__).parents[1] / "golden"

USUAL: Final = ("+2\n", ": draw ", "S\n", "(emptied hand)")
"""A penalty card, a draw, a skip, and a hand emptied."""
STANDARD: Final = (*USUAL, "R\n", ": W:", ": W4:", "\nreshuffle: ")
"""The same and a reverse, both black cards, a reshuffle."""
WANTED: Final[dict[str, tuple[str, ...]]] = {
    "house": STANDARD,
    "pass": STANDARD,
    "printed": (*STANDARD, ": keep"),
    "mini-7": (": W:", "S\n", ": draw ", "(emptied hand)"),
    "mini-7.exhausted": (": W:", "S\n", "(deck exhausted)"),
    "mini-9": (*USUAL, ": W:"),
    "mini-9.exhausted": ("+2\n", ": W:", "S\n", "(deck exhausted)"),
    "mini-10": (*USUAL, ": W:", ": W4:"),
    "mini-10.exhausted": ("+2\n", ": W4:", "S\n", "(deck exhausted)"),
    "mini-12": ("\nreshuffle: R", ": draw ", "S\n", "(emptied hand)"),
}
"""What has to happen in each golden game, by the name of its file; the preset is what stands before the dot."""

SEEDS: Final = {"mini-12": 40_000}
"""How many games are looked at, if not 2,000: in this small deck a random game needs a reshuffle very rarely."""
NAMES: Final = sorted(WANTED)
PLAYERS: Final = ("random", "random")


def happens(text: str, wanted: tuple[str, ...]) -> bool:
    """Return whether all that is wanted happens in a game's moves or at its end."""
    moves = text[text.index("\n1. player 1: ") :]
    return all(what in moves for what in wanted)


def golden_game(name: str) -> str:
    """Return the shortest of the first random games in which all happens that is wanted."""
    rules = preset(name.partition(".")[0])
    games = (play_out(Game.new(rules, seed), seed) for seed in range(SEEDS.get(name, 2_000)))
    texts = (format_record(record_of(game, PLAYERS)) for game in games)
    return min((text for text in texts if happens(text, WANTED[name])), key=len)


def read(name: str) -> str:
    """Return the text of a golden game."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_preset_has_a_golden_game() -> None:
    assert {name.partition(".")[0] for name in NAMES} == set(PRESETS)
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {f"{name}.txt" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_has_what_it_is_for(name: str) -> None:
    assert happens(read(name), WANTED[name])
    assert f"\nrules: {name.partition('.')[0]}\n" in read(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_is_parsed_and_written_as_it_stands(name: str) -> None:
    text = read(name)
    assert format_record(parse_record(text)) == text
    assert load_record(FOLDER / f"{name}.txt") == parse_record(text)


def deal_lines(game: Game) -> list[str]:
    """Return the lines on a game's cards before the first move."""
    deal = game.deal
    hands = [f"hand {seat + 1}: {hand}" for seat, hand in enumerate(deal.hands)]
    return [f"top: {card_name(deal.top)}", *hands, f"draw pile: {' '.join(map(card_name, deal.pile))}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_is_dealt_and_played_line_by_line(name: str) -> None:
    lines = read(name).splitlines()
    seed = int(lines[9].removeprefix("seed: "))
    game = Game.new(preset(name.partition(".")[0]), seed)
    assert lines[12:16] == deal_lines(game)
    reshuffle = None
    for line in lines[16:-1]:
        if line.startswith("reshuffle: "):
            reshuffle = line
            continue
        word = line.partition(": ")[2].split()[0]
        number, who = len(game.moves) + 1, seat_name(game.turn)
        game.apply(Action.parse(word))
        told = [card_name(card) for card in game.last_move.drawn]
        assert line == " ".join([f"{number}. {who}: {word}", *told])
        pile = game.last_move.reshuffled
        assert reshuffle == (None if pile is None else f"reshuffle: {' '.join(map(card_name, pile))}")
        reshuffle = None
        places = [*game.hand(0), *game.hand(1), *game.draw_pile, *game.played_pile]
        assert Cards.of(places) == game.rules.deck
    assert lines[-1] == f"result: {game.outcome}"
    assert replay(parse_record(read(name))) == game


def write_all() -> None:
    """Write every golden game anew: the same files each time, as long as nothing in the rules has changed."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for name in NAMES:
        text = golden_game(name)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    write_all()
