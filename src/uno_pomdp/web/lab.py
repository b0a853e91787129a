"""The lab over HTTP: a match or a Nash report is asked for, and grows before one's eyes."""

import secrets
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from uno_pomdp.rules import Rules
from uno_pomdp.session.setup import NEW_DEALS
from uno_pomdp.web.bodies import MOST_SEED, RULES_TEXT
from uno_pomdp.web.json_text import json_response
from uno_pomdp.web.lab_run import Experiment, LabRun
from uno_pomdp.web.opponents import seated
from uno_pomdp.web.pages import page
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.session_requests import SessionRequests
from uno_pomdp.web.tokens import Key


class LabRequests(SessionRequests[LabRun]):
    """What can be asked of an experiment."""

    sessions = LabRun

    def routes(self) -> Sequence[BaseRoute]:
        """Return its pages and its part of the interface."""
        return [page("/lab", "lab_form.html"), self.page("lab.html"), *super().routes(), self._post("/stop", self.stop)]

    async def create(self, request: Request) -> Response:
        """Take an experiment in; it begins when somebody looks."""
        fields, settings = await self._fields(request), self._board.settings
        kind, rules_text = fields.text("kind", "match"), fields.text("rules", "house", RULES_TEXT)
        agents = fields.text("first", ""), fields.text("second", "")
        pairs = fields.whole("pairs", 1, settings.most_pairs)
        simulations = fields.whole_or_none("simulations", 1, settings.most_attempt_simulations) or 200
        wanted = fields.whole_or_none("seed", 0, MOST_SEED)
        if kind not in ("match", "nash"):
            raise Problem("bad_request", 'kind has to be "match" or "nash"')
        fields.end()

        def made(key: Key) -> LabRun:
            rules = Rules.parse(rules_text)
            first = seated(agents[0], rules, None, settings)
            second = seated(agents[1], rules, None, settings) if kind == "match" else ""
            seed = secrets.randbelow(NEW_DEALS) if wanted is None else wanted
            return LabRun(self._board, key, Experiment(kind, rules.name, first, second, pairs, simulations, seed))

        return await self._created(request, made)

    async def stop(self, request: Request) -> Response:
        """Stop it."""
        fields, run = await self._fields(request), await self._session(request)
        fields.end()
        return json_response(await run.stop())
