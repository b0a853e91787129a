"""Requests that make no sense, at every endpoint: methods, paths, types, sizes, broken and strange JSON.

`python -m tests.web_server.fuzzing 20000 7` is a campaign of so many requests with this seed.
"""

import asyncio
import json
import logging
import random
import sys
from typing import Any

from tests.web_server.site import Site, on_loop, with_limits
from uno_pomdp.web.tokens import new_token

PARTS = (
    "",
    "/events",
    "/move",
    "/undo",
    "/coach",
    "/next",
    "/rematch",
    "/why",
    "/record",
    "/nothing",
    "/",
    "//",
    "/move/x",
)
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
TEXTS += ("<script>alert(1)</script>", "\x00", "\ud800", "💥" * 60, "a" * 5000, "../../etc/passwd", "flat:model=(" * 10)
NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**63, 2**64, -(2**70), 0.5, -0.0, 1e308, 10**400)
NAMES = ("rules", "opponent", "seat", "to", "practice", "coach", "move", "at", "on", "same_deal", "x", "", "__proto__")
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
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(RAW)
    if kind == 1:
        return json.dumps(strange_value(rng)).encode()
    wanted = {name: strange_value(rng, 2) for name in rng.sample(NAMES, rng.randrange(5))}
    return json.dumps(wanted).encode()


def strange_path(rng: random.Random, tokens: list[str]) -> str:
    """Return a path, right or nearly so."""
    kind = rng.randrange(12)
    if kind == 0:
        return rng.choice(("/", "/api/options", "/play/x", "/static/base.css", "/static/..", "/static/%2e%2e", "*", ""))
    if kind == 1:
        return "/" + "".join(rng.choice("/.%?#&=aé\x00\udc80💥") for _ in range(rng.randrange(300)))
    if kind in (2, 3):
        return "/api/play"
    token = rng.choice((*tokens, *tokens, *tokens, new_token(), "x", "%00", "é" * 43, ""))
    return f"/api/play/{token}{rng.choice(PARTS)}"


async def strange_request(site: Site, rng: random.Random, tokens: list[str]) -> None:
    """Send one request, and require an answer that is no server error and has its form."""
    method, path, body = rng.choice(METHODS), strange_path(rng, tokens), strange_body(rng)
    headers = {"content-type": rng.choice(TYPES[:2] if rng.random() < 0.7 else TYPES)}
    if rng.random() < 0.1:
        headers[rng.choice(HEADERS)] = rng.choice(("", "x", "bytes=0-", "*", "a" * 500))
    gone = asyncio.Event()
    gone.set()  # who opens a stream leaves it at once
    answer = await asyncio.wait_for(site.exchange(method, path, body, headers, gone=gone), 60)
    asked = f"{method} {path[:80]!r} {headers} {body[:200]!r}"
    assert answer.status < 500, asked
    if answer.status >= 400:
        assert answer.kind, asked
        assert len(answer.body) < 5000, asked
        assert b"Traceback" not in answer.body, asked


@on_loop
async def campaign(requests: int, seed: int) -> None:
    """Send many of them, to games that are going on and to everything else."""
    rng = random.Random(seed)
    async with Site(with_limits(most_milliseconds=5.0, most_simulations=50, body=200_000, sessions=50)) as site:
        wanted = (
            {"rules": "mini-9"},
            {"rules": "party", "seat": "2"},
            {"rules": "printed", "practice": True, "to": 50},
        )
        games = [await site.begin(**one, opponent="greedy") for one in wanted]
        tokens = [game.removeprefix("/api/play/") for game in games]
        for _ in range(requests):
            await strange_request(site, rng, tokens)
            site.traffic.clear()
        for game in games:
            assert (await site.get(game)).status == 200


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    campaign(int(sys.argv[1]), int(sys.argv[2]))
