"""The two cards for a forgotten UNO: when they are due, what they change, who is told what, and their line."""

import itertools
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings

from tests.game.records import PLAYERS, can_forget, comes_back, line_of, refused, wandered
from tests.helpers import any_rules, any_seed, cards, do, legal, rules_of, start, state_bytes
from uno_pomdp.agents.agent_model import AgentModel
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import CannotEnumerate, EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cards import Cards
from uno_pomdp.cli.play.log import move_cell
from uno_pomdp.errors import GameOver, IllegalAction, InvalidBelief
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.actions import ACTIONS, FORGOT_UNO, Action
from uno_pomdp.game.events import Drew, Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.game.information import FORGOT, OTHER_DREW, history_text, tokens_told
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.registry import make_agent
from uno_pomdp.review.game import review_game
from uno_pomdp.rules import Rules

CARDS: Final = "R1", "R2 R3", "Y4 G8", "Y5 B5 B6 B7"


def one_left(**options: Any) -> Game:
    """Return a game in which player 1 has played its last but one card."""
    return do(start(*CARDS, **options), "R2")


# --- the game --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", "draw"])
def test_two_cards_come_from_the_pile_out_of_turn_or_in_turn_and_nothing_else_changes(before: str) -> None:
    game = do(one_left(), before)
    turn, other, top = game.turn, game.hand(1), game.played_pile
    pile = game.draw_pile
    game.forget_uno(0)
    assert game.hand(0) == Cards.parse("R3") + Cards.of(pile[:2])
    assert (game.turn, game.hand(1), game.played_pile, game.draw_pile) == (turn, other, top, pile[2:])
    assert legal(game) == ("R3" if before else "draw")
    done = game.last_move
    assert (done.seat, done.action, done.drawn, done.reshuffled, done.drawer) == (0, FORGOT_UNO, pile[:2], None, 0)


def test_the_new_cards_can_be_played() -> None:
    game = do(start("R1", "R2 G9", "Y4 G8", "R5 B5 B6 B7"), "R2 draw")
    assert legal(game) == "draw"
    game.forget_uno(0)
    assert game.hand(0) == Cards.parse("G9 B5 B6")
    assert legal(do(start("R1", "R2 G9", "Y4 G8", "B5 R5 B6 B7"), "R2 draw")) == "draw"
    twin = do(start("R1", "R2 G9", "Y4 G8", "B5 R5 B6 B7"), "R2 draw")
    twin.forget_uno(0)
    assert legal(twin) == "R5"


def test_what_is_owed_stays_owed() -> None:
    game = do(start("R1", "R+2 R3", "Y4 G8", "Y5 B5 B6 B7"), "R+2")
    game.forget_uno(0)
    assert game.observation(1).penalty == 2
    do(game, "draw")
    assert game.hand(1) == Cards.parse("Y4 G8 B6 B7")


def test_a_player_can_forget_again_when_it_holds_one_card_again() -> None:
    game = do(start("R1", "R2 R3", "R4 R5", "R6 B5 B6 B7"), "R2 R4")
    game.forget_uno(0)
    game.forget_uno(1)
    assert [len(game.hand(seat)) for seat in (0, 1)] == [3, 3]


@pytest.mark.parametrize(
    ("pile", "options", "drawn", "left"),
    [("Y5", {"reshuffle": "no"}, 1, 0), ("", {"reshuffle": "no"}, 0, 0), ("", {}, 1, 0), ("Y5", {}, 2, 0)],
)
def test_as_many_are_drawn_as_there_are_and_the_game_goes_on(
    pile: str, options: dict[str, Any], drawn: int, left: int
) -> None:
    game = do(start(*CARDS[:3], pile, **options), "R2")  # R1 lies below R2
    game.forget_uno(0)
    assert (len(game.hand(0)), len(game.draw_pile), game.over) == (1 + drawn, left, False)
    assert (game.last_move.reshuffled is None) == ("reshuffle" in options)


def test_the_pile_is_reshuffled_for_it_as_for_any_draw() -> None:
    game = do(start("R1", "R2 R3 R4", "R5 R6 Y9", "B5", seed=7), "R2 R5 R3 R6")
    twin = game.copy()
    game.forget_uno(0)
    move = game.last_move
    assert Cards.of(move.order) == Cards.parse("R1 R2 R3 R5 B5")
    assert move.cards == move.order[:2]
    assert game.played_pile == cards("R6")
    twin.forget_uno(0, move.order)
    assert twin == game
    assert state_bytes(twin) == state_bytes(game)


@pytest.mark.parametrize(
    ("game", "seat", "reason"),
    [
        (start(*CARDS), 0, "UNO is said with one card left, but player 1 holds 2"),
        (one_left(), 1, "UNO is said with one card left, but player 2 holds 2"),
        (one_left(), 2, "there is no seat 2"),
        (
            do(one_left(drawn_card="may_play"), "draw"),
            0,
            "player 2 decides about a card just drawn: that is done before",
        ),
        (
            do(start("R1", "W4 R3", "Y4 G8", "Y5 B5 B6 B7", wild_four="challenge"), "W4:R"),
            0,
            "player 1's wild [+]4 can be challenged, and its hand counts for that",
        ),
    ],
)
def test_they_are_refused_where_they_are_not_due(game: Game, seat: int, reason: str) -> None:
    before = game.copy()
    with pytest.raises(IllegalAction, match=reason):
        game.forget_uno(seat)
    assert game == before
    assert state_bytes(game) == state_bytes(before)


def test_they_are_refused_when_the_game_is_over() -> None:
    game = do(start("R1", "R2", "Y3", "B5 B6"), "R2")
    with pytest.raises(GameOver, match="player 2 can't draw for a forgotten UNO: the game is over, player 1 wins"):
        game.forget_uno(1)


@pytest.mark.parametrize(
    ("order", "reason"), [("R1", "forgot UNO reshuffles nothing here"), ("", "reshuffles nothing")]
)
def test_an_order_is_refused_where_nothing_is_reshuffled(order: str, reason: str) -> None:
    with pytest.raises(IllegalAction, match=reason):
        one_left().forget_uno(0, cards(order))


def test_an_order_of_other_cards_is_refused_and_leaves_the_game_as_it_was() -> None:
    game = do(start("R1", "R2 R3", "Y4 G8", "Y5"), "R2")
    before = game.copy()
    with pytest.raises(IllegalAction, match="the reshuffled pile has to hold R1 Y5"):
        game.forget_uno(0, cards("R1 Y6"))
    assert state_bytes(game) == state_bytes(before)


def test_it_is_none_of_the_actions() -> None:
    game = one_left()
    assert FORGOT_UNO not in ACTIONS
    with pytest.raises(IllegalAction, match="to forget UNO is no action: legal is draw"):
        game.apply(FORGOT_UNO)
    with pytest.raises(ValueError, match="is no card"):
        Action.parse(str(FORGOT_UNO))


# --- who is told what ------------------------------------------------------------------------------------


def test_the_other_is_told_how_many_and_not_which() -> None:
    game = one_left()
    game.forget_uno(0)
    whole = Drew(0, 2, True, cards("Y5 B5"), forgot=True)
    assert game.events(since=1) == game.events(0, since=1) == (whole,)
    assert game.events(1, since=1) == (replace(whole, cards=None),)
    assert [step.action for step in game.history(1).steps] == [Action.parse("R2"), FORGOT_UNO]
    reshuffled = do(start("R1", "R2 R3", "Y4 G8", "Y5"), "R2")
    reshuffled.forget_uno(0)
    assert isinstance(reshuffled.events(1, since=1)[0], Reshuffled)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_observed_game_is_told_it_and_sees_what_the_seat_would(seat: int) -> None:
    game = do(start("R1", "R2 R3 R4", "R5 R6 Y9", "B5", seed=7), "R2 R5 R3 R6")
    table = ObservedGame(game.rules, seat, game.deal.hands[seat], game.deal.top)
    for move in game.moves:
        table.apply(move.action)
    game.forget_uno(0)
    table.forget_uno(0, game.last_move.cards if seat == 0 else ())
    assert table.observation == game.observation(seat)
    assert table.events[-1] == game.events(seat, since=4)
    assert table.moves == observed(record_of(game), seat).moves


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [("", "player 1 sees 2 cards here, not 0"), ("Y5 Y4", ""), ("R1 R1", "you can't have drawn R1")],
)
def test_an_observed_game_refuses_cards_that_can_not_have_been_drawn(drawn: str, reason: str) -> None:
    table = ObservedGame(one_left().rules, 0, Cards.parse("R2 R3"), cards("R1")[0])
    table.apply(Action.parse("R2"))
    if not reason:  # Y4 is player 2's, but nobody knows that
        table.forget_uno(0, cards(drawn))
        return
    with pytest.raises(IllegalAction, match=reason):
        table.forget_uno(0, cards(drawn))
    with pytest.raises(IllegalAction, match="player 1 sees 0 cards here, not 2"):
        table.forget_uno(1, cards("Y5 Y4"))
    with pytest.raises(IllegalAction, match="UNO is said with one card left, but player 2 holds 2"):
        table.forget_uno(1)


# --- the text --------------------------------------------------------------------------------------------


def text_after(game: Game) -> str:
    """Return the record's text of a game in which player 1 forgets UNO now."""
    game.forget_uno(0)
    return format_record(record_of(game, PLAYERS))


def test_it_has_a_line_of_its_own_with_a_number() -> None:
    game = one_left()
    assert text_after(game).splitlines()[-2] == "2. player 1: forgot UNO; player 1 draws Y5 B5"
    do(game, "draw")
    seen = [format_record(observed(record_of(game), seat)).splitlines()[-3:-1] for seat in (0, 1)]
    assert seen[0] == ["2. player 1: forgot UNO; player 1 draws Y5 B5", "3. player 2: draw 1 hidden"]
    assert seen[1] == ["2. player 1: forgot UNO; player 1 draws 2 hidden", "3. player 2: draw B6"]
    comes_back(record_of(game))


def test_a_reshuffle_for_it_stands_before_it_and_nothing_may_be_left() -> None:
    game = do(start("R1", "R2 R3", "Y4 G8", "Y5", seed=2), "R2")
    lines = text_after(game).splitlines()[-3:-1]
    assert lines[0].startswith("reshuffle: ")
    assert lines[1] == f"2. player 1: forgot UNO; player 1 draws {lines[0].removeprefix('reshuffle: ')}"
    comes_back(record_of(game))
    empty = do(start("R1", "R2 R3", "Y4 G8", "", reshuffle="no"), "R2")
    assert text_after(empty).splitlines()[-2] == "2. player 1: forgot UNO; player 1 draws nothing"
    comes_back(record_of(empty))


LINE: Final = "2. player 1: forgot UNO; player 1 draws Y5 B5"
DAMAGE: Final = [
    ("other cards", "2. player 1: forgot UNO; player 1 draws Y5 B6", "the cards drawn here are Y5 B5, not Y5 B6"),
    ("one card", "2. player 1: forgot UNO; player 1 draws Y5", "the cards drawn here are Y5 B5, not Y5"),
    ("no cards", "2. player 1: forgot UNO; player 1 draws nothing", "the cards drawn here are Y5 B5, not none"),
    ("hidden cards", "2. player 1: forgot UNO; player 1 draws 2 hidden", "a whole record names every card"),
    ("nothing told", "2. player 1: forgot UNO", "'player 1 draws …' belongs behind forgot UNO"),
    ("another drawer", "2. player 1: forgot UNO; player 2 draws Y5 B5", "'player 1 draws …' belongs behind forgot UNO"),
    (
        "who did not",
        "2. player 2: forgot UNO; player 2 draws Y5 B5",
        "UNO is said with one card left, but player 2 holds",
    ),
    ("too much told", f"{LINE}; twice", "'twice' does not belong behind forgot UNO"),
    ("cards without a word", "2. player 1: forgot UNO Y5 B5", "is no card"),
    ("a reshuffle not needed", f"reshuffle: R1\n{LINE}", "forgot UNO reshuffles nothing here"),
    ("a drawn line", f"drawn: Y5\nreshuffle: R1\n{LINE}", "a 'drawn' line with cards stands before a draw"),
]


@pytest.mark.parametrize(("line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGE])
def test_damage_is_refused_with_its_line_and_reason(line: str, reason: str) -> None:
    text = text_after(one_left()).replace(LINE, line)
    refused(text, line_of(text, "draw pile: ") + 2 + line.count("\n"), reason)


@pytest.mark.parametrize(
    ("seat", "line", "reason"),
    [
        (1, LINE, "player 2 can't know the cards drawn here"),
        (1, LINE.replace("Y5 B5", "1 hidden"), "the draw here is of 2 cards, not 1"),
        (1, LINE.replace("Y5 B5", "nothing"), "the cards drawn here are"),
        (0, LINE.replace("Y5 B5", "2 hidden"), "player 1 saw the cards drawn here: they have to be named"),
        (0, LINE.replace("B5", "R1"), "R1 can't be drawn: every one is seen elsewhere"),
        (0, LINE.replace("Y5 B5", "Y5"), "the cards drawn here are Y5"),
    ],
)
def test_damage_in_an_observers_record_is_refused_too(seat: int, line: str, reason: str) -> None:
    game = one_left()
    game.forget_uno(0)
    text = format_record(observed(record_of(game), seat))
    true = LINE if seat == 0 else LINE.replace("Y5 B5", "2 hidden")
    refused(text.replace(true, line), line_of(text, "draw pile: ") + 2, reason)


@settings(max_examples=40)
@given(any_rules(), any_seed)
def test_any_game_with_forgotten_unos_comes_back_from_its_text(rules: Rules, seed: int) -> None:
    comes_back(wandered(Game.new(rules, seed), seed % 1000, steps=60, undo=0.0, forget=0.8))


def test_the_games_with_forgotten_unos_have_many_of_them_in_and_out_of_turn() -> None:
    found = []
    for seed in range(30):
        record = wandered(Game.new(rules_of("mini-12", {}), seed), seed, steps=60, undo=0.0, forget=0.8)
        comes_back(record)
        found += [move for move in record.moves if move.action == FORGOT_UNO]
    assert len(found) > 30
    assert any(move.reshuffled for move in found)


# --- beliefs and agents ----------------------------------------------------------------------------------


def followed(game: Game, seat: int, kind: type[Belief], **options: Any) -> Belief:
    """Return a belief that has followed a game."""
    return kind.after(game, seat, **options)


@pytest.mark.parametrize("variant", [{}, {"drawn_card": "may_play", "draw": "optional"}, {"stack": "rising"}])
def test_beliefs_take_it_in_as_a_penalty_of_the_other_and_as_own_draws(variant: dict[str, str]) -> None:
    compared = 0
    for seed in range(25):
        game = Game.new(rules_of("mini-12", variant), seed)
        while not game.over and len(game.moves) < 8 and not any(m.action == FORGOT_UNO for m in game.moves):
            if forgetful := can_forget(game):
                game.forget_uno(forgetful[0])
            else:
                game.apply(game.legal_actions()[0])
        if not any(move.action == FORGOT_UNO for move in game.moves):
            continue
        while not game.over and len(game.moves) < 12:
            game.apply(game.legal_actions()[0])
        for seat in (0, 1):
            closed, exact = followed(game, seat, ClosedFormBelief), followed(game, seat, EnumeratedBelief)
            np.testing.assert_allclose(closed.expected_counts(), exact.expected_counts(), atol=1e-12)
            assert exact.hand_probability(game.hand(1 - seat)) > 0
            compared += 1
    assert compared > 10


def test_two_hidden_cards_are_any_of_the_unseen_ones_worked_out_by_hand() -> None:
    # player 2 sees R1 R2 and its own Y4 G8; of R3 Y5 B5 B6 B7 one was held, and two of the other four were drawn
    game = one_left()
    game.forget_uno(0)
    for kind in (ClosedFormBelief, EnumeratedBelief):
        belief = followed(game, 1, kind)
        assert belief.hand_probability(Cards.parse("R3 Y5 B5")) == pytest.approx(1 / 10)
        assert belief.expected_counts()[cards("B7")[0]] == pytest.approx(3 / 5)


def test_a_model_is_not_asked_how_likely_it_was() -> None:
    game = one_left()
    plain = followed(game, 1, EnumeratedBelief, model="greedy").expected_counts()
    game.forget_uno(0)
    held = followed(game, 1, EnumeratedBelief, model="greedy").expected_counts()
    unseen = Cards.parse("R3 Y5 B5 B6 B7").array()
    np.testing.assert_allclose(held, plain + (unseen - plain) * 2 / 4, atol=1e-12)
    particles = followed(game, 1, ParticleBelief, model="greedy", size=4000).expected_counts()
    np.testing.assert_allclose(particles, held, atol=0.05)


def test_a_model_with_a_memory_refuses_it_with_a_sentence() -> None:
    game = one_left()
    game.forget_uno(0)
    model = AgentModel(lambda: make_agent("heuristic"), "mimic")
    sentence = "player 1 forgot UNO, which a model with a memory does not know: take a scripted one"
    for seat in (0, 1):
        with pytest.raises(CannotEnumerate, match=sentence):
            EnumeratedBelief.after(game, seat, model=model)
        with pytest.raises(InvalidBelief, match=sentence):
            ParticleBelief.after(game, seat, model=model, size=10)


@pytest.mark.parametrize("agent", ["heuristic", "flat:sims=20", "ismcts:sims=20", "pomcp:sims=20"])
def test_agents_play_on_after_it(agent: str) -> None:
    for before in ("", "draw"):
        game = do(start("R1", "R2 R3", "R4 R8", "Y5 B5 B6 B7"), f"R2 {'R4' if before else ''}")
        game.forget_uno(0)
        assert make_agent(agent).consider(game).action in game.legal_actions()


def test_a_review_passes_over_it() -> None:
    game = one_left()
    game.forget_uno(0)
    do(game, "draw R3")
    review = review_game(game, "flat:sims=20")
    assert [str(move.action) for move in review.moves] == ["R2", "forgot UNO", "draw", "R3"]
    assert (review.moves[1].forced, review.moves[1].hand_sizes, review.moves[1].drawn) == (True, (3, 2), cards("Y5 B5"))


def test_a_log_marks_it() -> None:
    game = one_left()
    game.forget_uno(0)
    assert [move_cell(step).plain for step in game.history(1).steps] == ["R2", "u↓2"]
    told = tokens_told(game.events(1, since=1), 1)
    assert told == [FORGOT | 0, OTHER_DREW | 2]
    assert history_text(told).endswith("player 1 forgot UNO, draw 2 hidden")
    assert tokens_told(game.events(0, since=1), 0)[0] == FORGOT | 0


@pytest.mark.parametrize("before", ["", "draw"])
def test_the_luck_in_each_of_its_cards_has_mean_0_over_all_that_may_come(before: str) -> None:
    found = []
    for pile in itertools.permutations(["Y5", "B5", "R6", "W"]):
        game = do(start(*CARDS[:3], f"{'Y9 ' if before else ''}{' '.join(pile)}"), f"R2 {before}")
        number = len(game.moves)
        game.forget_uno(0)
        chances = luck_of(record_of(game)).chances
        found.append(next(chance.lucks for chance in chances if chance.move == number))
    lucks = np.array(found)
    np.testing.assert_allclose(lucks.mean(axis=0), 0.0, atol=1e-9)
    assert (np.abs(lucks).max(axis=0) > 0.001).all()
