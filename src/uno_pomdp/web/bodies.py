"""What a request says: its JSON, read strictly, and each field with its type and range."""

import asyncio
import json
from typing import Any, Final, NoReturn

from starlette.requests import ClientDisconnect, Request

from uno_pomdp.errors import quoted
from uno_pomdp.web.problems import Problem
from uno_pomdp.web.settings import Settings

RULES_TEXT: Final = 600
"""The most characters of rules: a deck may be listed in them."""
MOST_MOVES: Final = 100_000
"""No game has more."""
MOST_SEED: Final = 2**63 - 1


class Fields:
    """The fields of a JSON object; what is there and was not asked for is refused by `end`.

    Null is the default of every field that has one, as if the field were not there.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = dict(values)

    def _taken(self, name: str, default: object) -> object:
        value = self._values.pop(name, None)
        return default if value is None else value

    def text(self, name: str, default: str | None = None, most: int = 200) -> str:
        """Take a text; without a default it has to be there."""
        value = self._taken(name, default)
        if not isinstance(value, str):
            raise Problem("bad_request", f"{name} has to be a text")
        if len(value) > most:
            raise Problem("bad_request", f"{name} has {len(value)} characters, but {most} are the most")
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
            raise Problem("bad_request", f"{name} holds half of a character: write it in whole ones")
        return value

    def text_or_none(self, name: str, most: int = 200) -> str | None:
        """Take a text, or null, which is the default."""
        if self._values.get(name) is None:
            self._values.pop(name, None)
            return None
        return self.text(name, most=most)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Take a yes or no."""
        value = self._taken(name, default)
        if not isinstance(value, bool):
            raise Problem("bad_request", f"{name} has to be true or false")
        return value

    def whole(self, name: str, least: int, most: int) -> int:
        """Take a whole number."""
        value = self._values.pop(name, None)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Problem("bad_request", f"{name} has to be a whole number from {least} to {most}")
        return value

    def whole_or_none(self, name: str, least: int, most: int) -> int | None:
        """Take a whole number, or null, which is the default."""
        if self._values.get(name) is None:
            self._values.pop(name, None)
            return None
        return self.whole(name, least, most)

    def end(self) -> None:
        """Refuse fields that nobody knows."""
        for name in self._values:
            raise Problem("bad_request", f"no field here is called {quoted(name)}")


async def read_fields(request: Request, settings: Settings) -> Fields:
    """Return the fields of a request's body, which has to be a JSON object of a size that is allowed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("bad_request", "the body has to be JSON: send it with Content-Type: application/json")
    try:
        values = json.loads((await _body(request, settings)).decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):  # no UTF-8, no JSON, a number of 5,000 digits, or nested without end
        raise Problem("bad_request", "the body is no JSON that can be read: send one object in UTF-8") from None
    if not isinstance(values, dict):
        raise Problem("bad_request", 'the body has to be a JSON object, as in {"move": "R5", "at": 7}')
    return Fields(values)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


async def _body(request: Request, settings: Settings) -> bytes:
    """Return the body; more than the limit is never held in memory."""
    found = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                found += chunk
                if len(found) > settings.body:
                    raise Problem("too_large", f"the body is larger than {settings.body:,} bytes, which are the most")
    except TimeoutError:
        raise Problem("bad_request", "the body did not arrive in time: send it at once", 408, last=True) from None
    except ClientDisconnect:
        raise Problem("bad_request", "the client left before its request was read") from None
    return bytes(found)
