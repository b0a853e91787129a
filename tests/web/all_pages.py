"""Every page of the board, opened on the real server, with what it weighs and when it is first painted.

python -m tests.web.all_pages       prints the figures of docs/board.md
"""

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.request import Request, urlopen

from tests.web.boards import Board, running
from tests.web.visits import DESKTOP, Visit
from uno_pomdp.arena.match import play_game
from uno_pomdp.game.notation import format_record
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TIMES: Final = 5
"""How often the first paint is measured."""
WAIT: Final = 60_000
"""Milliseconds: kernels may have to be compiled."""
FORM: Final = "#rules option"
PAGES: Final = {
    "home": ".choice",
    "play": ".candidates .bar",
    "review form": "#record",
    "review": "#moves a.row",
    "advise form": FORM,
    "advise": ".move .worth:not(:empty)",
    "watch form": FORM,
    "watch": "#belief-2 .heat-map",
    "lab form": FORM,
    "lab": "#pictures svg",
}
"""By name, what each has when it is all there."""
TABLE: Final = ("me", "R5 R7 Y1 G+2 W4 B3 RS", "R1")
"""What is entered at the real table."""


@dataclass(frozen=True)
class Weight:
    """What a page is to a browser that has nothing of it."""

    sent: int
    """Bytes of the page and of all it loads, as they are sent."""
    unpacked: int
    """The same, as they are read."""
    paint: float
    """Milliseconds until something is seen."""


def long_game() -> str:
    """Return the record of a game of 249 moves: most have less than 50."""
    agents = make_agent("random"), make_agent("heuristic")
    played = play_game(preset("printed"), 13, agents, (1, 2), record=True).record
    assert played is not None
    return format_record(played)


def asked(board: Board, path: str, **values: Any) -> Any:
    """Send something to the board, and return its answer."""
    headers = {"Content-Type": "application/json", "Origin": board.address}
    with urlopen(Request(f"{board.address}{path}", json.dumps(values).encode(), headers)) as answer:
        return json.load(answer)


def addresses(board: Board) -> dict[str, str]:
    """Begin one session of each kind; return where each page is."""
    record = long_game()
    table = asked(board, "/api/advise", rules="printed", coach="flat:sims=400", middle=False)
    for at, text in enumerate(TABLE):
        asked(board, f"/api/advise/{table['token']}/enter", text=text, at=at)
    made = {
        "play": asked(board, "/api/play", rules="printed", opponent="heuristic", seat="1", coach=True),
        "review": asked(board, "/api/review", record=record, coach="flat:sims=20"),
        "advise": table,
        "watch": asked(board, "/api/watch", record=record),
        "lab": asked(
            board, "/api/lab", kind="match", rules="mini-7", first="heuristic", second="baseline", pairs=100, seed=1
        ),
    }
    rooms = {f"{room} form": f"/{room}" for room in ("review", "advise", "watch", "lab")}
    return {name: f"{board.address}{path}" for name, path in (
        {"home": "/"} | rooms | {name: str(one["url"]) for name, one in made.items()}
    ).items()}  # fmt: skip


def arrive(visit: Visit, name: str) -> None:
    """Wait until a page is all there."""
    visit.page.wait_for_selector(PAGES[name], state="attached", timeout=WAIT)


def weight_of(visit: Visit) -> Weight:
    """Return what a page weighs that is all there."""
    sent, unpacked = visit.page.evaluate(
        """() => {
          const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
          return ["encodedBodySize", "decodedBodySize"].map((size) => all.reduce((sum, each) => sum + each[size], 0));
        }"""
    )
    visit.page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    paint = visit.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return Weight(sent, unpacked, paint)


def weighed(browser: "Browser", name: str, address: str, times: int = TIMES) -> list[Weight]:
    """Open a page several times, each time in a browser that has nothing of it."""
    weights = []
    for _ in range(times):
        visit = Visit.of(browser, address, DESKTOP)
        arrive(visit, name)
        weights.append(weight_of(visit))
        visit.close()
    return weights


def main() -> None:
    """Print the figures of every page."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver, running(Path(folder) / "games") as board:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        there = addresses(board)
        weighed(browser, "review", there["review"], times=1)  # it is made when somebody waits for it
        print("| page | kB sent | kB unpacked | first paint, median ms |\n|---|---|---|---|")
        for name in PAGES:
            weights = sorted(weighed(browser, name, there[name]), key=lambda one: one.paint)
            most = max(weights, key=lambda one: one.unpacked)
            middle = weights[len(weights) // 2].paint
            print(f"| {name} | {most.sent / 1000:.0f} | {most.unpacked / 1000:.0f} | {middle:.0f} |")
        browser.close()


if __name__ == "__main__":
    main()
