"""What an action tells about a hidden hand is what the rules say about its legality, for every variant."""

import random
from typing import Any

import numpy as np
import pytest

from tests.beliefs.games import choose, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, do, named, rules_of, start
from uno_pomdp.beliefs.evidence import barred_types, evidence
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, WILD_FOUR, Cards
from uno_pomdp.game.events import Challenged, Drew, Kept, Played
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import decides_next, legal_mask_of
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ANSWERS,
    BIT,
    CHALLENGE,
    DRAW,
    KEEP,
    MAY_CHALLENGE,
    MAY_PLAY,
    NO_CARD,
    NO_COLOUR,
    PENALTY,
    STACK,
    UNTIL_PLAYABLE,
    variant_bits,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

ALL_COLOURS = 15
ALL = [*VARIANTS[::2], *PAIRS_OF_VALUES]


def illegal_beside(
    action: int, penalty: int, drawn: int, can_draw: bool, colour: int, top: int, variant: int, before: int = NO_COLOUR
) -> int:
    """Return the types of which one in the hand, beside the card that is played, makes the action illegal."""
    own = BIT[ACTION_CARD[action]] if action < DRAW else BIT[drawn] if drawn != NO_CARD else np.uint64(0)
    pile = 5 if can_draw else 0
    barred = 0
    for card in range(CARD_TYPES):
        hand = own | BIT[card]
        legal = legal_mask_of(hand, top, colour, penalty, drawn, before, pile, 1, variant, ALL_COLOURS)
        if not int(legal) >> action & 1:
            barred |= 1 << card
    return barred


@pytest.mark.parametrize("variant", ALL, ids=named)
def test_a_type_is_barred_if_the_action_would_not_be_legal_beside_it(variant: dict[str, str]) -> None:
    bits, chance = variant_bits(rules_of("standard", variant)), random.Random(3)
    for _ in range(12):
        colour, top = chance.randrange(len(COLOURS)), chance.randrange(CARD_TYPES)
        if top < COLOURED_TYPES:
            colour = top // 13
        for owed in {0, int(PENALTY[top])}:
            if owed and not bits & STACK:
                continue
            alone = [
                int(legal_mask_of(BIT[t], top, colour, owed, NO_CARD, NO_COLOUR, 5, 1, bits, ALL_COLOURS))
                for t in range(CARD_TYPES)
            ]
            plays = {action for mask in alone for action in range(DRAW) if mask >> action & 1}
            assert not owed or all(
                int(ANSWERS[top]) >> int(ACTION_CARD[a]) & 1 or ACTION_CARD[a] == WILD_FOUR for a in plays
            )
            for action in plays:
                expected = illegal_beside(action, owed, NO_CARD, True, colour, top, bits)
                assert barred_types(action, False, 0, colour, top, bits) == expected
        for can_draw in (True, False):
            expected = illegal_beside(DRAW, 0, NO_CARD, can_draw, colour, top, bits)
            assert barred_types(DRAW, False, int(can_draw), colour, top, bits) == expected
        assert barred_types(DRAW, True, 2, colour, top, bits) == illegal_beside(
            DRAW, 2, NO_CARD, True, colour, top, bits
        )
        if not bits & UNTIL_PLAYABLE:
            keeping = illegal_beside(KEEP, 0, top, True, colour, top, bits)
            assert barred_types(KEEP, False, 0, colour, top, bits) == keeping
        if bits & MAY_CHALLENGE:
            for action in (DRAW, CHALLENGE):
                expected = illegal_beside(action, 4, NO_CARD, True, colour, top, bits, before=1)
                assert barred_types(action, True, 4, colour, top, bits) == expected == 0


@pytest.mark.parametrize("variant", ALL, ids=named)
def test_evidence_of_whole_games_is_true_of_the_hands_and_names_choices(variant: dict[str, str]) -> None:
    chance, told_of = random.Random(5), 0
    for seed in range(20):
        game = Game.new(rules_of("mini-12", variant) if seed % 2 else whole_mini_rules(seed, variant, 12), seed)
        for _ in range(80):
            if game.over:
                break
            mover, hands, legal = game.turn, (game.hand(0), game.hand(1)), game.legal_actions()
            sights = game.observation(0), game.observation(1)
            action = choose(game, chance)
            game.apply(action)
            for seat, seen in enumerate(sights):
                told_of += check_action(game, seat, mover, hands[1 - seat], seen, action.id, len(legal))
    assert told_of > 40


def check_action(game: Game, seat: int, mover: int, hand: Cards, seen: Observation, action: int, legal: int) -> int:
    """Check what an action tells one seat about the hand that the other held before it; return of how many events."""
    events, after = game.last_step(seat)
    leading, chosen, checked = True, 0, 0
    for number, event in enumerate(events, 1):
        if isinstance(event, Played | Drew | Kept | Challenged) and event.seat != seat:
            pending = number == len(events) and after.deciding
            told = evidence(event, seen, leading, pending)
            assert not int(told.barred) & hand.mask
            assert told.just_drawn == (seen.deciding and mover != seat)
            chosen += told.chosen
            if leading:
                assert told.action == action
                assert told.chosen or legal == 1
            if isinstance(event, Drew):
                assert told.kept == event.count - pending
                drawn = (
                    game.hand(1 - seat) - hand - Cards.of([game.drawn] if pending and game.drawn is not None else [])
                )
                assert not told.drawn_too or not int(told.barred) & drawn.mask
            checked += 1
        leading = leading and not isinstance(event, Played | Drew | Kept | Challenged)
    assert chosen <= 1
    assert mover != seat or not chosen
    return checked


def test_a_card_just_drawn_is_decided_about_by_the_rules_alone() -> None:
    may_play = variant_bits(Rules(drawn_card="may_play"))
    keeps = variant_bits(Rules(drawn_card="keep"))
    assert may_play & MAY_PLAY
    assert decides_next(DRAW, False, 1, may_play)
    assert not decides_next(DRAW, False, 1, keeps)
    assert not decides_next(DRAW, True, 2, may_play)
    assert not decides_next(DRAW, False, 0, may_play)
    assert not decides_next(KEEP, False, 0, may_play)


def test_what_is_owed_is_a_choice_where_it_can_be_answered_or_challenged() -> None:
    drew = Drew(1, 2, True, None)
    cases: tuple[tuple[dict[str, Any], str, bool], ...] = (
        ({}, "R+2", False),
        ({"stack": "same"}, "R+2", True),
        ({"wild_four": "challenge"}, "R+2", False),
        ({"wild_four": "challenge"}, "W4:R", True),
    )
    for variant, owes, choice in cases:
        game = start("R0", "R+2 W4 R1", "Y1 Y2 Y3", "B1 B2 B3 B4 B5 B6 B7", **variant)
        seen = do(game, owes).observation(0)
        assert evidence(drew, seen).chosen == choice
        assert not evidence(drew, seen, leading=False).chosen
