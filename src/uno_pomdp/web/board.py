"""`LiveSession`, a session in memory, and `Board`: what all of them share, as the store, the workers and the limits.

A kind of session is a subclass of `LiveSession`. What can be asked of it is a subclass of
`session_requests.SessionRequests`; `app.ROOMS` lists those.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, Final, Self, TypeVar

from starlette.requests import Request

from uno_pomdp.web.clock import Clock
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.limits import Bucket, Buckets, address_of
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.security import log_failure
from uno_pomdp.web.settings import Settings
from uno_pomdp.web.store import NotStored, SessionStore
from uno_pomdp.web.streams import Channel, EventStream
from uno_pomdp.web.tokens import Key, key_of
from uno_pomdp.web.workers import Workers

NOTHING: Final = "no game or session is here: it may have expired; begin a new one"
SWEEP_SECONDS: Final = 60.0
"""How often sessions that expired are looked for."""
PROCESS_SECONDS: Final = 2.0
"""How long a process that was killed may take to be gone."""


class LiveSession(ABC):
    """A session in memory: how it stands, who listens, what runs for it. The store has what is worth keeping."""

    kind: ClassVar[str]
    """What such a session is called, in the store and in paths."""

    def __init__(self, board: "Board", key: Key, status: str, version: int = 1) -> None:
        self._board = board
        self._key = key
        self._work: asyncio.Task[None] | None = None
        self._requests = 0
        self.status = status
        """How it stands, in a word."""
        self.version = version
        """Grows with every change that clients see."""
        self.channel = Channel(self.go_on)
        """Who listens."""

    @classmethod
    @abstractmethod
    def restored(cls, board: "Board", key: Key, values: dict[str, Any]) -> Self:
        """Return a session from what the store has."""

    @abstractmethod
    def keep(self) -> None:
        """Write it to the store, in whatever thread; when this returns, it is there."""

    def _save(self, values: dict[str, Any]) -> None:
        self._board.store.save(self._key, self.kind, json.dumps(values), self._board.clock.today())

    @abstractmethod
    def go_on(self) -> None:
        """Begin or end what runs only while somebody listens: called when somebody comes or leaves."""

    def begin(self) -> None:
        """Begin, once it is in memory."""
        self.go_on()

    # --- what a client sees ------------------------------------------------------------------------------

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return how it stands."""

    def present(self) -> list[tuple[str, bytes]]:
        """Return the events that a new listener is sent first."""
        return [("state", json_bytes(self.state()))]

    def _publish(self) -> None:
        """Send everybody who listens how it stands now."""
        if len(self.channel):
            self.channel.publish("state", json_bytes(self.state()))

    def _changed(self) -> None:
        """Count a change, and publish it."""
        self.version += 1
        self._publish()

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        """Let the session fail by an error here, which is logged without its message: that may name cards."""
        try:
            yield
        except Exception as error:
            log_failure(what, error)
            self.status = "failed"
            self._changed()

    # --- memory ------------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing runs, so that it may leave memory."""
        return not len(self.channel) and not self._requests and (self._work is None or self._work.done())

    @contextmanager
    def _busy(self) -> Iterator[None]:
        """Stay in memory while a request waits: else the store would give the same session a second time."""
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1

    def close(self) -> None:
        """Stop what runs, and end the streams."""
        self.channel.close()


L = TypeVar("L", bound=LiveSession)


class _Place:
    """A session in memory, with what limits it."""

    def __init__(self, live: "asyncio.Task[LiveSession]", bucket: Bucket, used: float) -> None:
        self.live = live
        self.bucket = bucket
        self.used = used

    @property
    def found(self) -> LiveSession | None:
        """The session; None while it is read, and where that has failed."""
        done = self.live.done() and not self.live.cancelled() and self.live.exception() is None
        return self.live.result() if done else None

    @property
    def idle(self) -> bool:
        """Whether it may leave memory."""
        found = self.found
        return self.live.done() if found is None else found.idle


class Board:
    """Everything behind the interface."""

    def __init__(self, settings: Settings, store: SessionStore, clock: Clock | None = None) -> None:
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
        self._places: dict[Key, _Place] = {}
        self._streams: Counter[str] = Counter()
        self._closing = False
        self._swept = self.clock.now()

    # --- sessions ----------------------------------------------------------------------------------------

    def may_add(self, request: Request) -> None:
        """Refuse a new session where there were too many; called before anything is done for one."""
        self._new_by_address.take(request.scope, "new games from one address")
        self._new.take("new games")

    async def add(self, key: Key, live: LiveSession) -> None:
        """Take a new session in."""

        async def ready() -> LiveSession:
            return live

        await self.sweep(room=1)
        self._places[key] = self._placed(asyncio.ensure_future(ready()))

    def _placed(self, live: "asyncio.Task[LiveSession]") -> _Place:
        return _Place(live, Bucket(self.settings.session_requests, self.clock), self.clock.now())

    async def find(self, token: str, kind: type[L]) -> L:
        """Return the session of a kind that a token opens, from memory or from the store."""
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
        if not isinstance(live, kind):
            raise Problem("not_found", NOTHING)
        return live

    async def _from_store(self, key: Key, kind: type[LiveSession]) -> LiveSession:
        """Return a session that the store has, back in memory, where it goes on."""
        data = await self.workers.quick(self.store.load, key, kind.kind)
        if data is None:
            raise Problem("not_found", NOTHING)
        await self.sweep()
        with suppress(NotStored):  # a full disk keeps nobody from a game that is there
            await self.workers.quick(self.store.touch, key, self.clock.today())
        live = await self.workers.quick(lambda: kind.restored(self, key, json.loads(data)))
        live.begin()
        return live

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
                if place.found is not None:
                    place.found.close()
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
            if place.found is not None:
                place.found.close()

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
