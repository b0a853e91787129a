"""The coach's opinions: those of a review to the last figure, in the words of a hint."""

import pytest

from tests.cli.watch.games import COACH, course, golden, played
from uno_pomdp.cli.watch.opinions import BAD, Opinions
from uno_pomdp.cli.watch.words import opinion
from uno_pomdp.game.actions import FORGOT_UNO
from uno_pomdp.game.record import GameRecord, observed
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Grade
from uno_pomdp.session.course import Course

RECORDS = {
    "house": played(),
    "printed": played("printed", 3),
    "seen": observed(played(), 1),
    "forgotten": golden("mini-12.forgotten"),
    "practice": golden("mini-12.practice"),
    "midgame": golden("printed.midgame"),
    "midgame seen": golden("printed.midgame.seen"),
}


def judged(record: GameRecord) -> Opinions:
    """Return all opinions on a game."""
    opinions = Opinions(Course.of_record(record), COACH)
    while opinions.behind:
        opinions.judge_next()
    return opinions


@pytest.mark.parametrize("name", RECORDS)
def test_an_opinion_is_that_of_the_review(name: str) -> None:
    record = RECORDS[name]
    found, review = judged(record).moves, review_game(record, COACH)
    assert len(found) == len(review.moves)
    for mine, reviewed in zip(found, review.moves, strict=True):
        assert (mine.number, mine.seat, mine.action) == (reviewed.number, reviewed.seat, reviewed.action)
        assert (mine.forced, mine.candidates, mine.line) == (reviewed.forced, reviewed.candidates, reviewed.line)
        assert (mine.loss, mine.error, mine.grade) == (reviewed.loss, reviewed.error, reviewed.grade)
        assert mine.hand_sizes == reviewed.hand_sizes


def test_moves_are_judged_one_by_one_and_bad_ones_are_found_both_ways() -> None:
    opinions = Opinions(course(), COACH)
    assert (opinions.of(1), opinions.behind) == (None, True)
    opinions.judge_next()
    assert opinions.of(1) is not None
    assert opinions.of(2) is None
    opinions = judged(played())
    bad = [move.number for move in opinions.moves if move.grade in BAD]
    assert len(bad) > 2
    assert opinions.next_bad(0, 1) == bad[0]
    assert opinions.next_bad(bad[0], 1) == bad[1]
    assert opinions.next_bad(bad[1], -1) == bad[0]
    assert opinions.next_bad(bad[0], -1) is None
    assert opinions.next_bad(bad[-1], 1) is None


def test_the_words_are_those_of_a_hint() -> None:
    found, seen = course(), set()
    for move in judged(played()).moves:
        before = found.seen(move.number - 1, move.seat)
        told = [line.plain for line in opinion(move, before)]
        seen.add(move.grade)
        if move.grade is None:
            assert told == [f"Nothing to weigh: {move.action} was all that could be done."]
            continue
        assert move.best is not None
        effect = effect_of(move.best, before)
        if move.grade is Grade.BEST:
            assert told == [f"Best: wins {100 * (move.after or 0):.1f} %; {move.action}: {effect}."]
            continue
        assert told[0].startswith(f"{move.grade.capitalize()}: lost {move.points_lost} points; it wins ")
        assert told[1] == f"Better {move.best}: {effect}."
    assert {None, Grade.BEST, Grade.GOOD, Grade.BLUNDER} <= seen


def test_a_forgotten_uno_is_no_choice() -> None:
    record = RECORDS["forgotten"]
    assert [move.forced for move in judged(record).moves if move.action == FORGOT_UNO] == [True] * 4
