"""Dask clusters on this machine for the tests: a scheduler and workers, each a process of its own."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Final

ROOT: Final = Path(__file__).parents[2]
TIMEOUT: Final = 60
"""Seconds for a process to come up, on a busy machine."""
ORPHAN: Final = 120
"""Seconds after which a process ends by itself, if the tests were killed and nobody ends it."""
LEAVE: Final = ("--death-timeout", str(ORPHAN))
HERE: Final = (str(ROOT / "src"), str(ROOT))
"""Where processes find the package and the agents of the tests."""


class LocalCluster:
    """A scheduler, to which workers are added one by one; all are killed in the end."""

    def __init__(self, folder: Path, workers: int = 0, **environment: str) -> None:
        self._folder = folder
        self._environment = environment
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        place = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        alone = ("--no-dashboard", "--no-show", "--idle-timeout", f"{ORPHAN} seconds")
        self.scheduler = self._start("scheduler", *place, *alone)
        self.address = str(json.loads(self._wait_for(file, self.scheduler))["address"])
        for _ in range(workers):
            self.add_worker(wait=False)
        self.wait_for_workers(workers)

    def add_worker(self, *options: str, path: tuple[str, ...] = HERE, wait: bool = True) -> "subprocess.Popen[bytes]":
        """Start a worker without anybody who would start it again."""
        given = options or ("--nthreads", "1")
        worker = self._start("worker", self.address, "--no-nanny", "--no-dashboard", *LEAVE, *given, path=path)
        self.workers.append(worker)
        if wait:
            self.wait_for_workers(sum(each.poll() is None for each in self.workers))
        return worker

    def wait_for_workers(self, count: int) -> None:
        """Wait until the scheduler knows exactly so many workers."""
        from distributed import Client

        with Client(self.address, timeout=TIMEOUT, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            end = time.monotonic() + TIMEOUT
            while len(client.nthreads()) != count:
                assert time.monotonic() < end, f"{client.nthreads()} are not {count} workers"
                time.sleep(0.05)

    def kill(self, worker: "subprocess.Popen[bytes]") -> None:
        """Kill a worker, as a machine dies."""
        worker.kill()
        worker.wait()

    def _start(self, what: str, *options: str, path: tuple[str, ...] = HERE) -> "subprocess.Popen[bytes]":
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path), "PYTHONWARNINGS": ""} | self._environment
        with open(self._folder / f"{what}-{len(self.workers)}.log", "wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", what, *options],
                cwd=self._folder,  # not where the tests are: what a worker needs it has to be told
                env=environment,
                stdout=log,
                stderr=log,
            )

    def _wait_for(self, file: Path, process: "subprocess.Popen[bytes]") -> str:
        end = time.monotonic() + TIMEOUT
        while not (file.exists() and file.read_text().strip().endswith("}")):
            assert process.poll() is None, (self._folder / "scheduler-0.log").read_text()
            assert time.monotonic() < end, "the scheduler did not come up"
            time.sleep(0.02)
        return file.read_text()

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self.workers, self.scheduler):
            self.kill(process)
