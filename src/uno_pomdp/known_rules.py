"""Rules that a part of the program knows: whatever reasons about rules says which, and refuses the others."""

from collections.abc import Mapping
from typing import Final

from uno_pomdp.errors import InvalidAgent, UnoError
from uno_pomdp.rules import DEFAULTS, Rules

KnownRules = Mapping[str, tuple[str, ...]]
"""By field: the values that are known; of a field that is not named, its default alone."""
PLAIN_RULES: Final[KnownRules] = {
    "skip": ("again", "pass"),
    "drawn_card": ("keep", "may_play"),
    "wild_four": ("always", "last_resort"),
    "draw": ("forced", "optional"),
    "reshuffle": ("yes", "no"),
}
"""Without challenges, long draws, stacked debts, acting first cards or swaps."""

PLAIN_TURNS: Final[KnownRules] = {**PLAIN_RULES, "first_card": ("plain", "acts")}
"""The same and first cards that act: what such a card does is over before anybody has a choice."""


def unknown_values(rules: Rules, known: KnownRules = PLAIN_RULES) -> tuple[str, ...]:
    """Return what of these rules is not known, each as in `stack=rising`."""
    return tuple(
        f"{field}={getattr(rules, field)}"
        for field, default in DEFAULTS.items()
        if getattr(rules, field) not in known.get(field, (default,))
    )


def check_known(
    rules: Rules, who: str, instead: str, known: KnownRules = PLAIN_RULES, error: type[UnoError] = InvalidAgent
) -> None:
    """Refuse rules that somebody does not know, and say what would do instead."""
    unknown = unknown_values(rules, known)
    if unknown:
        word = "rule" if len(unknown) == 1 else "rules"
        raise error(f"{who} does not know the {word} {', '.join(unknown)} yet: {instead}")
