"""V on a full deck against a given opponent: fitted from sampled games, saved to a file, and read again.

A value file is a NumPy `.npz` archive without pickled objects:

    header     a JSON text: format, version, package, rules, opponent, gamma, step_cost, bound, features, and `about`
    weights    one for each feature
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from uno_pomdp._version import __version__
from uno_pomdp.errors import UnoError, UnusableFile, quoted
from uno_pomdp.files import written_whole
from uno_pomdp.inputs import read_archive
from uno_pomdp.policies.kernels import HEURISTIC, Policy, is_policy, policy_named
from uno_pomdp.pomdp.linear_features import FEATURES, NAMES
from uno_pomdp.pomdp.linear_value import LinearValue
from uno_pomdp.quantities import DISCOUNT, STEP_PENALTY, naming
from uno_pomdp.rules import Rules

FORMAT: Final = "uno-pomdp value"
VERSION: Final = 1


@dataclass(frozen=True)
class FittedValue:
    """V of a seat's decisions under some rules against some opponent, as a function of what the seat sees."""

    rules: Rules
    opponent: str
    """The policy of the opponent, by its name."""
    value: LinearValue
    """V, with its discount and cost of steps."""
    about: Mapping[str, Any]
    """Where it comes from: games, decisions, iterations, residual …; any JSON values."""

    def __repr__(self) -> str:
        return (
            f"<FittedValue of {self.rules.name} against {self.opponent}, "
            f"discount {self.value.discount:g}, step cost {self.value.step_cost:g}>"
        )

    @property
    def policy(self) -> Policy:
        """The scripted policy that the opponent is; `heuristic` for any other."""
        return policy_named(self.opponent) if is_policy(self.opponent) else HEURISTIC

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "rules": self.rules.name,
            "against": self.opponent,
            "gamma": self.value.discount,
            "step_cost": self.value.step_cost,
            **self.about,
            "weights": dict(zip(NAMES, self.value.weights.tolist(), strict=True)),
        }

    def save(self, path: str | os.PathLike[str], over: bool = True) -> None:
        """Write it to a file, whole or not at all; only with `over` in the place of one that is there."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "package": __version__,
            "rules": self.rules.to_json(),
            "opponent": self.opponent,
            "gamma": self.value.discount,
            "step_cost": self.value.step_cost,
            "bound": self.value.bound,
            "features": list(NAMES),
            "about": dict(self.about),
        }
        with written_whole(path, over=over) as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), weights=self.value.weights)


def load_value(path: str | os.PathLike[str]) -> FittedValue:
    """Read a value file, and refuse one that is damaged or made for other features."""
    name = os.fspath(path)
    try:
        header, arrays = read_archive(path, ("weights",))
    except OSError as error:
        raise UnusableFile(f"{name} can't be read: {error.strerror or error}") from error
    except UnusableFile as error:
        raise UnusableFile(f"{name} is no value file: {error}") from error
    if header.get("format") != FORMAT:
        raise UnusableFile(f"{name} is no value file: its header does not say {FORMAT!r}")
    if header.get("version") != VERSION:
        raise UnusableFile(f"{name} is of version {quoted(header.get('version'))}, but only version {VERSION} is read")
    if header.get("features") != list(NAMES):
        raise UnusableFile(f"{name} is for other features than this version has: fit it anew with uno-pomdp solve")
    try:
        return _found(header, arrays["weights"])
    except UnoError as error:
        raise UnusableFile(f"{name} is damaged: {error}") from error


def _found(header: Mapping[str, Any], weights: "np.ndarray[Any, np.dtype[Any]]") -> FittedValue:
    """Return what a file says, each part of it checked."""
    numbers = {key: header.get(key) for key in ("gamma", "step_cost", "bound")}
    for key, number in numbers.items():
        if not isinstance(number, float | int) or isinstance(number, bool) or not np.isfinite(number):
            raise UnusableFile(f"its {key} is no number")
    bound, gamma, step_cost = (float(numbers[key]) for key in ("bound", "gamma", "step_cost"))  # type: ignore[arg-type]
    with naming("gamma", UnusableFile):
        DISCOUNT.checked(gamma)
    with naming("step_cost", UnusableFile):
        STEP_PENALTY.checked(step_cost)
    if bound < 1.0:
        raise UnusableFile("its bound is below 1")
    if weights.dtype != np.float64 or weights.shape != (FEATURES,) or not np.isfinite(weights).all():
        raise UnusableFile(f"its weights are not {FEATURES} numbers")
    opponent, about = header.get("opponent"), header.get("about")
    if not isinstance(opponent, str) or not isinstance(about, dict):
        raise UnusableFile("its header says nothing about the opponent")
    return FittedValue(
        Rules.from_json(header.get("rules")), opponent, LinearValue(weights, bound, gamma, step_cost), about
    )
