"""What every command shares: one console, cards in colour, the first compile shown, errors in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.text import Text

from uno_pomdp.cards import Cards, CardType, card_name, colour_of
from uno_pomdp.game.values import Action
from uno_pomdp.jit import compiling

out: Final = Console(highlight=False)
"""Results."""
err: Final = Console(stderr=True, highlight=False)
"""Progress and errors: never mixed into results."""

STYLES: Final = ("bold red", "bold yellow", "bold green", "bold blue")
BLACK: Final = "bold magenta"


def card_text(card: CardType) -> Text:
    """Return a card's name in its colour."""
    colour = colour_of(card)
    return Text(card_name(card), BLACK if colour is None else STYLES[colour])


def cards_text(cards: Cards | tuple[CardType, ...]) -> Text:
    """Return the names of several cards."""
    return Text(" ").join(map(card_text, cards))


def action_text(action: Action) -> Text:
    """Return an action; a black card in the colour that it declares."""
    return Text(str(action), "" if action.colour is None else STYLES[action.colour])


@contextmanager
def showing_compilation() -> Iterator[None]:
    """Say on the error console what is being compiled; say nothing when all comes from the cache."""
    status = err.status("")
    done: list[str] = []

    def report(name: str) -> None:
        if not done and not err.is_terminal:
            err.print("Compiling the kernels, this first time only (some seconds) …")
        done.append(name)
        status.update(f"Compiling the kernels, this first time only: {name} ({len(done)})")
        status.start()

    try:
        with compiling(report):
            yield
    finally:
        status.stop()
