"""Accuracy and grades as docs/review.md defines them: properties over any values."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.review.games import played
from uno_pomdp.agents.agent import Candidate
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.review.judgement import Grade, Review, ReviewedMove, grade_of

Values = list[float]
points = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
decisions = st.lists(st.lists(points, min_size=2, max_size=6).map(lambda v: sorted(v, reverse=True)), max_size=12)


def move(values: Values, chosen: int, number: int = 1, seat: int = 0, error: float = 0.001) -> ReviewedMove:
    """Return a decision among candidates of these values, the best first."""
    candidates = tuple(Candidate(ACTIONS[i], value, 0.001, 100) for i, value in enumerate(values))
    return ReviewedMove(
        number,
        seat,
        ACTIONS[chosen],
        (5, 5),
        forced=False,
        candidates=candidates,
        before=values[0],
        after=values[chosen],
        loss=values[0] - values[chosen],
        error=error if chosen else 0.0,
    )


def review(*moves: ReviewedMove) -> Review:
    """Return a review of these moves; its record does not matter here."""
    return Review(replace(played(), moves=(), outcome=None), "coach", 1, (0, 1), moves, None, ())


def play(values: list[Values], choice: int) -> list[ReviewedMove]:
    """Return decisions with the candidate of this place chosen in each; −1 is the worst."""
    return [move(each, choice % len(each), number) for number, each in enumerate(values, 1)]


@given(decisions)
def test_the_best_moves_are_worth_100_and_the_worst_0_unless_nothing_was_at_stake(values: list[Values]) -> None:
    best, worst = review(*play(values, 0)).accuracy(0), review(*play(values, -1)).accuracy(0)
    if all(each[0] == each[-1] for each in values):
        assert best is None
        assert worst is None
    else:
        assert best == 100.0
        assert worst == pytest.approx(0.0, abs=1e-9)


@given(decisions, st.data())
def test_accuracy_lies_between_and_falls_when_a_move_is_replaced_by_a_worse_one(
    values: list[Values], data: st.DataObject
) -> None:
    chosen = [data.draw(st.integers(0, len(each) - 1)) for each in values]
    moves = [move(each, choice) for each, choice in zip(values, chosen, strict=True)]
    accuracy = review(*moves).accuracy(0)
    if accuracy is None:
        return
    assert -1e-9 <= accuracy <= 100.0
    for place, (each, choice) in enumerate(zip(values, chosen, strict=True)):
        if choice + 1 < len(each):
            worse = review(*moves[:place], move(each, choice + 1), *moves[place + 1 :]).accuracy(0)
            assert worse is not None
            assert worse <= accuracy + 1e-9
            assert (worse < accuracy - 1e-9) == (each[choice + 1] < each[choice])


@given(decisions.filter(bool), st.lists(points, min_size=2, max_size=4))
def test_what_was_forced_and_what_the_other_did_do_not_count_and_a_best_move_more_never_lowers_it(
    values: list[Values], more: Values
) -> None:
    moves = play(values, -1)
    plain = review(*moves).accuracy(0)
    beside = [ReviewedMove(50, 0, ACTIONS[0], (5, 5), forced=True), move(sorted(more, reverse=True), 1, 51, seat=1)]
    assert review(*moves, *beside).accuracy(0) == plain
    longer = review(*moves, move(sorted(more, reverse=True), 0)).accuracy(0)
    assert plain is None or (longer is not None and longer >= plain - 1e-9)


def test_a_move_at_half_of_what_was_at_stake_and_one_at_none_of_it() -> None:
    # 60, 50 and 40 %: the second keeps half of 20 points; then 10 of 10 points are lost: 20 of 30 in all.
    assert review(move([0.6, 0.5, 0.4], 1), move([0.3, 0.2], 1, 2)).accuracy(0) == pytest.approx(100 / 3)


@pytest.mark.parametrize(
    ("loss", "grade"),
    [
        (0.0, Grade.GOOD),
        (0.0499, Grade.GOOD),
        (0.05, Grade.INACCURACY),
        (0.0999, Grade.INACCURACY),
        (0.10, Grade.MISTAKE),
        (0.1499, Grade.MISTAKE),
        (0.15, Grade.BLUNDER),
        (1.0, Grade.BLUNDER),
    ],
)
def test_grades_go_by_5_10_and_15_points(loss: float, grade: Grade) -> None:
    assert grade_of(loss, best=False) is grade
    assert grade_of(0.0, best=True) is Grade.BEST


def test_a_loss_that_chance_can_explain_is_no_mistake() -> None:
    assert move([0.9, 0.7], 1, error=0.09).grade is Grade.BLUNDER
    assert move([0.9, 0.7], 1, error=0.11).grade is Grade.GOOD
    assert move([0.9, 0.7], 0).grade is Grade.BEST


def test_the_costliest_moves_are_the_players_own_the_worst_first_and_shown() -> None:
    moves = (
        move([0.9, 0.8], 1, 1),
        move([0.9, 0.5], 1, 2),
        move([0.9, 0.1], 1, 3, seat=1),
        move([0.9, 0.6], 1, 4, error=0.2),  # not more than chance can explain
        move([0.9, 0.9], 0, 5),
        move([0.9, 0.8], 1, 6),
    )
    assert [each.number for each in review(*moves).costliest(0)] == [2, 1, 6]
    assert [each.number for each in review(*moves).costliest(0, 1)] == [2]
    assert [each.number for each in review(*moves).costliest(1)] == [3]
    assert review(*moves).grades(0) == {
        Grade.BEST: 1,
        Grade.GOOD: 1,
        Grade.INACCURACY: 2,  # 0.9 − 0.8 is a little less than a tenth
        Grade.MISTAKE: 0,
        Grade.BLUNDER: 1,
    }
    assert review(*moves).lost(1) == pytest.approx(0.8)
