"""From a text to an agent: a name, then options, as in `flat:ms=10,belief=closed`.

Each maker imports what it makes: the list of agents is there without Numba and its kernels.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from uno_pomdp.errors import InvalidAgent
from uno_pomdp.quantities import EXPLORATION, MILLISECONDS, SIMULATIONS, THREADS, Real, Whole, naming, shown

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Agent, Budget
    from uno_pomdp.policies.kernels import Policy
    from uno_pomdp.rules import Rules


@dataclass(frozen=True, slots=True)
class AgentKind:
    """One kind of agent."""

    make: "Callable[..., Agent]"
    """Makes it from its options, all of them texts by name."""
    about: str
    """One sentence for a list."""


def _scripted(name: str) -> "Callable[[], Agent]":
    def make() -> "Agent":
        from uno_pomdp.agents.scripted import ScriptedAgent

        return ScriptedAgent(_policy(name))

    return make


def _number(name: str, text: str, kind: Real) -> float:
    with naming(name, InvalidAgent):
        return kind.read(text)


def _whole(name: str, text: str, kind: Whole) -> int:
    with naming(name, InvalidAgent):
        return kind.read(text)


def _threads(text: str) -> int:
    return _whole("threads", text, THREADS)


def _budget(ms: str, sims: str) -> "Budget":
    """Return the budget of two options of which at most one is given; 10 ms if none is."""
    from uno_pomdp.agents.agent import Budget

    if ms and sims:
        raise InvalidAgent("give ms=… or sims=…, not both")
    if sims:
        return Budget(simulations=_whole("sims", sims, SIMULATIONS))
    return Budget(milliseconds=_number("ms", ms or "10", MILLISECONDS))


def _policy(text: str) -> "Policy":
    from uno_pomdp.policies.kernels import POLICY_NAMES

    if text not in POLICY_NAMES:
        raise InvalidAgent(f"no policy is called {text!r}: choose one of {', '.join(POLICY_NAMES)}")
    return POLICY_NAMES.index(text)


def _choice(name: str, text: str) -> bool:
    if text not in ("yes", "no"):
        raise InvalidAgent(f"{name}={text}: write yes or no")
    return text == "yes"


def _flat(
    ms: str = "",
    sims: str = "",
    belief: str = "closed",
    rollout: str = "heuristic",
    halving: str = "yes",
    threads: str = "1",
    endgame: str = "yes",
) -> "Agent":
    from uno_pomdp.search.trials.playouts import FlatMonteCarlo

    return FlatMonteCarlo(
        _budget(ms, sims),
        belief,
        _policy(rollout),
        _choice("halving", halving),
        threads=_threads(threads),
        endgame=_choice("endgame", endgame),
    )


def _ismcts(
    ms: str = "",
    sims: str = "",
    belief: str = "closed",
    rollout: str = "heuristic",
    explore: str = "0.3",
    halving: str = "yes",
    threads: str = "1",
    endgame: str = "yes",
) -> "Agent":
    from uno_pomdp.search.trials.tree import InformationSetSearch

    if rollout == "greedy":
        raise InvalidAgent("ismcts needs a rollout policy that prefers some actions: random, baseline or heuristic")
    return InformationSetSearch(
        _budget(ms, sims),
        belief,
        _policy(rollout),
        _number("explore", explore, EXPLORATION),
        _choice("halving", halving),
        threads=_threads(threads),
        endgame=_choice("endgame", endgame),
    )


def _pomcp(
    ms: str = "",
    sims: str = "",
    model: str = "heuristic",
    belief: str = "",
    rollout: str = "heuristic",
    explore: str = "1.0",
    gamma: str = "1",
    penalty: str = "0",
    leaf: str = "rollout",
) -> "Agent":
    from uno_pomdp.search.pomcp.pomcp import DISCOUNT, STEP_PENALTY, Pomcp

    return Pomcp(
        _budget(ms, sims),
        _policy(model),
        belief or None,
        _policy(rollout),
        _number("explore", explore, EXPLORATION),
        _number("gamma", gamma, DISCOUNT),
        _number("penalty", penalty, STEP_PENALTY),
        leaf,
    )


def _value(
    ms: str = "",
    sims: str = "",
    belief: str = "closed",
    model: str = "heuristic",
    steps: str = "1",
    halving: str = "yes",
    threads: str = "1",
) -> "Agent":
    from uno_pomdp.search.trials.linear import STEPS, LinearValueSearch

    return LinearValueSearch(
        _budget(ms, sims),
        belief,
        _policy(model),
        _whole("steps", steps, STEPS),
        _choice("halving", halving),
        threads=_threads(threads),
    )


def _table(file: str = "") -> "Agent":
    from uno_pomdp.agents.tabular import TabularAgent, load_policy

    if not file:
        raise InvalidAgent("policy plays a policy from a file: write policy:file=PATH")
    return TabularAgent(load_policy(file))


def _champion(
    file: str = "",
    temperature: str = "",
    ms: str = "",
    sims: str = "",
    positions: str = "",
    opponent: str = "",
    belief: str = "",
    trust: str = "",
    halving: str = "",
    threads: str = "",
    endgame: str = "",
) -> "Agent":
    from pathlib import Path

    from uno_pomdp.nets.net_file import load_net
    from uno_pomdp.nets.policy_agent import TEMPERATURE, PolicyNetAgent
    from uno_pomdp.nets.position_features import OPPONENTS, POSITIONS

    path = Path(file) if file else None
    champion = None if path is None else load_net(path)
    if not (ms or sims):
        if positions or opponent or belief or trust or halving or threads or endgame:
            raise InvalidAgent("without ms=… or sims=… champion does not search: it has file and temperature alone")
        return PolicyNetAgent(champion, _number("temperature", temperature or "1", TEMPERATURE), path)
    from uno_pomdp.search.trials.value_net import TRUST, TRUSTED, ValueNetSearch

    if temperature:
        raise InvalidAgent("with ms=… or sims=… champion plays the best action that it finds: temperature is of no use")
    if opponent and opponent not in OPPONENTS:
        raise InvalidAgent(f"no opponent is called {opponent!r}: choose one of {', '.join(OPPONENTS)}")
    return ValueNetSearch(
        _budget(ms, sims),
        belief or "closed",
        _number("trust", trust, TRUSTED) if trust else TRUST,
        opponent or OPPONENTS[0],
        champion,
        load_net(positions, POSITIONS) if positions else None,
        _choice("halving", halving or "yes"),
        threads=_threads(threads or "1"),
        endgame=_choice("endgame", endgame or "yes"),
    )


def _own(path: str = "", /, **options: str) -> "Agent":
    from uno_pomdp.agents.plugin import own_agent

    return own_agent(path, options)


AGENTS: Final[dict[str, AgentKind]] = {
    "random": AgentKind(_scripted("random"), "every legal action equally likely"),
    "greedy": AgentKind(
        _scripted("greedy"), "any playable card, each copy equally likely; black in the colour held most"
    ),
    "baseline": AgentKind(_scripted("baseline"), "+2, then skip and reverse, then numbers, black last: the yardstick"),
    "heuristic": AgentKind(_scripted("heuristic"), "scores each card with a few tuned weights"),
    "flat": AgentKind(_flat, "tries every action in imagined worlds and plays them out"),
    "ismcts": AgentKind(_ismcts, "tree search over what it can tell apart, in imagined worlds"),
    "pomcp": AgentKind(_pomcp, "plans against a known policy of the opponent (model=…): a search for a best response"),
    "value": AgentKind(_value, "looks one step ahead, past the opponent's reply, with a fitted value of what it sees"),
    "policy": AgentKind(_table, "plays a policy from a file, such as an equilibrium of a mini deck"),
    "champion": AgentKind(_champion, "a net trained by self-play; with ms=… or sims=… it looks ahead"),
    "py": AgentKind(_own, "an agent of your own, from this folder or installed: py:module.Class,option=value"),
}
"""All agents by name."""
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
    return CHAMPION_OPPONENT if _has_champion(rules) else OPPONENT


def coach_for(rules: "Rules") -> str:
    """Return who advises and reviews unless another is named."""
    return CHAMPION_COACH if _has_champion(rules) else COACH


def _has_champion(rules: "Rules") -> bool:
    from uno_pomdp.nets.pretrained import pretrained_rules

    return rules.name in pretrained_rules()


def make_agent(text: str) -> "Agent":
    """Return the agent that a text describes.

    >>> import uno_pomdp as uno
    >>> uno.make_agent("flat:sims=200,belief=uniform").name
    'flat:sims=200,belief=uniform'
    """
    name, colon, rest = text.strip().partition(":")
    entry = AGENTS.get(name)
    if entry is None:
        raise InvalidAgent(f"no agent is called {name!r}: choose one of {', '.join(AGENTS)}")
    if colon and not rest.strip():
        raise InvalidAgent(f"nothing stands after the colon of {name}: write {name}, or {name}:name=value")
    parts = [part.strip() for part in rest.split(",")] if colon else []
    path = [parts.pop(0)] if name == "py" and parts and "=" not in parts[0] else []
    options = _options(name, parts)
    known = options_of(entry)
    for key in options:
        if key not in known and name != "py":  # whose options only its maker knows
            has = f"has the options {', '.join(known)}" if known else "has no options"
            raise InvalidAgent(f"{name} has no option {key!r}: it {has}")
    agent = entry.make(*path, **options)
    agent.name = text.strip()
    return agent


def options_of(entry: AgentKind) -> dict[str, str]:
    """Return the options of an agent with what they are if not given."""
    parameters = inspect.signature(entry.make).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD}


def _options(agent: str, parts: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in parts:
        key, _, value = (piece.strip() for piece in part.partition("="))
        if not key or not value:
            raise InvalidAgent(f"{shown(part)} is no option of {agent}: write name=value")
        if key in options:
            raise InvalidAgent(f"{agent} is given {key}=… twice: give it once")
        options[key] = value
    return options
