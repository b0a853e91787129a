"""Reviews over HTTP: a record comes in, is judged, and gets a page; it can be shared as a file or as a link."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.record import GameRecord
from uno_pomdp.pages.rendering import render
from uno_pomdp.review.analyst import make_coach
from uno_pomdp.web.opponents import checked_or_none
from uno_pomdp.web.pages import compressed, page, session_missing
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.records import finished_record
from uno_pomdp.web.review_run import ReviewRun
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key


class ReviewRequests(SessionRequests[ReviewRun]):
    """What can be asked of a review."""

    sessions = ReviewRun

    def routes(self) -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""
        return [
            page("/review", "review_form.html"),
            Route("/review/{token}", self.shown, methods=["GET"]),
            *super().routes(),
            self._get("/record", self.record),
            self._get("/file", self.single_file),
        ]

    async def create(self, request: Request) -> Response:
        """Take a record in; it is judged when somebody waits for it."""
        fields = await self._fields(request)
        text, coach = fields.text("record", most=self._board.settings.body), fields.text_or_none("coach")
        fields.end()

        def made(key: Key) -> ReviewRun:
            return ReviewRun(self._board, key, *self._checked(text, coach))

        return await self._created(request, made)

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
                return session_missing(self.sessions.kind, self._board.settings)
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
