"""Damaged records: each kind is refused with its line and reason, and no change makes anything else happen."""

import random
import string
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.records import LINES, WHOLE, begun_in_the_middle, edited, line_of, refused, wandered, whole_game
from tests.helpers import VARIANTS, do, play_out, rules_of, start
from uno_pomdp.cards import NO_CARDS
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.record import GameRecord, observed, record_of, replay
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.rules import CHOICES, preset

Edits = dict[int, str | None]

DAMAGE: Final[list[tuple[str, Edits, int, str]]] = [
    ("another file", {1: "uno game"}, 1, "a record begins with 'uno-pomdp game, version 2', not with 'uno game'"),
    ("a later version", {1: "uno-pomdp game, version 3"}, 1, "not with 'uno-pomdp game, version 3'"),
    ("a third seat", {1: "uno-pomdp game, version 2, seen by player 3"}, 1, "a record begins with"),
    ("no header", {1: None}, 1, "not with 'rules: custom'"),
    ("an unknown field", {10: "stacking: yes\nseed: 5"}, 10, "'seed: …' belongs here, not 'stacking'"),
    ("no deck", {3: None}, 9, "'deck: …' belongs here, not 'seed'"),
    ("no hand size", {4: None}, 9, "'hand_size: …' belongs here, not 'seed'"),
    ("a missing field that had not its default", {6: None}, 23, "it is player 1's turn, not player 2's"),
    ("a field twice", {4: "hand_size: 3\nhand_size: 3"}, 5, "hand_size is given twice: give it once"),
    (
        "values that do not go together",
        {7: "wild_four: challenge", 8: "stack: same"},
        8,
        "at once: choose one of them",
    ),
    ("a field without a colon", {13: "top R1"}, 13, "'top: …' belongs here, not 'top R1'"),
    ("an unknown value", {5: "skip: twice"}, 5, "skip: 'twice' is none of again, pass"),
    ("a hand size in words", {4: "hand_size: three"}, 4, "'three' is no whole number"),
    ("a hand size in other digits", {4: "hand_size: ٣"}, 4, "'٣' is no whole number"),
    ("a hand size of nothing", {4: "hand_size:"}, 4, "'' is no whole number"),
    ("hands of none", {4: "hand_size: 0"}, 4, "hand_size: 0 is no number of cards of at least 1"),
    ("hands too large", {4: "hand_size: 7"}, 4, "two hands of 7 and a top card are 15 cards, but the deck has 9"),
    ("another hand size", {4: "hand_size: 2"}, 16, "player 1 is dealt 3 cards, but the rules say 2"),
    ("no card in the deck", {3: "deck: R1 Q2"}, 3, "'Q2' is no card"),
    ("a deck without colours", {3: "deck: W W4"}, 3, "deck: no coloured card"),
    ("a smaller deck", {3: "deck: R1 R2 R3 R4 R+2 Y4 G8 W"}, 16, "B5 is dealt 1 times, but the deck has 0"),
    ("too many copies in the deck", {3: "deck: " + "R1 " * 109}, 3, "more than 108 cards of type R1"),
    ("a deck too large", {3: "deck: " + "R1 " * 60 + "R2 " * 60}, 3, "deck: 120 cards, but at most 108"),
    ("a negative seed", {10: "seed: -5"}, 10, "'-5' is no whole number"),
    ("a hidden seed", {10: "seed: hidden"}, 10, "the seed is a number in a whole record and 'hidden' in an observer's"),
    ("a name missing", {12: None}, 12, "'player 2: …' belongs here, not 'top'"),
    ("a black first card", {13: "top: W"}, 16, "the first top card is W, but it has to be a coloured card"),
    ("no first card", {13: "top: Q"}, 13, "'Q' is no card"),
    ("no card in a hand", {14: "hand 1: R2 R4 X"}, 14, "'X' is no card"),
    ("a card too many", {14: "hand 1: R2 R4 W W"}, 16, "player 1 is dealt 4 cards, but the rules say 3"),
    ("another card in a hand", {15: "hand 2: R3 R+2 G9"}, 16, "G8 is dealt 0 times, but the deck has 1"),
    ("a hidden hand in a whole record", {15: "hand 2: 3 hidden"}, 16, "only a whole record can be replayed"),
    ("a hidden pile in a whole record", {16: "draw pile: 2 hidden"}, 16, "only a whole record can be replayed"),
    ("hidden cards without a number", {16: "draw pile: hidden"}, 16, "'' is no whole number"),
    ("hidden cards among others", {16: "draw pile: Y4 1 hidden"}, 16, "'Y4 1' is no whole number"),
    ("a card missing from the pile", {16: "draw pile: Y4"}, 16, "B5 is dealt 0 times, but the deck has 1"),
    ("the pile in another order", {16: "draw pile: B5 Y4"}, 21, "the cards drawn here are B5 Y4, not Y4 B5"),
    ("a card that does not match", {18: "2. player 2: G8"}, 18, "player 2 can't play G8 on R2 (red): legal is R3, R+2"),
    ("a card that is not held", {18: "2. player 2: R9"}, 18, "player 2 does not hold R9: legal is R3, R+2"),
    ("a draw with a playable card", {18: "2. player 2: draw Y4"}, 18, "player 2 can't draw on R2 (red)"),
    ("keeping nothing", {18: "2. player 2: keep"}, 18, "player 2 can't keep on R2 (red)"),
    ("playing under a penalty", {21: "5. player 1: W:R"}, 21, "(red) with 2 cards to draw: legal is draw"),
    ("playing another card than the drawn", {24: "7. player 2: G8"}, 24, "legal is R3, keep"),
    ("the wrong player", {18: "2. player 1: R3"}, 18, "it is player 2's turn, not player 1's"),
    ("a third player", {18: "2. player 3: R3"}, 18, "'2. player 1: …' or player 2 belongs here, not '2. player 3'"),
    ("a gap in the numbers", {18: "3. player 2: R3"}, 18, "belongs here, not '3. player 2'"),
    ("a missing move", {18: None}, 18, "'2. player 1: …' or player 2 belongs here, not '3. player 1'"),
    ("a move twice", {18: "2. player 2: R3\n2. player 2: R3"}, 19, "'3. player 1: …' or player 2 belongs here"),
    ("a move without a number", {18: "player 2: R3"}, 18, "belongs here, not 'player 2'"),
    ("a move without a colon", {18: "2. player 2 R3"}, 18, "belongs here, not '2. player 2 R3'"),
    ("a move without an action", {18: "2. player 2:"}, 18, "'' is no card"),
    ("an unknown action", {18: "2. player 2: pass"}, 18, "'pass' is no card"),
    ("a wild without a colour", {25: "8. player 1: W"}, 25, "W declares a colour, as in W:R"),
    ("a wild with no colour", {25: "8. player 1: W:"}, 25, "'' is no colour"),
    ("a colour too many", {18: "2. player 2: R3:R"}, 18, "R3 has its own colour and declares no other"),
    ("another declared colour", {25: "8. player 1: W:Y"}, 26, "player 2 can't play G8 on W (yellow)"),
    ("another card drawn", {21: "5. player 1: draw Y4 R9"}, 21, "the cards drawn here are Y4 B5, not Y4 R9"),
    ("no card drawn", {21: "5. player 1: draw"}, 21, "the cards drawn here are Y4 B5, not none"),
    ("too few cards drawn", {21: "5. player 1: draw Y4"}, 21, "the cards drawn here are Y4 B5, not Y4"),
    ("no card among those drawn", {21: "5. player 1: draw Y4 Q"}, 21, "'Q' is no card"),
    ("hidden cards drawn, a wrong number", {21: "5. player 1: draw 3 hidden"}, 21, ""),
    ("something after a card", {18: "2. player 2: R3 R+2"}, 18, "nothing can follow 'R3', but 'R+2' does"),
    ("a missing reshuffle", {22: None}, 22, "the draw needs a reshuffle line before it"),
    ("other cards reshuffled", {22: "reshuffle: R3 R2 R1 R9"}, 23, "the reshuffled pile has to hold R1 R2 R3 R4"),
    ("too few reshuffled", {22: "reshuffle: R3 R2 R1"}, 23, "the reshuffled pile has to hold R1 R2 R3 R4"),
    ("too many reshuffled", {22: "reshuffle: R3 R2 R1 R4 R4"}, 23, "the reshuffled pile has to hold R1 R2 R3 R4"),
    ("no card reshuffled", {22: "reshuffle: R3 R2 R1 Q"}, 22, "'Q' is no card"),
    ("a reshuffle in another order", {22: "reshuffle: R2 R3 R1 R4"}, 23, "the cards drawn here are R2, not R3"),
    ("a reshuffle before a play", {18: f"reshuffle: R1\n{LINES[17]}"}, 19, "R3 reshuffles nothing here"),
    ("a reshuffle not needed", {27: f"reshuffle: R1\n{LINES[26]}"}, 28, "draw reshuffles nothing here"),
    ("a reshuffle twice", {22: f"{LINES[21]}\n{LINES[21]}"}, 23, "'6. player 1: …' or player 2 belongs here"),
    ("a reshuffle before the result", {40: f"reshuffle: W\n{LINES[39]}"}, 41, "belongs here, not 'result'"),
    ("a reshuffle at the end", {40: "reshuffle: W"}, 41, "the record ends before its 'move' line"),
    (
        "a move after the end",
        {40: f"22. player 1: draw\n{LINES[39]}"},
        40,
        "draw can't be done: the game is over, player",
    ),
    (
        "another winner",
        {40: "result: player 1 wins (emptied hand)"},
        40,
        "the result is player 2 wins (emptied hand), not player 1 wins (emptied hand)",
    ),
    (
        "another reason",
        {40: "result: player 2 wins (deck exhausted)"},
        40,
        "the result is player 2 wins (emptied hand)",
    ),
    ("a finished game called unfinished", {40: "result: unfinished"}, 40, "not unfinished"),
    ("an unfinished game called finished", {39: None}, 39, "the result is unfinished, not player 2 wins"),
    ("no result", {40: "result: player 2 won"}, 40, "'player 2 won' is no result: unfinished, player 1 wins"),
    ("a result missing", {40: None}, 40, "the record ends before its 'result' line"),
    ("a result twice", {40: f"{LINES[39]}\n{LINES[39]}"}, 41, "the record goes on after its result: 'result: player 2"),
    ("a result too early", {18: f"{LINES[39]}\n{LINES[17]}"}, 19, "the record goes on after its result: '2. player 2"),
]
"""What is wrong, how `WHOLE` is changed, the line to blame, and what the sentence says. The deal as a whole is
judged when its last line has been read, so cards that are no deal are blamed on the draw pile's line."""


@pytest.mark.parametrize(("edits", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGE])
def test_damage_is_refused_with_its_line_and_reason(edits: Edits, line: int, reason: str) -> None:
    refused(edited(edits), line, reason)


RARER: Final[list[tuple[str, Edits, int, str]]] = [
    ("a number of thousands of digits", {4: "hand_size: " + "9" * 5000}, 4, "is no"),
    ("a seed too large", {10: f"seed: {2**64}"}, 10, "is no deal seed"),
    ("too many copies in a hand", {14: "hand 1: " + "R2 " * 109}, 14, "more than 108 cards of type R2"),
    ("an empty name", {11: "player 1:"}, 11, "name"),
    ("a name that can't be written again", {11: "player 1: old\rline"}, 11, "name"),
    ("hidden cards drawn in a whole record", {21: "5. player 1: draw 2 hidden"}, 21, "hid"),
    ("a hidden reshuffle in a whole record", {22: "reshuffle: 4 hidden"}, 23, "hid"),
    ("text after the result and a blank line", {40: f"{LINES[39]}\n\n# end\nmore"}, 43, "the record goes on after its"),
]


@pytest.mark.parametrize(("edits", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in RARER])
def test_rarer_damage_is_refused_with_its_line_and_reason(edits: Edits, line: int, reason: str) -> None:
    refused(edited(edits), line, reason)


def told(move: str, before: str = "", **variant: Any) -> str:
    """Return a record in which player 1 plays a wild +4 or a 7 on a red card, and the next lines are these."""
    swap = "swap" in variant
    cards = ("R7 R2 B2" if swap else "W4 R2 B2"), "G1 G2 W", "Y1 Y2 Y3 Y4 Y5 Y6 Y7"
    game = start("R1", *cards, **variant)
    text = format_record(record_of(game))
    first = "" if swap else "1. player 1: W4:G\n"
    return text.replace("result: ", f"{first}{before}{2 - swap}. player {2 - swap}: {move}\nresult: ")


SHOWS: Final = "challenge; player 1 shows"
HOLDS: Final = "R7; player 1 holds G1 G2 W; player 2 holds"
NEW_FORMS: Final = [
    ("a challenge that shows nothing", "challenge", "'player 1 shows …' belongs behind challenge"),
    ("a challenge without a draw", f"{SHOWS} R2 B2", "'player 2 draws …' belongs behind challenge"),
    ("another hand shown", f"{SHOWS} R2 B3; player 1 draws Y1 Y2 Y3 Y4", "the hand shown here is R2 B2, not R2 B3"),
    ("no card shown", f"{SHOWS} R2 Q; player 1 draws Y1 Y2 Y3 Y4", "'Q' is no card"),
    ("the own hand shown", "challenge; player 2 shows G1 G2 W", "'player 1 shows …' belongs behind challenge, not"),
    ("the wrong one draws", f"{SHOWS} R2 B2; player 2 draws Y1 Y2 Y3 Y4", "player 1 has to draw here, not player 2"),
    ("too many drawn", f"{SHOWS} R2 B2; player 1 draws Y1 Y2 Y3 Y4 Y5", "the cards drawn here are Y1 Y2 Y3 Y4, not"),
    ("nothing drawn", f"{SHOWS} R2 B2; player 1 draws nothing", "the cards drawn here are Y1 Y2 Y3 Y4, not none"),
    ("too much told", f"{SHOWS} R2 B2; player 1 draws Y1 Y2 Y3 Y4; twice", "'twice' does not belong behind challenge"),
    ("hidden cards", f"{SHOWS} R2 B2; player 1 draws 4 hidden", "a whole record names every card"),
    ("cards before a challenge", f"{SHOWS} R2 B2; player 1 draws Y1", "a 'drawn' line with cards stands before a draw"),
    ("another answer", "G1", "player 2 can't play G1 on W4 (green) with 4 cards to draw: legal is draw, challenge"),
]


@pytest.mark.parametrize(("move", "reason"), [pytest.param(*case[1:], id=case[0]) for case in NEW_FORMS])
def test_damage_of_a_challenge_is_refused_with_its_reason(move: str, reason: str) -> None:
    before = "drawn: Y1\nreshuffle: Y2\n" if "'drawn'" in reason else ""
    text = told(move, before, wild_four="challenge")
    refused(text, line_of(text, "2. "), reason)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("R7", "the hands here are G1 G2 W and R2 B2 after the swap"),
        ("R7; player 1 holds G1 G2 W", "'player 2 holds …' belongs behind R7"),
        (f"{HOLDS} R2 B3", "the hands here are G1 G2 W and R2 B2 after the swap"),
        (f"{HOLDS} R2 B2; and so on", "'and so on' does not belong behind R7"),
        ("R2; player 1 holds G1 G2 W; player 2 holds R7 B2", "the hands here are not swapped"),
    ],
)
def test_damage_of_a_swap_is_refused_with_its_reason(move: str, reason: str) -> None:
    text = told(move, swap="seven_zero")
    refused(text, line_of(text, "1. "), reason)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            "drawn: G6\nreshuffle: R1 R2\n3. player 1: draw G7 R1",
            "the draw here takes 2 cards before the reshuffle, not 1",
        ),
        ("drawn: G6 G7\n3. player 1: draw R1", "'reshuffle: …' belongs here"),
        (
            "drawn:\nreshuffle: R1 R2\n3. player 1: draw G6 G7 R1",
            "the draw here takes 2 cards before the reshuffle, not 0",
        ),
        ("drawn: G7 G6\nreshuffle: R1 R2\n3. player 1: draw R1", "the cards drawn here are G6 G7 R1, not G7 G6 R1"),
        ("drawn: 2 hidden\nreshuffle: R1 R2\n3. player 1: draw R1", "of one draw all cards are hidden or none"),
        ("reshuffle: R1 R2\n3. player 1: draw G6 G7 R1", "the draw here takes 2 cards before the reshuffle, not 0"),
        ("drawn: G6 G7\nreshuffle: G6 G7 R1 R2\n3. player 1: draw R1", "the reshuffled pile has to hold R1 R2"),
    ],
)
def test_damage_of_a_draw_that_is_cut_in_two_is_refused_with_its_reason(lines: str, reason: str) -> None:
    game = do(start("R1", "R2 B2", "R3 Y3", "G6 G7", draw="until_playable"), "R2 R3")
    text = format_record(record_of(game)).replace("result: ", f"{lines}\nresult: ")
    with pytest.raises(InvalidRecord) as caught:
        parse_record(text)
    assert reason in caught.value.reason


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "\0\1\2", "{}"])
def test_a_text_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(InvalidRecord, match="uno-pomdp game, version 2"):
        parse_record(text)


def test_a_record_that_is_cut_off_after_any_line_is_refused_at_its_end() -> None:
    for length in range(len(LINES)):
        with pytest.raises(InvalidRecord, match="the record ends before its") as caught:
            parse_record("\n".join(LINES[:length]))
        assert caught.value.line == length + 1


def test_line_numbers_count_comments_and_blank_lines() -> None:
    text = edited({17: f"\n# a comment\n{LINES[16]}", 18: "2. player 1: R3"})
    refused(text, 20, "it is player 2's turn, not player 1's")


# --- fuzz ------------------------------------------------------------------------------------------------


PARTY: Final = {"draw": "until_playable", "stack": "rising", "swap": "seven_zero"}


def fuzz_texts() -> list[str]:
    """Return valid records of several kinds: whole and seen, finished and not."""
    games = [
        whole_game(),
        play_out(Game.new(rules_of("skips", VARIANTS[-1]), 4), 4),
        play_out(Game.new(rules_of("one colour", VARIANTS[12]), 2), 2, 12),
        play_out(Game.new(preset("printed"), 6), 6, 40),
        play_out(Game.new(preset("mini-12"), 9), 9),
        play_out(Game.new(preset("mini-bluff"), 8), 8),
        play_out(Game.new(preset("stacking"), 1), 1, 40),
        play_out(Game.new(rules_of("few of four colours", PARTY), 5), 5),
        play_out(Game.new(rules_of("mini-12", PARTY), 3), 3, 30),
    ]
    records = [record_of(game, ("one", "two")) for game in games]
    return [format_record(each) for record in records for each in (record, observed(record, 0), observed(record, 1))]


def rarer_texts() -> list[str]:
    """Return the same of games with moves taken back, forgotten UNOs, a match, and a start in the middle."""
    games = [
        Game.new(preset("mini-12"), 9),
        begun_in_the_middle(preset("printed"), 76, 25),
        begun_in_the_middle(rules_of("few of four colours", PARTY), 5, 6),
        begun_in_the_middle(rules_of("all penalties", {"stack": "rising"}), 3, 2),
    ]
    records = [replace(wandered(game, 4), match=MatchRound(500, 2, (0, 31))) for game in games]
    seen = [observed(record, seat) for record in records for seat in (0, 1)]
    less = [
        replace(record, midgame=replace(record.midgame, played=NO_CARDS, hidden=len(record.midgame.played)))
        for record in seen
        if record.midgame is not None
    ]
    return [format_record(record) for record in (*records, *seen, *less)]


FUZZ_TEXTS: Final = fuzz_texts()
RARER_TEXTS: Final = rarer_texts()
ODD: Final = "0123456789RYGBWS+:.,# \t\nhidenkawply" + "é٣–\u2028\0" + string.punctuation


def fine_or_refused(text: str) -> GameRecord | None:
    """Require that a text is refused in the proper way, or is a record that holds in every other way."""
    try:
        record = parse_record(text)
    except InvalidRecord as error:
        line = error.line
    else:
        assert parse_record(format_record(record)) == record
        if record.observer is None:
            extras = {"match": record.match, "undone": record.undone, "practice": record.practice}
            assert record_of(replay(record), record.players, **extras) == record  # type: ignore[arg-type]
        return record
    assert 0 < line <= text.count("\n") + 2
    return None


@settings(max_examples=500)
@given(st.sampled_from(FUZZ_TEXTS + RARER_TEXTS), st.data())
def test_a_changed_character_is_refused_or_leaves_a_valid_record(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(st.sampled_from(["", *ODD]))
    kept = data.draw(st.integers(0, 1))
    fine_or_refused(text[:place] + new + text[place + 1 - kept :])


@settings(max_examples=300)
@given(st.sampled_from(FUZZ_TEXTS + RARER_TEXTS), st.randoms(use_true_random=False))
def test_a_line_moved_doubled_or_taken_away_is_refused_or_leaves_a_valid_record(
    text: str, chance: random.Random
) -> None:
    lines = text.splitlines(keepends=True)
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    without = lines[:one] + lines[one + 1 :]
    for changed in (without, [*lines[:two], lines[one], *lines[two:]], [*without[:two], lines[one], *without[two:]]):
        fine_or_refused("".join(changed))


def test_taking_away_or_doubling_any_single_line_is_refused() -> None:
    for text in FUZZ_TEXTS:
        if text.endswith("result: unfinished\n"):
            continue  # without its last move it is another unfinished game
        lines, record = text.splitlines(keepends=True), parse_record(text)
        for place, line in enumerate(lines):
            without = fine_or_refused("".join(lines[:place] + lines[place + 1 :]))
            field = line.partition(":")[0]
            if field in CHOICES:  # it has its default then, which may make no difference here
                assert without is None or without == replace(record, rules=without.rules)
            else:
                assert without is None, line
            assert fine_or_refused("".join(lines[: place + 1] + lines[place:])) is None


def test_the_rarer_texts_are_valid_and_have_what_they_are_for() -> None:
    for text in RARER_TEXTS:
        assert fine_or_refused(text) is not None
    for what in ("undo: ", "forgot UNO; ", "played hidden: ", "colour before: ", "practice: yes", "score: 0 31"):
        assert any(what in text for text in RARER_TEXTS), what


def test_some_changed_characters_leave_another_valid_game() -> None:
    record = fine_or_refused(WHOLE.replace("seed: 5", "seed: 6"))
    assert record is not None
    assert record.seed == 6
