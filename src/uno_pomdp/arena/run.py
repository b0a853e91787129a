"""Running a match: over processes or a cluster, with progress and a store, until a sequential test has its answer."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from math import ceil
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Final

import joblib
import numpy as np
import numpy.typing as npt
from joblib._parallel_backends import LokyBackend  # joblib has no public name for it
from joblib.externals.loky import reusable_executor

from uno_pomdp.agents.agent import Clock
from uno_pomdp.arena.cluster import Cluster, Versions, check_versions, connected, versions
from uno_pomdp.arena.match import InvalidMatch, Match
from uno_pomdp.arena.results import PAIR, MatchResult, Pairs
from uno_pomdp.arena.statistics import Adjusted, Finding, Interval, LuckSums, SequentialTest, Verdict, paired_interval
from uno_pomdp.arena.store import Store
from uno_pomdp.errors import WorkerLost
from uno_pomdp.jit import note_done, was_done, working_time
from uno_pomdp.kernel_cache import pass_on
from uno_pomdp.registry import AgentSpec

Indices = npt.NDArray[np.int64]
Played = tuple[Pairs, float]
"""Finished pairs, and the seconds that they took."""

CHUNK_SECONDS: Final = 0.25
"""About how long a process works before it hands pairs over; slow agents hand over every pair."""
FIRST_CHUNK: Final = 256
"""Pairs of the first chunks inside kernels, before anything is measured."""
LARGEST_CHUNK: Final = 100_000
SHORT_SECONDS: Final = 1.0
"""A match with no more work than this has ended before other processes would have started."""
LAST_SECONDS: Final = 1.0
"""How long a chunk in kernels has to end by itself when the run is stopped."""
GLANCE_SECONDS: Final = 1.0
"""How often a process looks whether the one that started it is still there."""
SHORT_WORK: Final = 6.0
"""Seconds that this process may have worked in all, its start included, and still play short matches by itself."""
EARLY_END: Final = r"\d+ tasks (have been successfully executed|which were still being processed)"
"""How joblib's warning begins when a run is stopped before all results are in."""


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """How a run stands."""

    done: int
    """Pairs that are finished, those of earlier runs included."""
    pairs: int
    """Pairs that there are."""
    seconds: float
    """Time of this run."""
    games_per_second: float
    """Games of this run in a second."""
    seconds_left: float
    """Time to the last pair at this rate; a sequential test may stop before."""
    points: Interval
    """A's mean points so far."""
    finding: Finding | None
    """What the sequential test says so far, if there is one."""
    adjusted: Adjusted | None = None
    """A's mean points so far without luck, if luck is measured and the pairs suffice to say something."""

    def __repr__(self) -> str:
        left = f"{self.seconds_left:.0f} s left"
        return f"<MatchProgress {self.done:,} of {self.pairs:,} pairs: {self.points.percent()}, {left}>"


Report = Callable[[MatchProgress], None]
"""Called with the progress of a run, whenever some pairs are finished."""


def run_match(
    match: Match,
    processes: int = 1,
    store: str | os.PathLike[str] | None = None,
    test: SequentialTest | None = None,
    report: Report | None = None,
    backend: str = "loky",
    clock: Clock = time.perf_counter,
    cluster: str | Cluster | None = None,
) -> MatchResult:
    """Play a match, or what is left of it, and return its result, which does not depend on where it is played.

    With a store, finished pairs are kept there and not played again. With a test, the match ends at the pair
    where the test, which takes the pairs in order of their numbers, has its answer; later ones do not count.
    `processes` and `backend` go to joblib; −1 is a process for each core, started when a match has lasted a second.
    With a cluster (an address such as `tcp://10.0.0.1:8786`, or a connected `Cluster`) its workers play instead.
    """
    if processes == 0 or (cluster is not None and processes != 1):
        raise InvalidMatch("give a number of processes, −1 for one on each core, or a cluster, but not both")
    match.check()
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "A worker stopped while", UserWarning)  # it has grown, and joblib replaces it
        warnings.filterwarnings("ignore", EARLY_END, UserWarning)
        kept = None if store is None else stack.enter_context(Store(store, match.header()))
        finished = np.zeros(0, PAIR) if kept is None else kept.pairs
        run = _Run(match, test, clock, finished[finished["index"] < match.pairs])
        if run.decided or not len(run.missing()):
            return run.result()
        first = FIRST_CHUNK if match.in_kernels else 1
        if cluster is None:
            chunks = _Chunks(run.missing(), first, processes if processes > 0 else os.cpu_count() or 1)
            played = _by_processes(match, chunks, processes, backend)
        else:
            there = stack.enter_context(connected(cluster))
            chunks = _Chunks(run.missing(), first, there.workers)
            played = _by_cluster(there.shared(match), chunks, there)
        stack.enter_context(closing(played))  # so that a run that is stopped has ended when that is told
        for pairs, seconds in played:
            run.add(pairs, seconds)
            if kept is not None:
                kept.append(pairs)
            chunks.measured(len(pairs) / max(seconds, 1e-9), stop=run.decided)
            if report is not None:
                report(run.progress())
        return run.result()


class _Run:
    """The pairs of a run as they come in."""

    def __init__(self, match: Match, test: SequentialTest | None, clock: Clock, finished: Pairs) -> None:
        self._match = match
        self._test = test
        self._clock = clock
        self._started = clock()
        self._earlier = len(finished)
        self._parts: list[Pairs] = []
        self._counts = np.zeros(5, np.int64)
        self._points = np.full(match.pairs, -1, np.int8)  # by number; −1: not finished
        self._luck = LuckSums()
        self._in_order = 0
        self._finding: Finding | None = None
        self._seconds = 0.0
        self.add(finished)

    def add(self, pairs: Pairs, seconds: float = 0.0) -> None:
        """Take in finished pairs, and the time that this run took for them."""
        self._seconds += seconds
        self._parts.append(pairs)
        assert (self._points[pairs["index"]] < 0).all(), "a pair was played twice"
        points = pairs["points"].sum(axis=1)
        self._counts += np.bincount(points, minlength=5)
        self._points[pairs["index"]] = points
        if self._match.with_luck:
            self._luck.add(pairs["index"], points / 4, pairs["luck"].mean(axis=1))
        if self._test is not None and not self.decided:
            rest = self._points[self._in_order :] < 0
            self._in_order += int(np.argmax(rest)) if rest.any() else len(rest)
            self._finding = self._test.look(self._points[: self._in_order] / 4)

    def missing(self) -> Indices:
        """Return the numbers of the pairs that are not finished."""
        return np.flatnonzero(self._points < 0)

    @property
    def decided(self) -> bool:
        """Whether the test has its answer."""
        return self._finding is not None and self._finding.verdict != Verdict.UNDECIDED

    def progress(self) -> MatchProgress:
        """Return how the run stands."""
        done, seconds = int(self._counts.sum()), self._clock() - self._started
        rate = 2 * (done - self._earlier) / seconds if seconds > 0 else 0.0
        left = 2 * (self._match.pairs - done) / rate if rate else float("inf")
        points = paired_interval(self._counts)
        adjusted = self._luck.adjusted() if self._match.with_luck and done else None
        return MatchProgress(done, self._match.pairs, seconds, rate, left, points, self._finding, adjusted)

    def result(self) -> MatchResult:
        """Return what counts of the pairs."""
        pairs = np.concatenate(self._parts)
        pairs = pairs[np.argsort(pairs["index"])]
        if self._finding is not None and self.decided:
            pairs = pairs[: self._finding.pairs]
        timed = 2 * (int(self._counts.sum()) - self._earlier) if self._match.in_kernels else 0
        return MatchResult(self._match.names, pairs, self._finding, self._seconds / timed if timed else None)


class _Chunks:
    """The numbers of the missing pairs, in chunks of about the time that was wanted."""

    def __init__(self, indices: Indices, size: int, processes: int) -> None:
        self._indices = indices
        self._size = self._smallest = size
        self._processes = processes
        self._stop = False

    def measured(self, pairs_per_second: float, stop: bool) -> None:
        """Fit the next chunks to the speed of the last one, or end them."""
        self._size = min(max(int(CHUNK_SECONDS * pairs_per_second), 1), LARGEST_CHUNK)
        self._stop = stop

    def __iter__(self) -> Iterator[Indices]:
        place = 0
        while place < len(self._indices) and not self._stop:
            fair = ceil((len(self._indices) - place) / self._processes)
            size = min(self._size, max(fair, self._smallest))  # so that the last chunks end together
            yield self._indices[place : place + size]
            place += size


def _by_processes(match: Match, chunks: _Chunks, processes: int, backend: str) -> Generator[Played]:
    """Yield the pairs of the chunks as processes of this machine finish them.

    Where kernels may have to be compiled, this process plays the first chunk: otherwise all would compile the same
    kernels at the same time, without a message.
    """
    rest = iter(chunks)
    if processes == 1:
        yield from (_Work(match, chunk).play() for chunk in rest)
        return
    missing = [kernels for kernels in _kernels_of(match) if not was_done(kernels)]
    if missing:
        yield _Work(match, next(rest)).play()
        for kernels in missing:
            note_done(kernels)
    if processes < 0 and backend == "loky" and reusable_executor._executor is None:
        yield from _here(match, rest)
        following = next(rest, None)
        if following is None:
            return
        rest = chain((following,), rest)
    pool = joblib.Parallel(
        n_jobs=processes,
        backend=Processes() if backend == "loky" else backend,
        return_as="generator_unordered",
        batch_size=1,
        max_nbytes=None,
    )
    here = Path.cwd()
    with deaf_to_interrupts():
        played = pool(joblib.delayed(_play_in)(here, _Work(match, chunk)) for chunk in rest)
    with all_alive(), closing(played):
        for pairs, seconds, complaints in played:
            for complaint in complaints:
                pass_on(complaint)
            yield pairs, seconds


def _here(match: Match, chunks: Iterator[Indices]) -> Iterator[Played]:
    """Yield the pairs of the chunks that this process begins before others are worth starting."""
    end = min(time.process_time() + SHORT_SECONDS, SHORT_WORK)
    while time.process_time() < end:
        chunk = next(chunks, None)
        if chunk is None:
            return
        yield _Work(match, chunk).play()


class Processes(LokyBackend):  # type: ignore[misc]  # joblib has no types
    """joblib's processes, which end reliably when they are told to.

    joblib's own method waits for ever if a killed worker leaves work in a queue that nobody reads any more, or half of
    a result in the queue back.
    """

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """End all processes, with whatever is in their queues."""
        executor = self._workers
        for process in list(executor._processes.values()):
            process.terminate()
        executor._call_queue._reader.close()
        executor._result_queue._writer.close()
        super().abort_everything(ensure_ready)

    def configure(self, *words: Any, **options: Any) -> Any:
        """Start the processes; each ends with this one."""
        return super().configure(*words, initializer=end_with, initargs=(os.getpid(),), **options)


def end_with(parent: int) -> None:
    """End this process when the one that started it is gone: one that is killed tells nobody to stop."""

    def watch() -> None:
        started_by = multiprocessing.parent_process()
        if sys.platform == "win32" and started_by is not None:  # there a number outlives its process
            started_by.join()
        else:
            while os.getppid() == parent:
                time.sleep(GLANCE_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def all_alive() -> Iterator[None]:
    """Turn joblib's error about a process that was killed into a sentence."""
    try:
        yield
    except BrokenProcessPool as error:
        raise WorkerLost from error


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which a terminal sends to all of them: their parent ends them instead."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    resource_tracker.ensure_running()  # when Python starts it, it lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # processes and threads begun now inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # what came meanwhile comes now


def _kernels_of(match: Match) -> set[str]:
    """Return keys for the kernels that a match needs: equal for agents that differ only in numeric options."""
    if match.in_kernels:
        return {f"matches in kernels, luck {match.with_luck}"}
    agents = (
        AgentSpec.parse(maker).without_numbers if isinstance(maker, str) else name
        for maker, name in zip(match.makers, match.names, strict=True)
    )
    return {f"{agent}, {match.rules.name}, luck {match.with_luck}" for agent in agents}


def _by_cluster(match: Match, chunks: _Chunks, cluster: Cluster) -> Generator[Played]:
    """Yield the pairs of the chunks as the workers of a cluster finish them."""
    from uno_pomdp.arena.dask_backend import on_cluster  # of an extra, which other matches do not need

    here, pool = versions(), on_cluster(cluster)
    played: Generator[Played] = pool(joblib.delayed(_play_there)(_Work(match, chunk), here) for chunk in chunks)
    return played


@dataclass(frozen=True, slots=True)
class _Work:
    """Some pairs of a match.

    A class with slots and without weak references: joblib would scatter arrays and the like to one worker beforehand,
    and they would be lost with that worker. This is sent with each call, and sent again if the call is repeated.
    """

    match: Match
    indices: Indices

    def play(self) -> Played:
        """Play them; return them with the seconds it took, without those of compiling or loading kernels."""
        if self.match.in_kernels:
            self.match.play(self.indices[:0])
        started = working_time()
        pairs = _beside(self._pairs) if self.match.in_kernels else self._pairs()
        return pairs, working_time() - started

    def _pairs(self) -> Pairs:
        return self.match.play(self.indices)


def _beside(work: Callable[[], Pairs]) -> Pairs:
    """Do work that is one kernel beside the main thread, which only waits, so that it can be stopped.

    A signal is heard between two steps of Python, and a kernel has none: by some rules a game on a tiny deck goes round
    for ever (MATH.md), and Ctrl-C would never be heard. What is left behind ends with the process.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    done: list[Pairs] = []
    failed: list[BaseException] = []
    over = threading.Event()  # `Thread.join` takes a thread for ended once it was interrupted

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # raised again below
            failed.append(error)
        finally:
            over.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        over.wait()
    except BaseException:
        over.wait(LAST_SECONDS)
        raise
    if failed:
        raise failed[0]
    return done[0]


class _Overheard(logging.Handler):
    """Collects logged warnings, for the process that can show them."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.complaints.append(record.getMessage())


def _play_in(folder: Path, work: _Work) -> tuple[Pairs, float, list[str]]:
    """Play in a folder: the process may be left from an earlier match, which was played in another.

    Logged warnings are returned as well: otherwise each process would print them, and none as the command does.
    """
    if Path.cwd() != folder:
        os.chdir(folder)
    log, heard = logging.getLogger(__package__.partition(".")[0]), _Overheard()
    log.addHandler(heard)
    try:
        return *work.play(), heard.complaints
    finally:
        log.removeHandler(heard)


def _play_there(work: _Work, wanted: Versions) -> Played:
    """Play on a worker, which may have joined after the others were asked for their versions."""
    check_versions("a worker that has joined", versions(), wanted)
    return work.play()
