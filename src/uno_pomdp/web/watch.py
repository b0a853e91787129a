"""Watch over HTTP: a game of two agents, or a finished record, with both hands open."""

import secrets
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute

from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.bodies import MOST_MOVES, MOST_SEED, RULES_TEXT
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import seated
from uno_pomdp.web.pages import page
from uno_pomdp.web.records import finished_record
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key
from uno_pomdp.web.watch_table import Pairing, WatchTable


class WatchRequests(SessionRequests[WatchTable]):
    """What can be asked of a game with both hands open."""

    sessions = WatchTable

    def routes(self) -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""
        return [
            page("/watch", "watch_form.html"),
            self.page("watch.html"),
            *super().routes(),
            self._get("/moment/{number:int}", self.moment),
            self._get("/record", self.record),
        ]

    async def create(self, request: Request) -> Response:
        """Begin a game of two agents, or open a record."""
        fields, settings = await self._fields(request), self._board.settings
        record = fields.text("record", "", settings.body)
        rules_text, agents = (
            fields.text("rules", "house", RULES_TEXT),
            (fields.text("first", ""), fields.text("second", "")),
        )
        wanted = fields.whole_or_none("seed", 0, MOST_SEED)
        fields.end()

        def made(key: Key) -> WatchTable:
            if record:
                return WatchTable(self._board, key, None, finished_record(record))
            rules = Rules.parse(rules_text)
            first, second = (seated(text, rules, seat, settings) for seat, text in enumerate(agents))
            seed = secrets.randbelow(NEW_DEALS) if wanted is None else wanted
            return WatchTable(self._board, key, Pairing(rules, (first, second), seed), None)

        return await self._created(request, made)

    async def moment(self, request: Request) -> Response:
        """Answer with the table after so many moves."""
        table = await self._session(request)
        number = min(int(request.path_params["number"]), MOST_MOVES)
        return json_response(await self._board.workers.quick(table.moment, number))

    async def record(self, request: Request) -> Response:
        """Answer with the record as a text."""
        return PlainTextResponse((await self._session(request)).record())
