"""What every command shares: one console, cards in colour, a notice while kernels compile, JSON output.

It is loaded for `--help` too: nothing here may bring Numba with it.
"""

import codecs
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
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
PATIENCE: Final = 3.0
"""Seconds for which kernels compile without a word."""
COMPILING: Final = "Compiling {what}: a first run takes 5 to 30 seconds longer, later ones load it …"
"""The notice while kernels compile: beside a spinner, or printed once where there is no terminal."""
ALWAYS_COMPILING: Final = "Compiling {what}, 5 to 30 seconds in every run while compiled code can't be kept …"
"""The same where compiled kernels are lost at the end."""
ROOMS: Final = {
    "adapters": "the environments", "arena": "matches", "beliefs": "the beliefs", "equilibrium": "the solver",
    "evaluation": "the measure of luck", "game": "the rules", "learning": "the training", "nets": "the nets",
    "policies": "the players", "pomdp": "value iteration", "search": "the search", "testing": "the checks",
}  # fmt: skip
"""What the kernels of each folder of the package are for."""


class CompilingNotice:
    """What is said of kernels that compile: what they are for, once they have taken longer than one likes to wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent = 0.0
        self._since: float | None = None
        self.printed = False
        """Whether it was printed where there is no spinner."""

    def about(self, kernel: str) -> str:
        """Return what to say while this kernel compiles; nothing in the first seconds that a process compiles."""
        from uno_pomdp.kernel_cache import kernels_are_kept  # Numba: half a second

        now = self._clock()
        self._since = now if self._since is None else self._since
        if self._spent + now - self._since < PATIENCE:
            return ""
        room = kernel.partition(".")[0]
        return (COMPILING if kernels_are_kept() else ALWAYS_COMPILING).format(what=ROOMS.get(room, room))

    def done(self) -> None:
        """Count the time of what was compiled just now."""
        if self._since is not None:
            self._spent += self._clock() - self._since
            self._since = None


notice: Final = CompilingNotice()
"""What this process says."""


def say(sentence: str) -> None:
    """Say a sentence to whoever runs the command, as it is."""
    err.print(f"uno-pomdp: {sentence}", markup=False, soft_wrap=True)


def card_text(card: CardType) -> Text:
    """Return a card's name in its colour."""
    colour = colour_of(card)
    return Text(card_name(card), BLACK if colour is None else STYLES[colour])


class AgentName:
    """An agent's name in a table: lines end behind commas and colons, inside a word only if that is too long."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[str] = re.findall(r"[^,:]*[,:]|[^,:]+", name)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = [""]
        for part in self._parts:
            if lines[-1] and cell_len(lines[-1] + part) > options.max_width:
                lines.append("")
            lines[-1] += part
        yield Text("\n".join(lines), overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(max(map(cell_len, self._parts), default=0), cell_len(self._name))


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
    """Say on the error console what is being compiled if it takes seconds; nothing when all comes from the cache."""
    from uno_pomdp.jit import compiling  # Numba: half a second

    status = err.status("")

    def report(kernel: str) -> None:
        said = notice.about(kernel)
        if not said:
            return
        if err.is_terminal:
            status.update(said)
            status.start()
        elif not notice.printed:
            err.print(said, soft_wrap=True)
            notice.printed = True

    def done() -> None:
        notice.done()
        status.stop()

    try:
        with compiling(report, done):
            yield
    finally:
        done()


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
