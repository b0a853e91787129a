"""What evaluations believe about a draw is what the kernels do: under every pair of rule values, in random games."""

import numpy as np
import pytest

from tests.helpers import SMALL_RULES, moves_under
from uno_pomdp.evaluation.heuristic_features import VIEW, WORKSPACE, can_be_drawn, play_on, view
from uno_pomdp.evaluation.heuristic_value import Workspaces
from uno_pomdp.evaluation.win_probability import draw_card
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.layout import States
from uno_pomdp.game.outcome import Reason
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import WEIGHTS
from uno_pomdp.rules import Rules

PUBLIC = ("hand", "hand_mask", "hand_size", "draw_size", "turn", "penalty", "drawn", "status", "winner", "before")


@kernel
def can_be_drawn_one(states: States) -> bool:
    """Return whether the pile can give what a draw asks for."""
    return can_be_drawn(states[0])


@kernel
def play_on_one(workspace: Workspaces, states: States) -> float:
    """Let both play on with blank cards; return how many cards the first position says are asked for."""
    inputs = workspace[0]["input"]
    view(workspace[0], states[0], 0)
    asked: float = inputs[VIEW - 1]
    play_on(workspace[0], states[0], WEIGHTS[0])
    return asked


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
            workspace = np.zeros(1, WORKSPACE)
            seen = before.observation(before.turn)
            assert play_on_one(workspace, before.to_state()) == seen.asked_by(DRAW)
            if int(workspace["blank_draws"][0]) == 1 and seen.legal_actions() == (DRAW,):
                assert workspace["blank"].sum() == seen.asked_by(DRAW)
        if exhausted or move.reshuffled is not None:
            continue
        draw_cards_one_by_one(states, np.array(move.cards, np.int64))
        for field in PUBLIC:
            assert np.array_equal(states[field], after.to_state()[field]), field
        met += 1
    assert met > 5
