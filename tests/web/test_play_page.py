"""Games at the board, played in a browser to their ends."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.boards import Board, Person, running
from tests.web.conftest import Open
from tests.web.visits import DESKTOP, PHONE, Visit
from uno_pomdp.game.actions import CHALLENGE
from uno_pomdp.game.events import Challenged
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.rules import preset
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Run a server for all tests of this file."""
    with running(tmp_path_factory.mktemp("board") / "games.sqlite") as board:
        yield board


def choose(
    visit: Visit, rules: str, opponent: str, *, seat: str = "1", to: str = "", marks: tuple[str, ...] = ()
) -> None:
    """Fill the first page in."""
    page = visit.page
    page.wait_for_selector(f'input[name="rules"][value="{rules}"]', state="attached")
    if rules.startswith("mini") and not page.is_visible("#rules-small"):
        page.click("#rules-more summary")
    page.check(f'input[name="rules"][value="{rules}"]')
    page.select_option("#opponent", opponent)
    page.locator(f'label:has(> input[name="seat"][value="{seat}"])').click()
    page.locator(f'label:has(> input[name="to"][value="{to}"])').click()
    for mark in ("coach", "practice"):
        page.set_checked(f"#{mark}", mark in marks)


def begin(visit: Visit, *arguments: str, **choices: Any) -> Person:
    """Begin a game from the first page."""
    choose(visit, *arguments, **choices)
    visit.page.click("#play")
    visit.page.wait_for_url("**/play/*")
    person = Person(visit.page)
    person.ready()
    return person


def own_requests(visit: Visit, board: Board) -> bool:
    """Return whether a page asked nobody else for anything."""
    return all(address.startswith((f"{board.address}/", "blob:")) for address in visit.requests)


def test_a_game_is_played_to_its_end_with_clicks(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy")
    while person.ready():
        person.click(person.any_move())
    page = opened.page
    title = page.text_content("#result-title")
    assert title in ("You won", "The opponent won", "A draw")
    assert page.evaluate("document.activeElement.id") == "result-title"
    page.wait_for_selector(".luck-chart")
    assert page.is_visible(".win-graph")
    with page.expect_download() as saving:
        page.click("#save")
    text = Path(saving.value.path()).read_text(encoding="utf-8")
    record = parse_record(text)
    assert (len(record.moves), record.outcome is not None) == (person.number, True)
    assert re.fullmatch(r"uno-[\dT-]+\.txt", saving.value.suggested_filename)
    assert own_requests(opened, board)
    page.click("#rematch-same")
    page.wait_for_function("() => document.getElementById('facts').textContent.includes('you are player 2')")
    page.goto(f"{board.address}/")
    assert page.locator("#games li").count() == 1, "the game that goes on is offered, the other is over"
    page.click("#games a")
    assert person.ready()


def test_a_game_is_played_with_the_keyboard_alone(board: Board, visit: Open) -> None:
    board.seeds[:] = [11]
    opened = visit(f"{board.address}/")
    page = opened.page
    page.wait_for_selector(".choice")
    page.focus("#opponent")
    page.keyboard.type("greedy")
    page.focus("#play")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/*")
    person = Person(page)
    while person.ready():
        person.type_any_move()
        assert person.status != "yours" or page.evaluate("document.activeElement !== document.body"), "focus is lost"
    assert page.evaluate("document.activeElement.id") == "result-title"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "rematch-new"


def a_bluff() -> tuple[int, list[str]]:
    """Return a deal in which the opponent bluffs at once, and the moves of the person that catch it."""
    for seed in range(400):
        session = Session(Setup(preset("mini-bluff"), seed, 1, "random"))
        while not session.over and not session.awaits_person:
            session.answer()
        if session.over or CHALLENGE not in session.history.now.legal_actions():
            continue
        session.move(CHALLENGE)
        if any(isinstance(event, Challenged) and event.guilty for event in session.history.steps[-1].events):
            return seed, ["challenge"]
    raise AssertionError("no deal has a bluff")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_bluff_is_caught_and_its_hand_lies_open_for_some_seconds(
    board: Board, visit: Open, size: tuple[int, int]
) -> None:
    seed, moves = a_bluff()
    board.seeds[:] = [seed]
    opened = visit(f"{board.address}/", size=size)
    opened.page.clock.install()
    person = begin(opened, "mini-bluff", "random", seat="2")
    page = opened.page
    assert page.text_content("#debt-title") == "You owe 4"
    words = page.text_content("#challenge-words") or ""
    assert re.search(r"without a (red|yellow) card.*it draws 4 and you go on; without, you draw 6", words)
    assert not page.is_visible("#shown")
    for move in moves:
        person.click(move)
    assert "rightly" in (page.text_content("#moves") or "")
    assert not page.is_visible("#debt")
    page.wait_for_selector("#shown", state="visible")
    told = re.fullmatch(
        r"You challenged the \+4, and rightly: the opponent held (red|yellow)\. It draws (\d) cards?\.",
        page.text_content("#shown-words") or "",
    )
    assert told is not None
    words = page.eval_on_selector_all("#shown-cards svg", "all => all.map(e => e.getAttribute('aria-label'))")
    proof = page.eval_on_selector_all("#shown-cards .proof", "all => all.map(e => e.getAttribute('aria-label'))")
    assert proof == [each for each in words if each.startswith(told[1])] != []
    showed = re.search(r"The opponent showed ([^.]*)\.", page.text_content("#moves") or "")
    assert showed is not None
    assert len(words) == len(re.findall(r"\b(?:[RYGB](?:\d|S|R|\+2)|W4?)(?![\w+])", showed[1]))
    assert opened.overflow() <= 0
    page.clock.fast_forward(4000)
    assert page.is_visible("#shown"), "it can be looked at"
    page.clock.fast_forward(6000)
    page.wait_for_selector("#shown", state="hidden")


def test_the_last_card_is_seen_landing_and_then_the_result(board: Board, visit: Open) -> None:
    board.seeds[:] = [8]
    opened = visit(f"{board.address}/")
    opened.page.clock.install()
    person = begin(opened, "house", "greedy")
    page = opened.page
    while person.ready():
        if page.locator(".hand-card").count() == 1 and person.playable:
            break
        person.click(person.any_move())
    assert person.status == "yours", "the person holds one card, and it fits"
    last = person.playable[0]
    person.click(f"{last}:R" if last in ("W", "W4") else last)
    page.wait_for_selector('#main[data-status="landing"]')
    assert page.is_visible("#table")
    assert not page.is_visible("#result")
    assert last in (page.locator("#moves li").last.text_content() or "")
    assert "Top card" in (page.get_attribute("#played-pile", "aria-label") or "")
    page.clock.fast_forward(2000)
    page.wait_for_selector("#result", state="visible")
    assert not page.is_visible("#table")
    assert page.get_attribute("#result", "data-winner") == "you"
    assert page.locator("#confetti .piece").count() > 0
    assert page.locator("#result-card svg").count() == 1
    assert page.locator("#result-buttons .primary:visible").all_text_contents() == ["New deal"]
    page.wait_for_selector("#turning-point:not(:empty)")
    words = page.text_content("#turning-point") or ""
    assert re.match(r"The turning point, move \d+: .*Your chance rose from \d+\s% to \d+\s%, hands open\.", words)


def test_a_match_to_500_goes_from_round_to_round(board: Board, visit: Open) -> None:
    board.seeds[:] = list(range(100, 400))
    opened = visit(f"{board.address}/")
    person = begin(opened, "mini-9", "random", to="500")
    page = opened.page
    rounds, last = 1, 0
    while True:
        while person.ready():
            person.click(person.any_move())
        score = re.search(r"stands at (\d+) : (\d+) of 500", page.text_content("#result-words") or "")
        assert score is not None
        points = max(map(int, score.groups()))
        assert points >= last
        last = points
        if not page.is_visible("#next-round"):
            break
        assert points < 500
        assert not page.is_visible("#rematch-new")
        rounds += 1
        page.click("#next-round")
        page.wait_for_function("n => document.getElementById('facts').textContent.includes(`round ${n},`)", arg=rounds)
        assert page.evaluate("document.activeElement !== document.body"), "the focus is not lost with the button"
    assert last >= 500
    assert "The match is over" in (page.text_content("#result-words") or "")
    assert page.text_content("#rematch-new") == "New match"


def test_a_reload_in_mid_game_changes_nothing(board: Board, visit: Open) -> None:
    board.seeds[:] = [5]
    opened = visit(f"{board.address}/")
    person = begin(opened, "printed", "heuristic")
    for _ in range(3):
        person.click(person.any_move())
        assert person.ready()
    before = person.sees()
    opened.page.reload()
    assert person.ready()
    assert person.sees() == before
    assert len(before["hand"]) > 0


def test_two_games_in_two_tabs_do_not_disturb_each_other(board: Board, visit: Open) -> None:
    board.seeds[:] = [21, 22]
    opened = visit(f"{board.address}/")
    first = begin(opened, "house", "greedy")
    page = opened.context.new_page()
    page.goto(f"{board.address}/")
    second = begin(Visit(opened.context, page), "printed", "greedy", seat="2")
    for _ in range(3):
        for person, other in ((first, second), (second, first)):
            still = other.sees()
            assert person.ready()
            person.click(person.any_move())
            assert person.ready()
            assert other.sees() == still
    page.goto(f"{board.address}/")
    page.wait_for_selector("#games li")
    assert sorted(page.locator("#games strong").all_text_contents()) == [
        "house against greedy",
        "printed against greedy",
    ]


def test_one_game_in_two_tabs_is_one_game(board: Board, visit: Open) -> None:
    board.seeds[:] = [23]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy")
    page = opened.context.new_page()
    page.goto(opened.page.url)
    other = Person(page)
    assert other.ready()
    person.click(person.any_move())
    assert person.ready()
    page.wait_for_function(
        "n => Number(document.getElementById('main').dataset.number) === n", arg=person.number, polling=20
    )
    assert other.sees() == person.sees()


def test_a_tab_that_nobody_looks_at_rests_and_catches_up(board: Board, visit: Open) -> None:
    board.seeds[:] = [23]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy")
    page = opened.context.new_page()
    page.goto(opened.page.url)
    other = Person(page)
    assert other.ready()
    look = "(how) => { Object.defineProperty(document, 'visibilityState', { value: how, configurable: true });"
    look += " document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(look, "hidden")
    before = other.sees()
    person.click(person.any_move())
    assert person.ready()
    assert other.sees() == before
    page.evaluate(look, "visible")
    page.wait_for_function(
        "n => Number(document.getElementById('main').dataset.number) === n", arg=person.number, polling=20
    )
    assert other.sees() == person.sees()


@pytest.mark.parametrize("what", ["card", "draw"])
def test_a_double_click_makes_one_move(board: Board, visit: Open, what: str) -> None:
    board.seeds[:] = [5]
    opened = visit(f"{board.address}/")
    person = begin(opened, "printed", "greedy")
    page = opened.page
    page.evaluate(
        """() => {
          const { fetch } = window;
          window.fetch = async (...asked) => {
            await new Promise((done) => setTimeout(done, 300));  // a slow line
            return fetch(...asked);
          };
        }"""
    )
    code = next(code for code in person.playable if code not in ("W", "W4"))
    target = page.locator("#draw" if what == "draw" else f'.hand-card[data-code="{code}"]').first
    target.dblclick()
    page.wait_for_function("() => document.querySelectorAll('#moves li.by-you').length > 0")
    assert person.ready()
    assert page.locator("#moves li.by-you").count() == 1
    assert sum(address.endswith("/move") for address in opened.requests) == 1


def test_a_card_is_dragged_onto_the_pile_or_falls_back(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy")
    page = opened.page
    code = next(code for code in person.playable if code not in ("W", "W4"))
    card = page.locator(f'.hand-card[data-code="{code}"]').first
    before = person.sees()
    place = card.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 12, place["y"] + 20)
    page.mouse.down()
    page.mouse.move(place["x"] + 60, place["y"] - 30, steps=4)
    page.mouse.up()
    assert person.sees() == before
    person.moved(lambda: card.drag_to(page.locator("#played-pile"), source_position={"x": 12, "y": 20}))
    assert f"You played {code}" in " ".join(page.locator("#moves li").all_text_contents()).replace(
        "\u00a0", " "
    ).replace(f"{'▲●■◆'['RYGB'.index(code[0])]} ", "")


@pytest.mark.parametrize("wish", ["on", "off"])
def test_cards_fly_if_they_may_and_land_where_they_belong(board: Board, visit: Open, wish: str) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    page = opened.page
    page.evaluate(f"localStorage.setItem('uno-pomdp.motion', '{wish}')")
    page.reload()
    person = begin(opened, "house", "greedy")
    page.evaluate(
        """() => {
          window.flown = 0;
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes)
              for (const node of addedNodes) window.flown += node.className === "flyer" ? 1 : 0;
          }).observe(document.body, { childList: true });
        }"""
    )
    for _ in range(3):
        person.click(person.any_move())
        assert person.ready()
    page.wait_for_function("() => document.querySelector('.flyer, .arriving') === null")
    flown = page.evaluate("window.flown")
    assert flown >= 3 if wish == "on" else flown == 0
    assert page.locator("#top-card svg").is_visible()


def test_practice_takes_moves_back(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy", marks=("practice",))
    start = person.sees()
    person.click(person.any_move())
    assert person.ready()
    opened.page.keyboard.press("u")
    opened.page.wait_for_function("() => document.getElementById('main').dataset.number === '0'")
    assert person.ready()
    assert person.sees() == start


def test_the_coach_is_switched_on_and_says_what_it_thinks(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    person = begin(opened, "house", "greedy")
    page = opened.page
    page.keyboard.press("h")
    page.wait_for_selector(".candidates tbody tr", timeout=20_000)
    assert page.locator(".heat-map tbody tr").count() == 4
    assert page.locator(".heat-map tbody td").count() == 4 * 14
    shown = {text.split("±")[0].strip() for text in page.locator(".candidates .value").all_text_contents()}
    assert shown
    assert all(re.fullmatch(r"\d+ %", text) for text in shown)
    page.wait_for_function(
        "() => document.getElementById('coach-words').textContent.startsWith('Best')", timeout=20_000
    )
    exact = page.text_content("#belief-words")
    page.locator("#belief-kind label:nth-child(2)").click()
    assert page.text_content("#belief-words") != exact
    person.click(person.any_move())
    assert person.ready()
    page.wait_for_function("() => document.querySelectorAll('#graph .dot').length >= 1", timeout=20_000)
    page.keyboard.press("h")
    page.wait_for_selector("#coach", state="hidden")


def test_the_help_names_every_key_and_the_position(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    begin(opened, "house", "greedy")
    page = opened.page
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    keys = set(page.locator("#help kbd").all_text_contents())
    assert keys >= {"←", "→", "Enter", "d", "k", "c", "u", "h", "?"}
    assert len(page.text_content("#position") or "") > 20
    page.keyboard.press("Escape")
    assert page.locator("#help[open]").count() == 0


def test_a_wrong_opponent_is_refused_with_the_servers_sentence(board: Board, visit: Open) -> None:
    opened = visit(f"{board.address}/")
    page = opened.page
    page.wait_for_selector(".choice")
    page.select_option("#opponent", label="another, by its text …")
    page.fill("#other-text", "nobody<b>")
    page.click("#play")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "nobody<b>" in (page.text_content("#trouble") or "")
    assert page.is_enabled("#play")
    opened.errors[:] = [error for error in opened.errors if "400" not in error and "422" not in error]


def test_a_server_that_was_away_goes_on_with_the_game(visit: Open, tmp_path: Path) -> None:
    with running(tmp_path / "games.sqlite") as board:
        board.seeds[:] = [7]
        opened = visit(f"{board.address}/")
        person = begin(opened, "house", "greedy")
        person.click(person.any_move())
        assert person.ready()
        before = person.sees()
        board.stop()
        opened.page.wait_for_selector("#connection:not([hidden])")
        assert "server is away" in (opened.page.text_content("#connection") or "")
        board.start()
        opened.page.wait_for_selector("#connection", state="hidden", timeout=20_000)
        assert person.ready()
        assert person.sees() == before
        person.click(person.any_move())
        assert person.ready()
        opened.errors.clear()  # a browser complains about every connection that is refused


def test_what_a_browser_keeps_holds_no_card(board: Board, visit: Open) -> None:
    board.seeds[:] = [7]
    opened = visit(f"{board.address}/")
    begin(opened, "house", "greedy")
    kept = opened.page.evaluate("JSON.stringify(Object.assign({}, localStorage))")
    games = json.loads(json.loads(kept)["uno-pomdp.games"])
    assert set(games[0]) == {"token", "rules", "opponent", "words", "over", "at"}
    assert not re.search(r"\b[RYGB](\d|S|R|\+2)\b", games[0]["words"])
