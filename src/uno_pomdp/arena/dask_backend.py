"""joblib's backend for Dask, which ends with an error when the cluster fails. Imported only where Dask is wanted."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

import joblib
from distributed import KilledWorker
from distributed.client import FutureCancelledError
from joblib._dask import DaskDistributedBackend  # joblib has no public name for it

from uno_pomdp.arena.cluster import Cluster, ClusterError

LOOK_SECONDS: Final = 1.0
"""How often to look whether there are workers."""
KEPT: Final = "finished pairs are in the results store, if there is one"


def on_cluster(cluster: Cluster) -> joblib.Parallel:
    """Return what carries out calls on the cluster and yields what they return as it comes in."""
    return joblib.Parallel(n_jobs=-1, backend=Backend(cluster), return_as="generator_unordered", batch_size=1)


class Backend(DaskDistributedBackend):  # type: ignore[misc]  # joblib has no types
    """Runs calls on a cluster. Where joblib's own backend would wait for ever, it raises `ClusterError`.

    joblib calls back when a call has returned or raised, but not when Dask could not carry it out at all: when
    a worker can't unpack it, or when every worker that tried it died.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(client=cluster.client)
        self._address = cluster.address
        self._patience = cluster.patience

    def submit(self, func: Any, callback: Callable[[Any], None] | None = None) -> "Future[Any]":
        """Send a call; call back whatever becomes of it."""
        future: Future[Any] = super().submit(func, callback)

        def tell(done: "Future[Any]") -> None:
            error = done.exception()
            if error is not None and callback is not None:
                callback(self._failure(error))

        future.add_done_callback(tell)
        return future

    def _failure(self, error: BaseException) -> ClusterError:
        """Return in our words why Dask could not carry out a call."""
        if isinstance(error, KilledWorker):
            return ClusterError(
                f"every worker that played certain pairs died, {1 + error.allowed_failures} in all: see the log of "
                f"{error.last_worker.address}; {KEPT}"
            )
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return ClusterError(f"the cluster at {self._address} could not take the match ({reason})")

    def _lost(self) -> ClusterError:
        return ClusterError(f"the connection to the cluster at {self._address} was lost; {KEPT}")

    def retrieve_result_callback(self, out: Any) -> Any:
        """Return what a call returned, or raise what it raised."""
        if isinstance(out, FutureCancelledError):  # by Dask, for want of a scheduler: nobody else cancels
            raise self._lost() from out
        return super().retrieve_result_callback(out)

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Return the number of workers, but at least 2: with one, joblib would play here and leave it idle."""
        return max(int(super().effective_n_jobs(n_jobs)), 2)

    def start_call(self) -> None:
        """Begin, and start to monitor the workers."""
        super().start_call()
        self.client.loop.add_callback(self._watch)

    async def _watch(self) -> None:
        """End the run when the scheduler is lost, or when there has been no worker for too long."""
        seen = time.monotonic()
        while self._continue:
            try:
                workers = await self.client.scheduler.ncores() if self.client.status == "running" else None
            except OSError:
                workers = None
            if workers is None:  # most calls are cancelled then, but not one whose result was on its way
                self._end(self._lost())
                return
            if workers:
                seen = time.monotonic()
            elif time.monotonic() - seen > self._patience:
                self._end(ClusterError(f"all workers of the cluster at {self._address} are gone; {KEPT}"))
                return
            await asyncio.sleep(LOOK_SECONDS)

    def _end(self, error: ClusterError) -> None:
        """Let one pending call fail: joblib ends at the first failure."""
        for callback in list(self._callbacks.values())[:1]:
            callback(error)
