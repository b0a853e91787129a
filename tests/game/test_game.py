"""`Game`: moving, the log of both players' moves, events for each seat, copies."""

import random

import pytest
from hypothesis import given

from tests.helpers import any_rules, any_seed, cards, choose, deal_of, do, legal, play_out, start, state_bytes
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.errors import IllegalAction
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP, Action
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.move import Move
from uno_pomdp.rules import Rules, preset

act = Action.parse


def test_a_new_game_is_dealt_and_player_1_moves_first() -> None:
    game = Game.new(preset("house"), 3)
    assert (game.turn, game.over, game.outcome, game.moves, game.events()) == (0, False, None, (), ())
    assert (len(game.hand(0)), len(game.hand(1)), len(game.draw_pile), len(game.played_pile)) == (7, 7, 93, 1)
    assert game.seed == 3
    assert game.rules == preset("house")


def test_a_game_from_a_deal_has_exactly_these_cards() -> None:
    deal = deal_of("R5", "Y1 Y2", "G3 R4", "R9 B8 W")
    game = Game.from_deal(Rules(deck=Cards.parse("R5 Y1 Y2 G3 R4 R9 B8 W"), hand_size=2), deal)
    assert game.deal == deal
    assert (game.hand(0), game.hand(1)) == deal.hands
    assert game.draw_pile == cards("R9 B8 W")
    assert game.played_pile == cards("R5")
    assert [game.moves, do(game, "draw").deal] == [(), deal]


@given(any_rules(), any_seed)
def test_a_dealt_game_and_the_same_cards_laid_out_play_alike(rules: Rules, seed: int) -> None:
    dealt = Game.new(rules, seed)
    laid = Game.from_deal(rules, dealt.deal, seed)
    assert state_bytes(laid) == state_bytes(dealt)


def test_every_move_of_both_players_is_in_the_log_draws_included() -> None:
    game = do(start("R5", "W4 Y1 RS", "G3 G4 Y7", "B1 B2 B3 B4 R9 Y8 Y9"), "RS W4:Y draw Y1")
    assert game.moves == (
        Move(0, act("RS")),
        Move(0, act("W4:Y")),
        Move(1, DRAW, cards("B1 B2 B3 B4")),
        Move(0, act("Y1")),
    )
    assert game.last_move == game.moves[-1]


def test_the_log_of_a_reshuffle_holds_the_new_pile_with_its_next_card_first() -> None:
    game = do(start("R1", "R2 R4 Y7", "R3 R5 Y8", seed=5), "R2 R3 R4 R5 draw")
    move = game.last_move
    assert move.cards == move.order[:1]
    assert game.draw_pile == move.order[1:]
    assert move.cards[0] in game.hand(0)


def test_events_of_a_whole_may_play_game() -> None:
    game = start("R5", "Y1 Y2", "G3 R4", "R9 B8 Y8", drawn_card="may_play", reshuffle="no")
    do(game, "draw R9 R4 draw keep draw keep draw")
    assert game.events() == (
        Drew(0, 1, False, cards("R9")),
        Played(0, act("R9"), just_drawn=True),
        Played(1, act("R4")),
        Drew(0, 1, False, cards("B8")),
        Kept(0),
        Drew(1, 1, False, cards("Y8")),
        Kept(1),
        Drew(0, 0, False, ()),
    )
    assert game.over


def test_a_card_played_after_the_turn_came_back_is_not_called_just_drawn() -> None:
    game = do(start("R5", "Y1 RS", "G3 G4", "R9 B8"), "RS draw draw R9")
    assert game.events()[-1] == Played(0, act("R9"), just_drawn=False)


def test_a_penalty_and_its_reshuffle_are_events_in_order() -> None:
    game = do(start("R1", "R2 R+2 Y7", "R3 Y8 Y9", "G9", seed=4), "R2 R3 R+2 draw")
    *_, reshuffled, drew = game.events()
    assert isinstance(reshuffled, Reshuffled)
    assert reshuffled.returned == Cards.parse("R1 R2 R3")
    assert reshuffled.pile is not None
    assert Cards.of(reshuffled.pile) == Cards.parse("G9 R1 R2 R3")
    assert drew == Drew(1, 2, True, reshuffled.pile[:2])


def test_a_penalty_that_the_deck_can_not_give_is_an_event_of_no_cards() -> None:
    game = do(start("R1", "W4 Y7", "Y8 Y9", "G9 G8", reshuffle="no"), "W4:R draw")
    assert game.events()[-1] == Drew(1, 0, True, ())


def test_a_seat_learns_how_many_cards_the_other_drew_and_not_which() -> None:
    game = do(start("R5", "W4 Y1 Y2", "G3 G4 B5", "B1 B2 B3 B4 R9 Y8"), "W4:R draw draw")
    assert game.events(0)[1:] == (Drew(1, 4, True, None), Drew(0, 1, False, cards("R9")))
    assert game.events(1)[1:] == (Drew(1, 4, True, cards("B1 B2 B3 B4")), Drew(0, 1, False, None))


def test_no_seat_learns_the_order_of_a_reshuffle() -> None:
    game = do(start("R1", "R2 R4 Y7", "R3 R5 Y8"), "R2 R3 R4 R5 draw")
    for seat in (0, 1):
        assert Reshuffled(Cards.parse("R1 R2 R3 R4"), None) in game.events(seat)


def hidden_from(seat: int, event: Event) -> Event:
    """Return an event as the rules page has it known at the table."""
    if isinstance(event, Reshuffled):
        return Reshuffled(event.returned, None)
    if isinstance(event, Drew) and event.seat != seat:
        return Drew(event.seat, event.count, event.penalty, None)
    return event


KINDS = {Played: "P", Swapped: "S", Kept: "K", Drew: "D", Reshuffled: "R", Challenged: "C", Shown: "H"}
ORDERS = {"P", "PS", "K", "D", "RD", "DRD", "CHD", "CHRD"}
"""What one action may cause, in order, a letter for each event."""


@given(any_rules(), any_seed)
def test_events_tell_the_whole_game_and_each_seat_its_part(rules: Rules, seed: int) -> None:
    game, chance = Game.new(rules, seed), random.Random(seed)
    hands, face_up = [list(hand) for hand in game.deal.hands], [game.deal.top]
    told: list[Event] = []
    for number in range(150):
        if game.over:
            break
        game.apply(choose(game, chance))
        new = game.events(since=number)
        assert "".join(KINDS[type(event)] for event in new) in ORDERS
        assert game.last_step(0).action == game.last_step(1).action == game.last_move.action
        for event in new:
            happen(event, hands, face_up)
        assert [Cards.of(hand) for hand in hands] == [game.hand(0), game.hand(1)]
        assert tuple(face_up) == game.played_pile
        told.extend(new)
    assert game.events() == tuple(told)
    for seat in (0, 1):
        assert game.events(seat) == tuple(hidden_from(seat, event) for event in game.events())


def happen(event: Event, hands: list[list[int]], face_up: list[int]) -> None:
    """Let an event happen to hands and the played pile of lists."""
    match event:
        case Played(seat=seat, action=action):
            assert action.card is not None
            hands[seat].remove(action.card)
            face_up.append(action.card)
        case Drew(seat=seat, count=count, cards=drawn):
            assert drawn is not None
            assert count == len(drawn)
            hands[seat].extend(drawn)
        case Reshuffled(returned=returned):
            assert Cards.of(face_up[:-1]) == returned
            del face_up[:-1]
        case Shown(seat=seat, hand=hand):
            assert Cards.of(hands[seat]) == hand
        case Swapped(hands=swapped):
            hands.reverse()
            assert (Cards.of(hands[0]), Cards.of(hands[1])) == swapped


def test_a_copy_goes_its_own_way() -> None:
    game = do(start("R5", "R1 Y2 R2", "R3 R4 Y3", "R9 B8"), "R1")
    before = state_bytes(game), game.moves, game.events(), legal(game)
    copy = game.copy()
    assert (state_bytes(copy), copy.moves, copy.events(), legal(copy)) == before
    do(copy, "R3 R2")
    assert (state_bytes(game), game.moves, game.events(), legal(game)) == before
    assert [move.action for move in copy.moves] == [act("R1"), act("R3"), act("R2")]
    do(game, "R4")
    assert [str(event.action) for event in copy.events() if isinstance(event, Played)] == ["R1", "R3", "R2"]


def test_a_state_that_is_handed_out_is_a_copy() -> None:
    game = start("R5", "R1 Y2", "R3 R4", "R9 B8")
    game.to_state()["turn"] = 1
    assert game.turn == 0


def test_games_are_equal_if_rules_seed_deal_and_moves_are() -> None:
    game = Game.new(preset("house"), 1)
    assert game == Game.new(preset("house"), 1) == game.copy()
    assert game != Game.new(preset("house"), 2)
    assert game != Game.new(preset("pass"), 1)
    assert game != play_out(game.copy(), at_most=1)
    assert game != "house"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_an_action_that_is_refused_changes_nothing() -> None:
    game = start("R5", "R1 Y2", "R3 R4", "R9 B8")
    before = state_bytes(game)
    for action in (act("Y2"), act("B7"), DRAW, KEEP):
        with pytest.raises(IllegalAction):
            game.apply(action)
    assert (state_bytes(game), game.moves) == (before, ())


# --- a reshuffle in a given order ------------------------------------------------------------------------


def before_a_reshuffle(seed: int = 0) -> Game:
    return do(start("R1", "R2 R4 Y7", "R3 R5 Y8", seed=seed), "R2 R3 R4 R5")


def test_a_draw_takes_the_reshuffled_order_it_is_given() -> None:
    game = before_a_reshuffle()
    order = cards("R4 R1 R3 R2")
    game.apply_with_order(DRAW, order)
    assert game.last_move == Move(0, DRAW, order[:1], order)
    assert game.draw_pile == order[1:]
    assert game.played_pile == cards("R5")
    assert game.events()[-2:] == (Reshuffled(Cards.parse("R1 R2 R3 R4"), order), Drew(0, 1, False, order[:1]))
    assert legal(game) == "draw"


def test_the_engines_own_order_given_again_makes_the_same_game() -> None:
    drawn, given_order = before_a_reshuffle(9), before_a_reshuffle(9)
    drawn.apply(DRAW)
    assert drawn.last_move.reshuffled is not None
    given_order.apply_with_order(DRAW, drawn.last_move.order)
    assert state_bytes(given_order) == state_bytes(drawn)
    assert given_order == drawn


def test_an_order_for_a_draw_that_ends_the_game_is_kept_in_the_log() -> None:
    game = do(start("R1", "R2 W4 Y7", "R3 Y8 Y9"), "R2 R3 W4:R")
    order = cards("R3 R1 R2")
    game.apply_with_order(DRAW, order)
    assert game.over
    assert game.last_move == Move(1, DRAW, (), order)
    assert game.draw_pile == order


def test_an_order_where_nothing_is_reshuffled_is_refused() -> None:
    game = start("R1", "Y2 Y3", "Y4 Y5", "R9 R8")
    with pytest.raises(IllegalAction, match="draw reshuffles nothing here"):
        game.apply_with_order(DRAW, cards("R8 R9"))
    game = before_a_reshuffle()
    with pytest.raises(IllegalAction, match="player 1 does not hold R9"):
        game.apply_with_order(act("R9"), cards("R1 R2 R3 R4"))
    assert game.moves == before_a_reshuffle().moves


@pytest.mark.parametrize("order", ["R1 R2 R3", "R1 R2 R3 R4 R5", "R1 R2 R3 R3", ""])
def test_an_order_of_other_cards_is_refused_and_changes_nothing(order: str) -> None:
    game = before_a_reshuffle()
    with pytest.raises(IllegalAction, match="the reshuffled pile has to hold R1 R2 R3 R4"):
        game.apply_with_order(DRAW, cards(order))
    assert state_bytes(game) == state_bytes(before_a_reshuffle())


def test_a_draw_until_playable_that_is_cut_in_two_takes_the_order_it_is_given() -> None:
    game = do(start("R1", "R2 R4 Y7", "R3 R5 Y8", "G9", draw="until_playable"), "R2 R3 R4 R5")
    order = cards("R4 R1 R3 R2")
    with pytest.raises(IllegalAction, match="the reshuffled pile has to hold R1 R2 R3 R4"):
        game.copy().apply_with_order(DRAW, (*order, *cards("G9")))
    game.apply_with_order(DRAW, order)
    assert game.last_move == Move(0, DRAW, cards("G9 R4"), order, first=1)
    assert (game.draw_pile, game.drawn) == (order[1:], order[0])


def test_a_challenge_takes_the_reshuffled_order_it_is_given() -> None:
    game = do(start("R1", "R2 W4 R3", "R4 Y8 Y9", "G8 G9", wild_four="challenge"), "R2 R4 W4:Y")
    order = cards("R4 G9 R1 G8 R2")
    game.apply_with_order(CHALLENGE, order)
    assert game.last_move == Move(1, CHALLENGE, order[:4], order, guilty=True, shown=Cards.parse("R3"))
    assert (game.hand(0), game.draw_pile) == (Cards.parse("R3 R4 G9 R1 G8"), cards("R2"))


def test_a_deal_is_a_value() -> None:
    deal = Game.new(preset("mini-7"), 1).deal
    assert deal == Deal(deal.top, deal.hands, deal.pile)
    assert len({deal, Game.new(preset("mini-7"), 1).deal}) == 1
    assert card_name(deal.top)[0] in "RY"
