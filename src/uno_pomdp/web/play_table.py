"""`PlayTable`: a game of a person at a page against an agent. It knows `session.Session`, and shows what a seat saw.

What is shown lags behind what has happened: the opponent's answer is saved when it is found, and shown in its slot.
Everything here runs on the event loop but for what is handed to workers; `Round.shown` is the only history that leaves.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any, ClassVar, Final

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
from uno_pomdp.web.board import Board, LiveSession
from uno_pomdp.web.coaching import Coaching
from uno_pomdp.web.preparing import prepare, preparing_words
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.seat_view import Moves, Table, nothing_seen, result_json, seen_json
from uno_pomdp.web.slots import Slots
from uno_pomdp.web.tokens import Key

STRIDE: Final = 8
"""By how much a version grows over a restart: more than it can have grown since it was stored."""
LONG: Final = 1.5
"""Seconds of thinking that a person is told of."""
Work = Callable[[], Awaitable[None]]
"""What carries a game on."""
FAILED: Final = "The opponent has failed, which is a bug of it: this game can't go on."
TAKEN_BACK: Final = "Your move is taken back: the opponent has to follow the game anew, for a second or two."


@dataclass(frozen=True, slots=True)
class Round:
    """One game as its person sees it. It never changes: a change that has succeeded puts another in its place."""

    setup: Setup
    """What determines the game."""
    coaching: Coaching
    """Its coach."""
    session: Session | None = None
    """The game with its hidden cards, which may be ahead of what is shown; None until its players are ready."""
    shown: SeatHistory | None = None
    """How far it is shown."""
    record: GameRecord | None = None
    """The whole record of what is shown."""
    result: dict[str, Any] | None = None
    """How it ended, where that is shown."""
    after: dict[str, Any] | None = None
    """What is said after the end."""


class PlayTable(LiveSession):
    """One game, or one match round by round, under one token."""

    kind: ClassVar[str] = "play"

    def __init__(self, board: Board, key: Key, setup: Setup, coach: bool, record: GameRecord | None = None) -> None:
        super().__init__(board, key, "preparing")
        self.round = self._round_of(setup)
        """The game that is played now."""
        self.coach = coach
        """Whether the coach speaks."""
        self._kept = record or setup.record(())  # the whole game, which may be ahead of what is shown
        self._writing = Lock()
        self._moves = Moves()
        self._shown_at = 0.0
        self._being_prepared = ""
        self._slots = Slots(board.settings.slot, _milliseconds(setup.opponent))

    def _round_of(self, setup: Setup) -> Round:
        """Return a game that is not shown yet."""

        def publish(data: bytes) -> None:
            self.channel.publish("analysis", data)

        return Round(setup, Coaching(self._board, setup.opponent, publish, self.go_on))

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def restored(cls, board: Board, key: Key, values: dict[str, Any]) -> "PlayTable":
        """Return a game as it was stored."""
        record = parse_record(values["record"])
        seat = record.players.index("human")
        assert record.seed is not None
        setup = Setup(record.rules, record.seed, seat, record.players[1 - seat], record.match, record.practice)
        table = cls(board, key, setup, values["coach"], record)
        table.version = values["version"] + STRIDE
        table._slots.length = max(values["slot"], table._slots.length)
        table.round.coaching.graph = values["graph"]
        return table

    def keep(self) -> None:
        """Write the game to the store as it was kept last, with what else has changed; a new one for the first time."""
        with self._writing:  # else an older game could be written after a newer one
            self._write(self._kept, self.coach, self.round)

    def _keep_moves(self, record: GameRecord) -> None:
        """Write the game as it stands, in whatever thread; it goes on even where that fails."""
        with self._writing:
            self._kept = record
            self._write(record, self.coach, self.round)

    def _keep_coach(self, on: bool) -> bool:
        """Write whether the coach speaks, and say whether that is new."""
        with self._writing:
            new = on != self.coach
            if new:
                self._write(self._kept, on, self.round)
                self.coach = on
            return new

    def _keep_next(self, following: Round) -> None:
        """Write a round that is to begin."""
        record = following.setup.record(())
        with self._writing:
            self._write(record, self.coach, following)
            self._kept = record

    def _write(self, record: GameRecord, coach: bool, of: Round) -> None:
        values = {
            "record": format_record(record),
            "coach": coach,
            "version": self.version,
            "slot": self._slots.length,
            "graph": of.coaching.graph,
        }
        self._save(values)

    # --- what a client sees ------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the game as its person sees it."""
        now, setup = self.round, self.round.setup
        table = Table(setup.rules.name, setup.seat + 1, setup.opponent, setup.practice, setup.match)
        seen = nothing_seen() if now.shown is None else seen_json(now.shown, self._moves)
        return {
            "version": self.version,
            **table.to_json(),
            "coach": self.coach,
            "status": self.status,
            "trouble": self._trouble(),
            "waiting": self._waiting(),
            **seen,
            "result": now.result,
            "after": now.after,
        }

    def _trouble(self) -> str:
        if self.status == "failed":
            return FAILED
        return "" if self.round.session is None else self.round.session.trouble

    def _waiting(self) -> str:
        """Return what the person waits for, and about how long; empty where nothing is waited for."""
        if self.status == "preparing":
            return self._being_prepared or preparing_words(self.round.setup.opponent, self.round.setup.rules)
        if self.status == "thinking" and self._slots.length >= LONG:
            return f"The opponent is thinking, for about {round(self._slots.length)} s …"
        return ""

    def present(self) -> list[tuple[str, bytes]]:
        """Return the events that a new listener is sent first."""
        latest = self.round.coaching.latest
        return super().present() + ([("analysis", latest)] if self.coach and latest is not None else [])

    def _show(self, history: SeatHistory) -> None:
        """Show the game up to the end of this history; it is kept up to there."""
        outcome = history.now.outcome
        result = None
        if outcome is not None:
            assert self.round.session is not None
            result = result_json(outcome, history.seat) | points_json(self.round.session)
        self.round = replace(self.round, shown=history, record=self._kept, result=result, after=None)
        self.status = "over" if outcome is not None else "yours" if history.now.turn == history.seat else "thinking"
        self._shown_at = self._board.clock.now()
        self._changed()
        self.go_on()

    def go_on(self) -> None:
        """Let the coach look at the position that is shown, or rest: where it is silent, or nobody listens."""
        shown, coaching = self.round.shown, self.round.coaching
        if shown is None or not self.coach or not len(self.channel) or self.status not in ("yours", "over"):
            coaching.stop()
        elif self.status == "yours":
            coaching.want(shown)
        elif coaching.graph:
            coaching.show_graph(len(shown.steps), coach_for(self.round.setup.rules))

    # --- the course of a game ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Prepare the players, show the deal, and let the opponent begin if it is its turn."""
        self._run(self._begun)

    def _run(self, work: Work) -> "asyncio.Task[None]":
        """Carry the game on when what runs has ended: the opponent may still be taking a move in."""
        before = self._work

        async def run() -> None:
            if before is not None:
                await before
            with self._failing("a game stopped"):
                await work()

        self._work = asyncio.ensure_future(run())
        return self._work

    async def _begun(self) -> None:
        session = await self._board.workers.search(self._seated, urgent=True)
        self.round = replace(self.round, session=session)
        self._show(session.history)
        await self._opponent_moves(session)

    def _seated(self) -> Session:
        setup = self.round.setup
        prepare(setup.opponent, setup.rules)
        return Session(setup, self._kept, self._keep_moves)

    async def _opponent_moves(self, session: Session) -> None:
        """Let the opponent move as often as it is its turn, each move shown in its slot; then tell what follows."""
        self.go_on()
        await self.round.coaching.ended()  # one search at a time
        while not session.over and not session.awaits_person:
            await self._board.workers.search(_answer, session, urgent=True)
            await self._board.clock.until(self._slots.moment(self._shown_at, self._board.clock.now()))
            self._show(session.history)
        if session.over and self.round.after is None:
            after = await self._board.workers.search(after_json, session, urgent=True)
            if self.round.session is session:  # the next round may have begun
                self.round = replace(self.round, after=after)
                self._changed()

    # --- what a client asks for --------------------------------------------------------------------------

    def _at(self, number: int, wanted: tuple[str, ...]) -> tuple[Session, SeatHistory]:
        """Return the game and what is shown of it, if the client has seen that and its turn has come."""
        session, shown = self.round.session, self.round.shown
        if session is None or shown is None or self.status not in wanted:
            raise Problem("conflict", f"that can't be done now: {_waiting_for(self.status)}")
        if number != len(shown.steps):
            raise Problem("conflict", f"the game has gone on: it is at move {len(shown.steps)}, not {number}")
        return session, shown

    @contextmanager
    def _preparing(self, words: str = "") -> Iterator[None]:
        """Let nobody else change the round until another is put in its place; a refusal leaves both as they are."""
        before, self.status, self._being_prepared = self.status, "preparing", words
        try:
            with self._busy():
                yield
        except UnoError:
            self.status = before
            raise

    async def move(self, text: str, number: int) -> dict[str, Any]:
        """Carry out a move of the person, and return the state when it is saved; the opponent answers later."""
        session, shown = self._at(number, ("yours",))
        action = _legal(text, shown)
        self.status = "thinking"
        self.go_on()
        await asyncio.wait((self._run(partial(self._moved, session, action)),))
        return self.state()

    async def _moved(self, session: Session, action: Action) -> None:
        """Move, and show that as soon as it is saved; then the opponent takes it in, and answers."""
        await self._board.workers.quick(session.move, action)
        self._show(session.history)
        self._run(partial(self._answered, session))

    async def _answered(self, session: Session) -> None:
        await self._board.workers.quick(session.tell)
        await self._opponent_moves(session)

    async def undo(self, number: int) -> dict[str, Any]:
        """Take the person's last move back, with all that followed it."""
        if not self.round.setup.practice:
            raise Problem("conflict", "moves can be taken back in practice games alone: begin one of those")
        session, shown = self._at(number, ("yours", "over"))
        if not any(step.deed.seat == session.seat for step in shown.steps):
            raise Problem("conflict", "there is no move of yours to take back")
        try:
            with self._preparing(TAKEN_BACK):
                self._changed()
                self.go_on()
                if self._work is not None:
                    await asyncio.shield(self._work)
                await self.round.coaching.ended()
                await self._board.workers.search(session.undo, urgent=True)
        except UnoError:  # the opponent can't be brought back to where it was
            self._changed()
            raise
        self._show(session.history)
        return self.state()

    async def set_coach(self, on: bool) -> dict[str, Any]:
        """Let the coach speak, or be silent."""
        with self._busy():
            new = await self._board.workers.quick(self._keep_coach, on)
        if new:
            self._changed()
            self.go_on()
        return self.state()

    async def next_round(self, fresh: int) -> dict[str, Any]:
        """Begin the next round of the match, of cards that nobody could have foreseen."""
        ended = self.round
        setup = None if ended.session is None or self.status != "over" else ended.session.next_round
        if setup is None:
            raise Problem("conflict", "no round follows here: a round is over first, and its match goes on")
        following = self._round_of(replace(setup, seed=fresh))
        with self._preparing():
            await self._board.workers.quick(self._keep_next, following)
        ended.coaching.stop()
        self.round = following
        self._changed()
        self.begin()
        return self.state()

    def rematch(self, same_deal: bool, fresh: int) -> Setup:
        """Return another game or match with seats swapped, once this one is over."""
        if self.status != "over":
            raise Problem("conflict", "a rematch follows a game that is over: this one goes on")
        following = self.round.setup.rematch(same_deal)
        return following if same_deal else replace(following, seed=fresh)

    async def why(self) -> str:
        """Return why the opponent made its last move: by public facts, and in full after the end."""
        session, shown = self.round.session, self.round.shown
        if shown is None:
            return "The opponent has not moved yet."
        reason = public_reason(shown)
        if self.status != "over" or session is None or last_of_opponent(shown) is None:
            return reason
        with self._busy():
            more = await self._board.workers.search(reasons_in_words, session, urgent=False)
        return f"{reason} {more}".strip()

    def record(self) -> GameRecord:
        """Return the game as a record: the person's own while it runs, the whole after the end."""
        record = self.round.record
        if record is None:
            raise Problem("conflict", "the game is not dealt yet: wait a moment")
        return record if self.status == "over" else observed(record, self.round.setup.seat)

    def close(self) -> None:
        """End the streams, and what runs."""
        super().close()
        self.round.coaching.stop()
        if self._work is not None:
            self._work.cancel()


def _answer(session: Session) -> None:
    """Let the opponent move, and take its own move in."""
    session.answer()
    session.tell()


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
