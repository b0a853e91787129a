"""Watch over HTTP: a game of two agents, or a finished record, with both hands open."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.game.record import GameRecord
from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.board import Board
from uno_pomdp.web.bodies import Fields
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import seated
from uno_pomdp.web.pages import page
from uno_pomdp.web.records import finished_record
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key
from uno_pomdp.web.watch_table import KIND, Pairing, WatchTable

MOST_MOVES: Final = 100_000
"""No game has more."""
MOST_SEED: Final = 2**63 - 1
RULES_TEXT: Final = 600
"""Characters of rules: a deck may be listed in them."""


class Watch:
    """The kind of session."""

    name: Final = KIND

    async def restored(self, board: Board, key: Key, data: str) -> WatchTable:
        """Return a game from what the store has; it goes on when somebody looks."""
        return await board.workers.quick(WatchTable.from_store, board, key, data)

    def routes(self, board: Board) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        asked = Requests(board)
        place = "/api/watch/{token}"
        return [
            page("/watch", "watch_form.html"),
            asked.page("watch.html"),
            Route("/api/watch", asked.create, methods=["POST"]),
            Route(place, asked.state, methods=["GET"]),
            Route(f"{place}/events", asked.events, methods=["GET"]),
            Route(f"{place}/moment/{{number:int}}", asked.moment, methods=["GET"]),
            Route(f"{place}/record", asked.record, methods=["GET"]),
        ]


class Requests(SessionRequests[WatchTable]):
    """What can be asked for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, KIND, WatchTable)

    async def create(self, request: Request) -> Response:
        """Begin a game of two agents, or open a record."""
        fields = await self._fields(request)
        wanted = Wanted(fields, self._board)
        fields.end()
        self._board.may_add(request)
        pairing, record = await self._board.workers.quick(wanted.game)
        token, key = self._board.new_key()
        table = WatchTable(self._board, key, pairing, record)
        return await self._created(token, key, table, table.keep)

    async def moment(self, request: Request) -> Response:
        """Answer with the table after so many moves."""
        table = await self._session(request)
        number = min(int(request.path_params["number"]), MOST_MOVES)
        return json_response(await self._board.workers.quick(table.moment, number))

    async def record(self, request: Request) -> Response:
        """Answer with the record as a text."""
        return PlainTextResponse((await self._session(request)).record())


class Wanted:
    """A game that is asked for: a record, or two agents."""

    def __init__(self, fields: Fields, board: Board) -> None:
        self._board = board
        self._text = fields.text("record", "", board.settings.body)
        self._rules = fields.text("rules", "house", RULES_TEXT)
        self._agents = fields.text("first", ""), fields.text("second", "")
        self._seed = fields.whole_or_none("seed", 0, MOST_SEED)

    def game(self) -> tuple[Pairing | None, GameRecord | None]:
        """Return what is to be looked at; takes a moment."""
        if self._text:
            return None, finished_record(self._text)
        rules = Rules.parse(self._rules)
        first, second = (seated(text, rules, seat, self._board.settings) for seat, text in enumerate(self._agents))
        seed = secrets.randbelow(NEW_DEALS) if self._seed is None else self._seed
        return Pairing(rules, (first, second), seed), None
