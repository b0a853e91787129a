"""Positions of the OpenSpiel game without the kit: chance names each card, and seats are told what they are told."""

from random import Random

import pytest

from tests.helpers import SMALL_RULES
from uno_pomdp.adapters.spiel.position import Position, start
from uno_pomdp.adapters.spiel.resampling import observed_game, sampled_game
from uno_pomdp.cards import CardType
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import opening, tokens_told
from uno_pomdp.game.layout import SEATS
from uno_pomdp.rules import Rules

UNTIL = "mini-12,draw=until_playable"
CUT = "mini-12,draw=until_playable,reshuffle=yes,hand_size=4"
RULES = ("house", "printed", "party", UNTIL, CUT)


def played(rules: str, seed: int, moves: int) -> Game:
    """Return a game after some random moves, fewer if it ends."""
    chance, game = Random(seed), Game.new(Rules.parse(rules), seed)
    while not game.over and len(game.moves) < moves:
        game.apply(chance.choice(game.legal_actions()))
    return game


def named(here: Position, rules: Rules, cards: tuple[CardType, ...]) -> Position:
    """Return the position after chance has named these cards, each of which has to be possible."""
    for card in cards:
        assert here.of_chance
        assert card in dict(here.outcomes(rules))
        here = here.after_card(rules, card)
    return here


def followed(game: Game) -> Position:
    """Return a game as a position: chance names cards that are drawn together in order of type."""
    rules = game.rules
    here = named(start(rules), rules, (game.deal.top, *game.deal.hands[0], *game.deal.hands[1]))
    for move in game.moves:
        here = here.after_action(move.action.id)
        here = named(here, rules, move.cards if here.of_chance and here.draws_until else tuple(sorted(move.cards)))
        assert not here.of_chance
    return here


@pytest.mark.parametrize("rules", [str(rules) for rules in SMALL_RULES.values()], ids=SMALL_RULES)
def test_both_seats_are_told_the_same_under_all_rules(rules: str) -> None:
    for seed in range(6):
        game = played(rules, seed, 60)
        here = followed(game)
        for seat in SEATS:
            assert list(here.told[seat]) == opening(game.history(seat).first) + tokens_told(game.events(seat), seat)
            assert here.observation(seat) == game.observation(seat)


@pytest.mark.parametrize("rules", RULES)
def test_both_seats_are_told_what_they_are_told_in_a_game(rules: str) -> None:
    cut = 0
    for seed in range(40):
        game = played(rules, seed, 60)
        here = followed(game)
        cut += any(0 < move.first < len(move.drawn) for move in game.moves)
        for seat in SEATS:
            assert list(here.told[seat]) == opening(game.history(seat).first) + tokens_told(game.events(seat), seat)
            assert here.observation(seat) == game.observation(seat)
    assert (cut > 3) == (rules == CUT), cut


@pytest.mark.parametrize("rules", RULES)
def test_a_resampled_game_is_one_that_the_seat_can_not_tell_from_its_own(rules: str) -> None:
    """Chance can name its cards in the order given: a draw until a card is playable ends with that card."""
    long = 0
    for seed in range(30):
        game = played(rules, seed, 2 + seed % 9)
        if game.over:
            continue
        here = followed(game)
        for seat in SEATS:
            assert observed_game(game.rules, here.told[seat]).observation == game.observation(seat)
            for draw in range(4):
                dealt, chosen = sampled_game(game.rules, here.told[seat], draw)
                other = named(start(game.rules), game.rules, tuple(dealt))
                for action, cards in chosen:
                    other = other.after_action(action)
                    until = other.of_chance and other.draws_until
                    long += until and len(cards) > 1
                    other = named(other, game.rules, cards if until else tuple(sorted(cards)))
                assert other.told[seat] == here.told[seat]
    assert (long > 20) == (rules in ("party", UNTIL, CUT)), long
