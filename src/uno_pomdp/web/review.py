"""Reviews over HTTP: a record comes in, is judged, and gets a page; it can be shared as a file or as a link."""

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.record import GameRecord
from uno_pomdp.pages.rendering import render
from uno_pomdp.review.analyst import make_coach
from uno_pomdp.web.board import Board
from uno_pomdp.web.opponents import checked_or_none
from uno_pomdp.web.pages import compressed, page, session_missing
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.records import finished_record
from uno_pomdp.web.review_run import KIND, ReviewRun
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key


class Reviews:
    """The kind of session."""

    name: Final = KIND

    async def restored(self, board: Board, key: Key, data: str) -> ReviewRun:
        """Return a review from what the store has."""
        return await board.workers.quick(ReviewRun.from_store, board, key, data)

    def routes(self, board: Board) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        asked = Requests(board)
        place = "/api/review/{token}"
        return [
            page("/review", "review_form.html"),
            Route("/review/{token}", asked.shown, methods=["GET"]),
            Route("/api/review", asked.create, methods=["POST"]),
            Route(place, asked.state, methods=["GET"]),
            Route(f"{place}/events", asked.events, methods=["GET"]),
            Route(f"{place}/record", asked.record, methods=["GET"]),
            Route(f"{place}/file", asked.single_file, methods=["GET"]),
        ]


class Requests(SessionRequests[ReviewRun]):
    """What can be asked for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, KIND, ReviewRun)

    async def create(self, request: Request) -> Response:
        """Take a record in; it is judged when somebody waits for it."""
        fields = await self._fields(request)
        text, coach = fields.text("record", most=self._board.settings.body), fields.text_or_none("coach")
        fields.end()
        self._board.may_add(request)
        record, coach = await self._board.workers.quick(self._checked, text, coach)
        token, key = self._board.new_key()
        run = ReviewRun(self._board, key, record, coach)
        return await self._created(token, key, run, run.keep)

    def _checked(self, text: str, asked: str | None) -> tuple[GameRecord, str | None]:
        """Return the record and a coach that can judge it; None is the usual one."""
        record, coach = finished_record(text), checked_or_none(asked, self._board.settings)
        if coach is not None:
            for seat in SEATS if record.observer is None else (record.observer,):
                make_coach(coach, record.rules, seat)
        return record, coach

    async def shown(self, request: Request) -> Response:
        """Answer with the page."""
        try:
            run = await self._session(request)
        except Problem as problem:
            if problem.kind == "not_found":
                return session_missing(KIND, self._board.settings)
            return HTMLResponse(render("review_wait.html"), problem.status)
        return await self._board.workers.quick(lambda: compressed(request, run.page()))

    async def record(self, request: Request) -> Response:
        """Answer with the record as a text."""
        return PlainTextResponse((await self._session(request)).record())

    async def single_file(self, request: Request) -> Response:
        """Answer with the page as one file to save: as text, for no browser is to show it from here."""
        run = await self._session(request)
        text = await self._board.workers.quick(run.single_file)
        return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="review.html"'})
