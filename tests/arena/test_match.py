"""The one play loop: what agents are told, duplicate deals, records, and what happens when an agent fails."""

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.arena.players import Cheat, Crash, Sulk, Watcher, crash_at_start, indices, without_times
from tests.helpers import PRINTED_PLAIN
from uno_pomdp.agents.agent import Agent
from uno_pomdp.arena.kernel_match import deal_twice, pair_seeds
from uno_pomdp.arena.match import AgentFailure, InvalidMatch, Maker, Match, play_game, play_pair
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.errors import InvalidSeed
from uno_pomdp.game import layout
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, parse_record
from uno_pomdp.game.record import replay
from uno_pomdp.game.rng import player_seed
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import PRESETS, Rules, preset

HOUSE = preset("house")
MINI = preset("mini-9")


# --- the play loop ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [HOUSE, Rules.parse(PRINTED_PLAIN), MINI], ids=["house", PRINTED_PLAIN, "mini-9"])
def test_agents_are_told_of_every_action_as_their_seat_saw_it(rules: Rules) -> None:
    players = Watcher(), Watcher()
    result = play_game(rules, 7, players, (1, 2), record=True)
    assert result.record is not None
    game = replay(result.record)
    assert game.over
    assert result.outcome == game.outcome
    assert result.actions == len(game.moves)
    again = Game.new(rules, 7)
    expected: list[list[tuple[object, ...]]] = [[("start", rules, again.observation(seat))] for seat in (0, 1)]
    decisions = Counter[int]()
    for number, move in enumerate(game.moves):
        decisions[move.seat] += len(again.legal_actions()) > 1
        expected[move.seat].append(("decide",))
        again.apply(move.action)
        for seat in (0, 1):
            expected[seat].append(("update", again.events(seat, number), again.observation(seat)))
    assert [player.told for player in players] == expected
    assert result.decisions == (decisions[0], decisions[1])


def test_the_clock_runs_for_an_agent_while_it_is_asked() -> None:
    ticks = iter(range(10**6))
    result = play_game(MINI, 3, (Watcher(), Watcher()), (1, 2), clock=lambda: float(next(ticks)))
    moves = result.actions
    assert sum(result.seconds) == 2 + 3 * moves  # both start, one decides about a move and both hear of it


def test_a_game_is_the_same_for_the_same_seeds_and_another_for_others() -> None:
    def moves(deal: int, seeds: tuple[int, int]) -> object:
        record = play_game(HOUSE, deal, (make_agent("random"), make_agent("greedy")), seeds, record=True).record
        assert record is not None
        return record.moves

    assert moves(1, (2, 3)) == moves(1, (2, 3))
    assert len({str(moves(1, (2, 3))), str(moves(1, (4, 3))), str(moves(1, (2, 4))), str(moves(5, (2, 3)))}) == 4


# --- pairs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_duplicate_deals_have_identical_cards_in_python_and_in_kernels(name: str) -> None:
    rules = Rules.parse(name)
    for pair_seed in pair_seeds(11, indices(5)).tolist():
        first, second = play_pair(rules, pair_seed, ("greedy", "random"), record=True)
        assert first.record is not None
        assert second.record is not None
        one, other = replay(first.record), replay(second.record)
        assert one.deal == other.deal
        assert one.seed == other.seed == pair_seed
        assert first.record.players == ("greedy", "random")
        assert second.record.players == ("random", "greedy")
        table = np.zeros(2, layout.STATE)
        deal_twice(table, layout.template(rules), rules.hand_size, np.uint64(pair_seed))
        assert table[0] == table[1]
        assert Game(rules, pair_seed, table[:1].copy()).deal == one.deal


def test_pairs_have_seeds_of_their_own_wherever_one_begins() -> None:
    whole = pair_seeds(3, indices(1000))
    assert len(set(whole.tolist())) == 1000
    assert pair_seeds(3, indices(10, start=500)).tolist() == whole[500:510].tolist()
    assert not set(whole.tolist()) & set(pair_seeds(4, indices(1000)).tolist())


def test_both_games_of_a_pair_and_both_seats_have_their_own_randomness() -> None:
    seeds = []

    class Listener(Watcher):
        def begin(self, seed: object) -> None:
            assert isinstance(seed, np.random.SeedSequence)
            seeds.append((seed.entropy, seed.spawn_key))
            super().begin(seed)

    play_pair(MINI, 99, (Listener, Listener))
    given = [np.random.SeedSequence(99, spawn_key=(game, seat)) for game in layout.SEATS for seat in layout.SEATS]
    assert seeds == [(player_seed(seed).entropy, ()) for seed in given]
    assert len(set(seeds)) == 4


def test_a_pair_is_the_same_whatever_is_played_beside_it() -> None:
    match = Match(MINI, ("heuristic", Watcher), 20, seed=4)
    whole = match.play(indices(20))
    parts = [match.play(part) for part in (indices(3, 17), indices(10), indices(7, 10))]
    together = np.concatenate(parts)
    assert without_times(together[np.argsort(together["index"])]) == without_times(whole)


def test_results_are_counted_for_the_agent_and_not_for_the_seat(tmp_path: Path) -> None:
    match = Match(MINI, ("baseline", "random"), 30, seed=2, records=tmp_path / "games")
    result = MatchResult(match.names, match.play(indices(30)))
    outcomes = Counter[tuple[str, str]]()
    actions = 0
    for pair in range(30):
        for game in (1, 2):
            record = load_record(tmp_path / "games" / f"pair-{pair:07d}-game-{game}.txt")
            assert record.players[game - 1] == "baseline"
            assert record.outcome is not None
            actions += len(record.moves)
            won = record.outcome.result(game - 1)
            outcomes["all", "win" if won > 0 else "loss" if won < 0 else "draw"] += 1
            outcomes[f"player {game}", "win" if won > 0 else "loss" if won < 0 else "draw"] += 1
    for score, where in [(result.score, "all"), (result.at(0), "player 1"), (result.at(1), "player 2")]:
        assert score.wins == outcomes[where, "win"]
        assert score.draws == outcomes[where, "draw"]
        assert score.losses == outcomes[where, "loss"]
    assert result.score.draws > 0
    assert result.games == result.score.games == 60
    assert result.actions == actions
    assert result.points.estimate == (result.score.wins + result.score.draws / 2) / 60
    assert result.counts.sum() == 30


def test_the_times_of_each_agent_are_reported_for_each_decision() -> None:
    match = Match(MINI, ("baseline", Watcher), 5)
    first, second = MatchResult(match.names, match.play(indices(5))).milliseconds
    assert first is not None
    assert second is not None
    assert first > 0
    assert second > 0


# --- failures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("maker", "error"),
    [
        (Cheat, "IllegalAction"),
        (Crash, "ZeroDivisionError"),
        (crash_at_start, "ZeroDivisionError"),
        (Sulk, "TypeError"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_failing_agent_stops_the_match_with_the_game_attached(maker: Maker, error: str, seat: int) -> None:
    makers: tuple[Maker, Maker] = (maker, "random") if seat == 0 else ("random", maker)
    with pytest.raises(AgentFailure, match=error) as caught:
        Match(HOUSE, makers, 50, seed=1).play(indices(50))
    failure = caught.value
    assert isinstance(failure.__cause__, Exception)
    assert error in type(failure.__cause__).__name__
    record = parse_record(failure.record)
    assert record.outcome is None
    assert failure.agent in record.players
    assert f"{failure.agent} failed: as player {record.players.index(failure.agent) + 1} after" in str(failure)
    assert f"after {len(record.moves)} move" in failure.reason


def test_a_failure_survives_the_way_from_another_process() -> None:
    failure = AgentFailure("someone", "as player 1 after 3 moves, KeyError: 'x'", "text")
    again = pickle.loads(pickle.dumps(failure))
    assert (again.agent, again.reason, again.record, str(again)) == (
        failure.agent,
        failure.reason,
        failure.record,
        str(failure),
    )


def test_what_stops_a_program_is_not_taken_for_a_failure() -> None:
    class Interrupted(Watcher):
        def decide(self) -> object:  # type: ignore[override]  # never returns
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_pair(MINI, 1, (Interrupted, "random"))


# --- matches ---------------------------------------------------------------------------------------------


def test_a_match_that_can_not_be_played_is_refused() -> None:
    with pytest.raises(InvalidMatch, match="pairs: 0 is not a whole number from 1"):
        Match(HOUSE, ("random", "random"), 0)
    with pytest.raises(InvalidSeed):
        Match(HOUSE, ("random", "random"), 1, seed=-1)


def test_a_match_travels_without_its_agents() -> None:
    made: list[Agent] = []

    def maker() -> Agent:
        made.append(Watcher())
        return made[-1]

    match = Match(HOUSE, (maker, "random"), 1)
    assert match.names == ("watcher", "random")
    assert len(made) == 1
    assert "agents" not in match.__getstate__()
    scripted = Match(HOUSE, ("greedy", "random"), 1)
    assert scripted.in_kernels
    assert pickle.loads(pickle.dumps(scripted)) == scripted


def test_scripted_agents_play_in_kernels_unless_games_are_recorded(tmp_path: Path) -> None:
    assert Match(HOUSE, ("random", "random"), 1).in_kernels
    assert not Match(HOUSE, ("random", "random"), 1, records=tmp_path).in_kernels
    assert not Match(HOUSE, ("random", "random"), 1, kernels=False).in_kernels
    assert not Match(HOUSE, ("random", Watcher), 1).in_kernels
