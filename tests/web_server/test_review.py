"""Reviews over HTTP: a record in, a page out, the same as `analyze` makes; kept, shared, refused."""

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web_server.site import Site, Stream, on_loop
from uno_pomdp.arena.match import play_game
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord, observed, record_of
from uno_pomdp.pages.rendering import render
from uno_pomdp.registry import make_agent
from uno_pomdp.review.game import review_game
from uno_pomdp.review.page import page
from uno_pomdp.rules import preset

COACH = "flat:sims=20"


def game() -> GameRecord:
    agents = make_agent("greedy"), make_agent("random")
    record = play_game(preset("mini-9"), 2, agents, (1, 2), record=True).record
    assert record is not None
    return record


async def reviewed(site: Site, record: GameRecord) -> str:
    """Ask for a review, wait for it, and return its token."""
    made = await site.post("/api/review", {"record": format_record(record), "coach": COACH})
    assert made.status == 201, made.body
    stream = Stream(site, f"/api/review/{made.json['token']}/events")
    await stream.until("done")
    await stream.leave()
    return str(made.json["token"])


@on_loop
async def test_the_page_and_the_file_are_those_of_analyze_and_survive_a_restart(tmp_path: Path) -> None:
    record, store = game(), tmp_path / "store.db"
    async with Site(path=store) as site:
        token = await reviewed(site, record)
        shown = (await site.get(f"/review/{token}")).body.decode()
        assert (await site.get(f"/api/review/{token}/file")).body.decode() == page(review_game(record, COACH))
        assert (await site.get(f"/api/review/{token}/record")).body.decode() == format_record(record)
        assert "<script>" not in shown
        assert all(f'id="move-{number + 1}"' in shown for number in range(len(record.moves)))
    async with Site(path=store) as site:
        assert (await site.get(f"/review/{token}")).body.decode() == shown


@on_loop
async def test_a_review_that_an_older_version_kept_is_made_anew(tmp_path: Path) -> None:
    """Its page has not all that the template shows now."""
    record, store = game(), tmp_path / "store.db"
    async with Site(path=store) as site:
        token = await reviewed(site, record)
        shown = (await site.get(f"/review/{token}")).body
    with closing(sqlite3.connect(store)) as connection, connection:
        ((data,),) = connection.execute("SELECT data FROM session").fetchall()
        values = json.loads(data)
        del values["version"], values["page"]["usual"]
        connection.execute("UPDATE session SET data = ?", (json.dumps(values),))
    async with Site(path=store) as site:
        assert (await site.get(f"/review/{token}")).status == 200
        stream = Stream(site, f"/api/review/{token}/events")
        await stream.until("done")
        await stream.leave()
        assert (await site.get(f"/review/{token}")).body == shown


@on_loop
async def test_a_browser_that_can_unpack_the_page_gets_it_packed() -> None:
    async with Site() as site:
        token = await reviewed(site, game())
        plain, packed = [await site.get(f"/review/{token}", **{"accept-encoding": way}) for way in ("br", "gzip, br")]
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < len(plain.body) / 3


@on_loop
async def test_a_page_that_waits_holds_nothing_of_the_game() -> None:
    async with Site() as site:
        made = (await site.post("/api/review", {"record": format_record(game()), "coach": COACH})).json
        waiting = (await site.get(made["url"])).body
        assert (await site.get(f"/api/review/{made['token']}")).json["status"] == "waiting"
        assert waiting == render("review_wait.html").encode()  # the same for every game
        assert (await site.get(f"/api/review/{made['token']}/file")).kind == "conflict"


@on_loop
async def test_a_running_game_is_reviewed_from_one_seat_alone() -> None:
    going_on = Game.new("mini-12", seed=4)
    going_on.apply(going_on.legal_actions()[0])
    whole = record_of(going_on, ("a", "b"))
    async with Site() as site:
        refused = await site.post("/api/review", {"record": format_record(whole), "coach": COACH})
        assert refused.kind == "illegal_record"
        token = await reviewed(site, observed(whole, 0))
        shown = (await site.get(f"/review/{token}")).body.decode()
        assert '"hands":[[' in shown
        assert ",null]" in shown  # the other hand


@on_loop
async def test_a_review_that_can_not_be_kept_is_shown_and_says_so() -> None:
    async with Site() as site:
        made = (await site.post("/api/review", {"record": format_record(game()), "coach": COACH})).json
        site.board.store._file.execute("PRAGMA query_only=1")
        stream = Stream(site, f"/api/review/{made['token']}/events")
        state = await stream.until("done", "failed")
        assert (state["status"], state["trouble"][:9]) == ("done", "NOT SAVED")
        assert b'id="move-1"' in (await site.get(made["url"])).body
        await stream.leave()


NAMES = ("<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>")


@on_loop
async def test_names_of_players_are_never_markup() -> None:
    record = game()
    async with Site() as site:
        token = await reviewed(site, replace(record, players=NAMES))
        shown = (await site.get(f"/review/{token}")).body.decode()
        assert "<script>alert" not in shown
        assert "<img" not in shown


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no record": ({"record": "hello"}, "illegal_record"),
    "nothing": ({}, "bad_request"),
    "no coach": ({"record": "", "coach": "random"}, "illegal_record"),
    "too long": ({"record": "x" * 300_000}, "too_large"),
}


@pytest.mark.parametrize("what", REFUSED)
@on_loop
async def test_what_can_t_be_reviewed_is_refused_in_a_sentence(what: str) -> None:
    wanted, kind = REFUSED[what]
    async with Site() as site:
        assert (await site.post("/api/review", wanted)).kind == kind
        record = format_record(game())
        assert (await site.post("/api/review", {"record": record, "coach": "random"})).kind == "unknown_agent"
        assert (await site.post("/api/review", {"record": record, "coach": "py:x.Y"})).kind == "unknown_agent"
