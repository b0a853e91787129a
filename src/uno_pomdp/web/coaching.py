"""The coach of one session: analyses the person's position off the event loop, and tells what it finds on the way.

It sees what the seat has seen, and its chance is grown from the number of moves: never from the deal.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from uno_pomdp.agents.agent import Candidate
from uno_pomdp.agents.progress import Progress, SearchStopped
from uno_pomdp.default_agents import coach_for
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.session.analysis import Analysis, analyse, begin_analysis
from uno_pomdp.session.policy_aware import PolicyAware
from uno_pomdp.web.board import Board
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.security import log_failure

EVERY: Final = 0.2
"""Seconds between two reports of a search."""
AGAIN: Final = 3.0
"""Seconds until a busy server is asked again."""

Point = dict[str, Any]
"""A position and its win probability, as JSON values."""


class Coaching:
    """One analysis at a time: that of the position that is wanted."""

    def __init__(self, board: Board, opponent: str, tell: Callable[[bytes], None], again: Callable[[], None]) -> None:
        self.latest: bytes | None = None
        """What was sent last about the position that is wanted."""
        self.graph: list[Point] = []
        """The win probabilities of the positions that were analysed to the end."""
        self.coach: str | None = None
        """Who analyses; None for the usual one."""
        self._board = board
        self._opponent = opponent
        self._tell = tell
        self._again = again
        self._history: SeatHistory | None = None
        self._finished = False
        self._progress = Progress()
        self._waits = False
        self._task: asyncio.Task[None] | None = None
        self._aware: PolicyAware | None = None
        self._beside = ""

    def stand(self, history: SeatHistory | None) -> None:
        """Take in how the game stands: what was found of positions that are not in it any more is forgotten."""
        before = self._history
        if history == before:
            return
        self.stop()
        self.latest, self._finished, self._history = None, False, history
        same = 0 if history is None else 1 + len(history.steps) if before is None else history.common(before)
        self.graph = [point for point in self.graph if point["number"] < same]

    def want(self, history: SeatHistory) -> None:
        """Analyse this position; where that is done, or being done, nothing changes."""
        self.stand(history)
        if self._finished or (self._running and not self._progress.stopped):
            return
        self.stop()
        look = _Look(history, self._told, tuple(self.graph))
        self._progress = look.progress
        self._task = asyncio.ensure_future(self._run(look, self._task))

    def stop(self) -> None:
        """Give up what is being analysed, or waits for a core, which others may have for long."""
        self._progress.stop()
        if self._waits and self._task is not None:
            self._task.cancel()

    @property
    def _running(self) -> bool:
        return self._task is not None and not self._task.done()

    async def ended(self) -> None:
        """Wait until nothing is analysed any more."""
        while self._running and self._task is not None:
            await asyncio.wait((self._task,))

    def show_graph(self, number: int, coach: str) -> None:
        """Tell the graph alone, once there is nothing more to analyse."""
        told = {"number": number, "done": True, "coach": coach, "win": None, "candidates": [], "line": [], "note": ""}
        self.latest = json_bytes(told | {"lie": None, "belief": None, "graph": self.graph})
        self._tell(self.latest)

    # --- the search --------------------------------------------------------------------------------------

    async def _run(self, look: "_Look", before: "asyncio.Task[None] | None") -> None:
        """Search when the one before has ended; of a busy server it is wanted again later."""
        if before is not None:
            await asyncio.wait((before,))
        if look.progress.stopped:
            return
        self._waits = True
        try:
            await self._board.workers.search(self._search, look, urgent=False, begun=self._begun)
        except SearchStopped:
            pass
        except Problem:  # the server is busy
            asyncio.get_running_loop().call_later(AGAIN, self._again)
        except Exception as error:
            log_failure("an analysis stopped", error)
        finally:
            self._waits = False

    def _begun(self) -> None:
        self._waits = False

    def _told(self, history: SeatHistory, data: bytes, graph: list[Point] | None) -> None:
        """Pass on what a search says of the position that is still wanted."""
        if history != self._history:
            return
        if graph is not None:
            self.graph, self._finished = graph, True
        self.latest = data
        if graph is not None or not self._progress.stopped:
            self._tell(data)

    def _search(self, look: "_Look") -> None:
        """Search in a thread."""
        look.progress.check()
        history = look.history
        coach = self.coach or coach_for(history.rules)
        aware = self._led(history, coach)
        look.begun = begin_analysis(history, coach, aware)
        look.tell(look.begun)
        look.tell(analyse(history, coach, len(history.steps), look.progress, aware=aware, begun=look.begun))

    def _led(self, history: SeatHistory, coach: str) -> PolicyAware:
        """Return the policy-aware belief beside a coach, gone on with from where it was asked last."""
        if self._aware is None or self._beside != coach:
            self._aware = PolicyAware(history, self._opponent, coach=coach)
            self._beside = coach
        self._aware.follow(history)
        return self._aware


class _Look:
    """One position that is analysed; `told` is called on the event loop with what the thread of the search says."""

    def __init__(
        self,
        history: SeatHistory,
        told: Callable[[SeatHistory, bytes, list[Point] | None], None],
        graph: Sequence[Point],
    ) -> None:
        self.history = history
        self.begun: Analysis | None = None
        self.progress = Progress(self._report, EVERY)
        self._told = told
        self._graph = graph
        self._loop = asyncio.get_running_loop()

    def _report(self, candidates: Sequence[Candidate], simulations: int) -> None:
        assert self.begun is not None
        self.tell(self.begun.so_far(candidates, simulations))

    def tell(self, analysis: Analysis) -> None:
        """Tell what is found so far, in the thread of the search, so that the loop has no work with it."""
        number = len(self.history.steps)
        graph = [point for point in self._graph if point["number"] != number]
        if analysis.win is not None:
            graph = sorted([*graph, {"number": number, "win": analysis.win}], key=lambda point: int(point["number"]))
        data = json_bytes({"number": number, **analysis.to_json(), "graph": graph})
        self._loop.call_soon_threadsafe(self._told, self.history, data, graph if analysis.done else None)
