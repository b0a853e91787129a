"""The nets of the package: champions, value nets of their positions, and learned best responses to them."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from uno_pomdp.errors import InvalidAgent
from uno_pomdp.known_rules import unknown_values
from uno_pomdp.nets.net_file import NetFile, load_net
from uno_pomdp.nets.position_features import POSITIONS
from uno_pomdp.rules import PRESETS, Rules

WEIGHTS_FOLDER: Final = Path(__file__).parent / "weights"
"""The folder of champions, each named after the rules that it plays."""
VALUES: Final = WEIGHTS_FOLDER / "positions"
"""The folder of nets that value their positions, named in the same way."""
RESPONSES: Final = WEIGHTS_FOLDER / "responses"
"""The folder of learned best responses to them, named in the same way."""


def pretrained_rules() -> tuple[str, ...]:
    """Return the names of the rules for which the package has a champion."""
    return tuple(name for name in PRESETS if (WEIGHTS_FOLDER / f"{name}.npz").is_file())


def _check_rules(rules: Rules, what: str, remedy: str) -> None:
    """Refuse rules for which the package has no nets."""
    if rules.name not in pretrained_rules():
        if unknown := unknown_values(rules):
            word = "rule" if len(unknown) == 1 else "rules"
            remedy = f"nets do not know the {word} {', '.join(unknown)} yet, play heuristic or flat"
        raise InvalidAgent(
            f"no {what} comes with the package for the rules {rules.name}, only for "
            f"{', '.join(pretrained_rules()) or 'none'}: {remedy}"
        )


@lru_cache(maxsize=len(PRESETS))
def pretrained_policy(rules: Rules) -> NetFile:
    """Return the package's champion for these rules."""
    _check_rules(rules, "champion", "train one with uno-pomdp train and play champion:file=PATH")
    return load_net(WEIGHTS_FOLDER / f"{rules.name}.npz")


@lru_cache(maxsize=len(PRESETS))
def pretrained_position_values(rules: Rules) -> NetFile:
    """Return the package's net that values positions under these rules."""
    _check_rules(rules, "net for positions", "train one and say positions=PATH")
    return load_net(VALUES / f"{rules.name}.npz", POSITIONS)


def response_file(rules: Rules) -> Path | None:
    """Return the file of the learned best response to the package's champion; None if there is none."""
    file = RESPONSES / f"{rules.name}.npz"
    return file if file.is_file() else None
