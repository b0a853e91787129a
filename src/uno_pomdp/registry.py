"""From a text to an agent: a name, then options, as in `flat:ms=10,belief=closed`.

A text is parsed once, to an `AgentSpec`: it has the options with their types, says what such an agent can do, and makes
it. Nothing here loads Numba before an agent is made or asked about.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp.agent_kinds import AGENTS, AgentKind
from uno_pomdp.agent_options import BELIEF, BELIEFS, Option, Values, belief_called, budget_of, given_options, split
from uno_pomdp.agents.abilities import Abilities
from uno_pomdp.errors import InvalidAgent, InvalidBelief, abridged, quoted

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent, Budget
    from uno_pomdp.policies.opponent_models import OpponentModel
    from uno_pomdp.rules import Rules
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
    name: str = field(compare=False)
    """The kind of agent, by its name in `AGENTS`."""
    given: Mapping[str, str] = field(compare=False)
    """The options that the text has, as it has them."""
    options: Values = field(compare=False)
    """All options by name, read and checked; those of a plug-in agent (`py`) are texts."""
    path: str = field(default="", compare=False)
    """Where a plug-in agent is defined: `module.Class`."""

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Read a text, and refuse a wrong one in a sentence that says what would be right."""
        return cls._parse(text, 0)

    @classmethod
    def _parse(cls, text: str, depth: int) -> "AgentSpec":
        """Read the text of an agent that is a model, that many levels deep."""
        if depth > MOST_NESTED:
            raise InvalidAgent(f"a model may have a model, but not more than {MOST_NESTED} deep")
        name, colon, rest = text.strip().partition(":")
        kind = AGENTS.get(name)
        if kind is None:
            raise InvalidAgent(f"no agent is called {quoted(name)}: choose one of {', '.join(AGENTS)}")
        if colon and not rest.strip():
            after = "module.Class" if name == "py" else next((f"{option}=…" for option in kind.options), "")
            raise InvalidAgent(
                f"nothing stands after the colon of {name}: write {f'{name}:{after}' if after else name}"
            )
        parts = split(rest) if colon else []
        path = parts.pop(0) if name == "py" and parts and "=" not in parts[0] else ""
        given = given_options(name, parts)
        options: Values = given if name == "py" else _values(name, kind, given, depth)  # which only its maker knows
        return cls(text.strip(), name, given, options, path)

    def __str__(self) -> str:
        return self.text

    def make(self) -> "Agent":
        """Return a new agent."""
        options = self.options if self.name == "py" else _made(self.options)
        agent = AGENTS[self.name].make(*([self.path] if self.name == "py" else ()), **options)
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
        """Whether it thinks by the clock, so that it may decide otherwise if asked again."""
        return self.budget is not None and self.budget.milliseconds is not None

    @cached_property
    def _one(self) -> "Agent":
        """An agent made from the text, to be asked about itself."""
        return self.make()

    @property
    def belief(self) -> "BeliefSpec | None":
        """The belief from which it samples worlds; None for an agent that has none, or does not say so."""
        found, kind = self.options.get("belief"), AGENTS[self.name]
        if isinstance(found, BeliefSpec):
            return found
        if kind.plans_against:
            return BeliefSpec.of("particles", {"model": self.options["model"]})
        return BeliefSpec.of("closed", {}) if "belief" in kind.options else None

    @property
    def file(self) -> Path | None:
        """The file that it plays from, if the text names one."""
        found = self.options.get("file")
        return found if isinstance(found, Path) else None

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that it may read. For a plug-in agent: its module, and whatever its options name."""
        if self.name != "py":
            return _files(self.options)
        module = self.path.rpartition(".")[0].replace(".", "/")
        return (*map(Path, self.given.values()), Path(f"{module}.py"))

    @property
    def without_numbers(self) -> str:
        """The text with its numbers left out: agents that differ in nothing else need the same kernels."""
        known = AGENTS[self.name].options
        words = [f"{key}={'' if key in known and known[key].is_number else text}" for key, text in self.given.items()]
        return f"{self.name}:{','.join([self.path] * bool(self.path) + words)}"


def _values(name: str, kind: AgentKind, given: Mapping[str, str], depth: int) -> dict[str, Any]:
    """Return all options of a kind, those that are given and the others."""
    for key in given:
        if key not in kind.options:
            has = f"has the options {', '.join(kind.options)}" if kind.options else "has no options"
            raise InvalidAgent(f"{name} has no option {quoted(key)}: it {has}")
    if "ms" in given and "sims" in given:
        raise InvalidAgent("give ms=… or sims=…, not both")
    values = _read(kind.options, given, depth)
    if "belief" in values:
        values = _with_belief(kind, values)
    if kind.check is not None:
        kind.check(values)
    return values


def _read(known: Mapping[str, Option], given: Mapping[str, str], depth: int = 0) -> dict[str, Any]:
    """Return the values of options; a text that names an agent is parsed."""
    values = {key: option.value(key, given.get(key)) for key, option in known.items()}
    for key, option in known.items():
        if option.is_agent and values[key] is not None:
            values[key] = AgentSpec._parse(values[key], depth + 1)
    return values


def _with_belief(kind: AgentKind, values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an agent, with those about its belief gathered into one `BeliefSpec`."""
    name, kept = values["belief"], {"model"} if kind.plans_against else set()
    about = {key: values[key] for key in BELIEF if key != "belief" and key not in kept}
    others = {key: value for key, value in values.items() if key not in about}
    if name is None and not any(value is not None for value in about.values()):
        return others
    name = name or ("particles" if kind.plans_against else "closed")
    if kept & BELIEFS[name].keys():
        about["model"] = values["model"]
    return others | {"belief": BeliefSpec.of(name, about)}


def _made(options: Values) -> dict[str, Any]:
    """Return options as a maker takes them: agents as opponent models, beliefs as their makers."""
    models: dict[AgentSpec, OpponentModel] = {}

    def model_of(spec: AgentSpec) -> "OpponentModel":
        if spec not in models:
            models[spec] = spec.as_model()
        return models[spec]

    made = dict(options)
    for key, value in options.items():
        if isinstance(value, AgentSpec):
            made[key] = model_of(value)
        elif isinstance(value, BeliefSpec):
            made[key] = value.maker(model_of)
    return made


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
    options: Values = field(compare=False)
    """All options by name, read and checked."""

    @classmethod
    def parse(cls, text: str) -> "BeliefSpec":
        """Read a text, and refuse a wrong one in a sentence that says what would be right."""
        try:
            name, *parts = split(text.strip())
            given = given_options(belief_called(name), parts)
            every = {key: option for options in BELIEFS.values() for key, option in options.items()}
            known = {key: option for key, option in every.items() if key in given}
            for key in given:
                if key not in known:
                    raise InvalidAgent(_no_option(name, key, given[key]))
            return cls.of(name, _read(known, given))
        except InvalidAgent as error:
            raise InvalidBelief(str(error)) from error

    @classmethod
    def of(cls, name: str, given: Values) -> "BeliefSpec":
        """Return a kind of belief with options that are read already; None for one that is not given."""
        for key, value in given.items():
            if value is not None and key not in BELIEFS[name]:
                raise InvalidAgent(_no_option(name, key, _shown(value)))
        chosen = {key: given[key] for key in BELIEFS[name] if given.get(key) is not None}
        text = ",".join([name, *(f"{key}={_shown(value)}" for key, value in chosen.items())])
        return cls(text, name, _read(BELIEFS[name], {}) | chosen)

    def __str__(self) -> str:
        return self.text

    @property
    def reads_choices(self) -> bool:
        """Whether what the opponent chose is evidence to it: whether it has a model."""
        return self.options.get("model") is not None

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that its model may read."""
        return _files(self.options)

    def maker(self, model_of: "Callable[[AgentSpec], OpponentModel]" = AgentSpec.as_model) -> "MakeBelief":
        """Return what makes the belief of a new game."""
        from uno_pomdp.search import named_beliefs

        values: dict[str, Any] = {
            key: model_of(value) if isinstance(value, AgentSpec) else value for key, value in self.options.items()
        }
        if self.name == "particles":
            return named_beliefs.particles(**values)
        if self.name == "enumerated":
            return named_beliefs.enumerated(**values)
        return named_beliefs.uniform if self.name == "uniform" else named_beliefs.closed


def _no_option(name: str, key: str, value: str) -> str:
    """Return the sentence that refuses an option of a kind of belief, and names the kind that has this option."""
    has = f"it has {', '.join(BELIEFS[name])}" if BELIEFS[name] else "it has none"
    better = next((kind for kind in ("particles", "enumerated") if key in BELIEFS[kind]), None)
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


OPPONENT: Final = "flat:ms=50"
"""The default opponent of a person, under rules without a champion: no other search was measured to be stronger."""
SUSPICIOUS: Final = "flat:ms=50,belief=particles,model=heuristic"
"""The same where a +4 can be challenged: what was played tells of lies, and a belief that weighs it plays better."""
COACH: Final = "flat:sims=50000"
"""The default coach there; its budget is in simulations, so that a review can be repeated."""
SUSPICIOUS_COACH: Final = "flat:sims=50000,belief=particles,model=heuristic,cache=yes"
"""The same where a +4 can be challenged."""
CHAMPION_OPPONENT: Final = "champion:ms=50"
"""The default opponent of a person, under rules with a champion."""
CHAMPION_COACH: Final = "champion:sims=16000,trust=0"
"""The default coach there: by values alone, without the net's prior, as a review does."""


def opponent_for(rules: "Rules") -> str:
    """Return the default opponent of a person."""
    if _has_champion(rules):
        return CHAMPION_OPPONENT
    return SUSPICIOUS if rules.wild_four == "challenge" else OPPONENT


def coach_for(rules: "Rules", all_known: bool = True) -> str:
    """Return the default coach, which advises and reviews; a champion has to know all played cards."""
    if all_known and _has_champion(rules):
        return CHAMPION_COACH
    return SUSPICIOUS_COACH if rules.wild_four == "challenge" else COACH


def _has_champion(rules: "Rules") -> bool:
    from uno_pomdp.nets.pretrained import pretrained_rules

    return rules.name in pretrained_rules()
