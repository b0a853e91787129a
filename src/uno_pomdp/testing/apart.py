"""An agent in a process of its own, which holds no game but what it is sent: what it plays there it can't have peeked.

The process is sent the agent's factory by value, by joblib's means, so that a class of a notebook or a
function without a name will do. It is used again by later checks, and ends with its parent, however that ends.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from subprocess import PIPE
from threading import Thread
from typing import Any, Final, NoReturn

import numpy as np
from joblib import wrap_non_picklable_objects

from uno_pomdp.agents.agent import Agent, InvalidAgent
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Event
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import States
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

_CODE: Final = "import sys; sys.path[:] = sys.argv[1:]; from uno_pomdp.testing.apart import _serve; _serve()"
_idle: Final[list["subprocess.Popen[bytes]"]] = []
"""Processes that wait for another check."""


class AgentApart:
    """An agent in a process of its own. Messages to it are taken in order; only `decision` waits for an answer."""

    def __init__(self, make_agent: Callable[[], Agent]) -> None:
        try:
            self._factory = pickle.dumps(
                wrap_non_picklable_objects((make_agent,), keep_wrapper=False)
            )  # classes it treats otherwise
        except Exception as error:  # whatever a part of it raises that can't be copied
            raise InvalidAgent(
                f"check_agent lets a second agent play in a process of its own, but what makes it can't be sent there "
                f"({type(error).__name__}: {error}): give a function or class of a module that opens files and starts "
                "threads only when it is called, or deterministic=False to leave that out"
            ) from error
        while _idle and _idle[-1].poll() is not None:  # somebody has ended it
            _close(_idle.pop())
        self._process = _idle.pop() if _idle else _started()

    def start(self, rules: Rules, observation: Observation, seed: np.random.SeedSequence, hidden: States) -> None:
        """Make a new agent, let it begin a game, and hold this game beside it."""
        self._send(_Work.start, self._factory, rules, observation, seed, hidden)

    def update(self, events: Sequence[Event], observation: Observation, hidden: States | None) -> None:
        """Let the agent take in an action; `hidden` is the game that is held from now on, None to keep the last."""
        self._send(_Work.update, tuple(events), observation, hidden)

    def decide(self) -> None:
        """Let the agent decide; `decision` returns what."""
        self._send(_Work.decide)

    def decision(self) -> Action | str:
        """Return what the agent has decided; as a text, what it has raised since it was started."""
        assert self._process.stdout is not None
        try:
            found: Action | str = pickle.load(self._process.stdout)
        except EOFError:
            return f"its process ended with code {self._process.wait()}"
        return found

    def release(self) -> None:
        """Leave the process to later checks."""
        _idle.append(self._process)

    def close(self) -> None:
        """End the process: what it was asked may be unanswered."""
        _close(self._process)

    def _send(self, work: Callable[..., object], *arguments: Any) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump((work.__name__, arguments), self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:  # it has ended, which `decision` says
            return


def _started() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-P", "-c", _CODE, *sys.path], stdin=PIPE, stdout=PIPE)


def _close(process: "subprocess.Popen[bytes]") -> None:
    with process:
        process.kill()  # it has nothing to tidy up


@atexit.register
def _close_all() -> None:
    while _idle:
        _close(_idle.pop())


# --- in the other process --------------------------------------------------------------------------------


class _Work:
    """The agent that plays there, and the game beside it."""

    def __init__(self) -> None:
        self.agent: Agent | None = None
        self.game: Game | None = None
        self.failed = ""

    def start(
        self, factory: bytes, rules: Rules, seen: Observation, seed: np.random.SeedSequence, hidden: States
    ) -> None:
        """Begin a game."""
        self.failed = ""
        self.game = Game(rules, 0, hidden)
        (make_agent,) = pickle.loads(factory)
        self.agent = make_agent()
        self.agent.start(rules, seen, seed)

    def update(self, events: Sequence[Event], seen: Observation, hidden: States | None) -> None:
        """Take in an action."""
        assert self.agent is not None
        assert self.game is not None
        if hidden is not None:
            self.game = Game(self.game.rules, 0, hidden)
        self.agent.update(events, seen)

    def decide(self) -> Action:
        """Return what the agent does."""
        assert self.agent is not None
        return self.agent.decide().action


def _serve() -> NoReturn:
    """Do what the parent says until it has ended or closed the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all: the parent ends this one
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what an agent prints is no reply
    orders: SimpleQueue[tuple[str, tuple[Any, ...]]] = SimpleQueue()

    def read() -> None:
        while True:
            try:
                orders.put(pickle.load(sys.stdin.buffer))
            except (EOFError, pickle.UnpicklingError, OSError):
                os._exit(0)

    Thread(target=read, daemon=True).start()
    work = _Work()
    while True:
        name, arguments = orders.get()
        done = None
        if not work.failed or name == "start":
            try:
                done = getattr(work, name)(*arguments)
            except Exception as error:  # the check reports it with the decision
                work.failed = f"{type(error).__name__}: {error}"
        if name == "decide":
            pickle.dump(work.failed or done, replies)
            replies.flush()
