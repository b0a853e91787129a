"""The loop of the engine: lines come in, workers answer queries, replies go out one a line.

One thread reads, so that the end of the input, a signal or a closed output is noticed while nothing comes in; the main
thread takes requests in their order; workers answer queries. Kernels run without the GIL, so workers share a process.
"""

import json
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from uno_pomdp.engine.answers import Answer
from uno_pomdp.engine.protocol import Cancel, Query, Refused, Request, VersionQuery, read_request, refusal, version

WORKERS: Final = 1
"""Queries that are worked on at a time, if nothing else is said."""
QUEUE: Final = 64
"""Queries that may wait, if nothing else is said."""
UNREAD: Final = 64
"""Lines that are read ahead."""
GLANCE_SECONDS: Final = 0.25
"""How often the main thread looks around while nothing comes in."""
GRACE_SECONDS: Final = 2.0
"""How long workers have to say that they were stopped."""

Send = Callable[[str], None]
"""Writes a line out; an `OSError` if nobody reads it."""


class Engine:
    """Answers requests until the input ends."""

    def __init__(self, send: Send, workers: int = WORKERS, waiting: int = QUEUE) -> None:
        self.workers: Final = workers
        """Queries that are worked on at a time."""
        self.most_waiting: Final = waiting
        """Queries that may wait beside them; more are refused."""
        self._send = send
        self._sending = threading.Lock()
        self._lost: OSError | None = None
        self._change = threading.Condition()
        self._answers: dict[str, Answer] = {}
        self._waiting: deque[Answer] = deque()
        self._closing = False

    def __repr__(self) -> str:
        return f"<Engine with {self.workers} workers, {len(self._answers)} queries>"

    def run(self, lines: Iterable[bytes]) -> None:
        """Answer all requests; what is raised in between, as by a signal, stops all work first.

        An `OSError` of `send` is raised here, whoever met it.
        """
        workers = [threading.Thread(target=self._work, daemon=True, name=f"engine-{n}") for n in range(self.workers)]
        for worker in workers:
            worker.start()
        try:
            self._take_all(lines)
            self._close()
            while any(worker.is_alive() for worker in workers) and self._lost is None:
                for worker in workers:
                    worker.join(GLANCE_SECONDS)
        finally:
            self._stop_all()
            until = time.monotonic() + GRACE_SECONDS  # for all: where nobody reads, none of them may get further
            for worker in workers:
                worker.join(max(until - time.monotonic(), 0.0))
        if self._lost is not None:
            raise self._lost

    # --- what comes in -----------------------------------------------------------------------------------

    def _take_all(self, lines: Iterable[bytes]) -> None:
        """Take in every line until the input ends or the output is lost."""
        inbox: queue.Queue[bytes | None] = queue.Queue(UNREAD)

        def read() -> None:
            try:
                for line in lines:
                    inbox.put(line)
            finally:  # an input that fails has ended too
                inbox.put(None)

        threading.Thread(target=read, daemon=True, name="engine-reader").start()
        number = 0
        while self._lost is None:
            try:
                line = inbox.get(timeout=GLANCE_SECONDS)
            except queue.Empty:
                continue
            if line is None:
                return
            number += 1
            self._take(line, number)

    def _take(self, line: bytes, number: int) -> None:
        """Take in one line."""
        try:
            self._do(read_request(line))
        except Refused as error:
            self._reply(refusal(error, error.name, number))

    def _do(self, request: Request) -> None:
        if isinstance(request, VersionQuery):
            self._reply(version(request, self.workers, self.most_waiting))
        elif isinstance(request, Cancel):
            self._cancel(request)
        else:
            self._begin(request)

    def _begin(self, query: Query) -> None:
        """Let a query wait for a worker."""
        with self._change:
            if query.name in self._answers:
                raise Refused(
                    "repeated_id", "a query with this id is still being answered: give it another", name=query.name
                )
            if len(self._answers) >= self.workers + self.most_waiting:
                raise Refused(
                    "too_many",
                    f"{len(self._answers)} queries are being answered or wait: ask again when one of them is done",
                    name=query.name,
                )
            answer = Answer(query, self._reply)
            self._answers[query.name] = answer
            self._waiting.append(answer)
            self._change.notify()

    def _cancel(self, request: Cancel) -> None:
        """End a query early: one that waits here, one that is worked on by its worker."""
        with self._change:
            answer = self._answers.get(request.name)
            waited = answer is not None and answer in self._waiting
            if answer is not None:
                answer.cancel()
            if answer is not None and waited:
                self._waiting.remove(answer)
                del self._answers[request.name]
        self._reply({"cancel": request.name, "cancelled": answer is not None})
        if answer is not None and waited:
            self._reply(refusal(answer.stopped, request.name, 0))

    # --- what goes out -----------------------------------------------------------------------------------

    def _reply(self, reply: dict[str, Any]) -> None:
        """Write a reply out; once one could not be, all work ends."""
        text = json.dumps(reply, allow_nan=False)
        with self._sending:
            if self._lost is not None:
                return
            try:
                self._send(text)
            except OSError as error:
                self._lost = error
        if self._lost is not None:
            self._stop_all()

    # --- work --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        """Answer one query after the other, until there will be no more."""
        while (answer := self._next()) is not None:
            name = answer.query.name
            try:
                reply = answer.final()
            except Refused as error:
                reply = refusal(error, name, 0)
            with self._change:
                del self._answers[name]  # before its asker hears of it, and may use the id again
                if answer.progress.stopped:  # by a request that was told so
                    reply = refusal(answer.stopped, name, 0)
            self._reply(reply)

    def _next(self) -> Answer | None:
        with self._change:
            while not self._waiting and not self._closing:
                self._change.wait()
            return self._waiting.popleft() if self._waiting else None

    def _close(self) -> None:
        """Let the workers end once nothing waits."""
        with self._change:
            self._closing = True
            self._change.notify_all()

    def _stop_all(self) -> None:
        """Stop all work: what waits is taken up, and found to be stopped."""
        with self._change:
            for answer in self._answers.values():
                answer.progress.stop()
        self._close()
