"""`AgentFailure`: what an agent does wrong while it is asked, in a sentence with its method, file and line.

Never a move in its place: whoever asks an agent stops, or goes on without it and says so.
"""

import inspect
import os
import signal
import sys
import threading
import traceback
from typing import Final

from uno_pomdp.agents.agent import Agent
from uno_pomdp.agents.progress import SearchStopped
from uno_pomdp.errors import Interruption, UnoError, one_line, place

MOST_SAID: Final = 300
"""Characters of an agent's own message that are repeated."""
PACKAGE: Final = __package__.partition(".")[0]
WRITTEN: Final = {"start": "begin", "update": "follow"}
"""For methods of `Agent` that call one which agents write: its name."""


class AgentFailure(UnoError):
    """An agent raised an error or returned what it must not: a bug to fix, never counted as a lost game."""

    def __init__(self, agent: str, reason: str, record: str = "") -> None:
        super().__init__(f"{agent} failed: {reason}")
        self.agent = agent
        """The agent that failed, by name."""
        self.reason = reason
        """What went wrong and where; in a game, after how many moves."""
        self.record = record
        """The text of the game up to there; empty where no game was played."""

    def __reduce__(self) -> tuple[type["AgentFailure"], tuple[str, str, str]]:
        return type(self), (self.agent, self.reason, self.record)


def failure_in(agent: object, name: str, method: str, error: BaseException) -> AgentFailure:
    """Return the failure of an agent that raised this in a method; what is no fault of its own is raised again."""
    pass_on(error)
    if isinstance(error, AgentFailure):  # of an agent that this one asks
        return error if error.agent == name else AgentFailure(name, str(error))
    where = _where(agent, method, error)
    return AgentFailure(name, f"{said(error)}{f', in {where}' if where else ''}")


def pass_on(error: BaseException) -> None:
    """Raise again what the agent is not to blame for: somebody stops the program or a search, the output is gone."""
    raised: BaseException | None = error
    while raised is not None:  # an interrupted agent may have raised something else in the end
        if isinstance(raised, Interruption | SearchStopped):
            raise raised
        raised = raised.__context__
    if isinstance(error, KeyboardInterrupt) and _may_be_pressed():
        raise error


def said(error: BaseException) -> str:
    """Return an error's kind and message on one line."""
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:  # of a class of the user's
        message = "a message that can't be read"
    words = one_line(" ".join(message[: 2 * MOST_SAID].split()))
    words = words if len(words) <= MOST_SAID else f"{words[:MOST_SAID]}…"
    return f"{type(error).__name__}{': ' * bool(words)}{words}"


def _may_be_pressed() -> bool:
    """Return whether a bare `KeyboardInterrupt` can be Ctrl-C: it reaches the main thread, by Python's own handler.

    The command has its own, which raises an `Interruption`; worker processes don't hear Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    deaf = hasattr(signal, "pthread_sigmask") and signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return not deaf and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _where(agent: object, method: str, error: BaseException) -> str:
    """Return `method (file, line n)`: the last step in the agent's own file, or else where it has the method."""
    kind, name = type(agent), method
    if method in WRITTEN and getattr(kind, method, None) is getattr(Agent, method):
        name = WRITTEN[method]
    own = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if is_ours(kind) and isinstance(error, UnoError):
        return ""  # a refusal of ours, which says it all
    steps = [step for step in traceback.extract_tb(error.__traceback__) if not step.filename.startswith("<")]
    if all(step.filename != own for step in steps):  # the method is that of a base in another file
        own = next((step.filename for step in steps if not _ours(step.filename)), None)
    within = [step for step in steps if step.filename == own]
    if within:
        return f"{name} ({place(within[-1].filename, within[-1].lineno or 1)})"
    return f"{name}{defined(getattr(kind, name, None))}"


def is_ours(kind: type) -> bool:
    """Return whether a class is one of the package."""
    return kind.__module__.partition(".")[0] == PACKAGE


def _ours(file: str) -> bool:
    return file.startswith(os.path.dirname(os.path.dirname(__file__)) + os.sep)


def defined(thing: object) -> str:
    """Return where a class or function is defined, in brackets; nothing where that is not known."""
    try:
        file, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
    return f" ({place(file, line)})" if file else ""
