"""Moves in words: the same for every listener but for who is who, with the sizes of both hands in lists."""

import re

import pytest

from tests.cli.test_play_screens import random_game, text_of, view
from uno_pomdp.cards import Cards
from uno_pomdp.cli.ui.narrate import PLAYERS, Narrator, deed, narrator_for
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Event, Kept, Played, Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.rules import preset

CARDS = tuple(Cards.parse("R5 W4"))
TOLD: dict[str, Event] = {
    "played R5": Played(0, Action.parse("R5")),
    "played W4 and chose GREEN": Played(0, Action.parse("W4:G")),
    "drew 1 card": Drew(0, 1, penalty=False, cards=None),
    "drew 2 cards as a penalty": Drew(0, 2, penalty=True, cards=None),
    "drew R5 W4 as a penalty": Drew(0, 2, penalty=True, cards=CARDS),
    "drew R5": Drew(0, 1, penalty=False, cards=CARDS[:1]),
    "had to draw, but the deck is exhausted": Drew(0, 0, penalty=False, cards=None),
    "kept the card": Kept(0),
    "forgot to say UNO and drew 2 cards": Drew(0, 2, penalty=True, cards=None, forgot=True),
    "forgot to say UNO and drew R5 W4": Drew(0, 2, penalty=True, cards=CARDS, forgot=True),
    "forgot to say UNO and drew 0 cards": Drew(0, 0, penalty=True, cards=(), forgot=True),
}


@pytest.mark.parametrize("words", TOLD)
def test_who_did_it_is_all_that_differs(words: str) -> None:
    event = TOLD[words]
    assert deed(event).plain == words
    assert PLAYERS.clause(event).plain == f"player 1 {words}"
    assert narrator_for(0).clause(event).plain == f"you {words}"
    assert narrator_for(1).clause(event).plain == f"the opponent {words}"


def test_nobody_shuffles() -> None:
    for cards, hidden, words in (
        ("R1 R2", 0, "2 played cards were"),
        ("R1", 0, "1 played card was"),
        ("", 3, "3 played cards were"),
    ):
        event = Reshuffled(Cards.parse(cards), None, hidden)
        assert PLAYERS.clause(event).plain == f"{words} shuffled back into the draw pile"


def test_sentences_have_capitals_and_full_stops() -> None:
    events = Drew(0, 1, penalty=False, cards=None), Kept(0), Played(1, Action.parse("W:B"))
    said = narrator_for(1).sentences(events).plain
    assert said == "The opponent drew 1 card. The opponent kept the card. You played W and chose BLUE."
    assert narrator_for(1).sentences(()).plain == ""


@pytest.mark.parametrize(
    ("narrator", "words"),
    [
        (PLAYERS, "player 2 has to draw 2 cards"),
        (narrator_for(0), "the opponent has to draw 2 cards"),
        (narrator_for(1), "you have to draw 2 cards"),
    ],
)
def test_a_debt_has_its_debtor(narrator: Narrator, words: str) -> None:
    game = Game.new(preset("house"), 3)
    while game.observation(0).penalty != 2 or game.turn == 0:
        legal = game.legal_actions()
        game.apply(next((action for action in legal if str(action).endswith("+2")), legal[0]))
    assert narrator.debt(game.observation(0)) == words


@pytest.mark.parametrize("rules", ["house", "printed", "stacking", "party", "mini-9"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_list_has_both_sizes_after_every_move_aligned_and_within_80_columns(rules: str, seat: int) -> None:
    sizes = []
    for game in random_game(preset(rules), 6, 900):
        sizes.append((len(game.hand(seat)), len(game.hand(1 - seat))))
    head, *lines = text_of(narrator_for(seat).listed(view(game, seat).steps)).splitlines()
    assert head == "     you : opp"
    rows = [
        found for line in lines if (found := re.fullmatch(r" *(\d+)  ( *\d+) : (\d+ *) (you|the opponent) .+", line))
    ]
    assert [(int(row[2]), int(row[3])) for row in rows] == sizes[1:]
    assert [int(row[1]) for row in rows] == list(range(1, len(sizes)))
    assert {line.index(" : ") for line in lines if " : " in line} == {head.index(" : ")}
    more = sum(len(events) - 1 for events in game.events_by_move())  # reshuffles, shown hands, swaps …
    assert len(lines) - len(rows) >= more  # two long hands take several lines
    assert max(map(len, lines)) <= 80
    blank = " " * len("     you : opp  ")
    assert all(line.startswith(blank) for line in lines if " : " not in line)


def test_before_the_first_move_there_is_nothing_to_list() -> None:
    assert narrator_for(0).listed(()).plain == "no moves yet"


def test_sizes_are_by_seat_whoever_looks() -> None:
    game = Game.new(preset("house"), 5)
    game.apply(next(action for action in game.legal_actions() if action.card is not None))
    assert game.observation(0).hand_sizes == game.observation(1).hand_sizes == (6, 7)
    assert (PLAYERS.head, PLAYERS.sizes((6, 12))) == ("P1 : P2", " 6 : 12")
    assert (narrator_for(1).head, narrator_for(1).sizes((6, 12))) == ("you : opp", " 12 : 6  ")
