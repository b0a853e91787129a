"""Play over HTTP: a game against an agent, by moves that are posted and states that are streamed."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute

from uno_pomdp.game.notation import format_record
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import Setup
from uno_pomdp.session.setup import new_seed as new_seed  # which tests replace here
from uno_pomdp.web.bodies import MOST_MOVES, RULES_TEXT
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import rules_json, seated
from uno_pomdp.web.play_table import PlayTable
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key

MOST_POINTS: Final = 1_000_000
"""Of a match."""


class PlayRequests(SessionRequests[PlayTable]):
    """What can be asked of a game against an agent."""

    sessions = PlayTable

    def routes(self) -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""
        return [
            self.page("play.html"),
            *super().routes(),
            self._post("/move", self.move),
            self._post("/undo", self.undo),
            self._post("/coach", self.coach),
            self._post("/next", self.next_round),
            self._post("/rematch", self.rematch),
            self._get("/why", self.why),
            self._get("/rules", self.rules),
            self._get("/record", self.record),
        ]

    async def create(self, request: Request) -> Response:
        """Begin a game."""
        fields = await self._fields(request)
        rules_text, opponent = fields.text("rules", "house", RULES_TEXT), fields.text("opponent", "")
        begins = fields.text("seat", "1")
        to = fields.whole_or_none("to", 1, MOST_POINTS)
        practice, coach = fields.flag("practice", False), fields.flag("coach", False)
        if begins not in ("1", "2", "random"):
            raise Problem("bad_request", 'seat has to be "1", "2" or "random"')
        fields.end()

        def made(key: Key) -> PlayTable:
            rules = Rules.parse(rules_text)
            seat = secrets.randbelow(2) if begins == "random" else int(begins) - 1
            other = seated(opponent, rules, 1 - seat, self._board.settings)
            match = None if to is None else MatchRound(to)
            return PlayTable(self._board, key, Setup(rules, new_seed(), seat, other, match, practice), coach)

        return await self._created(request, made)

    async def move(self, request: Request) -> Response:
        """Carry out a move."""
        fields, table = await self._fields(request), await self._session(request)
        text, number = fields.text("move", most=20), fields.whole("at", 0, MOST_MOVES)
        fields.end()
        return json_response(await table.move(text, number))

    async def undo(self, request: Request) -> Response:
        """Take a move back."""
        fields, table = await self._fields(request), await self._session(request)
        number = fields.whole("at", 0, MOST_MOVES)
        fields.end()
        return json_response(await table.undo(number))

    async def coach(self, request: Request) -> Response:
        """Switch the coach on or off."""
        fields, table = await self._fields(request), await self._session(request)
        on = fields.flag("on")
        fields.end()
        return json_response(await table.set_coach(on))

    async def next_round(self, request: Request) -> Response:
        """Begin the next round of a match."""
        fields, table = await self._fields(request), await self._session(request)
        fields.end()
        return json_response(await table.next_round(new_seed()))

    async def rematch(self, request: Request) -> Response:
        """Begin another game with seats swapped, under a token of its own."""
        fields, table = await self._fields(request), await self._session(request)
        same_deal = fields.flag("same_deal", False)
        fields.end()
        setup = table.rematch(same_deal, new_seed())
        return await self._created(request, lambda key: PlayTable(self._board, key, setup, table.coach))

    async def why(self, request: Request) -> Response:
        """Say why the opponent did that."""
        return json_response({"words": await (await self._session(request)).why()})

    async def rules(self, request: Request) -> Response:
        """Say by which rules it is played."""
        return json_response({"words": rules_json((await self._session(request)).round.setup.rules)})

    async def record(self, request: Request) -> Response:
        """Answer with the record as a text."""
        table = await self._session(request)
        return PlainTextResponse(await self._board.workers.quick(format_record, table.record()))
