"""Connections: how many there may be, which one makes room for a new one, and how long a request may take to arrive."""

import asyncio
import errno
import socket
import sys
from dataclasses import replace
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from uno_pomdp.errors import UnoError
from uno_pomdp.web.settings import Settings

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take to arrive."""
LEAST_DESCRIPTORS: Final = 128
"""With fewer no board is served."""
OWN_DESCRIPTORS: Final = 64
"""What is left for the rest: the store, templates, the pipes of an experiment."""
AT_ONCE: Final = 64
"""The most connections that are taken from the system in one go."""
QUEUE: Final = 1024
"""Connections that may wait in the system until they are taken: beyond that one has to come again after a second."""
AWAITED: Final = (h11.IDLE, h11.SEND_BODY, h11.CLOSED, h11.ERROR)
"""States of a client of whom no whole request is here."""


class TooFewDescriptors(UnoError):
    """A system that lets this process open too few files."""


def fitting(settings: Settings, descriptors: int | None) -> Settings:
    """Return settings that fit into this number of descriptors; None means that nothing limits them.

    Half of what is left for connections stays free: the loop may take `at_once` new ones three times before it has
    closed the first that makes room for them.
    """
    if descriptors is None:
        return settings
    if descriptors < LEAST_DESCRIPTORS:
        raise TooFewDescriptors(
            f"the board needs {LEAST_DESCRIPTORS} open files, but the system allows {descriptors}: "
            f"raise that with ulimit -n {LEAST_DESCRIPTORS}, or more"
        )
    connections = min(settings.connections, (descriptors - OWN_DESCRIPTORS) // 2)
    streams = min(settings.streams, connections // 2)
    address_streams = min(settings.address_streams, streams // 2)
    return replace(settings, connections=connections, streams=streams, address_streams=address_streams)


def at_once(settings: Settings) -> int:
    """Return how many new connections are taken before the server looks at how many it has."""
    return min(AT_ONCE, settings.connections // 4)


def descriptor_limit() -> int | None:
    """Return how many descriptors this process may have; None where nothing limits them."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if limit == resource.RLIM_INFINITY else limit


class ListeningSocket(socket.socket):
    """A socket for asyncio's loop, which calls `accept` again and again.

    Where no descriptor is left that fails, and for each failure asyncio plans to listen again a second later: more from
    second to second. Here it fails once.
    """

    _failed = False

    def listen(self, backlog: int = QUEUE, /) -> None:
        """Let connections come; asyncio gives how many it takes at once, which are too few to wait."""
        super().listen(max(backlog, QUEUE))

    def accept(self) -> tuple[socket.socket, Any]:
        """Return a new connection."""
        if self._failed:
            self._failed = False
            raise BlockingIOError(errno.EAGAIN, "no descriptor was left a moment ago")
        try:
            return super().accept()
        except OSError as error:
            self._failed = error.errno in (errno.EMFILE, errno.ENFILE)
            raise


class PromptProtocol(H11Protocol):
    """uvicorn's HTTP, with a limit where it waits without end; bodies have their own (`settings.body_seconds`).

    Where there are too many connections, the one whose client has been waited for longest makes room. So a new player
    gets in, whatever somebody else holds open.
    """

    most: ClassVar[int] = sys.maxsize
    """Connections at once."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._late: asyncio.TimerHandle | None = None
        self._since = self.loop.time()
        self._unread = False

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn: to send a request or the rest of one, or to read what is sent to it."""
        return self._unread or self.transport.is_closing() or self.conn.their_state in AWAITED

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            waiting = (each for each in self.connections if isinstance(each, PromptProtocol) and each.waits)
            min(waiting, key=lambda each: each._since).drop()

    def data_received(self, data: bytes) -> None:
        """Take in what came; the time runs on until a head is complete."""
        idle = self.conn.their_state is h11.IDLE
        super().data_received(data)
        if idle and self.conn.their_state is not h11.IDLE:
            self._since = self.loop.time()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Note that the client does not read."""
        self._unread = True
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that it reads again."""
        self._unread = False
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; where an answer is under way, nothing can be said any more."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # or the log would have a line about the answer that was cut short
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.drop()

    def drop(self) -> None:
        """Close the connection at once, whatever the client has not read."""
        self.connections.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        """Let the time run where a head is waited for, and stop it where there is one."""
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def limited(most: int) -> type[PromptProtocol]:
    """Return the protocol for a server with this number of connections at once."""
    return type("LimitedProtocol", (PromptProtocol,), {"most": most})
