"""`AdviseTable`: a game at a real table, of which a person taps what they see. It knows `advise.session.Session`.

What changes the game runs in a worker, one thing at a time; what a page sees is made there too, once for each change.
Nothing is hidden from the page: the server knows no card that the person has not entered.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

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
from uno_pomdp.web.board import Board, LiveSession
from uno_pomdp.web.coaching import Coaching
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.seat_view import Moves, nothing_seen, result_json, seen_json
from uno_pomdp.web.tokens import Key

STRIDE: Final = 8
"""By how much a version grows over a restart: more than it can have grown since it was stored."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The game entered so far, and what its page sees of it. A change that is saved puts another in its place."""

    session: Session
    """The game, and who advises."""
    history: SeatHistory | None
    """What the seat has seen; None before the game has begun."""
    state: dict[str, Any]
    """What a page sees."""
    values: dict[str, Any]
    """What the store has."""


class AdviseTable(LiveSession):
    """One game that is entered."""

    kind: ClassVar[str] = "advise"

    def __init__(
        self, board: Board, key: Key, session: Session, coach: str | None, seed: int, version: int = 1
    ) -> None:
        super().__init__(board, key, "asking", version)
        self._coach = coach
        self._seed = seed
        self._lock = asyncio.Lock()
        self._moves = Moves()
        self._coaching = Coaching(board, NAMES[1], self._publish_analysis, self.go_on)
        self._entered = self._seen(session, version)

    def _publish_analysis(self, data: bytes) -> None:
        self.channel.publish("analysis", data)

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def restored(cls, board: Board, key: Key, values: dict[str, Any]) -> "AdviseTable":
        """Return a game as it was stored: every answer and every entry is read again."""
        table = cls(board, key, _session_of(values), values["coach"], values["seed"], values["version"] + STRIDE)
        table._coaching.graph = values["graph"]
        return table

    def keep(self) -> None:
        """Write the game to the store, in whatever thread."""
        self._save(self._entered.values)

    # --- what a client sees ------------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """By which rules it is played."""
        return self._entered.session.rules

    def state(self) -> dict[str, Any]:
        """Return the game entered so far, and what is to be entered next."""
        return self._entered.state

    def present(self) -> list[tuple[str, bytes]]:
        """Return the events that a new listener is sent first."""
        latest = self._coaching.latest
        return super().present() + ([] if latest is None else [("analysis", latest)])

    def _seen(self, session: Session, version: int) -> Entered:
        """Return a game with what a client sees of it, in whatever thread."""
        advisor, texts = session.advisor, session.start.texts
        history = None if advisor is None else advisor.table.history
        seen = nothing_seen() if history is None else seen_json(history, self._moves)
        outcome = None if history is None else history.now.outcome
        moves = zip(seen["moves"], session.entries, strict=True)
        acts = "" if advisor is None or seen["moves"] else first_card_acts(advisor.table)
        state: dict[str, Any] = {
            "version": version,
            "at": len(texts) + len(session.entries),
            "rules": session.rules.name,
            "coach": session.coach,
            "middle": session.start.middle,
            "status": _status(history),
            "question": question_json(session.start) if advisor is None else None,
            "answers": [{"name": name, "text": text} for name, text in texts.items()],
            **seen,
            "sentence": " ".join(part for part in (acts, seen["sentence"]) if part),
            "moves": [move | {"text": str(entry)} for move, entry in moves],
            "played_not_known": 0 if history is None else history.now.hidden_played,
            "offers": None
            if advisor is None
            else offers_json(advisor.table, advisor.table.observation, advisor.belief),
            "result": None if outcome is None or history is None else result_json(outcome, history.seat),
        }
        values = {
            "rules": session.rules.name,
            "coach": self._coach,
            "seed": self._seed,
            "middle": session.start.middle,
            "answers": dict(texts),
            "entries": [str(entry) for entry in session.entries],
            "version": version,
            "graph": self._coaching.graph,
        }
        return Entered(session, history, state, values)

    def go_on(self) -> None:
        """Let the coach look at the position, or rest: before the game, after it, or where nobody listens."""
        history = self._entered.history
        if history is None or history.now.outcome is not None or not len(self.channel):
            self._coaching.stop()
        else:
            self._coaching.coach = self._entered.state["coach"]  # not the usual one where played cards are not known
            self._coaching.want(history)

    # --- what a client asks for --------------------------------------------------------------------------

    async def enter(self, text: str, at: int) -> dict[str, Any]:
        """Take in an answer or an entry."""

        def entered(session: Session) -> None:
            if session.advisor is None:
                session.enter(text)
            else:
                session.take(parse_entry(text, session.advisor.table, self._best))

        return await self._change(entered, at)

    async def undo(self, at: int) -> dict[str, Any]:
        """Take the last answer or entry back."""
        return await self._change(Session.undo, at)

    async def fix(self, text: str, at: int) -> dict[str, Any]:
        """Correct an answer or an entry, and say what was corrected."""
        said: list[str] = []

        def fixed(session: Session) -> None:
            said.append(session.fix(text))

        return await self._change(fixed, at) | {"said": said[0]}

    async def _change(self, change: Callable[[Session], object], at: int) -> dict[str, Any]:
        """Change the game, if the client has seen how it stands, and return the state when that is saved."""
        async with self._lock:
            before = self._entered
            if at != before.state["at"]:
                there = f"{before.state['at']} answers and entries are there"
                raise Problem("conflict", f"the game has gone on: {there}, not {at}")
            self._entered = now = await self._board.workers.quick(self._changed_by, change)
            self.version, self.status = now.state["version"], now.state["status"]
            self._coaching.stand(before.history)
            self._coaching.stand(now.history)
            self._publish()
            self.go_on()
            return now.state

    def _changed_by(self, change: Callable[[Session], object]) -> Entered:
        """Change the game in a thread; what can't be is refused in the package's words, and nothing has changed."""
        before = self._entered
        try:
            change(before.session)
        except UnoError as error:
            raise Problem("illegal_move", str(error)) from error
        now = self._seen(before.session, self.version + 1)
        try:
            self._save(now.values)
        except UnoError:  # what is not on the disk did not happen, and a session can't go back: it is read again
            self._entered = replace(before, session=_session_of(before.values))
            raise
        return now

    def _best(self) -> tuple[Action, ...]:
        """Return the own moves in the order in which they are shown: what a number stands for. None before the end."""
        if self._coaching.latest is None:
            return ()
        found = json.loads(self._coaching.latest)
        now = found["done"] and found["number"] == len(self._entered.session.entries)
        return tuple(Action.parse(one["action"]) for one in found["candidates"]) if now else ()

    async def before(self, number: int) -> dict[str, Any]:
        """Return what could be entered where there were so many answers and entries: to correct the next one."""
        async with self._lock:  # the game must not change while it is read
            return await self._board.workers.quick(self._before, number)

    def _before(self, number: int) -> dict[str, Any]:
        session, history = self._entered.session, self._entered.history
        answers = len(session.start.texts)
        if number >= answers + len(session.entries):
            raise Problem("conflict", f"there is no entry {number + 1}: {answers + len(session.entries)} are there")
        if number < answers:
            question = question_json(start_before(session.start, number))
            return {"status": "asking", "question": question, **nothing_seen(), "offers": None}
        assert session.advisor is not None
        assert history is not None
        history = history.earlier(answers + len(session.entries) - number)
        belief = ClosedFormBelief.along(history)
        offers = offers_json(session.advisor.table, history.now, belief)
        return {"status": _status(history), "question": None, **seen_json(history, Moves()), "offers": offers}

    async def record(self) -> str:
        """Return the seat's record of the game."""
        async with self._lock:
            return await self._board.workers.quick(self._format)

    def _format(self) -> str:
        try:
            return format_record(self._entered.session.record())
        except UnoError as error:
            raise Problem("conflict", str(error)) from error

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing is being entered."""
        return super().idle and not self._lock.locked()

    def close(self) -> None:
        """End the streams, and what is analysed."""
        super().close()
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
