"""The page of a review in a browser: steps, graph, fragment, phones, screen readers, no script, no network."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from tests.review.games import FOLDER, played
from tests.web.conftest import Open
from tests.web.visits import DESKTOP, PHONE, Visit
from uno_pomdp.cards import CARD_NAMES, COLOUR_NAMES
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import GameRecord, observed
from uno_pomdp.pages.rendering import asset, media_type
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Review
from uno_pomdp.review.page import page
from uno_pomdp.review.page_data import page_data

COACH: Final = "flat:sims=200"
RANKS: Final = {"S": "skip", "R": "reverse"}
MARKED: Final = ("inaccuracy", "mistake", "blunder")


@cache
def reviewed(name: str) -> Review:
    """Return a review: of a short game, as player 2 saw it, of one with large hands, or of one with a bad name."""
    short = played("heuristic", "random", seed=8)
    games: dict[str, GameRecord] = {
        "short": short,
        "seen": observed(short, 1),
        "party": load_record(FOLDER / "party.txt"),
        "names": replace(short, players=("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>")),
        "deal": replace(short, moves=(), outcome=None),
    }
    return review_game(games[name], COACH)


@cache
def data(name: str) -> dict[str, Any]:
    """Return what the script of the page is given."""
    return page_data(reviewed(name))


@cache
def text_of(name: str) -> str:
    """Return the page."""
    return page(reviewed(name))


@pytest.fixture
def written(tmp_path: Path) -> "Written":
    """Return what writes pages into files."""
    return Written(tmp_path)


class Written:
    """Pages of reviews as files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, name: str, fragment: str = "") -> str:
        """Return the address of a review's file."""
        path = self._folder / f"{name}.html"
        path.write_text(text_of(name), encoding="utf-8")
        return path.as_uri() + fragment


def place(visit: Visit) -> str:
    """Return where the page stands: its fragment, which its heading, its list and its data have to agree with."""
    fragment, heading, current = visit.page.evaluate(
        """() => [location.hash, document.querySelector("#verdict h2").textContent,
          [...document.querySelectorAll("#moves a[aria-current]")].map(row => row.innerText.split(/\\s/)[0])]"""
    )
    if fragment == "#end":
        assert (heading, current) == ("The end", [])
    else:
        number = fragment.removeprefix("#move-")
        assert heading.split()[:2] == ["Move", number]
        assert current == [number]
    return str(fragment)


def reached(visit: Visit, goal: str) -> bool:
    """Wait until the page stands there: a link is followed a moment after its click."""
    heading = "The end" if goal == "#end" else f"Move {goal.removeprefix('#move-')} "
    ready = """([goal, heading]) => location.hash === goal
      && document.querySelector("#verdict h2").textContent.startsWith(heading)"""
    visit.page.wait_for_function(ready, arg=[goal, heading])
    return place(visit) == goal


def press(visit: Visit, *keys: str) -> str:
    """Press keys and return where the page stands then."""
    for key in keys:
        visit.page.keyboard.press(key)
    return place(visit)


def test_the_arrow_keys_step_through_the_moves_and_stay_at_both_ends(visit: Open, written: Written) -> None:
    open_ = visit(written("short"))
    moves = len(reviewed("short").moves)
    assert place(open_) == "#move-1"
    assert press(open_, "ArrowLeft") == "#move-1"
    assert [press(open_, "ArrowRight") for _ in range(moves + 1)] == [
        *(f"#move-{number}" for number in range(2, moves + 1)),
        "#end",
        "#end",
    ]
    assert press(open_, "ArrowLeft") == f"#move-{moves}"
    assert press(open_, "Home") == "#move-1"
    assert press(open_, "End") == "#end"
    assert press(open_, "Control+Home") == "#end"  # the browser's own


def test_up_and_down_go_from_mistake_to_mistake(visit: Open, written: Written) -> None:
    open_ = visit(written("party"))
    marked = [f"#move-{move['number']}" for move in data("party")["moves"] if move["grade"] in MARKED]
    assert len(marked) > 3
    assert [press(open_, "ArrowDown") for _ in marked] == marked
    assert press(open_, "ArrowDown") == marked[-1]
    assert [press(open_, "ArrowUp") for _ in marked] == [*marked[-2::-1], marked[0]]


def test_buttons_do_what_the_keys_do_and_keep_the_focus_at_the_ends(visit: Open, written: Written) -> None:
    open_ = visit(written("short"))
    steps = {"forward": "#move-2", "last": "#end", "back": f"#move-{len(reviewed('short').moves)}", "first": "#move-1"}
    for step, goal in steps.items():
        open_.page.locator(f"button[data-step={step}]").click()
        assert place(open_) == goal
    button = open_.page.locator("button[data-step=first]")
    assert button.get_attribute("aria-disabled") == "true"
    assert open_.page.evaluate("document.activeElement.dataset.step") == "first"
    open_.page.locator("button[data-step=mistake-after]").click()
    first = next(move["number"] for move in data("short")["moves"] if move["grade"] in MARKED)
    assert place(open_) == f"#move-{first}"


def labels(visit: Visit, place_: str) -> list[str]:
    """Return the cards at a place of the board in words."""
    found = visit.page.locator(f"#board {place_} svg.card-face:not([aria-hidden])")
    return [str(each) for each in found.evaluate_all("cards => cards.map(card => card.getAttribute('aria-label'))")]


def words(code: str) -> str:
    """Return a card in words, written again for these tests."""
    if code[0] == "W":
        return "wild" if code == "W" else "wild +4"
    return f"{COLOUR_NAMES['RYGB'.index(code[0])]} {RANKS.get(code[1:], code[1:])}"


@pytest.mark.parametrize("name", ["short", "seen"])
def test_the_board_has_both_hands_the_top_card_and_the_colour_at_every_move(
    name: str, visit: Open, written: Written
) -> None:
    open_ = visit(written(name))
    order = (0, 1) if name == "seen" else (1, 0)  # whose record it is sits below
    for position in data(name)["positions"]:
        for row, seat in enumerate(order):
            cards, size = position["hands"][seat], position["sizes"][seat]
            side = f".side:nth-child({1 + 2 * row})"
            assert labels(open_, f"{side} .hand") == (
                ["a hidden card"] * size if cards is None else [words(code) for code in cards]
            )
            assert f"{size} card" in open_.page.locator(f"#board {side} .count").inner_text()
        (top,) = labels(open_, ".top")
        colour = COLOUR_NAMES["RYGB".index(position["colour"])]
        declared = f", declares {colour}" if position["top"][0] == "W" else ""
        assert top == words(position["top"]) + declared
        assert open_.page.locator("#board .top figcaption").inner_text() == colour
        owed = open_.page.locator("#board .debt")
        assert owed.count() == (position["debt"] > 0)
        if position["debt"]:
            assert f"+{position['debt']} owed by player {position['turn']}" in owed.inner_text()
        open_.page.keyboard.press("ArrowRight")
    assert reviewed(name).result in open_.page.locator("#board .result").inner_text()


def test_a_move_has_its_words_its_grade_all_candidates_and_what_was_better(visit: Open, written: Written) -> None:
    worst = max(data("short")["moves"], key=lambda move: move["loss"] or 0.0)
    open_ = visit(written("short", f"#move-{worst['number']}"))
    said = re.sub(r"[▲●■◆]\s", "", open_.page.locator("#verdict").inner_text())
    assert worst["words"] in said
    assert worst["grade"] in said
    assert f"−{worst['lost']} points" in said
    assert f"Better {worst['better']}" in said
    rows = open_.page.locator("#verdict tbody tr").all()
    for row, candidate in zip(rows, worst["candidates"], strict=True):
        assert f"{100 * candidate['value']:.1f} ± {100 * candidate['error']:.1f}" in row.inner_text()
        assert ("played" in row.inner_text()) == (candidate["action"] == worst["action"])
        box, bar = row.locator("svg.share").bounding_box(), row.locator("rect.value").bounding_box()
        assert box is not None
        assert bar is not None
        assert bar["width"] / box["width"] == pytest.approx(candidate["value"], abs=0.01)
    assert open_.page.locator("#board li.played").count() == 1


def test_a_click_on_the_graph_chooses_the_move_there_and_one_on_a_mark_its_own(visit: Open, written: Written) -> None:
    open_ = visit(written("short"))
    moves = len(reviewed("short").moves)
    box = open_.page.locator("svg.graph").bounding_box()
    assert box is not None
    shape = data("short")["graph"]
    scale = box["width"] / 480
    for number in (3, moves, 1):
        x = scale * (shape["left"] + shape["width"] * (number - 0.5) / moves)
        open_.page.locator("svg.graph").click(position={"x": x, "y": scale * (shape["top"] + 2)})
        assert place(open_) == f"#move-{number}"
    marked = [move["number"] for move in data("short")["moves"] if move["grade"] in MARKED]
    for number in marked:
        open_.page.locator(f"svg.graph a[href='#move-{number}'] .mark").click()
        assert reached(open_, f"#move-{number}")


def test_marks_tell_the_players_by_shape_and_the_grade_by_size(visit: Open, written: Written) -> None:
    page_ = visit(written("party")).page
    found: list[list[Any]] = page_.eval_on_selector_all(
        "svg.graph a .mark",
        "all => all.map(e => [e.parentElement.getAttribute('href'), e.tagName, e.getBoundingClientRect().width])",
    )
    moves = {f"#move-{move['number']}": move for move in data("party")["moves"] if move["grade"] in MARKED}
    assert sorted(place for place, _, _ in found) == sorted(moves)
    assert {(moves[place]["player"], tag) for place, tag, _ in found} <= {(1, "circle"), (2, "rect")}
    assert {tag for _, tag, _ in found} == {"circle", "rect"}
    for player in (1, 2):
        sizes = [
            (MARKED.index(moves[place]["grade"]), width)
            for place, _, width in found
            if moves[place]["player"] == player
        ]
        assert [width for _, width in sorted(sizes)] == sorted(width for _, width in sizes)


def test_the_fragment_chooses_the_move_and_a_wrong_one_the_first(visit: Open, written: Written) -> None:
    for fragment, goal in {"#move-12": "#move-12", "#end": "#end", "#move-999": "#move-1", "#x": "#move-1"}.items():
        assert place(visit(written("short", fragment))) == goal
    open_ = visit(written("short"))
    open_.page.evaluate("location.hash = '#move-7'")
    assert reached(open_, "#move-7")
    open_.page.locator("#moves a").nth(8).click()
    assert reached(open_, "#move-9")
    open_.page.go_back()
    assert reached(open_, "#move-7")


def test_a_screen_reader_is_told_the_move_with_its_cards_in_words(visit: Open, written: Written) -> None:
    open_ = visit(written("short"))
    assert open_.page.locator("#said").get_attribute("aria-live") == "polite"
    told = set()
    for move in data("short")["moves"]:
        said = open_.page.locator("#said").inner_text()
        assert said.startswith(f"Move {move['number']}. Player {move['player']} ")
        assert not re.search(r"\b([RYGB](\d|S|R|\+2)|W4?)\b", said)
        if move["action"] in CARD_NAMES:
            assert words(move["action"]) in said
        assert (move["grade"] or "Forced") in said
        told.add(said)
        open_.page.keyboard.press("ArrowRight")
    assert len(told) == len(data("short")["moves"])
    assert open_.page.locator("#said").inner_text() == f"The end: {reviewed('short').result}."


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_axe_finds_nothing_serious(size: tuple[int, int], dark: bool, visit: Open, written: Written) -> None:
    worst = max(data("short")["moves"], key=lambda move: move["loss"] or 0.0)
    open_ = visit(written("short", f"#move-{worst['number']}"), size=size, dark=dark)
    ground = open_.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", ground))) < 100) == dark
    assert open_.serious() == []
    press(open_, "End")
    assert open_.serious() == []


def test_the_file_asks_for_nothing_and_its_policy_would_not_let_it(visit: Open, written: Written) -> None:
    address = written("short")
    open_ = visit(address)
    press(open_, "End")
    assert open_.requests == [address]
    asked = "fetch('http://127.0.0.1:9/').then(() => 'answered', () => 'refused')"
    assert open_.page.evaluate(asked) == "refused"
    assert any("violates the following Content Security Policy" in line for line in open_.errors)
    open_.errors.clear()


@pytest.mark.parametrize("size", [(320, 640), PHONE, (768, 1024), DESKTOP], ids=str)
def test_no_move_is_wider_than_the_window_and_the_steps_are_in_sight(
    size: tuple[int, int], visit: Open, written: Written
) -> None:
    open_ = visit(written("party"), size=size)
    largest = max(range(len(data("party")["positions"])), key=lambda i: max(data("party")["positions"][i]["sizes"]))
    assert max(data("party")["positions"][largest]["sizes"]) >= 20
    for number in {1, 7, largest + 1, 40}:
        open_.page.evaluate(f"location.hash = '#move-{number}'")
        assert reached(open_, f"#move-{number}")
        assert open_.overflow() == 0
        box = open_.page.locator("#steps").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1] + 1


def test_names_of_a_record_are_text(visit: Open, written: Written) -> None:
    open_ = visit(written("names"))
    open_.page.on("dialog", lambda _: open_.errors.append("a dialog"))
    press(open_, "ArrowRight")
    first, second = reviewed("names").record.players
    assert first in open_.page.locator("#board").inner_text()
    assert open_.page.locator("h1").inner_text() == f"{first} v {second}"
    assert open_.page.locator("img").count() == 0


def test_without_scripts_every_move_can_be_read_and_opened(visit: Open, written: Written) -> None:
    open_ = visit(written("short"), script=False)
    assert not open_.page.locator("#board").is_visible()
    assert not open_.page.locator("#steps").is_visible()
    rows = open_.page.locator("#moves > li")
    review = reviewed("short")
    assert rows.count() == len(review.moves)
    move = next(move for move in review.moves if move.judged)
    row = rows.nth(move.number - 1)
    assert str(move.action) in row.inner_text()
    assert not row.locator("table").is_visible()
    row.locator("summary").click()
    assert row.locator("table").is_visible()
    assert row.locator("tr").count() == len(move.candidates)
    assert open_.overflow() == 0


def test_a_game_without_moves_has_a_board_too(visit: Open, written: Written) -> None:
    open_ = visit(written("deal"))
    assert open_.page.locator("#verdict h2").inner_text() == "So far"
    open_.page.keyboard.press("ArrowRight")
    open_.page.locator("svg.graph").click()
    assert open_.page.evaluate("location.hash") == "#end"
    assert len(labels(open_, ".hand")) == 14


def test_every_card_says_what_it_is_and_no_two_look_alike(visit: Open, written: Written) -> None:
    open_ = visit(written("deal"))
    drawn = open_.page.evaluate(
        """names => names.map(code => {
          const card = document.createElement("uno-card");
          card.setAttribute("code", code);
          document.body.append(card);
          return [card.firstChild.getAttribute("aria-label"), card.firstChild.innerHTML];
        })""",
        list(CARD_NAMES),
    )
    assert [label for label, _ in drawn] == [words(code) for code in CARD_NAMES]
    without_colours = {re.sub(r"#[0-9a-f]{6}", "", picture) for _, picture in drawn}
    assert len(without_colours) == len(CARD_NAMES)  # the shapes alone tell them apart
    said = open_.page.evaluate(
        """() => ["G", "green", "purple", null].map(colour => {
          const card = document.querySelector("uno-card[code=W4]");
          colour === null ? card.removeAttribute("declared") : card.setAttribute("declared", colour);
          return card.firstChild.getAttribute("aria-label");
        })"""
    )
    assert said == ["wild +4, declares green", "wild +4, declares green", "wild +4", "wild +4"]


@pytest.fixture
def server() -> Iterator[str]:
    """Serve the page of the short game with a strict policy, and its assets."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer with the page, or with an asset."""
            name = self.path.partition("?")[0].removeprefix("/static/")
            text, kind = (
                (page(reviewed("short"), inline=False).encode("utf-8"), "text/html; charset=utf-8")
                if self.path == "/"
                else (asset(name), media_type(name))
            )
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 (its name there)
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
        thread.join()


def test_the_same_page_of_a_server_works_under_a_policy_without_inline_script(visit: Open, server: str) -> None:
    open_ = visit(f"{server}/#move-3")
    assert place(open_) == "#move-3"
    assert press(open_, "ArrowRight") == "#move-4"
    names = {request.partition("?")[0].removeprefix(server) for request in open_.requests}
    assert names - {"/favicon.ico"} == {
        "/",
        *(f"/static/{name}" for name in ("base.css", "review.css", "review.js", "cards.js", "elements.js", "words.js")),
    }
