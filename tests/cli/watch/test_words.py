"""The coach's opinion of a move, in the words of a hint."""

from tests.cli.watch.games import COACH, played, watched
from uno_pomdp.cli.watch.words import opinion
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Grade


def test_the_words_are_those_of_a_hint() -> None:
    found, seen = watched().timeline, set()
    for move in review_game(played(), COACH).moves:
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
