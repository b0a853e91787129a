"""What the engine is asked and how it answers: requests read from lines, refusals, replies (docs/engine.md)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp._version import __version__
from uno_pomdp.errors import UnoError, abridged, sentence
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.record_lines import VERSION
from uno_pomdp.quantities import MILLISECONDS, SEED

PROTOCOL: Final = 1
"""Raised when a request of the old form would be answered otherwise or not at all."""
USUAL: Final = ("candidates", "belief", "win_probability")
"""What a reply includes if nothing is said."""
INCLUDED: Final = (*USUAL, "policy_aware")
"""What a reply may include; the policy-aware belief takes seconds over a long game."""
LONGEST_ID: Final = 200
"""Characters of an id."""
MOST_BYTES: Final = 1 << 20
"""The longest line that is read: games have some kilobytes."""
FIELDS: Final = ("id", "record", "seat", "rules", "agent", "seed", "report_every_ms", "include")
"""The fields of a query."""


class Refused(UnoError):
    """A request that is answered with an error."""

    def __init__(self, kind: str, message: str, line: int | None = None, name: str | None = None) -> None:
        super().__init__(message)
        self.kind: Final = kind
        """What is wrong, as a word for programs."""
        self.line: Final = line
        """The line of the record that is wrong, from 1; None if it is about none."""
        self.name: Final = name
        """The id of the request, as far as it could be read."""


@dataclass(frozen=True, slots=True)
class Query:
    """One position to analyse."""

    name: str
    """Its id, which every reply repeats."""
    record: str
    """The text of the game."""
    seat: Seat | None = None
    """Whose position it is; None for the observer of an own record."""
    rules: str | None = None
    """The rules that the record is expected to have; None for any."""
    agent: str | None = None
    """Who searches; None for the usual coach."""
    seed: int = 1
    """What its chance is grown from."""
    every: float | None = None
    """Seconds between two replies on the way; None for none."""
    include: frozenset[str] = frozenset(USUAL)
    """What the replies include."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """A wish to end a query early."""

    name: str
    """The id of that query."""


@dataclass(frozen=True, slots=True)
class VersionQuery:
    """A question about the engine itself."""

    name: str | None
    """Its id, if it has one."""


Request = Query | Cancel | VersionQuery


def read_request(line: bytes) -> Request:
    """Return what a line asks for; anything else is refused."""
    if len(line) > MOST_BYTES:
        raise Refused("too_large", f"the line is longer than {MOST_BYTES:,} bytes: records have some kilobytes")
    try:
        given = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(
            "bad_request", 'the line is no JSON value: {"id": "q1", "record": "…", "seat": 1} is one'
        ) from error
    if not isinstance(given, dict):
        raise Refused("bad_request", f"a request is a JSON object, not {_shown(given)}")
    if "cancel" in given:
        _check_fields(given, ("cancel",), "a cancel request", None)
        return Cancel(_name(given["cancel"], "cancel"))
    name = _name(given["id"], "id") if "id" in given else None
    if "query" in given:
        _check_fields(given, ("id", "query"), "a question about the engine", name)
        if given["query"] != "version":
            raise Refused("bad_request", f'query is "version", not {_shown(given["query"])}', name=name)
        return VersionQuery(name)
    return _query(given, name)


def _query(given: Mapping[str, Any], name: str | None) -> Query:
    if name is None:
        raise Refused("bad_request", "a query has an id, a text that its replies repeat")
    _check_fields(given, FIELDS, "a query", name)

    def field(key: str, right: Callable[[Any], bool], said: str) -> Any:
        value = given.get(key)
        if value is not None and not right(value):
            raise Refused("bad_request", f"{key} is {said}, not {_shown(value)}", name=name)
        return value

    record = field("record", _is_text, "the text of a game")
    if record is None:
        raise Refused(
            "bad_request", "a query has a record, the text of a game: docs/records.md says what it holds", name=name
        )
    seat = field("seat", lambda value: _is_whole(value) and value in (1, 2), "1 or 2")
    every = field("report_every_ms", _is_milliseconds, f"{MILLISECONDS}")
    seed = field("seed", _is_seed, f"{SEED}")
    include = field("include", _is_choice, f"a list of {', '.join(INCLUDED)}")
    return Query(
        name,
        record,
        None if seat is None else seat - 1,
        field("rules", _is_text, "the name of rules"),
        field("agent", _is_text, "the text of an agent"),
        1 if seed is None else seed,
        None if every is None else every / 1000,
        frozenset(USUAL if include is None else include),
    )


def _check_fields(given: Mapping[str, Any], known: tuple[str, ...], what: str, name: str | None) -> None:
    for key in given:
        if key not in known:
            raise Refused("bad_request", f"{what} has no field {_shown(key)}: it has {', '.join(known)}", name=name)


def _name(value: Any, key: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_ID:
        raise Refused("bad_request", f"{key} is a text of 1 to {LONGEST_ID} characters, not {_shown(value)}")
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_milliseconds(value: Any) -> bool:
    return (_is_whole(value) or isinstance(value, float)) and MILLISECONDS.least < value <= MILLISECONDS.most


def _is_seed(value: Any) -> bool:
    return _is_whole(value) and SEED.least <= value <= SEED.most


def _is_choice(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one in INCLUDED for one in value)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _shown(value: Any) -> str:
    """Return the beginning of a wrong value, as JSON has it."""
    return abridged(json.dumps(value))


# --- replies ---------------------------------------------------------------------------------------------


def refusal(error: Refused, name: str | None, input_line: int) -> dict[str, Any]:
    """Return the reply to what is refused; without an id it says which line of the input it is about."""
    told = {"kind": error.kind, "line": error.line, "message": sentence(str(error))}
    return {"id": name, "error": told} | ({"input_line": input_line} if name is None else {})


def version(asked: VersionQuery, workers: int, queue: int) -> dict[str, Any]:
    """Return what engine this is."""
    told: dict[str, Any] = {} if asked.name is None else {"id": asked.name}
    return told | {
        "query": "version",
        "version": __version__,
        "protocol": PROTOCOL,
        "records": [VERSION],
        "workers": workers,
        "queue": queue,
    }
