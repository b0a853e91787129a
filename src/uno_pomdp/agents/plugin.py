"""Plug-in agents: a user's own agent by its dotted path, `module.Class`, from the current folder or installed.

It is asked through an `OwnAgent` alone. Any error in it becomes one sentence with the file and the line; the original
exception is its cause. What it prints goes to the error output, for standard output is for results.
"""

import importlib
import importlib.util
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.agents.agent import ROUNDING, Agent, Budget, Decision, InvalidAgent, checked_policy
from uno_pomdp.agents.failure import defined, failure_in, is_ours, pass_on, said
from uno_pomdp.arrays import Floats
from uno_pomdp.errors import Interruption, place_of, quoted
from uno_pomdp.game.events import Event
from uno_pomdp.game.information import Token
from uno_pomdp.game.layout import Observations, Seat
from uno_pomdp.game.observation import Observation, observation_of
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.opponent_models import Memory, MemorylessModel, OpponentModel
from uno_pomdp.rules import Rules


def own_agent(path: str, options: Mapping[str, str]) -> "OwnAgent":
    """Import what a dotted path names, call it with the options, all of them texts, and return the agent."""
    module, _, name = path.rpartition(".")
    if not module or not all(part.isidentifier() for part in path.split(".")):
        raise InvalidAgent("py plays an agent of your own: write py:module.Class, as in py:mine.Careful")
    found = _module(module)
    maker = getattr(found, name, None)
    if not callable(maker):
        raise InvalidAgent(f"the module {module} has no class or function {quoted(name)} that makes an agent")
    where = defined(maker)
    _check_options(maker, name, options, where)
    with _blaming(path, "can't be made", lambda: found.__file__, where):
        agent = maker(**options)
    if not isinstance(agent, Agent):
        raise InvalidAgent(f"{path} makes no agent{where}: it has to return a uno_pomdp.Agent")
    return (OwnCoach if hasattr(agent, "move_values") else OwnAgent)(agent, f"py:{path}")


class OwnAgent(Agent):
    """A user's agent: whatever it does wrong is an `AgentFailure` that says where."""

    def __init__(self, own: Agent, name: str) -> None:
        self.own: Final = own
        """The agent itself."""
        self._name = name
        self.can = self._told("can", Abilities, "uno_pomdp.agents.Abilities")
        self.budget = self._told("budget", Budget | None, "a uno_pomdp.Budget, or None")
        self._timed = bool(self._told("timed", object, "a truth value"))
        if self.can.values_moves and not isinstance(self, OwnCoach):
            raise InvalidAgent(f"{name} is to value moves{defined(type(own))}, but has no method move_values")

    @property
    def name(self) -> str:
        """What it is called, which it may read itself."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        with self._asking("name"):
            self.own.name = name

    @property
    def timed(self) -> bool:
        """Whether it thinks by the clock, so that it may decide otherwise if asked again."""
        return self._timed

    def check_game(self, rules: Rules, seat: Seat | None = None) -> None:
        """Refuse a game that it can't play, in its own words."""
        with self._asking("check_game", refuses=True):
            self.own.check_game(rules, seat)

    def start(self, rules: Rules, observation: Observation, seed: Seed) -> None:
        """Begin a game at the seat of this observation."""
        self.rules, self.observation = rules, observation
        with self._asking("start", refuses=True):
            self.own.start(rules, observation, seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self.observation = observation
        with self._asking("update"):
            self.own.update(events, observation)

    def decide(self) -> Decision:
        """Return what it does now."""
        with self._asking("decide"):
            self.own.progress = self.progress
            decision = self.own.decide()
            if not isinstance(decision, Decision):
                raise TypeError(f"decide returned {type(decision).__name__}, but a Decision is needed")
            decision.check(self.observation.legal_actions())
            return decision

    def policy(self) -> npt.NDArray[Any] | None:
        """Return the probability of each of the 63 actions here, if it has a policy in closed form."""
        with self._asking("policy"):
            stated = self.own.policy()
            return None if stated is None else checked_policy(stated, self.observation.legal_actions())

    def as_model(self) -> OpponentModel | None:
        """Return its policy as an opponent model, if it has one of its own."""
        with self._asking("as_model"):
            model = self.own.as_model()
            if not isinstance(model, OpponentModel | None):
                raise TypeError(f"as_model returned {type(model).__name__}, but an OpponentModel or None is needed")
        if model is None or is_ours(type(model)):
            return model
        if isinstance(model, MemorylessModel):
            return _OwnMemorylessModel(model, self._name)
        return _OwnModel(model, self._name)

    def _told(self, name: str, kind: Any, needed: str) -> Any:
        """Return what it says of itself."""
        with self._asking(name):
            found = getattr(self.own, name)
            if not isinstance(found, kind):
                raise TypeError(f"{name} is {type(found).__name__}, but has to be {needed}")
            return found

    def _asking(self, method: str, refuses: bool = False) -> "_Asking":
        """Ask it something: its code runs within this alone, once it is made."""
        return _Asking(self.own, self._name, method, refuses)


class OwnCoach(OwnAgent):
    """A user's agent that values moves."""

    def move_values(self) -> Any:
        """Return the values of all legal actions."""
        with self._asking("move_values"):
            self.own.progress = self.progress
            values = self.own.move_values()  # type: ignore[attr-defined]  # or it would be no coach
            if not hasattr(values, "check"):
                raise TypeError(f"move_values returned {type(values).__name__}, but MoveValues are needed")
            values.check(self.observation.legal_actions())
            return values


class _OwnModel(OpponentModel):
    """A user's opponent model, asked in the same way."""

    def __init__(self, own: OpponentModel, name: str) -> None:
        self.name = name
        self._own = own

    def start(self, rules: Rules, seen: Observations) -> Memory:
        """Return its memory at the deal."""
        with _Asking(self._own, self.name, "start", refuses=True):
            return self._own.start(rules, seen)

    def follow(self, memory: Memory, token: Token) -> Memory:
        """Return its memory after it was told of a move."""
        with _Asking(self._own, self.name, "follow"):
            return self._own.follow(memory, token)

    def probabilities(self, seen: Observations, memory: Memory) -> Floats:
        """Return the probability of each of the 63 actions."""
        with _Asking(self._own, self.name, "probabilities"):
            return checked_policy(self._own.probabilities(seen, memory), observation_of(seen).legal_actions())


class _OwnMemorylessModel(MemorylessModel):
    """One that is asked about many hands at once."""

    def __init__(self, own: MemorylessModel, name: str) -> None:
        self.name = name
        self._own = own

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action."""
        with _Asking(self._own, self.name, "log_probabilities"):
            found = np.array(self._own.log_probabilities(seen, hands, drawn, action), np.float64)
            if found.shape != (len(hands),) or not (found <= ROUNDING).all():
                raise ValueError(f"no log-probabilities: give {len(hands)} numbers up to 0, -inf for what is not legal")
            return found


class _Guest:
    """Code of a user runs: what it prints goes to the error output, and what it makes of Ctrl-C does not count.

    Both in the main thread alone. That one hears Ctrl-C, and the streams belong to the whole process: a command that
    asks agents in other threads redirects them for all.
    """

    __slots__ = ("_before", "_heard")

    def __enter__(self) -> None:
        here = threading.get_ident() == threading.main_thread().ident
        self._before = sys.stdout if here else None
        self._heard = Interruption.latest
        if here:
            sys.stdout = sys.stderr

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._before is None:
            return
        sys.stdout = self._before
        heard = Interruption.latest
        if heard is not None and heard is not self._heard and heard is not error:
            raise heard


class _Asking(_Guest):
    """One question to an agent: what it does wrong is an `AgentFailure`."""

    __slots__ = ("_agent", "_method", "_name", "_refuses")

    def __init__(self, agent: object, name: str, method: str, refuses: bool = False) -> None:
        self._agent, self._name, self._method, self._refuses = agent, name, method, refuses

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        super().__exit__(kind, error, trace)
        if error is None or (self._refuses and isinstance(error, InvalidAgent)):
            return
        failure = failure_in(self._agent, self._name, self._method, error)
        raise failure from (error.__cause__ if failure is error else error)


def _module(name: str) -> ModuleType:
    """Return a module; the current folder is searched last, so that no file in it hides what is installed."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    file: str | None = None
    with _blaming(f"the module {name}", "can't be loaded", lambda: file):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # a package is there, but lacks something itself
            spec = None
        if spec is None:
            raise InvalidAgent(f"there is no module {quoted(name)}, neither in this folder nor installed")
        file = spec.origin
        return importlib.import_module(name)


def _check_options(maker: Callable[..., Any], name: str, options: Mapping[str, str], where: str) -> None:
    """Refuse options that the maker does not have, and the lack of those that it needs."""
    try:
        taken = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):  # of what is written in C; it says itself what it does not take
        return
    by_name = [one for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    names = [one.name for one in by_name]
    has = f"it has the options {', '.join(names)}" if names else "it has no options"
    for key in options:
        if key not in names and not any(one.kind is one.VAR_KEYWORD for one in taken):
            raise InvalidAgent(f"{name} has no option {quoted(key)}{where}: {has}")
    for one in by_name:
        if one.default is one.empty and one.name not in options:
            raise InvalidAgent(f"{name} needs the option {one.name}=…{where}")


@contextmanager
def _blaming(what: str, can_not: str, file: Callable[[], str | None], where: str = "") -> Iterator[None]:
    """Turn any exception of a user's code into one sentence that says where it failed."""
    try:
        with _Guest():
            yield
    except InvalidAgent:
        raise
    except BaseException as error:
        pass_on(error)
        found = place_of(error, file())
        raise InvalidAgent(f"{what} {can_not}{f' ({found})' if found else where}: {said(error)}") from error
