"""The application: all routes behind the guard, and the sentences for what is not there."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from uno_pomdp.web import pages
from uno_pomdp.web.advise import Advise
from uno_pomdp.web.board import Board, Kind
from uno_pomdp.web.clock import Clock
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.lab import Lab
from uno_pomdp.web.opponents import options_json
from uno_pomdp.web.play import Play
from uno_pomdp.web.review import Reviews
from uno_pomdp.web.security import Guard, log_unheard
from uno_pomdp.web.settings import Settings
from uno_pomdp.web.store import Store
from uno_pomdp.web.watch import Watch

KINDS: Final[Sequence[Kind]] = (Play(), Reviews(), Advise(), Watch(), Lab())
"""All kinds of sessions."""


def make_board(settings: Settings, store: Store, clock: Clock | None = None) -> Board:
    """Return what is behind the interface."""
    return Board(settings, store, KINDS, clock)


def make_app(board: Board) -> ASGIApp:
    """Return the application over a board, which is closed with it."""

    async def options(request: Request) -> Response:
        del request
        return json_response(await board.workers.quick(options_json))

    @asynccontextmanager
    async def lifespan(app: Router) -> AsyncIterator[None]:
        del app
        asyncio.get_running_loop().set_exception_handler(log_unheard)
        tidying = asyncio.ensure_future(board.tidy())
        try:
            yield
        finally:
            tidying.cancel()
            await board.end()

    router = Router(
        [
            *pages.routes(),
            Route("/api/options", options, methods=["GET"]),
            *(route for kind in KINDS for route in kind.routes(board)),
        ],
        default=pages.nothing_here,
        redirect_slashes=False,  # a redirect would repeat the Host that was sent
        lifespan=lifespan,
    )
    return Guard(router, board.settings, board.addresses, board.requests)
