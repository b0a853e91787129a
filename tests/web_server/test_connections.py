"""Connections: on which no request arrives, too many of them, and a system that has no more."""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.web_server.site import HERE, JumpingClock, Site, on_loop, with_limits
from uno_pomdp.web import connections, security
from uno_pomdp.web.settings import Settings

SECONDS = 0.2
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: "


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """Answer after longer than a head may take."""
    del scope, receive
    await asyncio.sleep(3 * SECONDS)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def listening(app: Any = slow, most: int = 1000) -> AsyncIterator[int]:
    """Serve an application to so many connections, and yield the port."""
    config = uvicorn.Config(app, log_config=None, access_log=False)
    config.load()
    made = partial(connections.limited(most), config=config, server_state=ServerState(), app_state={})
    server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.mark.parametrize("sent", [b"", HALF])
@on_loop
async def test_a_connection_without_a_whole_request_is_closed(sent: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "HEAD_SECONDS", SECONDS)
        async with listening() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            await asyncio.sleep(SECONDS / 2)
            writer.write(b"x" * bool(sent))  # one letter now and then is not enough
            assert await asyncio.wait_for(reader.read(), 20) == b""
            writer.close()


@on_loop
async def test_a_request_may_take_its_time_and_the_next_one_on_its_connection_has_to_arrive_too() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "HEAD_SECONDS", SECONDS)
        async with listening() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(2):
                writer.write(WHOLE)
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
            writer.write(HALF)
            assert await asyncio.wait_for(reader.read(), 4) == b""
            writer.close()


@on_loop
async def test_a_connection_on_which_a_body_does_not_arrive_is_closed_after_a_refusal() -> None:
    async with Site(with_limits(body_seconds=SECONDS)) as site, listening(site.app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /api/play HTTP/1.1\r\nHost: {HERE}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
        writer.write(f"{head}{{".encode())
        said = await asyncio.wait_for(reader.read(), 20)
        assert said.startswith(b"HTTP/1.1 408 ")
        assert b"\r\nconnection: close\r\n" in said.lower()
        writer.close()


# --- too many -------------------------------------------------------------------------------------------------

Pipe = tuple[asyncio.StreamReader, asyncio.StreamWriter]
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1234"
"""A request whose body does not arrive."""


class Waiting:
    """An application whose answers end when they may; before that they may say something."""

    def __init__(self) -> None:
        self.asked = asyncio.Semaphore(0)
        self.may = asyncio.Event()
        self.before = b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer."""
        del scope, receive
        before, length = self.before, str(len(self.before) + 2).encode()
        begin = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]}
        self.asked.release()
        if not before:
            await self.may.wait()
        await send(begin)
        await send({"type": "http.response.body", "body": before, "more_body": True})
        await self.may.wait()
        await send({"type": "http.response.body", "body": b"ok"})


async def ended(pipe: Pipe) -> None:
    """Wait until the server has closed a connection, and close it here too."""
    reader, writer = pipe
    with suppress(ConnectionResetError):  # what was sent to it and not read
        assert await asyncio.wait_for(reader.read(), 20) == b""
    writer.close()


async def answered(pipe: Pipe) -> None:
    """Send a request, and read the answer."""
    reader, writer = pipe
    writer.write(WHOLE)
    assert (await asyncio.wait_for(reader.readuntil(b"ok"), 20)).startswith(b"HTTP/1.1 200")


@on_loop
async def test_beyond_the_most_the_connection_that_was_idle_longest_makes_room_for_a_new_one() -> None:
    app = Waiting()
    app.may.set()
    async with listening(app, 3) as port:
        pipes = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await answered(pipes[0])  # now it is the one used last
        pipes += [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        await ended(pipes[1])
        await ended(pipes[2])
        for pipe in (pipes[0], pipes[3], pipes[4]):
            await answered(pipe)
            pipe[1].close()


@on_loop
async def test_a_body_that_does_not_arrive_makes_room_too_but_no_request_that_is_being_answered() -> None:
    app = Waiting()
    async with listening(app, 3) as port:
        pipes = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        for pipe, sent in zip(pipes, (WHOLE, POST, WHOLE), strict=True):
            pipe[1].write(sent)
            await app.asked.acquire()
        pipes.append(await asyncio.open_connection("127.0.0.1", port))
        await ended(pipes[1])
        pipes[3][1].write(WHOLE)
        await app.asked.acquire()
        await ended(await asyncio.open_connection("127.0.0.1", port))  # all three are being answered
        app.may.set()
        for reader, writer in (pipes[0], pipes[2], pipes[3]):
            await asyncio.wait_for(reader.readuntil(b"ok"), 20)
            writer.close()


MUCH = 50_000_000
"""Bytes that no system takes in for a client that does not read."""


@on_loop
async def test_a_client_that_does_not_read_makes_room_and_one_that_reads_again_does_not() -> None:
    app = Waiting()
    app.before = b"x" * MUCH
    async with listening(app, 2) as port:
        pipes = [await asyncio.open_connection("127.0.0.1", port, limit=1000) for _ in range(2)]
        for reader, writer in pipes:
            writer.write(WHOLE)
            await reader.readuntil(b"\r\n\r\n")
        (reader, writer), (forgotten, other) = pipes
        await reader.readexactly(MUCH)
        app.before = b""
        new = await asyncio.open_connection("127.0.0.1", port)
        new[1].write(WHOLE)
        for _ in range(3):
            await app.asked.acquire()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await asyncio.wait_for(forgotten.readexactly(MUCH), 20)
        await ended(await asyncio.open_connection("127.0.0.1", port))  # both of the others are being answered
        app.may.set()
        for still in (reader, new[0]):
            await asyncio.wait_for(still.readuntil(b"ok"), 20)
        for last in (writer, other, new[1]):
            last.close()


@pytest.mark.parametrize("descriptors", [128, 256, 1024, 1_000_000, None])
def test_connections_fit_into_the_descriptors_of_the_process(descriptors: int | None) -> None:
    settings = connections.fitting(Settings(), descriptors)
    assert settings.streams <= settings.connections // 2
    assert 1 <= settings.address_streams <= settings.streams // 2
    assert settings.address_streams >= 100 or descriptors in (128, 256)  # a hundred pages behind one proxy
    assert 1 <= connections.at_once(settings) <= connections.AT_ONCE
    most = settings.connections + 4 * connections.at_once(settings)
    assert descriptors is None or most <= descriptors - connections.OWN_DESCRIPTORS
    assert descriptors in (128, 256, 1024) or settings == Settings()


def test_a_process_with_too_few_descriptors_is_told_how_many_it_needs() -> None:
    with pytest.raises(connections.TooFewDescriptors, match="needs 128 open files, but the system allows 100: raise"):
        connections.fitting(Settings(), 100)


# --- none left ------------------------------------------------------------------------------------------------


@on_loop
async def test_where_no_descriptor_is_left_asyncio_fails_once_and_not_a_thousand_times() -> None:
    loop, failures = asyncio.get_running_loop(), 0

    def count(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal failures
        assert context["exception"].errno == errno.EMFILE
        failures += 1

    loop.set_exception_handler(count)
    with connections.ListeningSocket() as opened, pytest.MonkeyPatch.context() as patch:
        opened.bind(("127.0.0.1", 0))
        server = await loop.create_server(asyncio.Protocol, sock=opened, backlog=1000)

        def none_left(_: socket.socket) -> None:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        patch.setattr(socket.socket, "accept", none_left)
        with socket.create_connection(opened.getsockname()):
            while not failures:
                await asyncio.sleep(0.01)
        server.close()
    assert failures < 10  # once for each time that it tried, a second apart


def test_the_log_says_once_a_minute_that_no_descriptor_is_left(caplog: pytest.LogCaptureFixture) -> None:
    clock = JumpingClock()
    shortage = security.Shortage(clock)
    with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(security, "shortage", shortage)
        for _ in range(1000):
            security.log_failure("nobody heard of a failure", OSError(errno.EMFILE, "no"))
            security.log_failure("GET /", OSError(errno.ENFILE, "no"))
        clock.time += 59.0
        security.log_failure("GET /", OSError(errno.EMFILE, "no"))
        assert caplog.messages == [security.SHORT]
        clock.time += 2.0
        security.log_failure("GET /", OSError(errno.EMFILE, "no"))
        security.log_failure("GET /", OSError(errno.ENOENT, "no"))
    assert caplog.messages == [security.SHORT, security.SHORT, "GET /: FileNotFoundError"]
