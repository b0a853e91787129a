"""Lengths of games: turns by their definition on every path, and their spread."""

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from tests.arena.players import indices, pairs_of
from tests.helpers import PRINTED_PLAIN
from uno_pomdp.arena.lengths import Spread
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import SequentialTest
from uno_pomdp.arena.tournament import Tournament, run_tournament
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.rules import Rules, preset


def turns_of(record: GameRecord) -> int:
    """Return the turns of a game by their definition: stretches of moves of one player."""
    return sum(1 for _ in groupby(move.seat for move in record.moves))


def test_a_spread_has_mean_deviation_ends_and_quartiles() -> None:
    spread = Spread(np.array([4, 8, 6, 6, 1, 11, 7, 5]))
    assert spread.to_json() == {
        "mean": 6.0,
        "deviation": pytest.approx(np.sqrt((4 + 4 + 25 + 25 + 1 + 1) / 8)),
        "shortest": 1,
        "quartiles": [4, 6, 7],  # two, four and six of the eight are not above them
        "longest": 11,
    }
    assert str(spread) == "mean 6.0, standard deviation 2.7, 1 to 11"


@pytest.mark.parametrize("rules", ["house", "pass", PRINTED_PLAIN, "mini-9"])
def test_the_turns_and_actions_of_agents_are_those_of_the_records(rules: str, tmp_path: Path) -> None:
    match = Match(Rules.parse(rules), ("baseline", "random"), 6, seed=2, records=tmp_path)
    pairs = match.play(indices(6))
    for pair in range(6):
        for game in (0, 1):
            record = load_record(tmp_path / f"pair-{pair:07d}-game-{game + 1}.txt")
            assert pairs["game_actions"][pair, game] == len(record.moves)
            assert pairs["game_turns"][pair, game] == turns_of(record)
    assert np.array_equal(pairs["game_actions"].sum(axis=1), pairs["actions"])


def test_a_turn_is_one_action_where_no_card_lets_the_same_player_move_again() -> None:
    """Under `pass` a draw, a play and a skip all pass the turn; under `house` a skip does not."""
    plain = Match(preset("pass"), ("heuristic", "random"), 300, seed=1).play(indices(300))
    assert np.array_equal(plain["game_turns"], plain["game_actions"])
    house = Match(preset("house"), ("heuristic", "random"), 300, seed=1).play(indices(300))
    assert (house["game_turns"] <= house["game_actions"]).all()
    assert (house["game_turns"] < house["game_actions"]).mean() > 0.5


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "mini-9"])
def test_kernels_count_the_same_with_luck_and_without(rules: str) -> None:
    match = Match(Rules.parse(rules), ("heuristic", "greedy"), 40, seed=3)
    plain = match.play(indices(40))
    lucky = Match(match.rules, match.makers, 40, seed=3, luck=True).play(indices(40))
    for name in ("actions", "game_actions", "game_turns"):
        assert np.array_equal(plain[name], lucky[name])
    assert np.array_equal(plain["game_actions"].sum(axis=1), plain["actions"])
    assert (plain["game_turns"] > 0).all()


@pytest.mark.parametrize("kernels", [True, False])
def test_the_same_seed_has_the_same_lengths_however_it_is_played(kernels: bool) -> None:
    match = Match(preset("mini-9"), ("baseline", "random"), 30, seed=4, kernels=kernels)
    alone, together = run_match(match), run_match(match, processes=2, backend="threading")
    assert np.array_equal(alone.lengths.turns.values, together.lengths.turns.values)
    assert len(alone.lengths.turns.values) == 60
    assert alone.to_json()["lengths"] == together.to_json()["lengths"] == alone.lengths.to_json()


def test_only_games_that_count_for_a_sequential_test_have_their_lengths_counted() -> None:
    match = Match(preset("house"), ("baseline", "random"), 10_000, seed=1)
    result = run_match(match, test=SequentialTest(edge1=0.05))
    assert result.finding is not None
    assert len(result.lengths.turns.values) == 2 * result.finding.pairs < 10_000


def test_lengths_of_a_result_are_those_of_its_pairs_and_of_no_game_there_are_none() -> None:
    whole = MatchResult(("a", "b"), pairs_of((2, 0), (1, 1), (0, 2)))
    assert (whole.lengths.turns.mean, whole.lengths.actions.mean) == (18.0, 20.0)
    assert MatchResult(("a", "b"), pairs_of((2, 0))[:0]).to_json()["lengths"] is None


def test_a_game_takes_both_agents_time_and_in_kernels_that_of_this_run(tmp_path: Path) -> None:
    asked = MatchResult(("a", "b"), pairs_of((2, 0), (1, 1)))
    assert asked.milliseconds_per_game == pytest.approx(1000 * (0.25 + 0.125) / 2)
    match = Match(preset("mini-9"), ("random", "greedy"), 100, seed=1)
    played = run_match(match, store=tmp_path / "kept.jsonl").milliseconds_per_game
    assert played is not None
    assert 0 < played < 1000
    assert run_match(match, store=tmp_path / "kept.jsonl").milliseconds_per_game is None  # nothing was played


def test_a_tournament_has_the_lengths_and_times_of_each_agents_games() -> None:
    makers = ("random", "greedy", "heuristic")
    result = run_tournament(Tournament(preset("mini-9"), makers, 50, seed=1, reference="greedy"))
    matches = list(result.matches.values())
    of_greedy, of_random, everything = result.lengths(1), result.lengths(0), result.lengths()
    assert of_greedy is not None
    assert of_random is not None
    assert everything is not None
    assert len(of_greedy.turns.values) == len(everything.turns.values) == 200
    assert np.array_equal(of_random.turns.values, matches[0].lengths.turns.values)
    told = result.to_json()["lengths"]
    assert [row["agent"] for row in told] == [result.names[agent] for agent in result.ranking()]
    assert {"agent": "random"} | of_random.to_json() in told
    times = result.times()
    assert [row["milliseconds"] for row in times] == [None] * 3  # kernels have no clock for each agent
    assert all(row["milliseconds_per_game"] > 0 for row in times)


def test_the_time_of_an_agents_decisions_is_taken_over_its_matches() -> None:
    tournament = Tournament(preset("mini-9"), ("random", "greedy", "flat:sims=5"), 3, seed=1, luck=False)
    result = run_tournament(tournament)
    one, other = result.matches[0, 2], result.matches[1, 2]
    spent = one.pairs["seconds"][:, 1].sum() + other.pairs["seconds"][:, 1].sum()
    assert result.milliseconds(2) == pytest.approx(1000 * spent / (one.decisions[1] + other.decisions[1]))
    assert result.milliseconds(0) == one.milliseconds[0]  # its other match was played in kernels
