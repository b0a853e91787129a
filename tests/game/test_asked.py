"""What the rules ask for is what comes about: under every pair of rule values, in random games."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.helpers import SMALL_RULES, moves_under
from uno_pomdp.cards import Cards
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO
from uno_pomdp.game.bindings import needs_reshuffle_one
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.outcome import Reason
from uno_pomdp.pomdp.deals import largest_draw
from uno_pomdp.rules import Rules


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_a_move_does_what_each_seat_could_foresee(rules: Rules) -> None:
    for before, move, after in moves_under(rules):
        exhausted = after.outcome is not None and after.outcome.reason == Reason.DECK_EXHAUSTED
        for seat in SEATS:
            seen = before.observation(seat)
            assert seen.swaps(move.action) == (move.swapped is not None)
            if move.action not in (DRAW, CHALLENGE):
                continue
            asked = seen.asked_by(move.action, move.guilty)
            if seen.draws_until(move.action):
                assert asked <= len(move.drawn) or exhausted
                assert len(move.drawn) <= seen.available
                continue
            assert exhausted == (asked > seen.available)
            assert len(move.drawn) == (0 if exhausted else asked)
            assert asked <= largest_draw(rules)
        if move.action in (DRAW, CHALLENGE):
            assert needs_reshuffle_one(before.to_state(), move.action.id) == (move.reshuffled is not None)
        elif move.action.card is not None and before.observation(0).penalty:
            assert before.observation(0).answers >> move.action.card & 1


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_no_draw_of_a_deck_without_debts_takes_more_than_the_largest(rules: Rules) -> None:
    plain = replace(rules, deck=Cards.parse("R0 R1 RS Y0 Y1 Y7 G2 G3 B4 B5 B6 W"), hand_size=3)
    drawn = [
        len(move.drawn)
        for before, move, _ in moves_under(plain)
        if move.action == DRAW and not before.observation(0).draws_until()
    ]
    assert max(drawn, default=1) <= largest_draw(plain)


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_a_forgotten_uno_costs_what_is_asked_for_it(rules: Rules) -> None:
    met = Counter[int]()
    for before, _, _ in moves_under(rules):
        for seat in SEATS:
            table = before.observation(seat)
            if len(before.hand(seat)) == 1 and not table.deciding and table.before is None:
                game = before.copy()
                game.forget_uno(seat)
                assert len(game.last_move.drawn) == min(table.asked_by(FORGOT_UNO), table.available)
                met[len(game.last_move.drawn)] += 1
    assert met
