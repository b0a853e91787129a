"""Matches on a cluster: the result of this machine, whoever dies; refusals of clusters that would play otherwise."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.arena.clusters import HERE, ROOT, LocalCluster
from tests.arena.players import Crash, Fatal, Watcher, without_times
from tests.helpers import run_python
from uno_pomdp.arena.cluster import ClusterError, check_versions, connect, versions
from uno_pomdp.arena.match import AgentFailure, InvalidMatch, Match
from uno_pomdp.arena.run import MatchProgress, _play_there, _Work, run_match
from uno_pomdp.arena.store import read_store
from uno_pomdp.arena.tournament import Tournament, run_tournament
from uno_pomdp.game.notation import parse_record
from uno_pomdp.rules import preset

HOUSE = preset("house")
MINI = preset("mini-9")
KERNELS = Match(HOUSE, ("heuristic", "greedy"), 40_000, seed=1)
"""Large chunks, which are large arrays."""
AGENTS = Match(MINI, ("heuristic", "greedy"), 240, seed=1, kernels=False)
"""Small chunks, of every worker's own agents."""
LONG = replace(AGENTS, pairs=20_000)
"""Does not end before something happens."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """Return a cluster of two workers; a test that kills one starts another."""
    with LocalCluster(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


# --- the same result -------------------------------------------------------------------------------------


def test_a_tournament_on_a_cluster_has_the_result_of_one_on_this_machine(cluster: LocalCluster, tmp_path: Path) -> None:
    tournament = Tournament(MINI, ("heuristic", "greedy", Watcher), 60, seed=3)
    there = run_tournament(tournament, cluster=cluster.address, folder=tmp_path)
    here = run_tournament(tournament)
    assert str(there) == str(here)
    for meeting, match in here.matches.items():
        assert without_times(there.matches[meeting].pairs) == without_times(match.pairs)
    assert sum(len(read_store(path).pairs) for path in tmp_path.iterdir()) == 3 * 60


@pytest.mark.parametrize(("match", "after"), [(KERNELS, 0), (AGENTS, 24)], ids=["in kernels", "by agents"])
def test_a_worker_killed_in_mid_run_changes_nothing(
    match: Match, after: int, cluster: LocalCluster, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    at_kill: list[int] = []

    def kill_one(progress: MatchProgress) -> None:
        if not at_kill and progress.done > after:
            cluster.kill(cluster.workers.pop(0))
            at_kill.append(progress.done)

    there = run_match(match, store=path, report=kill_one, cluster=cluster.address)
    cluster.add_worker()
    assert at_kill[0] < match.pairs
    here = run_match(match)
    assert there.to_json() == here.to_json()
    assert without_times(there.pairs) == without_times(here.pairs)
    stored = read_store(path).pairs
    assert sorted(stored["index"].tolist()) == list(range(match.pairs))
    assert path.read_bytes().endswith(b"\n")


def test_a_connection_serves_several_matches_and_a_store_is_resumed_there(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    run_match(replace(AGENTS, pairs=20), store=path)
    seen: list[MatchProgress] = []
    with connect(cluster.address) as there:
        assert there.workers == 2
        resumed = run_match(replace(AGENTS, pairs=50), store=path, report=seen.append, cluster=there)
        again = run_match(replace(AGENTS, pairs=50), cluster=there)
    assert resumed.to_json() == again.to_json() == run_match(replace(AGENTS, pairs=50)).to_json()
    assert min(progress.done for progress in seen) > 20


def test_a_failing_agent_on_a_worker_stops_the_match_with_the_game_attached(cluster: LocalCluster) -> None:
    match = Match(HOUSE, (Crash, "random"), 20, seed=1)
    with pytest.raises(AgentFailure, match="crash failed: as player 1 after 5 moves, ZeroDivisionError") as caught:
        run_match(match, cluster=cluster.address)
    assert len(parse_record(caught.value.record).moves) == 5
    small = Match(MINI, ("random", "greedy"), 10)
    assert run_match(small, cluster=cluster.address).to_json() == run_match(small).to_json()


def test_records_are_written_from_where_a_worker_is_to_where_they_were_wanted(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_match(Match(MINI, ("random", "greedy"), 5, seed=2, records=Path("there")), cluster=cluster.address)
    run_match(Match(MINI, ("random", "greedy"), 5, seed=2, records=Path("here")))
    there, here = ({path.name: path.read_text() for path in Path(name).iterdir()} for name in ("there", "here"))
    assert there == here
    assert len(here) == 10


# --- what ends a run -------------------------------------------------------------------------------------


def test_a_run_ends_when_pairs_kill_their_worker_and_when_the_scheduler_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with LocalCluster(tmp_path, workers=1, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as fragile:
        with pytest.raises(
            ClusterError, match=r"^every worker that played certain pairs died, 1 in all: see the log of tcp"
        ):
            run_match(Match(MINI, (Fatal, "random"), 3), cluster=fragile.address)
        fragile.kill(fragile.workers[0])
        fragile.add_worker()
        with pytest.raises(
            ClusterError, match=r"^the connection to the cluster at tcp://.* was lost; finished pairs are"
        ):
            run_match(LONG, store=path, cluster=fragile.address, report=lambda _: fragile.kill(fragile.scheduler))
    stored = read_store(path).pairs["index"].tolist()
    assert 0 < len(stored) == len(set(stored)) < LONG.pairs


def test_a_run_ends_when_no_worker_is_left(cluster: LocalCluster, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"

    def kill_all(_: MatchProgress) -> None:
        for worker in cluster.workers:
            cluster.kill(worker)

    with (
        connect(cluster.address, patience=0.1) as there,
        pytest.raises(
            ClusterError, match=r"^all workers of the cluster at tcp://.* are gone; finished pairs are in the"
        ),
    ):
        run_match(LONG, store=path, cluster=there, report=kill_all)
    assert 0 < len(read_store(path).pairs) < LONG.pairs
    cluster.workers.clear()
    cluster.add_worker(wait=False)
    cluster.add_worker()


# --- refusals --------------------------------------------------------------------------------------------


def test_a_cluster_that_would_not_play_the_same_games_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "src", other, ignore=shutil.ignore_patterns("__pycache__"))
    with open(other / "uno_pomdp" / "cards.py", "a", encoding="utf-8") as file:
        file.write("# another line\n")
    none = tmp_path / "none"
    none.mkdir()
    (none / "uno_pomdp.py").write_text("raise ImportError('not here')\n")
    bad = [
        (("--nthreads", "2"), HERE, "plays 2 games at once in one process: start one worker for each core with `dask"),
        ((), (str(other), str(ROOT)), rf"has sources of uno-pomdp \w+, but {versions()['sources of uno-pomdp']} is"),
        ((), (str(none),), r"can't load uno-pomdp [\d.]+ \(\w+: .*\): install it there"),
    ]
    with LocalCluster(tmp_path) as wrong:
        with pytest.raises(ClusterError, match=f"the cluster at {wrong.address} has no workers: start some with `dask"):
            connect(wrong.address, seconds=0.1)
        for options, path, says in bad:
            worker = wrong.add_worker(*options, path=path)
            with pytest.raises(ClusterError, match=f"^the worker tcp://.* {says}"):
                connect(wrong.address)
            wrong.kill(worker)
            wrong.wait_for_workers(0)


def test_a_worker_that_joins_with_other_versions_stops_the_match() -> None:
    work = _Work(Match(MINI, ("random", "greedy"), 1), np.arange(1))
    pairs, _ = _play_there(work, versions())
    assert len(pairs) == 1
    with pytest.raises(
        ClusterError, match=r"^a worker that has joined has numpy .*, but 0\.1 is needed: install the sa"
    ):
        _play_there(work, versions() | {"numpy": "0.1"})


@pytest.mark.parametrize("name", ["Python", "uno-pomdp", "sources of uno-pomdp", "numpy", "numba"])
def test_every_version_that_the_games_depend_on_is_compared(name: str) -> None:
    check_versions("it", versions(), versions())
    with pytest.raises(ClusterError, match=f"^it has {name} 0, but "):
        check_versions("it", versions() | {name: "0"}, versions())


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1", "tcp://:x"])
def test_an_address_where_nobody_answers_is_refused(address: str) -> None:
    with pytest.raises(ClusterError, match=rf"^no scheduler answers at {address}: start one with `dask scheduler`"):
        connect(address, seconds=0.5)


def test_a_folder_that_workers_do_not_see_is_refused(cluster: LocalCluster, tmp_path: Path) -> None:
    class Elsewhere:
        def run(self, *_: object) -> dict[str, bool]:
            return {"tcp://10.0.0.1:1": True, "tcp://10.0.0.2:2": False}

    with connect(cluster.address) as there:
        lonely = replace(there, client=Elsewhere())
        with pytest.raises(ClusterError, match=r"^the worker tcp://10.0.0.2:2 does not see the folder .*/games: give"):
            lonely.shared(Match(MINI, ("random", "greedy"), 1, records=tmp_path / "games"))


def test_without_the_extra_a_cluster_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ClusterError, match=r"^a cluster needs the package distributed: install it with pip install '.*\[cluster\]'$"
    ):
        connect("tcp://127.0.0.1:1")


def test_processes_and_a_cluster_together_are_refused() -> None:
    match = Match(MINI, ("random", "greedy"), 1)
    for processes, cluster in ((2, "tcp://127.0.0.1:1"), (0, None)):
        with pytest.raises(InvalidMatch, match="but not both"):
            run_match(match, processes=processes, cluster=cluster)


def test_the_extra_is_loaded_only_for_a_cluster() -> None:
    run_python(
        "import sys, uno_pomdp.cli.main, uno_pomdp.arena.tournament as t\n"
        "from uno_pomdp.rules import preset\n"
        "t.run_tournament(t.Tournament(preset('mini-9'), ('random', 'greedy'), 1))\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
