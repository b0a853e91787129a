"""Tournaments: who meets whom, the cross table, ratings, stores."""

from pathlib import Path

import pytest

from tests.arena.players import Watcher
from uno_pomdp.arena.match import InvalidMatch, Match
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.tournament import Meeting, Tournament, run_tournament, store_name
from uno_pomdp.rules import preset

HOUSE = preset("house")
SCRIPTED = ("random", "baseline", "greedy", "heuristic")


def test_everybody_meets_everybody() -> None:
    tournament = Tournament(HOUSE, SCRIPTED, 2_000, seed=1)
    result = run_tournament(tournament)
    assert list(result.matches) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [result.names[agent] for agent in result.ranking()] == ["heuristic", "baseline", "greedy", "random"]
    alone = run_match(Match(HOUSE, ("random", "baseline"), 2_000, seed=1))
    assert result.matches[0, 1].to_json() == alone.to_json()
    mine, theirs = result.points(0, 1), result.points(1, 0)
    assert mine is not None
    assert theirs is not None
    assert mine == alone.points
    assert (theirs.estimate, theirs.low, theirs.high) == (1 - mine.estimate, 1 - mine.high, 1 - mine.low)
    assert result.ratings.elo[0] == 0
    assert result.ratings.interval(1).low > 50


def test_all_meet_the_reference() -> None:
    result = run_tournament(Tournament(HOUSE, SCRIPTED, 500, seed=1, reference="baseline"))
    assert list(result.matches) == [(0, 1), (2, 1), (3, 1)]
    assert result.ratings.anchor == 1
    assert result.points(0, 2) is None


def test_the_cross_table_is_text_with_the_anchor_named() -> None:
    result = run_tournament(Tournament(HOUSE, ("random", "baseline", "greedy"), 200, seed=1, reference="random"))
    rows = result.rows()
    assert rows[0][:3] == ["agent", "rating", "95 % interval"]
    assert rows[0][3:] == [row[0] for row in rows[1:]] == ["baseline", "greedy", "random"]
    assert rows[3][1:3] == ["0", "anchor"]
    assert rows[1][3] == rows[1][4] == ""
    assert "±" in rows[1][5]
    lines = str(result).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1


def test_points_without_luck_stand_behind_a_slash() -> None:
    tournament = Tournament(preset("mini-12"), ("greedy", "random"), 40, seed=1, luck=True)
    result = run_tournament(tournament)
    found, mirrored = result.adjusted(0, 1), result.adjusted(1, 0)
    assert found is not None
    assert mirrored is not None
    assert (mirrored.estimate, mirrored.low) == (1 - found.estimate, 1 - found.high)
    best = result.ranking()[0]
    assert result.rows()[1][4] == (
        f"{100 * result.points(best, 1 - best).estimate:.1f} ± "  # type: ignore[union-attr]  # they have met
        + result.rows()[1][4].split(" ± ", 1)[1]
    )
    assert result.rows()[1][4].count(" / ") == 1
    assert run_tournament(Tournament(HOUSE, ("greedy", "random"), 10)).adjusted(0, 1) is None


def test_a_tournament_keeps_its_matches_and_goes_on_with_one_agent_more(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    first = run_tournament(Tournament(HOUSE, SCRIPTED[:2], 300, seed=4), folder=folder)
    told: list[tuple[Meeting, MatchProgress]] = []
    second = run_tournament(
        Tournament(HOUSE, SCRIPTED[:3], 300, seed=4),
        folder=folder,
        report=lambda meeting, progress: told.append((meeting, progress)),
    )
    assert second.matches[0, 1].to_json() == first.matches[0, 1].to_json()
    assert {meeting for meeting, _ in told} == {(0, 2), (1, 2)}
    assert len(list(folder.iterdir())) == 3


def test_stores_of_different_agents_have_different_names() -> None:
    names = {store_name(*pair) for pair in [("a:x=1", "b"), ("a:x=2", "b"), ("a_x=1", "b"), ("b", "a:x=1"), ("a", "x")]}
    assert len(names) == 5
    assert all("/" not in name and ":" not in name for name in names)


@pytest.mark.parametrize(
    ("makers", "reference", "says"),
    [
        (("random",), None, "at least two agents"),
        (("random", "random"), None, "random enters the tournament twice"),
        ((Watcher, Watcher), None, "watcher enters"),
        (("random", "greedy"), "nobody", "'nobody' is none of random, greedy"),
    ],
)
def test_a_tournament_that_can_not_be_is_refused(makers: tuple[str, ...], reference: str | None, says: str) -> None:
    with pytest.raises(InvalidMatch, match=says):
        Tournament(HOUSE, makers, 10, reference=reference)
