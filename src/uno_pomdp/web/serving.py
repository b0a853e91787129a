"""The server process: a socket, uvicorn, and a clean end."""

import errno
import logging
import socket
import sys
from collections.abc import Callable
from typing import Final

import uvicorn

from uno_pomdp.errors import UnoError, quoted
from uno_pomdp.web.app import make_app
from uno_pomdp.web.board import Board
from uno_pomdp.web.connections import ListeningSocket, at_once, limited
from uno_pomdp.web.settings import LOOPBACK, Settings
from uno_pomdp.web.store import SessionStore

SWITCH_SECONDS: Final = 0.001
"""After how long a thread that searches in Python lets the event loop run; kernels never keep it waiting."""
GRACE_SECONDS: Final = 5
"""How long requests have to end when the server is stopped."""


class CannotListen(UnoError):
    """An address or port that can't be had."""


class Server(uvicorn.Server):
    """uvicorn, which ends event streams before it waits for their connections."""

    def __init__(self, config: uvicorn.Config, board: Board, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._board = board
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that the server answers."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, then the rest."""
        self._board.close_streams()
        await super().shutdown(sockets)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket at this address; port 0 takes any that is free."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise CannotListen(f"{quoted(host)} is no address of this machine: give one, or leave --host out") from None
    family, kind, protocol, _, address = found[0]
    opened = ListeningSocket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # after a restart old connections linger
        opened.bind(address)
        opened.listen()
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"port {port} is in use, perhaps by another board: give another with --port, or 0 for any"
            ) from None
        raise CannotListen(f"{host}:{port} can't be listened on: {error.strerror}") from None
    return opened


def address_of(host: str, port: int) -> str:
    """Return what to type in a browser."""
    name = LOOPBACK if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def serve(settings: Settings, opened: socket.socket, store: SessionStore, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it."""
    board = Board(settings, store)
    config = uvicorn.Config(
        make_app(board),
        loop="asyncio",
        http=limited(settings.connections),
        backlog=at_once(settings),
        ws="none",
        log_config=None,
        log_level=logging.ERROR,  # it warns of every request that is not HTTP or asks for a WebSocket
        access_log=False,  # its lines would hold tokens
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    Server(config, board, ready).run(sockets=[opened])
