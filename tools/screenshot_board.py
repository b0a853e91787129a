"""Make the pictures of the board: the first page, a turn, a challenge, the end of a game, a phone, watch, lab.

python -m tools.screenshot_board        writes docs/pictures/board-*.png, from the real server in Debian's Chromium
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.all_pages import asked
from tests.web.boards import Board, Person, running
from uno_pomdp.game.actions import CHALLENGE, Action
from uno_pomdp.rules import preset
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup

FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
OPPONENT: Final = "heuristic"
RULES: Final = "printed"
COLOURS: Final = 250
"""Of a picture: a small file, and no difference to see."""


def game_until(wanted: Callable[[Session], bool]) -> tuple[int, list[str]]:
    """Return a deal, and the moves of the person after which the position is as wanted."""
    for seed in range(500):
        session, moves = Session(Setup(preset(RULES), seed, 0, OPPONENT)), list[str]()
        while not session.over:
            if not session.awaits_person:
                session.answer()
            elif wanted(session):
                return seed, moves
            else:
                moves.append(str(choice(session)))
                session.move(Action.parse(moves[-1]))
    raise AssertionError("no deal comes to such a position")


def choice(session: Session) -> Action:
    """Return a move of the person: a card if one fits, a coloured one if there is any."""
    return min(session.history.now.legal_actions(), key=lambda action: (action.card is None, action.card, action.id))


def rich(session: Session) -> bool:
    """Return whether there is something to choose, to count and to see."""
    seen = session.history.now
    cards = {action.card for action in session.history.now.legal_actions()} - {None}
    return len(session.history.steps) >= 12 and len(cards) >= 3 and len(seen.hand) <= 8 and 52 in seen.hand


def challenged(session: Session) -> bool:
    """Return whether a +4 may be challenged, after a few moves."""
    return CHALLENGE in session.history.now.legal_actions() and len(session.history.steps) >= 6


def main() -> None:
    """Play, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver, running(Path(folder) / "games") as board:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = opened(browser, (1280, 800))
        page.goto(board.address)
        page.wait_for_selector(".choice")
        save(page, "home")
        page = at_table(browser, board, rich, (1500, 860))
        save(page, "play")
        page = at_table(browser, board, rich, (360, 640), dark=True)
        save(page, "phone")
        page = at_table(browser, board, challenged, (1280, 800), dark=True)
        save(page, "challenge")
        person = Person(page)
        while person.ready():
            person.click(person.any_move())
        page.wait_for_selector(".luck-chart")
        page.set_viewport_size({"width": 1280, "height": 640})
        save(page, "end")
        save(watched(browser, board), "watch")
        save(experiment(browser, board), "lab")
        browser.close()


def watched(browser: Browser, board: Board) -> Page:
    """Return a page with two agents at their game, at a move that took a search."""
    made = asked(board, "/api/watch", rules="printed", first="flat:sims=2000", second="heuristic", seed=3)
    page = opened(browser, (1280, 800))
    page.goto(f"{board.address}{made['url']}")
    page.wait_for_selector("#save:not([hidden])", timeout=60_000)
    page.click("#pause")
    page.click("#moves li:nth-child(7)")
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.getElementById('status').textContent.startsWith('7. ')")
    page.wait_for_selector(".candidates")
    page.evaluate("scrollTo(0, 0)")
    return page


def experiment(browser: Browser, board: Board) -> Page:
    """Return a page with a match in which many deals are played."""
    values = {
        "kind": "match",
        "rules": "house",
        "first": "flat:sims=40",
        "second": "heuristic",
        "pairs": 600,
        "seed": 1,
    }
    page = opened(browser, (900, 560), dark=True)
    page.goto(f"{board.address}{asked(board, '/api/lab', **values)['url']}")
    page.wait_for_function(
        "() => (parseInt(/: (\\d+) of/.exec(document.getElementById('status').textContent)?.[1]) || 0) > 350",
        timeout=120_000,
    )
    return page


def opened(browser: Browser, size: tuple[int, int], dark: bool = False) -> Page:
    """Return a new page of this size."""
    return browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )


def at_table(
    browser: Browser, board: Board, wanted: Callable[[Session], bool], size: tuple[int, int], dark: bool = False
) -> Page:
    """Return a page with a game at such a position, and the coach's thoughts about it."""
    seed, moves = game_until(wanted)
    board.seeds[:] = [seed]
    page = opened(browser, size, dark)
    made = asked(board, "/api/play", rules=RULES, opponent=OPPONENT, seat="1", coach=True, to=500)
    page.goto(f"{board.address}{made['url']}")
    person = Person(page)
    for move in moves:
        person.ready()
        person.click(move)
    person.ready()
    page.mouse.move(0, 0)
    page.wait_for_function(
        "() => document.getElementById('coach-words').textContent.startsWith('Best')", timeout=30_000
    )
    return page


def save(page: Page, name: str) -> None:
    """Write what is seen."""
    picture = (
        Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE, kmeans=2)
    )
    picture.save(FOLDER / f"board-{name}.png", optimize=True)


if __name__ == "__main__":
    main()
