"""Rules that a part of the program knows: whatever reasons about rules says which, and refuses the others."""

from collections.abc import Mapping
from typing import Final

from uno_pomdp.errors import InvalidAgent, UnoError
from uno_pomdp.rules import CHOICES, Rules

KnownRules = Mapping[str, tuple[str, ...]]
"""By field: the values that are known; of a field that is not named, all."""
PLAIN_RULES: Final[KnownRules] = {
    "wild_four": ("always", "last_resort"),
    "draw": ("forced", "optional"),
    "stack": ("no",),
    "first_card": ("plain",),
    "swap": ("no",),
}
"""Without challenges, long draws, stacked debts, acting first cards or swaps."""

PLAIN_TURNS: Final[KnownRules] = {name: values for name, values in PLAIN_RULES.items() if name != "first_card"}
"""The same and first cards that act: what such a card does is over before anybody has a choice."""


def unknown_values(rules: Rules, known: KnownRules = PLAIN_RULES) -> tuple[str, ...]:
    """Return what of these rules is not known, each as in `stack=rising`."""
    return tuple(
        f"{field}={getattr(rules, field)}"
        for field in CHOICES
        if field in known and getattr(rules, field) not in known[field]
    )


def check_known(
    rules: Rules, who: str, instead: str, known: KnownRules = PLAIN_RULES, error: type[UnoError] = InvalidAgent
) -> None:
    """Refuse rules that somebody does not know, and say what would do instead."""
    unknown = unknown_values(rules, known)
    if unknown:
        word = "rule" if len(unknown) == 1 else "rules"
        raise error(f"{who} does not know the {word} {', '.join(unknown)} yet: {instead}")
