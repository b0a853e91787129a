"""Running matches: any number of processes, any kill, the same result; progress; stopping with an answer."""

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.externals.loky import reusable_executor

from tests.arena.players import Crash, Watcher, without_times
from uno_pomdp.arena import run
from uno_pomdp.arena.match import AgentFailure, Match
from uno_pomdp.arena.results import PAIR, Pairs
from uno_pomdp.arena.run import MatchProgress, run_match
from uno_pomdp.arena.statistics import Z95, SequentialTest, Verdict
from uno_pomdp.arena.store import read_store
from uno_pomdp.game.notation import parse_record
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.rules import preset

ROOT = Path(__file__).parents[2]
HOUSE = preset("house")
MINI = preset("mini-9")


# --- processes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "match",
    [Match(HOUSE, ("heuristic", "greedy"), 5_000, seed=1), Match(MINI, ("heuristic", Watcher), 60, seed=1)],
    ids=["in kernels", "by agents"],
)
def test_the_result_is_the_same_whatever_the_number_of_processes(match: Match) -> None:
    alone, together = run_match(match), run_match(match, processes=2)
    assert without_times(alone.pairs) == without_times(together.pairs)
    assert alone.to_json() == together.to_json()
    assert alone.pairs["index"].tolist() == list(range(match.pairs))


def test_files_are_looked_for_in_the_present_folder_by_processes_kept_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        NetFile(HOUSE, {}, random_net((8,), 1)).save(f"{name}.npz")
        found = run_match(Match(HOUSE, (f"champion:file={name}.npz", "random"), 4, seed=3), processes=2)
        assert len(found.pairs) == 4


@pytest.mark.parametrize(
    ("seconds", "work", "pools"), [(60.0, 1e9, 0), (0.0, 1e9, 1), (60.0, 0.0, 1)], ids=["short", "long", "late"]
)
def test_a_short_match_on_all_cores_ends_before_other_processes_are_started(
    monkeypatch: pytest.MonkeyPatch, seconds: float, work: float, pools: int
) -> None:
    match, started = Match(MINI, ("heuristic", Watcher), 60, seed=1), []

    def pool(**options: object) -> Callable[[Iterable[Any]], Iterator[Any]]:
        started.append(options["n_jobs"])
        return lambda tasks: (function(*given) for function, given, _ in tasks)

    expected = run_match(match)
    monkeypatch.setattr(joblib, "Parallel", pool)
    monkeypatch.setattr(reusable_executor, "_executor", None)
    monkeypatch.setattr(run, "was_done", lambda _kernels: True)
    monkeypatch.setattr(run, "SHORT_SECONDS", seconds)
    monkeypatch.setattr(run, "SHORT_WORK", work)
    assert without_times(run_match(match, processes=-1).pairs) == without_times(expected.pairs)
    assert started == [-1] * pools


def test_agents_that_have_not_played_yet_play_their_first_chunk_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: set[str] = set()
    monkeypatch.setattr(run, "was_done", done.__contains__)
    monkeypatch.setattr(run, "note_done", done.add)
    here: list[str] = []

    class Noted(run._Work):  # in other processes it notes to a copy of the list
        def play(self) -> run.Played:
            here.append(f"{self.match.names[0]} {self.match.rules.name} {self.indices.tolist()}")
            return super().play()

    monkeypatch.setattr(run, "_Work", Noted)
    for agent, rules in [("flat:sims=4", MINI), ("flat:sims=15", MINI), ("flat:sims=4", HOUSE), ("value:sims=4", MINI)]:
        match = Match(rules, (agent, "random"), 3, seed=1)
        assert len(run_match(match, processes=2).pairs) == 3
    assert here == ["flat:sims=4 mini-9 [0]", "flat:sims=4 house [0]", "value:sims=4 mini-9 [0]"]


def test_another_backend_can_be_chosen() -> None:
    match = Match(MINI, ("heuristic", "greedy"), 500, seed=1)
    assert run_match(match, processes=2, backend="threading").to_json() == run_match(match).to_json()


@pytest.mark.parametrize("met", [False, True], ids=["in this process", "in another"])
def test_a_failing_agent_stops_the_match_with_the_game_attached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, met: bool
) -> None:
    monkeypatch.setattr(run, "was_done", lambda _: met)
    match = Match(HOUSE, (Crash, "random"), 20, seed=1)
    with pytest.raises(AgentFailure, match="crash failed: as player 1 after 5 moves, ZeroDivisionError") as caught:
        run_match(match, processes=2, store=tmp_path / "results.jsonl")
    assert len(parse_record(caught.value.record).moves) == 5
    assert len(read_store(tmp_path / "results.jsonl").pairs) == 0


# --- progress --------------------------------------------------------------------------------------------


def test_progress_tells_rate_estimate_and_time_left(tmp_path: Path) -> None:
    ticks = iter(range(1_000))
    seen: list[MatchProgress] = []
    match = Match(MINI, ("baseline", Watcher), 30, seed=1)
    path = tmp_path / "results.jsonl"
    run_match(Match(MINI, match.makers, 10, seed=1), store=path)
    result = run_match(match, store=path, report=seen.append, clock=lambda: float(next(ticks)))
    assert [progress.seconds for progress in seen] == list(range(1, len(seen) + 1))
    assert seen[0].done > 10
    for progress in seen:
        assert progress.pairs == 30
        assert progress.games_per_second == 2 * (progress.done - 10) / progress.seconds
        assert progress.seconds_left == 2 * (30 - progress.done) / progress.games_per_second
    assert seen[-1].done == 30
    assert seen[-1].seconds_left == 0
    assert seen[-1].points == result.points
    assert match.with_luck
    assert seen[-1].adjusted is not None
    assert result.adjusted is not None
    assert seen[-1].adjusted.points.estimate == pytest.approx(result.adjusted.points.estimate)
    assert seen[-1].adjusted.reduction == pytest.approx(result.adjusted.reduction)


def test_luck_in_kernels_only_where_it_is_asked_for() -> None:
    seen: list[MatchProgress] = []
    plain = run_match(Match(HOUSE, ("heuristic", "greedy"), 20, seed=1), report=seen.append)
    assert plain.adjusted is seen[-1].adjusted is plain.to_json()["adjusted_points"] is None
    lucky = run_match(Match(HOUSE, ("heuristic", "greedy"), 20, seed=1, luck=True))
    assert lucky.points == plain.points
    assert lucky.adjusted is not None
    assert lucky.to_json()["variance_reduction"] == lucky.adjusted.reduction
    assert lucky.to_json()["adjusted_points"] == lucky.adjusted.points.to_json()
    assert "without luck" in str(lucky)
    assert "without luck" not in str(plain)


def test_a_result_becomes_json_with_intervals_and_scores_as_objects() -> None:
    result = run_match(Match(HOUSE, ("heuristic", "greedy"), 20, seed=1))
    first, second, points = result.at(0), result.at(1), result.points
    assert json.loads(json.dumps(result.to_json())) == {
        "agents": ["heuristic", "greedy"],
        "games": 40,
        "wins": first.wins + second.wins,
        "draws": first.draws + second.draws,
        "losses": first.losses + second.losses,
        "points": {"estimate": points.estimate, "low": points.low, "high": points.high},
        "adjusted_points": None,
        "variance_reduction": None,
        "pair_scores": result.counts.tolist(),
        "as_player_1": {"wins": first.wins, "draws": first.draws, "losses": first.losses},
        "as_player_2": {"wins": second.wins, "draws": second.draws, "losses": second.losses},
        "actions": result.actions,
        "decisions": list(result.decisions),
        "lengths": result.lengths.to_json(),
        "finding": None,
    }


@pytest.mark.parametrize("luck", [False, True])
def test_the_sharpest_points_are_without_luck_where_it_was_measured(luck: bool) -> None:
    result = run_match(Match(HOUSE, ("heuristic", "greedy"), 200, seed=1, luck=luck))
    found, wider = result.sharpest(), result.sharpest(2 * Z95)
    assert found == (result.adjusted.points if result.adjusted is not None else result.points)
    assert (result.adjusted is not None) is luck
    assert wider.estimate == found.estimate
    assert wider.high - wider.low == pytest.approx(2 * (found.high - found.low), rel=0.02)
    assert found.high - found.low <= result.points.high - result.points.low


# --- stopping --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2])
def test_the_match_ends_where_the_test_has_its_answer(processes: int) -> None:
    match = Match(HOUSE, ("baseline", "random"), 2_000_000, seed=1)
    test = SequentialTest(edge1=0.05)
    result = run_match(match, processes=processes, test=test)
    assert result.finding is not None
    assert result.finding.verdict == Verdict.FIRST_BETTER
    assert len(result.pairs) == result.finding.pairs < 1_000
    assert result.pairs["index"].tolist() == list(range(result.finding.pairs))
    whole = run_match(Match(HOUSE, match.makers, 1_000, seed=1))
    assert test.look(whole.scores) == result.finding
    assert result.to_json()["finding"] == "the first is better"


def test_a_test_without_an_answer_is_undecided_after_all_pairs() -> None:
    result = run_match(Match(HOUSE, ("heuristic", "baseline"), 60, seed=1), test=SequentialTest(edge1=0.01))
    assert result.finding is not None
    assert result.finding.verdict == Verdict.UNDECIDED
    assert len(result.pairs) == 60


def test_a_test_answered_by_the_store_needs_no_more_games(tmp_path: Path) -> None:
    match = Match(HOUSE, ("baseline", "random"), 10_000, seed=1)
    path = tmp_path / "results.jsonl"
    first = run_match(match, store=path, test=SequentialTest(edge1=0.05))
    size = path.stat().st_size
    reports: list[MatchProgress] = []
    again = run_match(match, store=path, test=SequentialTest(edge1=0.05), report=reports.append)
    assert again.to_json() == first.to_json()
    assert path.stat().st_size == size
    assert not reports


# --- resuming --------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.rules import preset
match = Match(preset("mini-9"), ("heuristic", "greedy"), 500, seed=5, kernels=False)
run_match(match, processes=int(sys.argv[2]), store=sys.argv[1])
"""


def start(path: Path, processes: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", PROGRAM, str(path), str(processes)]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_match_killed_at_random_moments_ends_with_the_table_of_one_that_was_not(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    chance = random.Random(1)
    finished = 0
    for processes, wanted in [(1, 1), (1, 7_000), (2, 17_000)]:
        run = start(path, processes)
        while (not path.exists() or path.stat().st_size < wanted) and run.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.1))
        run.kill()
        run.wait()
        with contextlib.suppress(ProcessLookupError):  # its own processes, which would wait for work for minutes
            os.killpg(run.pid, signal.SIGKILL)
        if path.stat().st_size:
            indices = read_store(path).pairs["index"].tolist()
            assert len(indices) == len(set(indices)) >= finished
            finished = len(indices)
    assert 0 < finished < 500
    match = Match(MINI, ("heuristic", "greedy"), 500, seed=5, kernels=False)
    resumed = run_match(match, store=path)
    whole = run_match(match)
    assert resumed.to_json() == whole.to_json()
    assert without_times(resumed.pairs) == without_times(whole.pairs)
    assert len(read_store(path).pairs) == 500


def test_a_longer_match_goes_on_where_a_shorter_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    makers = ("heuristic", "greedy")
    run_match(Match(HOUSE, makers, 300, seed=2), store=path)
    longer = run_match(Match(HOUSE, makers, 1_000, seed=2), store=path, processes=2)
    assert longer.to_json() == run_match(Match(HOUSE, makers, 1_000, seed=2)).to_json()
    shorter = run_match(Match(HOUSE, makers, 300, seed=2), store=path)
    assert shorter.games == 600


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal there")
def test_a_run_is_stopped_even_in_the_midst_of_a_kernel_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    worker: list[threading.Thread] = []
    ended = threading.Event()

    def endless() -> Pairs:
        worker.append(threading.current_thread())
        hashlib.pbkdf2_hmac("sha256", b"", b"", 4_000_000)  # in C, seconds long, without the interpreter's lock
        ended.set()
        return np.zeros(0, PAIR)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "LAST_SECONDS", 0.0)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            run._beside(endless)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert worker[0] is not threading.main_thread()
    assert not ended.is_set(), "it was not waited for"


def test_what_fails_beside_the_main_thread_fails_in_it() -> None:
    def broken() -> Pairs:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run._beside(broken)
