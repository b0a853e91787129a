"""Connections on which no request arrives: closed after a while, and others are left alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.web_server.site import on_loop
from uno_pomdp.web import connections

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
async def listening(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """Serve the slow application, and yield the port."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", SECONDS)
    config = uvicorn.Config(slow, log_config=None, access_log=False)
    config.load()
    made = partial(connections.PromptProtocol, config=config, server_state=ServerState(), app_state={})
    server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.mark.parametrize("sent", [b"", HALF])
@on_loop
async def test_a_connection_without_a_whole_request_is_closed(sent: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        async with listening(patch) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            await asyncio.sleep(SECONDS / 2)
            writer.write(b"x" * bool(sent))  # one letter now and then is not enough
            assert await asyncio.wait_for(reader.read(), 20) == b""
            writer.close()


@on_loop
async def test_a_request_may_take_its_time_and_the_next_one_on_its_connection_has_to_arrive_too() -> None:
    with pytest.MonkeyPatch.context() as patch:
        async with listening(patch) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(2):
                writer.write(WHOLE)
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
            writer.write(HALF)
            assert await asyncio.wait_for(reader.read(), 4) == b""
            writer.close()
