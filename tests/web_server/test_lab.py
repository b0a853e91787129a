"""The lab over HTTP: experiments run in processes of their own, tell how they go, can be stopped, and are refused."""

import asyncio
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import uno_pomdp as uno
from tests.web_server.site import ROOMY, Site, Stream, on_loop
from uno_pomdp.web.lab_process import run
from uno_pomdp.web.lab_run import LabRun

MATCH = {"kind": "match", "rules": "mini-7", "first": "heuristic", "second": "greedy", "pairs": 40, "seed": 2}
LONG = {"kind": "match", "rules": "house", "first": "flat:ms=50", "second": "flat:ms=50", "pairs": 20_000, "seed": 2}


async def asked(site: Site, wanted: dict[str, Any]) -> str:
    made = await site.post("/api/lab", wanted)
    assert made.status == 201, made.body
    return f"/api/lab/{made.json['token']}"


@on_loop
async def test_a_match_is_that_of_python_and_is_kept(tmp_path: Path) -> None:
    expected = uno.match("heuristic", "greedy", pairs=40, rules="mini-7", seed=2)
    store = tmp_path / "store.db"
    async with Site(path=store) as site:
        path = await asked(site, MATCH)
        assert (await site.get(path)).json["status"] == "waiting"  # nobody looks
        stream = Stream(site, f"{path}/events")
        state = await stream.until("done")
        await stream.leave()
        assert state["report"] == json.loads(json.dumps(expected.to_json()))
        assert state["text"] == str(expected)
        done, low, estimate, high = state["matches"][0]["course"][-1]
        assert (done, low <= estimate <= high, estimate) == (40, True, expected.points.estimate)
        assert (await site.post(f"{path}/stop")).kind == "conflict"
    async with Site(path=store) as site:
        assert (await site.get(path)).json["report"] == state["report"]


@on_loop
async def test_one_runs_at_a_time_and_each_can_be_stopped() -> None:
    async with Site() as site:
        first, second = await asked(site, LONG), await asked(site, LONG)
        one, two = Stream(site, f"{first}/events"), Stream(site, f"{second}/events")
        await one.until("running")
        assert (await site.get(second)).json["status"] == "waiting"
        assert (await site.post(f"{first}/stop")).json["status"] == "stopped"
        await two.until("running")
        assert (await site.post(f"{second}/stop")).json["status"] == "stopped"
        await one.leave()
        await two.leave()


@on_loop
async def test_an_experiment_does_not_end_before_its_process_however_often_it_is_cancelled() -> None:
    """As the loop does when it ends, while the process that was killed is waited for already."""
    async with Site() as site:
        path = await asked(site, LONG)
        stream = Stream(site, f"{path}/events")
        await stream.until("running")
        found = await site.board.find(path.removeprefix("/api/lab/"), LabRun)
        while found._process is None:
            await asyncio.sleep(0.001)
        assert found._work is not None
        for _ in range(3):
            found._work.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([found._work])
        assert found._work.cancelled()
        assert found._process.returncode is not None
        await stream.leave()


@on_loop
async def test_an_experiment_that_takes_too_long_is_stopped_with_a_sentence() -> None:
    async with Site(replace(ROOMY, experiment_seconds=0.05)) as site:
        stream = Stream(site, f"{await asked(site, LONG)}/events")
        state = await stream.until("stopped")
        assert "ask for fewer pairs" in state["trouble"]
        await stream.leave()


@on_loop
async def test_an_experiment_that_the_system_ends_is_no_bug(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\nkill -KILL $$\n")
    (tmp_path / "python").chmod(0o700)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    async with Site() as site:
        stream = Stream(site, f"{await asked(site, MATCH)}/events")
        state = await stream.until("failed")
        assert state["trouble"].startswith("The experiment was ended by the system, as happens when memory is short")
        await stream.leave()


def test_a_nash_report_names_each_attempt_as_it_goes() -> None:
    out = io.StringIO()
    run({"kind": "nash", "rules": "mini-7", "first": "greedy", "pairs": 4, "seed": 1, "simulations": 20}, out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    report = uno.nash("greedy", rules="mini-7", pairs=4, simulations=20, seed=1)
    assert lines[-1]["report"] == json.loads(json.dumps(report.to_json()))
    told = {line["match"] for line in lines if "match" in line}
    assert len(told) == 1 + len(report.bounds) == 1 + lines[0]["attempts"]


@on_loop
async def test_an_experiment_that_can_not_be_kept_or_begun_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Site() as site:
        kept, stopped, broken = [await asked(site, wanted) for wanted in (MATCH, LONG, MATCH)]
        site.board.store._file.execute("PRAGMA query_only=1")
        stream = Stream(site, f"{kept}/events")
        state = await stream.until("done")
        assert state["report"] is not None
        assert state["trouble"].startswith("NOT SAVED: ")
        await stream.leave()
        stream = Stream(site, f"{stopped}/events")
        await stream.until("running")
        state = (await site.post(f"{stopped}/stop")).json
        assert (state["status"], state["trouble"][:9]) == ("stopped", "NOT SAVED")
        await stream.leave()
        monkeypatch.setattr("sys.executable", "/no/python")
        stream = Stream(site, f"{broken}/events")
        state = await stream.until("failed")
        assert "bug" in state["trouble"]
        await stream.leave()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no kind": (MATCH | {"kind": "race"}, "bad_request"),
    "no agent": (MATCH | {"second": "nobody"}, "unknown_agent"),
    "code of one's own": (MATCH | {"first": "py:os.system"}, "unknown_agent"),
    "a file": (MATCH | {"first": "policy:file=/etc/passwd"}, "unknown_agent"),
    "no rules": (MATCH | {"rules": "nothing"}, "unknown_rules"),
    "too many deals": (MATCH | {"pairs": 10**7}, "bad_request"),
    "no number": (MATCH | {"pairs": "many"}, "bad_request"),
}


@pytest.mark.parametrize("what", REFUSED)
@on_loop
async def test_what_can_t_be_run_is_refused_in_a_sentence(what: str) -> None:
    wanted, kind = REFUSED[what]
    async with Site() as site:
        assert (await site.post("/api/lab", wanted)).kind == kind
