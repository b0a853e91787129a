"""Advise over HTTP: a game at a real table, by entries that are posted and advice that is streamed."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute

from uno_pomdp.advise.session import Session
from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.advise_table import AdviseTable
from uno_pomdp.web.bodies import MOST_MOVES, RULES_TEXT
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import checked_or_none, rules_json
from uno_pomdp.web.pages import page
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key

ENTRY_TEXT: Final = 1_000
"""Characters of an entry: it may name a hand of a hundred cards."""


class AdviseRequests(SessionRequests[AdviseTable]):
    """What can be asked of a game at a real table."""

    sessions = AdviseTable

    def routes(self) -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""
        return [
            page("/advise", "advise_form.html"),
            self.page("advise.html"),
            *super().routes(),
            self._get("/before/{number:int}", self.before),
            self._post("/enter", self.enter),
            self._post("/undo", self.undo),
            self._post("/fix", self.fix),
            self._get("/rules", self.rules),
            self._get("/record", self.record),
        ]

    async def create(self, request: Request) -> Response:
        """Begin a game that will be entered."""
        fields = await self._fields(request)
        rules_text, coach_text = fields.text("rules", "house", RULES_TEXT), fields.text_or_none("coach")
        middle = fields.flag("middle", False)
        fields.end()

        def made(key: Key) -> AdviseTable:
            rules = Rules.parse(rules_text)
            coach = checked_or_none(coach_text, self._board.settings)
            seed = secrets.randbelow(NEW_DEALS)
            return AdviseTable(self._board, key, Session(rules, coach, seed, middle=middle), coach, seed)

        return await self._created(request, made)

    async def before(self, request: Request) -> Response:
        """Answer with what could be entered in the place of an earlier entry."""
        table = await self._session(request)
        number = min(int(request.path_params["number"]), MOST_MOVES)
        return json_response(await table.before(number))

    async def enter(self, request: Request) -> Response:
        """Take in an answer or an entry."""
        fields, table = await self._fields(request), await self._session(request)
        text, at = fields.text("text", most=ENTRY_TEXT), fields.whole("at", 0, MOST_MOVES)
        fields.end()
        return json_response(await table.enter(text, at))

    async def undo(self, request: Request) -> Response:
        """Take the last answer or entry back."""
        fields, table = await self._fields(request), await self._session(request)
        at = fields.whole("at", 0, MOST_MOVES)
        fields.end()
        return json_response(await table.undo(at))

    async def fix(self, request: Request) -> Response:
        """Correct an answer or an entry."""
        fields, table = await self._fields(request), await self._session(request)
        text, at = fields.text("text", most=ENTRY_TEXT), fields.whole("at", 0, MOST_MOVES)
        fields.end()
        return json_response(await table.fix(text, at))

    async def rules(self, request: Request) -> Response:
        """Say by which rules it is played."""
        return json_response({"words": rules_json((await self._session(request)).rules)})

    async def record(self, request: Request) -> Response:
        """Answer with the seat's record as a text."""
        table = await self._session(request)
        return PlainTextResponse(await table.record())
