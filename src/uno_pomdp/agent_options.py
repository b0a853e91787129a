"""How the options of agents and beliefs are declared, as fields of dataclasses, and read from text.

A field says everything about its option: how it is read, what may be written, the default and one sentence. Parsing,
the list of agents, completion, refusals and the tables of docs/agents.md follow from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from uno_pomdp.errors import InvalidAgent, quoted
from uno_pomdp.quantities import MEGABYTES, Real, Whole, naming

Values = Mapping[str, Any]
"""Options by name, each of the type that its reader returns; None for one that is not given and has no default."""
OPTION: Final = "option"
"""The key of an `Option` in a field's metadata."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a kind of agent or belief."""

    read: Callable[[str, str], Any]
    """Returns the value, given the option's name and the text; refuses a wrong one in a sentence."""
    takes: str
    """What may be written, for people."""
    about: str
    """What it means, in one sentence."""
    default: str = ""
    """The default, as text; empty if there is none."""
    is_number: bool = False
    """Whether it is a number: its value does not change which kernels are needed."""
    is_agent: bool = False
    """Whether it names an agent, which the registry reads."""
    missing: str = ""
    """What is said if it is not given, for one that has to be."""

    def value(self, name: str, text: str | None) -> Any:
        """Return the value of a text, or of the default."""
        asked = self.default if text is None else text
        return self.read(name, asked) if asked else None

    def as_field(self) -> Any:
        """Return a field of a dataclass that holds this option."""
        return field(metadata={OPTION: self})


def options_of(kind: type) -> dict[str, Option]:
    """Return the options that the fields of a dataclass declare, by name."""
    return {each.name: each.metadata[OPTION] for each in fields(kind) if OPTION in each.metadata}


def same_as(kind: type, name: str, default: str) -> Any:
    """Declare an option that another kind has already, with a default of its own."""
    return replace(options_of(kind)[name], default=default).as_field()


def number(kind: Real | Whole, about: str, default: str = "") -> Any:
    """Declare a number in a range."""

    def read(name: str, text: str) -> float:
        with naming(name, InvalidAgent):
            return kind.read(text)

    return Option(read, str(kind), about, default, is_number=True).as_field()


def one_of(names: Sequence[str], about: str, default: str = "") -> Any:
    """Declare one of several names."""

    def read(name: str, text: str) -> str:
        if text not in names:
            raise InvalidAgent(f"no {name} is called {quoted(text)}: choose one of {', '.join(names)}")
        return text

    return Option(read, ", ".join(f"`{name}`" for name in names), about, default).as_field()


def switch(about: str, default: str = "yes") -> Any:
    """Declare a choice of yes and no."""

    def read(name: str, text: str) -> bool:
        if text not in ("yes", "no"):
            raise InvalidAgent(f"{name}={text}: write yes or no")
        return text == "yes"

    return Option(read, "`yes`, `no`", about, default).as_field()


def scripted(about: str, default: str) -> Any:
    """Declare a scripted policy."""

    def read(_: str, text: str) -> int:
        from uno_pomdp.policies.kernels import policy_named

        return policy_named(text)

    return Option(read, "a scripted policy", about, default).as_field()


def agent(about: str, default: str = "") -> Any:
    """Declare an agent that stands for the opponent."""
    return Option(lambda _, text: unwrapped(text), "an agent", about, default, is_agent=True).as_field()


def path(about: str, missing: str = "") -> Any:
    """Declare a file; one that has to be given comes with what is said where it is not."""
    return Option(lambda _, text: Path(text), "a file", about, missing=missing).as_field()


def memory(about: str, default: str) -> Any:
    """Declare how much memory a cache may take."""

    def read(name: str, text: str) -> str:
        if text not in ("yes", "no", "unlimited"):
            with naming(f"{name} (yes, no, unlimited, or megabytes)", InvalidAgent):
                MEGABYTES.read(text)
        return text

    return Option(read, "`yes`, `no`, `unlimited`, or megabytes", about, default, is_number=True).as_field()


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
