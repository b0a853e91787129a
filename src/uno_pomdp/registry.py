"""From a text to an agent: a name, then options, as in `flat:ms=10,belief=closed`."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from uno_pomdp.agents.policies import BASELINE, GREEDY, HEURISTIC, RANDOM
from uno_pomdp.agents.protocol import Agent, InvalidAgent
from uno_pomdp.agents.scripted import ScriptedAgent


@dataclass(frozen=True, slots=True)
class Entry:
    """One kind of agent."""

    make: Callable[..., Agent]
    """Makes it from its options, all of them texts by name."""
    about: str
    """One sentence for a list."""


def _scripted(policy: int) -> Callable[[], Agent]:
    def make() -> Agent:
        return ScriptedAgent(policy)

    return make


AGENTS: Final[dict[str, Entry]] = {
    "random": Entry(_scripted(RANDOM), "every legal action equally likely"),
    "greedy": Entry(_scripted(GREEDY), "any playable card, each copy equally likely; black in the colour held most"),
    "baseline": Entry(_scripted(BASELINE), "+2, then skip and reverse, then numbers, black last: the yardstick"),
    "heuristic": Entry(_scripted(HEURISTIC), "scores each card with a few tuned weights"),
}
"""All agents by name."""


def make_agent(text: str) -> Agent:
    """Return the agent that a text describes."""
    name, _, rest = text.strip().partition(":")
    entry = AGENTS.get(name)
    if entry is None:
        raise InvalidAgent(f"no agent is called {name!r}: choose one of {', '.join(AGENTS)}")
    options: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise InvalidAgent(f"{part!r} is no option of {name}: write name=value")
        options[key.strip()] = value.strip()
    known = tuple(inspect.signature(entry.make).parameters)
    for key in options:
        if key not in known:
            has = f"has the options {', '.join(known)}" if known else "has no options"
            raise InvalidAgent(f"{name} has no option {key!r}: it {has}")
    agent = entry.make(**options)
    agent.name = text.strip()
    return agent
