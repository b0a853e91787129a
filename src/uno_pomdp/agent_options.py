"""The options of agents: how the text after `name=` is read, and what it may be.

The modules that know the valid names are imported when a name is read, so the list of options needs no Numba.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from uno_pomdp.errors import InvalidAgent, abridged, quoted
from uno_pomdp.quantities import (
    DISCOUNT,
    EXPLORATION,
    HYPOTHESES,
    MEGABYTES,
    MILLISECONDS,
    PARTICLES,
    PRIOR_TRUST,
    PROBABILITY,
    RESAMPLING,
    SIMULATIONS,
    STEP_PENALTY,
    STEPS_AHEAD,
    TEMPERATURE,
    THREADS,
    Real,
    Whole,
    naming,
)

if TYPE_CHECKING:
    from uno_pomdp.agents.agent import Budget
    from uno_pomdp.policies.kernels import Policy

Values = Mapping[str, Any]
"""Options by name, each of the type that its reader returns; None for one that is not given and has no default."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a kind of agent."""

    read: Callable[[str, str], Any]
    """Returns the value, given the option's name and the text; refuses a wrong one in a sentence."""
    default: str = ""
    """The default, as text; empty if there is none."""
    is_number: bool = False
    """Whether it is a number: its value does not change which kernels are needed."""
    is_agent: bool = False
    """Whether it names an agent, which the registry reads and hands on as an opponent model."""

    def value(self, name: str, text: str | None) -> Any:
        """Return the value of a text, or of the default."""
        asked = self.default if text is None else text
        return self.read(name, asked) if asked else None


def _number(kind: Real | Whole, default: str = "") -> Option:
    def read(name: str, text: str) -> float:
        with naming(name, InvalidAgent):
            return kind.read(text)

    return Option(read, default, is_number=True)


def _one_of(what: str, names: Callable[[], Sequence[str]], default: str = "") -> Option:
    def read(_: str, text: str) -> str:
        known = names()
        if text not in known:
            raise InvalidAgent(f"no {what} is called {quoted(text)}: choose one of {', '.join(known)}")
        return text

    return Option(read, default)


def _yes(default: str = "yes") -> Option:
    def read(name: str, text: str) -> bool:
        if text not in ("yes", "no"):
            raise InvalidAgent(f"{name}={text}: write yes or no")
        return text == "yes"

    return Option(read, default)


def _policy(default: str = "heuristic") -> Option:
    return Option(lambda _, text: policy_called(text), default)


def _model(default: str = "heuristic") -> Option:
    return Option(lambda _, text: unwrapped(text), default, is_agent=True)


def policy_called(text: str) -> "Policy":
    """Return the scripted policy of this name."""
    from uno_pomdp.policies.kernels import policy_named

    return policy_named(text)


def _opponents() -> Sequence[str]:
    from uno_pomdp.nets.position_features import OPPONENTS

    return OPPONENTS


def _leaves() -> Sequence[str]:
    from uno_pomdp.search.pomcp.pomcp import LEAVES

    return LEAVES


def _encodings() -> Sequence[str]:
    from uno_pomdp.nets.onnx.onnx_net import ENCODINGS

    return tuple(ENCODINGS)


def _file() -> Option:
    return Option(lambda _, text: Path(text))


def belief_called(text: str) -> str:
    """Return the name of a kind of belief, if there is one."""
    if text in ("random", "greedy", "baseline", "heuristic"):
        raise InvalidAgent(f"no belief is called {quoted(text)}: write belief=particles,model={abridged(text)}")
    if text not in BELIEFS:
        raise InvalidAgent(f"no belief is called {quoted(text)}: choose one of {', '.join(BELIEFS)}")
    return text


def _cache(default: str = "") -> Option:
    def read(name: str, text: str) -> str:
        if text not in ("yes", "no", "unlimited"):
            with naming(f"{name} (yes, no, unlimited, or megabytes)", InvalidAgent):
                MEGABYTES.read(text)
        return text

    return Option(read, default, is_number=True)


def _belief(default: str = "closed") -> Option:
    return Option(lambda _, text: belief_called(text), default)


BELIEFS: Final[dict[str, dict[str, Option]]] = {
    "closed": {},
    "uniform": {},
    "enumerated": {"model": _model(""), "limit": _number(HYPOTHESES, "500000")},
    "particles": {
        "particles": _number(PARTICLES, "1000"),
        "model": _model(""),
        "resample": _number(RESAMPLING, "0.5"),
        "doubt": _number(PROBABILITY, "0.15"),
        "cache": _cache("no"),
    },
}
"""The options of each kind of belief."""
BELIEF: Final = {
    "belief": _belief(),
    "particles": _number(PARTICLES),
    "model": _model(""),
    "resample": _number(RESAMPLING),
    "doubt": _number(PROBABILITY),
    "cache": _cache(),
    "limit": _number(HYPOTHESES),
}
"""The options of an agent about its belief; `BELIEFS` says which of them go together."""
HEURISTIC: Final = {"noise": _number(PROBABILITY, "0")}
BUDGET: Final = {"ms": _number(MILLISECONDS), "sims": _number(SIMULATIONS)}
FLAT: Final = {
    **BUDGET,
    **BELIEF,
    "rollout": _policy(),
    "halving": _yes(),
    "threads": _number(THREADS, "1"),
    "endgame": _yes(),
}
ISMCTS: Final = {
    **BUDGET,
    **BELIEF,
    "rollout": _policy(),
    "explore": _number(EXPLORATION, "0.3"),
    "halving": _yes(),
    "threads": _number(THREADS, "1"),
    "endgame": _yes(),
}
POMCP: Final = {
    **BUDGET,
    **BELIEF,
    "model": _model(),
    "belief": _belief(""),
    "rollout": _policy(),
    "explore": _number(EXPLORATION, "1.0"),
    "gamma": _number(DISCOUNT, "1"),
    "penalty": _number(STEP_PENALTY, "0"),
    "leaf": _one_of("leaf", _leaves, "rollout"),
}
VALUE: Final = {
    **BUDGET,
    "file": _file(),
    **BELIEF,
    "steps": _number(STEPS_AHEAD, "1"),
    "halving": _yes(),
    "threads": _number(THREADS, "1"),
}
TABLE: Final = {"file": _file()}
ONNX: Final = {
    "file": _file(),
    "encoding": _one_of("encoding", _encodings),
    "temperature": _number(TEMPERATURE, "1"),
}
CHAMPION: Final = {
    "file": _file(),
    "temperature": _number(TEMPERATURE),
    **BUDGET,
    "positions": _file(),
    "opponent": _one_of("opponent", _opponents),
    **BELIEF,
    "belief": _belief(""),
    "trust": _number(PRIOR_TRUST),
    "halving": _yes(""),
    "threads": _number(THREADS),
    "endgame": _yes(""),
}


def split(text: str) -> list[str]:
    """Return the parts of a text between commas; commas inside parentheses do not count."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise InvalidAgent(f"the parentheses of {quoted(text)} do not match: write model=(champion:temperature=0.5)")
    return [part.strip() for part in parts]


def unwrapped(text: str) -> str:
    """Return a text without parentheses around all of it."""
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def given_options(agent: str, parts: Sequence[str]) -> dict[str, str]:
    """Return options as texts by name, from parts such as `name=value`."""
    options: dict[str, str] = {}
    for part in parts:
        key, _, value = (piece.strip() for piece in part.partition("="))
        if not key or not value:
            raise InvalidAgent(f"{quoted(part)} is no option of {agent}: write name=value")
        if key in options:
            raise InvalidAgent(f"{agent} is given {key}=… twice: give it once")
        options[key] = value
    return options


def budget_of(milliseconds: float | None, simulations: int | None) -> "Budget":
    """Return the budget from `ms` and `sims`, of which at most one is given; 10 ms if neither is."""
    from uno_pomdp.agents.agent import Budget

    if simulations is not None:
        return Budget(simulations=simulations)
    return Budget(milliseconds=10.0 if milliseconds is None else milliseconds)
