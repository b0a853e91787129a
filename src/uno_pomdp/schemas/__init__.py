"""JSON Schemas (draft 2020-12) of what the package tells programs: the engine's lines and every `--json`.

What several of them share stands in `common.json`; `schema` returns one with all that it needs inside.
"""

import json
from importlib.resources import files
from typing import Any, Final

from uno_pomdp.errors import UnoError, quoted

COMMON: Final = "common"
"""The file of what is shared; it is no schema of its own."""


class UnknownSchema(UnoError):
    """The name of a schema that does not exist."""


def names() -> list[str]:
    """Return the names of all schemas."""
    found = (entry.name.removesuffix(".json") for entry in files(__name__).iterdir() if entry.name.endswith(".json"))
    return sorted(name for name in found if name != COMMON)


def schema(name: str) -> dict[str, Any]:
    """Return a schema that needs no other file."""
    if name not in names():
        raise UnknownSchema(f"no schema is called {quoted(name)}: choose one of {', '.join(names())}")
    found = _read(name)
    shared = _read(COMMON)["$defs"]
    needed: dict[str, Any] = {}
    waiting = _references(found)
    while waiting:
        one = waiting.pop()
        if one not in needed:
            needed[one] = shared[one]
            waiting |= _references(shared[one])
    own = found.get("$defs", {})
    inlined: dict[str, Any] = _inlined(found | {"$defs": own | dict(sorted(needed.items()))})
    return inlined if inlined["$defs"] else {key: value for key, value in inlined.items() if key != "$defs"}


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return found


PREFIX: Final = f"{COMMON}.json#/$defs/"


def _references(part: Any) -> set[str]:
    """Return the names of what a part takes from the shared file; inside that file names stand alone."""
    if isinstance(part, dict):
        here = part.get("$ref", "")
        named = {here.removeprefix(PREFIX)} if isinstance(here, str) and here.startswith(PREFIX) else set()
        return named.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()


def _inlined(part: Any) -> Any:
    """Return a part with references to the shared file turned into references within the same."""
    if isinstance(part, dict):
        return {
            key: f"#/$defs/{value.removeprefix(PREFIX)}"
            if key == "$ref" and isinstance(value, str) and value.startswith(PREFIX)
            else _inlined(value)
            for key, value in part.items()
        }
    return [_inlined(one) for one in part] if isinstance(part, list) else part
