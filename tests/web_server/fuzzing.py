"""Requests that make no sense, at every endpoint: methods, paths, types, sizes, broken and strange JSON.

`python -m tests.web_server.fuzzing 20000 7` is a campaign of so many requests with this seed.
"""

import asyncio
import json
import logging
import random
import sys
from typing import Any

from tests.web_server import secrets
from tests.web_server.site import Site, with_limits
from tests.web_server.test_review import game
from uno_pomdp.game.notation import format_record
from uno_pomdp.web.play_table import PlayTable
from uno_pomdp.web.tokens import new_token

ROOMS: dict[str, tuple[str, ...]] = {
    "play": ("", "/events", "/move", "/undo", "/coach", "/next", "/rematch", "/why", "/rules", "/record"),
    "advise": (
        "",
        "/events",
        "/enter",
        "/undo",
        "/fix",
        "/rules",
        "/record",
        "/before/0",
        "/before/2",
        "/before/99999999",
    ),
    "watch": ("", "/events", "/record", "/moment/0", "/moment/3", "/moment/99999999"),
    "review": ("", "/events", "/record", "/file"),
    "lab": ("", "/events", "/stop"),
}
"""Every kind of session, and what stands behind the token."""
NOWHERE = ("/nothing", "/", "//", "/move/x", "/before/-1", "/moment/" + "9" * 200, "/moment/٣", "/stop?x=1")
METHODS = ("GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "")
TYPES = (
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "",
    "application/json\x00",
    "multipart/form-data",
)
TEXTS: tuple[str, ...] = (
    "",
    "R5",
    "W4:R",
    "draw",
    "keep",
    "challenge",
    "1",
    "random",
    "house",
    "mini-9",
    "party",
    "greedy",
    "flat:ms=1",
)
TEXTS += ("py:os.system", "policy:file=/etc/passwd", "house,deck=", "mini-9,hand_size=" + "9" * 50, "flat:" + "(" * 50)
SENT = {"R5", "W4"}
"""The cards among them."""
TEXTS += ("flat:ms=1,belief=enumerated", "pomcp:ms=1,belief=closed,model=(py:os.getcwd)", "printed", "value:ms=1")
TEXTS += ("<script>alert(1)</script>", "\x00", "\ud800", "💥" * 60, "a" * 5000, "../../etc/passwd", "flat:model=(" * 10)
NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**63, 2**64, -(2**70), 0.5, -0.0, 1e308, 10**400)
NAMES: tuple[str, ...] = (
    "rules",
    "opponent",
    "seat",
    "to",
    "practice",
    "coach",
    "move",
    "at",
    "on",
    "same_deal",
    "x",
    "",
    "__proto__",
)
NAMES += ("text", "middle", "record", "first", "second", "seed", "kind", "pairs", "simulations")
FINISHED = format_record(game())
"""A record of a whole game."""
NEARLY: tuple[dict[str, Any], ...] = (
    {"rules": "mini-9", "opponent": "greedy"},
    {"rules": "mini-7", "first": "random", "second": "greedy", "pairs": 2},
    {"rules": "mini-7", "first": "random", "second": "greedy", "seed": 3},
    {"rules": "mini-9", "coach": "greedy", "middle": True},
    {"record": FINISHED, "coach": "flat:sims=5"},
    {"record": FINISHED},
    {"move": "draw", "at": 0},
    {"move": "keep", "at": 1},
    {"text": "draw", "at": 3},
    {"text": "1", "at": 4},
    {"at": 0},
    {"at": 4},
    {"on": True},
    {"same_deal": True},
    {},
)
"""Bodies that make sense somewhere; mostly one field of them is changed."""
RAW: tuple[bytes, ...] = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"1",
    b'"',
    b"\xff\xfe",
    b'{"move":"\xff","at":0}',
    b"{'a':1}",
    b'{"at":NaN}',
    b"{}x",
    b"\x00",
)
RAW += (
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"at":' + b"9" * 10_000 + b"}",
    b'{"move":"R5","move":1}',
    b"\xef\xbb\xbf{}",
)
RAW += (b'{"on":Infinity}', b'{"move":"\\ud83d","at":0}', b" " * 300_000, b"a=1&b=2")
HEADERS = (
    "accept",
    "cookie",
    "authorization",
    "range",
    "if-none-match",
    "expect",
    "transfer-encoding",
    "x-forwarded-host",
)


def strange_value(rng: random.Random, depth: int = 0) -> Any:
    """Return any JSON value."""
    kind = rng.randrange(7 if depth < 3 else 5)
    if kind == 0:
        return rng.choice(TEXTS)
    if kind == 1:
        return rng.choice(NUMBERS)
    if kind == 2:
        return rng.choice((True, False))
    if kind in (3, 4):
        return None
    if kind == 5:
        return [strange_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES): strange_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def strange_body(rng: random.Random) -> bytes:
    """Return a body: bytes that are no JSON, any JSON, or an object with the fields that there are."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(RAW)
    if kind == 1:
        return json.dumps(strange_value(rng)).encode()
    if kind == 2:
        wanted = {name: strange_value(rng, 2) for name in rng.sample(NAMES, rng.randrange(5))}
        return json.dumps(wanted).encode()
    nearly = dict(rng.choice(NEARLY))
    if nearly and rng.random() < 0.6:
        changed = rng.choice(list(nearly))
        nearly[changed] = damaged(FINISHED, rng) if changed == "record" else strange_value(rng, 2)
    return json.dumps(nearly).encode()


def damaged(text: str, rng: random.Random) -> str:
    """Return a text with lines or letters of it gone, doubled or changed."""
    lines = text.splitlines()
    place = rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, rng.choice(lines))
    elif kind == 2:
        lines[place] = rng.choice(TEXTS)
    else:
        letter = rng.randrange(len(lines[place]) + 1)
        lines[place] = lines[place][:letter] + rng.choice("\x00 R9+:,-💥") + lines[place][letter + 1 :]
    return "\n".join(lines)


def strange_path(rng: random.Random, tokens: list[tuple[str, str]]) -> tuple[str, str]:
    """Return a path, right or nearly so, and the token in it."""
    kind = rng.randrange(12)
    if kind == 0:
        pages = ("/", "/api/options", "/play/x", "/static/base.css", "/static/..", "/static/%2e%2e", "*", "")
        return rng.choice((*pages, *(f"/{room}" for room in ROOMS))), ""
    if kind == 1:
        return "/" + "".join(rng.choice("/.%?#&=aé\x00\udc80💥") for _ in range(rng.randrange(300))), ""
    if kind in (2, 3):
        return f"/api/{rng.choice(list(ROOMS))}", ""
    room, token = rng.choice(tokens)
    if rng.random() < 0.2:
        token = rng.choice((new_token()[0], "x", "%00", "é" * 43, ""))
    if rng.random() < 0.05:
        return f"/{room}/{token}", token
    if rng.random() < 0.05:
        room = rng.choice(list(ROOMS))
    return f"/api/{room}/{token}{rng.choice(ROOMS[room] if rng.random() < 0.9 else NOWHERE)}", token


async def strange_request(site: Site, rng: random.Random, tokens: list[tuple[str, str]]) -> str:
    """Send one request, and require an answer that is no server error and has its form; return the token it named."""
    (path, token), body = strange_path(rng, tokens), strange_body(rng)
    method = rng.choice(METHODS)
    headers = {"content-type": rng.choice(TYPES[:2] if rng.random() < 0.7 else TYPES)}
    if rng.random() < 0.1:
        headers[rng.choice(HEADERS)] = rng.choice(("", "x", "bytes=0-", "*", "a" * 500))
    gone = asyncio.Event()
    gone.set()  # who opens a stream leaves it at once
    answer = await asyncio.wait_for(site.exchange(method, path, body, headers, gone=gone), 60)
    asked = f"{method} {path[:80]!r} {headers} {body[:200]!r}"
    assert answer.status < 500, asked
    if answer.status >= 400:
        page = not path.startswith("/api/") and answer.body.lower().startswith(b"<!doctype html>")  # with ways on
        assert page or answer.kind, asked
        assert len(answer.body) < 5000, asked
        assert b"Traceback" not in answer.body, asked
    return token


class Spy:
    """Looks for hidden cards in what is sent about a game."""

    def __init__(self, table: PlayTable) -> None:
        self._table = table
        self._known: secrets.Known | None = None

    def search(self, sent: list[bytes]) -> None:
        """Assert that nothing sent names a card that is hidden, or the seed; refusals repeat cards of requests."""
        session = self._table.round.session
        if session is None or session.over or session.setup != self._table.round.setup:
            return
        self._known = self._known or secrets.Known(session.game, session.seat)
        beliefs = b"event: analysis"  # which name every card; that no hidden one moves them is tested with twins
        told = [piece for piece in sent if not piece.startswith(beliefs)]
        assert secrets.leaks(told, self._known.of(session.game) | SENT) == set()
        assert not any(str(session.setup.seed).encode() in piece for piece in sent)


async def rooms(site: Site) -> list[tuple[str, str]]:
    """Open a session of every kind, and return rooms and tokens."""
    wanted: tuple[tuple[str, dict[str, Any]], ...] = (
        ("advise", {"rules": "mini-9", "coach": "flat:sims=20"}),
        ("advise", {"rules": "printed", "middle": True}),
        ("watch", {"rules": "mini-9", "first": "greedy", "second": "random"}),
        ("watch", {"record": FINISHED}),
        ("review", {"record": FINISHED, "coach": "flat:sims=5"}),
        ("lab", {"rules": "mini-7", "first": "random", "second": "greedy", "pairs": 2}),
    )
    made = [(room, await site.post(f"/api/{room}", body)) for room, body in wanted]
    return [(room, answer.json["token"]) for room, answer in made]


def campaign(requests: int, seed: int, seconds: float = 120.0) -> None:
    """Send many of them, to sessions that are going on and to everything else."""
    asyncio.run(asyncio.wait_for(_campaign(requests, seed), seconds))


async def _campaign(requests: int, seed: int) -> None:
    rng = random.Random(seed)
    limits = {"most_milliseconds": 5.0, "most_simulations": 50, "most_pairs": 5, "body": 200_000, "sessions": 50}
    async with Site(with_limits(**limits)) as site:
        wanted = (
            {"rules": "mini-9"},
            {"rules": "party", "seat": "2"},
            {"rules": "printed", "practice": True, "to": 50},
        )
        games = [await site.begin(**one, opponent="greedy") for one in wanted]
        spies = {game.removeprefix("/api/play/"): Spy(await site.table(game)) for game in games}
        tokens = [*(("play", token) for token in spies), *await rooms(site)]
        for _ in range(requests):
            token = await strange_request(site, rng, tokens)
            if token in spies:
                spies[token].search(site.traffic)
            site.traffic.clear()
        for room, token in tokens:
            assert (await site.get(f"/api/{room}/{token}")).status == 200


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    campaign(int(sys.argv[1]), int(sys.argv[2]), seconds=3600.0)
