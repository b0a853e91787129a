"""The coach over HTTP: it speaks while somebody listens, as the search goes on, of the position that is shown."""

import asyncio
import json
import time
from typing import Any

import pytest

from tests.web_server.site import Site, Stream, on_loop, with_limits
from uno_pomdp.web import coaching

LONG = "flat:sims=100000000"
"""A coach that would search for hours."""


@pytest.fixture
def coach(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what sets the coach of all rules."""

    def chosen(text: str) -> None:
        monkeypatch.setattr(coaching, "coach_for", lambda _: text)
        monkeypatch.setattr(coaching, "EVERY", 0.02)

    return chosen


async def analysis(stream: Stream, done: bool | None = None) -> Any:
    """Return the next analysis that is told, of those that are done or not if asked so."""
    while True:
        kind, data = await stream.chunk()
        if kind == "analysis" and done in (None, json.loads(data)["done"]):
            return json.loads(data)


@on_loop
async def test_the_coach_tells_beliefs_first_and_every_legal_move_at_the_end(coach: Any) -> None:
    coach("flat:sims=2000")
    async with Site() as site:
        path = await site.begin(opponent="heuristic", rules="printed", coach=True)
        state = (await site.get(path)).json
        stream = Stream(site, f"{path}/events")
        found = await analysis(stream, done=True)
        assert set(found) == {
            *("number", "done", "coach", "win", "candidates", "line", "note", "lie", "belief", "graph"),
        }
        assert (found["number"], found["coach"]) == (state["number"], "flat:sims=2000")
        assert {one["action"] for one in found["candidates"]} == set(state["legal"])
        assert found["win"] == max(one["value"] for one in found["candidates"])
        assert found["graph"] == [{"number": state["number"], "win": found["win"]}]
        for belief in found["belief"].values():
            assert set(belief) >= {"cards", "expected", "colours", "nothing_playable"}
            assert sum(belief["expected"].values()) == pytest.approx(state["opponent_size"], abs=0.01)
        assert "heuristic" in found["belief"]["aware"]["about"]
        second = Stream(site, f"{path}/events")  # who comes later is told at once
        assert await analysis(second) == found
        await site.move(path, state, state["legal"][0])
        state = await site.settled(path, "yours", "over")
        later = await analysis(stream, done=True)
        assert [point["number"] for point in later["graph"]] == [0, state["number"]]
        await stream.leave()
        await second.leave()


@on_loop
async def test_a_search_that_goes_on_is_told_on_the_way_and_ended_by_a_move(coach: Any) -> None:
    coach(LONG)
    async with Site() as site:
        path = await site.begin(opponent="greedy", coach=True)
        stream = Stream(site, f"{path}/events")
        state = await stream.until("yours")
        spent: list[int] = []
        while len(spent) < 3:
            found = await analysis(stream, done=False)
            if found["win"] is not None:
                spent.append(sum(one["simulations"] for one in found["candidates"]))
        assert spent == sorted(spent)
        assert spent[-1] > spent[0]
        await site.move(path, state, state["legal"][0])
        await site.settled(path, "yours", "over")  # its opponent found a core: the coach has let go of it
        await stream.leave()


async def silent(site: Site) -> None:
    """Wait until no search runs."""
    begun = time.monotonic()
    while site.board.workers.running:
        assert time.monotonic() - begun < 20
        await asyncio.sleep(0.01)


@on_loop
async def test_the_coach_is_silent_when_switched_off_and_when_nobody_listens(coach: Any) -> None:
    coach(LONG)
    async with Site() as site:
        path = await site.begin(opponent="greedy", coach=True)
        await silent(site)  # nobody has listened yet
        stream = Stream(site, f"{path}/events")
        await analysis(stream)
        await site.post(f"{path}/coach", {"on": False})
        await silent(site)
        await site.post(f"{path}/coach", {"on": True})
        while (await analysis(stream))["win"] is None:
            pass
        assert site.board.workers.running == 1
        await stream.leave()
        await silent(site)
        stream = Stream(site, f"{path}/events")  # back again: it goes on
        while (await analysis(stream))["win"] is None:
            pass
        await stream.leave()
        await silent(site)


@on_loop
async def test_a_busy_server_serves_opponents_before_coaches(coach: Any) -> None:
    coach(LONG)
    async with Site(with_limits(searches=2, waiting=1)) as site:
        paths = [await site.begin(opponent="greedy", coach=True) for _ in range(4)]
        streams = [Stream(site, f"{path}/events") for path in paths]
        await analysis(streams[0])
        for path in paths:
            state = await site.settled(path, "yours")
            await site.move(path, state, state["legal"][0])
            await site.settled(path, "yours", "over")
        assert site.board.workers.running <= 2
        for stream in streams:
            await stream.leave()
        await silent(site)


@on_loop
async def test_an_opponent_does_not_wait_for_a_coach_that_waits_for_others(coach: Any) -> None:
    coach(LONG)
    async with Site(with_limits(searches=2)) as site:
        first, second = [await site.begin(opponent="greedy", coach=True) for _ in range(2)]
        streams = [Stream(site, f"{first}/events")]
        await analysis(streams[0], done=False)  # it has the one core that coaches may have, for hours
        streams.append(Stream(site, f"{second}/events"))
        state = await streams[1].until("yours")
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert streams[1].waiting == 0  # its coach waits
        await site.move(second, state, state["legal"][0])
        async with asyncio.timeout(10):
            await site.settled(second, "yours", "over")
        assert site.board.workers.running == 1
        for stream in streams:
            await stream.leave()
        await silent(site)


@on_loop
async def test_after_an_undo_belief_and_graph_are_those_of_the_position_that_stands(coach: Any) -> None:
    coach("flat:sims=50")
    async with Site() as site:
        path = await site.begin(opponent="greedy", rules="house", practice=True, coach=True, seat="1")
        state = (await site.get(path)).json
        stream = Stream(site, f"{path}/events")
        first = await analysis(stream, done=True)
        await site.move(path, state, state["legal"][0])
        state = await site.settled(path, "yours")
        while (await analysis(stream, done=True))["number"] != state["number"]:
            pass
        assert (await site.post(f"{path}/undo", {"at": state["number"]})).status == 200
        again = await analysis(stream, done=True)
        assert again["number"] == 0
        assert again["belief"] == first["belief"]
        assert [point["number"] for point in again["graph"]] == [0]
        await stream.leave()


@on_loop
async def test_what_is_found_of_a_position_that_is_not_wanted_any_more_is_not_told(coach: Any) -> None:
    coach("flat:sims=50")
    async with Site() as site:
        path = await site.begin(opponent="greedy", rules="house", practice=True, coach=True, seat="1")
        table = await site.table(path)
        stream = Stream(site, f"{path}/events")
        found = await analysis(stream, done=True)
        state = (await site.get(path)).json
        before = table.round.shown
        assert before is not None
        await site.move(path, state, state["legal"][0])
        await site.settled(path, "yours")
        await table.round.coaching.ended()
        latest, graph = table.round.coaching.latest, table.round.coaching.graph
        table.round.coaching._told(before, json.dumps(found).encode(), [])
        assert (table.round.coaching.latest, table.round.coaching.graph) == (latest, graph)
        await stream.leave()
