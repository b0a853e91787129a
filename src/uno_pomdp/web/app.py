"""The application: all routes behind the guard, and the sentences for what is not there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from uno_pomdp.web import pages
from uno_pomdp.web.advise import AdviseRequests
from uno_pomdp.web.board import Board
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.lab import LabRequests
from uno_pomdp.web.opponents import options_json
from uno_pomdp.web.play import PlayRequests
from uno_pomdp.web.review import ReviewRequests
from uno_pomdp.web.security import Guard, log_unheard
from uno_pomdp.web.watch import WatchRequests

ROOMS: Final = (PlayRequests, ReviewRequests, AdviseRequests, WatchRequests, LabRequests)
"""What can be asked of each kind of session."""


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
            *(route for room in ROOMS for route in room(board).routes()),
        ],
        default=pages.nothing_here,
        redirect_slashes=False,  # a redirect would repeat the Host that was sent
        lifespan=lifespan,
    )
    return Guard(router, board.settings, board.addresses, board.requests)
