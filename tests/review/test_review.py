"""Reviews: every move is there, judged by what its player could know, the same for the same seed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers import PRINTED_PLAIN
from tests.review.games import FOLDER, GOLDEN, golden, missed_run, played
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.record import follow_openly, observed, replay, start
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Grade, Review

COACH = "flat:sims=400"


def without_luck(review: Review, seat: int) -> list[object]:
    """Return all that is said of a player's moves but the luck of draws."""
    return [replace(move, luck=None) for move in review.moves if move.seat == seat]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_move_of_every_golden_game_is_reviewed(path: Path) -> None:
    record = golden(path)
    review = review_game(record, "flat:sims=60")
    assert [(move.seat, move.action, move.drawn) for move in review.moves] == [
        (move.seat, move.action, move.drawn) for move in record.moves
    ]
    assert [move.number for move in review.moves] == list(range(1, len(record.moves) + 1))
    assert len(review.open_hands) == len(record.moves) + 1
    assert record.outcome is not None
    assert review.open_hands[-1] == (1 + record.outcome.result(0)) / 2
    json.dumps(review.to_json(), allow_nan=False)


def test_moves_with_a_choice_are_judged_and_all_others_are_forced() -> None:
    record = played()
    review, game = review_game(record, COACH), replay(replace(record, moves=(), outcome=None))
    for move in review.moves:
        legal = game.legal_actions()
        assert move.forced == (len(legal) == 1)
        assert {one.action for one in move.candidates} == (set(legal) if len(legal) > 1 else set())
        if move.judged:
            assert move.before == move.candidates[0].value
            assert move.loss is not None
            assert move.before is not None
            assert move.after is not None
            assert move.loss == pytest.approx(move.before - move.after)
            assert move.loss >= 0.0
            assert (move.loss == 0.0) or move.action != move.best
        game.apply(move.action)


@pytest.mark.parametrize("seat", SEATS)
def test_a_coach_judges_by_what_the_mover_could_know(seat: int) -> None:
    """An observer's record has nothing but what the seat saw; replayed on guessed cards, it is judged the same."""
    record = played("flat:sims=30", "greedy", PRINTED_PLAIN, 5)
    whole, own = review_game(record, COACH), review_game(observed(record, seat), COACH)
    assert without_luck(own, seat) == without_luck(whole, seat)
    assert own.seats == (seat,)
    assert not own.judged(1 - seat)
    assert own.luck is None
    assert own.open_hands == ()
    assert own.accuracy(1 - seat) is None
    json.dumps(own.to_json(), allow_nan=False)


def test_the_same_seed_gives_the_same_review_and_each_seat_can_be_judged_alone() -> None:
    first, again, other = (review_game(played(), COACH, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.to_json() == again.to_json()
    assert first.moves != other.moves
    alone = review_game(played(), COACH, seats=(1,))
    assert without_luck(alone, 1) == without_luck(first, 1)
    assert not alone.judged(0)


def test_a_missed_win_is_a_blunder_with_the_better_move_beside_it() -> None:
    review = review_game(missed_run(), COACH)
    move = review.moves[0]
    assert str(move.best) == "RS"
    assert move.before == 1.0
    assert move.grade is Grade.BLUNDER
    assert move.note == "wins before the opponent plays"
    assert review.costliest(0) == (move,)
    assert move.shown


def test_the_luck_of_a_move_is_the_movers_and_adds_up_to_the_luck_of_the_game() -> None:
    review = review_game(played(), "flat:sims=60")
    assert review.luck is not None
    for seat, sign in ((0, 1.0), (1, -1.0)):
        own = sum(move.luck for move in review.moves if move.seat == seat and move.luck is not None)
        assert own == pytest.approx(sign * review.luck.drawn_by(seat))
    assert all((move.luck is not None) == bool(move.drawn) for move in review.moves)


def test_a_game_that_was_broken_off_is_reviewed_as_far_as_it_went() -> None:
    record = played()
    part = replace(record, moves=record.moves[:7], outcome=None)
    review, whole = review_game(part, COACH), review_game(record, COACH)
    assert without_luck(review, 0) + without_luck(review, 1) == [
        move for seat in SEATS for move in without_luck(whole, seat)[: sum(m.seat == seat for m in part.moves)]
    ]
    assert review.to_json()["result"] == "unfinished"
    empty = review_game(replace(record, moves=(), outcome=None), COACH)
    assert empty.moves == ()
    assert empty.accuracy(0) is None


@pytest.mark.parametrize("agents", [("heuristic", "random"), ("baseline", "greedy")])
def test_every_move_has_the_sizes_of_both_hands_after_it_for_an_observer_too(agents: tuple[str, str]) -> None:
    record = played(*agents)
    game, sizes = start(record), []
    for each in record.moves:
        follow_openly(game, each)
        sizes.append((len(game.hand(0)), len(game.hand(1))))
    for one in (record, observed(record, 0), observed(record, 1)):
        review = review_game(one, "flat:sims=10")
        assert [move.hand_sizes for move in review.moves] == sizes
        assert [move["hand_sizes"] for move in review.to_json()["moves"]] == [list(pair) for pair in sizes]


def test_progress_counts_the_moves() -> None:
    told: list[tuple[int, int]] = []
    record = played()
    review_game(record, "flat:sims=20", report=lambda done, total: told.append((done, total)))
    assert told == [(done, len(record.moves)) for done in range(len(record.moves) + 1)]


def test_a_record_that_tells_another_result_is_refused() -> None:
    record = played()
    with pytest.raises(InvalidRecord, match="the result is"):
        review_game(replace(record, outcome=None), "flat:sims=20")


@pytest.mark.parametrize("text", ["heuristic", "pomcp:sims=10"])
def test_who_can_not_value_every_move_is_no_coach(text: str) -> None:
    with pytest.raises(InvalidAgent, match=f"{text} can't be a coach: choose one that values every move, such as flat"):
        review_game(played(), text)


def test_the_other_players_moves_can_not_be_judged_from_an_observers_record() -> None:
    with pytest.raises(InvalidRecord, match="player 1's record: only player 1's moves can be judged"):
        review_game(observed(played(), 0), COACH, seats=(1,))


def test_a_player_who_follows_the_coach_is_more_accurate_than_one_who_plays_at_random() -> None:
    # Over 4 games the shares differ by about 50 points; random play keeps about half of what is at stake.
    kept = {"flat:sims=2000": [0.0, 0.0], "random": [0.0, 0.0]}
    for seed in range(4):
        review = review_game(played("flat:sims=2000", "random", seed=seed), "flat:sims=2000", seed=9)
        for seat, sums in enumerate(kept.values()):
            sums[0] += review.lost(seat)
            sums[1] += sum(move.stake for move in review.judged(seat))
    strong, weak = (1 - lost / stake for lost, stake in kept.values())
    assert strong > 0.85
    assert strong > weak + 0.15


def test_a_record_with_played_cards_that_are_not_known_is_reviewed_by_what_is_known() -> None:
    seen = golden(FOLDER / "printed.midgame.seen.txt")
    review = review_game(seen, "flat:sims=20")
    assert (len(review.moves), review.seats) == (len(seen.moves), (seen.observer,))
    assert any(not move.forced for move in review.judged(review.seats[0]))
    whole = golden(FOLDER / "printed.midgame.txt")
    assert len(review_game(observed(whole, 1), "flat:sims=20").moves) == len(whole.moves)
