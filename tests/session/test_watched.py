"""A game that is watched: every golden record can be, whole or seen; one that is being played grows to the same."""

import pytest

from tests.cli.watch.games import GOLDEN, golden, played
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import load_record
from uno_pomdp.session.watched import WatchedGame, note_of

FILES = sorted(
    path.relative_to(GOLDEN).as_posix()
    for path in GOLDEN.rglob("*.txt")
    if path.parent.name != "screens" and path.stem != "frozen"
)


@pytest.mark.parametrize("name", FILES)
def test_every_golden_record_can_be_watched(name: str) -> None:
    record = load_record(GOLDEN / name)
    found = WatchedGame.of_record(record)
    timeline = found.timeline
    assert timeline.last == found.total == len(record.moves)
    assert timeline.moves == record.moves
    assert timeline.seen(timeline.last).outcome == record.outcome
    assert timeline.seats == (SEATS if record.observer is None else (record.observer,))
    assert len(found.chances) == (len(record.moves) + 1 if record.observer is None else 0)
    kept = [undone for number in range(timeline.last + 1) for undone in found.taken_back(number)]
    assert sorted(kept, key=record.undone.index) == list(record.undone)


def test_a_game_that_is_being_played_grows_to_the_same() -> None:
    record = played("mini-9")
    live = Game.new(record.rules, record.seed or 0)
    grown = WatchedGame.of_deal(live, record.players)
    for move in record.moves:
        live.apply(move.action)
        grown.grow(live)
    known = WatchedGame.of_record(record)
    assert (grown.total, grown.note) == (None, "")
    assert grown.chances == known.chances
    assert grown.timeline == known.timeline


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
