"""Plug-in agents: a user's own agent by its dotted path, `module.Class`, from the current folder or installed.

Any error in it becomes one sentence with the file and the line; the original exception is its cause.
"""

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from uno_pomdp.agents.agent import Agent, InvalidAgent
from uno_pomdp.errors import place, place_of, quoted


def own_agent(path: str, options: Mapping[str, str]) -> Agent:
    """Import what a dotted path names, call it with the options, all of them texts, and return the agent."""
    module, _, name = path.rpartition(".")
    if not module or not all(part.isidentifier() for part in path.split(".")):
        raise InvalidAgent("py plays an agent of your own: write py:module.Class, as in py:mine.Careful")
    found = _module(module)
    maker = getattr(found, name, None)
    if not callable(maker):
        raise InvalidAgent(f"the module {module} has no class or function {quoted(name)} that makes an agent")
    where = _defined(maker)
    _check_options(maker, name, options, where)
    with _blaming(path, "can't be made", lambda: found.__file__, where):
        agent = maker(**options)
    if not isinstance(agent, Agent):
        raise InvalidAgent(f"{path} makes no agent{where}: it has to return a uno_pomdp.Agent")
    return agent


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
        yield
    except InvalidAgent:
        raise
    except (Exception, SystemExit) as error:
        found = place_of(error, file())
        at = f" ({found})" if found else where
        reason = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        raise InvalidAgent(f"{what} {can_not}{at}: {type(error).__name__}{': ' * bool(reason)}{reason}") from error


def _defined(maker: object) -> str:
    """Return where a class or function is defined, in brackets; nothing where that is not known."""
    try:
        file, line = inspect.getsourcefile(maker), inspect.getsourcelines(maker)[1]  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
    return f" ({place(file, line)})" if file else ""
