"""From a text to an agent: a name, then options, as in `flat:ms=10,belief=closed`.

A text is parsed once, to an `AgentSpec`: it has the options with their types, says what such an agent can do, and makes
it. Nothing here loads Numba before an agent is made or asked about.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp.agent_kinds import AGENTS, AgentKind
from uno_pomdp.agent_options import Values, budget_of, given_options
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.errors import InvalidAgent

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent, Budget
    from uno_pomdp.rules import Rules


@dataclass(frozen=True)
class AgentSpec:
    """What a text says about an agent. Two that come from the same text are the same.

    >>> import uno_pomdp as uno
    >>> spec = uno.AgentSpec.parse("flat:ms=10,belief=uniform")
    >>> spec.options["belief"], spec.timed, spec.can.values_moves
    ('uniform', True, True)
    """

    text: str
    """The text."""
    name: str = field(compare=False)
    """The kind of agent, by its name in `AGENTS`."""
    given: Mapping[str, str] = field(compare=False)
    """The options that the text has, as it has them."""
    options: Values = field(compare=False)
    """All options by name, read and checked; those of an agent of one's own are texts."""
    path: str = field(default="", compare=False)
    """Where an agent of one's own is: `module.Class`."""

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Read a text, and refuse a wrong one in a sentence that says what would be right."""
        name, colon, rest = text.strip().partition(":")
        kind = AGENTS.get(name)
        if kind is None:
            raise InvalidAgent(f"no agent is called {name!r}: choose one of {', '.join(AGENTS)}")
        if colon and not rest.strip():
            raise InvalidAgent(f"nothing stands after the colon of {name}: write {name}, or {name}:name=value")
        parts = [part.strip() for part in rest.split(",")] if colon else []
        path = parts.pop(0) if name == "py" and parts and "=" not in parts[0] else ""
        given = given_options(name, parts)
        options: Values = given if name == "py" else _values(name, kind, given)  # which only its maker knows
        return cls(text.strip(), name, given, options, path)

    def __str__(self) -> str:
        return self.text

    def make(self) -> "Agent":
        """Return a new agent."""
        agent = AGENTS[self.name].make(*([self.path] if self.name == "py" else ()), **self.options)
        agent.name = self.text
        return agent

    @cached_property
    def can(self) -> Abilities:
        """What it can do beyond deciding. One's own agent says it itself."""
        says = AGENTS[self.name].can
        return self._one.can if says is None else says(self.options)

    @property
    def budget(self) -> "Budget | None":
        """How long it may think about one decision; None if nothing sets it a limit."""
        if AGENTS[self.name].can is None:
            return self._one.budget
        if "ms" not in self.options or self.can.has_policy:  # what says its policy does not search
            return None
        return budget_of(self.options["ms"], self.options["sims"])

    @property
    def timed(self) -> bool:
        """Whether it thinks by the clock, so that it can't be asked to decide the same again."""
        return self.budget is not None and self.budget.milliseconds is not None

    @cached_property
    def _one(self) -> "Agent":
        """One of them, to be asked."""
        return self.make()

    @property
    def file(self) -> Path | None:
        """The file that it plays from, if the text names one."""
        found = self.options.get("file")
        return found if isinstance(found, Path) else None

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that it may read. Of an agent of one's own: its module, and whatever its options name."""
        if self.name != "py":
            return tuple(value for value in self.options.values() if isinstance(value, Path))
        module = self.path.rpartition(".")[0].replace(".", "/")
        return (*map(Path, self.given.values()), Path(f"{module}.py"))

    @property
    def without_numbers(self) -> str:
        """The text with its numbers left out: agents that differ in nothing else need the same kernels."""
        known = AGENTS[self.name].options
        words = [f"{key}={'' if key in known and known[key].is_number else text}" for key, text in self.given.items()]
        return f"{self.name}:{','.join([self.path] * bool(self.path) + words)}"


def _values(name: str, kind: AgentKind, given: Mapping[str, str]) -> dict[str, Any]:
    """Return all options of a kind, those that are given and the others."""
    for key in given:
        if key not in kind.options:
            has = f"has the options {', '.join(kind.options)}" if kind.options else "has no options"
            raise InvalidAgent(f"{name} has no option {key!r}: it {has}")
    if "ms" in given and "sims" in given:
        raise InvalidAgent("give ms=… or sims=…, not both")
    values = {key: option.value(key, given.get(key)) for key, option in kind.options.items()}
    if kind.check is not None:
        kind.check(values)
    return values


def make_agent(text: str) -> "Agent":
    """Return the agent that a text describes.

    >>> import uno_pomdp as uno
    >>> uno.make_agent("flat:sims=200,belief=uniform").name
    'flat:sims=200,belief=uniform'
    """
    return AgentSpec.parse(text).make()


SIMPLE: Final = "heuristic"
"""Who plays and advises under rules that no search plays well: challenges, for now."""
OPPONENT: Final = "flat:ms=50"
"""Who plays against a person who names nobody, under rules without a champion."""
COACH: Final = "flat:sims=50000"
"""Who advises and reviews there; a budget of simulations, so that a review can be repeated."""
CHAMPION_OPPONENT: Final = "champion:ms=50"
"""Who plays against a person who names nobody, under rules with a champion."""
CHAMPION_COACH: Final = "champion:sims=16000,trust=0"
"""Who advises and reviews there: by values alone, as a review does."""


def opponent_for(rules: "Rules") -> str:
    """Return who plays against a person who names nobody."""
    if not_searched(rules):
        return SIMPLE
    return CHAMPION_OPPONENT if _has_champion(rules) else OPPONENT


def coach_for(rules: "Rules") -> str:
    """Return who advises and reviews unless another is named."""
    return CHAMPION_COACH if _has_champion(rules) else COACH


def not_searched(rules: "Rules") -> tuple[str, ...]:
    """Return the rules for which `heuristic` stands in unless another is named, as in `wild_four=challenge`.

    A search that plays games out with nobody who challenges would always lie.
    """
    from uno_pomdp.known_rules import FIRST_RULES, unknown_values

    return unknown_values(rules, {"wild_four": FIRST_RULES["wild_four"]})


def _has_champion(rules: "Rules") -> bool:
    from uno_pomdp.nets.pretrained import pretrained_rules

    return rules.name in pretrained_rules()
