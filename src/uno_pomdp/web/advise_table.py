"""`AdviseTable`: a game at a real table, of which a person taps what they see. It knows `advise.session.Session`.

What changes the game runs in a worker, one thing at a time; what a page is told is made there too, once for each
change. Nothing is hidden from the page: the server knows no card that the person has not entered.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from uno_pomdp.advise.advisor import NAMES, first_card_acts
from uno_pomdp.advise.entries import parse_entry
from uno_pomdp.advise.session import Session
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.rules import Rules
from uno_pomdp.web.advise_view import offers_json, question_json, start_before
from uno_pomdp.web.board import Board
from uno_pomdp.web.coaching import Coaching
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.seat_view import Moves, nothing_seen, result_json, seen_json
from uno_pomdp.web.streams import Channel
from uno_pomdp.web.tokens import Key

KIND: Final = "advise"
"""What such a session is called in the store."""
STRIDE: Final = 8
"""By how much a version grows over a restart: more than it can have grown since it was stored."""


class AdviseTable:
    """One game that is entered."""

    kind: Final = KIND

    def __init__(
        self,
        board: Board,
        key: Key,
        session: Session,
        coach: str | None,
        seed: int,
        version: int = 1,
    ) -> None:
        self._board = board
        self._key = key
        self._session = session
        self._coach = coach
        self._seed = seed
        self._version = version
        self._lock = asyncio.Lock()
        self._kept: dict[str, Any] = {}
        self._history: SeatHistory | None = None
        self._moves = Moves()
        self.channel = Channel(self._ask_coach)
        """Who listens."""
        self._coaching = Coaching(board, NAMES[1], self._tell, self._ask_coach)
        self._look()

    def _tell(self, data: bytes) -> None:
        self.channel.publish("analysis", data)

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def from_store(cls, board: Board, key: Key, data: str) -> "AdviseTable":
        """Return a game as it was stored: every answer and every entry is read again."""
        values = json.loads(data)
        session, coach, seed = _session_of(values), values["coach"], values["seed"]
        table = cls(board, key, session, coach, seed, values["version"] + STRIDE)
        table._kept, table._coaching.graph = values, values["graph"]
        return table

    def keep(self) -> None:
        """Write the game to the store, in whatever thread."""
        session = self._session
        values = {
            "rules": session.rules.name,
            "coach": self._coach,
            "seed": self._seed,
            "middle": session.start.middle,
            "answers": session.start.texts,
            "entries": [str(entry) for entry in session.entries],
            "version": self._version,
            "graph": self._coaching.graph,
        }
        self._board.store.save(self._key, KIND, json.dumps(values), self._board.clock.today())
        self._kept = values

    # --- what a client sees ------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """How many answers and entries there are."""
        return len(self._session.start.texts) + len(self._session.entries)

    @property
    def rules(self) -> Rules:
        """By which rules it is played."""
        return self._session.rules

    def state(self) -> dict[str, Any]:
        """Return the game as far as it is entered, and what is to be entered next."""
        return self._state

    def present(self) -> list[tuple[str, bytes]]:
        """Return the events that a new listener is told first."""
        told = [("state", json_bytes(self._state))]
        if self._coaching.latest is not None:
            told.append(("analysis", self._coaching.latest))
        return told

    def _look(self) -> None:
        """Make anew what a client sees, in whatever thread."""
        session, advisor = self._session, self._session.advisor
        self._history = history = None if advisor is None else advisor.table.history
        seen = nothing_seen() if history is None else seen_json(history, self._moves)
        outcome = None if history is None else history.now.outcome
        moves = zip(seen["moves"], session.entries, strict=True)
        acts = "" if advisor is None or seen["moves"] else first_card_acts(advisor.table)
        self._state: dict[str, Any] = {
            "version": self._version,
            "at": self.number,
            "rules": session.rules.name,
            "coach": session.coach,
            "middle": session.start.middle,
            "status": _status(history),
            "question": question_json(session.start) if advisor is None else None,
            "answers": [{"name": name, "text": text} for name, text in session.start.texts.items()],
            **seen,
            "sentence": " ".join(part for part in (acts, seen["sentence"]) if part),
            "moves": [move | {"text": str(entry)} for move, entry in moves],
            "played_not_known": 0 if history is None else history.now.hidden_played,
            "offers": None
            if advisor is None
            else offers_json(advisor.table, advisor.table.observation, advisor.belief),
            "result": None if outcome is None or history is None else result_json(outcome, history.seat),
        }

    def _ask_coach(self) -> None:
        """Let the coach look at the position, or rest: before the game, after it, or where nobody listens."""
        history = self._history
        if history is None or history.now.outcome is not None or not len(self.channel):
            self._coaching.stop()
        else:
            self._coaching.coach = self._session.coach  # not the usual one where played cards are not known
            self._coaching.want(history)

    # --- what a client asks for --------------------------------------------------------------------------

    async def enter(self, text: str, at: int) -> dict[str, Any]:
        """Take in an answer or an entry."""

        def entered() -> None:
            advisor = self._session.advisor
            if advisor is None:
                self._session.enter(text)
            else:
                self._session.take(parse_entry(text, advisor.table, self._best))

        return await self._changed(entered, at)

    async def undo(self, at: int) -> dict[str, Any]:
        """Take the last answer or entry back."""
        return await self._changed(lambda: self._session.undo(), at)

    async def fix(self, text: str, at: int) -> dict[str, Any]:
        """Correct an answer or an entry, and say what was corrected."""
        said: list[str] = []

        def fixed() -> None:
            said.append(self._session.fix(text))

        return await self._changed(fixed, at) | {"said": said[0]}

    async def _changed(self, change: Callable[[], object], at: int) -> dict[str, Any]:
        """Change the game, if the client has seen how it stands, and return the state when that is saved."""
        async with self._lock:
            if at != self.number:
                raise Problem(
                    "conflict", f"the game has gone on: {self.number} answers and entries are there, not {at}"
                )
            before = self._history
            await self._board.workers.quick(self._change, change)
            self._forget_analyses(before)
            if len(self.channel):
                self.channel.publish("state", json_bytes(self._state))
            self._ask_coach()
            return self._state

    def _forget_analyses(self, before: SeatHistory | None) -> None:
        """Forget what the coach said of positions that are not there any more."""
        now = self._history
        if now == before:
            return
        same = 0 if now is None or before is None else now.common(before)
        self._coaching.latest = None
        self._coaching.graph = [point for point in self._coaching.graph if point["number"] < same]

    def _change(self, change: Callable[[], object]) -> None:
        """Change the game in a thread; what can't be is refused in the package's words, and nothing has changed."""
        try:
            change()
        except UnoError as error:
            raise Problem("illegal_move", str(error)) from error
        self._version += 1
        try:
            self.keep()
        except UnoError:  # what is not on the disk did not happen
            self._session = _session_of(self._kept)
            raise
        self._look()

    def _best(self) -> tuple[Action, ...]:
        """Return the own moves in the order in which they are shown: what a number stands for. None before the end."""
        if self._coaching.latest is None:
            return ()
        found = json.loads(self._coaching.latest)
        now = found["done"] and found["number"] == len(self._session.entries)
        return tuple(Action.parse(one["action"]) for one in found["candidates"]) if now else ()

    async def before(self, number: int) -> dict[str, Any]:
        """Return what could be entered where there were so many answers and entries: to correct the next one."""
        async with self._lock:  # the game must not change while it is read
            return await self._board.workers.quick(self._before, number)

    def _before(self, number: int) -> dict[str, Any]:
        session = self._session
        answers = len(session.start.texts)
        if number >= answers + len(session.entries):
            raise Problem("conflict", f"there is no entry {number + 1}: {answers + len(session.entries)} are there")
        if number < answers:
            question = question_json(start_before(session.start, number))
            return {"status": "asking", "question": question, **nothing_seen(), "offers": None}
        assert session.advisor is not None
        assert self._history is not None
        history = self._history.earlier(answers + len(session.entries) - number)
        belief = ClosedFormBelief.along(history)
        offers = offers_json(session.advisor.table, history.now, belief)
        return {"status": _status(history), "question": None, **seen_json(history, Moves()), "offers": offers}

    async def record(self) -> str:
        """Return the seat's record of the game."""
        async with self._lock:
            return await self._board.workers.quick(self._format)

    def _format(self) -> str:
        try:
            return format_record(self._session.record())
        except UnoError as error:
            raise Problem("conflict", str(error)) from error

    # --- memory ------------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing is being entered."""
        return not len(self.channel) and not self._lock.locked()

    def close(self) -> None:
        """End the streams, and what is analysed."""
        self.channel.close()
        self._coaching.stop()


def _session_of(values: dict[str, Any]) -> Session:
    """Return the game that was stored."""
    rules = Rules.parse(values["rules"])
    session = Session(rules, values["coach"], values["seed"], values["answers"], middle=values["middle"])
    for text in values["entries"]:
        assert session.advisor is not None
        session.take(parse_entry(text, session.advisor.table))
    return session


def _status(history: SeatHistory | None) -> str:
    if history is None:
        return "asking"
    if history.now.outcome is not None:
        return "over"
    return "yours" if history.now.turn == history.seat else "theirs"
