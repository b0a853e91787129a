"""The wire format of Protocol Buffers, as far as ONNX needs it: fields out of bytes, and bytes out of fields.

A message is a row of fields, each a number, a kind and a value:

    kind 0    a whole number, 7 bits to a byte, the lowest first
    kind 1    8 bytes
    kind 2    a length, then so many bytes: a text, a message, or several numbers together
    kind 5    4 bytes
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from uno_pomdp.errors import UnusableFile

NUMBER: Final = 0
EIGHT: Final = 1
BYTES: Final = 2
FOUR: Final = 5
_LONGEST: Final = 10
"""Bytes of a whole number at most."""


class Field(NamedTuple):
    """One field of a message."""

    number: int
    value: int | memoryview
    """A whole number, or the bytes."""


def fields(message: memoryview) -> Iterator[Field]:
    """Return the fields of a message in order; refuse bytes that are none."""
    place = 0
    while place < len(message):
        key, place = _whole(message, place)
        kind, number = key & 7, key >> 3
        if kind == NUMBER:
            value, place = _whole(message, place)
            yield Field(number, value)
            continue
        if kind == BYTES:
            size, place = _whole(message, place)
        elif kind in (EIGHT, FOUR):
            size = 8 if kind == EIGHT else 4
        else:
            raise damaged()
        if place + size > len(message):
            raise damaged()
        yield Field(number, message[place : place + size])
        place += size


def _whole(message: memoryview, place: int) -> tuple[int, int]:
    """Return the whole number at a place, and where it ends."""
    value = 0
    for nth in range(_LONGEST):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        value |= (byte & 127) << 7 * nth
        if byte < 128:
            return value, place
    raise damaged()


def damaged() -> UnusableFile:
    """Return the error for bytes that are no message."""
    return UnusableFile("it is no ONNX file, or a damaged one")


def text_of(value: int | memoryview) -> str:
    """Return the text that a field holds."""
    if isinstance(value, int):
        raise damaged()
    try:
        return bytes(value).decode("utf-8")
    except UnicodeDecodeError as error:
        raise damaged() from error


def message_of(value: int | memoryview) -> memoryview:
    """Return the message that a field holds."""
    if isinstance(value, int):
        raise damaged()
    return value


def number_of(value: int | memoryview) -> int:
    """Return the whole number that a field holds."""
    if not isinstance(value, int):
        raise damaged()
    return value


# --- writing ---------------------------------------------------------------------------------------------


def number_field(number: int, value: int) -> bytes:
    """Return a field that holds a whole number."""
    return _as_bytes(number << 3 | NUMBER) + _as_bytes(value)


def bytes_field(number: int, value: bytes | str) -> bytes:
    """Return a field that holds bytes, a text or a message."""
    content = value.encode() if isinstance(value, str) else value
    return _as_bytes(number << 3 | BYTES) + _as_bytes(len(content)) + content


def _as_bytes(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
