"""The page of a review: its data tells the game as the record does, and no more than the record knows."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.review.games import FOLDER, GOLDEN, golden, missed_run, played
from uno_pomdp.cards import COLOUR_LETTERS, card_name
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.move import Hidden
from uno_pomdp.game.record import HUMAN, GameRecord, follow_openly, observed, start
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.narration.words import PLAYERS
from uno_pomdp.review.game import review_game
from uno_pomdp.review.graph import seen_by
from uno_pomdp.review.page import page
from uno_pomdp.review.page_data import USUAL, page_data, page_values

COACH = "flat:sims=20"
SEEN = sorted(FOLDER.glob("*.seen.txt"))


def data_in(text: str) -> Any:
    """Return the data of a page's script, as a browser reads it."""
    (found,) = re.findall(r'<script type="application/json" id="review-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_position_is_that_of_the_game(path: Path) -> None:
    record = golden(path)
    data = page_data(review_game(record, "flat:sims=10", seats=()))
    game = start(record)
    assert len(data["positions"]) == len(record.moves) + 1
    for number, position in enumerate(data["positions"]):
        seen = game.observation(game.turn)
        assert position == {
            "hands": [[card_name(card) for card in game.hand(seat)] for seat in SEATS],
            "sizes": [len(game.hand(seat)) for seat in SEATS],
            "top": card_name(seen.top),
            "colour": COLOUR_LETTERS[seen.colour],
            "debt": seen.penalty,
            "pile": len(game.draw_pile),
            "turn": game.turn + 1,
            "drawn": None if game.drawn is None else card_name(game.drawn),
            "challenge": None if seen.before is None else COLOUR_LETTERS[seen.before],
        }
        if number < len(record.moves):
            follow_openly(game, record.moves[number])
            move = data["moves"][number]
            assert move["words"] == PLAYERS.told(game.events(since=number))
            assert move["hand_sizes"] == data["positions"][number + 1]["sizes"]


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("rules", ["house", "printed", "party"])
def test_an_observers_page_has_its_own_hand_and_the_size_of_the_other(rules: str, seat: int) -> None:
    record = played("greedy", "random", rules, 4)
    whole, own = (page_data(review_game(each, "flat:sims=10")) for each in (record, observed(record, seat)))
    for all_, part in zip(whole["positions"], own["positions"], strict=True):
        assert part["hands"][1 - seat] is None
        assert part["hands"][seat] == all_["hands"][seat]
        assert all(part[name] == all_[name] for name in ("sizes", "top", "colour", "debt", "pile", "turn", "challenge"))
        if part["turn"] == seat + 1:
            assert part == all_ | {"hands": part["hands"]}
        else:
            assert part["drawn"] is None


@pytest.mark.parametrize("seat", SEATS)
def test_cards_that_an_observer_never_saw_are_nowhere_in_its_page(seat: int) -> None:
    record = replace(played("greedy", "random", "house", 4), moves=(), outcome=None)
    hands = [set(hand) for hand in record.hands if not isinstance(hand, Hidden)]
    hidden = {card_name(card) for card in hands[1 - seat] - hands[seat] - {record.top}}
    assert len(hidden) > 3
    data = json.dumps(page_data(review_game(observed(record, seat), COACH)))
    assert all(f'"{name}"' not in data for name in hidden)


def unfinished(record: GameRecord, moves: int) -> GameRecord:
    """Return the first moves of a record."""
    return replace(record, moves=record.moves[:moves], outcome=None)


@pytest.mark.parametrize(
    "record",
    [unfinished(played(), 0), unfinished(played(), 1), *map(golden, SEEN)],
    ids=("deal", "one", *map(str, SEEN)),
)
def test_a_part_of_a_game_and_one_from_the_middle_have_their_data(record: GameRecord) -> None:
    data = page_data(review_game(record, COACH))
    assert (len(data["moves"]), len(data["positions"])) == (len(record.moves), len(record.moves) + 1)
    assert data_in(page(review_game(record, COACH))) == json.loads(json.dumps(data))


def test_the_better_move_is_explained_by_what_it_does() -> None:
    record = missed_run()
    first, *rest = page_data(review_game(record, "flat:sims=400"))["moves"]
    assert first["best"] == "RS"
    seen = start(record).observation(0)
    best = next(action for action in seen.legal_actions() if str(action) == "RS")
    assert first["better"] == f"RS: {effect_of(best, seen)}."
    assert "costs the opponent the turn" in first["better"]
    assert all(move["better"] == "" for move in rest if move["best"] in (None, move["action"]))


def test_names_and_notes_of_a_record_are_text_everywhere() -> None:
    bad = "</script><script>alert('1')</script><!--"
    record = replace(played(), players=(bad, "\u2028 & \"'"))
    for inline in (True, False):
        text = page(review_game(record, COACH), inline)
        assert text.count("<script") == text.count("</script>") == 2
        assert "<!--" not in text
        assert data_in(text)["players"] == [bad, "\u2028 & \"'"]


def test_a_page_of_the_server_links_what_the_file_holds() -> None:
    review = review_game(missed_run(), COACH)
    linked, whole = page(review, inline=False), page(review)
    assert re.findall(r'(?:href|src)="(/[^"?]*)', linked) == [
        "/static/base.css",
        "/static/review.css",
        "/static/review.js",
    ]
    assert "<style" not in linked
    body = linked[linked.index("<body>") :]
    assert whole.endswith(body)
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", body)


def test_the_usual_figures_are_those_that_were_measured() -> None:
    text = (Path(__file__).parents[2] / "docs/review.md").read_text(encoding="utf-8")
    names = {"the coach itself": "the coach itself, another seed"}
    for name, (accuracy, lost) in USUAL.items():
        row = re.search(rf"^\| `?{names.get(name, name)}`? \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        assert row is not None, name
        assert (accuracy, lost) == (round(float(row[1])), round(float(row[2]), 1))


@pytest.mark.parametrize("person", SEATS)
def test_a_persons_own_game_is_told_to_the_person(person: int) -> None:
    """The graph turns with the seat, and so do sizes, names and the result."""
    record = played("heuristic", "greedy", "house", 4)
    players = (HUMAN, "flat:ms=50") if person == 0 else ("flat:ms=50", HUMAN)
    other, own = review_game(record, COACH), review_game(replace(record, players=players), COACH)
    data, values = page_data(own), page_values(own)
    assert (data["names"][person], data["names"][1 - person]) == ("you", "the opponent")
    assert (data["person"], page_data(other)["person"]) == (person + 1, None)
    assert values["title"] == "You v flat:ms=50"
    assert values["whose"] == "Your"
    assert record.outcome is not None
    assert data["ending"].startswith("you win" if record.outcome.winner == person else "the opponent wins")
    for row, plain, move in zip(values["moves"], page_values(other)["moves"], own.moves, strict=True):
        assert row["who"] == ("You" if move.seat == person else "flat")
        sizes = plain["sizes"].split(" : ")
        assert row["sizes"].split(" : ") == (sizes if person == 0 else sizes[::-1])
    flipped = [1 - chance if person else chance for _, chance in seen_by(other, 0)]
    assert [chance for _, chance in seen_by(own, 0)] == pytest.approx(flipped)
    assert "player" not in json.dumps([move["words"] for move in data["moves"]]).lower()
