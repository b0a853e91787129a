"""A game at a real table, entered on a page: by taps on a phone, by keys; corrected, reloaded, and gone on with."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.web.boards import Board, running
from tests.web.conftest import Open
from tests.web.visits import Visit
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record_parsing import parse_record

if TYPE_CHECKING:
    from playwright.sync_api import Page

SMALL: Final = (360, 740)
HAND: Final = "R5 R7 Y1 G+2 W4 B3 RS"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Run a server for all tests of this file."""
    with running(tmp_path_factory.mktemp("board") / "tables.sqlite") as board:
        yield board


class Thumb:
    """Who taps."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.page: Page = visit.page

    @property
    def entered(self) -> list[str]:
        """All answers and moves as they are listed."""
        return [
            words.replace("\u00a0", " ").strip() for words in self.page.locator("#entries button").all_inner_texts()
        ]

    def tap(self, *cards: str) -> None:
        """Tap tiles."""
        for card in cards:
            self.page.click(f'#body .tile[data-code="{card}"]')

    def entry(self, deed: str, *more: str) -> None:
        """Make an entry by taps and wait until it is shown: a move, a card, a button, a colour; `=` is done."""
        at = self.page.get_attribute("#main", "data-at")
        for each in (deed, *more):
            self._touch(each)
        self.page.wait_for_function(
            "n => document.getElementById('main').dataset.at !== n || !document.getElementById('refusal').hidden",
            arg=at,
            polling=20,
        )
        assert self.page.locator("#refusal").is_hidden(), self.page.inner_text("#refusal")

    def _touch(self, what: str) -> None:
        body = self.page.locator("#body")
        if what == "=":
            body.locator(".primary").click()
        elif body.locator(f'[data-key="{what}"]').count():
            body.locator(f'[data-key="{what}"]').click()
        elif body.locator(f'.tile[data-code="{what}"]').count():
            body.locator(f'.tile[data-code="{what}"]').click()
        else:
            body.get_by_role("button", name=what).first.click()

    def record(self, address: str) -> str:
        """Return the record that the server has."""
        path = self.page.url.removeprefix(address)
        return str(self.page.request.get(f"{address}/api{path}/record").text())


def begin(board: Board, visit: Open, rules: str, middle: bool = False, size: tuple[int, int] = SMALL) -> Thumb:
    """Begin a table from the form."""
    opened = visit(f"{board.address}/advise", size=size)
    page = opened.page
    page.wait_for_selector(f'#rules option[value="{rules}"]', state="attached")
    page.select_option("#rules", rules)
    page.select_option("#coach-choice", label="another, by its text …")
    page.fill("#coach", "flat:sims=60")
    if middle:
        page.get_by_text("In the middle").click()
    assert opened.overflow() <= 0
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#main[data-at='0']")
    return Thumb(opened)


def dealt(thumb: Thumb, who: str = "I do", hand: str = HAND, top: str = "R1") -> None:
    """Tap how the game begins."""
    thumb.entry(who)
    thumb.entry(*hand.split(), "=")
    thumb.entry(top)


def small_targets(visit: Visit) -> list[str]:
    """Return what a thumb may miss: buttons, links and fields that are smaller than 44 pixels in a direction."""
    found: list[str] = visit.page.evaluate(
        """() => [...document.querySelectorAll("main button, main a, main input, main summary")].flatMap((each) => {
          const box = (each.closest("label") ?? each).getBoundingClientRect();
          if (box.width === 0 || box.height === 0) return [];
          const size = `${box.width} × ${box.height}`;
          return Math.min(box.width, box.height) < 43.5 ? [`${each.outerHTML.slice(0, 90)} ${size}`] : [];
        })"""
    )
    return found


def test_a_game_is_entered_with_taps_alone_on_a_phone(board: Board, visit: Open) -> None:
    thumb = begin(board, visit, "printed")
    page, opened = thumb.page, thumb.visit
    assert small_targets(opened) == []
    thumb.entry("I do")
    thumb.tap(*HAND.split()[:6])
    assert page.locator("#body .primary").is_disabled()
    assert small_targets(opened) == []
    assert opened.overflow() <= 0
    page.get_by_role("button", name="Take blue 3 out").click()
    thumb.entry("B3", "RS", "=")
    thumb.entry("R1")
    page.wait_for_selector(".move.best")
    page.wait_for_selector(".heat-map")
    assert opened.serious() == []
    assert small_targets(opened) == []
    thumb.entry("R5")
    assert "The opponent played ▲ R9." in _after(thumb, "R9")
    thumb.entry("draw", "G2")
    thumb.entry("keep")
    thumb.entry("draw")
    thumb.entry("keep")
    thumb.entry("W4", "green")
    thumb.entry("challenge", "Y2", "Y3", "Y4", "Y5", "=")
    assert "The opponent challenged the +4, rightly." in thumb.entered[-1]
    thumb.entry("W", "blue")
    thumb.entry("B3")
    assert opened.overflow() <= 0
    assert opened.serious() == []
    record = parse_record(thumb.record(board.address))
    assert [str(move.action) for move in record.moves] == [
        "R5", "R9", "draw", "keep", "draw", "keep", "W4:G", "challenge", "W:B", "B3",
    ]  # fmt: skip


def _after(thumb: Thumb, *taps: str) -> str:
    thumb.entry(*taps)
    return thumb.entered[-1]


def test_an_entry_is_corrected_by_taps_and_all_is_there_after_a_reload(board: Board, visit: Open) -> None:
    thumb = begin(board, visit, "printed")
    page = thumb.page
    dealt(thumb)
    thumb.entry("R5")
    thumb.entry("R9")
    page.locator("#entries li").nth(4).locator("button").click()
    page.wait_for_selector("#entry-title:has-text('What was it really?')")
    assert "R9" in page.inner_text("#status")
    assert page.get_attribute("#top-card", "aria-label") == "Top card: red 5", "the table stands as it did then"
    assert thumb.visit.serious() == []
    page.click("#back")
    assert page.inner_text("#entry-title") == "What did you do?"
    page.locator("#entries li").nth(4).locator("button").click()
    page.wait_for_selector("#entry-title:has-text('What was it really?')")
    thumb.tap("B5")
    page.wait_for_selector("#status:has-text('Corrected: entry 2 is B5, not R9')")
    assert "B5" in thumb.entered[4]
    page.locator("#entries li").nth(1).locator("button").click()
    page.wait_for_selector("#entry-title:has-text('What was it really?')")
    thumb.tap(*HAND.replace("G+2", "G3").split())
    page.click("#body .primary")
    page.wait_for_selector("#hand [aria-label='green 3']")
    before = (thumb.entered, page.inner_text("#hand-title"), page.inner_text("#opponent-words"))
    page.reload()
    page.wait_for_selector(".move")
    assert (thumb.entered, page.inner_text("#hand-title"), page.inner_text("#opponent-words")) == before
    page.goto(f"{board.address}/advise")
    page.locator("#tables a").first.click()
    page.wait_for_selector(".move")
    assert thumb.entered == before[0]


def test_hands_are_swapped_and_draws_go_on_until_one_fits(board: Board, visit: Open) -> None:
    thumb = begin(board, visit, "party")
    page = thumb.page
    dealt(thumb, hand="R5 R7 Y1 G+2 G9 B3 GS")
    thumb.entry("R7", "G1", "G2", "G3", "B1", "B2", "B4", "Y7", "=")
    assert page.inner_text("#hand-title") == "You hold 7"
    thumb.entry("R5")
    page.click('.move[data-key="draw"]')
    thumb.tap("B7", "B8")
    assert page.locator("#body .primary").is_disabled(), "none of them fits yet"
    thumb.entry("R8", "=")
    thumb.entry("R8")
    page.wait_for_selector("#body [data-key=draw]")
    page.click('[data-key="draw"]')
    page.get_by_role("button", name="one more").click()
    thumb.entry("Done")
    assert "drew 2 cards" in thumb.entered[-1]
    thumb.entry("R2")
    assert thumb.visit.overflow() <= 0


def test_a_game_is_begun_in_the_middle_and_a_challenge_is_lost(board: Board, visit: Open) -> None:
    thumb = begin(board, visit, "printed", middle=True)
    page = thumb.page
    thumb.entry("I do")
    thumb.entry("R5", "B2", "=")
    thumb.entry("W4")
    thumb.entry("green")
    thumb.entry("Done")
    thumb.entry("yellow")
    page.fill("#body input", "2")
    thumb.entry("Done")
    thumb.entry("Done")
    page.wait_for_selector(".move.best")
    assert "The +4 was a lie" in page.inner_text("#lie")
    thumb.entry("challenge", "G1", "G2", "=", "R1", "R2", "R3", "R4", "R6", "R7", "=")
    assert page.inner_text("#hand-title") == "You hold 8"
    assert "challenged the +4, wrongly" in thumb.entered[-1] or "challenged the +4, wrongly" in thumb.entered[-2]


def test_all_can_be_typed_and_a_refusal_is_shown_where_one_looks(board: Board, visit: Open) -> None:
    thumb = begin(board, visit, "printed", size=(1280, 900))
    page = thumb.page
    keyboard = page.keyboard
    keyboard.press("t")
    for number, words in enumerate(("me", HAND, "r1", "red 5", "draw"), 1):
        keyboard.type(words)
        keyboard.press("Enter")
        page.wait_for_selector(f"#main[data-at='{number}']")
    keyboard.type("g7")
    keyboard.press("Enter")
    page.wait_for_selector("#refusal:not([hidden])")
    assert page.inner_text("#refusal").startswith("G7 does not fit on R5")
    assert page.input_value("#text") == "g7", "it can be mended"
    thumb.visit.errors.clear()  # a browser notes every refusal
    page.fill("#text", "fix 1 r7")
    keyboard.press("Enter")
    page.wait_for_selector("#status:has-text('Corrected: entry 1 is R7')")
    assert page.locator("#refusal").is_hidden()
    page.evaluate("document.activeElement.blur()")
    keyboard.press("k")
    page.wait_for_selector("#main[data-at='6']")
    keyboard.press("u")
    page.wait_for_selector("#main[data-at='5']")
    page.locator("#body .tile").first.focus()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    code = page.evaluate("document.activeElement.dataset.code")
    keyboard.press("Enter")
    page.wait_for_selector("#main[data-at='6']")
    assert code in thumb.entered[-1].replace(" ", "")


def test_a_table_goes_on_when_the_server_was_away(tmp_path: Path, visit: Open) -> None:
    with running(tmp_path / "away.sqlite") as board:
        thumb = begin(board, visit, "printed")
        dealt(thumb)
        thumb.entry("R5")
        before = parse_record(thumb.record(board.address))
        board.stop()
        thumb.page.wait_for_selector("#connection:not([hidden])", timeout=10_000)
        board.start()
        thumb.page.wait_for_selector("#connection", state="hidden", timeout=10_000)
        thumb.entry("R9")
        after = parse_record(thumb.record(board.address))
        assert format_record(after).startswith(format_record(before).rstrip().rpartition("\n")[0])
        assert len(after.moves) == 2
        thumb.visit.errors.clear()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(board: Board, visit: Open, dark: bool) -> None:
    form = visit(f"{board.address}/advise", dark=dark, size=SMALL)
    form.page.wait_for_selector("#rules option", state="attached")
    assert form.serious() == []
    assert small_targets(form) == []
    thumb = begin(board, visit, "printed")
    thumb.entry("The opponent")
    opened = visit(thumb.page.url, dark=dark)
    opened.page.wait_for_selector(".tile")
    assert opened.serious() == []
    thumb.entry(*HAND.split(), "=")
    thumb.entry("R1")
    opened.page.wait_for_selector(".others")
    opened.page.click(".others summary")
    opened.page.click("#grammar summary")
    assert opened.serious() == []
    opened.page.click('#body .tile[data-code="W"]')
    assert opened.serious() == []


def test_a_coach_is_chosen_from_a_list_that_knows_the_rules(board: Board, visit: Open) -> None:
    """The free text is there for who asks for it; what does not know the rules can't be chosen."""
    opened = visit(f"{board.address}/advise")
    page = opened.page
    page.wait_for_function("() => document.getElementById('coach-choice').options.length > 3")
    for rules, usual in (("house", "champion"), ("party", "flat:sims=50000")):
        page.select_option("#rules", rules)
        assert (page.text_content("#coach-choice option") or "").startswith(f"the usual one: {usual}")
        told = page.text_content("#rules-list") or ""
        assert ("the hands are swapped" in told) == (rules == "party")
    refused = page.locator("#coach-choice option:disabled").all_text_contents()
    assert refused
    assert all(name.startswith("champion") for name in refused)
    assert not page.is_visible("#coach")
    page.select_option("#coach-choice", "flat:ms=200")
    assert "quick" in (page.text_content("#coach-summary") or "")
    page.select_option("#coach-choice", label="another, by its text …")
    assert page.is_visible("#coach")
    page.fill("#coach", "nobody")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#trouble:not([hidden])")
    page.fill("#coach", "greedy")
    assert not page.is_visible("#trouble"), "a message goes with its cause"
    opened.errors.clear()  # a browser complains about every request that is refused
