"""Advise over HTTP: a game at a real table, by entries that are posted and advice that is streamed."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.advise.session import Session
from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.advise_table import KIND, AdviseTable
from uno_pomdp.web.board import Board
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import checked_or_none, rules_json
from uno_pomdp.web.pages import page
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key

MOST_ENTRIES: Final = 100_000
"""No game has more."""
RULES_TEXT: Final = 600
"""Characters of rules: a deck may be listed in them."""
ENTRY_TEXT: Final = 1_000
"""Characters of an entry: it may name a hand of a hundred cards."""


class Advise:
    """The kind of session."""

    name: Final = KIND

    async def restored(self, board: Board, key: Key, data: str) -> AdviseTable:
        """Return a game from what the store has."""
        return await board.workers.quick(AdviseTable.from_store, board, key, data)

    def routes(self, board: Board) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        asked = Requests(board)
        place = "/api/advise/{token}"
        return [
            page("/advise", "advise_form.html"),
            asked.page("advise.html"),
            Route("/api/advise", asked.create, methods=["POST"]),
            Route(place, asked.state, methods=["GET"]),
            Route(f"{place}/events", asked.events, methods=["GET"]),
            Route(f"{place}/before/{{number:int}}", asked.before, methods=["GET"]),
            Route(f"{place}/enter", asked.enter, methods=["POST"]),
            Route(f"{place}/undo", asked.undo, methods=["POST"]),
            Route(f"{place}/fix", asked.fix, methods=["POST"]),
            Route(f"{place}/rules", asked.rules, methods=["GET"]),
            Route(f"{place}/record", asked.record, methods=["GET"]),
        ]


class Requests(SessionRequests[AdviseTable]):
    """What can be asked for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, KIND, AdviseTable)

    async def create(self, request: Request) -> Response:
        """Begin a game that will be entered."""
        fields = await self._fields(request)
        rules, coach = fields.text("rules", "house", RULES_TEXT), fields.text_or_none("coach")
        middle = fields.flag("middle", False)
        fields.end()
        self._board.may_add(request)
        token, key = self._board.new_key()
        table = await self._board.workers.quick(self._made, key, rules, coach, middle)
        return await self._created(token, key, table, table.keep)

    def _made(self, key: Key, rules_text: str, coach_text: str | None, middle: bool) -> AdviseTable:
        rules = Rules.parse(rules_text)
        coach = checked_or_none(coach_text, self._board.settings)
        seed = secrets.randbelow(NEW_DEALS)
        return AdviseTable(self._board, key, Session(rules, coach, seed, middle=middle), coach, seed)

    async def before(self, request: Request) -> Response:
        """Answer with what could be entered in the place of an earlier entry."""
        table = await self._session(request)
        number = min(int(request.path_params["number"]), MOST_ENTRIES)
        return json_response(await table.before(number))

    async def enter(self, request: Request) -> Response:
        """Take in an answer or an entry."""
        fields, table = await self._fields(request), await self._session(request)
        text, at = fields.text("text", most=ENTRY_TEXT), fields.whole("at", 0, MOST_ENTRIES)
        fields.end()
        return json_response(await table.enter(text, at))

    async def undo(self, request: Request) -> Response:
        """Take the last answer or entry back."""
        fields, table = await self._fields(request), await self._session(request)
        at = fields.whole("at", 0, MOST_ENTRIES)
        fields.end()
        return json_response(await table.undo(at))

    async def fix(self, request: Request) -> Response:
        """Correct an answer or an entry."""
        fields, table = await self._fields(request), await self._session(request)
        text, at = fields.text("text", most=ENTRY_TEXT), fields.whole("at", 0, MOST_ENTRIES)
        fields.end()
        return json_response(await table.fix(text, at))

    async def rules(self, request: Request) -> Response:
        """Say by which rules it is played."""
        return json_response({"words": rules_json((await self._session(request)).rules)})

    async def record(self, request: Request) -> Response:
        """Answer with the seat's record as a text."""
        table = await self._session(request)
        return PlainTextResponse(await table.record())
