"""Complete worlds: all that is seen, the hidden hand as given, the rest a shuffled draw pile."""

import random
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from tests.helpers import DECKS, VARIANTS, cards, choose, do, named, rules_of, start
from uno_pomdp.beliefs.worlds import fill_worlds, world_template
from uno_pomdp.cards import CARD_TYPES, NO_CARDS, Cards
from uno_pomdp.game.bindings import legal_one, observe_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NO_CARD, OBSERVATION, SEATS, States, cards_of
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.rng import seeds
from uno_pomdp.rules import preset

NOTHING_DRAWN = np.array([NO_CARD], np.uint8)


def rows(hand: Cards, count: int = 1) -> npt.NDArray[np.uint8]:
    """Return the same hand several times as rows of counts."""
    return np.tile(hand.array(), (count, 1))


def seen_in(world: States, seat: int) -> Observation:
    """Return what a seat sees of a world."""
    record = np.zeros(1, OBSERVATION)
    observe_one(record, world, seat)
    return observation_of(record)


def pile_of(world: np.void) -> list[int]:
    """Return the draw pile of a world, next card first."""
    pile: list[int] = world["draw_pile"][: world["draw_size"]].tolist()
    return pile[::-1]


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_the_true_hand_gives_the_true_game_but_for_the_order_of_the_piles(variant: dict[str, str]) -> None:
    for deck in DECKS:
        game, chance = Game.new(rules_of(deck, variant), 5), random.Random(5)
        for number in range(60):
            for seat in SEATS if number % 4 == 0 or game.over else ():
                check_true_world(game, seat, number)
            if game.over:
                break
            game.apply(choose(game, chance))


def check_true_world(game: Game, seat: int, number: int) -> None:
    """Fill in what is really hidden from a seat, and compare the world with the game."""
    seen, true = game.observation(seat), game.to_state()[0]
    opponent_decides = game.drawn is not None and game.turn != seat
    drawn = np.array([game.drawn if opponent_decides else NO_CARD], np.uint8)
    worlds = fill_worlds(world_template(game.rules, seen), 1 - seat, rows(game.hand(1 - seat)), drawn, seeds(number, 1))
    world = worlds[0]
    for field in true.dtype.names or ():
        if field not in ("draw_pile", "played", "rng"):
            np.testing.assert_array_equal(world[field], true[field], err_msg=f"{field}, seat {seat}, action {number}")
    assert Cards.of(pile_of(world)) == Cards.of(game.draw_pile)
    assert Cards.of(world["played"][: world["played_size"]].tolist()) == Cards.of(game.played_pile)
    assert world["played"][world["played_size"] - 1] == game.played_pile[-1]
    assert int(legal_one(worlds)) == game.legal_mask
    for either in SEATS:
        assert seen_in(worlds, either) == game.observation(either)


def test_the_template_has_all_unseen_cards_in_the_draw_pile_in_order_of_type() -> None:
    game = do(start("R7", "R1 Y2 G3", "Y3 Y4 G6", "R2 B1 R4"), "R1 draw")
    world = world_template(game.rules, game.observation(0))[0]
    assert cards_of(world["hand"][0]) == Cards.parse("Y2 G3")
    assert cards_of(world["hand"][1]) == NO_CARDS
    assert world["hand_size"].tolist() == [2, 0]
    assert world["draw_pile"][: world["draw_size"]].tolist() == list(cards("R2 R4 Y3 Y4 G6 B1"))
    assert world["played"][: world["played_size"]].tolist() == list(cards("R7 R1"))


def test_the_top_card_is_the_last_of_a_played_pile_whose_order_is_not_known() -> None:
    game = do(start("R7", "R9 R1 Y2", "R8 Y4 G1", "R2"), "R9 R8 R1")
    world = world_template(game.rules, game.observation(1))[0]
    assert world["played"][: world["played_size"]].tolist() == list(cards("R7 R8 R9 R1"))


def test_the_own_card_just_drawn_stays_and_the_opponents_is_the_one_given() -> None:
    game = do(start("R7", "Y1 Y2", "G3 G4", "R1 B1", drawn_card="may_play"), "draw")
    own = fill_worlds(
        world_template(game.rules, game.observation(0)), 1, rows(game.hand(1)), NOTHING_DRAWN, seeds(1, 1)
    )
    assert own["drawn"][0] == 1
    template = world_template(game.rules, game.observation(1))
    guess, drawn = Cards.parse("Y1 B1 R1"), np.array([3 * 13 + 1], np.uint8)
    assert fill_worlds(template, 0, rows(guess), drawn, seeds(1, 1))["drawn"][0] == 3 * 13 + 1


def test_worlds_leave_the_template_and_the_hands_as_they_were() -> None:
    game = Game.new(preset("house"), 3)
    template, hands = world_template(game.rules, game.observation(0)), rows(game.hand(1), 3)
    before = template.tobytes(), hands.tobytes()
    fill_worlds(template, 1, hands, np.full(3, NO_CARD, np.uint8), seeds(1, 3))
    assert (template.tobytes(), hands.tobytes()) == before


def test_the_same_seed_gives_the_same_world_and_others_another_pile_and_later_reshuffles() -> None:
    game = Game.new(preset("house"), 3)
    template, none = world_template(game.rules, game.observation(0)), np.full(2, NO_CARD, np.uint8)
    worlds = fill_worlds(template, 1, rows(game.hand(1), 2), none, seeds(1, 2))
    again = fill_worlds(template, 1, rows(game.hand(1), 2), none, seeds(1, 2))
    assert [pile_of(world) for world in worlds] == [pile_of(world) for world in again]
    assert worlds["rng"].tolist() == again["rng"].tolist()
    assert pile_of(worlds[0]) != pile_of(worlds[1])
    assert worlds["rng"][0] != worlds["rng"][1]


def test_every_order_of_the_draw_pile_is_equally_likely() -> None:
    game = start("R7", "R1 Y2", "Y3 Y4", "R2 B1 G4")
    template = world_template(game.rules, game.observation(0))
    count = 12_000
    worlds = fill_worlds(template, 1, rows(game.hand(1), count), np.full(count, NO_CARD, np.uint8), seeds(9, count))
    found = Counter(tuple(pile_of(world)) for world in worlds)
    assert len(found) == 6
    assert stats.chisquare(list(found.values())).pvalue > 1e-6


def test_all_unseen_cards_in_hand_leave_an_empty_pile_and_none_leave_it_whole() -> None:
    game = start("R7", "R1 Y2 W", "Y3 Y4 W4", "")
    template = world_template(game.rules, game.observation(0))
    assert fill_worlds(template, 1, rows(game.hand(1)), NOTHING_DRAWN, seeds(1, 1))["draw_size"][0] == 0
    full = fill_worlds(template, 1, np.zeros((1, CARD_TYPES), np.uint8), NOTHING_DRAWN, seeds(1, 1))
    assert sorted(pile_of(full[0])) == sorted(cards("Y3 Y4 W4"))


@pytest.mark.parametrize("winner", SEATS)
@pytest.mark.parametrize("seat", SEATS)
def test_a_finished_game_has_worlds_too(seat: int, winner: int) -> None:
    first, actions = (("R1 R4", "R1 R2 R4"), ("R1 Y1", "R1 R2 draw R3"))[winner]
    game = do(start("R7", first, "R2 R3", "B1 B2"), actions)
    assert game.outcome is not None
    assert game.outcome.winner == winner
    check_true_world(game, seat, 0)
