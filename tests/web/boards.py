"""The real server in a thread, and a person at a game in a browser who clicks or types."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from uno_pomdp.web import board, play
from uno_pomdp.web.app import make_app
from uno_pomdp.web.serving import Server, listening
from uno_pomdp.web.settings import LOOPBACK, Rate, Settings
from uno_pomdp.web.store import SessionStore

if TYPE_CHECKING:
    from playwright.sync_api import Page

FREELY: Final = Rate(1e9, 10**9)
READY: Final = """() => {
  const { status } = document.getElementById("main").dataset;
  return status === "yours" || status === "over";
}"""
"""Whether the person is to move, or the game is over."""


@dataclass
class Board:
    """A server that can be stopped and started again, with the same games under the same address."""

    path: Path
    slot: float = 0.0
    seeds: list[int] = field(default_factory=list)
    """The deals of the next games; any others when they are used up."""
    port: int = 0
    _server: Server | None = None
    _thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://{LOOPBACK}:{self.port}"

    def start(self) -> None:
        """Start it; return when it answers."""
        opened = listening(LOOPBACK, self.port)
        self.port = opened.getsockname()[1]
        settings = Settings(
            port=self.port,
            slot=self.slot,
            all_requests=FREELY,
            address_requests=FREELY,
            new_sessions=FREELY,
            address_sessions=FREELY,
            session_requests=FREELY,
        )
        ready = threading.Event()
        behind = board.Board(settings, SessionStore(self.path))
        config = uvicorn.Config(make_app(behind), http="h11", ws="none", log_config=None, timeout_graceful_shutdown=2)
        self._server = Server(config, behind, ready.set)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [opened]}, daemon=True)
        self._thread.start()
        assert ready.wait(20), "the server does not start"

    def stop(self) -> None:
        """Stop it."""
        assert self._server is not None
        assert self._thread is not None
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()

    def next_seed(self) -> int:
        """Return the seed of the next deal."""
        return self.seeds.pop(0) if self.seeds else 20_26


@contextmanager
def running(path: Path, slot: float = 0.0) -> Iterator[Board]:
    """Run a server whose deals are known."""
    board = Board(path, slot)
    before: Callable[[], int] = play.new_seed
    play.new_seed = board.next_seed
    board.start()
    try:
        yield board
    finally:
        play.new_seed = before
        board.stop()


class Person:
    """Who plays in a browser."""

    def __init__(self, page: "Page") -> None:
        self.page = page

    # --- what is on the page -----------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """Whose turn it is."""
        return str(self.page.evaluate("document.getElementById('main').dataset.status"))

    @property
    def number(self) -> int:
        """How many moves were made."""
        return int(self.page.evaluate("Number(document.getElementById('main').dataset.number)"))

    @property
    def playable(self) -> list[str]:
        """The cards that may be played."""
        found: list[str] = self.page.eval_on_selector_all(".hand-card.playable", "all => all.map(e => e.dataset.code)")
        return found

    def sees(self) -> dict[str, Any]:
        """Return all that the table shows, to compare."""
        seen: dict[str, Any] = self.page.evaluate(
            """() => ({
              hand: [...document.querySelectorAll(".hand-card")].map(e => e.getAttribute("aria-label")),
              moves: [...document.querySelectorAll("#moves li")].map(e => e.textContent),
              words: ["facts", "opponent-words", "draw-words", "played-words", "colour-name", "debt", "status"].map(
                (id) => document.getElementById(id).textContent),
              top: document.getElementById("played-pile").getAttribute("aria-label"),
            })"""
        )
        return seen

    def ready(self) -> bool:
        """Wait for the own turn; return whether the game goes on."""
        self.page.wait_for_function(READY)
        return self.status == "yours"

    # --- moves -------------------------------------------------------------------------------------------

    def moved(self, deed: Callable[[], object]) -> None:
        """Do something that is a move, and wait until the table shows it."""
        number = self.number
        deed()
        self.page.wait_for_function(
            "n => Number(document.getElementById('main').dataset.number) > n", arg=number, polling=20
        )

    def click(self, action: str) -> None:
        """Make a move by clicking: a card, a wild with its colour, or a button."""
        buttons = {"draw": "#draw", "keep": "#keep", "challenge": "#challenge-button"}
        if action in buttons:
            self.moved(lambda: self.page.click(buttons[action]))
            return
        code, _, letter = action.partition(":")
        card = self.page.locator(f'.hand-card.playable[data-code="{code}"]').first
        if not letter:
            self.moved(card.click)
            return
        card.click()
        colour = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}[letter]
        self.moved(self.page.get_by_role("button", name=colour, exact=True).click)

    def any_move(self) -> str:
        """Return a move that can be made: a card if one fits."""
        for code in self.playable:
            return f"{code}:R" if code in ("W", "W4") else code
        visible = [name for name in ("keep", "draw", "challenge") if self._shows(name)]
        return visible[0]

    def _shows(self, action: str) -> bool:
        return bool(self.page.is_visible("#challenge-button" if action == "challenge" else f"#{action}"))

    def type_any_move(self) -> None:
        """Make a move with the keyboard alone."""
        keyboard = self.page.keyboard
        if not self.playable:
            self.moved(lambda: keyboard.press("k" if self._shows("keep") else "d"))
            return
        keyboard.press("ArrowRight")
        while "playable" not in (self.page.evaluate("document.activeElement.getAttribute('aria-label')") or ""):
            keyboard.press("ArrowRight")

        def entered() -> None:
            keyboard.press("Enter")
            if self.page.locator("#chooser[open]").count():
                keyboard.press("ArrowRight")
                keyboard.press("Enter")

        self.moved(entered)
