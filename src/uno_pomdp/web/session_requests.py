"""What can be asked of every kind of session: its page, its state, its stream, and a new one."""

from collections.abc import Callable, Sequence
from typing import Generic

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.errors import UnoError
from uno_pomdp.pages.rendering import render
from uno_pomdp.web.board import Board, L
from uno_pomdp.web.bodies import Fields, read_fields
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.pages import session_missing
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.tokens import Key, new_token


class SessionRequests(Generic[L]):
    """What can be asked of sessions of one kind."""

    sessions: type[L]
    """The kind."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def routes(self) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        name = self.sessions.kind
        return [
            Route(f"/api/{name}", self.create, methods=["POST"]),
            self._get("", self.state),
            self._get("/events", self.events),
        ]

    def _get(self, path: str, answer: Callable[[Request], object]) -> Route:
        return Route(f"/api/{self.sessions.kind}/{{token}}{path}", answer, methods=["GET"])

    def _post(self, path: str, answer: Callable[[Request], object]) -> Route:
        return Route(f"/api/{self.sessions.kind}/{{token}}{path}", answer, methods=["POST"])

    async def create(self, request: Request) -> Response:
        """Begin a session."""
        raise NotImplementedError

    async def _session(self, request: Request) -> L:
        """Return the session that a request's token opens."""
        return await self._board.find(request.path_params["token"], self.sessions)

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
                    return session_missing(self.sessions.kind, self._board.settings)
            except UnoError:  # of what was stored
                pass
            return HTMLResponse(render(template))

        return Route(f"/{self.sessions.kind}/{{token}}", shown, methods=["GET"])

    async def _fields(self, request: Request) -> Fields:
        """Return what a request says; before its session is looked for, which could leave memory meanwhile."""
        return await read_fields(request, self._board.settings)

    async def _created(self, request: Request, make: Callable[[Key], L]) -> Response:
        """Make a session, in a thread, write it before anybody hears of it, and answer with its token."""
        self._board.may_add(request)
        token, key = new_token()
        session = await self._board.workers.quick(make, key)
        await self._board.workers.quick(session.keep)
        await self._board.add(key, session)
        session.begin()
        return json_response({"token": token, "url": f"/{self.sessions.kind}/{token}"}, 201)

    async def state(self, request: Request) -> Response:
        """Answer with how a session stands."""
        return json_response((await self._session(request)).state())

    async def events(self, request: Request) -> Response:
        """Answer with a stream of what changes."""
        session = await self._session(request)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return self._board.stream(request, session.channel, session.present())
