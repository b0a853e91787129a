"""The lines of a record's text: how one reads them in order, what blames them, and the small forms that many share."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from unicodedata import category

from uno_pomdp.cards import Cards, parse_card
from uno_pomdp.errors import InvalidRecord, UnoError, quoted
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden, Pile
from uno_pomdp.game.record import Hand

VERSION: Final = 2
HEADER: Final = f"uno-pomdp game, version {VERSION}"
NOTHING: Final = "nothing"
UNFINISHED: Final = "unfinished"
BOM: Final = BOM_UTF8.decode()
"""The byte order mark that some editors put before a text."""
MOST_DIGITS: Final = 20
"""No number in a record is longer: seeds go up to 2⁶⁴ − 1."""
CONTROLS: Final = ("Cc", "Cs", "Zl", "Zp")
"""The Unicode categories of characters that steer a terminal, end a line or stand for nothing."""


class Reader:
    """The lines of a record that count, one after another, each with its number."""

    def __init__(self, text: str) -> None:
        numbered = enumerate((line.strip() for line in text.removeprefix(BOM).split("\n")), 1)
        self._lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
        self._next = 0
        self.line = 0
        """The number of the line read last."""

    def peek(self) -> str | None:
        """Return the next line without reading it; None at the end."""
        return self._lines[self._next][1] if self._next < len(self._lines) else None

    def next_is(self, name: str) -> bool:
        """Return whether the next line is this field's."""
        key, colon, _ = (self.peek() or "").partition(":")
        return bool(colon) and key.strip() == name

    def read(self, expected: str) -> str:
        """Return the next line."""
        if self._next == len(self._lines):
            raise InvalidRecord(f"the record ends before its {expected!r} line", self.line + 1)
        self.line, text = self._lines[self._next]
        self._next += 1
        return text

    def field(self, name: str) -> str:
        """Return the value of the next line, which has to be this field's."""
        key, colon, value = self.read(name).partition(":")
        if not colon or key.strip() != name:
            raise InvalidRecord(f"'{name}: …' belongs here, not {quoted(key.strip())}", self.line)
        return value.strip()

    @contextmanager
    def blaming(self, line: int = 0) -> Iterator[None]:
        """Give the number of the line read last, or of the one named, to any error inside."""
        try:
            yield
        except InvalidRecord as error:
            if error.line:
                raise
            raise InvalidRecord(str(error), line or self.line) from error
        except UnoError as error:
            raise InvalidRecord(str(error), line or self.line) from error


def record_name(name: str) -> str:
    """Return a name for a record, of a player or of what a text makes, if a terminal shows it as it is, in one line."""
    if name.strip() != name or not name or any(category(each) in CONTROLS for each in name):
        raise InvalidRecord(f"{quoted(name)} is no name for a record: give one line of text without control characters")
    return name


def parse_number(text: str) -> int:
    """Return the whole number that a text is."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise InvalidRecord(f"{quoted(text)} is no whole number of at most {MOST_DIGITS} digits")
    return int(text)


def parse_seat(text: str) -> Seat:
    """Return the seat that a text names."""
    for seat in SEATS:
        if text == seat_name(seat):
            return seat
    raise InvalidRecord(f"{quoted(text)} is no seat: {' and '.join(map(seat_name, SEATS))} are")


def parse_pile(text: str) -> Pile:
    """Return the cards that a text lists, or their number."""
    words = text.split()
    if words[-1:] == ["hidden"]:
        return Hidden(parse_number(" ".join(words[:-1])))
    return tuple(parse_card(word) for word in words)


def parse_hand(text: str) -> Hand:
    """Return the hand that a text lists, or its size."""
    cards = parse_pile(text)
    return cards if isinstance(cards, Hidden) else Cards.of(cards)
