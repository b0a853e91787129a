"""Practice games: moves that are taken back stay in the record, and the game goes on as it would have."""

import random
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.records import FULL, NAMED, PLAYERS, comes_back, edited, line_of, refused, wandered, whole_game, written
from tests.helpers import ALL_VARIANTS, any_rules, any_seed, choose, do, rules_of, start, state_bytes
from uno_pomdp.cards import Cards, parse_card
from uno_pomdp.errors import IllegalAction, InvalidRecord
from uno_pomdp.game.game import Game
from uno_pomdp.game.move import Move
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import Undone, course, observed, record_of, replay, settled, take_back
from uno_pomdp.rules import PRESETS, Rules, preset

# --- the game --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_game_some_moves_earlier_is_the_game_that_it_was(name: str) -> None:
    game, chance = Game.new(preset(name), 4), random.Random(4)
    past: list[Game] = []
    while not game.over and len(past) < 60:
        past.append(game.copy())
        game.apply(choose(game, chance))
    for count in (0, 1, 2, len(past) // 2, len(past)):
        earlier, was = game.earlier(count), [*past, game][len(past) - count]
        assert earlier == was
        assert state_bytes(earlier) == state_bytes(was)
        assert earlier.events(0) == was.events(0)
        assert game.history(1).earlier(count) == was.history(1)


def test_an_earlier_game_goes_on_with_the_same_cards_and_reshuffles() -> None:
    whole = whole_game()
    again = whole.earlier(17)
    for move in whole.moves[4:]:
        again.apply(move.action)
    assert again == whole
    assert [move.reshuffled for move in again.moves] == [move.reshuffled for move in whole.moves]


@pytest.mark.parametrize("moves", [-1, 22])
def test_no_more_moves_than_there_are_can_be_taken_back(moves: int) -> None:
    game = whole_game()
    with pytest.raises(IllegalAction, match=f"^{moves} moves can't be taken back: the game has 21$"):
        game.earlier(moves)
    with pytest.raises(IllegalAction, match="the game has 21"):
        game.history(0).earlier(moves)


# --- the record ------------------------------------------------------------------------------------------


def move(seat: int, number: int) -> Move:
    """Return a move that is not like the others."""
    return Move(seat, whole_game().moves[number].action)


A, B, C, D, E = (move(number % 2, number) for number in (0, 1, 2, 3, 7))

COURSES: Final[list[tuple[list[Move | int], tuple[Move, ...], tuple[Undone, ...]]]] = [
    ([], (), ()),
    ([A, B], (A, B), ()),
    ([A, B, 1, C], (A, C), (Undone(1, (B,)),)),
    ([A, B, 2], (), (Undone(0, (A, B)),)),
    ([A, B, 1, C, 2, D, E], (D, E), (Undone(1, (B,)), Undone(0, (A, C)))),
    ([A, 1, A, 1, A], (A,), (Undone(0, (A,)), Undone(0, (A,)))),
    ([A, B, C, 1, 1, D], (A, D), (Undone(2, (C,)), Undone(1, (B,)))),
]


@pytest.mark.parametrize(("done", "stand", "undone"), COURSES)
def test_the_whole_course_is_found_from_what_stands_and_what_was_taken_back(
    done: list[Move | int], stand: tuple[Move, ...], undone: tuple[Undone, ...]
) -> None:
    assert settled(done) == (stand, undone)
    assert course(replace(record_of(whole_game()), moves=stand, undone=undone)) == done


@given(st.lists(st.one_of(st.sampled_from([A, B, C, D]), st.integers(1, 4)), max_size=40))
def test_any_course_is_found_again(entries: list[Move | int]) -> None:
    stand, done = 0, []
    for entry in entries:
        after = stand + 1 if not isinstance(entry, int) else stand - entry
        if after >= 0:
            done.append(entry)
            stand = after
    moves, undone = settled(done)
    assert course(replace(record_of(whole_game()), moves=moves, undone=undone)) == done


@pytest.mark.parametrize("undone", [Undone(22, (A,)), Undone(-1, (A,)), Undone(3, ())])
def test_what_can_not_have_been_taken_back_is_refused(undone: Undone) -> None:
    with pytest.raises(InvalidRecord, match=f"no moves were taken back so that {undone.after} were left: 21 came"):
        format_record(replace(record_of(whole_game()), undone=(undone,)))


def test_a_record_takes_moves_back_and_is_a_practice_game_then() -> None:
    whole = record_of(whole_game(), PLAYERS)
    assert not whole.practice
    record = take_back(whole, 2)
    assert (record.moves, record.undone) == (whole.moves[:-2], (Undone(19, whole.moves[-2:]),))
    assert (record.outcome, record.practice) == (None, True)
    assert replay(record) == whole_game().earlier(2)
    assert replace(whole, undone=record.undone).practice
    with pytest.raises(InvalidRecord, match="22 moves can't be taken back: the game has 21"):
        take_back(whole, 22)


# --- the text --------------------------------------------------------------------------------------------


UNDONE: Final = edited(
    {
        15: "player 2: Zoë\npractice: yes",
        23: "4. player 2: R+2\nundo: 2\n3. player 1: W:G\n4. player 2: G8\nundo: 2\n3. player 1: R4\n4. player 2: R+2",
    },
    NAMED,
)
"""The game of `NAMED`, in which the third and fourth move are taken back, others tried, and made again."""


def test_moves_that_are_taken_back_stay_in_the_text() -> None:
    record = parse_record(UNDONE)
    assert format_record(record) == written(UNDONE)
    assert record.moves == parse_record(FULL).moves
    assert record.undone == (Undone(2, record.moves[2:4]), Undone(2, (move(0, 7), move(1, 8))))
    assert replay(record) == whole_game()
    comes_back(record)


def test_an_observers_text_hides_the_cards_in_moves_that_were_taken_back() -> None:
    game = do(start("R1", "R2 R+2 W", "R3 Y4 G8", "Y5 B5 B6"), "R+2 draw")
    record = take_back(record_of(game, PLAYERS), 1)
    whole, seen = (format_record(each).splitlines()[-3:] for each in (record, observed(record, 0)))
    assert whole == ["2. player 2: draw Y5 B5", "undo: 1", "result: unfinished"]
    assert seen == ["2. player 2: draw 2 hidden", "undo: 1", "result: unfinished"]
    assert format_record(observed(record, 1)).splitlines()[-3:] == whole
    comes_back(record)


@pytest.mark.parametrize(("said", "is_one"), [("practice: yes\n", True), ("practice: no\n", False), ("", False)])
def test_a_game_may_be_called_a_practice_game(said: str, is_one: bool) -> None:
    record = parse_record(FULL.replace("Zoë\n", f"Zoë\n{said}"))
    assert record.practice is is_one
    assert ("practice: yes" in format_record(record)) is is_one
    assert parse_record(format_record(record)) == record
    assert observed(record, 1).practice is is_one


def test_a_practice_line_is_not_needed_where_moves_are_taken_back() -> None:
    assert parse_record(UNDONE.replace("practice: yes\n", "")) == parse_record(UNDONE)


DAMAGE: Final = [
    ("more than stand", {25: "undo: 5"}, 25, "5 moves can't be taken back: the game has 4"),
    ("none", {25: "undo: 0"}, 25, "0 moves can't be taken back: the game has 4"),
    ("no number", {25: "undo: two"}, 25, "'two' is no whole number"),
    ("nothing", {25: "undo:"}, 25, "'' is no whole number"),
    ("one fewer", {25: "undo: 1"}, 26, "'4. player 1: …' or player 2 belongs here, not '3. player 1'"),
    ("not at all", {25: None}, 25, "'5. player 1: …' or player 2 belongs here, not '3. player 1'"),
    ("numbers that go on", {26: "5. player 1: W:G"}, 26, "'3. player 1: …' or player 2 belongs here"),
    ("a wrong move that was taken back", {27: "4. player 2: R3"}, 27, "player 2 does not hold R3"),
    ("a wrong move after it", {26: "3. player 1: R2"}, 26, "player 1 does not hold R2"),
    ("between a reshuffle and its move", {33: "undo: 1\n6. player 2: draw R3"}, 33, "'6. player 1: …' or player 2"),
    ("no practice", {16: "practice: no"}, 16, "moves are taken back in it, so it is a practice game"),
    ("another word", {16: "practice: maybe"}, 16, "practice is yes or no, not 'maybe'"),
    ("twice", {16: "practice: yes\npractice: yes"}, 17, "'top: …' belongs here, not 'practice'"),
]


@pytest.mark.parametrize(("edits", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGE])
def test_damage_is_refused_with_its_line_and_reason(edits: dict[int, str | None], line: int, reason: str) -> None:
    refused(edited(edits, UNDONE), line, reason)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_wrong_move_that_was_taken_back_is_found_in_an_observers_record_too(seat: int) -> None:
    text = format_record(observed(parse_record(UNDONE), seat))
    wrong = text.replace("3. player 1: W:G\n4. player 2: G8", "3. player 1: W:G\n4. player 2: R3")
    refused(wrong, line_of(wrong, "4. player 2: R3"), "R3")


def test_moves_after_the_end_can_be_taken_back_and_the_result_is_that_of_the_rest() -> None:
    record = take_back(record_of(whole_game(), PLAYERS), 1)
    text = format_record(record)
    assert text.endswith("21. player 2: R3\nundo: 1\nresult: unfinished\n")
    assert parse_record(text) == record
    wrong = text.replace("unfinished", "player 2 wins (emptied hand)")
    refused(wrong, wrong.count("\n"), "the result is unfinished, not player 2 wins (emptied hand)")


@settings(max_examples=40)
@given(any_rules(), any_seed)
def test_any_practice_game_comes_back_from_its_text(rules: Rules, seed: int) -> None:
    comes_back(wandered(Game.new(rules, seed), seed % 1000))


def test_the_practice_games_of_all_rules_have_nested_undos() -> None:
    nested = 0
    for number, variant in enumerate(ALL_VARIANTS[::28]):
        record = wandered(Game.new(rules_of("mini-12", variant), number), number, undo=0.3)
        comes_back(record)
        nested += any(late.after < early.after for early, late in zip(record.undone, record.undone[1:], strict=False))
    assert nested > 5


def test_a_replayed_practice_game_goes_on_as_the_one_that_was_never_taken_back() -> None:
    game = whole_game()
    record = take_back(take_back(record_of(game), 9), 8)
    again = replay(parse_record(format_record(record)))
    for done in game.moves[4:]:
        again.apply(done.action)
    assert again == game
    assert state_bytes(again) == state_bytes(game)


# --- at a table ------------------------------------------------------------------------------------------


def test_an_observed_game_takes_moves_back_and_keeps_them_in_its_record() -> None:
    rules = whole_game().rules
    table = ObservedGame(rules, 0, Cards.parse("R2 R4 W"), parse_card("R1"))
    for each in whole_game().moves[:4]:
        table.apply(each.action)
    table.take_back(2)
    assert (len(table.moves), len(table.events), len(table.observations)) == (2, 2, 3)
    for each in whole_game().moves[2:4]:
        table.apply(each.action)
    record = table.record(PLAYERS)
    assert record.undone == (Undone(2, record.moves[2:]),)
    assert record.practice
    assert parse_record(format_record(record)) == record
    assert table.observation == whole_game().earlier(17).observation(0)
    with pytest.raises(IllegalAction, match="5 moves can't be taken back: the game has 4"):
        table.take_back(5)


def test_histories_have_in_common_what_happened_in_both_whoever_made_them() -> None:
    game = Game.new(preset("house"), 5)
    while len(game.moves) < 9:
        game.apply(game.legal_actions()[0])
    other = game.earlier(5)
    history, shorter = game.history(0), other.history(0)
    assert history.common(history) == history.common(game.history(0)) == 10
    assert history.common(shorter) == shorter.common(history) == 5
    while len(other.legal_actions()) == 1:
        other.apply(other.legal_actions()[0])
    same = len(other.moves)
    assert same < 9
    other.apply(other.legal_actions()[-1])
    assert history.common(other.history(0)) == other.history(0).common(history) == 1 + same
    assert history.common(game.history(1)) == history.common(Game.new(preset("house"), 6).history(0)) == 0
