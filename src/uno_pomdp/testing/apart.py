"""An agent in a process of its own, which holds no game but what it is sent: what it plays there it can't have peeked.

The process is sent the agent's factory by value, by joblib's means, so that a class of a notebook or a function without
a name will do. Where the system can, one process keeps the package loaded, and a fork of it plays for every check: it
has no memory of other checks, and imports an agent's module anew. All of them end with their parent, however that ends.
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
from typing import Any, BinaryIO, Final, NoReturn

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
_FORKS: Final = hasattr(os, "fork")
_LENGTH: Final = 8
"""Bytes before a message that say how long it is."""
_idle: Final[list["subprocess.Popen[bytes]"]] = []
"""Processes that wait for another check."""


class AgentApart:
    """An agent in a process of its own. Messages to it are taken in order; only `decision` waits for an answer."""

    def __init__(self, make_agent: Callable[[], Agent]) -> None:
        try:
            factory = pickle.dumps(wrap_non_picklable_objects((make_agent,), keep_wrapper=False))  # a class is no tuple
        except Exception as error:  # whatever a part of it raises that can't be copied
            raise InvalidAgent(
                f"check_agent lets a second agent play in a process of its own, but what makes it can't be sent there "
                f"({type(error).__name__}: {error}): give a function or class of a module that opens files and starts "
                "threads only when it is called, or deterministic=False to leave that out"
            ) from error
        while _idle and _idle[-1].poll() is not None:  # somebody has ended it
            _close(_idle.pop())
        self._process = _idle.pop() if _idle else _started()
        self._send(factory, os.getcwd(), sys.path)

    def start(self, rules: Rules, observation: Observation, seed: np.random.SeedSequence, hidden: States) -> None:
        """Make a new agent, let it begin a game, and hold this game beside it."""
        self._send(_Player.start.__name__, rules, observation, seed, hidden)

    def update(self, events: Sequence[Event], observation: Observation, hidden: States | None) -> None:
        """Let the agent take in an action; `hidden` is the game that is held from now on, None to keep the last."""
        self._send(_Player.update.__name__, tuple(events), observation, hidden)

    def decide(self) -> None:
        """Let the agent decide; `decision` returns what."""
        self._send(_Player.decide.__name__)

    def decision(self) -> Action | str:
        """Return what the agent has decided; as a text, what it has raised since it was started."""
        assert self._process.stdout is not None
        try:
            found: Action | str = pickle.load(self._process.stdout)
        except EOFError:
            return _ended(self._process.wait())
        return found

    def release(self) -> None:
        """Let the agent go, and leave the process to later checks."""
        if not _FORKS:
            self.close()
            return
        self._send(_END)
        _idle.append(self._process)

    def close(self) -> None:
        """End the process: what it was asked may be unanswered."""
        _close(self._process)

    def _send(self, *message: Any) -> None:
        assert self._process.stdin is not None
        data = pickle.dumps(message)
        try:
            self._process.stdin.write(len(data).to_bytes(_LENGTH) + data)
            self._process.stdin.flush()
        except BrokenPipeError:  # it has ended, which `decision` says
            return


def _started() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-P", "-c", _CODE, *sys.path], stdin=PIPE, stdout=PIPE)


def _close(process: "subprocess.Popen[bytes]") -> None:
    process.kill()  # it has nothing to tidy up
    try:
        process.communicate()
    except BrokenPipeError:
        process.wait()


@atexit.register
def _close_all() -> None:
    while _idle:
        _close(_idle.pop())


# --- in the other process --------------------------------------------------------------------------------

_END: Final = "end"


class _Player:
    """The agent that plays there, and the game beside it."""

    def __init__(self, make_agent: Callable[[], Agent]) -> None:
        self.make_agent = make_agent
        self.agent: Agent | None = None
        self.game: Game | None = None

    def start(self, rules: Rules, seen: Observation, seed: np.random.SeedSequence, hidden: States) -> None:
        """Begin a game."""
        self.game = Game(rules, 0, hidden)
        self.agent = self.make_agent()
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
    """Serve one check after the other until the parent has ended or closed the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all: the parent ends this one
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what an agent prints is not a reply
    while True:
        try:
            check = _received()
        except EOFError:
            os._exit(0)
        if not _FORKS or os.fork() == 0:
            _play(replies, *check)
        _, status = os.wait()
        if code := os.waitstatus_to_exitcode(status):
            _reply(replies, _ended(code))


def _play(replies: BinaryIO, factory: bytes, folder: str, path: list[str]) -> NoReturn:
    """Do what the parent says until it ends the check, or itself."""
    orders: SimpleQueue[tuple[Any, ...]] = SimpleQueue()

    def read() -> None:
        while True:
            try:
                orders.put(order := _received())
            except EOFError:
                os._exit(0)
            if order == (_END,):
                return

    Thread(target=read, daemon=True).start()
    work, failed = None, ""
    try:
        os.chdir(folder)
        sys.path[:] = path
        work = _Player(*pickle.loads(factory))
    except Exception as error:  # the check reports it with the decision
        failed = _said(error)
    while (order := orders.get()) != (_END,):
        name, *arguments = order
        done = None
        if work is not None:
            try:
                if not failed or name == _Player.start.__name__:
                    failed = ""
                    done = getattr(work, name)(*arguments)
            except Exception as error:
                failed = _said(error)
        if name == _Player.decide.__name__:
            _reply(replies, failed or done)
    os._exit(0)


def _received() -> Any:
    """Return the next message, without reading a byte of the one after it."""
    return pickle.loads(_read(int.from_bytes(_read(_LENGTH))))


def _read(count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = os.read(0, count - len(found))
        if not part:
            raise EOFError
        found += part
    return found


def _reply(replies: BinaryIO, said: object) -> None:
    pickle.dump(said, replies)
    replies.flush()


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _ended(code: int) -> str:
    return f"its process ended with code {code}"
