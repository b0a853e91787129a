"""The lab over HTTP: a match or a Nash report is asked for, and grows before one's eyes."""

import secrets
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.board import Board
from uno_pomdp.web.bodies import Fields
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.lab_run import KIND, Asked, LabRun
from uno_pomdp.web.opponents import seated
from uno_pomdp.web.pages import page
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key

MOST_SEED: Final = 2**63 - 1
RULES_TEXT: Final = 600
"""Characters of rules: a deck may be listed in them."""


class Lab:
    """The kind of session."""

    name: Final = KIND

    async def restored(self, board: Board, key: Key, data: str) -> LabRun:
        """Return an experiment from what the store has."""
        return await board.workers.quick(LabRun.from_store, board, key, data)

    def routes(self, board: Board) -> Sequence[BaseRoute]:
        """Return its part of the interface."""
        asked = Requests(board)
        place = "/api/lab/{token}"
        return [
            page("/lab", "lab_form.html"),
            asked.page("lab.html"),
            Route("/api/lab", asked.create, methods=["POST"]),
            Route(place, asked.state, methods=["GET"]),
            Route(f"{place}/events", asked.events, methods=["GET"]),
            Route(f"{place}/stop", asked.stop, methods=["POST"]),
        ]


class Requests(SessionRequests[LabRun]):
    """What can be asked for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board, KIND, LabRun)

    async def create(self, request: Request) -> Response:
        """Take an experiment in; it begins when somebody looks."""
        fields = await self._fields(request)
        wanted = Wanted(fields, self._board)
        fields.end()
        self._board.may_add(request)
        asked = await self._board.workers.quick(wanted.checked)
        token, key = self._board.new_key()
        run = LabRun(self._board, key, asked)
        return await self._created(token, key, run, run.keep)

    async def stop(self, request: Request) -> Response:
        """Stop it."""
        fields, run = await self._fields(request), await self._session(request)
        fields.end()
        return json_response(await run.stop())


class Wanted:
    """An experiment that is asked for."""

    def __init__(self, fields: Fields, board: Board) -> None:
        self._board = board
        self._kind = fields.text("kind", "match")
        self._rules = fields.text("rules", "house", RULES_TEXT)
        self._first = fields.text("first", "")
        self._second = fields.text("second", "")
        self._pairs = fields.whole("pairs", 1, board.settings.most_pairs)
        self._simulations = fields.whole_or_none("simulations", 1, board.settings.most_attempt_simulations) or 200
        self._seed = fields.whole_or_none("seed", 0, MOST_SEED)
        if self._kind not in ("match", "nash"):
            raise Problem("bad_request", 'kind has to be "match" or "nash"')

    def checked(self) -> Asked:
        """Return the experiment, if its agents can play it; takes a moment."""
        rules, settings = Rules.parse(self._rules), self._board.settings
        first, second = seated(self._first, rules, None, settings), ""
        if self._kind == "match":
            second = seated(self._second, rules, None, settings)
        seed = secrets.randbelow(NEW_DEALS) if self._seed is None else self._seed
        return Asked(self._kind, rules.name, first, second, self._pairs, self._simulations, seed)
