"""The course of a game: every moment is what the game was then, whatever record it comes from."""

import pytest

from tests.cli.watch.games import GOLDEN, course, golden, played
from tests.game.records import wandered
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import observed, replay
from uno_pomdp.rules import preset
from uno_pomdp.session.course import Course, note_of

FILES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.txt") if path.parent.name != "screens")


@pytest.mark.parametrize("name", FILES)
def test_every_golden_record_can_be_watched(name: str) -> None:
    record = load_record(GOLDEN / name)
    found = Course.of_record(record)
    assert found.last == found.total == len(record.moves)
    assert [found.mover(number) for number in range(1, found.last + 1)] == [move.seat for move in record.moves]
    assert [found.action(number) for number in range(1, found.last + 1)] == [move.action for move in record.moves]
    assert found.seen(found.last).outcome == record.outcome
    assert found.seats == (SEATS if record.observer is None else (record.observer,))
    assert len(found.chances) == (len(record.moves) + 1 if record.observer is None else 0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_moment_is_the_game_as_it_stood(seed: int) -> None:
    record = wandered(Game.new(preset("printed"), seed), seed)
    found, game = Course.of_record(record), replay(record)
    for number in range(found.last + 1):
        then = game.earlier(found.last - number)
        for seat in SEATS:
            assert found.hand(number, seat) == then.hand(seat)
            assert found.seen(number, seat) == then.observation(seat)
            assert found.history(number, seat) == then.history(seat)
        assert found.sizes(number) == (len(then.hand(0)), len(then.hand(1)))
        if number:
            assert found.events(number) == then.events(since=number - 1)
    kept = [undone for number in sorted(found.taken_back) for undone in found.taken_back[number]]
    assert sorted(kept, key=record.undone.index) == list(record.undone)


@pytest.mark.parametrize("seat", SEATS)
def test_of_an_observers_record_only_the_observer_is_known(seat: int) -> None:
    whole, seen = course(), Course.of_record(observed(played(), seat))
    for number in range(whole.last + 1):
        assert seen.hand(number, 1 - seat) is None
        assert seen.history(number, seat) == whole.history(number, seat)
        assert seen.sizes(number) == whole.sizes(number)


def test_a_game_that_is_being_played_grows_to_the_same_course() -> None:
    record = played("mini-9")
    live = Game.new(record.rules, record.seed or 0)
    grown = Course.of_deal(live, record.players)
    for move in record.moves:
        live.apply(move.action)
        grown.grow(live)
    known = Course.of_record(record)
    assert grown.total is None
    assert grown.chances == known.chances
    for seat in SEATS:
        assert grown.history(grown.last, seat) == known.history(known.last, seat)


def test_a_record_whose_result_is_wrong_is_refused() -> None:
    from dataclasses import replace

    with pytest.raises(InvalidRecord, match="the result is player"):
        Course.of_record(replace(played("mini-9"), outcome=None))


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("house", ""),
        ("house.match", "round 3 at 120:85, to 500"),
        ("mini-12.practice", "practice, 2 undos"),
        ("printed.midgame", "begun in the middle"),
        ("printed.midgame.seen", "as player 2 saw it, begun in the middle"),
    ],
)
def test_what_a_record_is_is_noted_in_a_few_words(name: str, note: str) -> None:
    assert note_of(golden(name)).startswith(note)
    assert bool(note_of(golden(name))) == bool(note)
