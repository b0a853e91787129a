"""Sessions in memory and in the store: caps, expiry, a restart, streams, and slots."""

import asyncio
import json
import random
import sqlite3
import stat
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.web_server.site import JumpingClock, Site, Stream, on_loop, with_limits
from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.errors import CannotWrite, InvalidAgent, PlaceTaken, UnusableFile
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.session import session as sessions
from uno_pomdp.web.play_table import PlayTable
from uno_pomdp.web.settings import Rate
from uno_pomdp.web.slots import Slots
from uno_pomdp.web.store import NotStored, SessionStore
from uno_pomdp.web.streams import Listener
from uno_pomdp.web.tokens import key_of, new_token

WANTED = {"rules": "mini-9", "opponent": "random"}


# --- tokens and the store ---------------------------------------------------------------------------------


def test_tokens_have_256_bits_and_the_store_holds_their_hashes_alone(tmp_path: Path) -> None:
    tokens = {new_token()[0] for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}
    store = SessionStore(tmp_path / "board.sqlite")
    for token in tokens:
        key = key_of(token)
        assert key is not None
        assert len(key) == 32
        store.save(key, "play", "data", 1.0)
    store.close()
    assert stat.S_IMODE((tmp_path / "board.sqlite").stat().st_mode) == 0o600
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token.encode() in content for token in tokens)
    for wrong in ("", "x", "x" * 42, "x" * 44, "ä" * 43, "x" * 42 + "/"):
        assert key_of(wrong) is None


def test_a_store_is_one_servers_and_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="there is no folder"):
        SessionStore(tmp_path / "folder" / "board.sqlite")
    assert not (tmp_path / "folder").exists()
    path = tmp_path / "board.sqlite"
    store = SessionStore(path)
    with pytest.raises(PlaceTaken, match="in use by another uno-pomdp"):
        SessionStore(path)
    store.close()
    SessionStore(path).close()
    text = tmp_path / "notes.txt"
    text.write_text("no database " * 100)
    with pytest.raises(UnusableFile, match="can't be used as a store"):
        SessionStore(text)
    newer = tmp_path / "newer.sqlite"
    with sqlite3.connect(newer) as file:
        file.execute("PRAGMA user_version=99")
    with pytest.raises(UnusableFile, match="another version"):
        SessionStore(newer)


def test_what_can_not_be_written_is_said_without_a_path() -> None:
    store = SessionStore()
    store._file.execute("PRAGMA query_only=1")
    with pytest.raises(NotStored) as refused:
        store.save(b"k", "play", "data", 1.0)
    assert "/" not in str(refused.value)


@on_loop
async def test_a_game_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    path, rng = tmp_path / "board.sqlite", random.Random(4)
    async with Site(path=path) as site:
        game = await site.begin(rules="printed", opponent="flat:sims=30", practice=True, to=200, coach=True)
        for _ in range(4):
            state = await site.settled(game, "yours", "over")
            if state["status"] == "over":
                break
            await site.move(game, state, rng.choice(state["legal"]))
        before = await site.settled(game, "yours", "over")
        record = (await site.get(f"{game}/record")).body
    async with Site(path=path) as site:
        after = await site.settled(game, "yours", "over")
        assert after["version"] > before["version"]
        assert {**after, "version": 0} == {**before, "version": 0}
        assert (await site.get(f"{game}/record")).body == record
        await site.move(game, after, after["legal"][0])
        await site.settled(game, "yours", "over")


@on_loop
async def test_an_opponent_that_was_killed_while_it_thought_answers_after_the_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "board.sqlite"
    async with Site(path=path) as site:
        game = await site.begin(rules="house", opponent="greedy")
        state = (await site.get(game)).json
        thinking = asyncio.Event()

        async def never(*_: object, **__: object) -> None:
            thinking.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(site.board.workers, "search", never)
        number = [move for move in state["legal"] if move[1] in "0123456789"] or state["legal"]
        shown = await site.move(game, state, number[0])
        assert (shown["number"], shown["status"]) == (1, "thinking")
        await thinking.wait()
    async with Site(path=path) as site:
        after = await site.settled(game, "yours", "over")
        assert after["moves"][0] == shown["moves"][0]
        assert after["number"] > 1


@on_loop
async def test_idle_sessions_leave_memory_and_come_back_from_the_store() -> None:
    clock = JumpingClock()
    async with Site(with_limits(sessions=3, idle_seconds=100.0), clock) as site:
        games = [await site.begin(**WANTED) for _ in range(3)]
        before = [(await site.get(game)).json for game in games]
        clock.time += 1.0
        await site.get(games[1])
        await site.get(games[2])
        clock.time += 1.0
        games.append(await site.begin(**WANTED))
        assert site.board.in_memory == 3
        assert key_of(games[0].removeprefix("/api/play/")) not in site.board._places
        back = await site.settled(games[0], "yours")  # and another one leaves for it
        assert {**back, "version": 0} == {**before[0], "version": 0}
        assert site.board.in_memory == 3
        clock.time += 1000.0
        await site.begin(**WANTED)
        assert site.board.in_memory == 1


@on_loop
async def test_sessions_that_somebody_listens_to_stay_and_what_is_too_much_is_refused() -> None:
    async with Site(with_limits(sessions=1)) as site:
        game = await site.begin(**WANTED)
        stream = Stream(site, f"{game}/events")
        await stream.state()
        refused = await site.post("/api/play", WANTED)
        assert (refused.status, refused.kind) == (429, "busy")
        assert (await site.get(game)).status == 200
        await stream.leave()
        assert (await site.post("/api/play", WANTED)).status == 201


@on_loop
async def test_sessions_expire_and_the_store_holds_so_many() -> None:
    clock = JumpingClock()
    async with Site(with_limits(stored_seconds=1000.0, idle_seconds=10.0, stored=5), clock) as site:
        old = await site.begin(**WANTED)
        clock.time += 2000.0
        await site.begin(**WANTED)
        expired = await site.get(old)
        assert (expired.status, expired.kind) == (404, "not_found")
        for _ in range(10):
            clock.time += 11.0
            await site.begin(**WANTED)
        assert len(site.board.store) <= 6


def test_a_full_store_forgets_what_was_used_longest_ago() -> None:
    store = SessionStore()
    for nth, key in enumerate((b"old", b"new", b"middle", b"read")):
        store.save(key, "play", "data", float((1, 9, 5, 2)[nth]))
    store.touch(b"read", 8.0)
    assert store.forget(before=0.0, most=2) == 2
    assert [key for key in (b"old", b"new", b"middle", b"read") if store.load(key, "play")] == [b"new", b"read"]
    assert store.forget(before=8.5, most=2) == 1
    assert store.load(b"new", "play") is not None
    store.close()


@on_loop
async def test_where_room_is_needed_what_was_used_longest_ago_leaves_memory() -> None:
    clock = JumpingClock()
    async with Site(with_limits(sessions=2), clock) as site:
        first = await site.begin(**WANTED)
        clock.time += 1.0
        second = await site.begin(**WANTED)
        clock.time += 1.0
        kept = await site.table(first)  # which is now the one that was used last
        left = next(place.live.result() for place in site.board._places.values() if place.live.result() is not kept)
        clock.time += 1.0
        await site.begin(**WANTED)
        assert await site.table(first) is kept
        assert await site.table(second) is not left


@on_loop
async def test_a_token_that_is_none_finds_nothing_and_not_even_a_page_tells_more() -> None:
    async with Site() as site:
        for token in ("x", "x" * 43, "..", "%00", new_token()[0]):
            for part in ("", "/record", "/why", "/events"):
                missing = await site.get(f"/api/play/{token}{part}")
                assert (missing.status, missing.kind) == (404, "not_found")


ROOMS = {"play": "/", "review": "/review", "advise": "/advise", "watch": "/watch", "lab": "/lab"}
"""Where a session of each kind begins."""


@pytest.mark.parametrize(("room", "way"), ROOMS.items())
@on_loop
async def test_a_session_that_is_not_there_is_a_page_with_a_way_on(room: str, way: str) -> None:
    async with Site() as site:
        other = await site.begin(**WANTED) if room != "play" else "/api/play/x"
        for token in ("x", new_token()[0], other.removeprefix("/api/play/")):
            page = await site.get(f"/{room}/{token}", accept="text/html")
            assert page.status == 404
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            text = page.body.decode()
            assert "forgets what nobody has used for 30 days" in text
            assert f'<a class="button" href="{way}">' in text
            assert f'<a href="{way}" aria-current="page">' in text


@on_loop
async def test_the_page_of_a_session_that_is_there_is_there_after_a_restart_too(tmp_path: Path) -> None:
    for _ in range(2):
        async with Site(path=tmp_path / "board.sqlite") as site:
            if not len(site.board.store):
                path = (await site.begin(**WANTED)).removeprefix("/api")
            assert (await site.get(path)).status == 200


@on_loop
async def test_a_page_is_there_when_too_many_ask_for_its_session_and_its_script_is_told() -> None:
    async with Site(with_limits(session_requests=Rate(0.0, 3))) as site:
        path = await site.begin(**WANTED)
        assert [(await site.get(path)).status for _ in range(3)][-1] == 429
        assert (await site.get(path.removeprefix("/api"))).status == 200


@on_loop
async def test_a_page_is_there_when_what_was_stored_can_not_be_read_and_its_script_is_told_why() -> None:
    async with Site() as site:
        token, key = new_token()
        site.board.store.save(key, "play", json.dumps({"record": "rubbish"}), site.clock.today())
        assert (await site.get(f"/play/{token}")).status == 200
        assert (await site.get(f"/api/play/{token}")).kind == "illegal_record"


@on_loop
async def test_an_unknown_address_is_a_page_for_a_person_and_a_problem_for_a_program() -> None:
    async with Site() as site:
        page = await site.get("/plya", accept="text/html,*/*;q=0.8")
        assert page.status == 404
        assert "No page is at this address" in page.body.decode()
        assert page.headers["content-security-policy"]
        for path, accept in (("/plya", "*/*"), ("/api/plya", "text/html"), ("/static/none.js", "text/html")):
            missing = await site.get(path, accept=accept)
            assert (missing.status, missing.kind) == (404, "not_found")
        assert (await site.post("/plya", {}, accept="text/html")).kind == "not_found"


# --- streams ----------------------------------------------------------------------------------------------


@on_loop
async def test_streams_are_capped_for_a_session_and_for_all_and_places_come_free() -> None:
    async with Site(with_limits(session_streams=2, streams=3)) as site:
        games = [await site.begin(**WANTED) for _ in range(2)]
        streams = [Stream(site, f"{games[0]}/events") for _ in range(2)]
        for stream in streams:
            await stream.state()
        assert (await site.get(f"{games[0]}/events")).kind == "too_many"
        other = Stream(site, f"{games[1]}/events")
        await other.state()
        assert (await site.get(f"{games[1]}/events")).kind == "busy"
        await streams[0].leave()
        again = Stream(site, f"{games[0]}/events")
        await again.state()
        for stream in (streams[1], other, again):
            await stream.leave()


@on_loop
async def test_streams_are_capped_for_an_address_and_its_places_come_free() -> None:
    async with Site(with_limits(address_streams=2)) as site:
        games = [await site.begin(**WANTED) for _ in range(3)]
        streams = [Stream(site, f"{game}/events") for game in games[:2]]
        for stream in streams:
            await stream.state()
        refused = await site.get(f"{games[2]}/events")
        assert (refused.kind, refused.status) == ("too_many", 429)
        assert refused.json["error"]["message"] == "too many pages are open from your address: close one of them"
        site.client = "192.168.1.7"
        other = Stream(site, f"{games[2]}/events")
        await other.state()
        site.client = "127.0.0.1"
        assert (await site.get(f"{games[2]}/events")).kind == "too_many"
        await streams[0].leave()
        again = Stream(site, f"{games[2]}/events")
        await again.state()
        for stream in (streams[1], other, again):
            await stream.leave()


@on_loop
async def test_a_quiet_stream_says_that_it_is_alive_and_ends_with_the_server() -> None:
    async with Site(with_limits(ping_seconds=0.02)) as site:
        game = await site.begin(**WANTED)
        stream = Stream(site, f"{game}/events")
        await stream.state()
        assert await stream.chunk() == (":", ": ping")
        site.board.close_streams()
        await asyncio.wait_for(stream.ended, 5)
        assert (await site.exchange("HEAD", f"{game}/events", b"", {})).body == b""


@on_loop
async def test_an_event_that_is_told_again_comes_after_those_that_were_told_meanwhile() -> None:
    listener = Listener()
    for event, data in (("state", b"1"), ("analysis", b"of 1"), ("state", b"2")):
        listener.tell(event, data)
    listener.close()
    told = [chunk async for chunk in listener.chunks(1.0)]
    assert told == [b"event: analysis\ndata: of 1\n\n", b"event: state\ndata: 2\n\n"]


# --- slots ------------------------------------------------------------------------------------------------


def test_an_answer_is_published_at_a_multiple_of_the_slot_which_grows_once_it_was_too_short() -> None:
    slots = Slots(0.5)
    assert slots.moment(10.0, 10.0) == slots.moment(10.0, 10.2) == slots.moment(10.0, 10.5) == 10.5
    assert slots.moment(10.0, 10.51) == 11.0
    assert slots.length == 1.0
    assert slots.moment(20.0, 20.1) == 21.0
    assert slots.moment(20.0, 23.5) == 24.0
    assert slots.moment(30.0, 30.0) == 32.0
    assert Slots(0.6, 50.0).length == 0.6
    assert Slots(0.6, 2000.0).length == pytest.approx(4.8)


class Thinker(Agent):
    """Takes its time where it has a choice, and none where it has not."""

    name = "thinker"
    clock: JumpingClock

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def decide(self) -> Decision:
        """Return the first action."""
        legal = self.observation.legal_actions()
        if len(legal) > 1:
            self.clock.time += self._seconds
        return Decision(legal[-1])


@on_loop
async def test_a_forced_and_a_searched_move_are_published_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = JumpingClock()
    monkeypatch.setattr(Thinker, "clock", clock, raising=False)
    monkeypatch.setattr(sessions, "make_agent", lambda _: Thinker(0.3))
    published: list[float] = []
    shown = PlayTable._show

    def noted(table: PlayTable, history: object) -> None:
        published.append(clock.now())
        shown(table, history)  # type: ignore[arg-type]  # passed on as it is

    monkeypatch.setattr(PlayTable, "_show", noted)
    async with Site(clock=clock) as site:
        delays: set[float] = set()
        forced: set[bool] = set()
        rng = random.Random(2)
        while len(forced) < 2:
            game = await site.begin(rules="house", opponent="greedy")
            table = await site.table(game)
            state = await site.settled(game, "yours")
            while state["status"] != "over":
                published.clear()
                await site.move(game, state, rng.choice(state["legal"]))
                state = await site.settled(game, "yours", "over")
                delays |= {round(later - earlier, 9) for earlier, later in pairwise(published)}
            assert table.round.session is not None
            games = table.round.session.game
            for number, move in enumerate(games.moves):
                if move.seat != table.round.setup.seat:
                    forced.add(len(games.earlier(len(games.moves) - number).legal_actions()) == 1)
        assert forced == {True, False}
        assert delays == {0.6}


class HoldingClock(JumpingClock):
    """Lets nobody go on before it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()
        self.go_on = asyncio.Event()

    async def until(self, moment: float) -> None:
        """Wait, and then jump."""
        self.waiting.set()
        await self.go_on.wait()
        await super().until(moment)


@pytest.mark.parametrize(
    ("rules", "seed", "last"), [("house", 1, False), ("mini-7,deck=R0 R1 R2 R3 R4 R5 R6", 2, True)]
)
@on_loop
async def test_an_answer_is_in_no_record_before_its_slot(rules: str, seed: int, last: bool) -> None:
    """Though it is found and saved: how long that took would tell of the opponent's cards."""
    clock = HoldingClock()
    async with Site(clock=clock, seed=seed) as site:
        clock.go_on.set()
        game = await site.begin(rules=rules, opponent="greedy", seat="2" if last else "1")
        table = await site.table(game)
        clock.go_on.clear()
        clock.waiting.clear()
        state = (await site.get(game)).json
        await site.move(game, state, state["legal"][0])
        await clock.waiting.wait()
        assert table.round.session is not None
        before = (await site.get(f"{game}/record")).body.decode()
        moves = parse_record(before).moves
        assert [str(move.action) for move in moves] == [move["action"] for move in (await site.get(game)).json["moves"]]
        assert len(moves) < len(table.round.session.game.moves)
        assert parse_record(before).outcome is None
        assert (await site.get(game)).json["status"] == "thinking"
        clock.go_on.set()
        await site.settled(game, "yours", "over")
        after = parse_record((await site.get(f"{game}/record")).body.decode())
        assert len(after.moves) > len(moves)
        assert (after.outcome is not None) == last


@on_loop
async def test_slot_and_graph_of_a_game_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "board.sqlite"
    async with Site(path=path) as site:
        game = await site.begin(rules="house", opponent="greedy")
        table = await site.table(game)
        table._slots.length = 4.8  # a search took long
        table.round.coaching.graph = [{"number": 0, "win": 0.5}]
        table.keep()
    async with Site(path=path) as site:
        table = await site.table(game)
        assert table._slots.length == 4.8
        assert table.round.coaching.graph == [{"number": 0, "win": 0.5}]


@on_loop
async def test_many_requests_for_a_game_that_left_memory_bring_it_back_once(tmp_path: Path) -> None:
    path = tmp_path / "board.sqlite"
    async with Site(path=path) as site:
        game = await site.begin(rules="house", opponent="greedy")
        state = (await site.get(game)).json
    async with Site(path=path) as site:
        tables = await asyncio.gather(*(site.table(game) for _ in range(8)))
        assert len(set(map(id, tables))) == 1
        await site.settled(game, "yours")
        posts = [site.post(f"{game}/move", {"move": state["legal"][0], "at": 0}) for _ in range(5)]
        assert sorted(answer.status for answer in await asyncio.gather(*posts)) == [200, 409, 409, 409, 409]
        assert (await site.get(f"/api/play/{new_token()}")).status == 404
        assert site.board.in_memory == 1


@on_loop
async def test_a_full_disk_is_said_and_the_game_goes_on() -> None:
    async with Site() as site:
        game = await site.begin(rules="house", opponent="greedy")
        state = (await site.get(game)).json
        site.board.store._file.execute("PRAGMA query_only=1")
        after = await site.move(game, state, state["legal"][0])
        assert after["number"] == 1
        assert after["trouble"].startswith("NOT SAVED: ")
        refused = await site.post("/api/play", WANTED)
        assert (refused.status, refused.kind) == (507, "internal")
        site.board.store._file.execute("PRAGMA query_only=0")
        state = await site.settled(game, "yours", "over")
        while state["status"] == "yours" and state["trouble"]:
            await site.move(game, state, state["legal"][0])
            state = await site.settled(game, "yours", "over")
        assert state["trouble"] == ""


@on_loop
async def test_a_next_round_that_can_not_be_written_does_not_begin_and_can_be_asked_for_again() -> None:
    async with Site() as site:
        match = await site.begin(rules="mini-9", opponent="random", to=10**6)
        state = (await site.get(match)).json
        while state["status"] == "yours":
            await site.move(match, state, state["legal"][0])
            state = await site.settled(match, "yours", "over")
        before = (await site.get(match)).json
        site.board.store._file.execute("PRAGMA query_only=1")
        refused = await site.post(f"{match}/next")
        assert (refused.status, refused.kind) == (507, "internal")
        assert (await site.get(match)).json == before
        assert (await site.post(f"{match}/coach", {"on": True})).status == 507
        assert (await site.get(match)).json == before
        site.board.store._file.execute("PRAGMA query_only=0")
        assert (await site.post(f"{match}/next")).status == 200
        assert (await site.settled(match, "yours", "over"))["match"]["round"] == 2


@on_loop
async def test_a_switch_of_the_coach_never_writes_an_older_game_over_a_newer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moved, save, saved = threading.Event(), SessionStore.save, 0

    def slow(store: SessionStore, key: bytes, kind: str, data: str, now: float) -> None:
        nonlocal saved
        saved += 1
        if saved == 1:  # that of the switch
            moved.wait(0.5)  # until the move is answered, where that does not wait for this
        save(store, key, kind, data, now)

    async with Site() as site:
        game = await site.begin(rules="house", opponent="greedy")
        state = (await site.get(game)).json
        monkeypatch.setattr(SessionStore, "save", slow)
        switched = asyncio.ensure_future(site.post(f"{game}/coach", {"on": True}))
        while not saved:
            await asyncio.sleep(0.001)
        await site.move(game, state, state["legal"][0])
        made = (await site.settled(game, "yours", "over"))["number"]
        moved.set()
        assert (await switched).status == 200
        key = key_of(game.removeprefix("/api/play/"))
        assert key is not None
        stored = site.board.store.load(key, "play")
        assert stored is not None
        kept: dict[str, Any] = json.loads(stored)
        assert len(parse_record(kept["record"]).moves) == made > 0
        assert kept["coach"]


@on_loop
async def test_an_undo_that_fails_leaves_the_game_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: sessions.Session) -> int:
        raise InvalidAgent("the opponent can't be made any more")

    monkeypatch.setattr(sessions.Session, "undo", broken)
    async with Site() as site:
        game = await site.begin(rules="house", opponent="greedy", practice=True)
        state = (await site.get(game)).json
        await site.move(game, state, state["legal"][0])
        before = await site.settled(game, "yours", "over")
        stream = Stream(site, f"{game}/events")
        assert (await stream.state()) == before
        assert (await site.post(f"{game}/undo", {"at": before["number"]})).status == 422
        after = await stream.until("yours", "over")
        assert {**after, "version": 0} == {**before, "version": 0}
        await stream.leave()


@on_loop
async def test_a_full_disk_keeps_nobody_from_a_game_that_left_memory() -> None:
    clock = JumpingClock()
    async with Site(with_limits(sessions=1, idle_seconds=100.0), clock) as site:
        first, second = [await site.begin(**WANTED) for _ in range(2)]
        site.board.store._file.execute("PRAGMA query_only=1")
        for game in (first, second, first):
            assert (await site.get(game)).status == 200
            await site.settled(game, "yours")
        clock.time += 1000.0  # what is old is to be forgotten
        assert (await site.get(second)).status == 200


@on_loop
async def test_sweeping_goes_on_after_it_failed() -> None:
    clock = JumpingClock()
    async with Site(with_limits(idle_seconds=10.0), clock) as site:
        await site.begin(**WANTED)
        site.board.store._file.execute("PRAGMA query_only=1")
        tidying = asyncio.ensure_future(site.board.tidy())
        while clock.time < 3000.0:
            await asyncio.sleep(0)
        assert not tidying.done()
        tidying.cancel()
