"""What evaluations believe about a draw is what the kernels do: under every pair of rule values, in random games."""

import numpy as np
import pytest

from tests.helpers import SMALL_RULES, moves_under
from uno_pomdp.evaluation.heuristic_features import can_be_drawn
from uno_pomdp.evaluation.win_probability import draw_card
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.layout import States
from uno_pomdp.game.outcome import Reason
from uno_pomdp.jit import kernel
from uno_pomdp.rules import Rules

PUBLIC = ("hand", "hand_mask", "hand_size", "draw_size", "turn", "penalty", "drawn", "status", "winner", "before")


@kernel
def can_be_drawn_one(states: States) -> bool:
    """Return whether the pile can give what a draw asks for."""
    return can_be_drawn(states[0])


@kernel
def draw_cards_one_by_one(states: States, cards: States) -> None:
    """Draw cards one after another."""
    for card in cards:
        draw_card(states[0], card)


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_a_draw_card_by_card_ends_where_the_whole_draw_does(rules: Rules) -> None:
    met = 0
    for before, move, after in moves_under(rules):
        if move.action != DRAW:
            continue
        states = before.to_state()
        exhausted = after.outcome is not None and after.outcome.reason == Reason.DECK_EXHAUSTED
        if not before.observation(0).draws_until():
            assert can_be_drawn_one(states) != exhausted
        if exhausted or move.reshuffled is not None:
            continue
        draw_cards_one_by_one(states, np.array(move.cards, np.int64))
        for field in PUBLIC:
            assert np.array_equal(states[field], after.to_state()[field]), field
        met += 1
    assert met > 5
