"""`LabRun`: one experiment, a match or a Nash report, that runs in a process of its own while somebody looks or not.

Same request, same seed, same result: what a killed server had not finished it begins again when somebody looks.
"""

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from uno_pomdp.web.board import Board, LiveSession
from uno_pomdp.web.json_text import json_bytes
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.security import log, log_failure
from uno_pomdp.web.store import NotStored
from uno_pomdp.web.tokens import Key

POINTS: Final = 240
"""The most points of a curve; then every second one is left out."""
LONGEST_LINE: Final = 4 * 2**20
"""Bytes of a line of the process: a report names every attempt."""
BY_KILL: Final = -9
"""The exit code of a process that was killed, as the system does when memory is short."""
KILLED: Final = "The experiment was ended by the system, as happens when memory is short: ask for it again."
FAILED: Final = "The experiment has failed, which is a bug: try it on the command line with --debug."


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment, checked."""

    kind: str
    """`match` or `nash`."""
    rules: str
    first: str
    """Whose points are measured, or the agent of the report."""
    second: str
    """The other player of a match; empty for a report."""
    pairs: int
    """Deals, each played twice."""
    simulations: int
    """Of each decision of a challenger."""
    seed: int
    """Same seed, same games."""


class LabRun(LiveSession):
    """One experiment with all that it has said so far."""

    kind: ClassVar[str] = "lab"

    def __init__(self, board: Board, key: Key, asked: Experiment, told: dict[str, Any] | None = None) -> None:
        super().__init__(board, key, "waiting" if told is None else told["status"])
        self._asked = asked
        self._trouble = "" if told is None else told["trouble"]
        self._matches: dict[str, dict[str, Any]] = {} if told is None else told["matches"]
        self._report: dict[str, Any] | None = None if told is None else told["report"]
        self._process: asyncio.subprocess.Process | None = None
        self._halted = self._killed = False

    # --- in and out of the store -------------------------------------------------------------------------

    @classmethod
    def restored(cls, board: Board, key: Key, values: dict[str, Any]) -> "LabRun":
        """Return an experiment as it was stored: with its report, or to be begun again."""
        return cls(board, key, Experiment(**values["asked"]), values["told"])

    def keep(self) -> None:
        """Write it to the store: what is asked for, and once it has ended what came out."""
        ended = self.status in ("done", "stopped", "failed")
        told = {"status": self.status, "trouble": self._trouble, "matches": self._matches, "report": self._report}
        self._save({"asked": asdict(self._asked), "told": told if ended else None})

    # --- running -----------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Begin, if somebody looks and it has neither begun nor ended."""
        if self._work is None and len(self.channel) and self.status == "waiting":
            self._work = asyncio.ensure_future(self._run())
            self._board.processes.add(self._work)
            self._work.add_done_callback(self._board.processes.discard)

    async def _run(self) -> None:
        """Wait for a place, run, and keep what came out; one that fails is told as failed."""
        try:
            await self._told_by_process()
        except Exception as error:
            log_failure("an experiment failed", error)
            if not self._halted:
                self._end("failed", FAILED)
        if not self._halted:
            await self._kept()

    async def _told_by_process(self) -> None:
        async with self._board.experiments:
            self.status = "running"
            self._changed()
            self._process = process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "uno_pomdp.web.lab_process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                start_new_session=True,  # Ctrl-C at a terminal ends the server, which ends it
            )
            try:
                if self._halted:
                    self._kill()
                else:
                    async with asyncio.timeout(self._board.settings.experiment_seconds):
                        await self._listen(process)
            except TimeoutError:
                most = round(self._board.settings.experiment_seconds / 60)
                self._end("stopped", f"It took longer than {most} minutes, the most here: ask for fewer pairs.")
                self._kill()
            except BaseException:
                self._kill()
                raise
            finally:
                await self._gone(process)
        if self._halted:
            return
        if self._report is not None:
            self._end("done", "")
        elif self.status == "running":
            log.error("an experiment failed with exit code %s", process.returncode)
            self._end("failed", KILLED if process.returncode == BY_KILL else FAILED)

    async def _gone(self, process: asyncio.subprocess.Process) -> None:
        """Wait until the process is gone, however often that is cancelled: else it would outlive the loop."""
        cancelled: asyncio.CancelledError | None = None
        while True:
            try:
                await process.communicate()
            except asyncio.CancelledError as error:
                cancelled = error
                self._kill()
            else:
                break
        if cancelled is not None:
            raise cancelled

    async def _kept(self) -> None:
        """Keep what came out, and tell it; what can't be written is there as long as the server is."""
        try:
            await self._board.workers.quick(self.keep)
        except NotStored as error:
            self._trouble = f"{self._trouble} {error.trouble}".strip()
        self._changed()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Tell the process what to do, and take in what it says."""
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(ConnectionError):  # it has ended already, which its exit code tells
            process.stdin.write(json_bytes(asdict(self._asked)) + b"\n")
            await process.stdin.drain()  # and it stays open: the process ends with it
        async for line in process.stdout:
            if self._halted:
                return
            self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        if "report" in line:
            self._report = line  # told when it is kept
        elif "match" in line:
            found = self._matches.setdefault(line["match"], {"course": [], "pairs": line["pairs"]})
            course = found["course"]
            course.append([line["done"], line["points"]["low"], line["points"]["estimate"], line["points"]["high"]])
            if len(course) > POINTS:
                found["course"] = [*course[:-1:2], course[-1]]
            found["left"] = line["left"]
        self._changed()

    def _end(self, status: str, trouble: str) -> None:
        self.status, self._trouble = status, trouble

    async def stop(self) -> dict[str, Any]:
        """Stop it; what has been told stays."""
        if self.status not in ("waiting", "running"):
            raise Problem("conflict", "there is nothing to stop: the experiment has ended")
        waiting = self.status == "waiting"
        self._end("stopped", "")
        self._halt(waiting)
        if self._work is not None:
            await asyncio.gather(self._work, return_exceptions=True)
        await self._kept()
        return self.state()

    def _halt(self, waiting: bool) -> None:
        """End the process, or the waiting for one."""
        self._halted = True
        if self._work is not None and waiting:
            self._work.cancel()
        else:
            self._kill()

    def _kill(self) -> None:
        """Kill the process, once: a second time would wait for it in the place of the loop, which complains of that."""
        if self._process is not None and self._process.returncode is None and not self._killed:
            self._killed = True
            self._process.kill()

    # --- what a client sees ------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return how it goes, or what came out."""
        return {
            "version": self.version,
            "status": self.status,
            "trouble": self._trouble,
            "asked": asdict(self._asked) | {"seed": str(self._asked.seed)},
            "matches": [{"name": name} | found for name, found in self._matches.items()],
            "report": self._report["report"] if self._report is not None and self.status == "done" else None,
            "text": self._report["text"] if self._report is not None and self.status == "done" else "",
        }

    def close(self) -> None:
        """End the streams, and the process."""
        super().close()
        self._halt(self.status == "waiting")
