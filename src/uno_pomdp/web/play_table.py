"""`PlayTable`: a game of a person at a page against an agent. It knows `session.Session`, and shows what a seat saw.

What is shown lags behind what has happened: the opponent's answer is saved when it is found, and shown in its slot.
Everything here runs on the event loop but for what is handed to workers; `shown` is the only history that leaves.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, Final

from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import GameRecord, observed
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.narration.explain import last_of_opponent, public_reason
from uno_pomdp.registry import AgentSpec
from uno_pomdp.session.parse import parse_action
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup
from uno_pomdp.web.afterwards import after_json, points_json, reasons_in_words
from uno_pomdp.web.board import Board
from uno_pomdp.web.coaching import Coaching
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.preparing import prepare, preparing_words
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.seat_view import Moves, Table, nothing_seen, result_json, seen_json
from uno_pomdp.web.security import log_failure
from uno_pomdp.web.slots import Slots
from uno_pomdp.web.streams import Channel
from uno_pomdp.web.tokens import Key

KIND: Final = "play"
"""What such a session is called in the store."""
STRIDE: Final = 8
"""By how much a version grows over a restart: more than it can have grown since it was stored."""
LONG: Final = 1.5
"""Seconds of thinking that a person is told of."""
Work = Callable[[], Awaitable[None]]
"""What carries a game on."""
FAILED: Final = "The opponent has failed, which is a bug of it: this game can't go on."


class PlayTable:
    """One game, or one match round by round, under one token."""

    kind: Final = KIND

    def __init__(self, board: Board, key: Key, setup: Setup, coach: bool, record: GameRecord | None = None) -> None:
        self._board = board
        self._key = key
        self.setup = setup
        """What determines the game."""
        self._coach = coach
        self._session: Session | None = None
        self._shown: SeatHistory | None = None
        self._shown_at = 0.0
        self._status = "preparing"
        self._moves = Moves()
        self._asked = 0
        self._version = 1
        self._after: dict[str, Any] | None = None
        self._result: dict[str, Any] | None = None
        self._work: asyncio.Task[None] | None = None
        self._slots = Slots(board.settings.slot, _milliseconds(setup.opponent))
        self.channel = Channel(self._ask_coach)
        """Who listens."""
        self._coaching = self._new_coaching()
        self._record = record or setup.record(())
        self._writing = Lock()

    def _new_coaching(self) -> Coaching:
        def tell(data: bytes) -> None:
            self.channel.publish("analysis", data)

        return Coaching(self._board, self.setup.opponent, tell, self._ask_coach)

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def from_store(cls, board: Board, key: Key, data: str) -> "PlayTable":
        """Return a game as it was stored."""
        values = json.loads(data)
        record = parse_record(values["record"])
        seat = record.players.index("human")
        assert record.seed is not None
        setup = Setup(record.rules, record.seed, seat, record.players[1 - seat], record.match, record.practice)
        table = cls(board, key, setup, values["coach"], record)
        table._version = values["version"] + STRIDE
        table._slots.length = max(values["slot"], table._slots.length)
        table._coaching.graph = values["graph"]
        return table

    def keep(self, record: GameRecord) -> None:
        """Write the game to the store, in whatever thread; when this returns, it is there."""
        with self._writing:
            self._record = record
            self._write()

    def keep_again(self) -> None:
        """Write the game as it was kept last, with what else has changed; a new one for the first time."""
        with self._writing:  # else an older game could be written after a newer one
            self._write()

    def _write(self) -> None:
        values = {
            "record": format_record(self._record),
            "coach": self._coach,
            "version": self._version,
            "slot": self._slots.length,
            "graph": self._coaching.graph,
        }
        self._board.store.save(self._key, KIND, json.dumps(values), self._board.clock.today())

    # --- what a client sees ------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the game as its person sees it."""
        setup = self.setup
        table = Table(setup.rules.name, setup.seat + 1, setup.opponent, setup.practice, setup.match)
        seen = nothing_seen() if self._shown is None else seen_json(self._shown, self._moves)
        return {
            "version": self._version,
            **table.to_json(),
            "coach": self._coach,
            "status": self._status,
            "trouble": self._trouble(),
            "waiting": self._waiting(),
            **seen,
            "result": self._result,
            "after": self._after,
        }

    def _trouble(self) -> str:
        if self._status == "failed":
            return FAILED
        return "" if self._session is None else self._session.trouble

    def _waiting(self) -> str:
        """Return what the person waits for, and about how long; empty where nothing is waited for."""
        if self._status == "preparing" and self._session is not None:
            return "Your move is taken back: the opponent has to follow the game anew, for a second or two."
        if self._status == "preparing":
            return preparing_words(self.setup.opponent, self.setup.rules)
        if self._status == "thinking" and self._slots.length >= LONG:
            return f"The opponent is thinking, for about {round(self._slots.length)} s …"
        return ""

    def present(self) -> list[tuple[str, bytes]]:
        """Return the events that a new listener is told first."""
        told = [("state", json_bytes(self.state()))]
        if self._coach and self._coaching.latest is not None:
            told.append(("analysis", self._coaching.latest))
        return told

    def _changed(self) -> None:
        """Tell everybody how the game stands now."""
        self._version += 1
        if len(self.channel):
            self.channel.publish("state", json_bytes(self.state()))

    def _show(self, history: SeatHistory) -> None:
        """Show the game as far as this history has come."""
        self._shown = history
        seen = history.now
        over = seen.outcome is not None
        self._shown_at = self._board.clock.now()
        self._status = "over" if over else "yours" if seen.turn == history.seat else "thinking"
        self._result = None
        if seen.outcome is not None:
            assert self._session is not None
            self._result = result_json(seen.outcome, history.seat) | points_json(self._session)
        self._changed()
        self._ask_coach()

    def _ask_coach(self) -> None:
        """Let the coach look at the position that is shown, or rest: where it is silent, or nobody listens."""
        if self._shown is None or not self._coach or not len(self.channel) or self._status not in ("yours", "over"):
            self._coaching.stop()
        elif self._status == "yours":
            self._coaching.want(self._shown)
        elif self._coaching.graph:
            self._coaching.show_graph(len(self._shown.steps), coach_for(self.setup.rules))

    # --- the course of a game ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Prepare the players, show the deal, and let the opponent begin if it is its turn."""
        self._run(self._begun)

    def _run(self, work: Work) -> None:
        self._work = asyncio.ensure_future(self._guarded(work, self._work))

    async def _guarded(self, work: Work, before: "asyncio.Task[None] | None") -> None:
        """Carry the game on; what stops it is logged without its message, which may name cards.

        A move is shown when it is saved; the opponent may still be taking it in when the person moves again.
        """
        try:
            if before is not None:
                await before
            await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            log_failure("a game stopped", error)
            self._status = "failed"
            self._changed()

    async def _begun(self) -> None:
        self._session = session = await self._board.workers.search(self._seated, urgent=True)
        self._show(session.history)
        await self._opponent_moves(session)

    def _seated(self) -> Session:
        prepare(self.setup.opponent, self.setup.rules)
        return Session(self.setup, self._record, self.keep)

    async def _opponent_moves(self, session: Session) -> None:
        """Let the opponent move as often as it is its turn, each move shown in its slot; then tell what follows."""
        self._ask_coach()
        await self._coaching.ended()  # one search at a time
        while not session.over and not session.awaits_person:
            await self._board.workers.search(session.answer, urgent=True)
            await self._board.clock.until(self._slots.moment(self._shown_at, self._board.clock.now()))
            self._show(session.history)
        if session.over and self._after is None:
            self._after = await self._board.workers.search(after_json, session, urgent=True)
            self._changed()

    # --- what a client asks for --------------------------------------------------------------------------

    def _at(self, number: int, wanted: tuple[str, ...]) -> Session:
        """Return the session, if the client has seen the present state and its turn has come."""
        session, shown = self._session, self._shown
        if session is None or shown is None or self._status not in wanted:
            raise Problem("conflict", f"that can't be done now: {_waiting_for(self._status)}")
        if number != len(shown.steps):
            raise Problem("conflict", f"the game has gone on: it is at move {len(shown.steps)}, not {number}")
        return session

    async def move(self, text: str, number: int) -> dict[str, Any]:
        """Carry out a move of the person, and return the state when it is saved; the opponent answers later."""
        session = self._at(number, ("yours",))
        assert self._shown is not None
        action = _legal(text, self._shown)
        self._status = "thinking"
        self._ask_coach()
        saved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._run(partial(self._turn, session, action, saved))
        await saved
        return self.state()

    async def _turn(self, session: Session, action: Action, saved: "asyncio.Future[None]") -> None:
        """Move, show that as soon as it is saved, and let the opponent answer."""
        loop = asyncio.get_running_loop()

        def show(history: SeatHistory) -> None:
            self._show(history)
            saved.set_result(None)

        def watch() -> None:
            loop.call_soon_threadsafe(show, session.history)

        session.watch = watch
        try:
            await self._board.workers.quick(session.move, action)
        finally:
            session.watch = None
            if not saved.done():
                saved.set_result(None)
        await self._opponent_moves(session)

    async def undo(self, number: int) -> dict[str, Any]:
        """Take the person's last move back, with all that followed it."""
        if not self.setup.practice:
            raise Problem("conflict", "moves can be taken back in practice games alone: begin one of those")
        session = self._at(number, ("yours", "over"))
        assert self._shown is not None
        if not any(step.deed.seat == session.seat for step in self._shown.steps):
            raise Problem("conflict", "there is no move of yours to take back")
        before, self._status = self._status, "preparing"
        self._changed()
        self._ask_coach()
        try:
            with self._busy():
                if self._work is not None:
                    await asyncio.shield(self._work)
                await self._coaching.ended()
                await self._board.workers.search(session.undo, urgent=True)
        except UnoError:  # the opponent can't be brought back to where it was
            self._status = before
            self._changed()
            raise
        self._after = None
        self._show(session.history)
        return self.state()

    async def set_coach(self, on: bool) -> dict[str, Any]:
        """Let the coach speak, or be silent."""
        if on != self._coach:
            self._coach = on
            try:
                with self._busy():
                    await self._board.workers.quick(self.keep_again)
            except UnoError:  # not written
                self._coach = not on
                raise
            self._changed()
            self._ask_coach()
        return self.state()

    async def next_round(self, fresh: int) -> dict[str, Any]:
        """Begin the next round of the match, of cards that nothing told so far determines."""
        session = self._session
        following = None if session is None or self._status != "over" else session.next_round
        if following is None:
            raise Problem("conflict", "no round follows here: a round is over first, and its match goes on")
        ended = self.setup, self._session, self._shown, self._after, self._result, self._coaching, self._record
        self.setup, self._status = replace(following, seed=fresh), "preparing"
        self._session = self._shown = self._after = self._result = None
        self._coaching.stop()
        self._coaching = self._new_coaching()
        try:
            with self._busy():
                record = await self._board.workers.quick(self.setup.record, ())
                await self._board.workers.quick(self.keep, record)
        except UnoError:  # not written, so it does not begin: the round before it is there as it was
            self.setup, self._session, self._shown, self._after, self._result, self._coaching, self._record = ended
            self._status = "over"
            raise
        self._changed()
        self.begin()
        return self.state()

    def rematch(self, same_deal: bool, fresh: int) -> Setup:
        """Return another game or match with seats swapped, once this one is over."""
        if self._status != "over":
            raise Problem("conflict", "a rematch follows a game that is over: this one goes on")
        following = self.setup.rematch(same_deal)
        return following if same_deal else replace(following, seed=fresh)

    @property
    def coach(self) -> bool:
        """Whether the coach speaks."""
        return self._coach

    async def why(self) -> str:
        """Return why the opponent made its last move: by public facts, and in full after the end."""
        if self._shown is None:
            return "The opponent has not moved yet."
        told = public_reason(self._shown)
        if self._status != "over" or self._session is None or last_of_opponent(self._shown) is None:
            return told
        with self._busy():
            more = await self._board.workers.search(reasons_in_words, self._session, urgent=False)
        return f"{told} {more}".strip()

    def record(self) -> GameRecord:
        """Return the game as a record: the person's own while it runs, the whole after the end."""
        if self._shown is None or self._session is None:
            raise Problem("conflict", "the game is not dealt yet: wait a moment")
        record = self._record
        if self._status == "over":
            return record
        made = len(self._shown.steps)  # the opponent may have moved, which is not shown yet
        shown = record if made == len(record.moves) else replace(record, moves=record.moves[:made], outcome=None)
        return observed(shown, self.setup.seat)

    # --- memory ------------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether nobody listens and nothing runs."""
        return not len(self.channel) and not self._asked and (self._work is None or self._work.done())

    @contextmanager
    def _busy(self) -> Iterator[None]:
        """Stay in memory while a request waits: else the store would give the same game a second time."""
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1

    def close(self) -> None:
        """End the streams, and what runs."""
        self.channel.close()
        self._coaching.stop()
        if self._work is not None:
            self._work.cancel()


def _legal(text: str, history: SeatHistory) -> Action:
    """Return the legal action that a text names, or the sentence that says why it is none."""
    seen = history.now
    action = Action.parse(text)
    return action if action in seen.legal_actions() else parse_action(str(action), seen.legal_actions(), seen)


def _milliseconds(opponent: str) -> float:
    """Return how long an opponent thinks by the clock; 0 if its budget is in simulations, or none."""
    budget = AgentSpec.parse(opponent).budget
    return 0.0 if budget is None else budget.milliseconds or 0.0


def _waiting_for(status: str) -> str:
    return {
        "preparing": "the game is being prepared",
        "thinking": "it is the opponent's turn",
        "over": "the game is over",
        "failed": "the game can't go on",
    }.get(status, "it is your turn")
