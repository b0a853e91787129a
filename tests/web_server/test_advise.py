"""Advice over HTTP: a game at a real table is entered, corrected and gone on with; what can be tapped is told."""

import asyncio
import json
import random
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers import SMALL_RULES, choose, moves_under
from tests.web_server.site import Answer, Site, Stream, on_loop
from uno_pomdp.advise.session import recorded_entry
from uno_pomdp.cards import Cards, card_name
from uno_pomdp.game.actions import CHALLENGE, DRAW
from uno_pomdp.game.game import Game
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.rules import Rules
from uno_pomdp.web.advise_table import AdviseTable
from uno_pomdp.web.advise_view import offers_json
from uno_pomdp.web.store import NotStored, SessionStore

COACH = "flat:sims=60"
DEALT = ("me", "R5 R7 Y1 G+2 W4 B3 RS", "R1")


class Desk:
    """One game that is entered."""

    def __init__(self, site: Site, path: str) -> None:
        self.site = site
        self.path = path
        self.state: Any = None

    @classmethod
    async def at(cls, site: Site, *texts: str, rules: str = "printed", middle: bool = False) -> "Desk":
        """Begin a game and enter these texts."""
        made = await site.post("/api/advise", {"rules": rules, "coach": COACH, "middle": middle})
        assert made.status == 201, made.body
        assert made.json["url"] == f"/advise/{made.json['token']}"
        desk = cls(site, f"/api/advise/{made.json['token']}")
        desk.state = (await site.get(desk.path)).json
        for text in texts:
            await desk.enter(text)
        return desk

    async def enter(self, text: str) -> Any:
        """Enter a text that has to be taken, and return the state."""
        answer = await self.post("enter", text=text)
        assert answer.status == 200, (text, answer.body)
        assert answer.json["at"] == self.state["at"] + 1
        assert answer.json["version"] > self.state["version"]
        self.state = answer.json
        return self.state

    async def post(self, what: str, at: int | None = None, **values: str) -> Answer:
        """Post something as it was seen last."""
        return await self.site.post(f"{self.path}/{what}", {"at": self.state["at"] if at is None else at, **values})

    async def refused(self, what: str, text: str) -> str:
        """Post something that has to be refused; return the sentence. Nothing may have changed."""
        answer = await self.post(what, text=text)
        assert (answer.status, answer.kind) == (422, "illegal_move"), answer.body
        assert (await self.site.get(self.path)).json == self.state
        return str(answer.json["error"]["message"])


# --- whole games -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["printed", "stacking", "party", "house"])
@on_loop
async def test_a_game_is_followed_move_by_move_and_what_was_done_was_on_offer(rules: str) -> None:
    kinds: set[str] = set()
    async with Site() as site:
        for seat in (0, 1):
            game, chance = Game.new(rules, 26), random.Random(26)  # challenges by both, right and wrong
            while not game.over and len(game.moves) < 48:
                game.apply(CHALLENGE if CHALLENGE in game.legal_actions() else choose(game, chance))
            record = observed(record_of(game, ("me", "the opponent") if seat == 0 else ("the opponent", "me")), seat)
            table = ObservedGame.of_record(record)
            hand, dealt = record.hands[seat], ("me", "opponent")[seat]
            desk = await Desk.at(site, dealt, str(hand), card_name(record.top), rules=rules)
            for number, move in enumerate(record.moves, 1):
                entry = recorded_entry(move, table, record.outcome if number == len(record.moves) else None)
                _check_offered(desk.state, entry, move.seat == seat)
                table.repeat(move, record.outcome if number == len(record.moves) else None)
                kinds |= {
                    str(entry.action) if entry.action.card is None else "card",
                    "shown" * (entry.shown is not None),
                }
                state = await desk.enter(str(entry))
                seen = table.observation
                assert (state["hand"], state["top"]) == ([card_name(card) for card in seen.hand], card_name(seen.top))
                assert state["legal"] == [str(action) for action in seen.legal_actions()]
                assert state["moves"][-1]["text"] == str(entry)
            kept = parse_record((await site.get(f"{desk.path}/record")).body.decode())
            assert kept == replace(record, coach=COACH)
    wanted = {"printed": {"card", "draw", "keep", "challenge"}, "party": {"card", "draw", "shown"}}
    assert wanted.get(rules, {"card", "draw"}) <= kinds


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_the_numbers_of_cards_that_are_offered_are_drawn(rules: Rules) -> None:
    for before, move, _ in moves_under(rules):
        table = ObservedGame.of_record(observed(record_of(before), move.seat))
        offers, drawn = offers_json(table, before.observation(move.seat), None), len(move.drawn)
        assert (str(move.action) in offers["swaps"]) == (move.swapped is not None)
        if move.action == DRAW and offers["draw"]["until"]:
            assert drawn <= offers["draw"]["count"]
        elif move.action == DRAW:
            assert drawn == offers["draw"]["count"]
        elif move.action == CHALLENGE:
            assert drawn == offers["challenge"]["right" if move.guilty else "wrong"]


def _check_offered(state: Any, entry: Any, own: bool) -> None:
    """Assert that what is about to be entered can be tapped."""
    offers, action = state["offers"], entry.action
    assert state["status"] == ("yours" if own else "theirs")
    if own:
        assert str(action) in state["legal"]
    elif action.card is not None:
        assert offers["theirs"]["cards"][card_name(action.card)] > 0
    else:
        assert offers["theirs"][str(action)]
    if action == DRAW and own and not offers["draw"]["until"]:
        assert len(entry.drawn) == offers["draw"]["count"]
    if action == DRAW:
        assert offers["draw"]["until"] == (entry.count is not None or (own and offers["draw"]["ends"] != []))
    if action.card is not None:
        assert (entry.shown is not None) == (card_name(action.card) in offers["swaps"])
        assert entry.shown is None or len(entry.shown) == offers["got"]
    if action == CHALLENGE:
        challenge = offers["challenge"]
        right = (
            challenge["own_lie"]
            if not own
            else any(card_name(c)[0] == challenge["colour"][0].upper() for c in entry.shown)
        )
        assert len(entry.drawn) == (0 if own == right else challenge["right" if right else "wrong"])
    left = Cards.of([])
    for cards in (entry.drawn, entry.shown or ()):
        left = left + Cards.of(cards)
    there = {name: offers["left"].get(name, 0) + offers["back"].get(name, 0) for name in map(card_name, left.types())}
    assert all(left[card] <= there[card_name(card)] for card in left.types())


# --- questions ---------------------------------------------------------------------------------------------


TYPED: Final = r"\b(type|write|name them|me|opponent or|r5|w4|b\+2|played \d+)\b"
"""Words of the terminal's questions."""


@on_loop
async def test_the_questions_say_what_answers_them() -> None:
    async with Site() as site:
        desk = await Desk.at(site)
        asked = desk.state["question"]
        assert (asked["name"], asked["kind"], asked["may_begin_in_the_middle"]) == ("first", "who", True)
        assert "before the first card acts" in asked["words"]
        asked = (await desk.enter("me"))["question"]
        assert (asked["kind"], asked["least"], asked["most"]) == ("cards", 7, 7)
        assert asked["left"]["R5"] == 2
        assert asked["left"]["W"] == 4
        asked = (await desk.enter("R5 R5 Y1 G+2 W4 B3 RS"))["question"]
        assert asked["kind"] == "card"
        assert "R5" not in asked["left"]
        state = await desk.enter("RR")
        assert (state["question"], state["status"]) == (None, "theirs")
        assert state["sentence"].startswith("The first card, RR, acts: you are passed over")
        assert [answer["text"] for answer in state["answers"]] == ["me", "R5 R5 Y1 G+2 W4 B3 RS", "RR"]


@on_loop
async def test_a_game_is_begun_in_the_middle_question_by_question() -> None:
    answers = ("opponent", "R5 R7 Y1 B+2", "W4", "green", "4", "yellow", "5", "played 30", "R1 B3 W")
    kinds = ["who", "cards", "card", "colour", "number", "colour", "number", "number", "cards"]
    async with Site() as site:
        desk = await Desk.at(site, middle=True)
        found = []
        for text in answers:
            asked = desk.state["question"]
            found.append(asked["kind"])
            assert re.fullmatch(r"[A-Z][^?]*\?", asked["words"])
            said = f"{asked['words']} {asked['help']}"
            assert not re.search(TYPED, said), "who taps is told nothing of what can be typed"
            await desk.enter(text)
        assert found == kinds
        state = desk.state
        assert (state["draw_size"], state["played_size"], state["opponent_size"]) == (69, 30, 5)
        assert state["played_not_known"] == 26
        assert state["offers"]["challenge"]["colour"] == "yellow"
        assert state["offers"]["theirs"]["challenge"]
        typed = await Desk.at(site)
        answer = await typed.post("enter", text="middle")
        assert answer.json["question"]["name"] == "turn"


# --- mistakes ----------------------------------------------------------------------------------------------


@on_loop
async def test_a_doubled_tap_is_a_conflict_and_changes_nothing() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT)
        seen = desk.state["at"]
        await desk.enter("R5")
        for what, text in (("enter", {"text": "R5"}), ("undo", {}), ("fix", {"text": "1 R7"})):
            answer = await desk.post(what, at=seen, **text)
            assert (answer.status, answer.kind) == (409, "conflict")
        assert (await site.get(desk.path)).json == desk.state


@on_loop
async def test_what_can_t_be_is_refused_in_the_words_of_the_package() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT, rules="house")
        assert "you don't hold G5" in await desk.refused("enter", "G5")
        assert "you may draw only with nothing to play" in await desk.refused("enter", "draw B1")
        assert "is nothing that can be done" in await desk.refused("enter", "<script>alert(1)</script>")
        assert "there is no entry 4" in await desk.refused("fix", "4 R5")
        await desk.enter("R5")
        await desk.enter("draw")
        assert desk.state["offers"]["theirs"] is None
        await desk.enter("R7")
        assert "G5 does not fit on R7" in await desk.refused("enter", "G5")
        assert "you can't see what the opponent draws" in await desk.refused("enter", "draw G5")
        for text in ("w +4 " * 150 + "x", "draw ²", "²", "fix", "\x00", "draw " + "9" * 400, "w " * 400):
            await desk.refused("enter", text)
        await desk.refused("fix", "² R5")


@on_loop
async def test_everything_can_be_taken_back_to_the_very_beginning() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT, "R5", "draw")
        states = [desk.state]
        for _ in range(desk.state["at"]):
            answer = await desk.post("undo")
            assert answer.status == 200
            desk.state = answer.json
            states.append(desk.state)
        assert [state["at"] for state in states] == [5, 4, 3, 2, 1, 0]
        assert states[-1]["question"]["name"] == "first"
        assert (await desk.post("undo")).status == 422
        again = await Desk.at(site, *DEALT)
        assert {**again.state, "version": 0} == {**states[2], "version": 0}


@on_loop
async def test_an_entry_or_an_answer_is_corrected_and_what_no_longer_fits_is_named() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT, "R5", "G5", "G+2")
        earlier = (await site.get(f"{desk.path}/before/4")).json
        assert earlier["status"] == "theirs"
        assert earlier["top"] == "R5"
        assert earlier["offers"]["theirs"]["cards"]["B5"] > 0
        asked = (await site.get(f"{desk.path}/before/1")).json["question"]
        assert (asked["name"], asked["kind"]) == ("hand", "cards")
        assert (await site.get(f"{desk.path}/before/6")).status == 409
        assert "entry 3 (me G+2) no longer fits" in await desk.refused("fix", "2 B5")
        answer = await desk.post("fix", text="hand R5 R7 Y1 G+2 W4 B3 BS")
        assert answer.status == 200
        assert answer.json["said"].startswith("Corrected: hand is")
        assert "BS" in answer.json["hand"]
        answer = await desk.post("fix", text="2 B5; 3 W4 g")
        assert answer.json["moves"][1]["text"] == "B5"
        assert answer.json["colour"] == "green"


@on_loop
async def test_who_forgot_uno_draws_two() -> None:
    async with Site() as site:
        desk = await Desk.at(site, "me", "R5", "R1", "1", "60", "none", middle=True)
        assert desk.state["offers"]["forgot"] == {"me": 2, "opponent": 2}
        await desk.enter("opponent forgot uno")
        assert desk.state["opponent_size"] == 3
        assert desk.state["offers"]["forgot"] == {"me": 2, "opponent": None}
        await desk.enter("me forgot uno G1 G2")
        assert desk.state["hand"] == ["R5", "G1", "G2"]
        assert desk.state["status"] == "yours"


# --- what survives, and who advises ------------------------------------------------------------------------


@on_loop
async def test_a_game_goes_on_after_a_restart(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    texts = (*DEALT, "R5", "draw", "keep", "W4:G", "challenge draw B1 B2 B4 B5")
    async with Site(path=store) as site:
        desk = await Desk.at(site, *texts)
        asked = await Desk.at(site, "opponent", "R5 R7", middle=True)
    async with Site(path=store) as site:
        state = (await site.get(desk.path)).json
        assert state.pop("version") > desk.state.pop("version")
        assert state == desk.state
        desk = Desk(site, desk.path)
        desk.state = (await site.get(desk.path)).json
        await desk.enter("G1")
        assert (await site.get(asked.path)).json["question"] == asked.state["question"]


@on_loop
async def test_an_entry_that_could_not_be_stored_did_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise NotStored("the disk is full")

    async with Site() as site:
        desk = await Desk.at(site, *DEALT, "R5")
        with monkeypatch.context() as patch:
            patch.setattr(site.board.store, "save", full)
            assert (await desk.post("enter", text="draw")).status == 507
        assert (await site.get(desk.path)).json == desk.state
        version = desk.state["version"]
        assert (await desk.enter("R2"))["version"] == version + 1


@on_loop
async def test_the_coach_speaks_while_somebody_listens_and_its_numbers_can_be_entered() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT)
        stream = Stream(site, f"{desk.path}/events")
        found = await _analysis(stream, 0)
        assert {one["action"] for one in found["candidates"]} == set(desk.state["legal"])
        assert found["coach"] == COACH
        assert found["belief"]["exact"]["cards"]["R5"] > 0
        best = found["candidates"][0]["action"]
        assert (await desk.enter("1"))["moves"][0]["text"] == best
        after = await _analysis(stream, 1)
        assert (after["candidates"] == []) == (desk.state["status"] == "theirs")
        assert after["belief"]["aware"]["about"]
        await stream.leave()


@on_loop
async def test_the_graph_goes_as_far_as_the_entries_stand() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT)
        stream = Stream(site, f"{desk.path}/events")

        async def numbers(after: int) -> list[int]:
            return [point["number"] for point in (await _analysis(stream, after))["graph"]]

        assert await numbers(0) == [0]
        await desk.enter("R5")
        assert 0 in await numbers(1), "the position before an entry stays"
        await desk.enter("G5")
        long = await numbers(2)
        assert {0, 2} <= set(long)
        answer = await desk.post("fix", text="2 B5")
        assert answer.status == 200
        assert await numbers(2) == long
        desk.state = (await desk.post("undo")).json
        desk.state = (await desk.post("undo")).json
        assert await numbers(0) == [0]
        await stream.leave()


@on_loop
async def test_what_was_corrected_is_taken_out_of_the_graph() -> None:
    async with Site() as site:
        desk = await Desk.at(site, *DEALT, "R5", "G5")
        table = await site.board.find(desk.path.removeprefix("/api/advise/"), AdviseTable)
        table._coaching.graph = [{"number": number, "win": 0.5} for number in range(3)]
        assert (await desk.post("fix", text="2 B5")).status == 200
        assert [point["number"] for point in table._coaching.graph] == [0, 1]


async def _analysis(stream: Stream, number: int) -> Any:
    """Return the whole analysis of the position after so many moves."""
    while True:
        kind, data = await stream.chunk()
        if kind == "analysis":
            found = json.loads(data)
            if found["done"] and found["number"] == number:
                return found


VOCABULARY = """
draw keep challenge shows got me opponent forgot uno middle none played all w w4 +4 wild red g yellow r5 R7 y1 g+2 b3
rs yr g2 r2 b5 0 1 2 3 7 60 ² ٣ hand top first turn pile owed before colour ; : , # . - fix undo <b> \x00 é
"""
"""What entries are made of, and what they are not."""


async def nonsense(site: Site, rules: str, middle: bool, texts: int, seed: int) -> Desk:
    """Enter random words, now and then what makes sense or an undo: each is taken or refused in a sentence."""
    chance, words = random.Random(seed), VOCABULARY.split()
    desk = await Desk.at(site, *(() if middle else DEALT), rules=rules, middle=middle)
    for _ in range(texts):
        text = " ".join(chance.choice(words) for _ in range(chance.choice((1, 1, 2, 2, 3, 5, 9, 40))))
        if chance.random() < 0.3 and desk.state["legal"]:
            text = f"{chance.choice(desk.state['legal'])} {chance.choice(('', '', 'b1', 'b1 y2 g3 g4'))}"
        elif chance.random() < 0.3 and desk.state["offers"] and desk.state["offers"]["theirs"]:
            text = chance.choice(["draw", "draw 1", *desk.state["offers"]["theirs"]["cards"]])
        elif chance.random() < 0.3 and desk.state["question"]:
            left = [card for card, count in desk.state["question"]["left"].items() for _ in range(count)]
            text = chance.choice(
                (
                    "me",
                    "opponent",
                    " ".join(chance.choices(left, k=desk.state["question"]["least"] or 3)),
                    chance.choice(left),
                    "red",
                    "4",
                    "20",
                )
            )
        what = chance.choices(("enter", "fix", "undo"), (20, 3, 1 if desk.state["moves"] else 0))[0]
        answer = await (desk.post("undo") if what == "undo" else desk.post(what, text=text))
        assert answer.status in (200, 422), (text, answer.body)
        assert answer.status == 200 or answer.kind == "illegal_move"
        desk.state = (await site.get(desk.path)).json
    return desk


@on_loop
async def test_nonsense_is_refused_and_what_was_taken_is_there_after_a_restart(tmp_path: Path) -> None:
    store, kinds = tmp_path / "store.db", (("printed", False), ("party", False), ("mini-9", True), ("stacking", False))
    async with Site(path=store) as site:
        desks = [await nonsense(site, rules, middle, 80, 5) for rules, middle in kinds]
    async with Site(path=store) as site:
        for desk in desks:
            state = (await site.get(desk.path)).json
            assert {**state, "version": 0} == {**desk.state, "version": 0}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no rules": ({"rules": "nothing"}, "unknown_rules"),
    "no agent": ({"coach": "nobody"}, "unknown_agent"),
    "an agent of one's own": ({"coach": "py:os.system"}, "unknown_agent"),
    "a coach without end": ({"coach": "flat:sims=100000000"}, "unknown_agent"),
    "a field too many": ({"seed": 3}, "bad_request"),
    "no yes or no": ({"middle": "yes"}, "bad_request"),
}


@pytest.mark.parametrize("what", REFUSED)
@on_loop
async def test_what_can_t_be_begun_is_refused_in_a_sentence(what: str) -> None:
    wanted, kind = REFUSED[what]
    async with Site() as site:
        answer = await site.post("/api/advise", wanted)
        assert answer.kind == kind
        assert answer.status in (400, 422)


@on_loop
async def test_no_record_before_the_game_has_begun_and_no_table_under_a_strange_token() -> None:
    async with Site() as site:
        desk = await Desk.at(site, "me")
        answer = await site.get(f"{desk.path}/record")
        assert (answer.status, answer.kind) == (409, "conflict")
        assert (await site.get("/api/advise/nothing")).status == 404
        for body in ({"text": "me"}, {"text": "me", "at": -1}, {"text": 5, "at": 1}, {"text": "x" * 2000, "at": 1}):
            assert (await site.post(f"{desk.path}/enter", body)).status == 400


@on_loop
async def test_a_game_is_not_read_while_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    saving, read, save = threading.Event(), threading.Event(), SessionStore.save

    def slow(store: SessionStore, key: bytes, kind: str, data: str, now: float) -> None:
        saving.set()
        read.wait(0.5)  # until it is read, where that does not wait for this
        save(store, key, kind, data, now)

    async with Site() as site:
        desk = await Desk.at(site, *DEALT)
        monkeypatch.setattr(SessionStore, "save", slow)
        at = desk.state["at"]
        entering = asyncio.ensure_future(desk.enter("R5"))
        while not saving.is_set():
            await asyncio.sleep(0.001)
        asked = await site.get(f"{desk.path}/before/{at}")
        read.set()
        await entering
        assert asked.json == (await site.get(f"{desk.path}/before/{at}")).json
        assert asked.json["hand"].count("R5") == 1
