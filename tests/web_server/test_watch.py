"""Watching over HTTP: a game of two agents with open hands, stepped through; finished records; what is refused."""

from pathlib import Path
from typing import Any

import pytest

from tests.web_server.site import Site, Stream, on_loop
from uno_pomdp.cards import Cards
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import observed, record_of, replay
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.rules import preset

GAME = {"rules": "mini-12", "first": "heuristic", "second": "greedy", "seed": 3}


async def watched(site: Site, **wanted: Any) -> tuple[str, Any]:
    """Open a game, look at it to its end, and return its path and last state."""
    made = await site.post("/api/watch", wanted)
    assert made.status == 201, made.body
    path = f"/api/watch/{made.json['token']}"
    stream = Stream(site, f"{path}/events")
    state = await stream.until("over")
    await stream.leave()
    return path, state


@on_loop
async def test_a_game_is_that_of_the_terminal_and_every_moment_of_it_is_open() -> None:
    record = play_annotated(preset("mini-12"), ("heuristic", "greedy"), 3).record
    async with Site() as site:
        path, state = await watched(site, **GAME)
        assert parse_record((await site.get(f"{path}/record")).body.decode()) == record
        assert [move["action"] for move in state["moves"]] == [str(move.action) for move in record.moves]
        assert state["result"].lower() == f"{record.outcome}.".lower()
        game = replay(record)
        for number in range(len(record.moves) + 1):
            moment = (await site.get(f"{path}/moment/{number}")).json
            then = game.earlier(len(record.moves) - number)
            assert [Cards.parse(" ".join(hand)) for hand in moment["hands"]] == [then.hand(0), then.hand(1)]
            assert (moment["decision"] is None) == (number == 0)
            for seat in (0, 1):
                believed = moment["beliefs"][seat]["cards"]
                assert all(believed[card] > 0 for card in moment["hands"][1 - seat])


@on_loop
async def test_a_game_that_nobody_looks_at_rests_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with Site(path=store) as site:
        path = f"/api/watch/{(await site.post('/api/watch', GAME)).json['token']}"
        assert (await site.get(path)).json["moves"] == []
        stream = Stream(site, f"{path}/events")
        while not (state := await stream.state())["moves"]:
            pass
        await stream.leave()
    async with Site(path=store) as site:
        stream = Stream(site, f"{path}/events")
        after = await stream.until("over")
        await stream.leave()
        assert after["moves"][: len(state["moves"])] == state["moves"]
        _, whole = await watched(site, **GAME)
        assert after["moves"] == whole["moves"]


@on_loop
async def test_a_finished_record_is_shown_and_one_seat_of_a_running_game() -> None:
    record = play_annotated(preset("printed"), ("heuristic", "greedy"), 1).record
    async with Site() as site:
        path, state = await watched(site, record=format_record(record))
        assert state["players"] == ["heuristic", "greedy"]
        assert len(state["moves"]) == len(record.moves)
        running = Game.new("house", seed=5)
        seen = format_record(observed(record_of(running, ("a", "b")), 1))
        path, state = await watched(site, record=seen)
        moment = (await site.get(f"{path}/moment/0")).json
        assert moment["hands"][0] is None
        assert moment["beliefs"][0] is None
        assert len(moment["hands"][1]) == 7


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no agent": (GAME | {"first": "nobody"}, "unknown_agent"),
    "no rules": (GAME | {"rules": "nothing"}, "unknown_rules"),
    "no record": ({"record": "nonsense"}, "illegal_record"),
    "no seed": (GAME | {"seed": -1}, "bad_request"),
    "a field too many": (GAME | {"colour": "red"}, "bad_request"),
}


@pytest.mark.parametrize("what", REFUSED)
@on_loop
async def test_what_can_t_be_watched_is_refused_in_a_sentence(what: str) -> None:
    wanted, kind = REFUSED[what]
    async with Site() as site:
        answer = await site.post("/api/watch", wanted)
        assert (answer.status in (400, 422), answer.kind) == (True, kind)


@on_loop
async def test_running_games_and_moments_to_come_are_refused() -> None:
    async with Site() as site:
        running = format_record(record_of(Game.new("house", seed=5), ("a", "b")))
        assert (await site.post("/api/watch", {"record": running})).kind == "illegal_record"
        path, state = await watched(site, **GAME)
        assert (await site.get(f"{path}/moment/{len(state['moves']) + 1}")).kind == "conflict"
        assert (await site.get(f"{path}/moment/x")).status == 404


@on_loop
async def test_a_full_disk_is_said_and_the_game_goes_on_to_its_end() -> None:
    async with Site() as site:
        path = f"/api/watch/{(await site.post('/api/watch', GAME)).json['token']}"
        site.board.store._file.execute("PRAGMA query_only=1")
        stream = Stream(site, f"{path}/events")
        state = await stream.until("over", "failed")
        assert (state["status"], state["trouble"][:9]) == ("over", "NOT SAVED")
        await stream.leave()
