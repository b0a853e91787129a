"""Observers' records: every true one is accepted, impossible ones are refused with the line and the reason."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.records import line_of
from tests.helpers import ALL_VARIANTS, DECKS, PAIRS_OF_VALUES, any_seed, do, play_out, rules_of, start
from uno_pomdp.cards import Cards
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.consistency import ConsistencyCheck
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import PRESETS, Rules, preset

# --- true records ----------------------------------------------------------------------------------------


def witnessed(game: Game) -> None:
    """Require that each seat's record is accepted, and that the witness always sees what the seat saw."""
    for seat in (0, 1):
        record = observed(record_of(game), seat)
        assert parse_record(format_record(record)) == record
        witness = ConsistencyCheck(record, seat)
        replayed = Game.from_deal(game.rules, game.deal, game.seed)
        assert witness.game.observation(seat) == replayed.observation(seat)
        for move, done in zip(record.moves, game.moves, strict=True):
            witness.follow(move)
            replayed.repeat(done)
            assert witness.game.observation(seat) == replayed.observation(seat)
            assert witness.game.events(seat) == replayed.events(seat)


PENALTIES: Final = ("many blacks", "all penalties")
"""Decks with many copies of few types and large penalties."""
TRUE_DECKS: Final = sorted(set(DECKS) - set(PENALTIES))


@pytest.mark.parametrize("deck", TRUE_DECKS)
def test_true_records_of_every_legal_combination_are_accepted(deck: str) -> None:
    place = TRUE_DECKS.index(deck)
    for number, variant in enumerate(ALL_VARIANTS[place :: len(TRUE_DECKS)]):
        witnessed(play_out(Game.new(rules_of(deck, variant), number), number, at_most=50))


@pytest.mark.parametrize("deck", TRUE_DECKS)
def test_true_records_of_every_deck_are_accepted(deck: str) -> None:
    for number, variant in enumerate(PAIRS_OF_VALUES):
        witnessed(play_out(Game.new(rules_of(deck, variant), number), number, at_most=50))


@pytest.mark.parametrize("name", PRESETS)
def test_true_records_of_every_preset_are_accepted(name: str) -> None:
    for seed in range(3):
        witnessed(play_out(Game.new(preset(name), seed), seed, at_most=150))


@given(st.sampled_from(TRUE_DECKS), st.sampled_from(ALL_VARIANTS), any_seed)
def test_any_true_record_is_accepted(deck: str, variant: dict[str, Any], seed: int) -> None:
    witnessed(play_out(Game.new(rules_of(deck, variant), seed), seed % 1000, at_most=80))


@pytest.mark.parametrize("deck", PENALTIES)
def test_true_records_with_large_penalties_are_accepted(deck: str) -> None:
    for number, variant in enumerate(ALL_VARIANTS[::5]):
        witnessed(play_out(Game.new(rules_of(deck, variant), number), number, at_most=60))


def test_a_penalty_of_cards_of_which_the_guess_has_some_in_the_pile_and_some_in_the_hand_is_accepted() -> None:
    witnessed(do(start("R0", "W4 B1 B2", "G1 G2 G3", "Y1 Y2 B1 B2"), "W4:R draw"))


def test_a_hand_that_is_known_exactly_is_no_obstacle() -> None:
    witnessed(do(start("R0", "Y1 Y2", "R1 G2"), "draw"))
    witnessed(do(start("R0", "R3 Y2 Y4", "R1 R2 G2"), "R3 R1 draw"))


# --- impossible ones -------------------------------------------------------------------------------------


def seen(
    moves: str,
    top: str = "R5",
    own: str = "R1 R2 Y3",
    hidden: str = "G1 G2 G3 B1 B2 R9",
    other: str = "3 hidden",
    pile: str = "3 hidden",
    result: str = "unfinished",
    seed: str = "hidden",
    **variant: Any,
) -> str:
    """Return a record of player 1; `hidden` are the cards of the deck that player 1 does not see."""
    rules = Rules(deck=Cards.parse(f"{top} {own} {hidden}"), hand_size=len(own.split()), **variant)
    text = format_record(observed(record_of(Game.new(rules, 0)), 0))
    lines = [
        *text.partition("seed: ")[0].splitlines(),
        f"seed: {seed}",
        "player 1: one",
        "player 2: two",
        f"top: {top}",
    ]
    lines += [f"hand 1: {own}", f"hand 2: {other}", f"draw pile: {pile}", *moves.splitlines(), f"result: {result}"]
    return "\n".join(lines)


def test_a_record_made_by_hand_is_accepted() -> None:
    first = "1. player 1: R1\n2. player 2: B1\n3. player 1: draw G2\n"
    text = seen(f"{first}4. player 2: B2\n5. player 1: G2\n6. player 2: draw 1 hidden")
    assert parse_record(text).observer == 0


REDS: Final = {"own": "R1 R2 R3", "hidden": "R4 R6 R7 R8 R9 RS"}
WILDS: Final = {"own": "R1 W W W W", "hidden": "G1 G2 G3 B1 B2 R9 B9", "other": "5 hidden", "pile": "2 hidden"}
RESORT: Final = {"own": "R1 Y3 Y4", "hidden": "R2 R3 R4 R6 R7 W4", "wild_four": "last_resort"}
EMPTY: Final = {"own": "R1 R2 Y3", "hidden": "R3 R4 G9", "pile": "0 hidden"}
FOUR_PLAYS: Final = "1. player 1: R1\n2. player 2: R3\n3. player 1: R2\n4. player 2: R4\n"

IMPOSSIBLE: Final[list[tuple[str, str, int, str]]] = [
    (
        "a fifth wild",
        seen("1. player 1: R1\n2. player 2: W:R", **WILDS),
        2,
        "W can't be played: every one is seen elsewhere",
    ),
    (
        "a draw although everything unseen is playable",
        seen("1. player 1: R1\n2. player 2: draw 1 hidden", **REDS),
        2,
        "player 2 can't do that: it must hold a playable card",
    ),
    (
        "a last resort although all else has the active colour",
        seen("1. player 1: R1\n2. player 2: W4:R", **RESORT),
        2,
        "player 2 can't do that: it must hold a card of the active colour",
    ),
    ("a card of the own hand", seen("1. player 1: R1\n2. player 2: R2"), 2, "R2 can't be played: every one is seen"),
    ("a card that lies there", seen("1. player 1: R1\n2. player 2: R5"), 2, "R5 can't be played: every one is seen"),
    ("a card that is in no deck", seen("1. player 1: R1\n2. player 2: R8"), 2, "R8 can't be played: every one is"),
    ("a card that does not match", seen("1. player 1: R1\n2. player 2: G2"), 2, "player 2 can't play G2 on R1 (red)"),
    ("an own card that does not match", seen("1. player 1: Y3"), 1, "player 1 can't play Y3 on R5 (red)"),
    ("an own card that is not held", seen("1. player 1: R9"), 1, "player 1 does not hold R9"),
    ("an own draw with a playable card", seen("1. player 1: draw G1"), 1, "player 1 can't draw on R5 (red)"),
    (
        "a card drawn that is seen elsewhere",
        seen("1. player 1: draw R5", own="Y1 Y2 Y3"),
        1,
        "R5 can't be drawn: every one is seen elsewhere",
    ),
    (
        "an own draw without the cards",
        seen("1. player 1: draw 1 hidden", own="Y1 Y2 Y3"),
        1,
        "player 1 saw the cards drawn here: they have to be named",
    ),
    (
        "two cards drawn instead of one",
        seen("1. player 1: draw G1 G2", own="Y1 Y2 Y3"),
        1,
        "the cards drawn here are G1, not G1 G2",
    ),
    (
        "another number of cards drawn for a penalty",
        seen("1. player 1: R+2\n2. player 2: draw 1 hidden", own="R+2 R2 Y3"),
        2,
        "the draw here is of 2 cards, not 1",
    ),
    (
        "a play under a penalty",
        seen("1. player 1: R+2\n2. player 2: R9", own="R+2 R2 Y3"),
        2,
        "with 2 cards to draw: legal is draw",
    ),
    ("keeping nothing", seen("1. player 1: R1\n2. player 2: keep"), 2, "player 2 can't keep on R1 (red)"),
    ("the wrong player", seen("1. player 1: R1\n2. player 1: R2"), 2, "it is player 2's turn, not player 1's"),
    ("a reshuffle not needed", seen("1. player 1: R1\nreshuffle: 1 hidden\n2. player 2: draw 1 hidden"), 3, "reshuff"),
    ("a missing reshuffle", seen(f"{FOUR_PLAYS}5. player 1: draw R5", **EMPTY), 5, "R5 can't be drawn: every one"),
    (
        "another number of cards reshuffled",
        seen(f"{FOUR_PLAYS}reshuffle: 3 hidden\n5. player 1: draw R5", **EMPTY),
        6,
        "the reshuffled pile has 4 cards",
    ),
    (
        "a card reshuffled that was never played",
        seen(f"{FOUR_PLAYS}reshuffle: 4 hidden\n5. player 1: draw G9", **EMPTY),
        6,
        "G9 can't be drawn: every one is seen elsewhere",
    ),
    ("another result", seen("1. player 1: R1", result="player 1 wins (emptied hand)"), 2, "the result is unfinished"),
    (
        "a move after the end",
        seen("1. player 1: R1\n2. player 2: R9", own="R1", other="1 hidden", pile="5 hidden"),
        2,
        "the game is over, player 1 wins (emptied hand)",
    ),
    ("the seed", seen("", seed="7"), -6, "the seed is a number in a whole record and 'hidden' in an observer's"),
    (
        "the own hand hidden",
        seen("", own="R1 R2 Y3").replace("hand 1: R1 R2 Y3", "hand 1: 3 hidden"),
        0,
        "sees its own",
    ),
    ("the other hand shown", seen("", other="G1 G2 G3"), 0, "player 1 sees its own hand and no other cards"),
    ("the pile shown", seen("", pile="B1 B2 R9"), 0, "player 1 sees its own hand and no other cards at the deal"),
    ("too many hidden cards", seen("", pile="4 hidden"), 0, "3 and 4 hidden cards, but 6 are unseen"),
    ("hands of different size", seen("", other="2 hidden", pile="4 hidden"), 0, "player 2 is dealt 2 cards, but the"),
    (
        "a card that the deck has not got",
        seen("").replace("hand 1: R1 R2 Y3", "hand 1: R1 R1 Y3"),
        0,
        "the deck does not have these cards: can't take 2 R1 from cards that hold 1",
    ),
    (
        "a black first card",
        seen("", hidden="G1 G2 G3 B1 B2 W").replace("top: R5", "top: W"),
        0,
        "has to be a coloured",
    ),
]
"""What can't be, the record of player 1, how many lines below its draw pile to blame, and what the sentence says."""


@pytest.mark.parametrize(("text", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE])
def test_an_impossible_record_is_refused_with_its_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(InvalidRecord) as caught:
        parse_record(text)
    assert (caught.value.line - line_of(text, "draw pile: "), reason in caught.value.reason) == (line, True), (
        caught.value
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(seen("1. player 1: R1\n2. player 2: draw R9"), id="the card that the other player drew"),
        pytest.param(
            seen(f"{FOUR_PLAYS}reshuffle: R5 R3 R2 R1\n5. player 1: draw R5", **EMPTY), id="the reshuffled order"
        ),
        pytest.param(
            seen(f"{FOUR_PLAYS}reshuffle: W W4 B9\n5. player 1: draw R5", **EMPTY), id="cards that are not there"
        ),
    ],
)
def test_a_record_that_tells_more_than_its_observer_saw_is_refused(text: str) -> None:
    with pytest.raises(InvalidRecord):
        parse_record(text)
