"""What an action tells about a hidden hand is what the rules say about its legality, for every variant."""

import random

import numpy as np
import pytest

from tests.helpers import VARIANTS, choose, named, rules_of
from uno_pomdp.beliefs.evidence import barred_types, decides_next, evidence
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS
from uno_pomdp.game.events import Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import legal_mask_of
from uno_pomdp.game.layout import ACTION_CARD, BIT, DRAW, KEEP, NO_CARD, NO_COLOUR, variant_bits
from uno_pomdp.rules import Rules

ALL_COLOURS = 15


def illegal_beside(action: int, penalty: int, drawn: int, can_draw: bool, colour: int, top: int, variant: int) -> int:
    """Return the types of which one in the hand, beside the card that is played, makes the action illegal."""
    own = BIT[ACTION_CARD[action]] if action < DRAW else BIT[drawn] if drawn != NO_CARD else np.uint64(0)
    pile = 5 if can_draw else 0
    barred = 0
    for card in range(CARD_TYPES):
        legal = legal_mask_of(own | BIT[card], top, colour, penalty, drawn, NO_COLOUR, pile, 1, variant, ALL_COLOURS)
        if not int(legal) >> action & 1:
            barred |= 1 << card
    return barred


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_a_type_is_barred_if_the_action_would_not_be_legal_beside_it(variant: dict[str, str]) -> None:
    bits, chance = variant_bits(rules_of("standard", variant)), random.Random(3)
    for _ in range(12):
        colour, top = chance.randrange(len(COLOURS)), chance.randrange(CARD_TYPES)
        if top < COLOURED_TYPES:
            colour = top // 13
        alone = [
            int(legal_mask_of(BIT[t], top, colour, 0, NO_CARD, NO_COLOUR, 5, 1, bits, ALL_COLOURS))
            for t in range(CARD_TYPES)
        ]
        for action in (action for mask in alone for action in range(DRAW) if mask >> action & 1):
            expected = illegal_beside(action, 0, NO_CARD, True, colour, top, bits)
            assert barred_types(action, False, 0, colour, top, bits) == expected
        for can_draw in (True, False):
            expected = illegal_beside(DRAW, 0, NO_CARD, can_draw, colour, top, bits)
            assert barred_types(DRAW, False, int(can_draw), colour, top, bits) == expected
        assert barred_types(DRAW, True, 2, colour, top, bits) == illegal_beside(
            DRAW, 2, NO_CARD, True, colour, top, bits
        )
        assert barred_types(KEEP, False, 0, colour, top, bits) == illegal_beside(KEEP, 0, top, True, colour, top, bits)


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_evidence_of_whole_games_is_true_of_the_hands_and_names_choices(variant: dict[str, str]) -> None:
    rules, chance = rules_of("mini-12", variant), random.Random(5)
    told_of = 0
    for seed in range(20):
        game = Game.new(rules, seed)
        while not game.over:
            mover, hand, legal = game.turn, game.hand(game.turn), game.legal_actions()
            seen = game.observation(1 - mover)
            action = choose(game, chance)
            game.apply(action)
            events, after = game.last_step(1 - mover)
            for event in events:
                if isinstance(event, Reshuffled):
                    continue
                told = evidence(event, seen)
                assert told.action == action.id
                assert not int(told.barred) & hand.mask
                assert told.chosen or len(legal) == 1
                assert told.just_drawn == seen.deciding
                assert told.decides == (not game.over and after.deciding)
                told_of += 1
    assert told_of > 40


def test_a_card_just_drawn_is_decided_about_by_the_rules_alone() -> None:
    may_play = variant_bits(Rules(drawn_card="may_play"))
    keeps = variant_bits(Rules(drawn_card="keep"))
    assert decides_next(DRAW, False, 1, may_play)
    assert not decides_next(DRAW, False, 1, keeps)
    assert not decides_next(DRAW, True, 2, may_play)
    assert not decides_next(DRAW, False, 0, may_play)
    assert not decides_next(KEEP, False, 0, may_play)
