"""How a game begins that is typed in: at the deal, or in the middle, with questions that follow from the answers."""

import random
from pathlib import Path

import numpy as np
import pytest

from tests.game.records import begun_in_the_middle
from tests.helpers import PAIRS_OF_VALUES, choose, named, rules_of
from uno_pomdp.advise.questions import from_the_middle, start_of
from uno_pomdp.advise.session import Session, recorded_entry
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import COLOUR_NAMES, Cards, card_name
from uno_pomdp.cli.files import read_game
from uno_pomdp.default_agents import CHAMPION_COACH, COACH
from uno_pomdp.errors import ConflictingOptions, UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import Rules, preset

MIDDLE = ("me", "r5 r7 y1", "g3", "4", "60", "r1 b3")


def asked(rules: Rules, *answers: str) -> list[str]:
    """Return the questions that are asked one after the other."""
    start, questions = from_the_middle(rules), []
    for text in answers:
        questions.append(start.question)
        start.answer(text)
    return [*questions, start.question]


def test_the_questions_of_a_game_in_the_middle() -> None:
    assert asked(preset("house"), *MIDDLE) == [
        "Whose turn is it, me or opponent?",
        "Your cards?",
        "The top card, a black one with its colour?",
        "How many cards does the opponent hold?",
        "How many cards are in the draw pile, or were played (played 23)?",
        "Which of the 40 cards below the top do you know (name them, or none)?",
        "",
    ]


def test_a_black_card_a_debt_and_a_challenge_ask_for_more() -> None:
    owed, before = "How many cards does the player to move owe for it, 0 if none?", "Which colour was active before"
    assert asked(preset("printed"), "me", "r5", "w4", "red", "4", "b")[3:] == [
        "Which colour was declared with it?",
        owed,
        f"{before} the wild +4?",
        "How many cards does the opponent hold?",
    ]
    assert asked(preset("printed"), "me", "r5", "w4 red", "0")[3:] == [owed, "How many cards does the opponent hold?"]
    assert asked(preset("house"), "me", "r5", "g+2", "2")[3:] == [owed, "How many cards does the opponent hold?"]


def test_every_question_explains_itself() -> None:
    start, said = from_the_middle(preset("printed")), []
    for text in ("me", "r5", "w4", "red", "4", "b", "3", "60", "none"):
        said.append(start.help)
        start.answer(text)
    assert len(set(said)) == 9
    assert all(help_.endswith(".") for help_ in said)
    assert start.help == ""


def test_what_is_known_begins_the_game() -> None:
    start = from_the_middle(preset("house"))
    for text in ("opponent", "r5 r7 y1", "w4 yellow", "4", "4", "played 45", "r1 b3 b3"):
        start.answer(text)
    seen = start.table().observation
    assert (seen.turn, seen.seat, str(seen.hand), COLOUR_NAMES[seen.colour]) == (1, 0, "R5 R7 Y1", "yellow")
    assert (seen.penalty, seen.opponent_size, seen.draw_size, seen.played_size) == (4, 4, 56, 45)
    assert (str(seen.played), seen.hidden_played) == ("R1 B3 B3 W4", 41)


@pytest.mark.parametrize(
    ("before", "answer", "message"),
    [
        ("", "bob", "'bob' names nobody: write me, or opponent"),
        ("me", "", "name your cards: a game goes on only while you hold some"),
        ("me", "w w w w w", "you can't hold 5 W: the deck has 4"),
        ("me", "x7", "'x7' is no card: write a card as r5, gs (skip), yr (reverse), b+2, w or w4"),
        ("me/r0", "r0", "R0 can't be the top card: the deck has 1, in your hand 1"),
        ("me/r0", "7", "'7' is no card: write a card as r5, gs (skip), yr (reverse), b+2, w or w4"),
        ("me/r0", "draw", "'draw' is no card: write a card as r5, gs (skip), yr (reverse), b+2, w or w4"),
        ("me/r0/w", "pink", "'pink' is no colour: write red, yellow, green or blue, or the first letter"),
        ("me/r0/g+2", "three", "'three' is no number: write how many cards owed"),
        ("me/r0/g+2", "4", "4 cards can't be owed for G+2 under these rules"),
        ("me/r0/g3", "0", "the opponent holds at least 1 card, or the game would be over"),
        ("me/r0/g3", "107", "the opponent can't hold 107 cards: the rest of the deck has 106"),
        ("me/r0/g3/6", "101", "the draw pile can't have 101 cards: the rest of the deck has 100"),
        ("me/r0/g3/6", "played 0", "with the top card, from 1 to 101 can have been played, not 0"),
        ("me/r0/g3/6", "many", "'many' is no number: write how many cards in the draw pile, or write played and how"),
        ("me/r0/g3/6/98", "r1 r2 r3", "below the top card lie 2 cards, but you name 3"),
        ("me/r0/g3/6/90", "r0", "1 R0 can't lie below the top card: the deck has 1, in your hand 1"),
        ("me/r0/g3/6/90", "g3 g3", "2 G3 can't lie below the top card: the deck has 2, on top 1"),
    ],
)
def test_a_wrong_answer_is_one_sentence_and_changes_nothing(before: str, answer: str, message: str) -> None:
    start = from_the_middle(preset("house"))
    for text in before.split("/") if before else ():
        start.answer(text)
    question = start.question
    with pytest.raises(UnoError) as caught:
        start.answer(answer)
    assert str(caught.value).startswith(message)
    assert start.question == question


def test_colours_that_are_not_in_the_deck_are_refused() -> None:
    start = from_the_middle(preset("mini-10"))
    for text in ("me", "r0"):
        start.answer(text)
    with pytest.raises(UnoError, match="blue is not in the deck: red, yellow are"):
        start.answer("w blue")


def test_the_last_answer_is_asked_again_where_the_game_can_not_begin() -> None:
    rules = Rules(stack="same")
    session = Session(rules, "heuristic", 1, middle=True)
    for text in ("me", "r5 r7 y1", "g+2", "4", "4", "60"):
        session.enter(text)
    with pytest.raises(UnoError, match=r"4 cards are owed, more than for G\+2 alone: name the cards that it answered"):
        session.enter("none")
    assert session.question.startswith("Which of the 40 cards below the top")
    session.enter("b+2")
    assert session.question == "you"


def test_undo_takes_answers_back_to_the_first_question_and_to_the_deal() -> None:
    session = Session(preset("house"), "heuristic", 1)
    session.enter("middle")
    for text in MIDDLE:
        session.enter(text)
    said = [session.undo() for _ in range(7)]
    assert said == [
        "the played cards that you know, R1 B3",
        "how many cards are in the draw pile, 60",
        "how many cards the opponent holds, 4",
        "the top card G3",
        "the hand R5 R7 Y1",
        "whose turn it is",
        "the start in the middle",
    ]
    assert session.question == "Who moves first, me or opponent?"


def test_answers_that_are_known_are_not_asked_and_what_is_not_asked_for_is_refused() -> None:
    known = {"turn": "me", "hand": "r5", "top": "g3", "opponent": "4", "pile": "60", "played": "none"}
    assert Session(preset("house"), "heuristic", 1, known, middle=True).question == "you"
    del known["opponent"]
    assert Session(preset("house"), "heuristic", 1, known, middle=True).question.startswith("How many cards does")
    with pytest.raises(ConflictingOptions, match="--owed is not asked for here: leave it out"):
        Session(preset("house"), "heuristic", 1, known | {"opponent": "4", "owed": "2"}, middle=True)


def test_the_coach_is_one_that_need_not_know_all_played_cards() -> None:
    known = {"turn": "me", "hand": "r5", "top": "g3", "opponent": "4", "pile": "100", "played": "r1 r2"}
    assert Session(preset("house"), None, 1, known, middle=True).coach == CHAMPION_COACH
    assert Session(preset("house"), None, 1, known | {"played": "r1"}, middle=True).coach == COACH
    with pytest.raises(UnoError, match="1 played cards are not known, and a champion was trained to know them all"):
        Session(preset("house"), "champion", 1, known | {"played": "r1"}, middle=True)


def test_who_begins_is_asked_as_the_first_card_needs_it() -> None:
    assert Session(preset("printed"), "heuristic", 1).question == (
        "Who is first in turn, before the first card acts, me or opponent?"
    )


# --- a game that is typed from the middle on -------------------------------------------------------------


def typed_start(game: Game, seat: Seat, unknown: Cards) -> Session:
    """Return a session in which a seat typed how a game stands at its start; it does not know some played cards."""
    seen, midgame = game.observation(seat), game.deal.midgame
    assert midgame is not None
    session = Session(game.rules, "heuristic", 3)
    session.start = from_the_middle(game.rules, seat)
    texts = {
        "turn": "me" if seen.turn == seat else "opponent",
        "hand": str(seen.hand),
        "top": card_name(seen.top),
        "colour": COLOUR_NAMES[seen.colour],
        "owed": str(seen.penalty),
        "before": "" if seen.before is None else COLOUR_NAMES[seen.before],
        "opponent": str(seen.opponent_size),
        "pile": f"played {seen.played_size}",
        "played": str(midgame.played - unknown) or "none",
    }
    while session.advisor is None:
        assert session.start.next is not None
        session.enter(texts[session.start.next])
    return session


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_a_game_typed_from_its_middle_is_followed_saved_and_gone_on_with(
    variant: dict[str, str], tmp_path: Path
) -> None:
    followed = 0
    for seed, seat in ((seed, seat) for seed in range(4) for seat in SEATS):
        rules = rules_of(("few of four colours", "all penalties")[seed % 2], variant)
        game, chance = begun_in_the_middle(rules, seed, 6), random.Random(seed)
        midgame = game.deal.midgame
        assert midgame is not None
        harmless = [card for card in midgame.played if not game.observation(seat).penalty]
        unknown = Cards.of(harmless[: 1 + seed % 3])
        session = typed_start(game, seat, unknown)
        assert session.advisor is not None
        table, belief = session.advisor.table, ClosedFormBelief(rules, session.advisor.table.observation)
        assert table.observation.hidden_played == len(unknown)
        for _ in range(12):
            if game.over:
                break
            game.apply(choose(game, chance))
            made = observed(record_of(game), seat).moves[-1]
            assert ObservedGame.replayed(session.record()).observation == table.observation
            events = session.take(recorded_entry(made, table, game.outcome))
            table = session.advisor.table
            belief.update(events, table.observation)
            np.testing.assert_array_equal(session.advisor.belief.expected_counts(), belief.expected_counts())
            followed += 1
        path = tmp_path / f"{seed}-{seat}.txt"
        save_record(path, session.record())
        again = Session.of_record(read_game(path), path, "heuristic", 3)
        assert again.advisor is not None
        assert (again.entries, again.advisor.table.observation) == (session.entries, table.observation)
        assert again.record() == session.record() == load_record(path)
    assert followed > 10


def test_the_start_of_a_record_is_what_was_typed() -> None:
    session = Session(preset("house"), "heuristic", 1, middle=True)
    for text in MIDDLE:
        session.enter(text)
    again = start_of(session.record())
    assert again.texts == {
        "turn": "me",
        "hand": "R5 R7 Y1",
        "top": "G3",
        "opponent": "4",
        "pile": "60",
        "played": "R1 B3",
    }
