"""Who may ask: Host, Origin, sizes, rates; and what every answer says to a browser."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web_server.site import HERE, ROOMY, JumpingClock, Site, on_loop, with_limits
from tests.web_server.test_review import game
from uno_pomdp.game.notation import format_record
from uno_pomdp.pages.rendering import asset_names
from uno_pomdp.web import limits, opponents
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.security import Hosts, route_of
from uno_pomdp.web.settings import Rate, Settings

FOREIGN = ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "localhost:8766", "", "localhost:8765:1"]
FOREIGN += ["127.0.0.1.evil.example:8765", "localhost.evil.example:8765", "[::2]:8765", "user@127.0.0.1:8765"]


@pytest.mark.parametrize("host", FOREIGN)
@on_loop
async def test_another_host_is_refused_whatever_it_asks_for(host: str) -> None:
    async with Site() as site:
        for path in ("/", "/api/options", "/static/base.css", "/nowhere"):
            refused = await site.get(path, host=host)
            assert (refused.status, refused.kind) == (421, "wrong_host")


@pytest.mark.parametrize("host", [HERE, "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
@on_loop
async def test_the_names_of_this_machine_are_answered(host: str) -> None:
    async with Site() as site:
        assert (await site.get("/", host=host)).status == 200


def test_a_server_that_listens_everywhere_is_asked_by_address_and_never_by_a_foreign_name() -> None:
    everywhere = Hosts(replace(Settings(), host="0.0.0.0"))
    assert everywhere.knows("192.168.1.7:8765")
    assert everywhere.knows("[fe80::1]:8765")
    assert not everywhere.knows("evil.example:8765")
    assert not everywhere.knows("192.168.1.7:80")
    here = Hosts(Settings())
    assert not here.knows("192.168.1.7:8765")
    assert Hosts(replace(Settings(), host="192.168.1.7")).knows("192.168.1.7:8765")
    assert Hosts(replace(Settings(), host="fe80::1")).knows("[fe80::1]:8765")


FOREIGN_ORIGINS = ["http://evil.example", "null", "https://127.0.0.1:8765", "http://127.0.0.1:1", "x", ""]


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@on_loop
async def test_another_origin_can_change_nothing(origin: str) -> None:
    async with Site() as site:
        refused = await site.post("/api/play", {"rules": "mini-9"}, origin=origin)
        assert (refused.status, refused.kind) == (403, "wrong_origin")
        assert site.board.in_memory == 0


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@on_loop
async def test_another_origin_can_ask_the_interface_for_nothing(origin: str) -> None:
    async with Site() as site:
        path = await site.begin(rules="mini-9", opponent="random")
        for method in ("GET", "HEAD", "OPTIONS"):
            for asked in ("/api/options", path, f"{path}/events", f"{path}/record", "/api/nowhere"):
                refused = await site.exchange(method, asked, b"", {"origin": origin})
                assert (refused.status, refused.kind) == (403, "wrong_origin")
        assert (await site.get("/", origin=origin)).status == 200  # a link to the board may stand anywhere
        assert (await site.get(path, origin=f"http://{HERE}")).status == 200


@pytest.mark.parametrize("where", ["cross-site", "same-site", "nonsense"])
@on_loop
async def test_requests_that_a_browser_says_are_from_another_site_are_refused(where: str) -> None:
    async with Site() as site:
        headers = {"sec-fetch-site": where}
        assert (await site.post("/api/play", {}, **headers)).kind == "wrong_origin"
        assert (await site.get("/api/options", **headers)).kind == "wrong_origin"
        assert (await site.get("/", **headers)).status == 200  # a link to the board may stand anywhere


@on_loop
async def test_the_boards_own_pages_may_ask() -> None:
    async with Site() as site:
        headers = {"origin": f"http://{HERE}", "sec-fetch-site": "same-origin"}
        assert (await site.post("/api/play", {"rules": "mini-9", "opponent": "random"}, **headers)).status == 201


@on_loop
async def test_a_form_of_another_site_is_no_json() -> None:
    async with Site() as site:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            refused = await site.exchange("POST", "/api/play", b'{"rules":"mini-9"}', {"content-type": kind})
            assert (refused.status, refused.kind) == (400, "bad_request")


@pytest.mark.parametrize("path", ["/", "/api/options", "/static/base.css", "/nowhere", "/api/play/x", "/play/x"])
@on_loop
async def test_every_answer_keeps_a_browser_strict(path: str) -> None:
    async with Site() as site:
        headers = (await site.get(path)).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data:",
            "connect-src": "'self'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
            "base-uri": "'none'",
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers
        if path.startswith("/api/"):
            assert headers["cache-control"] == "no-store"


@on_loop
async def test_pages_have_no_inline_script_and_their_assets_are_kept_until_they_change() -> None:
    async with Site() as site:
        for path in ("/", "/play/anything", (await site.begin(rules="mini-9", opponent="random")).removeprefix("/api")):
            page = await site.get(path)
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert b"<script>" not in page.body
            assert b"style=" not in page.body
            assert b"://" not in page.body.replace(b"http://www.w3.org", b"")
        style = await site.get("/static/base.css")
        again = await site.get("/static/base.css", **{"if-none-match": style.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        assert "immutable" in (await site.get("/static/base.css?v=1")).headers["cache-control"]
        for name in ("../app.py", "%2e%2e/app.py", "..", "nothing.js", "templates/home.html"):
            assert (await site.get(f"/static/{name}")).status == 404


@on_loop
async def test_a_bug_is_told_in_one_sentence_and_logged_without_tokens_or_cards(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cards = "-".join(["R5", "W4"])

    def broken(*_: object) -> None:
        raise KeyError(cards)

    monkeypatch.setattr(opponents, "seated", broken)
    monkeypatch.setattr("uno_pomdp.web.play.seated", broken)
    with caplog.at_level(logging.WARNING):
        async with Site() as site:
            failed = await site.post("/api/play", {"rules": "mini-9"})
            assert (failed.status, failed.kind) == (500, "internal")
            assert cards.encode() not in failed.body
            assert b"KeyError" not in failed.body
    assert "POST /api/play: KeyError" in caplog.text
    assert "broken" in caplog.text  # where it was
    assert cards not in caplog.text


@on_loop
async def test_what_fails_where_nobody_waits_is_logged_by_its_place_alone(caplog: pytest.LogCaptureFixture) -> None:
    cards = "-".join(["R5", "W4"])

    async def broken() -> None:
        raise KeyError(cards)

    async with Site() as site, lifespan(site):
        nothing: dict[str, str] = {}
        asyncio.get_running_loop().call_soon(lambda: nothing[cards])
        task = asyncio.ensure_future(broken())
        await asyncio.sleep(0.01)
        del task
        gc.collect()
    assert caplog.text.count(": KeyError\n") == 2
    assert cards not in caplog.text


@asynccontextmanager
async def lifespan(site: Site) -> AsyncIterator[None]:
    """Tell the application that the server starts, and at the end that it stops."""
    told, said = asyncio.Queue[dict[str, Any]](), asyncio.Queue[Any]()
    running = asyncio.ensure_future(site.app({"type": "lifespan", "asgi": {"version": "3.0"}}, told.get, said.put))
    for what in ("startup", "shutdown"):
        await told.put({"type": f"lifespan.{what}"})
        assert (await said.get())["type"] == f"lifespan.{what}.complete"
        if what == "startup":
            yield
    await running


def test_paths_are_logged_without_what_may_be_a_token() -> None:
    assert route_of("/") == "/"
    assert route_of("/api/play/7c3hAbc_0123/move") == "/api/play/…/move"
    assert route_of("/api/\n\x1b[31m/x") == "/api/…/x"


# --- what a text could reach ------------------------------------------------------------------------------

INTO: dict[str, tuple[str, dict[str, Any], str]] = {
    "the opponent": ("/api/play", {}, "opponent"),
    "a watched player": ("/api/watch", {}, "first"),
    "a player of an experiment": ("/api/lab", {"pairs": 1}, "second"),
    "the coach at a real table": ("/api/advise", {}, "coach"),
    "the coach of a review": ("/api/review", {"record": format_record(game())}, "coach"),
}
"""Where a request names an agent: address, other fields, the field."""
WRAPPED = (
    "py:{}",
    " py:{}",
    "pomcp:ms=5,model=(py:{}),belief=closed",
    "pomcp:ms=5,belief=uniform,model=py:{}",
    "flat:ms=5,belief=particles,model=(py:{})",
    "value:model=((py:{}))",
)
"""Texts with an agent of one's own, also as the model of another, which is asked what it can do while that is read."""


@pytest.mark.parametrize("where", INTO)
@on_loop
async def test_no_text_of_a_request_imports_or_calls_anything(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "left_by_request.py").write_text(f"def make():\n    open({str(mark)!r}, 'w')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path, others, field = INTO[where]
    async with Site() as site:
        for text in WRAPPED:
            refused = await site.post(path, others | {field: text.format("left_by_request.make")})
            assert (refused.status, refused.kind) == (422, "unknown_agent"), text
            assert "can't be asked for here" in refused.json["error"]["message"]
        assert not mark.exists()


# --- sizes and rates --------------------------------------------------------------------------------------


@on_loop
async def test_bodies_and_paths_beyond_their_size_are_refused() -> None:
    async with Site(with_limits(body=1000, path=100)) as site:
        assert (await site.post("/api/play", {"rules": "x" * 1000})).kind == "too_large"
        assert (await site.get("/" + "x" * 100)).status == 414
        assert (await site.get("/?" + "x" * 100)).status == 414


@on_loop
async def test_requests_about_one_session_have_a_rate_and_others_are_not_held_up() -> None:
    clock = JumpingClock()
    async with Site(with_limits(session_requests=Rate(2.0, 4), slot=0.0), clock) as site:
        made = [(await site.post("/api/play", {"rules": "mini-9", "opponent": "random"})).json["token"] for _ in (1, 2)]
        path, other = (f"/api/play/{token}" for token in made)
        statuses = [(await site.get(path)).status for _ in range(6)]
        assert statuses == [200] * 4 + [429] * 2
        assert (await site.get(path)).kind == "too_many"
        assert (await site.get(other)).status == 200
        clock.time += 1.0
        assert [(await site.get(path)).status for _ in range(3)] == [200, 200, 429]
        assert int((await site.get(path)).headers["retry-after"]) >= 1


@on_loop
async def test_requests_from_one_address_have_a_rate_and_take_nothing_from_other_addresses() -> None:
    clock = JumpingClock()
    async with Site(with_limits(address_requests=Rate(1.0, 3), all_requests=Rate(0.0, 7)), clock) as site:
        assert [(await site.get("/")).status for _ in range(20)] == [200] * 3 + [429] * 17
        refused = await site.get("/")
        assert refused.kind == "too_many"
        assert "from one address" in refused.json["error"]["message"]
        assert int(refused.headers["retry-after"]) >= 1
        site.client = "192.168.1.7"
        assert [(await site.get("/")).status for _ in range(4)] == [200, 200, 200, 429]
        clock.time += 1.0
        site.client = "127.0.0.1"
        assert [(await site.get("/")).status for _ in range(2)] == [200, 429]
        site.client = "fe80::1"
        assert [(await site.get("/")).status for _ in range(1)] == [429]  # of all together there were seven


def test_who_goes_on_asking_while_refused_is_let_in_no_sooner_and_a_pause_saves_up_no_more_than_a_burst() -> None:
    clock = JumpingClock()
    bucket = limits.Bucket(Rate(1.0, 2), clock)
    for pause, taken in ((0.0, 2), (0.5, 0), (0.25, 0), (0.25, 1), (1000.0, 2)):
        clock.time += pause
        for _ in range(taken):
            bucket.take("requests")
        for _ in range(5):
            with pytest.raises(Problem):
                bucket.take("requests")


def test_of_many_addresses_those_used_longest_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BUCKETS", 2)
    buckets = limits.Buckets(Rate(0.0, 1), JumpingClock())
    for whose in ("a", "b", "c", "a"):
        buckets.take({"client": (whose, 1)}, "requests")
    for whose in ("c", "a"):
        with pytest.raises(Problem):
            buckets.take({"client": (whose, 2)}, "requests")
    buckets.take({"client": ("b", 1)}, "requests")


@on_loop
async def test_a_person_who_opens_ten_pages_and_plays_on_all_of_them_meets_no_rate() -> None:
    usual = Settings()
    clock = JumpingClock()
    async with Site(
        replace(ROOMY, address_requests=usual.address_requests, all_requests=usual.all_requests), clock
    ) as site:
        loaded = [f"/static/{name}" for name in asset_names()]
        for path in ["/", "/play/x", *loaded[:40]] * 10:
            assert (await site.get(path)).status != 429
        for _ in range(600):
            clock.time += 0.01
            assert (await site.get("/api/options")).status == 200


@on_loop
async def test_all_requests_and_new_sessions_have_a_rate() -> None:
    clock = JumpingClock()
    async with Site(with_limits(all_requests=Rate(1.0, 3)), clock) as site:
        assert [(await site.get("/")).status for _ in range(4)] == [200, 200, 200, 429]
        clock.time += 100.0
        assert [(await site.get("/")).status for _ in range(4)] == [200, 200, 200, 429]
    async with Site(with_limits(new_sessions=Rate(1.0, 2)), clock) as site:
        wanted = {"rules": "mini-9", "opponent": "random"}
        assert [(await site.post("/api/play", wanted)).status for _ in range(3)] == [201, 201, 429]
        assert site.board.in_memory == 2
    async with Site(with_limits(address_sessions=Rate(1.0, 2), new_sessions=Rate(0.0, 3)), clock) as site:
        assert [(await site.post("/api/play", wanted)).status for _ in range(9)] == [201] * 2 + [429] * 7
        site.client = "192.168.1.7"
        assert [(await site.post("/api/play", wanted)).status for _ in range(2)] == [201, 429]
