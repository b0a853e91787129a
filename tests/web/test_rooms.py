"""Review, watch and lab in a real browser: by keys and clicks, shared by a link, accessible, on a phone too."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.all_pages import asked, long_game
from tests.web.boards import Board, running
from tests.web.conftest import Open
from tests.web.visits import DESKTOP, PHONE
from uno_pomdp.arena.match import play_game
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import HUMAN
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

WAIT = 60_000
"""Milliseconds: kernels may have to be compiled."""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with running(tmp_path_factory.mktemp("board") / "store.db") as board:
        yield board


@pytest.fixture(scope="module")
def record() -> str:
    """Return a game with mistakes: one player plays at random."""
    agents = make_agent("random"), make_agent("greedy")
    played = play_game(preset("pass"), 2, agents, (1, 2), record=True).record
    assert played is not None
    return format_record(played)


@pytest.mark.parametrize("phone", [False, True])
def test_a_mistake_is_tried_again_until_it_is_right(board: Board, record: str, visit: Open, phone: bool) -> None:
    there = visit(f"{board.address}/review", **({"size": PHONE} if phone else {}))
    page = there.page
    page.fill("#record", record)
    page.select_option("#coach-choice", label="another, by its text …")
    page.fill("#coach", "flat:sims=200")
    page.click("button.primary")
    page.wait_for_selector("#retry", timeout=WAIT)
    data = page.evaluate("JSON.parse(document.getElementById('review-data').textContent)")
    mistakes = [move for move in data["moves"] if move["grade"] in ("inaccuracy", "mistake", "blunder")]
    assert mistakes
    page.click("#retry")
    page.wait_for_selector("#verdict .choices")
    move = mistakes[0] if mistakes[0]["number"] > 1 or len(mistakes) == 1 else mistakes[1]
    assert page.inner_text("#verdict h2").startswith(f"Move {move['number']}: what would you play")
    assert not page.locator("#board .mark").first.is_visible()
    hands = page.locator("#board .hand")
    mover = 1 if move["player"] == 1 else 0
    labels = hands.nth(1 - mover).locator("svg").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert set(labels) == {"a hidden card"}, "the other hand is closed"
    number, later = move["number"], page.locator("#moves a.later")
    assert later.count() == len(data["moves"]) - number + 1
    assert not any(later.nth(place).locator(".grade").is_visible() for place in (0, 1))
    assert page.locator("#moves .drawn:visible").count() == len(
        [each for each in data["moves"][: number - 1] if each["player"] == move["player"] and each["drawn"]]
    ), "what the other drew stays hidden"
    assert not page.locator("svg.graph").is_visible()
    assert page.inner_text("#said") == ""
    fits = {each["action"].partition(":")[0] for each in move["candidates"]}
    codes = hands.nth(mover).locator("button").evaluate_all("all => all.map(e => e.dataset.code)")
    for code in codes:
        if code in fits and not code.startswith("W") and code != move["action"]:
            continue  # it may be as good as the best: then there is nothing to try again
        hands.nth(mover).locator(f"button[data-code='{code}']").first.click()
        if code not in fits:
            assert "does not fit here" in page.inner_text("#verdict [role=status]")
        elif code.startswith("W"):
            assert "which colour" in page.inner_text("#verdict h2")
            assert page.locator("#verdict [data-action]").count() == 4
            page.click("#verdict >> text=Back")
        else:
            assert "That was played" in page.inner_text("#verdict")
            page.click("text=Try again")
    page.click(f"#verdict [data-action='{move['action']}']")
    assert "That was played" in page.inner_text("#verdict")
    page.click("text=Try again")
    page.click(f"#verdict [data-action='{move['best']}']")
    assert "Right" in page.inner_text("#verdict")
    assert there.serious() == []
    page.click("text=Show what was better")
    assert move["words"].split()[-1].strip(".") in page.inner_text("#verdict")
    assert there.overflow() <= 0


def test_ones_own_game_is_told_to_the_person_who_played_it(board: Board, visit: Open) -> None:
    """As player 2, who wins or loses: no "P1", "P2" or "player" is left for people to translate."""
    agents = make_agent("greedy"), make_agent("random")
    played = play_game(preset("pass"), 2, agents, (1, 2), record=True).record
    assert played is not None
    own = format_record(replace(played, players=("champion:ms=50", HUMAN)))
    made = asked(board, "/api/review", record=own, coach="flat:sims=200")
    there = visit(f"{board.address}{made['url']}")
    page = there.page
    page.wait_for_selector("#moves a.row", timeout=WAIT)
    assert page.inner_text("h1") == "You v champion:ms=50"
    assert page.inner_text("#course-title") == "Your probability of winning"
    rows = page.locator("#moves .who").all_inner_texts()
    assert set(rows) == {"You", "champion"}
    heads = page.locator("#board h3 > span:first-child").all_inner_texts()
    assert heads == ["The opponent", "You"], "the own hand lies below"
    told = page.inner_text("main")
    assert re.search(r"\bP[12]\b|[Pp]layer 1", told) is None
    assert len(re.findall(r"player 2", told)) == 1, "the seat is named once, in the panel"
    data = page.evaluate("JSON.parse(document.getElementById('review-data').textContent)")
    mine = [
        each["number"]
        for each in data["moves"]
        if each["grade"] in ("inaccuracy", "mistake", "blunder") and each["player"] == 2
    ]
    assert mine
    for number in (*mine, mine[0]) if len(mine) > 1 else mine:
        page.click("#retry")
        heading = page.inner_text("#verdict h2")
        assert heading.startswith("Move ")
        assert heading.endswith(": what would you play?")
        assert int(heading.split()[1].strip(":")) in mine, number


def test_the_review_has_one_banner_one_heading_and_units(board: Board, record: str, visit: Open) -> None:
    made = asked(board, "/api/review", record=record, coach="flat:sims=200")
    there = visit(f"{board.address}{made['url']}")
    page = there.page
    page.wait_for_selector("#moves a.row", timeout=WAIT)
    assert page.locator("main h1").count() == page.locator("h1").count() == 1
    assert page.get_by_role("banner").count() == 1
    assert page.get_by_role("navigation").count() == 1, "steps through a game lead to no other page"
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    names = page.eval_on_selector_all(
        "main section",
        """all => all.map(e => e.getAttribute("aria-label")
          ?? document.getElementById(e.getAttribute("aria-labelledby"))?.textContent)""",
    )
    assert names == ["The table", "The move", "Both players", "Player 1’s probability of winning", "Moves"]
    assert re.fullmatch(r"[\d.]+\s% accuracy", page.locator(".accuracy").first.inner_text().replace("\u00a0", " "))
    assert re.fullmatch(r"[\d.]+ points lost, [\d.]+ a choice", page.locator(".totals").first.inner_text())
    assert "heuristic 92\u00a0%, 0.8" in page.inner_text(".usual")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_link_holds_the_whole_record_and_is_sent_to_nobody(board: Board, record: str, visit: Open) -> None:
    first = visit(f"{board.address}/review")
    address = first.page.evaluate(
        "async (text) => (await import('/static/record_links.js')).reviewAddress(text)", record
    )
    assert len(address) < len(record)
    there = visit(board.address + address)
    there.page.wait_for_url("**/review/*", timeout=WAIT)
    assert all("record=" not in asked.split("#")[0] for asked in there.requests)
    back = first.page.evaluate(
        "async (hash) => (await import('/static/record_links.js')).recordIn(hash)", address.removeprefix("/review")
    )
    assert back == record
    for broken in ("#record=", "#record=%%%", "#record=AAAA", "#else"):
        wrong = first.page.evaluate("async (hash) => (await import('/static/record_links.js')).recordIn(hash)", broken)
        assert not wrong


@pytest.mark.parametrize("phone", [False, True])
def test_a_game_is_watched_paused_and_stepped(board: Board, visit: Open, phone: bool) -> None:
    there = visit(f"{board.address}/watch", **({"size": PHONE} if phone else {}))
    page = there.page
    page.wait_for_function("() => document.getElementById('rules').options.length > 3")
    page.select_option("#rules", "mini-12")
    page.fill("#first", "heuristic")
    page.fill("#second", "greedy")
    page.fill("#seed", "3")
    page.click("#setup button")
    page.wait_for_url("**/watch/*")
    page.wait_for_selector("#save:not([hidden])", timeout=WAIT)
    page.keyboard.press("End")
    last = page.locator("#moves li").count()
    page.wait_for_function(f"() => document.getElementById('status').textContent.includes('{last}. ')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"() => document.getElementById('status').textContent.includes('{last - 1}. ')")
    assert page.inner_text("#pause") == "Go on"
    assert page.locator("#hand-1 svg").count() > 0
    assert page.locator("#belief-1 table").count() == 1
    page.keyboard.press("Home")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('The deal.')")
    page.locator("#moves li").nth(1).click()
    page.wait_for_function("() => document.getElementById('status').textContent.includes('2. ')")
    assert there.serious() == []
    assert there.overflow() <= 0


def test_a_game_is_watched_on_when_several_moves_come_at_once(board: Board, visit: Open) -> None:
    """The page has shown all there was, then hears of two more: it goes on to both by itself."""
    made = asked(board, "/api/watch", record=long_game())
    there = visit(f"{board.address}/watch/{made['token']}")
    page = there.page
    page.wait_for_selector("#save:not([hidden])", timeout=WAIT)
    state = page.request.get(f"{board.address}/api/watch/{made['token']}").json()
    heard = [1, 3, 3]

    def events(route: Any) -> None:
        count = heard.pop(0) if len(heard) > 1 else heard[0]
        part = state | {"version": count, "status": "playing", "result": None, "moves": state["moves"][:count]}
        text = f"retry: 1500\nevent: state\ndata: {json.dumps(part)}\n\n"
        route.fulfill(content_type="text/event-stream", body=text)

    page.route("**/events", events)
    page.evaluate("localStorage.setItem('uno-pomdp.speed', '3.4')")
    page.reload()
    for number in (1, 2, 3):
        page.wait_for_function(f"() => document.getElementById('status').textContent.startsWith('{number}. ')")
    there.errors.clear()  # the streams that end at once


def test_a_match_grows_in_the_lab(board: Board, visit: Open, tmp_path: Path) -> None:
    del tmp_path
    there = visit(f"{board.address}/lab")
    page = there.page
    page.wait_for_function("() => document.getElementById('rules').options.length > 3")
    page.select_option("#rules", "mini-7")
    page.fill("#pairs", "50")
    page.fill("#seed", "1")
    page.click("#setup button")
    page.wait_for_selector("#verdict:not([hidden])", timeout=WAIT)
    assert "heuristic v baseline" in page.inner_text("#verdict-words")
    assert "pairs" in page.inner_text("#facts")
    assert not re.search(r"\bdeals\b", page.inner_text("main")), "one word for one thing"
    assert page.locator("#pictures svg").count() == 1
    assert there.serious() == []
    page.reload()
    page.wait_for_selector("#verdict:not([hidden])")


def test_forms_are_accessible_and_say_what_is_wrong(board: Board, visit: Open) -> None:
    for place, field in (("review", "#record"), ("watch", "#first"), ("lab", "#first")):
        there = visit(f"{board.address}/{place}", size=PHONE, dark=place == "watch")
        assert there.serious() == []
        assert there.overflow() <= 0
        if place != "review":
            there.page.wait_for_function("() => document.getElementById('rules').options.length > 3")
        there.page.fill(field, "nonsense")
        there.page.click("#setup button")
        there.page.wait_for_selector("#trouble:not([hidden])")
        assert re.fullmatch(r"[A-Z].*\.", there.page.inner_text("#trouble")), "a sentence"
        there.errors[:] = [error for error in there.errors if "422" not in error]  # the browser's own line


# --- what is not there ------------------------------------------------------------------------------------

NOBODY = "x" * 43
"""A token that opens nothing."""
KEPT = {
    "games": [{"token": NOBODY, "rules": "house", "opponent": "greedy", "words": "", "over": False, "at": 1}],
    "tables": [{"token": NOBODY, "rules": "printed", "words": ""}],
}
"""What a browser remembers of games that have expired."""


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("room", ["play", "advise", "watch", "lab", "review"])
def test_a_session_that_has_expired_is_a_page_with_a_way_on_and_no_list_leads_to_it_again(
    board: Board, visit: Open, room: str, size: tuple[int, int]
) -> None:
    there = visit(f"{board.address}/", size=size)
    page = there.page
    page.evaluate(
        "kept => Object.entries(kept).forEach(([n, v]) => localStorage[`uno-pomdp.${n}`] = JSON.stringify(v))", KEPT
    )
    answer = page.goto(f"{board.address}/{room}/{NOBODY}")
    assert answer is not None
    assert answer.status == 404
    page.wait_for_function(
        "() => localStorage['uno-pomdp.games'] === '[]' && localStorage['uno-pomdp.tables'] === '[]'"
    )
    assert there.serious() == []
    assert there.overflow() <= 0
    page.click("main a.button")
    page.wait_for_url(f"{board.address}/{'' if room == 'play' else room}")
    there.errors[:] = [error for error in there.errors if "404" not in error]  # the browser tells of it as well


def test_a_page_whose_game_expires_while_it_is_open_says_so_with_a_way_on(tmp_path: Path, visit: Open) -> None:
    with running(tmp_path / "store.db") as board:
        made = asked(board, "/api/play", rules="mini-9", opponent="random", seat="1")
        there = visit(board.address + made["url"])
        there.page.wait_for_selector(".hand-card", timeout=WAIT)
        board.stop()
        (tmp_path / "store.db").unlink()
        board.start()
        there.page.wait_for_selector("text=No game is at this address", timeout=WAIT)
        there.errors.clear()  # the server was away


def test_a_saved_match_is_listed_with_the_score_after_the_round_that_is_over(board: Board, visit: Open) -> None:
    page = visit(f"{board.address}/").page
    state = {"rules": "house", "opponent": "greedy", "status": "over", "hand": [], "opponent_size": 3}
    match = {"to": 500, "round": 2, "score": [30, 0]}
    result = {"winner": "you", "words": "You win.", "points": 41, "score": [71, 0], "next_round": True}
    for shown, words in (({"status": "yours", "result": None}, "30 : 0"), ({"result": result}, "71 : 0, You win.")):
        page.evaluate(
            "async (state) => (await import('/static/saved_games.js')).remember('x', state)",
            state | {"match": match} | shown,
        )
        page.reload()
        assert f"round 2, {words}" in page.inner_text("#games")
