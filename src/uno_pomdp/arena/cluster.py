"""More than one machine: a Dask cluster, which is used only if all its workers would play the same games.

A pair is the same on every machine that runs the same versions. So nothing is sent to a cluster before its scheduler
and all its workers have reported theirs, and a worker that joins later is checked with its first pairs.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from uno_pomdp._version import __version__
from uno_pomdp.arena.match import Match
from uno_pomdp.errors import UnoError
from uno_pomdp.extras import missing
from uno_pomdp.files import make_folder, visible_trial
from uno_pomdp.kernel_cache import source_hash

CONNECT_SECONDS: Final = 10.0
"""How long a cluster is given to answer."""
CLOSE_SECONDS: Final = 2.0
"""How long to wait for a connection to close; that to a lost cluster never does."""
PATIENCE_SECONDS: Final = 60.0
"""How long a run waits for new workers when all are gone."""

Versions = dict[str, str]
"""The versions of all that the games depend on, by name."""


class ClusterError(UnoError):
    """A cluster that can't be reached, or that would not play the same games."""


@cache
def versions() -> Versions:
    """Return the versions that this process plays with: equal versions play equal games."""
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "uno-pomdp": __version__,
        "sources of uno-pomdp": source_hash(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }


def check_versions(who: str, there: Versions, here: Versions) -> None:
    """Refuse a machine that has other versions."""
    for name, version in here.items():
        if there.get(name) != version:
            raise ClusterError(
                f"{who} has {name} {there.get(name, 'of an unknown version')}, but {version} is needed: "
                "install the same versions on every machine, and start the workers again"
            )


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that has passed all checks; close it after use."""

    address: str
    """Where its scheduler is."""
    client: Any
    """Dask's connection to it."""
    patience: float = PATIENCE_SECONDS
    """How long a run waits for new workers when all are gone."""

    @property
    def workers(self) -> int:
        """How many workers there are now."""
        return len(self.client.nthreads())

    def shared(self, match: Match) -> Match:
        """Return the match with its folder for records as an absolute path, which every worker has to see."""
        if match.records is None:
            return match
        folder = match.records.resolve()
        make_folder(folder)
        with visible_trial(folder) as file:
            for worker, seen in self.client.run(os.path.exists, str(file)).items():
                if not seen:
                    raise ClusterError(
                        f"the worker {worker} does not see the folder {folder}: give a folder that all machines share"
                    )
        return replace(match, records=Path(folder))

    def close(self) -> None:
        """End the connection, and with it all that is still being played."""
        self.client.close(timeout=CLOSE_SECONDS)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(address: str, seconds: float = CONNECT_SECONDS, patience: float = PATIENCE_SECONDS) -> Cluster:
    """Return the cluster whose scheduler listens there, such as `tcp://10.0.0.1:8786`."""
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ClusterError(missing("a cluster needs the package", str(error.name), "cluster")) from error

    class Connection(Client):
        """Closes itself when it can't be made: left to the garbage collector, it may hold up the next one for ever."""

        def start(self, **options: Any) -> None:
            try:
                super().start(**options)  # type: ignore[no-untyped-call]
            except BaseException:
                self.close(timeout=CLOSE_SECONDS)  # type: ignore[no-untyped-call]
                raise

    try:
        client = Connection(address, timeout=seconds, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {address}: start one with `dask scheduler`, and give the address that it prints"
        ) from error
    cluster = Cluster(address, client, patience)
    try:
        _check(cluster, seconds)
    except BaseException:
        cluster.close()
        raise
    return cluster


@contextmanager
def connected(cluster: str | Cluster) -> Iterator[Cluster]:
    """Connect to an address for a while; a cluster that is connected stays so."""
    if isinstance(cluster, Cluster):
        yield cluster
    else:
        with connect(cluster) as mine:
            yield mine


def _check(cluster: Cluster, seconds: float) -> None:
    """Refuse a cluster that would not play the same games, or not at full speed."""
    client, start = cluster.client, f"`dask worker {cluster.address} --nworkers auto --nthreads 1`"
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        raise ClusterError(f"the cluster at {cluster.address} has no workers: start some with {start}") from error
    for worker, threads in client.nthreads().items():
        if threads != 1:  # games in one process hold each other up, and agents that have so many ms play worse
            raise ClusterError(
                f"the worker {worker} plays {threads} games at once in one process: start one worker for each core "
                f"with {start}"
            )
    told = client.get_versions()
    places = {f"the scheduler at {cluster.address}": told["scheduler"]}
    places |= {f"the worker {worker}": about for worker, about in told["workers"].items()}
    for who, about in places.items():
        python = ".".join(about["host"]["python"].split(".")[:2])
        check_versions(who, {"Python": python}, {"Python": versions()["Python"]})
    check_versions(f"the scheduler at {cluster.address}", _ask_scheduler(cluster), versions())
    for worker, there in client.run(versions, on_error="return").items():
        if isinstance(there, Exception):
            raise _not_installed(f"the worker {worker}", there) from there
        check_versions(f"the worker {worker}", there, versions())


def _ask_scheduler(cluster: Cluster) -> Versions:
    """Return the scheduler's versions: it unpacks all work before a worker gets it."""
    try:
        told: Versions = cluster.client.run_on_scheduler(versions)
    except (ImportError, AttributeError) as error:
        raise _not_installed(f"the scheduler at {cluster.address}", error) from error
    return told


def _not_installed(who: str, error: Exception) -> ClusterError:
    return ClusterError(
        f"{who} can't load uno-pomdp {__version__} ({type(error).__name__}: {error}): install it there, "
        "with the extra `cluster`"
    )
