"""What a player sees: all that is public and its own hand, and no way to anything else."""

import gc
import pickle
import random
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import any_rules, any_seed, cards, choose, deal_of, do, play_out, start
from uno_pomdp.cards import Cards
from uno_pomdp.game.batch import Batch
from uno_pomdp.game.bindings import observe_one
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import OBSERVATION
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules


def record(game: Game, seat: int) -> bytes:
    """Return the observation record of a seat, written over old contents."""
    seen = np.full(OBSERVATION.itemsize, 0xAA, np.uint8).view(OBSERVATION)
    observe_one(seen, game.to_state(), seat)
    return seen.tobytes()


@given(any_rules(), any_seed)
def test_an_observation_says_what_is_there(rules: Rules, seed: int) -> None:
    game = play_out(Game.new(rules, seed), seed, seed % 40)
    for seat in (0, 1):
        seen = game.observation(seat)
        assert seen.seat == seat
        assert seen.hand == game.hand(seat)
        assert seen.opponent_size == len(game.hand(1 - seat))
        assert seen.draw_size == len(game.draw_pile)
        assert seen.played == Cards.of(game.played_pile)
        assert seen.top == game.played_pile[-1]
        assert (seen.turn, seen.outcome) == (game.turn, game.outcome)
        assert seen.unseen(rules) == game.hand(1 - seat) + Cards.of(game.draw_pile)


@given(any_rules(), any_seed)
def test_the_player_to_move_sees_his_legal_actions_and_the_other_none(rules: Rules, seed: int) -> None:
    game = Game.new(rules, seed)
    chance = random.Random(seed)
    for _ in range(150):
        assert game.observation(game.turn).legal_actions() == game.legal_actions()
        assert game.observation(game.turn).legal_mask == game.legal_mask
        assert game.observation(1 - game.turn).legal_actions() == ()
        if game.over:
            break
        game.apply(choose(game, chance))


def swap_hidden(deal: Deal, seat: int, chance: random.Random) -> Deal:
    """Return a deal that looks the same to this seat: the opponent's hand and the pile mixed anew."""
    hidden = [*deal.hands[1 - seat], *deal.pile]
    chance.shuffle(hidden)
    size = len(deal.hands[1 - seat])
    hands = [deal.hands[seat], Cards.of(hidden[:size])]
    return Deal(deal.top, (hands[seat], hands[1 - seat]), tuple(hidden[size:]))


def same_to(seat: int, one: Game, two: Game) -> None:
    """Require that no form of an observation tells two games apart."""
    seen = [game.observation(seat) for game in (one, two)]
    assert seen[0] == seen[1]
    assert repr(seen[0]) == repr(seen[1])
    assert str(seen[0]) == str(seen[1])
    assert pickle.dumps(seen[0]) == pickle.dumps(seen[1])
    assert hash(seen[0]) == hash(seen[1])
    assert seen[0].legal_actions() == seen[1].legal_actions()
    assert record(one, seat) == record(two, seat)
    assert one.events(seat) == two.events(seat)


def told(game: Game, seat: int) -> tuple[Any, ...]:
    """Return what chance and hidden cards have told a seat by the last move: its own cards, numbers, hands shown."""
    move = game.last_move
    own = move.drawn if move.drawer == seat else ()
    shown = move.shown if move.seat == seat else None
    return own, len(move.drawn), move.first, move.guilty, shown, move.swapped


@given(any_rules(), any_seed, st.sampled_from([0, 1]), st.randoms(use_true_random=False))
def test_hidden_cards_change_nothing_that_a_seat_sees_while_the_public_moves_are_equal(
    rules: Rules, seed: int, seat: int, chance: random.Random
) -> None:
    game = Game.new(rules, seed)
    twin = Game.from_deal(rules, swap_hidden(game.deal, seat, chance), seed=seed ^ 1)
    same_to(seat, game, twin)
    for _ in range(12):
        both = [action for action in game.legal_actions() if action in twin.legal_actions()]
        if not both:
            break
        action = chance.choice(both)
        game.apply(action)
        twin.apply(action)
        if told(game, seat) != told(twin, seat) or game.outcome != twin.outcome:
            break
        same_to(seat, game, twin)


def test_the_card_that_the_opponent_decides_about_is_hidden_and_that_he_decides_is_not() -> None:
    games = [do(start("R5", "Y1 Y2", "G3 G4", pile, drawn_card="may_play"), "draw") for pile in ("R9 G9", "G9 R9")]
    same_to(1, *games)
    assert games[0].observation(1).deciding
    assert games[0].observation(1).drawn is None
    assert [game.observation(0).drawn for game in games] == list(cards("R9 G9"))
    assert not do(games[0], "keep").observation(1).deciding


def test_a_penalty_drawn_by_the_opponent_is_a_number_only() -> None:
    games = [
        do(start("R5", "W4 R2", "G3 G4", pile), "W4:R draw") for pile in ("R9 G9 Y9 B9 B8 B7", "B7 B8 B9 Y9 G9 R9")
    ]
    same_to(0, *games)
    assert games[0].observation(0).opponent_size == 6


def test_a_reshuffled_pile_is_not_seen() -> None:
    games = [do(start("R1", "R2 R4 Y7", "R3 R5 Y8", seed=seed), "R2 R3 R4 R5 draw") for seed in range(30)]
    assert len({game.draw_pile for game in games}) > 5
    assert len({record(game, 1) for game in games}) == 1
    assert len({game.observation(1) for game in games}) == 1


def reachable(value: Any) -> list[Any]:
    """Return all objects that an object leads to, classes, functions and modules left out."""
    found: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, type | FunctionType | ModuleType):
            continue
        found[id(one)] = one
        waiting.extend(gc.get_referents(one))
    return list(found.values())


@pytest.mark.parametrize("variant", [{}, {"drawn_card": "may_play"}])
def test_no_way_leads_from_an_observation_to_a_game_or_an_array(variant: dict[str, Any]) -> None:
    game = do(start("R5", "Y1 Y2", "G3 G4", "R9 G9", **variant), "draw")
    for seat in (0, 1):
        things = reachable(game.observation(seat))
        assert len(things) > 5
        assert not [thing for thing in things if isinstance(thing, Game | np.ndarray | np.void | Batch | Deal)]
    assert any(isinstance(thing, np.ndarray) for thing in reachable([game, game.to_state()]))


def test_an_observation_is_a_value() -> None:
    game = start("R5", "R1 Y2", "G3 G4", "R9 G9")
    seen = game.observation(0)
    assert isinstance(seen, Observation)
    assert pickle.loads(pickle.dumps(seen)) == seen
    do(game, "R1")
    assert seen.top == cards("R5")[0]
    assert game.observation(0) != seen


def test_an_observation_in_words() -> None:
    game = Game.from_deal(
        Rules(deck=Cards.parse("R5 R+2 Y2 G3 G4 R9"), hand_size=2), deal_of("R5", "R+2 Y2", "G3 G4", "R9")
    )
    assert str(do(game, "R+2").observation(1)) == (
        "player 2 holds G3 G4; top R+2 (red); opponent 1, draw pile 1, played 2; player 2 to move, 2 to draw"
    )
