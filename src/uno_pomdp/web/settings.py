"""What can be set of the server: where it listens, how much it takes, how long it remembers."""

import os
from dataclasses import dataclass
from typing import Final

PORT: Final = 8765
"""Where the server listens unless it is told otherwise."""
LOOPBACK: Final = "127.0.0.1"
"""The address that only this machine reaches."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something may be done: a token bucket."""

    per_second: float
    """In the long run."""
    burst: int
    """At once, after a pause."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All limits of a server; the defaults are for one machine and the people around it."""

    host: str = LOOPBACK
    """The address that it listens on."""
    port: int = PORT
    """The port, which the `Host` of every request has to name."""
    slot: float = 0.6
    """Seconds after a move at which its answer is published, or a multiple of that."""
    searches: int = os.cpu_count() or 1
    """Searches at once, of all sessions; of one session there is one."""
    waiting: int = 64
    """Searches that may wait for one of these; an opponent's answer always may."""
    sessions: int = 500
    """Sessions in memory; those idle longest leave it, and are read from the store when they are asked for."""
    idle_seconds: float = 3600.0
    """How long an idle session stays in memory."""
    stored: int = 20_000
    """Sessions in the store; beyond that those used longest ago are forgotten."""
    stored_seconds: float = 30 * 86_400.0
    """How long a session stays in the store after it was used last."""
    body: int = 256 * 1024
    """Bytes of a request's body."""
    body_seconds: float = 10.0
    """How long a body may take to arrive."""
    path: int = 256
    """Bytes of a request's path with its query."""
    connections: int = 512
    """Connections at once, or fewer where the system lets this process open few files (`connections.fitting`)."""
    address_requests: Rate = Rate(200.0, 600)
    """Requests from one address; everybody on this machine has the same one."""
    all_requests: Rate = Rate(400.0, 800)
    """All requests together."""
    new_sessions: Rate = Rate(10.0, 200)
    """New sessions, of everybody together."""
    address_sessions: Rate = Rate(5.0, 100)
    """New sessions from one address."""
    session_requests: Rate = Rate(20.0, 60)
    """Requests about one session."""
    streams: int = 256
    """Event streams at once, of all sessions."""
    address_streams: int = 128
    """Event streams at once from one address: a hundred pages behind one proxy still get theirs."""
    session_streams: int = 4
    """Event streams at once of one session."""
    ping_seconds: float = 15.0
    """After how long an idle stream says that it is alive."""
    most_milliseconds: float = 5_000.0
    """The largest time budget of an agent that is asked for."""
    most_simulations: int = 100_000
    """The largest budget in simulations."""
    most_particles: int = 20_000
    """The most particles or listed hands of an agent's belief."""
    experiments: int = 1
    """Experiments of the lab at once, each in a process of its own."""
    experiment_seconds: float = 1800.0
    """How long one may take."""
    most_pairs: int = 20_000
    """The most deals of an experiment, each played twice."""
    most_attempt_simulations: int = 2_000
    """The most simulations of a decision of a challenger in a Nash report."""
