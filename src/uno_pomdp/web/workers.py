"""Work off the event loop: searches, as many at once as there are cores, and short things that wait for the disk."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

from uno_pomdp.web.problems import Problem

T = TypeVar("T")


QUICK: Final = 8
"""Threads for short work: more than cores, for it mostly waits."""


class Workers:
    """Threads for searches and for short work. An opponent's answer is *urgent*: it goes before any analysis."""

    def __init__(self, searches: int, waiting: int) -> None:
        self._most = searches
        self._most_patient = max(1, searches - 1)  # so that one core is left for who waits for an answer
        self._waiting = waiting
        self._running = 0
        self._patient_running = 0
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()
        self._searching = ThreadPoolExecutor(searches, "search")
        self._quick = ThreadPoolExecutor(QUICK, "quick")

    @property
    def running(self) -> int:
        """How many searches run."""
        return self._running

    async def quick(self, work: Callable[..., T], *arguments: object) -> T:
        """Do something short in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, work, *arguments)

    async def search(
        self, work: Callable[..., T], *arguments: object, urgent: bool, begun: Callable[[], None] | None = None
    ) -> T:
        """Do something that computes, when there is a core for it; refused if too much waits and it is not urgent.

        `begun` is called once it has a core: until then whoever waits may be cancelled, and nothing was done.
        """
        if not urgent and len(self._patient) >= self._waiting:
            raise Problem("busy", "the server is busy with other searches: try again in a moment", after=2.0)
        await self._permitted(urgent)
        loop = asyncio.get_running_loop()
        if begun is not None:
            begun()
        future = self._searching.submit(work, *arguments)

        def done(_: "Future[T]") -> None:
            with suppress(RuntimeError):  # the loop is closed, as the server has ended
                loop.call_soon_threadsafe(self._release, urgent)

        future.add_done_callback(done)  # and not when the caller gives up: a thread can't be stopped
        return await asyncio.wrap_future(future)

    async def _permitted(self, urgent: bool) -> None:
        """Wait for a core."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._urgent if urgent else self._patient
        queue.append(turn)
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release(urgent)
            elif turn in queue:
                queue.remove(turn)
            raise

    def _grant(self) -> None:
        """Let those begin whose turn it is."""
        while self._running < self._most:
            urgent = bool(self._urgent)
            if not urgent and (not self._patient or self._patient_running >= self._most_patient):
                return
            turn = (self._urgent if urgent else self._patient).popleft()
            if turn.done():  # cancelled
                continue
            self._running += 1
            self._patient_running += not urgent
            turn.set_result(None)

    def _release(self, urgent: bool) -> None:
        self._running -= 1
        self._patient_running -= not urgent
        self._grant()

    def close(self) -> None:
        """Take no more work; what runs is waited for when the process ends."""
        for pool in (self._searching, self._quick):
            pool.shutdown(wait=False, cancel_futures=True)
