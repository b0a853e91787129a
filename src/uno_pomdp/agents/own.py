"""An agent of one's own, by the name of what makes it: `module.Class`, from the present folder or installed."""

import importlib
import inspect
import os
import sys
from collections.abc import Mapping
from types import ModuleType

from uno_pomdp.agents.protocol import Agent, InvalidAgent


def own_agent(path: str, options: Mapping[str, str]) -> Agent:
    """Import what a dotted path names, call it with the options, all of them texts, and return the agent."""
    module, _, name = path.rpartition(".")
    if not module or not all(part.isidentifier() for part in path.split(".")):
        raise InvalidAgent("py plays an agent of your own: write py:module.Class, as in py:mine.Careful")
    maker = getattr(_module(module), name, None)
    if not callable(maker):
        raise InvalidAgent(f"the module {module} has no class or function {name!r} that makes an agent")
    try:
        inspect.signature(maker).bind(**options)
    except TypeError as error:
        raise InvalidAgent(f"{path} can't be made with these options: {error}") from None
    agent = maker(**options)
    if not isinstance(agent, Agent):
        raise InvalidAgent(f"{path} makes no agent: it has to return a subclass of uno_pomdp.agents.protocol.Agent")
    return agent


def _module(name: str) -> ModuleType:
    """Return a module; the present folder is looked into last, so that no file in it hides what is installed."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, but lacks something itself
        raise InvalidAgent(f"there is no module {name!r}, neither in this folder nor installed") from None
