"""Play over HTTP: a game against an agent, by moves that are posted and states that are streamed."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.game.notation import format_record
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import Setup
from uno_pomdp.session.setup import new_seed as new_seed  # which tests replace here
from uno_pomdp.web.board import Board
from uno_pomdp.web.bodies import Fields
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.opponents import rules_json, seated
from uno_pomdp.web.play_table import KIND, PlayTable
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key

MOST_MOVES: Final = 100_000
"""No game has more."""
MOST_POINTS: Final = 1_000_000
"""Of a match."""
RULES_TEXT: Final = 600
"""Characters of rules: a deck may be listed in them."""


class Play:
    """The kind of session."""

    name: Final = KIND

    async def restored(self, board: Board, key: Key, data: str) -> PlayTable:
        """Return a game from what the store has; it goes on by itself."""
        table = await board.workers.quick(PlayTable.from_store, board, key, data)
        table.begin()
        return table

    def routes(self, board: Board) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        asked = Requests(board)
        place = "/api/play/{token}"
        return [
            asked.page("play.html"),
            Route("/api/play", asked.create, methods=["POST"]),
            Route(place, asked.state, methods=["GET"]),
            Route(f"{place}/events", asked.events, methods=["GET"]),
            Route(f"{place}/move", asked.move, methods=["POST"]),
            Route(f"{place}/undo", asked.undo, methods=["POST"]),
            Route(f"{place}/coach", asked.coach, methods=["POST"]),
            Route(f"{place}/next", asked.next_round, methods=["POST"]),
            Route(f"{place}/rematch", asked.rematch, methods=["POST"]),
            Route(f"{place}/why", asked.why, methods=["GET"]),
            Route(f"{place}/rules", asked.rules, methods=["GET"]),
            Route(f"{place}/record", asked.record, methods=["GET"]),
        ]


class Requests(SessionRequests[PlayTable]):
    """What can be asked for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, KIND, PlayTable)

    async def create(self, request: Request) -> Response:
        """Begin a game."""
        fields = await self._fields(request)
        wanted = Wanted(fields)
        fields.end()
        self._board.may_add(request)
        setup = await self._board.workers.quick(wanted.setup, self._board)
        return await self._added(setup, wanted.coach)

    async def _added(self, setup: Setup, coach: bool) -> Response:
        token, key = self._board.new_key()
        table = await self._board.workers.quick(PlayTable, self._board, key, setup, coach)
        answer = await self._created(token, key, table, table.keep_again)
        table.begin()
        return answer

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
        self._board.may_add(request)
        return await self._added(setup, table.coach)

    async def why(self, request: Request) -> Response:
        """Say why the opponent did that."""
        return json_response({"words": await (await self._session(request)).why()})

    async def rules(self, request: Request) -> Response:
        """Say by which rules it is played."""
        return json_response({"words": rules_json((await self._session(request)).setup.rules)})

    async def record(self, request: Request) -> Response:
        """Answer with the record as a text."""
        table = await self._session(request)
        return PlainTextResponse(await self._board.workers.quick(format_record, table.record()))


class Wanted:
    """A game that is asked for."""

    def __init__(self, fields: Fields) -> None:
        self.rules = fields.text("rules", "house", RULES_TEXT)
        """The rules, as a text."""
        self.opponent = fields.text("opponent", "")
        """Who plays; empty for the default one."""
        self.seat = fields.text("seat", "1")
        """Who begins: 1 the person, 2 the opponent, `random` either."""
        self.to = fields.whole_or_none("to", 1, MOST_POINTS)
        """The points that win the match; None for a single game."""
        self.practice = fields.flag("practice", False)
        """Whether moves may be taken back."""
        self.coach = fields.flag("coach", False)
        """Whether the coach speaks."""
        if self.seat not in ("1", "2", "random"):
            raise Problem("bad_request", 'seat has to be "1", "2" or "random"')

    def setup(self, board: Board) -> Setup:
        """Return the game, dealt from new cards; takes a moment, for its opponent is made once."""
        rules = Rules.parse(self.rules)
        seat = secrets.randbelow(2) if self.seat == "random" else int(self.seat) - 1
        opponent = seated(self.opponent, rules, 1 - seat, board.settings)
        match = None if self.to is None else MatchRound(self.to)
        return Setup(rules, new_seed(), seat, opponent, match, self.practice)
