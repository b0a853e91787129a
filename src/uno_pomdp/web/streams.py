"""Server-sent events: who listens to a session, what they are told, and the answer that tells it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PING: Final = b": ping\n\n"
"""A comment, which browsers ignore: so a connection that broke is noticed."""


class Listener:
    """One event stream. Of each kind of event the newest waits: who reads slowly misses none that matters."""

    def __init__(self) -> None:
        self._waiting: dict[str, bytes] = {}
        self._news = asyncio.Event()
        self._closed = False

    def tell(self, event: str, data: bytes) -> None:
        """Add an event; one of the same kind that has not been sent yet is replaced."""
        self._waiting.pop(event, None)
        self._waiting[event] = data
        self._news.set()

    def close(self) -> None:
        """End the stream after what waits."""
        self._closed = True
        self._news.set()

    async def chunks(self, ping_seconds: float) -> AsyncIterator[bytes]:
        """Yield events as they come, and a comment where none came for a while."""
        while True:
            while self._waiting:
                event = next(iter(self._waiting))
                yield b"event: %s\ndata: %s\n\n" % (event.encode(), self._waiting.pop(event))
            if self._closed:
                return
            self._news.clear()
            try:
                async with asyncio.timeout(ping_seconds):
                    await self._news.wait()
            except TimeoutError:
                yield PING


class Channel:
    """All event streams of one session."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._listeners: set[Listener] = set()
        self._changed = changed

    def __len__(self) -> int:
        return len(self._listeners)

    def publish(self, event: str, data: bytes) -> None:
        """Tell everybody who listens."""
        for listener in self._listeners:
            listener.tell(event, data)

    def join(self) -> Listener:
        """Return a new listener."""
        listener = Listener()
        self._listeners.add(listener)
        self._changed()
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener that is gone."""
        self._listeners.discard(listener)
        self._changed()

    def close(self) -> None:
        """End all streams."""
        for listener in self._listeners:
            listener.close()


class EventStream(Response):
    """An answer that goes on until the client leaves or the listener is closed."""

    def __init__(self, listener: Listener, ping_seconds: float, left: Callable[[], None]) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self._listener = listener
        self._ping_seconds = ping_seconds
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; the client's leaving ends it at once, not with the next event."""
        del scope
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._left()
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for chunk in self._listener.chunks(self._ping_seconds):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
