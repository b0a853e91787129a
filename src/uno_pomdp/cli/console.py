"""What every command shares: one console, cards in colour, the first compile shown, documents for machines.

It is loaded for `--help` too: nothing here may bring Numba with it.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console
from rich.text import Text

from uno_pomdp.cards import Cards, CardType, card_name, colour_of

if TYPE_CHECKING:
    from uno_pomdp.game.values import Action

out: Final = Console(highlight=False)
"""Results."""
err: Final = Console(stderr=True, highlight=False)
"""Progress and errors: never mixed into results."""

STYLES: Final = ("bold red", "bold yellow", "bold green", "bold blue")
BLACK: Final = "bold magenta"
COMPILING: Final = "Compiling the kernels, this first time only (up to a minute) …"
"""What is said where no spinner can turn."""
_compiled: Final[list[str]] = []
"""The kernels that this process had to compile: it is said once."""


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
    """Print a document for machines."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


@contextmanager
def hushed(quiet: bool) -> Iterator[None]:
    """Print no results while a document for machines is being made."""
    before, out.quiet = out.quiet, quiet
    try:
        yield
    finally:
        out.quiet = before


@contextmanager
def showing_compilation() -> Iterator[None]:
    """Say on the error console what is being compiled; say nothing when all comes from the cache."""
    from uno_pomdp.jit import compiling  # Numba: half a second

    status, done = err.status(""), _compiled

    def report(name: str) -> None:
        if not done and not err.is_terminal:
            err.print(COMPILING, soft_wrap=True)
        done.append(name)
        status.update(f"Compiling the kernels, this first time only: {name} ({len(done)})")
        status.start()

    try:
        with compiling(report):
            yield
    finally:
        status.stop()
