"""A site without a socket: requests are handed to the application as ASGI messages, and all that it says is kept."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self

from uno_pomdp.web import play
from uno_pomdp.web.app import make_app
from uno_pomdp.web.board import Board
from uno_pomdp.web.clock import Clock
from uno_pomdp.web.play_table import PlayTable
from uno_pomdp.web.settings import Rate, Settings
from uno_pomdp.web.store import SessionStore

P = ParamSpec("P")
FREELY = Rate(1e9, 10**9)
"""No limit."""
ROOMY = Settings(
    all_requests=FREELY,
    address_requests=FREELY,
    new_sessions=FREELY,
    address_sessions=FREELY,
    session_requests=FREELY,
    searches=2,
)
"""Settings for tests that are not about limits."""
HERE = "127.0.0.1:8765"


class JumpingClock(Clock):
    """Nobody waits: the time jumps to whatever is waited for. `moments` has these jumps."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        """Return the time that a test has set."""
        return self.time

    def today(self) -> float:
        """Return a date that follows the same time."""
        return 1_700_000_000.0 + self.time

    async def until(self, moment: float) -> None:
        """Jump, after others had their turn."""
        await asyncio.sleep(0)
        self.time = max(self.time, moment)


@dataclass(frozen=True)
class Answer:
    """What a request is answered with."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The JSON that it holds."""
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        """The kind of error, which has its form."""
        error = self.json["error"]
        assert set(error) == {"kind", "message"}
        assert error["message"]
        return str(error["kind"])


class Stream:
    """An event stream that is read as it comes."""

    def __init__(self, site: "Site", path: str) -> None:
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.ended = asyncio.ensure_future(site.exchange("GET", path, b"", {}, self._waiting, self._gone))
        self._rest = b""

    @property
    def waiting(self) -> int:
        """How many pieces came that nobody has read; each is one event."""
        return self._waiting.qsize()

    async def chunk(self) -> tuple[str, str]:
        """Return the next event as its kind and its data; a comment has the kind `:`."""
        while b"\n\n" not in self._rest:
            self._rest += await asyncio.wait_for(self._waiting.get(), 30)
        text, _, self._rest = self._rest.partition(b"\n\n")
        if text.startswith(b":"):
            return ":", text.decode()
        first, second = text.decode().split("\n")
        return first.removeprefix("event: "), second.removeprefix("data: ")

    async def state(self) -> Any:
        """Return the next state."""
        while True:
            kind, data = await self.chunk()
            if kind == "state":
                return json.loads(data)

    async def until(self, *wanted: str) -> Any:
        """Return the next state with one of these statuses."""
        while True:
            state = await self.state()
            if state["status"] in wanted:
                return state

    async def leave(self) -> None:
        """Close the connection."""
        self._gone.set()
        await self.ended


@dataclass
class Site:
    """A board and its application, in a running loop."""

    settings: Settings = ROOMY
    clock: Clock = field(default_factory=JumpingClock)
    path: Path | None = None
    seed: int = 1
    """What all deals are grown from."""
    client: str = "127.0.0.1"
    """The address that requests come from."""
    traffic: list[bytes] = field(default_factory=list)
    """All that was sent to anybody, in order."""

    async def __aenter__(self) -> Self:
        self._deals = play.new_seed
        play.new_seed = partial(random.Random(self.seed).getrandbits, 64)  # tests name their seeds
        self.board = Board(self.settings, SessionStore(self.path), self.clock)
        self.app = make_app(self.board)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        play.new_seed = self._deals
        await self.board.end()

    async def exchange(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        chunks: "asyncio.Queue[bytes] | None" = None,
        gone: asyncio.Event | None = None,
        recorded: bool = True,
    ) -> Answer:
        """Send one request and return the whole answer; of a stream, each piece as it comes."""
        kept = self.traffic if recorded else []
        raw, _, query = path.partition("?")
        given = {"host": HERE, **{name.lower(): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": raw,
            "raw_path": raw.encode("utf-8", "surrogatepass"),
            "query_string": query.encode("utf-8", "surrogatepass"),
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items()],
            "client": (self.client, 50_000),
            "server": ("127.0.0.1", 8765),
        }
        parts = [body[place : place + 65_536] for place in range(0, len(body), 65_536)] or [b""]
        found: dict[str, Any] = {"body": b""}

        async def receive() -> dict[str, Any]:
            if parts:
                return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}
            if gone is None:
                await asyncio.Event().wait()
            else:
                await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found["status"] = message["status"]
                found["headers"] = {name.decode(): value.decode() for name, value in message["headers"]}
                kept.append(b"\n".join(name + b": " + value for name, value in message["headers"]))
            else:
                found["body"] += message.get("body", b"")
                kept.append(message.get("body", b""))
                if chunks is not None:
                    chunks.put_nowait(message.get("body", b""))

        await self.app(scope, receive, send)
        return Answer(found["status"], found["headers"], found["body"])

    async def get(self, path: str, **headers: str) -> Answer:
        """Ask for something."""
        return await self.exchange("GET", path, b"", headers)

    async def post(self, path: str, value: Any = None, **headers: str) -> Answer:
        """Post a JSON value."""
        body = json.dumps({} if value is None else value).encode()
        return await self.exchange("POST", path, body, {"content-type": "application/json", **headers})

    async def begin(self, **wanted: Any) -> str:
        """Begin a game, wait until it is dealt, and return the path of its interface."""
        made = await self.post("/api/play", wanted)
        assert made.status == 201, made.body
        path = f"/api/play/{made.json['token']}"
        await self.settled(path, "yours", "over")
        return path

    async def settled(self, path: str, *wanted: str) -> Any:
        """Return the state as soon as it has one of these statuses."""
        for _ in range(10_000):
            table = await self.table(path)
            if table.status in wanted and (table.status != "over" or table.round.after is not None):
                return (await self.exchange("GET", path, b"", {}, recorded=False)).json
            assert table.status != "failed"
            await asyncio.sleep(0.002)
        raise AssertionError(table.status)

    async def table(self, path: str) -> PlayTable:
        """Return the game behind a path."""
        return await self.board.find(path.removeprefix("/api/play/"), PlayTable)

    async def move(self, path: str, state: Any, move: str) -> Any:
        """Make a legal move, and return the state that it is answered with."""
        answer = await self.post(f"{path}/move", {"move": move, "at": state["number"]})
        assert answer.status == 200, answer.body
        return answer.json


def on_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Make a test of a coroutine."""

    @wraps(test)
    def run(*arguments: P.args, **named: P.kwargs) -> None:
        async def limited() -> None:
            async with asyncio.timeout(120):
                await test(*arguments, **named)

        asyncio.run(limited())

    return run


def with_limits(**limits: Any) -> Settings:
    """Return settings with some limits."""
    return replace(ROOMY, **limits)
