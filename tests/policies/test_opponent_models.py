"""Opponent models, against players written the slow and obvious way, under all variants."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tests.helpers import DECKS, PAIRS_OF_VALUES, VARIANTS, choose, do, named, rules_of, start
from uno_pomdp.cards import Cards, colour_of, is_black, rank_of
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.bindings import observe_one
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import ACTIONS, CHALLENGE, DRAW, KEEP, NO_CARD, OBSERVATION, SEATS, action_id
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import MemorylessModel, PolicyModel, other_side

MODELS: list[MemorylessModel] = [PolicyModel(RANDOM), PolicyModel(GREEDY)]
NAMES = ["random", "greedy"]
HANDS = 6
"""Hypotheses for each position: the true hand and others of its size."""


def positions(variant: dict[str, str], games: int = 1) -> list[tuple[Game, list[Cards], list[int]]]:
    """Return positions of random games, each with hands of the player to move and the card it has just drawn."""
    found = []
    for deck in DECKS:
        for seed in range(games):
            game, chance = Game.new(rules_of(deck, variant), seed), random.Random(seed)
            for _ in range(40):
                if game.over:
                    break
                if chance.random() < 0.4:
                    found.append((game.copy(), *hypotheses(game, chance)))
                game.apply(choose(game, chance))
    return found


def hypotheses(game: Game, chance: random.Random) -> tuple[list[Cards], list[int]]:
    """Return the true hand of the player to move and others that its opponent can't rule out by count."""
    true = game.hand(game.turn)
    hidden = [*true, *game.draw_pile]
    hands = [true] + [Cards.of(chance.sample(hidden, len(true))) for _ in range(HANDS - 1)]
    if game.drawn is None:
        return hands, [NO_CARD] * HANDS
    if game.rules.draw != "until_playable":
        return hands, [game.drawn, *(chance.choice(list(hand)) for hand in hands[1:])]
    fitting = [(hand, cards) for hand in hands if (cards := playable(game, hand, NO_CARD))]  # what ended the draw fits
    return [true, *(hand for hand, _ in fitting)], [game.drawn, *(chance.choice(cards) for _, cards in fitting)]


def chances(model: MemorylessModel, game: Game, hands: list[Cards], drawn: list[int]) -> np.ndarray:
    """Return the probability of each action (columns) for each hand (rows)."""
    seen = other_side(game.observation(1 - game.turn))
    rows, cards = np.array([hand.array() for hand in hands]), np.array(drawn, np.uint8)
    columns = [model.log_probabilities(seen, rows, cards, action) for action in range(ACTIONS)]
    return np.exp(np.array(columns)).T


# --- the slow and obvious players ------------------------------------------------------------------------


def playable(game: Game, hand: Cards, drawn: int) -> list[int]:
    """Return the cards, copies included, that a player with this hand may play."""
    seen = game.observation(game.turn)
    rules = game.rules
    if seen.penalty and rules.stack == "no":
        return []
    owed_for = {rank_of(seen.top), 14} if rules.stack == "rising" and rank_of(seen.top) == 12 else {rank_of(seen.top)}
    cards = []
    for card in hand if drawn == NO_CARD else [drawn]:
        fits = is_black(card) or colour_of(card) == seen.colour or rank_of(card) == rank_of(seen.top)
        held_back = rules.wild_four == "last_resort" and card == 53 and any(colour_of(c) == seen.colour for c in hand)
        answers = not seen.penalty or rank_of(card) in owed_for
        if fits and answers and not held_back:
            cards.append(card)
    return cards


def obvious_greedy(game: Game, hand: Cards, drawn: int) -> dict[int, Fraction]:
    """Uniform over the playable cards (each copy counts), a black one declared in the colour held most."""
    cards = playable(game, hand, drawn)
    if not cards:
        return {KEEP if drawn != NO_CARD else DRAW: Fraction(1)}
    most = max(game.rules.colours, key=lambda colour: (sum(colour_of(card) == colour for card in hand), -colour))
    law: dict[int, Fraction] = {}
    for card in cards:
        action = action_id(card, most)
        law[action] = law.get(action, Fraction(0)) + Fraction(1, len(cards))
    return law


def obvious_uniform(game: Game, hand: Cards, drawn: int) -> dict[int, Fraction]:
    """Uniform over what is legal; a black card counts once for each colour of the deck."""
    cards = playable(game, hand, drawn)
    actions = {action_id(card, colour) for card in cards for colour in game.rules.colours}
    seen = game.observation(game.turn)
    can_draw = seen.draw_size > 0 or (game.rules.reshuffle == "yes" and len(seen.played) > 1)
    if seen.penalty:
        actions.add(DRAW)
        if game.rules.wild_four == "challenge" and rank_of(seen.top) == 14:
            actions.add(CHALLENGE)
    elif drawn != NO_CARD:
        if game.rules.draw != "until_playable":
            actions.add(KEEP)
    elif not cards or (game.rules.draw == "optional" and can_draw):
        actions.add(DRAW)
    return {action: Fraction(1, len(actions)) for action in actions}


# --- every position --------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [*VARIANTS[::3], *PAIRS_OF_VALUES], ids=named)
def test_each_model_is_the_obvious_player_for_every_hand(variant: dict[str, str]) -> None:
    for game, hands, drawn in positions(variant):
        for model, obvious in zip(MODELS, (obvious_uniform, obvious_greedy), strict=True):
            found = chances(model, game, hands, drawn)
            expected = np.zeros_like(found)
            for row, (hand, card) in enumerate(zip(hands, drawn, strict=True)):
                for action, chance in obvious(game, hand, card).items():
                    expected[row, action] = float(chance)
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12, err_msg=f"{model.name}: {game.deal}")
            np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("variant", [*VARIANTS[::3], *PAIRS_OF_VALUES], ids=named)
def test_illegal_actions_are_minus_infinity_and_uniform_gives_every_legal_one(variant: dict[str, str]) -> None:
    for game, hands, drawn in positions(variant):
        legal = np.array([game.legal_mask >> action & 1 for action in range(ACTIONS)], bool)
        assert ((chances(PolicyModel(RANDOM), game, hands[:1], drawn[:1])[0] > 0.0) == legal).all()
        assert not chances(PolicyModel(GREEDY), game, hands[:1], drawn[:1])[0][~legal].any()
    seen = other_side(game.observation(1 - game.turn))
    rows, cards = np.array([hand.array() for hand in hands]), np.array(drawn, np.uint8)
    illegal = int(np.flatnonzero(~legal)[0])
    for model in MODELS:
        assert model.log_probabilities(seen, rows[:1], cards[:1], illegal)[0] == -np.inf


def test_the_positions_show_penalties_and_both_ends_of_a_decision() -> None:
    shown = set()
    for variant in VARIANTS[::5]:
        for game, _, drawn in positions(variant, games=3):
            seen = game.observation(game.turn)
            can_play = bool(game.legal_mask & ((1 << DRAW) - 1))
            shown.add((seen.penalty, drawn[0] != NO_CARD, can_play))
    assert shown == {(0, False, True), (0, False, False), (2, False, False), (4, False, False)} | {
        (0, True, True),
        (0, True, False),
    }


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_no_hands_give_no_numbers(model: MemorylessModel) -> None:
    seen = other_side(start("R7", "R1", "R2", "R3").observation(1))
    assert model.log_probabilities(seen, np.zeros((0, 54), np.uint8), np.zeros(0, np.uint8), DRAW).shape == (0,)


def test_models_say_their_names() -> None:
    assert [model.name for model in MODELS] == NAMES


# --- greedy by name --------------------------------------------------------------------------------------


def greedy_of(game: Game, hand: str, drawn: int = NO_CARD) -> dict[str, float]:
    """Return what the greedy model gives a hand of the player to move, by the names of the actions."""
    row = chances(PolicyModel(GREEDY), game, [Cards.parse(hand)], [drawn])[0]
    return {str(TYPED_ACTIONS[action]): round(float(row[action]), 12) for action in np.flatnonzero(row)}


def test_greedy_counts_copies() -> None:
    game = start("R7", "R1 R1 R2 Y1", "G1 G2 G3 G4", "B7")
    assert greedy_of(game, "R1 R1 R2 Y1") == {"R1": round(2 / 3, 12), "R2": round(1 / 3, 12)}


@pytest.mark.parametrize(
    ("hand", "wild"),
    [("W Y1 B1 B2", "W:B"), ("W Y1 G1 W4", "W:Y"), ("W W4 W4 W4", "W:R"), ("W B1 G1 G2", "W:G"), ("W G1 B1 W", "W:G")],
)
def test_greedy_declares_the_colour_held_most_the_first_among_equals(hand: str, wild: str) -> None:
    game = start("R7", "R1 R1 R2 Y1", "G1 G2 G3 G4", "B7")
    assert wild in greedy_of(game, hand)


def test_greedy_never_draws_or_keeps_by_choice() -> None:
    game = start("R7", "Y1 Y2", "G1 G2", "R1 B7 B8", draw="optional", drawn_card="may_play")
    assert greedy_of(game, "Y1 R2") == {"R2": 1.0}
    assert greedy_of(game, "Y1 Y2") == {"draw": 1.0}
    do(game, "draw")
    assert greedy_of(game, "Y1 Y2 R1", drawn=1) == {"R1": 1.0}
    assert greedy_of(game, "Y1 R1 B7", drawn=3 * 13 + 8) == {"keep": 1.0}


# --- what the opponent sees ------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [*VARIANTS[::3], *PAIRS_OF_VALUES], ids=named)
def test_the_other_side_is_what_the_opponent_really_sees_but_its_hand(variant: dict[str, str]) -> None:
    for game, _, _ in positions(variant):
        for seat in SEATS:
            expected = np.zeros(1, OBSERVATION)
            observe_one(expected, game.to_state(), 1 - seat)
            expected["hand"], expected["hand_mask"], expected["drawn"] = 0, 0, NO_CARD
            found = other_side(game.observation(seat))
            for field in OBSERVATION.names or ():
                np.testing.assert_array_equal(found[field], expected[field], err_msg=field)
