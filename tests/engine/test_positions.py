"""What the engine takes from a record: what the seat has seen, and in a refusal no card that it has not."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.test_play_screens import twins
from tests.engine.talk import AGENT, final, game_after, own, query, talk, whole
from uno_pomdp.engine.positions import CARD, position
from uno_pomdp.engine.protocol import Query, Refused
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of, replay
from uno_pomdp.rules import PRESETS

GOLDEN = sorted(path for path in (Path(__file__).parents[1] / "golden").rglob("*.txt") if path.parent.name != "screens")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name} {path.name}")
def test_the_own_record_and_the_whole_one_are_the_same_position(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    record = parse_record(text)
    seats = SEATS if record.observer is None else (record.observer,)
    for seat in seats:
        mine, _ = position(Query("q", format_record(observed(record, seat))))
        if record.observer is None:
            assert mine == position(Query("q", text, seat))[0] == replay(record).history(seat)
        assert len(mine.steps) == len(record.moves)
    replies = talk(
        [{"id": f"{seat}", "record": text, "seat": seat + 1, "agent": "heuristic", "include": []} for seat in seats]
    )
    assert [reply["done"] for reply in replies] == [True] * len(seats)


@pytest.mark.parametrize("rules", PRESETS)
def test_what_an_observer_has_seen_is_rebuilt_from_its_record(rules: str) -> None:
    for seed in range(4):
        game = game_after(30, rules, seed)
        for seat in SEATS:
            assert ObservedGame.replayed(observed(record_of(game), seat)).history == game.history(seat)


def error_of(request: dict[str, Any]) -> dict[str, Any]:
    error: dict[str, Any] = final([request])["error"]
    return error


def test_seats_and_rules_have_to_fit_the_record() -> None:
    game = game_after(5)
    assert error_of(query(game, seat=None)) == {
        "kind": "bad_request",
        "line": None,
        "message": "the record is of a whole game: seat, 1 or 2, says whose position it is",
    }
    other = error_of({"id": "q", "record": own(game, 0), "seat": 2})
    assert (other["kind"], other["message"]) == (
        "other_seat",
        "this is player 1's record: what player 2 saw is not in it",
    )
    assert final([query(game, rules="house")])["done"]
    assert error_of(query(game, rules="printed"))["message"] == (
        "the record is of a game by the rules house, not printed"
    )
    assert error_of(query(game, rules="nope"))["kind"] == "unknown_rules"


@pytest.mark.parametrize("seat", SEATS)
def test_a_game_that_counts_is_analysed_as_the_person_sees_it_until_it_is_over(seat: int) -> None:
    game, players = game_after(5), ("human", "greedy") if seat == 0 else ("greedy", "human")
    running = record_of(game, players)
    text = format_record(running)
    refused = error_of({"id": "q", "record": text, "seat": 2 - seat})
    assert refused == {
        "kind": "other_seat",
        "line": None,
        "message": f"the game counts and is not over: until then player {2 - seat}'s cards stay hidden, and only the "
        f"position of player {seat + 1}, the person in it, is analysed",
    }
    asked = {"id": "q", "seat": seat + 1, "agent": AGENT}
    assert final([asked | {"record": text}]) == final([asked | {"record": format_record(observed(running, seat))}])
    practice, over = replace(running, practice=True), record_of(game_after(10_000), players)
    for each in (practice, over, record_of(game, ("human", "human"))):
        assert final([{"id": "q", "record": format_record(each), "seat": 2 - seat, "agent": AGENT}])["done"]


def test_the_line_that_is_wrong_is_named() -> None:
    lines = own(game_after(6), 0).split("\n")
    number = next(number for number, line in enumerate(lines, 1) if line.startswith("2. "))
    lines[number - 1] = "2. player 9: R5"
    error = error_of({"id": "q", "record": "\n".join(lines)})
    assert (error["kind"], error["line"]) == ("illegal_record", number)
    assert error["message"].startswith("'2. player 1: …' or player 2 belongs here")


@pytest.mark.parametrize(
    ("text", "line"), [("rubbish", 1), ("", 1), ("\n# a comment\n\n{}", 4), ("x, seen by player 1", 1)]
)
def test_what_is_no_record_is_not_called_one(text: str, line: int) -> None:
    for asked in ({"id": "q", "record": text}, {"id": "q", "record": text, "seat": 1}):
        assert error_of(asked) == {
            "kind": "illegal_record",
            "line": line,
            "message": "the text is no record: one begins with 'uno-pomdp game, version 2'",
        }


def test_a_byte_order_mark_before_a_record_is_passed_over() -> None:
    game = game_after(5)
    plain, marked = (final([{"id": "q", "record": mark + own(game, 0)}]) for mark in ("", "\ufeff"))
    assert plain == marked
    assert plain["done"]


def test_open_lines_of_a_whole_record_are_refused_with_the_reason() -> None:
    text = whole(game_after(6))
    error = error_of(query(game_after(6), record=text.replace("hand_size: 7", "hand_size: many")))
    assert (error["line"], error["message"]) == (4, "'many' is no whole number of at most 20 digits")
    error = error_of(query(game_after(6), record="just text"))
    assert error["kind"] == "illegal_record"
    assert "just text" not in error["message"]


def damaged(text: str) -> list[str]:
    """Return records that are wrong in one line each: what the line is about is left out, doubled, or another's."""
    lines = text.split("\n")
    return [
        "\n".join([*lines[:place], *wrong, *lines[place + 1 :]])
        for place, line in enumerate(lines)
        for wrong in ([], [line, line], [f"{line}x"], [f"{line} R5"], [line.replace("player 1", "player 2")])
        if wrong != [line]
    ]


def test_a_damaged_whole_record_is_refused_without_the_name_of_a_card() -> None:
    game = game_after(7)
    asked = [query(game, f"q{n}", record=text) for n, text in enumerate(damaged(whole(game)))]
    replies = {reply["id"]: reply for reply in talk(asked, waiting=len(asked))}
    assert len(replies) == len(asked) > 65
    refused = [reply["error"] for reply in replies.values() if "error" in reply]
    assert len(refused) > 65
    for error in refused:
        assert error["kind"] == "illegal_record"
        assert not CARD.search(error["message"]), error
        assert error["line"]


def test_games_that_differ_in_hidden_cards_have_the_same_replies() -> None:
    game = game_after(6, seed=4)
    alike = twins(game, 0, 3, 1)
    assert alike
    told = [query(one, seat=1, include=["candidates", "belief", "win_probability", "policy_aware"]) for one in alike]
    expected = final([told[0] | {"record": whole(game)}])
    assert expected["done"]
    assert [final([one]) for one in told] == [expected] * len(alike)


def test_damaged_games_that_differ_in_hidden_cards_have_the_same_refusals() -> None:
    """Whether a line is wrong may depend on hidden cards; what is said of the same wrong line does not."""
    game = game_after(6, seed=4)
    (twin,) = twins(game, 0, 1, 1)
    same = 0
    for one, other in zip(damaged(whole(game)), damaged(whole(twin)), strict=True):
        mine, theirs = refused(one), refused(other)
        if mine is not None and theirs is not None and mine.line == theirs.line:
            assert str(mine) == str(theirs)
            same += 1
    assert same > 65


def refused(text: str) -> Refused | None:
    """Return why a whole record is refused to player 1; None if it is not."""
    try:
        position(Query("q", text, 0))
    except Refused as error:
        return error
    return None


@pytest.mark.parametrize("rules", [*PRESETS, "mini-12,draw=until_playable", "house,reshuffle=no"])
def test_a_whole_record_is_answered_as_the_own_one_is(rules: str) -> None:
    """The own record has nothing but what the seat has seen: the same replies show that nothing else is used."""
    asked: list[dict[str, Any]] = []
    for seed, moves in enumerate((3, 12, 40, 90)):
        game, chance = Game.new(rules, seed), Random(seed)
        while not game.over and len(game.moves) < moves:
            game.apply(chance.choice(game.legal_actions()))
        for seat in SEATS:
            agent = ("flat:sims=20", "ismcts:sims=20", "pomcp:sims=10", "flat:sims=20,belief=uniform")[seed]
            include = ["candidates", "belief", "win_probability"]
            told = {"seat": seat + 1, "agent": agent, "include": include, "seed": 5, "report_every_ms": 60_000}
            name = f"{moves} {seat}"
            asked += [{"id": f"{name} whole", "record": whole(game)} | told]
            asked += [{"id": f"{name} own", "record": own(game, seat)} | told]
    replies = {reply["id"]: reply for reply in talk(asked)}
    assert len(replies) == len(asked)
    for name, reply in replies.items():
        assert reply["done"], reply
        assert reply | {"id": ""} == replies[name.replace("whole", "own")] | {"id": ""}


def test_a_text_without_a_header_is_told_what_the_first_line_is() -> None:
    for text in ("just text", "R5 W4", "\n\n# a comment\nhand 2: R5", "", "uno-pomdp game, version 99"):
        error = error_of({"id": "q", "record": text, "seat": 1})
        assert error["kind"] == "illegal_record"
        assert "'uno-pomdp game, version 2'" in error["message"]
        assert not CARD.search(error["message"])


def test_json_that_is_no_text_of_a_game_is_refused() -> None:
    for record in (
        "",
        "\n" * 1000,
        "\u0000",
        "💥",
        "uno-pomdp game, version 2",
        "uno-pomdp game, version 2, seen by player 2",
    ):
        assert error_of({"id": "q", "record": record, "seat": 2})["kind"] == "illegal_record"
    assert json.dumps(error_of({"id": "q", "record": "\ud800", "seat": 2}))
