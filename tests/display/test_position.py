"""Games and observations as pictures: every card that may be seen, and none that may not."""

import random
from dataclasses import replace

import pytest
from hypothesis import given

from tests.display.reading import checked, said, texts, titles
from tests.game.test_observation import swap_hidden
from tests.helpers import any_rules, any_seed, do, play_out, start
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.game import Game
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.rules import Rules, preset

PILE = "R1 R2 R3 R4 R5 R6 W4 W4 R7 R8 R9 G1 G2"


def open_cards(markup: str) -> Cards:
    """Return all open cards of a picture."""
    found = []
    for title in titles(checked(markup)):
        name = title.split(",")[0]
        if name and " " not in name and ":" not in name:
            found.append(name)
    return Cards.parse(" ".join(found))


@given(any_rules(), any_seed)
def test_a_game_shows_both_hands_the_top_card_and_the_sizes_of_the_piles(rules: Rules, seed: int) -> None:
    game = play_out(Game.new(rules, seed), seed, at_most=seed % 40)
    markup = game._repr_svg_()
    top = game.played_pile[-1]
    assert open_cards(markup) == game.hand(0) + game.hand(1) + Cards.of([top])
    written = texts(checked(markup))
    assert f"{len(game.draw_pile)} to draw" in written
    assert f"{len(game.played_pile)} played" in written
    for seat in (0, 1):
        size = len(game.hand(seat))
        assert f"player {seat + 1}: {size} card{'s' * (size != 1)}" in written
    assert markup == game.copy()._repr_svg_()


@given(any_rules(), any_seed)
def test_an_observation_shows_the_own_hand_and_backs(rules: Rules, seed: int) -> None:
    game = play_out(Game.new(rules, seed), seed, at_most=seed % 40)
    for seat in (0, 1):
        seen = game.observation(seat)
        markup = seen._repr_svg_()
        assert open_cards(markup) == seen.hand + Cards.of([seen.top])
        shown = titles(checked(markup))
        assert f"{seen.opponent_size} hidden cards" in shown
        legal = {title.split(",")[0] for title in shown if title.endswith("legal")}
        assert legal == {card_name(action.card) for action in seen.legal_actions() if action.card is not None}


@pytest.mark.parametrize("name", ["house", "printed", "mini-12"])
def test_games_that_differ_in_hidden_cards_alone_look_the_same_to_a_seat(name: str) -> None:
    chance = random.Random(5)
    differ = 0
    for seed in range(20):
        for seat in (0, 1):
            one = Game.new(preset(name), seed)
            two = Game.from_deal(one.rules, swap_hidden(one.deal, seat, chance), seed=seed + 1)
            while not one.over:
                assert one.observation(seat)._repr_svg_() == two.observation(seat)._repr_svg_()
                differ += one._repr_svg_() != two._repr_svg_()
                try:
                    action = one.legal_actions()[0]
                    two.apply(action)
                except IllegalAction:
                    break  # from here on the hidden cards matter to what is seen
                one.apply(action)
                if one.observation(seat) != two.observation(seat):
                    break
    assert differ > 20


def test_whose_turn_it_is_and_what_is_owed() -> None:
    game = do(start("R0", "RS W W4 R+2", "G5 YR W B9", PILE), "W4:B")
    root = checked(game._repr_svg_())
    assert {"player 2 to move", "has to draw 4 cards", "B blue"} <= set(texts(root))
    assert "W4, declares blue" in titles(root)
    assert "active colour blue" in said(root)
    assert not [title for title in titles(root) if title.endswith("legal")]


def test_a_card_just_drawn_is_named_to_its_owner_alone() -> None:
    game = do(start("R0", "RS W W4 R+2", "G5 YR W B9", PILE, drawn_card="may_play", draw="optional"), "draw")
    assert "plays or keeps R1, just drawn" in texts(checked(game.observation(0)._repr_svg_()))
    assert "plays or keeps the card just drawn" in texts(checked(game.observation(1)._repr_svg_()))
    assert "R1" not in game.observation(1)._repr_svg_()


def test_how_a_game_ended() -> None:
    game = do(start("R0", "R1", "G5", "Y5"), "R1")
    assert "player 1 wins (emptied hand)" in texts(checked(game._repr_svg_()))
    assert "player 1: 0 cards" in texts(checked(game._repr_svg_()))


def test_an_observed_game_is_shown_as_its_seat_sees_it() -> None:
    game = Game.new(preset("house"), 3)
    deal = game.deal
    seen = ObservedGame(game.rules, 1, deal.hands[1], deal.top)
    assert seen._repr_svg_() == game.observation(1)._repr_svg_()


def test_another_colour_is_another_picture() -> None:
    seen = Game.new(preset("house"), 3).observation(0)
    assert seen._repr_svg_() != replace(seen, colour=(seen.colour + 1) % 4)._repr_svg_()
