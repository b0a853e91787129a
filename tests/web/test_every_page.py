"""Every page of the board on the real server: small, soon painted, accessible, for a phone, and asking nobody else."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.all_pages import PAGES, addresses, arrive, weighed
from tests.web.boards import Board, running
from tests.web.conftest import Open
from tests.web.visits import DESKTOP, PHONE, Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_BYTES = 150_000
MOST_MILLISECONDS = 1000
MOST_SHIFT = 0.1
"""What search engines call a good page."""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Run a server for all tests of this file."""
    with running(tmp_path_factory.mktemp("board") / "pages.sqlite") as board:
        yield board


@pytest.fixture(scope="module")
def places(board: Board) -> dict[str, str]:
    """Return where each page is."""
    return addresses(board)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_and_all_it_loads_is_small(name: str, places: dict[str, str], browser: "Browser", visit: Open) -> None:
    """What is sent counts. Only the review of a long game is sent packed."""
    first = visit(places[name])
    arrive(first, name)
    (weight,) = weighed(browser, name, places[name], times=1)
    assert weight.sent > 20_000, "it was measured"
    assert weight.sent < MOST_BYTES
    assert weight.sent == weight.unpacked or name == "review"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_painted_within_a_second(name: str, places: dict[str, str], browser: "Browser", visit: Open) -> None:
    """The best of three counts: other work on the machine is no fault of the page."""
    first = visit(places[name])
    arrive(first, name)
    paints = [weight.paint for weight in weighed(browser, name, places[name], times=3)]
    assert 0 < min(paints) < MOST_MILLISECONDS, paints


@pytest.mark.parametrize("size", [PHONE, (1440, 900)], ids=["phone", "desktop"])
@pytest.mark.parametrize("name", PAGES)
def test_what_is_shown_keeps_its_place(
    name: str, size: tuple[int, int], places: dict[str, str], browser: "Browser", visit: Open
) -> None:
    """The cumulative layout shift, as browsers count it, until the page is there and a second longer."""
    first = visit(places[name], size=size)
    arrive(first, name)
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(
        """new PerformanceObserver((list) => {
          for (const each of list.getEntries()) window.shift = (window.shift ?? 0) + each.value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    page.goto(places[name])
    page.wait_for_selector(PAGES[name], state="attached", timeout=60_000)
    page.wait_for_timeout(1000)
    assert page.evaluate("window.shift ?? 0") < MOST_SHIFT
    context.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(
    name: str, size: tuple[int, int], dark: bool, places: dict[str, str], board: Board, visit: Open
) -> None:
    opened = visit(places[name], size=size, dark=dark)
    arrive(opened, name)
    assert opened.serious() == []
    assert opened.overflow() <= 0
    assert sticking_out(opened) == []
    assert all(asked.startswith(f"{board.address}/") for asked in opened.requests)


def sticking_out(visit: Visit) -> list[str]:
    """Return what is wider than the panel that it is in."""
    found: list[str] = visit.page.evaluate(
        """() => [...document.querySelectorAll(".panel")].flatMap((panel) => {
          const edge = panel.getBoundingClientRect().right + 0.5;
          return [...panel.querySelectorAll("input, textarea, select, button, svg, p, table.heat-map, h2")]
            .filter((each) => each.closest(".scroll, .visually-hidden, .segments") === null)
            .filter((each) => each.getBoundingClientRect().right > edge)
            .map((each) => each.outerHTML.slice(0, 90));
        })"""
    )
    return found


@pytest.mark.parametrize("name", ["lab", "play", "watch"])
def test_words_in_pictures_can_be_read_on_a_phone(name: str, places: dict[str, str], visit: Open) -> None:
    opened = visit(places[name], size=PHONE)
    arrive(opened, name)
    opened.page.wait_for_selector("figure svg text", state="attached")
    heights: list[float] = opened.page.eval_on_selector_all(
        "figure svg text", "all => all.map(each => each.getBoundingClientRect().height)"
    )
    assert min(heights) > 11, "of a letter this is about two thirds"
