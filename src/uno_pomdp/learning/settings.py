"""Settings of a training as texts: the range of each, and the error for what lies outside."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from uno_pomdp.errors import quoted
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.quantities import SEED, InvalidNumber, Real, Whole, naming

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")

_WIDTH: Final = Whole(1, 65_536)
_SHARE: Final = Real(0.0, 1.0)
_WEIGHT: Final = Real(0.0, 1000.0)
_OFTEN: Final = Whole(1, 1_000_000_000)
RANGES: Final[Mapping[str, Whole | Real]] = {
    "seed": SEED,
    "decisions": Whole(1, 10**15),
    "games": Whole(1, 10_000_000),
    "steps": Whole(1, 10_000),
    "hidden": _WIDTH,
    "critic_hidden": _WIDTH,
    "teacher": _WIDTH,
    "minibatch": _OFTEN,
    "epochs": Whole(1, 10_000),
    "rate": _SHARE,
    "trace": _SHARE,
    "clip": _WEIGHT,
    "entropy": _WEIGHT,
    "magnet": _WEIGHT,
    "stay": _WEIGHT,
    "magnet_rate": _SHARE,
    "average_rate": _SHARE,
    "gradient": Real(0.0, 1_000_000.0, above=True),
    "checkpoint": _OFTEN,
    "measure": _OFTEN,
    "measure_games": Whole(2, 1_000_000_000),
    "itself": Real(0.0, 1.0, above=True, below=True),
}
"""Every setting that is a number or several, by name; the same in all configurations."""


def check_numbers(config: "DataclassInstance") -> None:
    """Refuse a number that its setting does not take."""
    for field in fields(config):
        if field.name in RANGES:
            value = getattr(config, field.name)
            with naming(field.name, InvalidTraining):
                for one in value if isinstance(value, tuple) else (value,):
                    RANGES[field.name].checked(one)


def changed(config: C, settings: Mapping[str, str]) -> C:
    """Return a configuration with settings given as texts: numbers, names, or several of them with commas."""
    known = [field.name for field in fields(config)]
    for key, text in settings.items():
        if key not in known:
            raise InvalidTraining(f"no setting is called {quoted(key)}: choose one of {', '.join(known)}")
        config = replace(config, **{key: _parsed(key, text, getattr(config, key))})
    return config


def parsed_settings(texts: Iterable[str]) -> dict[str, str]:
    """Return settings written as NAME=VALUE by name."""
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidTraining(f"{quoted(text)} is no setting: write NAME=VALUE")
        set_once(settings, name, value)
    return settings


def set_once(settings: dict[str, str], name: str, value: str) -> None:
    """Add a setting that is not there yet."""
    if name in settings:
        raise InvalidTraining(f"{name} is set twice: set it once")
    settings[name] = value


def _parsed(key: str, text: str, before: Any) -> Any:
    if isinstance(before, str):
        return text
    parts = [part.strip() for part in text.split(",")] if isinstance(before, tuple) else [text]
    if key not in RANGES:
        return tuple(filter(None, parts))
    kind = RANGES[key]
    try:
        numbers = tuple(kind.read(part) for part in parts)
    except InvalidNumber as error:
        raise InvalidTraining(f"{key}: {error}") from error
    if isinstance(kind, Real) and isinstance(before, tuple) and len(numbers) != len(before):
        raise InvalidTraining(f"{key}: give {len(before)} numbers with a comma, for the start and the end of a run")
    return numbers if isinstance(before, tuple) else numbers[0]
