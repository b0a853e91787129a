"""What every kind of session answers alike: its state, its stream, and the token of a new one."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from uno_pomdp.errors import UnoError
from uno_pomdp.pages.rendering import render
from uno_pomdp.web.board import Board, Live
from uno_pomdp.web.bodies import Fields, read_fields
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.pages import session_missing
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.streams import Channel


class Shown(Live, Protocol):
    """A session that a page shows."""

    channel: Channel
    """Who listens."""

    def state(self) -> dict[str, Any]:
        """Return how it stands."""

    def present(self) -> Sequence[tuple[str, bytes]]:
        """Return the events that a new listener is told first."""


S = TypeVar("S", bound=Shown)


class SessionRequests(Generic[S]):
    """What can be asked for of sessions of one kind."""

    def __init__(self, board: Board, name: str, sessions: type[S]) -> None:
        self._board = board
        self._name = name
        self._sessions = sessions

    async def _session(self, request: Request) -> S:
        """Return the session that a request's token opens."""
        found = await self._board.find(request.path_params["token"], self._name)
        assert isinstance(found, self._sessions)
        return found

    def page(self, template: str) -> Route:
        """Return the route of a session's page.

        The page holds nothing of the session: its script asks for that by the token in its path. Where there is none
        the answer says so; whatever else is wrong the script is told too, and tries again.
        """

        async def shown(request: Request) -> Response:
            try:
                await self._session(request)
            except Problem as problem:
                if problem.kind == "not_found":
                    return session_missing(self._name, self._board.settings)
            except UnoError:  # of what was stored
                pass
            return HTMLResponse(render(template))

        return Route(f"/{self._name}/{{token}}", shown, methods=["GET"])

    async def _fields(self, request: Request) -> Fields:
        """Return what a request says; before its session is looked for, which could leave memory meanwhile."""
        return await read_fields(request, self._board.settings)

    async def _created(self, token: str, key: bytes, session: S, keep: Callable[[], None]) -> Response:
        """Write a new session before anybody hears of it, and answer with its token."""
        await self._board.workers.quick(keep)
        await self._board.add(key, session)
        return json_response({"token": token, "url": f"/{self._name}/{token}"}, 201)

    async def state(self, request: Request) -> Response:
        """Answer with how a session stands."""
        return json_response((await self._session(request)).state())

    async def events(self, request: Request) -> Response:
        """Answer with a stream of what changes."""
        session = await self._session(request)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return self._board.stream(request, session.channel, session.present())
