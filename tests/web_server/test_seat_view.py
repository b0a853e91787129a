"""A game as one seat is told of it: what a challenge brought to light."""

import random

import pytest

from tests.helpers import choose
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.game.actions import CHALLENGE
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.rules import preset
from uno_pomdp.web.seat_view import Moves, seen_json


@pytest.mark.parametrize("seat", SEATS)
def test_a_challenge_tells_the_hand_that_was_shown_its_colour_and_who_was_right(seat: int) -> None:
    """From both seats: the challenger has seen the hand, and the other player holds it."""
    found = set()
    for seed in range(40):
        game, chance = Game.new(preset("printed"), seed), random.Random(seed)
        truths: dict[int, dict[str, object]] = {}
        while not game.over and len(game.moves) < 60:
            if CHALLENGE in game.legal_actions():
                shown, seen = game.hand(1 - game.turn), game.observation(game.turn)
                assert seen.before is not None
                colour = COLOUR_NAMES[seen.before]
                right = any(card_name(card)[0] == colour[0].upper() for card in shown)
                sizes = [len(game.hand(each)) for each in SEATS]
                found.add((right, game.turn == seat))
                game.apply(CHALLENGE)
                drawn = sum(len(game.hand(each)) for each in SEATS) - sum(sizes)
                hand = [card_name(card) for card in shown]
                truths[len(game.moves)] = {"right": right, "colour": colour, "hand": hand, "drawn": drawn}
            else:
                game.apply(choose(game, chance))
        told = seen_json(game.history(seat), Moves())["moves"]
        assert {move["number"]: move["challenge"] for move in told if move["challenge"]} == truths
    assert found == {(right, own) for right in (True, False) for own in (True, False)}
