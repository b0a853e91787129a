"""What every command shares: one console, cards in colour, a notice while kernels compile, JSON output.

It is loaded for `--help` too: nothing here may bring Numba with it.
"""

import codecs
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from uno_pomdp.cards import Cards, CardType, card_name, colour_of

if TYPE_CHECKING:
    from uno_pomdp.game.actions import Action

out: Final = Console(highlight=False, emoji=False)
"""The console for results."""
err: Final = Console(stderr=True, highlight=False, emoji=False)
"""The console for progress and errors, which are never mixed into results."""

STYLES: Final = ("bold red", "bold yellow", "bold green", "bold blue")
BLACK: Final = "bold magenta"
COMPILING: Final = "Compiling the kernels, this first time only: a minute or two …"
"""The notice while kernels compile: beside a spinner, or printed once where there is no terminal."""
ALWAYS_COMPILING: Final = "Compiling the kernels, as in every run while they can't be kept: a minute or two …"
"""The same where compiled kernels are lost at the end."""
_compiled: Final[list[str]] = []
"""The kernels that this process had to compile; the notice appears once."""


def say(sentence: str) -> None:
    """Say a sentence to whoever runs the command, as it is."""
    err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)


def card_text(card: CardType) -> Text:
    """Return a card's name in its colour."""
    colour = colour_of(card)
    return Text(card_name(card), BLACK if colour is None else STYLES[colour])


def cards_text(cards: Cards | tuple[CardType, ...]) -> Text:
    """Return the names of several cards."""
    return Text(" ").join(map(card_text, cards))


def action_text(action: "Action") -> Text:
    """Return an action; a black card in the colour that it declares."""
    return Text(str(action), "" if action.colour is None else STYLES[action.colour])


def print_json(document: object) -> None:
    """Print a JSON document: in UTF-8, or else in ASCII."""
    try:
        unicode = codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"
    except LookupError:
        unicode = False
    sys.stdout.write(json.dumps(document, ensure_ascii=not unicode, indent=2) + "\n")


@contextmanager
def hushed(quiet: bool) -> Iterator[None]:
    """Print no results while a JSON document is being made."""
    before, out.quiet = out.quiet, quiet
    try:
        yield
    finally:
        out.quiet = before


@contextmanager
def showing_compilation() -> Iterator[None]:
    """Say on the error console what is being compiled; say nothing when all comes from the cache."""
    from uno_pomdp.jit import compiling  # Numba: half a second
    from uno_pomdp.kernel_cache import kernels_are_kept

    status, done = err.status(""), _compiled

    def report(name: str) -> None:
        said = COMPILING if kernels_are_kept() else ALWAYS_COMPILING
        if not done and not err.is_terminal:
            err.print(said, soft_wrap=True)
        done.append(name)
        status.update(f"{said} {name} ({len(done)})")
        status.start()

    try:
        with compiling(report, status.stop):
            yield
    finally:
        status.stop()


class _Heard(logging.Handler):
    """Prints logged warnings of the package in the style of all other messages."""

    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())


@contextmanager
def hearing_complaints() -> Iterator[None]:
    """Print logged warnings, such as of a damaged cache, on the error console, above a spinner if there is one."""
    log, heard = logging.getLogger("uno_pomdp"), _Heard()
    log.addHandler(heard)
    try:
        yield
    finally:
        log.removeHandler(heard)
