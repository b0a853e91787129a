"""Golden games: whole games as text under `tests/golden`, replayed line by line and compared.

They fix deals, reshuffles, rules and the text itself: a change of any shows as a difference here. After a
wanted change write them anew with `python -m tests.game.test_golden` and read what differs.
"""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.game.records import begun_in_the_middle, wandered
from tests.helpers import do, play_out
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.game.actions import CHALLENGE, FORGOT_UNO, Action, seat_name
from uno_pomdp.game.game import Game
from uno_pomdp.game.move import Move
from uno_pomdp.game.notation import format_record, load_record, parse_record
from uno_pomdp.game.record import GameRecord, course, observed, record_of, replay
from uno_pomdp.game.scoring import MatchRound, RoundScore, round_score
from uno_pomdp.rules import PRESETS, preset

FOLDER: Final = Path(__file__).parents[1] / "golden"

USUAL: Final = ("+2\n", ": draw ", "S\n", "(emptied hand)")
"""A penalty card, a draw, a skip, and a hand emptied."""
STANDARD: Final = (*USUAL, "R\n", ": W:", ": W4:", "\nreshuffle: ")
"""The same and a reverse, both black cards, a reshuffle."""
GUILTY: Final = re.compile(r"challenge; (player \d) shows .*; \1 draws [RYGBW]")
HONEST: Final = re.compile(r"challenge; (player \d) shows .*; (?!\1)player \d draws [RYGBW]")
ANSWER: Final = re.compile(r": [RYGB]\+2\n\d+\. player \d: [RYGB]\+2\n")
RISING: Final = re.compile(r": [RYGB]\+2\n\d+\. player \d: W4:")
DEBT: Final = re.compile(r": draw( \S+){6}")
CUT: Final = re.compile(r"\ndrawn: .+\nreshuffle: .+\n\d+\. player \d: draw [RYGBW]")
SWAP: Final = re.compile(r": [RYGB][07]; player 1 holds .+; player 2 holds .+\n")
SECOND_BEGINS: Final = re.compile(r"\A\n1\. player 2: ")
WANTED: Final[dict[str, tuple[str | re.Pattern[str], ...]]] = {
    "house": STANDARD,
    "pass": STANDARD,
    "printed": (*STANDARD, ": keep", GUILTY, HONEST),
    "printed.second": (SECOND_BEGINS, ": keep", GUILTY, "(emptied hand)"),
    "stacking": (*STANDARD, ": keep", ANSWER, RISING, DEBT),
    "party": (*STANDARD, ANSWER, RISING, DEBT, CUT, SWAP),
    "mini-7": (": W:", "S\n", ": draw ", "(emptied hand)"),
    "mini-7.exhausted": (": W:", "S\n", "(deck exhausted)"),
    "mini-9": (*USUAL, ": W:"),
    "mini-9.exhausted": ("+2\n", ": W:", "S\n", "(deck exhausted)"),
    "mini-10": (*USUAL, ": W:", ": W4:"),
    "mini-10.exhausted": ("+2\n", ": W4:", "S\n", "(deck exhausted)"),
    "mini-bluff": (": W4:", GUILTY, "(emptied hand)"),
    "mini-bluff.honest": (": W4:", HONEST, "(emptied hand)"),
    "mini-bluff.exhausted": (": W4:", "challenge", " draws nothing", "(deck exhausted)"),
    "mini-12": ("\nreshuffle: R", ": draw ", "S\n", "(emptied hand)"),
}
"""What has to happen in each golden game, by the name of its file; the preset is what stands before the dot."""


def match_game() -> GameRecord:
    """Return a round of a match that ends with a +2, for which the loser still draws."""
    games = (play_out(Game.new(preset("house"), seed), seed) for seed in range(400))
    ending = (game for game in games if round_score(game).drawn)
    return record_of(min(ending, key=lambda game: len(game.moves)), PLAYERS, match=MatchRound(500, 3, (120, 85)))


def practice_game() -> GameRecord:
    """Return a game in which moves are taken back, a draw among them, and others made instead."""
    records = (wandered(Game.new(preset("mini-12"), seed), seed, undo=0.2, forget=0.0) for seed in range(1_000))
    wanted = (record for record in records if record.outcome and is_nested(record) and takes_back_a_draw(record))
    return min(wanted, key=lambda record: len(course(record)))


def takes_back_a_draw(record: GameRecord) -> bool:
    """Return whether a draw was taken back, and what was done last was not what stands in its place."""
    drew = any(move.drawn for undone in record.undone for move in undone.moves)
    return drew and record.undone[-1].moves[0] != record.moves[record.undone[-1].after]


def is_nested(record: GameRecord) -> bool:
    """Return whether an undo took back more than stood when another one had been made."""
    return any(late.after < early.after for early, late in itertools.pairwise(record.undone))


def midgame_game() -> GameRecord:
    """Return a game that begins with a wild +4 on the table, which is challenged."""
    games = (begun_in_the_middle(preset("printed"), seed, 25) for seed in range(400))
    owing = [do(game, "challenge") for game in games if CHALLENGE in game.legal_actions()]
    return record_of(min((play_out(game, 1) for game in owing), key=lambda game: len(game.moves)), PLAYERS)


def midgame_seen() -> GameRecord:
    """Return the same as player 2 writes it down, who has forgotten half of the played cards."""
    record = observed(midgame_game(), 1)
    assert record.midgame is not None
    known = list(record.midgame.played)[::2]
    hidden = len(record.midgame.played) - len(known)
    return replace(record, midgame=replace(record.midgame, played=Cards.of(known), hidden=hidden))


def forgotten_game() -> GameRecord:
    """Return a game in which UNO is forgotten, in turn and out of it, once with a reshuffle."""
    records = (wandered(Game.new(preset("mini-12"), seed), seed, 80, 0.0, 0.3) for seed in range(2_000))
    wanted = (record for record in records if record.outcome and any(map(reshuffles_for_uno, record.moves)))
    return min(wanted, key=lambda record: len(record.moves))


def reshuffles_for_uno(move: Move) -> bool:
    """Return whether a move is a forgotten UNO that needed a reshuffle."""
    return move.action == FORGOT_UNO and move.reshuffled is not None


SPECIAL: Final = {
    "house.match": match_game,
    "mini-12.practice": practice_game,
    "printed.midgame": midgame_game,
    "printed.midgame.seen": midgame_seen,
    "mini-12.forgotten": forgotten_game,
}
"""Golden games that are more than a deal and its moves, or begin otherwise."""
SEEDS: Final = {"mini-12": 40_000}
"""How many games are looked at, if not 2,000: in this small deck a random game needs a reshuffle very rarely."""
NAMES: Final = sorted(WANTED)
PLAYERS: Final = ("random", "random")


def happens(text: str, wanted: tuple[str | re.Pattern[str], ...]) -> bool:
    """Return whether all that is wanted happens in a game's moves or at its end."""
    moves = text[text.index("\n1. player ") :]
    return all(what in moves if isinstance(what, str) else what.search(moves) for what in wanted)


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
    files = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert files == {f"{name}.txt" for name in (*NAMES, *SPECIAL)}


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_has_what_it_is_for(name: str) -> None:
    assert happens(read(name), WANTED[name])
    assert f"\nrules: {name.partition('.')[0]}\n" in read(name)


@pytest.mark.parametrize("name", [*NAMES, *SPECIAL])
def test_a_golden_game_is_parsed_and_written_as_it_stands(name: str) -> None:
    text = read(name)
    assert format_record(parse_record(text)) == text
    assert load_record(FOLDER / f"{name}.txt") == parse_record(text)


def test_the_golden_round_of_a_match_is_scored_as_by_hand() -> None:
    record = load_record(FOLDER / "house.match.txt")
    found = round_score(replay(record))
    assert record.match == MatchRound(500, 3, (120, 85))
    hand, drawn = Cards.parse("R3 R4 RR Y1 Y9 GS B8"), Cards.parse("Y1 Y9")
    assert found == RoundScore(0, 3 + 4 + 20 + 1 + 9 + 20 + 8, hand, drawn)


def test_the_golden_practice_game_has_undos_within_undos() -> None:
    text, record = read("mini-12.practice"), load_record(FOLDER / "mini-12.practice.txt")
    assert "\npractice: yes\n" in text
    assert text.count("\nundo: ") == len(record.undone) > 1
    assert is_nested(record)
    assert replay(record).outcome == record.outcome


def test_the_golden_game_from_the_middle_begins_with_a_challenge() -> None:
    whole, seen = (load_record(FOLDER / f"printed.midgame{end}.txt") for end in ("", ".seen"))
    assert whole.midgame is not None
    assert (whole.midgame.owed, whole.moves[0].action) == (4, CHALLENGE)
    assert whole.midgame.before is not None
    assert seen.midgame is not None
    assert len(seen.midgame.played) + seen.midgame.hidden == len(whole.midgame.played)
    assert seen == replace(observed(whole, 1), midgame=seen.midgame)
    assert record_of(replay(whole), PLAYERS) == whole


def test_the_golden_forgotten_unos_are_drawn_for() -> None:
    record = load_record(FOLDER / "mini-12.forgotten.txt")
    assert any(map(reshuffles_for_uno, record.moves))
    assert all(move.drawn for move in record.moves if move.action == FORGOT_UNO)
    assert record_of(replay(record), record.players) == record


def deal_lines(game: Game) -> list[str]:
    """Return the lines on a game's cards before the first move."""
    deal = game.deal
    hands = [f"hand {seat + 1}: {hand}" for seat, hand in enumerate(deal.hands)]
    return [f"top: {card_name(deal.top)}", *hands, f"draw pile: {' '.join(map(card_name, deal.pile))}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_is_dealt_and_played_line_by_line(name: str) -> None:
    lines = read(name).splitlines()
    seed, deal = (next(n for n, line in enumerate(lines) if line.startswith(what)) for what in ("seed: ", "top: "))
    game = Game.new(preset(name.partition(".")[0]), int(lines[seed].removeprefix("seed: ")))
    assert lines[deal : deal + 4] == deal_lines(game)
    waiting: list[str] = []
    for line in lines[deal + 4 : -1]:
        waiting.append(line)
        if line.startswith(("reshuffle: ", "drawn: ")):
            continue
        word = line.partition(": ")[2].split()[0].removesuffix(";")
        number = len(game.moves) + 1
        game.apply(Action.parse(word))
        assert waiting == move_lines(number, word, game)
        waiting.clear()
        places = [*game.hand(0), *game.hand(1), *game.draw_pile, *game.played_pile]
        assert Cards.of(places) == game.rules.deck
    assert lines[-1] == f"result: {game.outcome}"
    assert replay(parse_record(read(name))) == game


def move_lines(number: int, word: str, game: Game) -> list[str]:
    """Return the lines of the move made last."""
    move, lines = game.last_move, []
    names = [card_name(card) for card in move.cards]
    if move.first:
        lines.append(f"drawn: {' '.join(names[: move.first])}")
    if move.reshuffled is not None:
        lines.append(f"reshuffle: {' '.join(map(card_name, move.order))}")
    late = " ".join(names[move.first :])
    text = f"{number}. {seat_name(move.seat)}: {word}"
    if word == "challenge":
        loser = 1 - move.seat if move.guilty else move.seat
        text += f"; {seat_name(1 - move.seat)} shows {move.shown}; {seat_name(loser)} draws {late or 'nothing'}"
    elif late:
        text += f" {late}"
    if move.swapped is not None:
        text += f"; player 1 holds {game.hand(0)}; player 2 holds {game.hand(1)}"
    return [*lines, text]


def write_all() -> None:
    """Write every golden game anew: the same files each time, as long as nothing in the rules has changed."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for name in (*NAMES, *SPECIAL):
        text = format_record(SPECIAL[name]()) if name in SPECIAL else golden_game(name)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    write_all()
