"""Belief and coach follow a game that is typed as they would follow it at the engine; the last entry can be undone."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import VARIANTS, choose, named, rules_of
from uno_pomdp.advise.advisor import _stuck_with
from uno_pomdp.advise.session import Session
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import Cards, card_name, parse_card
from uno_pomdp.cli.files import read_game
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Move
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import GameRecord, observed, record_of, take_back
from uno_pomdp.game.rng import player_seed
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset


def begun(game: Game, seat: Seat, coach: str = "heuristic") -> Session:
    """Return a session in which the deal of a game was typed by one seat."""
    session = Session(game.rules, coach, seed=3)
    session.enter("me" if seat == 0 else "opponent")
    session.enter(str(game.deal.hands[seat]))
    session.enter(card_name(game.deal.top))
    return session


def typed(move: Move, seat: Seat) -> str:
    """Return how a seat types a move."""
    cards = [card_name(card) for card in move.cards] if move.seat == seat else []
    return " ".join([str(move.action).replace(":", " "), *cards])


def follow(rules: Rules, seed: int, coach: str = "heuristic", at_most: int = 40) -> None:
    """Play a random game, typed by both seats, and compare what follows it after every move."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    sessions = [begun(game, seat, coach) for seat in SEATS]
    beliefs = [ClosedFormBelief(rules, game.observation(seat)) for seat in SEATS]
    coaches = [make_agent(coach) for _ in SEATS]
    for seat in SEATS:
        coaches[seat].start(rules, game.observation(seat), player_seed(3))
    for number in range(at_most):
        for seat in SEATS:
            advisor = sessions[seat].advisor
            assert advisor is not None
            expected = coaches[seat].decide().action if game.turn == seat and not game.over else None
            advice = advisor.advice()
            assert (None if advice is None else advice.action) == expected
        if game.over:
            break
        game.apply(choose(game, chance))
        for seat in SEATS:
            events = game.events(seat, number)
            assert sessions[seat].enter(typed(game.last_move, seat)) == events
            for follower in (beliefs[seat], coaches[seat]):
                follower.update(events, game.observation(seat))
            advisor = sessions[seat].advisor
            assert advisor is not None
            assert advisor.table.observation == game.observation(seat)
            np.testing.assert_array_equal(advisor.belief.expected_counts(), beliefs[seat].expected_counts())


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_a_typed_game_is_followed_as_the_game_itself(variant: dict[str, str]) -> None:
    for deck in ("few of four colours", "all penalties", "skips"):
        follow(rules_of(deck, variant), seed=2)


@pytest.mark.parametrize("name", ["house", "printed", "mini-9"])
def test_a_coach_that_searches_gives_the_advice_that_it_would_play(name: str) -> None:
    follow(preset(name), seed=5, coach="flat:sims=60", at_most=16)


def test_a_coach_whose_belief_expects_a_policy_follows_a_player_who_has_none() -> None:
    follow(preset("house"), seed=6, coach="flat:sims=20,belief=particles,model=heuristic", at_most=30)


def test_undo_takes_back_one_entry_after_the_other_to_the_very_beginning() -> None:
    game = Game.new(preset("house"), seed=4)
    fresh, session = begun(game, 0), begun(game, 0)
    chance, expected = random.Random(1), []
    for _ in range(12):
        assert session.advisor is not None
        expected.append((session.advisor.table.observation, session.advisor.belief.expected_counts()))
        game.apply(choose(game, chance))
        session.enter(typed(game.last_move, 0))
    for seen, counts in reversed(expected):
        session.undo()
        assert session.advisor is not None
        assert session.advisor.table.observation == seen
        np.testing.assert_allclose(session.advisor.belief.expected_counts(), counts)
    assert session.entries == fresh.entries == []
    assert session.undo() == f"the top card {card_name(game.deal.top)}"
    assert session.question == "The top card?"
    assert session.undo() == f"the hand {game.deal.hands[0]}"
    assert session.question == "Your 7 cards?"
    assert session.undo() == "who moves first"
    assert session.question == "Who moves first, me or opponent?"
    with pytest.raises(UnoError, match="there is nothing to take back: nothing was entered yet"):
        session.undo()


def house(hand: str = "R5 R7 Y1 G+2 W4 B3 RS", top: str = "R1", first: str = "me") -> Session:
    """Return a session of `house` with this deal."""
    session = Session(preset("house"), "heuristic", seed=1)
    for text in (first, hand, top):
        session.enter(text)
    return session


def refusal(session: Session, text: str) -> str:
    """Return the sentence that refuses an entry, which changes nothing."""
    assert session.advisor is not None
    seen, counts = session.advisor.table.observation, session.advisor.belief.expected_counts()
    advice = session.advisor.advice()
    with pytest.raises(UnoError) as caught:
        session.enter(text)
    assert session.advisor.table.observation == seen
    assert session.advisor.advice() is advice
    np.testing.assert_array_equal(session.advisor.belief.expected_counts(), counts)
    return str(caught.value)


def test_a_fifth_wild_is_refused_wherever_it_turns_up() -> None:
    session = Session(preset("house"), "heuristic", seed=1)
    session.enter("me")
    with pytest.raises(UnoError, match="you can't hold 5 W: the deck has 4"):
        session.enter("w w w w w r1 r2")
    session.enter("w w w w r1 r2 b7")
    session.enter("r5")
    session.enter("w red")
    assert refusal(session, "w blue") == (
        "the opponent can't have W: the deck has 4 W, of which 3 in your hand and 1 on the pile"
    )


def test_a_card_that_lies_on_the_pile_is_not_played_again() -> None:
    session = house()
    session.enter("r5")
    session.enter("r5")
    assert session.advisor is not None
    session.enter("r7")
    assert refusal(session, "r5").endswith("the deck has 2 R5, of which 0 in your hand and 2 on the pile")


def test_a_card_that_the_opponent_can_not_have_by_an_earlier_draw_is_refused() -> None:
    session = house("R5 R7 R8 R9 R3 RS R4")
    session.enter("r5")
    session.enter("draw")  # no red card then, but perhaps the one drawn
    session.enter("r7")
    session.enter("r2")  # which it was
    session.enter("r8")
    assert refusal(session, "r6") == (
        "the opponent can't have R6 by the moves before: at move 2 they drew though it would have fitted, and no card "
        "that they drew since can be it; this entry or an earlier one is wrong"
    )
    session.enter("draw")  # what can have been done


@pytest.mark.parametrize(("rules", "move"), [("house", 2), ("house,draw=optional", 0)])
def test_only_where_one_draws_for_want_of_a_card_does_a_draw_exclude_any(rules: str, move: int) -> None:
    session = Session(Rules.parse(rules), "heuristic", seed=1)
    for text in ("me", "R5 R7 R8 R9 R3 RS R4", "r1", "r5", "draw", "r7"):
        session.enter(text)
    assert session.advisor is not None
    assert _stuck_with(session.advisor.table, parse_card("R6")) == move


def small(deck: str, *entries: str) -> Session:
    """Return a session with exactly these cards, after some entries: the first are who starts, hand and top."""
    session = Session(Rules(deck=Cards.parse(deck), hand_size=len(entries[1].split())), "heuristic", seed=1)
    for text in entries:
        session.enter(text)
    return session


def test_a_draw_though_a_card_must_fit_is_refused() -> None:
    session = small("R1 R2 R3 R4 R5 R6 Y1", "me", "r1 y1", "r6", "r1")
    assert refusal(session, "draw") == (
        "the opponent can't have had to draw: by the moves before, they hold a card that fits on R1 (red); "
        "this entry or an earlier one is wrong"
    )


def test_a_card_that_the_opponent_must_hold_is_not_drawn() -> None:
    # the draw pile was empty before the reshuffle, so the opponent's hand is known
    session = small("R1 R2 R3 B4 Y5 B6 G7", "me", "r2 r3 b4", "r1", "r2", "draw", "r3", "r1")
    assert refusal(session, "draw y5").startswith(
        "you can't have drawn that: by the moves before, it is in the opponent's hand"
    )
    session.enter("draw r3")


@pytest.mark.parametrize("seat", SEATS)
def test_a_saved_game_is_the_record_of_that_seat_and_can_be_gone_on_with(seat: Seat, tmp_path: Path) -> None:
    game, chance = Game.new(preset("printed"), seed=8), random.Random(2)
    session = begun(game, seat)
    for _ in range(14):
        game.apply(choose(game, chance))
        session.enter(typed(game.last_move, seat))
    path = tmp_path / "table.txt"
    save_record(path, session.record())
    names = ("me", "the opponent") if seat == 0 else ("the opponent", "me")
    assert load_record(path) == observed(record_of(game, names, coach="heuristic"), seat)
    again = Session.of_record(read_game(path), path, None, seed=3)
    assert again.coach == "heuristic"
    assert again.entries == session.entries
    assert again.advisor is not None
    assert again.advisor.table.observation == game.observation(seat)
    game.apply(choose(game, chance))
    again.enter(typed(game.last_move, seat))


def practised() -> GameRecord:
    """Return player 1's record of a round of a match that is a practice game, in which moves were taken back twice."""
    game, chance = Game.new(preset("house"), 3), random.Random(3)
    for _ in range(6):
        game.apply(choose(game, chance))
    record = observed(record_of(game, match=MatchRound(500, 2, (30, 0)), practice=True), 0)
    return take_back(take_back(record, 2), 1)


def test_a_round_of_a_match_and_a_practice_game_are_gone_on_with_and_stay_what_they_are(tmp_path: Path) -> None:
    before = practised()
    save_record(tmp_path / "mine.txt", before)
    session = Session.of_record(read_game(tmp_path / "mine.txt"), tmp_path / "mine.txt", "heuristic", 3)
    assert session.record() == replace(before, players=("me", "the opponent"), coach="heuristic")
    advisor = session.advisor
    assert advisor is not None
    while len(session.entries) < 7:  # on from there
        seen = advisor.table.observation
        mine = seen.turn == seen.seat
        if mine and seen.legal_actions()[0] != DRAW:
            session.enter(str(seen.legal_actions()[0]).replace(":", " "))
        elif mine:
            drawn = next(iter(seen.unseen(before.rules)))
            session.enter(f"draw {card_name(drawn)}")
        else:
            session.enter("draw")
    later = session.record()
    assert (later.match, later.practice, later.undone) == (before.match, True, before.undone)
    save_record(tmp_path / "later.txt", later)
    assert load_record(tmp_path / "later.txt") == later


def test_what_was_taken_back_is_forgotten_if_the_game_before_it_is_corrected(tmp_path: Path) -> None:
    before = practised()
    save_record(tmp_path / "mine.txt", before)
    session = Session.of_record(read_game(tmp_path / "mine.txt"), tmp_path / "mine.txt", "heuristic", 3)
    session.undo()
    record = session.record()
    assert (record.match, record.practice, record.undone) == (before.match, True, ())
    save_record(tmp_path / "mine.txt", record)
    assert load_record(tmp_path / "mine.txt") == record


def test_files_that_can_not_be_gone_on_with_are_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.txt"
    save_record(whole, record_of(Game.new(preset("house"), 1)))
    with pytest.raises(UnoError, match="is the record of a whole game: only one player's record can be gone on with"):
        Session.of_record(read_game(whole), whole, "heuristic", 1)
    (tmp_path / "other.txt").write_text("hello")
    with pytest.raises(UnoError, match=r"other\.txt is no record of a game: line 1"):
        Session.of_record(read_game(tmp_path / "other.txt"), tmp_path / "other.txt", "heuristic", 1)
    with pytest.raises(UnoError, match=r"none\.txt can't be read: No such file"):
        Session.of_record(read_game(tmp_path / "none.txt"), tmp_path / "none.txt", "heuristic", 1)
    with pytest.raises(UnoError, match="there is no game to save yet: enter who moves first"):
        Session(preset("house"), "heuristic", 1).record()


def test_a_wrong_coach_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UnoError, match="no agent is called 'nobody'"):
        Session(preset("house"), "nobody", 1)


@pytest.mark.parametrize("method", ["begin", "follow", "decide"])
def test_a_game_goes_on_without_a_coach_that_fails_and_does_not_ask_it_again(method: str) -> None:
    game, chance = Game.new(preset("house"), 3), random.Random(3)
    session = begun(game, 0, f"py:tests.agents.wrong.Wrong,kind=exits,method={method}")
    for _ in range(8):
        assert session.advisor is not None
        assert session.advisor.advice() is None or session.failure is None
        game.apply(choose(game, chance))
        session.enter(typed(game.moves[-1], 0))
    failure = session.failure
    assert failure is not None
    assert f"failed: SystemExit: 0, in {method} (" in str(failure)
    session.undo()
    session.enter(typed(game.moves[-1], 0))
    session.fix(f"1 {typed(game.moves[0], 0)}")
    assert session.failure is failure
    assert session.advisor is not None
    assert session.advisor.table.observation == game.observation(0)
    assert session.to_json()["advice"] is None
    assert len(session.record().moves) == 8
    while game.turn != 0:
        game.apply(choose(game, chance))
        session.enter(typed(game.moves[-1], 0))
    with pytest.raises(UnoError, match="the coach has failed, so no move has a number"):
        session.enter("1")
