"""`Board`: what all kinds of sessions share (store, workers, limits), and the sessions that are in memory.

A kind of session is a module with a `Kind`: its name, its routes, and how one of its sessions is made from what the
store has. `app.KINDS` lists them.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from starlette.requests import Request
from starlette.routing import BaseRoute

from uno_pomdp.web.clock import Clock
from uno_pomdp.web.limits import Bucket, Buckets, address_of
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.settings import Settings
from uno_pomdp.web.store import NotStored, Store
from uno_pomdp.web.streams import Channel, EventStream
from uno_pomdp.web.tokens import Key, key_of, new_token
from uno_pomdp.web.workers import Workers

NOTHING: Final = "no game or session is here: it may have expired; begin a new one"
SWEEP_SECONDS: Final = 60.0
"""How often sessions that expired are looked for."""
PROCESS_SECONDS: Final = 2.0
"""How long a process that was killed may take to be gone."""


class Live(Protocol):
    """A session in memory. What it is worth keeping it has in the store already."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing runs, so that it may leave memory."""

    def close(self) -> None:
        """Stop what runs, and end its streams."""


class Kind(Protocol):
    """One kind of session."""

    @property
    def name(self) -> str:
        """What it is called, in the store and in paths."""

    def routes(self, board: "Board") -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""

    async def restored(self, board: "Board", key: Key, data: str) -> Live:
        """Return a session from what the store has."""


class _Place:
    """A session in memory, with what limits it."""

    def __init__(self, live: "asyncio.Task[Live]", bucket: Bucket, used: float) -> None:
        self.live = live
        self.bucket = bucket
        self.used = used

    @property
    def idle(self) -> bool:
        """Whether it may leave memory."""
        if not self.live.done():
            return False
        return self.live.cancelled() or self.live.exception() is not None or self.live.result().idle


class Board:
    """Everything behind the interface."""

    def __init__(self, settings: Settings, store: Store, kinds: Sequence[Kind], clock: Clock | None = None) -> None:
        self.settings = settings
        """All limits."""
        self.clock = clock or Clock()
        """Time."""
        self.store = store
        """What survives the process."""
        self.workers = Workers(settings.searches, settings.waiting)
        """Who computes."""
        self.experiments = asyncio.Semaphore(settings.experiments)
        """Lets only so many experiments run at once."""
        self.processes: set[asyncio.Task[None]] = set()
        """Who waits for a process of its own."""
        self.requests = Bucket(settings.all_requests, self.clock)
        """Counts all requests."""
        self.addresses = Buckets(settings.address_requests, self.clock)
        """Counts the requests from each address."""
        self._new = Bucket(settings.new_sessions, self.clock)
        self._new_by_address = Buckets(settings.address_sessions, self.clock)
        self._kinds = {kind.name: kind for kind in kinds}
        self._places: dict[Key, _Place] = {}
        self._streams: Counter[str] = Counter()
        self._closing = False
        self._swept = self.clock.now()

    # --- sessions ----------------------------------------------------------------------------------------

    def may_add(self, request: Request) -> None:
        """Refuse a new session where there were too many; called before anything is done for one."""
        self._new_by_address.take(request.scope, "new games from one address")
        self._new.take("new games")

    def new_key(self) -> tuple[str, Key]:
        """Return a token and the key of the session that it will open."""
        token = new_token()
        key = key_of(token)
        assert key is not None
        return token, key

    async def add(self, key: Key, live: Live) -> None:
        """Take a new session in."""

        async def ready() -> Live:
            return live

        await self.sweep(room=1)
        self._places[key] = self._placed(asyncio.ensure_future(ready()))

    def _placed(self, live: "asyncio.Task[Live]") -> _Place:
        return _Place(live, Bucket(self.settings.session_requests, self.clock), self.clock.now())

    async def find(self, token: str, kind: str) -> Live:
        """Return the session that a token opens, from memory or from the store."""
        key = key_of(token)
        if key is None:
            raise Problem("not_found", NOTHING)
        place = self._places.get(key)
        if place is None:  # taken at once: two requests must not read the same game twice
            place = self._places[key] = self._placed(asyncio.ensure_future(self._from_store(key, kind)))
        try:
            live = await asyncio.shield(place.live)
        except Exception:
            if self._places.get(key) is place:
                del self._places[key]
            raise
        place.bucket.take("requests about one session")
        place.used = self.clock.now()
        if live.kind != kind:
            raise Problem("not_found", NOTHING)
        return live

    async def _from_store(self, key: Key, kind: str) -> Live:
        """Return a session that the store has, back in memory."""
        stored = await self.workers.quick(self.store.load, key)
        if stored is None or stored.kind != kind:
            raise Problem("not_found", NOTHING)
        await self.sweep()
        with suppress(NotStored):  # a full disk keeps nobody from a game that is there
            await self.workers.quick(self.store.touch, key, self.clock.today())
        return await self._kinds[kind].restored(self, key, stored.data)

    async def tidy(self) -> None:
        """Sweep now and then, for as long as the server runs."""
        while True:
            await self.clock.until(self.clock.now() + SWEEP_SECONDS)
            with suppress(Problem):  # too many are busy: the next one finds room
                await self.sweep()

    async def sweep(self, room: int = 0) -> None:
        """Let sessions leave memory that were idle long, or longest where room is needed; likewise the store."""
        now, settings = self.clock.now(), self.settings
        by_use = sorted(self._places.items(), key=lambda item: item[1].used)
        beyond = len(by_use) + room - settings.sessions
        for key, place in by_use:
            old = now - place.used > settings.idle_seconds
            if place.idle and (old or beyond > 0):
                del self._places[key]
                beyond -= 1
                if not place.live.cancelled() and place.live.exception() is None:
                    place.live.result().close()
        if beyond > 0:
            raise Problem("busy", "too many games are going on at once: try again later", after=60.0)
        if now - self._swept > settings.idle_seconds / 4 or not self._places:
            self._swept = now
            before = self.clock.today() - settings.stored_seconds
            with suppress(NotStored):  # the next sweep tries again
                await self.workers.quick(self.store.forget, before, settings.stored)

    @property
    def in_memory(self) -> int:
        """How many sessions are in memory."""
        return len(self._places)

    # --- streams -----------------------------------------------------------------------------------------

    def stream(self, request: Request, channel: Channel, present: Sequence[tuple[str, bytes]]) -> EventStream:
        """Return an event stream that begins with how things stand."""
        address = address_of(request.scope)
        if len(channel) >= self.settings.session_streams:
            raise Problem("too_many", "this session is open in too many windows: close one of them", after=5.0)
        if self._streams[address] >= self.settings.address_streams:
            raise Problem("too_many", "too many pages are open from your address: close one of them", after=5.0)
        if self._streams.total() >= self.settings.streams:
            raise Problem("busy", "too many pages are open at this server: try again later", after=30.0)
        self._streams[address] += 1
        listener = channel.join()
        for event, data in present:
            listener.tell(event, data)
        if self._closing:
            listener.close()

        def left() -> None:
            self._streams -= Counter([address])  # which forgets an address that has none left
            channel.leave(listener)

        return EventStream(listener, self.settings.ping_seconds, left)

    def close_streams(self) -> None:
        """End all streams: a server that stops waits for their connections."""
        self._closing = True
        for place in self._places.values():
            if place.live.done() and not place.live.cancelled() and place.live.exception() is None:
                place.live.result().close()

    async def end(self) -> None:
        """End everything, processes first: the loop complains of one that ends when it is closed already."""
        self.close_streams()
        if self.processes:
            await asyncio.wait(self.processes, timeout=PROCESS_SECONDS)
        self.close()

    def close(self) -> None:
        """End everything at once."""
        self.close_streams()
        self.workers.close()
        self.store.close()
