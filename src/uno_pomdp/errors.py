"""What can be wrong with a request: one class per kind, one sentence per message."""

import os
import traceback
from contextlib import suppress
from typing import ClassVar, Final

MOST_QUOTED: Final = 60
"""Characters of a wrong text that a message repeats."""
MOST_BITS: Final = 4_096
"""Bits of a whole number that a message repeats."""
MOST_SAID: Final = 2_000
"""Characters of a whole message: a path alone may have more."""


class UnoError(ValueError):
    """A request that can't be met. The message says what is wrong and what would be right.

    >>> import uno_pomdp as uno
    >>> try:
    ...     uno.Game.new("house", seed=5).play("B1")
    ... except uno.UnoError as error:
    ...     print(error)
    player 1 does not hold B1: legal is Y9, G3, G+2
    """


class Interruption(BaseException):
    """The person or the system ends what is being done. Not an `Exception`: what was being done is not at fault."""

    latest: ClassVar["Interruption | None"] = None
    """The last one, by which it is found out that code of a user has swallowed it."""

    def __init__(self, *told: object) -> None:
        super().__init__(*told)
        Interruption.latest = self


class Interrupted(Interruption, KeyboardInterrupt):
    """Ctrl-C, as the command hears it: an agent that raises `KeyboardInterrupt` itself is told apart from it."""


class InvalidCard(UnoError):
    """A text that names no card, colour or action, or an impossible count of cards."""


class InvalidRules(UnoError):
    """A rules value that can't be dealt (`field` is at fault), or the name of a preset that does not exist."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.reason = reason
        self.field = field

    def __reduce__(self) -> tuple[type["InvalidRules"], tuple[str, str]]:
        return type(self), (self.reason, self.field)


class IllegalAction(UnoError):
    """An action that the rules do not allow in this position."""


class GameOver(IllegalAction):
    """An action in a game that has ended."""


class InvalidSeed(UnoError):
    """A number that can't seed a deal or a stream of random numbers."""


class InvalidDeal(UnoError):
    """Cards that are no deal of the deck under the rules."""


class InvalidRecord(UnoError):
    """The text of a game that does not parse or does not replay; `line` counts from 1, 0 is the whole.

    >>> import uno_pomdp as uno
    >>> try:
    ...     uno.parse_record("hello")
    ... except uno.InvalidRecord as error:
    ...     print(error.line, error.reason)
    1 a record begins with 'uno-pomdp game, version 2', not with 'hello'
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line

    def __reduce__(self) -> tuple[type["InvalidRecord"], tuple[str, int]]:
        return type(self), (self.reason, self.line)


class InvalidBelief(UnoError):
    """A belief that can't be made, or an invalid option of one."""


class InvalidAgent(UnoError):
    """An agent that does not exist, or options that it does not have."""


class UnusableFile(UnoError):
    """A file, or the folder of one, that can't be used: not readable, damaged, or not what is looked for there."""


class ConflictingOptions(UnoError):
    """Options of a command that can't be given together."""


class CannotWrite(OSError, UnoError):
    """A file that can't be written: an `OSError` as well as an `UnoError`. What was there is unchanged."""

    def __init__(self, path: str, reason: str, number: int | None = None) -> None:
        super().__init__(number, reason, path)  # which make `errno`, `strerror` and `filename`

    def __str__(self) -> str:
        return f"{self.filename} can't be written: {self.strerror}"

    def __reduce__(self) -> tuple[type["CannotWrite"], tuple[str, str, int | None]]:
        return type(self), (self.filename, self.strerror or "", self.errno)


class NoFolder(CannotWrite):
    """A folder that can't be made."""

    def __str__(self) -> str:
        return f"the folder {self.filename} can't be made: {self.strerror}"


class PlaceTaken(UnoError):
    """A file that must not be overwritten: its content is still needed."""


class WorkerLost(UnoError):
    """A process that worked for this one was killed; `told` is how far the work came, in the words of a command."""

    def __init__(self, told: str = "") -> None:
        super().__init__(told)
        self.told = told

    def __str__(self) -> str:
        return f"a process that worked here was killed, as happens when memory is short, {self.told}".rstrip(", ")


def place_of(error: BaseException, file: str | None = None) -> str:
    """Return `file, line n` of where an error was raised: its last frame in this file or, if none is given, in any."""
    if isinstance(error, SyntaxError) and error.filename:
        return place(error.filename, error.lineno or 1)
    steps = traceback.extract_tb(error.__traceback__)
    within = [step for step in steps if (step.filename == file if file else not step.filename.startswith("<"))]
    return place(within[-1].filename, within[-1].lineno or 1) if within else ""


def place(file: str, line: int) -> str:
    """Return `file, line n`, the file relative to the current folder where that is shorter."""
    with suppress(OSError, ValueError):  # no present folder; on Windows, another drive
        file = min(os.path.relpath(file), file, key=len)
    return f"{file}, line {line}"


def sentence_of(error: UnoError | OSError) -> str | None:
    """Return what is wrong, in a sentence; None for a failure of the system that is about no file."""
    if isinstance(error, OSError) and not isinstance(error, UnoError):
        return None if error.filename is None else sentence(f"{error.filename} can't be used: {error.strerror}")
    return sentence(str(error))


def quoted(value: object) -> str:
    """Return a wrong text or value as every refusal repeats it: in quotes, escaped, and cut if it is long."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"a number of {value.bit_length():,} bits"  # whose digits Python refuses to write
    return repr(_cut(value)) if isinstance(value, str) else abridged(repr(value))


def abridged(text: str) -> str:
    """Return the beginning of a wrong text, without quotes: escaped, and cut if it is long."""
    return one_line(_cut(text))


def sentence(text: str) -> str:
    """Return a message as it is shown: on one line, and without its middle if it is very long."""
    return one_line(text if len(text) <= MOST_SAID else f"{text[: MOST_SAID // 2]} … {text[-MOST_SAID // 2 :]}")


def _cut(text: str) -> str:
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"


def one_line(text: str) -> str:
    """Return a text on one line: line breaks and other control characters are escaped as in Python."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
