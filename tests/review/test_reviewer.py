"""A review in steps: its judgements are those of a whole review, to the last figure, though the game goes on."""

import pytest

from tests.cli.watch.games import COACH, golden, played, watched
from uno_pomdp.game.actions import FORGOT_UNO
from uno_pomdp.game.game import Game
from uno_pomdp.game.record import GameRecord, observed, record_of
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.review.game import Reviewer, review_game
from uno_pomdp.review.judgement import BAD

RECORDS = {
    "house": played(),
    "printed": played("printed", 3),
    "seen": observed(played(), 1),
    "forgotten": golden("mini-12.forgotten"),
    "practice": golden("mini-12.practice"),
    "midgame": golden("printed.midgame"),
    "midgame seen": golden("printed.midgame.seen"),
}


def judged(record: GameRecord) -> Reviewer:
    """Return all judgements of a game."""
    reviewer = Reviewer(Timeline.of_record(record), COACH)
    while reviewer.behind:
        reviewer.judge_next()
    return reviewer


@pytest.mark.parametrize("name", RECORDS)
def test_a_judgement_is_that_of_the_review(name: str) -> None:
    record = RECORDS[name]
    found, review = judged(record).moves, review_game(record, COACH)
    assert len(found) == len(review.moves)
    for mine, reviewed in zip(found, review.moves, strict=True):
        assert (mine.number, mine.seat, mine.action) == (reviewed.number, reviewed.seat, reviewed.action)
        assert (mine.forced, mine.candidates, mine.line) == (reviewed.forced, reviewed.candidates, reviewed.line)
        assert (mine.loss, mine.error, mine.grade) == (reviewed.loss, reviewed.error, reviewed.grade)
        assert mine.hand_sizes == reviewed.hand_sizes


def test_moves_are_judged_one_by_one_and_bad_ones_are_found_both_ways() -> None:
    reviewer = Reviewer(watched().timeline, COACH)
    assert (reviewer.of(1), reviewer.behind) == (None, True)
    reviewer.judge_next()
    assert reviewer.of(1) is not None
    assert reviewer.of(2) is None
    reviewer = judged(played())
    bad = [move.number for move in reviewer.moves if move.grade in BAD]
    assert len(bad) > 2
    assert reviewer.next_bad(0, 1) == bad[0]
    assert reviewer.next_bad(bad[0], 1) == bad[1]
    assert reviewer.next_bad(bad[1], -1) == bad[0]
    assert reviewer.next_bad(bad[0], -1) is None
    assert reviewer.next_bad(bad[-1], 1) is None


def test_a_forgotten_uno_is_no_choice() -> None:
    record = RECORDS["forgotten"]
    assert [move.forced for move in judged(record).moves if move.action == FORGOT_UNO] == [True] * 4


def test_a_game_that_goes_on_is_judged_on() -> None:
    game = Game.new("mini-9", 3)
    timeline = Timeline.begin(game)
    reviewer = Reviewer(timeline, COACH)
    while not game.over:
        assert not reviewer.behind
        game.apply(game.legal_actions()[0])
        reviewer.timeline = timeline = timeline.then(game)
        reviewer.judge_next()
    whole = review_game(record_of(game), COACH)
    assert [move.candidates for move in reviewer.moves] == [move.candidates for move in whole.moves]
