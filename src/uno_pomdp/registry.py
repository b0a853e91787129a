"""From a text to an agent: a name, then options, as in `flat:ms=10,belief=closed`.

A text is parsed once, to an `AgentSpec`: it has the options with their types, says what such an agent can do, and makes
it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp.agent_kinds import (
    AGENTS,
    BELIEF_OPTIONS,
    BELIEFS,
    AgentOptions,
    BeliefOptions,
    OwnOptions,
    belief_called,
)
from uno_pomdp.agent_options import Option, Values, given_options, options_of, split
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.errors import InvalidAgent, InvalidBelief, abridged, quoted

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent, Budget
    from uno_pomdp.policies.opponent_models import OpponentModel
    from uno_pomdp.search.named_beliefs import MakeBelief


MODELS: Final = (
    "random, greedy, baseline, heuristic, policy:file=PATH, champion without ms and sims, "
    "or py:module.Class of an agent with a method policy"
)
"""The agents that can be opponent models, for messages."""

MOST_NESTED: Final = 8
"""How deep models of models may go: nobody reasons further, and each level multiplies the work."""


@dataclass(frozen=True)
class AgentSpec:
    """What a text says about an agent. Specs from the same text are equal.

    >>> import uno_pomdp as uno
    >>> spec = uno.AgentSpec.parse("flat:ms=10,belief=uniform")
    >>> str(spec.options["belief"]), spec.timed, spec.can.values_moves
    ('uniform', True, True)
    """

    text: str
    """The text."""
    given: Mapping[str, str] = field(compare=False)
    """The options that the text has, as it has them."""
    kind: AgentOptions = field(compare=False)
    """The kind of agent, with all options."""

    @classmethod
    def parse(cls, text: str, depth: int = 0) -> "AgentSpec":
        """Read a text, and refuse a wrong one in a sentence that says what would be right.

        A text within a text, for a model, is as many levels deep.
        """
        if depth > MOST_NESTED:
            raise InvalidAgent(f"a model may have a model, but not more than {MOST_NESTED} deep")
        name, colon, rest = text.strip().partition(":")
        kind = AGENTS.get(name)
        if kind is None:
            raise InvalidAgent(f"no agent is called {quoted(name)}: choose one of {', '.join(AGENTS)}")
        if colon and not rest.strip():
            after = "module.Class" if kind is OwnOptions else next((f"{option}=…" for option in kind.options()), "")
            raise InvalidAgent(
                f"nothing stands after the colon of {name}: write {f'{name}:{after}' if after else name}"
            )
        parts = split(rest) if colon else []
        if kind is OwnOptions:
            path = parts.pop(0) if parts and "=" not in parts[0] else ""
            given = given_options(name, parts)
            return cls(text.strip(), given, OwnOptions(path=path, given=given))
        given = given_options(name, parts)
        return cls(text.strip(), given, _kind(kind, given, depth))

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """The kind of agent, by its name in `AGENTS`."""
        return self.kind.name

    @property
    def options(self) -> Values:
        """All options by name, read and checked; those of a plug-in agent (`py`) are texts."""
        return self.kind.values()

    @property
    def path(self) -> str:
        """Where a plug-in agent is defined: `module.Class`."""
        return self.kind.path if isinstance(self.kind, OwnOptions) else ""

    def make(self) -> "Agent":
        """Return a new agent."""
        agent = self.kind.make()
        agent.name = self.text
        return agent

    def as_model(self) -> "OpponentModel":
        """Return its policy as an opponent model; an agent that states none is refused."""
        from uno_pomdp.agents.agent_model import AgentModel

        if not self.can.has_policy:
            raise InvalidAgent(
                f"{self.text} does not state its policy, so nothing can be inferred from its choices: choose {MODELS}"
            )
        agent = self.make()
        return agent.as_model() or AgentModel(self.make, self.text)

    @cached_property
    def can(self) -> Abilities:
        """What it can do beyond deciding. A plug-in agent says so itself."""
        return self.kind.can or self._one.can

    @property
    def budget(self) -> "Budget | None":
        """How long it may think about one decision; None if nothing sets it a limit."""
        return self._one.budget if self.kind.can is None else self.kind.budget

    @property
    def timed(self) -> bool:
        """Whether it thinks by the clock, so that it may decide otherwise if asked again."""
        return self.budget is not None and self.budget.milliseconds is not None

    @cached_property
    def _one(self) -> "Agent":
        """An agent made from the text, to be asked about itself."""
        return self.make()

    @property
    def belief(self) -> "BeliefSpec | None":
        """The belief from which it samples worlds; None for an agent that has none, or does not say so."""
        found = self.options.get("belief")
        if isinstance(found, BeliefSpec):
            return found
        return _belief(type(self.kind), None, self.options) if "belief" in self.kind.options() else None

    @property
    def file(self) -> Path | None:
        """The file that it plays from, if the text names one."""
        found = self.options.get("file")
        return found if isinstance(found, Path) else None

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that it may read. For a plug-in agent: its module, and whatever its options name."""
        if not isinstance(self.kind, OwnOptions):
            return _files(self.options)
        module = self.path.rpartition(".")[0].replace(".", "/")
        return (*map(Path, self.given.values()), Path(f"{module}.py"))

    @property
    def without_numbers(self) -> str:
        """The text with its numbers left out: agents that differ in nothing else need the same kernels."""
        known = self.kind.options()
        words = [f"{key}={'' if key in known and known[key].is_number else text}" for key, text in self.given.items()]
        return f"{self.name}:{','.join([self.path] * bool(self.path) + words)}"


def _kind(kind: type[AgentOptions], given: Mapping[str, str], depth: int) -> AgentOptions:
    """Return a kind of agent with the options that are given, and the defaults of the others."""
    known = kind.options()
    for key in given:
        if key not in known:
            has = f"has the options {', '.join(known)}" if known else "has no options"
            raise InvalidAgent(f"{kind.name} has no option {quoted(key)}: it {has}")
    if "ms" in given and "sims" in given:
        raise InvalidAgent("give ms=… or sims=…, not both")
    values = _read(known, given, depth)
    for key, option in known.items():
        if option.missing and values[key] is None:
            raise InvalidAgent(option.missing)
    own = {key: values[key] for key in options_of(kind)}
    about = {key: value for key, value in values.items() if key not in own and value is not None}
    if "belief" in own and (own["belief"] is not None or about):
        own["belief"] = _belief(kind, own["belief"], values)
    made = kind(**own)
    made.check()
    return made


def _belief(kind: type[AgentOptions], name: str | None, values: Values) -> "BeliefSpec":
    """Return the belief of a kind of agent from its options; without a name, the usual one."""
    plans = "model" in options_of(kind)  # against an opponent: a belief that has a model has the same one
    name = name or ("particles" if plans else "closed")
    left_out = {"model"} if plans and "model" not in options_of(BELIEFS[name]) else set()
    return BeliefSpec.of(name, {key: values.get(key) for key in BELIEF_OPTIONS if key not in left_out})


def _read(known: Mapping[str, Option], given: Mapping[str, str], depth: int = 0) -> dict[str, Any]:
    """Return the values of options; a text that names an agent is parsed."""
    values = {key: option.value(key, given.get(key)) for key, option in known.items()}
    for key, option in known.items():
        if option.is_agent and values[key] is not None:
            values[key] = AgentSpec.parse(values[key], depth + 1)
    return values


def _files(options: Values) -> tuple[Path, ...]:
    """Return all files that options name, those of agents and beliefs among them included."""
    found: list[Path] = []
    for value in options.values():
        if isinstance(value, Path):
            found.append(value)
        elif isinstance(value, AgentSpec | BeliefSpec):
            found += value.reads
    return tuple(found)


@dataclass(frozen=True)
class BeliefSpec:
    """What a text says about a belief: its kind, then options. Specs that say the same are equal.

    >>> import uno_pomdp as uno
    >>> spec = uno.BeliefSpec.parse("particles,model=greedy,particles=500")
    >>> spec.name, spec.options["resample"]
    ('particles', 0.5)
    >>> uno.BeliefSpec.parse("closed,particles=500")
    Traceback (most recent call last):
    uno_pomdp.errors.InvalidBelief: closed has no option 'particles': it has none; write belief=particles,particles=500
    """

    text: str
    """The text."""
    name: str = field(compare=False)
    """The kind of belief, by its name in `BELIEFS`."""
    kind: BeliefOptions = field(compare=False)
    """The same, with all options."""

    @classmethod
    def parse(cls, text: str) -> "BeliefSpec":
        """Read a text, and refuse a wrong one in a sentence that says what would be right."""
        try:
            name, *parts = split(text.strip())
            given = given_options(belief_called(name), parts)
            for key, value in given.items():
                if key not in BELIEF_OPTIONS:
                    raise InvalidAgent(_no_option(name, key, value))
            return cls.of(name, _read({key: BELIEF_OPTIONS[key] for key in BELIEF_OPTIONS if key in given}, given))
        except InvalidAgent as error:
            raise InvalidBelief(str(error)) from error

    @classmethod
    def of(cls, name: str, given: Values) -> "BeliefSpec":
        """Return a kind of belief with options that are read already; None for one that is not given."""
        known = options_of(BELIEFS[name])
        for key, value in given.items():
            if value is not None and key not in known:
                raise InvalidAgent(_no_option(name, key, _shown(value)))
        chosen = {key: given[key] for key in known if given.get(key) is not None}
        text = ",".join([name, *(f"{key}={_shown(value)}" for key, value in chosen.items())])
        return cls(text, name, BELIEFS[name](**_read(known, {}) | chosen))

    def __str__(self) -> str:
        return self.text

    @property
    def options(self) -> Values:
        """All options by name, read and checked."""
        return vars(self.kind)

    @property
    def reads_choices(self) -> bool:
        """Whether what the opponent chose is evidence to it: whether it has a model."""
        return self.options.get("model") is not None

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that its model may read."""
        return _files(self.options)

    def maker(self, model: "OpponentModel | None" = None) -> "MakeBelief":
        """Return what makes the belief of a new game; a model that is given stands for its own."""
        spec = self.options.get("model")
        return self.kind.make(spec.as_model() if model is None and spec is not None else model)


def _no_option(name: str, key: str, value: str) -> str:
    """Return the sentence that refuses an option of a kind of belief, and names the kind that has this option."""
    known = options_of(BELIEFS[name])
    has = f"it has {', '.join(known)}" if known else "it has none"
    better = next((other for other in ("particles", "enumerated") if key in options_of(BELIEFS[other])), None)
    return f"{name} has no option {quoted(key)}: {has}" + (
        f"; write belief={better},{key}={abridged(value)}" if better else ""
    )


def _shown(value: object) -> str:
    """Return a value as a text of options has it."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"({text})" if "," in text else text


def is_agent(text: str) -> bool:
    """Return whether a text is meant as an agent, rightly written or not."""
    return text.partition(":")[0].strip() in AGENTS


def make_agent(text: str) -> "Agent":
    """Return the agent that a text describes.

    >>> import uno_pomdp as uno
    >>> uno.make_agent("flat:sims=200,belief=uniform").name
    'flat:sims=200,belief=uniform'
    """
    return AgentSpec.parse(text).make()


def as_model(opponent: "OpponentModel | AgentSpec | str") -> "OpponentModel":
    """Return an opponent model as it is, or the policy that an agent states: scripted, tabular, net or plug-in.

    >>> import uno_pomdp as uno
    >>> uno.as_model("champion").name
    'champion'
    """
    if isinstance(opponent, str):
        opponent = AgentSpec.parse(opponent)
    return opponent.as_model() if isinstance(opponent, AgentSpec) else opponent
