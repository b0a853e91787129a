"""The rules page, sentence by sentence, in positions made for each."""

from typing import Any

import pytest

from tests.helpers import cards, do, legal, start
from uno_pomdp.cards import Cards
from uno_pomdp.game.outcome import Outcome, Reason

WON = Outcome(0, Reason.EMPTIED_HAND)


# --- what is playable ------------------------------------------------------------------------------------


def test_a_card_is_playable_by_colour_by_rank_or_if_it_is_black() -> None:
    game = start("R5", "R1 Y5 Y1 W W4 GS B+2", "Y2 Y2 Y2 Y2 Y2 Y2 Y2")
    assert legal(game) == "R1 Y5 W:R W:Y W:G W:B W4:R W4:Y W4:G W4:B"


@pytest.mark.parametrize("rank", ["S", "R", "+2", "0"])
def test_ranks_match_across_colours_and_not_otherwise(rank: str) -> None:
    ranks = ["S", "R", "+2", "0"]
    hand = " ".join(f"B{other}" for other in ranks)
    assert legal(start(f"R{rank}", hand, "Y1 Y1 Y1 Y1")) == f"B{rank}"


@pytest.mark.parametrize("top", ["RS", "RR", "R+2"])
def test_the_first_top_card_has_no_effect(top: str) -> None:
    game = start(top, "R1 Y1", "R3 Y3", "Y7")
    assert game.turn == 0
    assert legal(game) == "R1"


def test_after_a_black_card_the_declared_colour_counts_and_no_rank() -> None:
    game = do(start("R5", "W R1 R2", "G7 R7 Y3", "B0"), "W:G")
    assert legal(game) == "G7"
    assert game.observation(1).colour == 2


@pytest.mark.parametrize("draw", ["forced", "optional"])
def test_with_a_playable_card_drawing_is_legal_only_if_it_is_optional(draw: str) -> None:
    assert legal(start("R5", "R1 Y1", "G7 G8", "B0", draw=draw)) == {"forced": "R1", "optional": "R1 draw"}[draw]


@pytest.mark.parametrize(
    ("pile", "reshuffle", "expected"),
    [("B0", "yes", "R2 draw"), ("B0", "no", "R2 draw"), ("", "yes", "R2 draw"), ("", "no", "R2")],
)
def test_an_optional_draw_is_legal_if_the_card_can_be_drawn(pile: str, reshuffle: str, expected: str) -> None:
    game = start("R5", "R1 R2 Y1", "R7 G8 Y9", pile, draw="optional", reshuffle=reshuffle)
    assert legal(do(game, "R1 R7")) == expected


def test_an_optional_draw_is_not_legal_when_only_the_top_card_has_been_played() -> None:
    assert legal(start("R5", "R1 R2", "R7 G8", draw="optional")) == "R1 R2"


def test_black_cards_declare_only_colours_of_the_deck() -> None:
    assert legal(start("Y5", "W W4", "G7 G8")) == "W:Y W:G W4:Y W4:G"
    assert legal(start("B5", "W W4", "B7 B8")) == "W:B W4:B"


def test_last_resort_forbids_a_wild_four_with_the_active_colour_in_hand() -> None:
    assert legal(start("R5", "R1 W4", "R7 R8", wild_four="last_resort")) == "R1"
    assert legal(start("R5", "R1 W4", "R7 R8", wild_four="always")) == "R1 W4:R"


def test_last_resort_allows_a_wild_four_with_only_the_rank_or_a_wild_beside_it() -> None:
    assert legal(start("R5", "Y5 W4", "Y7 Y8", wild_four="last_resort")) == "Y5 W4:R W4:Y"
    assert legal(start("R5", "W W4", "R7 R8", wild_four="last_resort")) == "W:R W4:R"


def test_last_resort_counts_the_declared_colour_not_the_colour_of_the_card_below() -> None:
    game = do(start("R5", "W R1 R2", "R7 W4 Y1", "R0", wild_four="last_resort"), "W:Y")
    assert legal(game) == "Y1"
    game = do(start("R5", "W R1 R2", "R7 W4 Y1", "R0", wild_four="last_resort"), "W:R")
    assert legal(game) == "R7"


# --- drawing ---------------------------------------------------------------------------------------------


def test_with_nothing_playable_one_card_is_drawn_and_the_turn_passes_even_if_it_could_be_played() -> None:
    game = start("R5", "Y1 Y2", "G3 R4", "R9 B8")
    assert legal(game) == "draw"
    do(game, "draw")
    assert game.turn == 1
    assert game.hand(0) == Cards.parse("Y1 Y2 R9")
    assert game.draw_pile == cards("B8")


@pytest.mark.parametrize(
    ("drawn", "expected"), [("R9", "R9 keep"), ("Y5", "Y5 keep"), ("G9", "keep"), ("W", "W:R W:Y W:G keep")]
)
def test_after_a_draw_of_one_the_drawer_plays_that_very_card_or_keeps_it(drawn: str, expected: str) -> None:
    game = do(start("R5", "Y1 Y2", "G3 R4", f"{drawn} R0", drawn_card="may_play"), "draw")
    assert game.turn == 0
    assert legal(game) == expected
    do(game, "keep")
    assert game.turn == 1
    assert legal(game) == "R4"


def test_after_a_voluntary_draw_only_the_drawn_card_may_be_played() -> None:
    game = start("R5", "R1 R2", "G3 R4", "R9 R0", drawn_card="may_play", draw="optional")
    assert legal(game) == "R1 R2 draw"
    do(game, "draw")
    assert legal(game) == "R9 keep"
    assert legal(do(game, "R9")) == "R4 draw"


def test_a_drawn_wild_four_is_a_last_resort_too() -> None:
    variant: dict[str, Any] = {"drawn_card": "may_play", "wild_four": "last_resort", "draw": "optional"}
    assert legal(do(start("R5", "R1 Y2", "R3 R4", "W4", **variant), "draw")) == "keep"
    assert legal(do(start("R5", "Y1 Y2", "R3 R4", "W4", **variant), "draw")) == "W4:R W4:Y keep"


def test_a_drawn_copy_of_a_card_in_hand_is_played_once() -> None:
    game = do(start("R5", "Y1 Y1", "R3 R4", "R1 Y9", drawn_card="may_play"), "draw R1")
    assert game.hand(0) == Cards.parse("Y1 Y1")


# --- effects ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", ["S", "R"])
def test_skip_and_reverse_let_the_same_player_move_again_or_just_pass_the_turn(rank: str) -> None:
    assert do(start("R5", f"R{rank} R1", "R7 R8"), f"R{rank}").turn == 0
    assert do(start("R5", f"R{rank} R1", "R7 R8", skip="pass"), f"R{rank}").turn == 1


@pytest.mark.parametrize("skip", ["again", "pass"])
def test_a_skip_that_was_just_drawn_has_its_effect(skip: str) -> None:
    game = do(start("R5", "Y1 Y2", "R7 R8", "RS R0", drawn_card="may_play", skip=skip), "draw RS")
    assert game.turn == (0 if skip == "again" else 1)


@pytest.mark.parametrize(("card", "owed"), [("R+2", 2), ("W4:R", 4)])
@pytest.mark.parametrize("drawn_card", ["keep", "may_play"])
@pytest.mark.parametrize("draw", ["forced", "optional"])
def test_a_penalty_is_drawn_whole_then_the_turn_passes(card: str, owed: int, drawn_card: str, draw: str) -> None:
    pile = "R0 R9 R8 R7 R6"
    game = start("R5", "R+2 W4 R1", "R3 R+2 W4", pile, drawn_card=drawn_card, draw=draw)
    do(game, card)
    assert (game.turn, legal(game)) == (1, "draw")
    assert game.observation(1).penalty == owed
    do(game, "draw")
    assert game.turn == 0
    assert game.observation(0).penalty == 0
    assert game.hand(1) == Cards.parse("R3 R+2 W4 " + " ".join(pile.split()[:owed]))
    assert "R1" in legal(game)


def test_a_top_card_whose_penalty_is_paid_asks_for_no_other() -> None:
    game = do(start("R5", "R+2 Y1 Y3", "Y7 Y8 Y9", "B0 B1 B2 B3"), "R+2 draw draw")
    assert game.turn == 1
    assert game.observation(1).penalty == 0


@pytest.mark.parametrize("last", ["RS", "RR", "R+2", "W4:R", "R7", "W:R"])
@pytest.mark.parametrize("skip", ["again", "pass"])
def test_an_empty_hand_wins_at_once_before_any_effect(last: str, skip: str) -> None:
    game = do(start("R5", last.split(":")[0], "R0", "R1 R2 R3 R4", skip=skip), last)
    assert game.outcome == WON
    assert game.over
    assert legal(game) == ""
    assert game.observation(1).penalty == 0
    assert len(game.hand(1)) == 1


def test_a_card_just_drawn_can_win_only_by_emptying_the_hand() -> None:
    game = do(start("R5", "Y1", "Y2", "R1 R2 R3", drawn_card="may_play"), "draw R1")
    assert game.outcome is None


# --- reshuffles and the end of the deck ------------------------------------------------------------------


def test_a_reshuffle_sends_back_all_but_the_top_card_and_loses_nothing() -> None:
    game = do(start("R1", "R2 R4 Y7", "R3 R5 Y8"), "R2 R3 R4 R5 draw")
    assert game.played_pile == cards("R5")
    assert Cards.of(game.draw_pile) + game.hand(0) + game.hand(1) == Cards.parse("R1 R2 R3 R4 Y7 Y8")
    assert (len(game.hand(0)), game.turn) == (2, 1)


def test_what_was_left_of_the_draw_pile_is_shuffled_in() -> None:
    orders = set()
    for seed in range(60):
        game = do(start("R1", "R2 R+2 Y7", "R3 Y8 Y9", "G9", seed=seed), "R2 R3 R+2 draw")
        (order,) = [move.order for move in game.moves if move.reshuffled is not None]
        assert Cards.of(order) == Cards.parse("G9 R1 R2 R3")
        orders.add(order.index(cards("G9")[0]))
    assert orders == {0, 1, 2, 3}


def test_there_is_no_reshuffle_while_the_draw_pile_suffices() -> None:
    game = do(start("R1", "R+2 Y7", "Y8 Y9", "G9 G8"), "R+2 draw")
    assert game.played_pile == cards("R1 R+2")
    assert game.draw_pile == ()
    assert game.moves[-1].reshuffled is None


@pytest.mark.parametrize("reshuffle", ["yes", "no"])
def test_a_penalty_that_can_not_be_drawn_whole_ends_the_game_and_no_card_is_drawn(reshuffle: str) -> None:
    game = do(start("R1", "W4 Y7", "Y8 Y9", "G9 G8", reshuffle=reshuffle), "W4:R draw")
    assert game.outcome == Outcome(0, Reason.DECK_EXHAUSTED)
    assert game.hand(1) == Cards.parse("Y8 Y9")
    assert len(game.draw_pile) == (3 if reshuffle == "yes" else 2)
    assert game.turn == 1


def test_without_reshuffle_a_draw_from_an_empty_pile_ends_the_game() -> None:
    game = do(start("R1", "R2 Y7", "R3 Y8", reshuffle="no"), "R2 R3 draw")
    assert game.outcome == Outcome(None, Reason.DECK_EXHAUSTED)


@pytest.mark.parametrize(
    ("first", "second", "moves", "winner", "result"),
    [
        ("R2 G8 G9", "Y7 Y8 Y9", "R2 draw draw draw", 0, 1),
        ("G7 G8 G9", "R3 R4 Y9", "draw R3 draw R4 draw", 1, -1),
        ("R2 G8 G9", "R3 Y8 Y9", "R2 R3 draw draw draw", None, 0),
    ],
)
def test_at_the_end_of_the_deck_fewer_cards_win_and_equal_hands_are_a_draw(
    first: str, second: str, moves: str, winner: int | None, result: int
) -> None:
    game = do(start("R1", first, second, "B7 B8", reshuffle="no"), moves)
    assert game.outcome == Outcome(winner, Reason.DECK_EXHAUSTED)
    assert [game.outcome.result(seat) for seat in (0, 1)] == [result, -result]
    assert game.outcome.result() == result


def test_a_deal_without_a_draw_pile_ends_at_the_first_draw() -> None:
    assert do(start("R1", "Y2", "Y3"), "draw").outcome == Outcome(None, Reason.DECK_EXHAUSTED)


def test_every_ending_has_a_reason_in_words() -> None:
    assert str(WON) == "player 1 wins (emptied hand)"
    assert str(Outcome(1, Reason.DECK_EXHAUSTED)) == "player 2 wins (deck exhausted)"
    assert str(Outcome(None, Reason.DECK_EXHAUSTED)) == "draw (deck exhausted)"
