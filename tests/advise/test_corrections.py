"""One entry is corrected without typing what follows again; all that follows is checked, or nothing is changed."""

import random

import pytest

from tests.advise.test_session import begun, typed
from tests.helpers import choose
from uno_pomdp.advise.session import Session
from uno_pomdp.errors import UnoError
from uno_pomdp.game.game import Game
from uno_pomdp.rules import preset

HAND = "R5 R7 Y1 G+2 W4 B3 RS"


def told(*entries: str, hand: str = HAND, top: str = "R1", first: str = "me") -> Session:
    """Return a session of `house` after some entries."""
    session = Session(preset("house"), "heuristic", seed=1)
    for text in (first, hand, top, *entries):
        session.enter(text)
    return session


def state(session: Session) -> tuple[object, ...]:
    """Return all that a session knows."""
    assert session.advisor is not None
    counts = tuple(session.advisor.belief.expected_counts().tolist())
    return session.advisor.table.observation, session.entries.copy(), dict(session.start.texts), counts


def test_an_entry_is_corrected_as_if_it_had_been_typed_so() -> None:
    session = told("r5", "r2", "r7", "r9", "rs")
    assert session.fix("4 r8") == "Corrected: entry 4 is R8, not R9. All else fits."
    assert state(session) == state(told("r5", "r2", "r7", "r8", "rs"))
    assert session.question == "you"
    session.enter("w4 g")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("1 r7", "entry 3 (me R7) no longer fits: you don't hold R7: your hand is R5 RS Y1 G+2 B3 W4; nothing is"),
        ("2 rs", "entry 3 (me R7) no longer fits: it is the opponent's turn there now; nothing is changed: correct"),
        ("2 y2", "entry 2 can't be that: Y2 does not fit on R5 (red): the opponent can't play it; nothing is changed"),
        ("2 b5", "entry 3 (me R7) no longer fits: R7 does not fit on B5 (blue): you can't play it; nothing is changed"),
        ("9 r2", "there is no entry 9: entries go from 1 to 5; log shows them"),
        ("0 r2", "there is no entry 0: entries go from 1 to 5; log shows them"),
        ("2", "write what to correct: fix 7 r5 for the entry with that number in the log, or fix hand … (first, hand"),
        ("", "write what to correct: fix 7 r5"),
        ("pile 5", "write what to correct: fix 7 r5"),
        ("hand r5 r7", "you are dealt 7 cards, but name 2"),
        ("hand R5 R7 Y1 G+2 W4 B3 B9", "entry 5 (me RS) no longer fits: you don't hold RS"),
        ("top g1", "entry 1 (me R5) no longer fits: R5 does not fit on G1 (green): you can't play it; nothing is"),
        ("first opponent", "entry 1 (me R5) no longer fits: it is the opponent's turn there now; nothing is changed"),
    ],
)
def test_a_correction_that_does_not_fit_is_refused_for_the_first_entry_that_does_not(change: str, message: str) -> None:
    session = told("r5", "r2", "r7", "r9", "rs", hand="R5 R7 Y1 G+2 W4 B3 RS")
    before = state(session)
    with pytest.raises(UnoError) as caught:
        session.fix(change)
    assert str(caught.value).startswith(message)
    assert str(caught.value).count("\n") == 0
    assert state(session) == before


def test_a_later_entry_that_no_hidden_hand_allows_any_more_is_named() -> None:
    session = told("r5", "r2", "r7", "r9", "r8", "r6", hand="R5 R7 R8 G+2 W4 B3 RS")
    with pytest.raises(UnoError) as caught:
        session.fix("2 draw")
    assert str(caught.value) == (
        "entry 6 (opponent R6) no longer fits: the opponent can't have R6 by the moves before: at move 2 they drew "
        "though it would have fitted, and no card that they drew since can be it; nothing is changed: correct both at "
        "once, with ; 6 … after it"
    )


def test_several_corrections_at_once_may_need_each_other() -> None:
    session = told("r5", "r2", "r7", "r9", "rs")
    assert session.fix("1 r7; 3 r5") == "Corrected: entry 1 is R7, not R5; entry 3 is R5, not R7. All else fits."
    assert state(session) == state(told("r7", "r2", "r5", "r9", "rs"))


def test_what_was_told_first_is_corrected_too() -> None:
    session = told("r5", "r2")
    assert session.fix("hand R5 R7 Y1 G+2 W4 B3 B9") == "Corrected: hand is R5 R7 Y1 G+2 W4 B3 B9. All else fits."
    assert session.fix("top R0; 2 r3") == "Corrected: entry 2 is R3, not R2; top is R0. All else fits."
    again = told("r5", "r3", hand="R5 R7 Y1 G+2 W4 B3 B9", top="R0")
    assert state(session)[:2] == state(again)[:2]
    assert state(session)[3] == state(again)[3]


def test_answers_are_corrected_before_the_game_begins() -> None:
    session = Session(preset("house"), "heuristic", 1)
    with pytest.raises(UnoError, match="there is nothing to correct yet"):
        session.fix("hand r5")
    session.enter("me")
    session.enter(HAND)
    assert session.fix("first opponent") == "Corrected: first is opponent."
    session.enter("r1")
    assert session.question == "opponent"


def test_the_start_in_the_middle_is_corrected() -> None:
    session = Session(preset("house"), "heuristic", 1, middle=True)
    for text in ("me", "r5 r7 y1", "r3", "4", "60", "r1 b3", "r5", "draw"):
        session.enter(text)
    assert session.fix("opponent 6; played r1 b3 b4") == (
        "Corrected: opponent is 6; played is r1 b3 b4. All else fits."
    )
    assert session.advisor is not None
    seen = session.advisor.table.observation
    assert (seen.opponent_size, seen.draw_size, seen.hidden_played) == (7, 59, 35)
    with pytest.raises(
        UnoError, match=r"then pile 60 does not fit: the draw pile can't have 60 cards: the rest of the deck has 24"
    ):
        session.fix("opponent 80")
    with pytest.raises(UnoError, match="owed is not asked for here: turn, hand, top, opponent, pile, played can be"):
        session.fix("owed 2")
    with pytest.raises(UnoError, match=r"then owed is to be told too \(How many cards does the player to move owe"):
        session.fix("top r+2")
    assert session.fix("top r+2; owed 0; first me").startswith("Corrected: top is r+2; owed is 0; turn is me")


def test_any_entry_of_a_game_can_be_replaced_by_itself() -> None:
    game, chance = Game.new(preset("house"), seed=4), random.Random(1)
    session = begun(game, 0)
    for _ in range(14):
        game.apply(choose(game, chance))
        session.enter(typed(game.last_move, 0))
    before = state(session)
    for number, move in enumerate(game.moves, 1):
        session.fix(f"{number} {typed(move, 0)}")
        assert state(session) == before
