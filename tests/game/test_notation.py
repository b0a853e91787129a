"""Records as text: written, parsed, refused when damaged, saved whole or not at all."""

import os
import pickle
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.records import FULL, LINES, PLAYERS, WHOLE, edited, whole_game, written
from tests.helpers import (
    ALL_VARIANTS,
    DECKS,
    PAIRS_OF_VALUES,
    VARIANTS,
    any_rules,
    any_seed,
    do,
    named,
    play_out,
    rules_of,
    start,
)
from uno_pomdp import errors
from uno_pomdp.cards import card_name
from uno_pomdp.errors import InvalidRecord, UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, load_record, parse_record, save_record
from uno_pomdp.game.record import observed, record_of, replay
from uno_pomdp.rules import CHOICES, PRESETS, Rules, preset

# --- writing and parsing ---------------------------------------------------------------------------------


def test_a_game_has_exactly_this_text() -> None:
    assert format_record(record_of(whole_game(), PLAYERS)) == FULL


def test_a_text_gives_the_record_and_the_record_the_game() -> None:
    record = parse_record(FULL)
    assert record == parse_record(WHOLE) == record_of(whole_game(), PLAYERS)
    assert replay(record) == whole_game()


def test_an_observers_text_is_exactly_this() -> None:
    text = edited(
        {
            1: "uno-pomdp game, version 2, seen by player 1",
            10: "seed: hidden",
            15: "hand 2: 3 hidden",
            16: "draw pile: 2 hidden",
            22: "reshuffle: 4 hidden",
            23: "6. player 2: draw 1 hidden",
            29: "12. player 2: draw 1 hidden",
            33: "reshuffle: 2 hidden",
            34: "16. player 2: draw 1 hidden",
        }
    )
    record = observed(record_of(whole_game(), PLAYERS), 0)
    assert format_record(record) == written(text)
    assert parse_record(text) == parse_record(written(text)) == record


def test_a_chosen_coach_and_belief_are_a_line_each() -> None:
    said = {"coach": "flat:sims=7", "belief": "particles,model=greedy"}
    for names in (("coach",), ("belief",), ("coach", "belief")):
        chosen = {name: said[name] for name in names}
        record = record_of(whole_game(), PLAYERS, coach=chosen.get("coach"), belief=chosen.get("belief"))
        lines = "".join(f"{name}: {text}\n" for name, text in chosen.items())
        assert format_record(record) == FULL.replace("\ntop: ", f"\n{lines}top: ")
        assert parse_record(format_record(record)) == record
    twice = FULL.replace("\ntop: ", "\ncoach: flat\ncoach: flat\ntop: ")
    with pytest.raises(InvalidRecord, match="line 10: 'top: …' belongs here, not 'coach'"):
        parse_record(twice)


def moves_of(game: Game, seat: int | None = None) -> list[str]:
    """Return the lines of a game's moves and its result, in a whole record or a seat's."""
    record = record_of(game)
    text = format_record(record if seat is None else observed(record, seat))
    return text.partition("\ndraw pile: ")[2].splitlines()[1:]


def test_a_challenge_shows_a_hand_and_says_who_draws() -> None:
    cards = "R1", "W4 R2 B2", "G1 G2 W", "Y1 Y2 Y3 Y4 Y5 Y6 Y7"
    guilty = do(start(*cards, wild_four="challenge"), "W4:G challenge")
    line = "2. player 2: challenge; player 1 shows R2 B2; player 1 draws"
    assert moves_of(guilty)[1] == moves_of(guilty, 0)[1] == f"{line} Y1 Y2 Y3 Y4"
    assert moves_of(guilty, 1)[1] == f"{line} 4 hidden"
    honest = do(start("R1", "W4 G3 B2", *cards[2:], wild_four="challenge"), "W4:G challenge")
    line = "2. player 2: challenge; player 1 shows G3 B2; player 2 draws"
    assert moves_of(honest)[1] == moves_of(honest, 1)[1] == f"{line} Y1 Y2 Y3 Y4 Y5 Y6"
    assert moves_of(honest, 0)[1] == f"{line} 6 hidden"
    for game in (guilty, honest):
        round_trip(game)


@pytest.mark.parametrize(("hand", "loser"), [("W4 R2 B2", 1), ("W4 G3 B2", 2)])
def test_a_challenge_that_exhausts_the_deck_draws_nothing_and_shows_all_the_same(hand: str, loser: int) -> None:
    game = do(start("R1", hand, "G1 G2 W", "Y1 Y2", wild_four="challenge", reshuffle="no"), "W4:G challenge")
    shown = hand.removeprefix("W4 ")
    lines = [f"2. player 2: challenge; player 1 shows {shown}; player {loser} draws nothing"]
    for seat in (None, 0, 1):
        assert moves_of(game, seat)[1:] == [*lines, "result: player 1 wins (deck exhausted)"]
    round_trip(game)


def test_a_challenge_with_a_reshuffle_has_its_line_before_it() -> None:
    game = do(start("R1", "R2 W4 R3", "R4 Y8 Y9", "G8 G9", seed=3, wild_four="challenge"), "R2 R4 W4:Y challenge")
    assert moves_of(game)[3].startswith("reshuffle: ")
    assert moves_of(game, 1)[3:5] == [
        "reshuffle: 5 hidden",
        "4. player 2: challenge; player 1 shows R3; player 1 draws 4 hidden",
    ]
    round_trip(game)


def test_a_draw_until_playable_that_a_reshuffle_cuts_in_two_has_a_line_for_each_part() -> None:
    game = do(start("R1", "R2 B2", "R3 Y3", "G6 G7", seed=1, draw="until_playable"), "R2 R3 draw")
    back = game.last_move.order
    order = " ".join(map(card_name, back))
    assert moves_of(game)[2:5] == ["drawn: G6 G7", f"reshuffle: {order}", f"3. player 1: draw {order[:2]}"]
    assert moves_of(game, 1)[2:5] == ["drawn: 2 hidden", "reshuffle: 2 hidden", "3. player 1: draw 1 hidden"]
    assert moves_of(game, 0)[2:5] == ["drawn: G6 G7", "reshuffle: 2 hidden", f"3. player 1: draw {order[:2]}"]
    round_trip(game)


def test_a_swap_tells_both_hands_after_it() -> None:
    game = do(start("R1", "R7 B2 B3", "R3 Y3 Y4", "G6", swap="seven_zero"), "R7")
    for seat in (None, 0, 1):
        assert moves_of(game, seat)[0] == "1. player 1: R7; player 1 holds R3 Y3 Y4; player 2 holds B2 B3"
    round_trip(game)


def test_a_debt_of_many_cards_is_drawn_in_one_line() -> None:
    cards = "R1", "R+2 W4 B2", "Y+2 W4 B3", "G0 G1 G2 G3 G4 G5 G6 G7 G8 G9 B0 B1 B4"
    game = do(start(*cards, stack="rising"), "R+2 Y+2 W4:R W4:G draw")
    assert moves_of(game)[4] == "5. player 1: draw G0 G1 G2 G3 G4 G5 G6 G7 G8 G9 B0 B1"
    assert moves_of(game, 1)[4] == "5. player 1: draw 12 hidden"
    round_trip(game)


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_a_record_names_the_values_that_are_not_defaults_and_one_with_all_of_them_is_read_too(
    variant: dict[str, str],
) -> None:
    text = format_record(record_of(Game.new(rules_of("standard", variant), 1)))
    lines = {name: f"{name}: {value}\n" for name, value in variant.items()}
    assert {name for name, line in lines.items() if f"\n{line}" in text} == {
        name for name, value in variant.items() if value != CHOICES[name][0]
    }
    others = re.sub(rf"^({'|'.join(lines)}): .*\n", "", text, flags=re.M)
    whole = others.replace("seed: ", f"{''.join(lines.values())}seed: ")
    assert format_record(parse_record(whole)) == text


def round_trip(game: Game) -> None:
    """Require that text and replay give the same game, and that each seat's text gives the same record."""
    record = record_of(game, ("one", "two"))
    text = format_record(record)
    parsed = parse_record(text)
    assert parsed == record
    assert format_record(parsed) == text
    assert replay(parsed) == game
    for seat in (0, 1):
        seen = observed(record, seat)
        assert parse_record(format_record(seen)) == seen


@pytest.mark.parametrize("at_most", [0, 1, 25, 10_000])
@pytest.mark.parametrize("name", PRESETS)
def test_games_of_every_preset_come_back_from_their_text(name: str, at_most: int) -> None:
    for seed in range(2):
        round_trip(play_out(Game.new(preset(name), seed), seed, at_most))


SMALL_DECKS: Final = ("mini-10", "mini-12", "one colour", "skips", "few of four colours", "no draw pile")


@pytest.mark.parametrize("deck", SMALL_DECKS)
def test_games_of_every_legal_combination_come_back_from_their_text(deck: str) -> None:
    place = SMALL_DECKS.index(deck)
    for number, variant in enumerate(ALL_VARIANTS[place :: len(SMALL_DECKS)]):
        round_trip(play_out(Game.new(rules_of(deck, variant), number), number, at_most=60))


@pytest.mark.parametrize("deck", DECKS)
def test_games_of_every_deck_come_back_from_their_text(deck: str) -> None:
    for variant in PAIRS_OF_VALUES:
        round_trip(play_out(Game.new(rules_of(deck, variant), 8), 8, at_most=40))


@given(any_rules(), any_seed, st.integers(0, 120))
def test_any_game_comes_back_from_its_text(rules: Rules, seed: int, at_most: int) -> None:
    game = play_out(Game.new(rules, seed), seed % 1000, at_most)
    record = record_of(game)
    assert parse_record(format_record(record)) == record
    assert replay(record) == game


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_record_with_the_smallest_and_the_largest_seed_comes_back_and_goes_on_alike(seed: int) -> None:
    game = play_out(Game.new(preset("mini-12"), seed), 3, at_most=4)
    record = record_of(game)
    text = format_record(record)
    assert f"\nseed: {seed}\n" in text
    assert parse_record(text) == record
    assert replay(parse_record(text)) == game


@pytest.mark.parametrize("seed", ["18446744073709551616", "99999999999999999999", "-1", "1e3", "٣"])
def test_a_seed_that_no_deal_can_have_is_refused_with_its_line(seed: str) -> None:
    with pytest.raises(InvalidRecord, match=r"^line 10: .* is no (deal seed|whole number)"):
        parse_record(edited({10: f"seed: {seed}"}))


def test_the_compared_games_have_reshuffles_kept_cards_and_exhausted_decks() -> None:
    texts = [
        format_record(record_of(play_out(Game.new(rules_of(deck, variant), 7), 7)))
        for variant in VARIANTS
        for deck in SMALL_DECKS
    ]
    for what in ("\nreshuffle: R", ": keep", "(deck exhausted)", "(emptied hand)", ": W4:", "result: draw"):
        assert any(what in text for text in texts), what


def test_the_text_of_a_long_standard_game_with_a_reshuffle_comes_back() -> None:
    games = (play_out(Game.new(preset("house"), seed), seed) for seed in range(200))
    game = next(game for game in games if any(move.reshuffled for move in game.moves))
    assert "reshuffle: " in format_record(record_of(game)).partition("draw pile")[2]
    round_trip(game)


def test_comments_blank_lines_and_spaces_at_the_ends_are_passed_over() -> None:
    text = "# first\n\n" + "\n  # again\n\n".join(f"  {line}\t" for line in LINES) + "\n\n# last\n \n"
    assert parse_record(text) == parse_record(WHOLE)


@pytest.mark.parametrize("text", [WHOLE.replace("\n", "\r\n"), WHOLE.rstrip("\n"), WHOLE.replace(": ", ":   ")])
def test_other_ends_of_lines_and_spaces_after_the_colon_are_fine(text: str) -> None:
    assert parse_record(text) == parse_record(WHOLE)


def test_cards_and_actions_are_read_in_either_case() -> None:
    assert parse_record(edited({13: "top: r1", 24: "7. player 2: KEEP", 25: "8. player 1: w:green"})) == parse_record(
        WHOLE
    )


def test_the_name_of_the_rules_is_for_people_and_the_fields_count() -> None:
    assert parse_record(edited({2: "rules: house"})) == parse_record(WHOLE)


@pytest.mark.parametrize("deck", ["standard", str(preset("house").deck)])
def test_the_standard_deck_is_written_as_a_word_and_read_from_cards_too(deck: str) -> None:
    text = format_record(record_of(Game.new(preset("house"), 3)))
    assert "\ndeck: standard\n" in text
    assert parse_record(text.replace("deck: standard", f"deck: {deck}")).rules == preset("house")


@pytest.mark.parametrize(
    "name",
    ["", " padded", "two\nlines", "old\rline", "vertical\x0btab", "tail\n", "a\x1b[31mb", "a\tb", "\x9b0m", "a\u2028b"],
)
def test_a_name_that_is_no_single_line_or_has_control_characters_is_refused(name: str) -> None:
    with pytest.raises(InvalidRecord, match="is no name for a record: give one line of text"):
        format_record(record_of(whole_game(), (name, "other")))


@pytest.mark.parametrize("name", ["a: b", "# no comment", "result: draw", "0 hidden", "Ж", "x" * 500])
def test_any_one_line_is_a_name(name: str) -> None:
    record = record_of(whole_game(), (name, name))
    assert parse_record(format_record(record)) == record


# --- files -----------------------------------------------------------------------------------------------


def test_a_saved_record_is_loaded_again(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    record = parse_record(WHOLE)
    save_record(path, record)
    assert path.read_text(encoding="utf-8") == FULL
    assert load_record(path) == record
    save_record(str(path), observed(record, 1))
    assert load_record(str(path)) == observed(record, 1)
    assert os.listdir(tmp_path) == ["game.txt"]


def fails(*_: Any, **__: Any) -> None:
    """Fail as a full disk does."""
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.txt"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="No space left"):
        save_record(path, parse_record(WHOLE))
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["game.txt"]


def test_a_record_that_can_not_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidRecord, match="is no name for a record"):
        save_record(path, record_of(whole_game(), ("two\nlines", "other")))
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["game.txt"]


def test_a_binary_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "game.bin"
    path.write_bytes(b"\x80\xff\x00\x01")
    with pytest.raises(InvalidRecord, match="it is no text file"):
        load_record(path)


def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(edited({18: "2. player 1: R3"}), encoding="utf-8")
    with pytest.raises(InvalidRecord, match="line 18: it is player 2's turn"):
        load_record(path)


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [0, 7])
def test_an_invalid_record_that_is_pickled_keeps_its_message_and_line(line: int) -> None:
    error = InvalidRecord("something is wrong", line)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InvalidRecord
    assert (str(again), again.reason, again.line) == (str(error), error.reason, line)


@pytest.mark.parametrize(
    "name", [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, UnoError)]
)
def test_every_error_that_is_pickled_keeps_its_message(name: str) -> None:
    kind = vars(errors)[name]
    error = kind("a file", "a reason") if issubclass(kind, OSError) else kind("a sentence")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
