"""The scripted policies do what their sentences say, and play, model and roll out alike."""

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.helpers import PAIRS_OF_VALUES, do, rules_of, start
from tests.helpers import named as ids
from uno_pomdp.agents.scripted import ScriptedAgent, own_record
from uno_pomdp.cards import WILD_FOUR, colour_of
from uno_pomdp.errors import InvalidAgent
from uno_pomdp.game.actions import DRAW, Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import legal_mask
from uno_pomdp.game.layout import ACTIONS, NO_CARD, RUNNING, STATE, States
from uno_pomdp.game.rng import Streams, streams
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import (
    BASELINE,
    GREEDY,
    HEURISTIC,
    PLAIN_WEIGHTS,
    POLICY_NAMES,
    RANDOM,
    WEIGHTS,
    choose,
    is_policy,
    noise_of,
    noisy,
    policy_name,
    policy_named,
)
from uno_pomdp.policies.model_kernels import log_probabilities_all, policy_one
from uno_pomdp.policies.opponent_models import PolicyModel, other_side
from uno_pomdp.policies.rollouts import play_out
from uno_pomdp.rules import PRESETS, Rules, preset

POLICIES = [RANDOM, GREEDY, BASELINE, HEURISTIC, noisy(HEURISTIC, 0.3), noisy(GREEDY, 0.3)]
IDS = list(map(policy_name, POLICIES))


def policy_at(game: Game, policy: int) -> dict[str, float]:
    """Return what a policy would do for the player to move, by the action's text."""
    agent = ScriptedAgent(policy)
    agent.start(game.rules, game.observation(game.turn), seed=1)
    return {str(Action.parse(name)): chance for name, chance in named(agent.policy()) if chance > 0}


def named(chances: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[tuple[str, float]]:
    from uno_pomdp.game.actions import ACTIONS as TYPED  # the 63 actions by id

    return [(str(TYPED[i]), float(chance)) for i, chance in enumerate(chances)]


# --- baseline, sentence by sentence ----------------------------------------------------------------------


def test_baseline_plays_a_draw_two_before_anything_else() -> None:
    game = start("R7", "R+2 RS RR R1 W W4", "Y1 Y2 Y3 Y4 Y5 Y6", "B1 B2")
    assert policy_at(game, BASELINE) == {"R+2": 1.0}


def test_baseline_plays_a_skip_or_a_reverse_before_numbers_each_type_equally_likely() -> None:
    game = start("R7", "RS RR R1 R1 W", "Y1 Y2 Y3 Y4 Y5", "B1 B2")
    assert policy_at(game, BASELINE) == {"RS": 0.5, "RR": 0.5}


def test_baseline_counts_types_of_numbers_not_copies() -> None:
    game = start("R7", "R1 R1 R2 W", "Y1 Y2 Y3 Y4", "B1 B2")
    assert policy_at(game, BASELINE) == {"R1": 0.5, "R2": 0.5}


def test_baseline_plays_black_last_the_wild_four_first_in_the_colour_of_which_it_holds_most_types() -> None:
    game = start("R7", "W W4 G1 G1 G1 B1 B2", "Y1 Y2 Y3 Y4 Y5 Y6 Y8", "B3 B4")
    assert policy_at(game, BASELINE) == {"W4:B": 1.0}
    tied = start("R7", "W G1 B1", "Y1 Y2 Y3", "R3 B4")
    assert policy_at(tied, BASELINE) == {"W:G": 1.0}


def test_baseline_and_greedy_and_heuristic_never_draw_or_keep_by_choice() -> None:
    for policy in (GREEDY, BASELINE, HEURISTIC):
        game = start("R7", "R1 Y2", "Y1 Y3", "R2 B2", draw="optional", drawn_card="may_play")
        assert "draw" not in policy_at(game, policy)
        game = do(start("R7", "Y2 Y4", "Y1 Y3", "R2 B2", drawn_card="may_play"), "draw")
        assert policy_at(game, policy) == {"R2": 1.0}


# --- the others ------------------------------------------------------------------------------------------


def test_random_counts_a_wild_once_for_each_colour() -> None:
    game = start("R7", "R1 W", "Y1 G2", "B2 B3")
    assert policy_at(game, RANDOM) == dict.fromkeys(["R1", "W:R", "W:Y", "W:G", "W:B"], 0.2)


def test_greedy_counts_copies_and_declares_the_colour_of_which_it_holds_most_cards() -> None:
    game = start("R7", "R1 R1 W G2 G2 G2", "Y1 Y2 Y3 Y4 Y5 Y6", "B2 B3")
    assert policy_at(game, GREEDY) == pytest.approx({"R1": 2 / 3, "W:G": 1 / 3})


def test_heuristic_gets_rid_of_a_lonely_colour_and_keeps_its_black_cards() -> None:
    game = start("R7", "Y7 R1 R2 R3 W", "Y1 Y2 Y3 Y4 Y5", "B2 B3")
    assert policy_at(game, HEURISTIC) == {"Y7": 1.0}


# --- noise -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["house", "printed", "mini-10"])
@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_with_noise_any_legal_action_is_taken_with_that_probability(name: str, noise: float) -> None:
    """π(a) = (1 − ε) π₀(a) + ε / |legal|, where a black card counts once for each colour and a draw as one action."""
    chance, looked = random.Random(7), 0
    for seed in range(15):
        game = Game.new(preset(name), seed)
        for _ in range(60):  # games of random players with optional draws take thousands of moves
            if game.over:
                break
            legal = game.legal_actions()
            plain = policy_at(game, HEURISTIC)
            expected = {str(one): (1 - noise) * plain.get(str(one), 0.0) + noise / len(legal) for one in legal}
            told = policy_at(game, noisy(HEURISTIC, noise))
            assert told == pytest.approx({text: one for text, one in expected.items() if one > 0.0})
            looked += len(legal) > 1
            game.apply(chance.choice(legal))
    assert looked > 15


def test_noise_is_part_of_a_policys_name() -> None:
    for text in (*POLICY_NAMES, "heuristic:noise=0.1", "heuristic:noise=1", "heuristic:noise=1e-12"):
        assert policy_name(policy_named(text)) == text
        assert is_policy(text)
    assert noise_of(policy_named("heuristic:noise=0.1")) == pytest.approx(0.1, abs=1e-15)
    assert policy_named("heuristic:noise=0") == HEURISTIC
    assert policy_named("heuristic: noise = 0.25") == noisy(HEURISTIC, 0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best", "no policy is called 'best': choose one of random, greedy, baseline, heuristic"),
        ("greedy:noise=0.1", "no policy is called 'greedy:noise=0.1': .* or heuristic:noise=0.1"),
        ("heuristic:", "no policy is called 'heuristic:'"),
        ("heuristic:ms=1", "no policy is called 'heuristic:ms=1'"),
        ("heuristic:noise=", "noise: '' is not a number from 0 to 1"),
        ("heuristic:noise=1.1", "noise: '1.1' is not a number from 0 to 1"),
        ("heuristic:noise=nan", "noise: 'nan' is not a number from 0 to 1"),
    ],
)
def test_a_text_that_names_no_policy_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidAgent, match=message):
        policy_named(text)
    assert not is_policy(text)


# --- one policy, three uses ------------------------------------------------------------------------------


def seen_positions(rules: Rules, games: int, moves: int = 60) -> Iterator[Game]:
    """Yield games at each move, played at random with few draws by choice."""
    for seed in range(games):
        game, chance = Game.new(rules, seed), random.Random(seed)
        for _ in range(moves):
            if game.over:
                break
            yield game
            game.apply(chance.choice([a for a in game.legal_actions() if a != DRAW] or [DRAW]))


@pytest.mark.parametrize("policy", POLICIES, ids=IDS)
@pytest.mark.parametrize("name", PRESETS)
def test_a_policy_is_a_distribution_over_legal_actions(policy: int, name: str) -> None:
    for game in seen_positions(preset(name), 8):
        agent = ScriptedAgent(policy)
        agent.start(game.rules, game.observation(game.turn), 1)
        chances = agent.policy()
        assert chances.sum() == pytest.approx(1.0)
        assert set(np.flatnonzero(chances)) <= {action.id for action in game.legal_actions()}


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=ids)
def test_agent_model_and_kernels_agree_under_every_pair_of_rules(variant: dict[str, str]) -> None:
    """Wherever somebody has a choice: the model with the hand says what the agent says, and `choose` stays within."""
    state, stream, choices = np.zeros(1, STATE), streams(5), 0
    for deck in ("standard, hands of 4", "all penalties", "skips", "few of four colours"):
        for game in seen_positions(rules_of(deck, variant), 3, 40):
            if len(game.legal_actions()) == 1:
                continue
            choices += 1
            seen, record = game.observation(game.turn), other_side(game.observation(1 - game.turn))
            hands = game.hand(game.turn).array()[None]
            drawn = np.array([NO_CARD if seen.drawn is None else seen.drawn], np.uint8)
            for policy in POLICIES:
                agent = ScriptedAgent(policy)
                agent.start(game.rules, seen, 1)
                said, model = agent.policy(), PolicyModel(policy)
                told = [np.exp(model.log_probabilities(record, hands, drawn, each)[0]) for each in range(ACTIONS)]
                np.testing.assert_allclose(told, said, err_msg=f"{policy_name(policy)}: {game.deal}")
                state[0] = game.to_state()[0]
                assert said[choose_one(state, policy, WEIGHTS, stream)] > 0.0
    assert choices > 20


@kernel
def choose_one(table: States, policy: int, weights: "np.ndarray", random_stream: Streams) -> int:
    """Return what a policy chooses in the first position."""
    return choose(policy, table[0], legal_mask(table[0]), weights[0], random_stream[0])


# --- swaps, lies and challenges --------------------------------------------------------------------------


def test_greedy_and_baseline_never_challenge_and_random_counts_that_as_one_action() -> None:
    game = do(start("R7", "W4 R1 G2", "Y1 Y2 R3", "B1 B2 B3 B4 B5 B6", wild_four="challenge"), "W4:G")
    assert policy_at(game, RANDOM) == {"draw": 0.5, "challenge": 0.5}
    for policy in (GREEDY, BASELINE):
        assert policy_at(game, policy) == {"draw": 1.0}


def test_a_debt_is_answered_by_all_who_do_not_play_at_random() -> None:
    game = do(start("R7", "R+2 R1 R2", "Y+2 Y2 W4", "B1 B2 B3 B4 B5 B6", stack="rising"), "R+2")
    assert policy_at(game, RANDOM) == dict.fromkeys(["Y+2", "W4:R", "W4:Y", "W4:B", "draw"], 0.2)
    assert policy_at(game, GREEDY) == {"Y+2": 0.5, "W4:Y": 0.5}
    assert policy_at(game, BASELINE) == {"Y+2": 1.0}
    assert "draw" not in policy_at(game, HEURISTIC)
    bare = do(start("R7", "R+2 R1 R2", "Y1 Y2 R3", "B1 B2 B3 B4 B5 B6", stack="same"), "R+2")
    for policy in POLICIES:
        assert policy_at(bare, policy) == {"draw": 1.0}


def test_what_ends_a_long_draw_is_played_a_black_card_in_the_colour_of_the_policy() -> None:
    game = do(start("R7", "Y1 Y2 B3", "G1 G2 R3", "B1 G5 W B4", draw="until_playable"), "draw")
    assert policy_at(game, RANDOM) == dict.fromkeys(["W:R", "W:Y", "W:G", "W:B"], 0.25)
    for policy in (GREEDY, BASELINE, HEURISTIC):
        assert policy_at(game, policy) == {"W:Y": 1.0}


@pytest.mark.parametrize("rules", ["printed", "house,wild_four=challenge", "party,wild_four=challenge,stack=no"])
def test_baseline_never_lies(rules: str) -> None:
    """In 40 games it plays wild +4s, and none while it holds a card of the active colour."""
    bluffed, honest = 0, 0
    for seed in range(40):
        game, agent = Game.new(rules, seed), ScriptedAgent(BASELINE)
        for _ in range(80):
            if game.over:
                break
            seen = game.observation(game.turn)
            agent.start(game.rules, seen, seed)
            action = agent.decide().action
            if action.card == WILD_FOUR:
                guilty = any(colour_of(card) == seen.colour for card in seen.hand)
                bluffed, honest = bluffed + guilty, honest + (not guilty)
            game.apply(action)
    assert bluffed == 0
    assert honest > 10


def odds_of_colour(of_colour: int, seen: int, cards: int, colours: int, size: int) -> float:
    """Return the odds that a hand of this size holds a colour, by the formula of `bluffing`."""
    none = (1 - (0.9 * cards / colours - of_colour) / (cards - seen)) ** size
    return (1 - none) / none


def test_the_heuristic_states_how_often_it_lies_and_challenges() -> None:
    """Both rates by their formulas, worked out here: 30 cards of four colours, hands of 3, a red one seen, then two."""
    pile = "B1 B2 B3 B4 B5 B6 Y4 Y5 Y6 Y7 Y8 Y9 G1 G3 G4 G5 G6 G7 G8 G9 B7 B8 B9"
    game = start("R7", "W4 R1 G2", "Y1 Y2 R3", pile, wild_four="challenge")
    lie, each, challenge, slope = (float(WEIGHTS[0][n]) for n in ("lie", "lie_each", "challenge", "challenge_odds"))
    lies = math.exp(lie + 3 * each) / odds_of_colour(1, 1, 30, 4, 2)
    assert policy_at(game, HEURISTIC) == pytest.approx({"W4:R": lies, "R1": 1 - lies})
    do(game, "W4:Y")
    lies = math.exp(lie + 3 * each) / odds_of_colour(1, 2, 30, 4, 2)
    odds = lies * odds_of_colour(1 + 1, 2 + 3, 30, 4, 2)
    rate = 1 / (1 + math.exp(-challenge - slope * math.log(odds)))
    assert 0.0 < lies < 0.1
    assert 0.0 < rate < 0.3
    assert policy_at(game, HEURISTIC) == pytest.approx({"challenge": rate, "draw": 1 - rate})


def test_the_heuristic_lies_to_who_is_about_to_win_and_is_challenged_more_there() -> None:
    lies, challenges = [], []
    for theirs, moves in (("RS R4 Y1", "R3 RS R4"), ("R4 Y1 Y2", "R3 R4"), ("Y1 Y2 R4", "")):  # one card, two, three
        game = do(start("R7", "R3 W4 R1", theirs, "B1 B2 B3 B4 B5 B6", wild_four="challenge"), moves)
        lies.append(sum(chance for text, chance in policy_at(game, HEURISTIC).items() if text.startswith("W4")))
        challenges.append(policy_at(do(game, "W4:Y"), HEURISTIC)["challenge"])
    assert lies == sorted(lies, reverse=True)
    assert challenges == sorted(challenges, reverse=True)
    honest = start("R7", "W4 G1 G2", "Y1 Y2 Y3", "B1 B2 B3 B4 B5 B6", wild_four="challenge")
    assert policy_at(honest, HEURISTIC) == {"W4:G": 1.0}


def test_what_a_victim_does_does_not_turn_on_the_hand_that_it_can_not_see() -> None:
    """The same random numbers, a liar or an honest player opposite: the same 500 choices, of both kinds."""
    told = []
    for hand, other in (("W4 R1", "G2"), ("W4 G2", "R1")):
        game = do(start("R7", hand, "Y1 Y2", f"{other} B1 B2 B3 B4 B5 B6", wild_four="challenge"), "W4:B")
        state, stream = game.to_state(), streams(9)
        told.append([choose_one(state, HEURISTIC, WEIGHTS, stream) for _ in range(500)])
    assert told[0] == told[1]
    assert len(set(told[0])) == 2


@pytest.mark.parametrize("step", ["lie", "challenge"])
def test_lies_and_challenges_happen_as_often_as_stated(step: str) -> None:
    """8,000 choices, each action within four standard errors."""
    game = start("R7", "W4 R1", "Y1 Y2", "B1 B2 B3 B4 B5 B6", wild_four="challenge")
    if step == "challenge":
        do(game, "W4:Y")
    state, stream = game.to_state(), streams(3)
    agent = ScriptedAgent(HEURISTIC)
    agent.start(game.rules, game.observation(game.turn), seed=1)
    expected, count = agent.policy(), 8000
    taken = np.bincount([choose_one(state, HEURISTIC, WEIGHTS, stream) for _ in range(count)], minlength=ACTIONS)
    assert (np.abs(taken / count - expected) <= 4 * np.sqrt(expected * (1 - expected) / count) + 1e-12).all()
    assert np.count_nonzero(expected) == 2


def test_a_swap_is_liked_by_the_cards_that_it_saves() -> None:
    many = start("R5", "R7 R1 Y2", "G1 G2 G3", "B1 B2 B3 B4", swap="seven_zero")
    assert policy_at(many, HEURISTIC) == {"R1": 1.0}
    few = do(start("R5", "R+2 R7 R1 Y2", "RS RR R3 G3", "B1 B2 B3 B4", swap="seven_zero"), "R1 RS RR R3")
    assert policy_at(few, HEURISTIC) == {"R7": 1.0}


@pytest.mark.parametrize("name", ["house", "pass", "mini-10", "stacking"])
def test_the_later_weights_do_not_count_where_their_rules_do_not_hold(name: str) -> None:
    other = WEIGHTS.copy()
    for field in (WEIGHTS.dtype.names or ())[len(PLAIN_WEIGHTS) :]:
        other[field] += 7.0
    for game in seen_positions(preset(name), 10):
        seen, hand, drawn = own_record(game.observation(game.turn))
        ours, theirs = np.empty(ACTIONS), np.empty(ACTIONS)
        policy_one(HEURISTIC, seen, hand, drawn, WEIGHTS, ours)
        policy_one(HEURISTIC, seen, hand, drawn, other, theirs)
        assert (ours == theirs).all()


@pytest.mark.parametrize("policy", POLICIES, ids=IDS)
def test_the_model_says_what_the_agent_says(policy: int) -> None:
    for seed in range(30):
        game = Game.new(preset("house"), seed)
        agent = ScriptedAgent(policy)
        agent.start(game.rules, game.observation(0), seed)
        expected = agent.policy()
        seen = other_side(game.observation(1))
        hands, none = game.hand(0).array()[None], np.full(1, NO_CARD, np.uint8)
        model = PolicyModel(policy)
        told = [np.exp(model.log_probabilities(seen, hands, none, action)[0]) for action in range(ACTIONS)]
        np.testing.assert_allclose(told, expected)
    assert model.name == policy_name(policy)


@pytest.mark.parametrize("policy", [RANDOM, GREEDY])
def test_the_quick_kernels_of_models_are_the_same_policies(policy: int) -> None:
    for seed in range(20):
        game = Game.new(preset("printed"), seed)
        seen, hand, drawn = own_record(game.observation(0))
        for action in range(ACTIONS):
            drawn_row, slow = np.array([drawn], np.uint8), np.empty(1)
            quick = PolicyModel(policy).log_probabilities(seen, hand[None], drawn_row, action)
            log_probabilities_all(policy, seen, hand[None], drawn_row, action, WEIGHTS, slow)
            assert quick == pytest.approx(slow)


@kernel
def first_actions(
    start_state: States, table: States, policy: int, weights: "np.ndarray", random_stream: Streams, tops: "np.ndarray"
) -> None:
    """Play many games out from one position and count the card on top after the first action."""
    for _ in range(len(tops)):
        table[0] = start_state[0]
        play_out(table[0], policy, policy, weights[0], random_stream[0])
        tops[_] = table[0]["played"][1]


@pytest.mark.parametrize("policy", POLICIES, ids=IDS)
def test_play_inside_kernels_follows_the_same_probabilities(policy: int) -> None:
    """The first card of 4,000 playouts, each type within four standard errors."""
    game = start("R7", "R1 R1 R2 RS Y7 W G3", "Y1 Y2 Y3 Y4 Y5 Y6 Y8", "B2 B3 B4 B5 G1 G2 G4", reshuffle="no")
    expected = np.zeros(54)
    for text, chance in policy_at(game, policy).items():
        card = Action.parse(text).card
        assert card is not None
        expected[card] += chance
    tops = np.zeros(4000, np.int64)
    first_actions(game.to_state(), np.zeros(1, STATE), policy, WEIGHTS, streams(7), tops)
    shares = np.bincount(tops, minlength=54) / len(tops)
    error = np.sqrt(expected * (1 - expected) / len(tops))
    assert (np.abs(shares - expected) <= 4 * error + 1e-12).all()


def test_playing_out_ends_every_game() -> None:
    for name in PRESETS:
        for seed in range(5):
            table = Game.new(preset(name), seed).to_state()
            finish(table, streams(seed))
            assert table["status"][0] != RUNNING


@kernel
def finish(table: States, random_stream: Streams) -> None:
    """Play one game out."""
    play_out(table[0], HEURISTIC, BASELINE, WEIGHTS[0], random_stream[0])
