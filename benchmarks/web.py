"""The board under load: many games at once against a server in a process of its own, which is killed at the end.

100 people have a page open (an event stream each) and play against `flat:ms=20`; a move is posted every 50 ms, in all
20 a second, by whoever's turn it is; beside every move some other page asks for its state. A request *without search*
is a move, which is answered when it is saved, or a state. At the end the server is killed and started again on its
store: every move that was answered has to be there. Server and client share two cores.
"""

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown
from uno_pomdp.cli.stopping import child_environment

COMMAND: Final = """\
from uno_pomdp.cli.main import run
from uno_pomdp.cli.stopping import end_with_parent
end_with_parent()
run()
"""
AGENT: Final = "flat:ms=20"
GAMES: Final = 100
A_SECOND: Final = 20
"""Moves in all."""
SECONDS: Final = 40
P99: Final = 50.0
"""Milliseconds: the bar."""
MOST_WAITED: Final = 120.0
"""Seconds until the games are dealt: the first one compiles."""


@contextmanager
def served(store: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Start a server at a free port."""
    words = ("serve", "--port", "0", "--no-browser", "--json", "--store", str(store))
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=store.parent,
        env=child_environment(),
    )
    try:
        assert process.stdout is not None
        said = ""
        while "}" not in said:
            said += process.stdout.readline()
        yield process, json.loads(said)["port"]
    finally:
        process.kill()
        process.communicate()


class Connection:
    """One connection, kept open as browsers do."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._pipe: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def _send(self, method: str, path: str, body: bytes) -> asyncio.StreamReader:
        if self._pipe is None:
            self._pipe = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._pipe
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        return reader

    async def ask(self, method: str, path: str, value: Any = None) -> tuple[int, Any, float]:
        """Return status, answer and milliseconds."""
        body = b"" if value is None else json.dumps(value).encode()
        begun = time.perf_counter()
        try:
            reader = await self._send(method, path, body)
            head = await reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):  # closed while it was idle, as servers do
            self._pipe, begun = None, time.perf_counter()
            reader = await self._send(method, path, body)
            head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        found = await reader.readexactly(length)
        return int(head.split(b" ", 2)[1]), json.loads(found), 1000 * (time.perf_counter() - begun)

    async def listen(self, path: str, told: Any) -> None:
        """Read an event stream, and hand on each state."""
        reader = await self._send("GET", path, b"")
        await reader.readuntil(b"\r\n\r\n")
        event = b""
        while line := await reader.readline():
            if line.startswith(b"event: "):
                event = line[7:].strip()
            elif line.startswith(b"data: ") and event == b"state":
                told(json.loads(line[6:]))

    def close(self) -> None:
        """Close it."""
        if self._pipe is not None:
            self._pipe[1].close()


class Person:
    """One page: its stream, its connection, its games one after the other, and what was answered to it."""

    def __init__(self, port: int) -> None:
        self.state: Any = {"status": "preparing"}
        self.answered: dict[str, int] = {}
        self.path = ""
        self._asking, self._listening = Connection(port), Connection(port)
        self._stream: asyncio.Task[None] | None = None
        self._port = port

    async def begin(self) -> None:
        """Begin a game."""
        self.close_stream()
        status, made, _ = await self._asking.ask("POST", "/api/play", {"opponent": AGENT})
        assert status == 201, made
        self.path = f"/api/play/{made['token']}"
        self.answered[self.path], self.state = 0, {"status": "preparing"}
        self._listening = Connection(self._port)
        self._stream = asyncio.ensure_future(self._listening.listen(f"{self.path}/events", self._told))

    def _told(self, state: Any) -> None:
        self.state = state

    async def move(self, rng: random.Random) -> float:
        """Make a move, and return how long its answer took."""
        state, self.state = self.state, {"status": "moving"}
        move = {"move": rng.choice(state["legal"]), "at": state["number"]}
        status, answer, took = await self._asking.ask("POST", f"{self.path}/move", move)
        assert status == 200, answer
        self.answered[self.path] += 1
        return took

    async def look(self) -> float:
        """Ask for the state, and return how long that took."""
        status, answer, took = await self._asking.ask("GET", self.path)
        assert status == 200, answer
        return took

    def close_stream(self) -> None:
        """Stop listening."""
        if self._stream is not None:
            self._stream.cancel()
        self._listening.close()

    def close(self) -> None:
        """Leave."""
        self.close_stream()
        self._asking.close()


async def play(
    port: int, games: int, seconds: float, rng: random.Random
) -> tuple[list[float], int, int, dict[str, int]]:
    """Return the times of all requests, the moves made, the turns at which nobody could move, the moves by game."""
    people = [Person(port) for _ in range(games)]
    begun = time.monotonic()
    for person in people:
        await person.begin()
    while any(person.state["status"] == "preparing" for person in people):
        assert time.monotonic() - begun < MOST_WAITED
        await asyncio.sleep(0.05)
    times: list[float] = []
    under_way: set[asyncio.Task[None]] = set()
    moves = idle = 0
    free = set(range(games))

    async def turn(number: int) -> None:
        nonlocal moves
        times.append(await people[number].move(rng))
        moves += 1
        free.add(number)

    async def look(number: int) -> None:
        times.append(await people[number].look())
        free.add(number)

    async def anew(number: int) -> None:
        await people[number].begin()
        free.add(number)

    begun = time.monotonic()
    for tick in range(int(seconds * A_SECOND)):
        await asyncio.sleep(max(0.0, begun + tick / A_SECOND - time.monotonic()))
        over = [number for number in free if people[number].state["status"] == "over"]
        ready = [number for number in free if people[number].state["status"] == "yours"]
        idle += not ready
        work = [anew(number) for number in over]
        free -= set(over)
        if ready:
            chosen = rng.choice(ready)
            free.discard(chosen)
            work.append(turn(chosen))
        if free:
            chosen = rng.choice(sorted(free))
            free.discard(chosen)
            work.append(look(chosen))
        under_way |= {asyncio.ensure_future(one) for one in work}
        under_way = {task for task in under_way if not task.done() or task.result()}
    await asyncio.gather(*under_way)
    for person in people:
        person.close()
    return times, moves, idle, {path: count for person in people for path, count in person.answered.items()}


async def kept(port: int, answered: dict[str, int]) -> int:
    """Return how many moves that were answered are not there any more."""
    lost, connection = 0, Connection(port)
    for path, count in answered.items():
        while True:
            status, state, _ = await connection.ask("GET", path)
            if status == 429:  # a server that begins takes games up one after the other
                await asyncio.sleep(0.5)
            elif status != 200 or state["status"] != "preparing":
                break
            else:
                await asyncio.sleep(0.05)
        own = sum(move["by"] == "you" for move in state["moves"]) if status == 200 else 0
        lost += max(0, count - own)
    connection.close()
    return lost


def under_load(thoroughness: Run) -> Iterable[Claim]:
    """Measure times and losses."""
    games, seconds = thoroughness.pick(GAMES, 3), thoroughness.pick(SECONDS, 2)
    if sys.platform == "linux" and not thoroughness.quick:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "board.sqlite"
        with served(store) as (process, port):
            times, moves, idle, answered = asyncio.run(play(port, games, seconds, random.Random(1)))
            process.send_signal(signal.SIGKILL)
        with served(store) as (_, port):
            lost = asyncio.run(kept(port, answered))
    yield at_most(f"moves that were answered and lost, {games} games at once, server killed", lost, 0, "moves")
    yield at_least("moves made", moves / seconds, 0.95 * A_SECOND, "a second")
    yield shown("moments at which no game awaited a move", idle, "of 50 ms")
    yield shown("request without search, median", statistics.median(times), "ms")
    yield at_most("request without search, 99th percentile", statistics.quantiles(times, n=100)[98], P99, "ms")
    yield shown("request without search, longest", max(times), "ms")


BENCHMARK: Final = Benchmark("web", (Part("100 games at once", under_load),), one_core=False)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
