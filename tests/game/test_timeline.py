"""A timeline: every moment is what the game was then, and what goes on from one leaves it as it was."""

from dataclasses import replace

import pytest

from tests.game.records import wandered
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.record import GameRecord, observed, record_of, replay
from uno_pomdp.game.timeline import Timeline
from uno_pomdp.rules import preset


def record(rules: str = "printed", seed: int = 3) -> GameRecord:
    """Return a game with moves that were taken back."""
    return wandered(Game.new(preset(rules), seed), seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_moment_is_the_game_as_it_stood(seed: int) -> None:
    found, game = Timeline.of_record(record(seed=seed)), replay(record(seed=seed))
    for number in range(found.last + 1):
        then = game.earlier(found.last - number)
        for seat in SEATS:
            assert found.hand(number, seat) == then.hand(seat)
            assert found.seen(number, seat) == then.observation(seat)
            assert found.history(number, seat) == then.history(seat)
        assert found.sizes(number) == (len(then.hand(0)), len(then.hand(1)))
        if number:
            assert found.events(number) == then.events(since=number - 1)
            assert found.move(number) == then.last_move


@pytest.mark.parametrize("seat", SEATS)
def test_of_an_observers_record_only_the_observer_is_known(seat: int) -> None:
    whole, seen = Timeline.of_record(record()), Timeline.of_record(observed(record(), seat))
    assert (whole.seats, seen.seats) == (SEATS, (seat,))
    assert seen.moves == observed(record(), seat).moves
    assert seen != whole
    for number in range(whole.last + 1):
        assert seen.hand(number, 1 - seat) is None
        assert seen.history(number, seat) == whole.history(number, seat)
        assert seen.sizes(number) == whole.sizes(number)


def test_a_game_that_goes_on_leaves_its_past_as_it_was() -> None:
    game = Game.new("printed", 3)
    grown = [Timeline.begin(game)]
    for _ in range(12):
        game.apply(game.legal_actions()[0])
        grown.append(grown[-1].then(game))
    for number, timeline in enumerate(grown):
        past = game.earlier(12 - number)
        assert timeline == Timeline.of_record(record_of(past))
        assert timeline.history(timeline.last, 1) == past.history(1)
    other = game.earlier(12)
    other.apply(other.legal_actions()[-1])
    branch = grown[0].then(other)
    assert branch == Timeline.of_record(record_of(other))
    assert branch != grown[1]
    assert grown[12] == Timeline.of_record(record_of(game)), "another way on from the deal is none of it"


@pytest.mark.parametrize("seat", [None, *SEATS])
def test_a_record_whose_result_is_wrong_is_refused(seat: int | None) -> None:
    whole = record("mini-9")
    assert whole.outcome is not None
    wrong = replace(whole if seat is None else observed(whole, seat), outcome=None)
    with pytest.raises(InvalidRecord):
        Timeline.of_record(wrong)
