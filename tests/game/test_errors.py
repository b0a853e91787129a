"""What is refused when a game is made or moved, and the sentence that says why."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.kernels.random_games import play_random_games
from tests.helpers import deal_of, do, start
from uno_pomdp.cards import Cards, parse_card
from uno_pomdp.errors import GameOver, IllegalAction, InvalidCard, InvalidDeal, InvalidRecord, InvalidSeed, UnoError
from uno_pomdp.game.actions import ACTIONS, DRAW, KEEP, Action
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.rules import Rules, preset

SMALL = Rules(deck=Cards.parse("R5 Y1 Y2 G3 R4 R9 B8 W"), hand_size=2)


def refused(game: Game, action: str, message: str) -> None:
    """Require that an action is refused with exactly this sentence."""
    with pytest.raises(IllegalAction, match=f"^{re.escape(message)}$"):
        game.apply(Action.parse(action))


# --- actions as text -------------------------------------------------------------------------------------


def test_there_are_63_actions_with_texts_of_their_own() -> None:
    assert len(ACTIONS) == len({str(action) for action in ACTIONS}) == 63
    for number, action in enumerate(ACTIONS):
        assert action.id == number
        assert Action.parse(str(action)) is action
        assert Action.parse(f" {str(action).upper()} ") is action
        assert eval(repr(action)) == action


def test_actions_say_the_card_they_play_and_the_colour_they_declare() -> None:
    red_five = Action.parse("R5")
    assert (red_five.card, red_five.colour) == (parse_card("R5"), 0)
    wild = Action.parse("W4:b")
    assert (wild.card, wild.colour) == (parse_card("W4"), 3)
    assert Action.play(parse_card("W4"), 3) is Action.parse("W4:blue") is wild
    assert Action.play(parse_card("R5")) is red_five
    assert [(action.card, action.colour) for action in (DRAW, KEEP)] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R", "'r' is no card: write a colour"),
        ("pass", "'pass' is no card: write a colour"),
        ("", "'' is no card: write a colour"),
        ("W", "W declares a colour, as in W:R"),
        ("W4", "W4 declares a colour, as in W4:R"),
        ("W:", "'' is no colour: write red"),
        ("W:X", "'x' is no colour: write red"),
        ("R5:R", "R5 has its own colour and declares no other"),
    ],
)
def test_a_text_that_names_no_action_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidCard, match=re.escape(message)):
        Action.parse(text)


# --- moves -----------------------------------------------------------------------------------------------


def test_a_card_that_is_not_in_hand_is_refused() -> None:
    game = start("R5", "R1 Y2", "R3 R4", "R9")
    refused(game, "R3", "player 1 does not hold R3: legal is R1")
    refused(do(game, "R1"), "W:R", "player 2 does not hold W: legal is R3, R4")


def test_a_card_that_does_not_match_is_refused() -> None:
    game = start("R5", "R1 W Y2", "R3 R4 Y3", "R9")
    refused(game, "Y2", "player 1 can't play Y2 on R5 (red): legal is R1, W:R, W:Y")
    refused(do(game, "W:Y"), "R3", "player 2 can't play R3 on W (yellow): legal is Y3")


def test_a_colour_that_is_not_in_the_deck_is_refused() -> None:
    refused(start("R5", "R1 W", "R3 R4"), "W:B", "W:B declares a colour that is not in the deck: legal is R1, W:R")


def test_a_wild_four_that_is_no_last_resort_is_refused() -> None:
    game = start("R5", "R1 W4", "R3 R4", wild_four="last_resort")
    refused(game, "W4:R", "player 1 can't play W4:R on R5 (red): legal is R1")


def test_a_draw_with_a_playable_card_is_refused() -> None:
    refused(start("R5", "R1 Y2", "R3 R4", "R9"), "draw", "player 1 can't draw on R5 (red): legal is R1")


def test_keeping_without_a_drawn_card_is_refused() -> None:
    refused(start("R5", "Y1 Y2", "R3 R4", "R9"), "keep", "player 1 can't keep on R5 (red): legal is draw")


def test_anything_but_the_draw_of_a_penalty_is_refused() -> None:
    game = do(start("R5", "R+2 Y2", "R3 R+2", "R9 R8"), "R+2")
    message = "player 2 can't {} on R+2 (red) with 2 cards to draw: legal is draw"
    refused(game, "R+2", message.format("play R+2"))
    refused(game, "keep", message.format("keep"))


def test_playing_another_card_than_the_one_just_drawn_is_refused() -> None:
    game = start("R5", "R1 Y2", "R3 R4", "R9", drawn_card="may_play", draw="optional")
    refused(do(game, "draw"), "R1", "player 1 can't play R1 on R5 (red): legal is R9, keep")


@pytest.mark.parametrize("action", ["R1", "draw", "keep", "R2"])
def test_moves_after_the_end_are_refused_with_the_ending(action: str) -> None:
    game = do(start("R5", "R1", "R2"), "R1")
    message = f"{action} can't be done: the game is over, player 1 wins (emptied hand)"
    with pytest.raises(GameOver, match=f"^{re.escape(message)}$"):
        game.apply(Action.parse(action))
    with pytest.raises(GameOver, match="the game is over"):
        game.apply_with_order(DRAW, [])


# --- seeds, seats, deals ---------------------------------------------------------------------------------


def test_the_smallest_and_the_largest_seed_are_dealt() -> None:
    assert Game.new(preset("house"), 0).deal != Game.new(preset("house"), 2**64 - 1).deal


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_does_not_exist_is_refused(seat: int) -> None:
    game = Game.new(preset("mini-7"), 1)
    message = f"there is no seat {seat}: player 1 sits at seat 0, player 2 at seat 1"
    with pytest.raises(IllegalAction, match=message):
        game.observation(seat)
    with pytest.raises(IllegalAction, match=message):
        game.hand(seat)


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        (("R5", "Y1", "G3 R4", "R9 B8 W Y2"), "player 1 is dealt 1 card, but the rules say 2"),
        (("R5", "Y1 Y2", "G3 R4 W", "R9 B8"), "player 2 is dealt 3 cards, but the rules say 2"),
        (("W", "Y1 Y2", "G3 R4", "R9 B8 R5"), "the first top card is W, but it has to be a coloured card"),
        (("R5", "Y1 Y2", "G3 R4", "R9 B8"), "W is dealt 0 times, but the deck has 1"),
        (("R5", "Y1 Y2", "G3 R4", "R9 B8 W W"), "W is dealt 2 times, but the deck has 1"),
        (("R5", "Y1 Y1", "G3 R4", "R9 B8 W"), "Y1 is dealt 2 times, but the deck has 1"),
        (("R5", "Y1 G9", "G3 R4", "R9 B8 W"), "Y2 is dealt 0 times, but the deck has 1"),
    ],
)
def test_cards_that_are_no_deal_of_the_deck_are_refused(deal: tuple[str, str, str, str], message: str) -> None:
    with pytest.raises(InvalidDeal, match=message):
        Game.from_deal(SMALL, deal_of(*deal))


def test_a_pile_with_a_number_that_is_no_card_is_refused() -> None:
    deal = deal_of("R5", "Y1 Y2", "G3 R4", "R9 B8 W")
    with pytest.raises(UnoError, match="77 is no card type"):
        Game.from_deal(SMALL, Deal(deal.top, deal.hands, (77, *deal.pile[1:])))


def test_an_invalid_record_says_its_line() -> None:
    assert str(InvalidRecord("no deal")) == "no deal"
    error = InvalidRecord("no deal", line=3)
    assert (str(error), error.line) == ("line 3: no deal", 3)


@pytest.mark.parametrize(("card", "colour", "message"), [(99, None, "99 is no card type"), (52, 5, "5 is no colour")])
def test_an_action_of_no_card_or_no_colour_is_refused(card: int, colour: int | None, message: str) -> None:
    with pytest.raises(InvalidCard, match=message):
        Action.play(card, colour)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_a_deal_seed_is_a_whole_number_of_64_bits(seed: Any) -> None:
    with pytest.raises(InvalidSeed, match=r"is no deal seed: give a whole number from 0 to 2\^64 - 1"):
        Game.new(preset("house"), seed)


def test_a_deal_with_a_card_that_does_not_exist_is_refused() -> None:
    deal = Game.new(preset("mini-7"), 1).deal
    with pytest.raises(InvalidCard, match="60 is no card type"):
        Game.from_deal(preset("mini-7"), replace(deal, top=60))


def test_a_guess_has_to_place_the_hidden_cards_and_nothing_else() -> None:
    game = Game.new(preset("mini-7"), 1)
    with pytest.raises(InvalidDeal, match="a guess has to place the same hidden cards"):
        game.guess(1, game.hand(0), game.draw_pile)
    with pytest.raises(InvalidDeal, match="a card just drawn is in the hand of the player who decides about it"):
        game.guess(1, game.hand(1), game.draw_pile, drawn=50)


def test_events_are_those_of_a_seat_that_exists() -> None:
    with pytest.raises(IllegalAction, match="there is no seat 7"):
        Game.new(preset("mini-7"), 1).events(7)


def test_a_batch_refuses_seats_arrays_and_seeds_that_do_not_fit() -> None:
    batch = Batch.deal(preset("mini-7"), 3, seed=1)
    with pytest.raises(IllegalAction, match="there is no seat 5"):
        batch.observe(5)
    with pytest.raises(IllegalAction, match=r"out has to be a boolean array of shape \(3, 63\)"):
        batch.legal_masks(np.zeros((2, 64), np.bool_))
    with pytest.raises(IllegalAction, match="actions are whole numbers, not float64"):
        batch.step(np.zeros(3))  # type: ignore[arg-type]  # that is the point
    with pytest.raises(InvalidSeed, match="-1 is no seed"):
        Batch.deal(preset("mini-7"), 3, seed=-1)


def test_counts_are_whole_numbers() -> None:
    with pytest.raises(InvalidCard, match="counts of cards are whole numbers"):
        Cards.from_counts([1.5] * 54)  # type: ignore[list-item]  # that is the point


def test_random_games_need_a_number_of_games() -> None:
    with pytest.raises(InvalidDeal, match="-1 games can't be played"):
        play_random_games(preset("mini-7"), -1, seed=1)
