"""Play over HTTP: the contract of every endpoint, from the first deal to what follows the last card."""

import asyncio
import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.web_server.site import ROOMY, JumpingClock, Site, Stream, on_loop
from uno_pomdp.cards import CARD_NAMES
from uno_pomdp.game.actions import Action
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.notation import format_record
from uno_pomdp.game.record import replay
from uno_pomdp.game.record_parsing import parse_record
from uno_pomdp.narration.rule_words import rules_in_words
from uno_pomdp.review.analyst import make_coach
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.web import preparing
from uno_pomdp.web.opponents import options_json

STATE: dict[str, type | tuple[type, ...]] = {
    "version": int,
    "number": int,
    "rules": str,
    "you": int,
    "opponent": str,
    "practice": bool,
    "coach": bool,
    "match": (dict, type(None)),
    "status": str,
    "trouble": str,
    "waiting": str,
    "hand": list,
    "legal": list,
    "drawn": (str, type(None)),
    "opponent_size": int,
    "draw_size": int,
    "played_size": int,
    "top": (str, type(None)),
    "colour": (str, type(None)),
    "debt": int,
    "challenge": (str, type(None)),
    "sentence": str,
    "debt_words": str,
    "moves": list,
    "result": (dict, type(None)),
    "after": (dict, type(None)),
}
"""The fields of a state and their types, as the pages rely on them."""


def check_state(state: Any) -> None:
    """Require the form that pages rely on."""
    assert {name: isinstance(state[name], kind) for name, kind in STATE.items()} == dict.fromkeys(STATE, True)
    assert set(state) == set(STATE)
    assert set(state["hand"]) <= set(CARD_NAMES)
    assert [str(Action.parse(move)) for move in state["legal"]] == state["legal"]
    assert [move["number"] for move in state["moves"]] == list(range(1, state["number"] + 1))
    for move in state["moves"]:
        assert move["by"] in ("you", "opponent")
        assert move["words"].endswith(".")
        assert (move["challenge"] is not None) == (move["action"] == "challenge")
        assert ("You " if move["by"] == "you" else "The opponent ") in move["words"]
    assert (state["status"] == "yours") == bool(state["legal"])
    assert (state["result"] is None) == (state["status"] != "over")
    assert state["status"] == "over" or state["after"] is None


async def played_out(site: Site, path: str, rng: random.Random) -> Any:
    """Play random moves to the end of a round, and return the last state."""
    while True:
        state = await site.settled(path, "yours", "over")
        check_state(state)
        if state["status"] == "over":
            return state
        check_state(await site.move(path, state, rng.choice(state["legal"])))


@pytest.mark.parametrize("rules", [name for name in PRESETS if name not in ("mini-10", "mini-12", "pass")])
@on_loop
async def test_a_game_goes_to_its_end_and_is_then_told_in_full(rules: str) -> None:
    async with Site() as site:
        path = await site.begin(rules=rules, opponent="greedy", seat="2")
        state = await played_out(site, path, random.Random(3))
        record = parse_record((await site.get(f"{path}/record")).body.decode())
        assert replay(record).over
        assert record.players == ("greedy", "human")
        assert len(record.moves) == state["number"]
        after = state["after"]
        assert len(after["open_graph"]) == state["number"] + 1
        assert all(0 <= chance <= 1 for chance in after["open_graph"])
        assert sorted(after["opponent_hand"]) == sorted(str(replay(record).hand(0)).split())
        assert after["luck"][0]["number"] == 0
        assert (await site.get(f"{path}/why")).json["words"].count("It held ") == 1


@on_loop
async def test_a_stream_begins_with_the_present_and_tells_every_change_once() -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy")
        stream = Stream(site, f"{path}/events")
        first = await stream.state()
        assert first == (await site.get(path)).json
        move = first["legal"][0]
        thinking = await site.move(path, first, move)
        assert (thinking["status"], thinking["number"]) == ("thinking", 1) or thinking["legal"]
        told = [await stream.state()]
        while told[-1]["status"] == "thinking":
            told.append(await stream.state())
        versions = [state["version"] for state in (first, *told)]
        assert versions == list(range(versions[0], versions[0] + len(versions)))
        assert told[0] == thinking
        assert told[0]["moves"][0] | {"sizes": None} == {
            "number": 1,
            "by": "you",
            "words": told[0]["moves"][0]["words"],
            "action": move,
            "sizes": None,
            "challenge": None,
        }
        await stream.leave()
        assert stream.ended.result().headers["content-type"].startswith("text/event-stream")


@on_loop
async def test_a_move_is_for_the_position_that_was_seen() -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy")
        state = (await site.get(path)).json
        late = await site.post(f"{path}/move", {"move": state["legal"][0], "at": state["number"] + 1})
        assert (late.status, late.kind) == (409, "conflict")
        first, second = await asyncio.gather(
            *(site.post(f"{path}/move", {"move": state["legal"][0], "at": state["number"]}) for _ in range(2))
        )
        assert sorted((first.status, second.status)) == [200, 409]


@pytest.mark.parametrize("text", ["R99", "", "draw two", "W", "R5:R", "challenge", "\x00", "<b>"])
@on_loop
async def test_a_move_that_is_none_or_not_legal_is_refused_with_a_reason(text: str) -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy", rules="house")
        state = (await site.get(path)).json
        refused = await site.post(f"{path}/move", {"move": text, "at": state["number"]})
        assert (refused.status, refused.kind) in ((422, "illegal_move"), (400, "bad_request"))
        assert (await site.get(path)).json == state


@on_loop
async def test_moves_are_taken_back_in_practice_games_alone() -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy", practice=True)
        before = (await site.get(path)).json
        assert (await site.post(f"{path}/undo", {"at": 0})).kind == "conflict"  # nothing was done
        await site.move(path, before, before["legal"][0])
        state = await site.settled(path, "yours", "over")
        undone = (await site.post(f"{path}/undo", {"at": state["number"]})).json
        changing = ("version",)
        assert {k: v for k, v in undone.items() if k not in changing} == {
            k: v for k, v in before.items() if k not in changing
        }
        assert b"undo: " in (await site.get(f"{path}/record")).body
        counting = await site.begin(opponent="greedy")
        state = (await site.get(counting)).json
        await site.move(counting, state, state["legal"][0])
        state = await site.settled(counting, "yours", "over")
        assert (await site.post(f"{counting}/undo", {"at": state["number"]})).status == 409


@on_loop
async def test_when_the_last_move_is_taken_back_nothing_of_the_ending_is_told_any_more() -> None:
    async with Site() as site:
        path, endings = await site.begin(opponent="greedy", rules="mini-9", practice=True), []
        for seed in (1, 2):
            over = await played_out(site, path, random.Random(seed))
            endings.append(over["after"])
            undone = (await site.post(f"{path}/undo", {"at": over["number"]})).json
            assert (undone["status"], undone["result"], undone["after"]) == ("yours", None, None)
            assert (await site.get(path)).json == undone
        assert all(len(after["open_graph"]) > 1 for after in endings)


@on_loop
async def test_a_match_goes_on_round_by_round_under_one_token_and_the_scores_add_up() -> None:
    async with Site() as site:
        path = await site.begin(opponent="random", rules="mini-9", to=60)
        rng, scores, seats, seeds = random.Random(1), [[0, 0]], [], []
        while True:
            state = await played_out(site, path, rng)
            seats.append(state["you"])
            assert state["match"] == {"to": 60, "round": len(scores), "score": scores[-1]}
            result = state["result"]
            won = {"you": 0, "opponent": 1}.get(result["winner"])
            total = list(scores[-1])
            if won is not None and result["points"]:
                total[won] += result["points"]
            assert result["score"] == total
            scores.append(total)
            record = parse_record((await site.get(f"{path}/record")).body.decode())
            seeds.append(record.seed)
            assert result["next_round"] == (max(total) < 60)
            if not result["next_round"]:
                break
            assert (await site.post(f"{path}/next")).json["status"] in ("preparing", "thinking", "yours")
            await site.settled(path, "yours", "over")
        assert (await site.post(f"{path}/next")).kind == "conflict"
        assert seats == [1 + number % 2 for number in range(len(seats))]
        assert len(set(seeds)) == len(seeds)


@on_loop
async def test_the_deal_of_the_next_round_can_not_be_worked_out_from_the_round_that_was_told() -> None:
    async with Site() as site:
        path = await site.begin(opponent="random", rules="mini-9", to=1000)
        await played_out(site, path, random.Random(2))
        told = parse_record((await site.get(f"{path}/record")).body.decode())
        await site.post(f"{path}/next")
        await site.settled(path, "yours", "over")
        await played_out(site, path, random.Random(2))
        second = parse_record((await site.get(f"{path}/record")).body.decode())
        assert told.match is not None
        assert told.seed is not None
        from uno_pomdp.game.scoring import round_score
        from uno_pomdp.session.setup import Setup

        grown = Setup(told.rules, told.seed, 0, "random", told.match).next_round(round_score(replay(told)))
        assert grown is not None
        assert grown.seed != second.seed


@on_loop
async def test_a_rematch_has_a_token_of_its_own_the_other_seat_and_the_same_cards_if_wanted() -> None:
    async with Site() as site:
        path = await site.begin(opponent="random", rules="mini-9", coach=True)
        assert (await site.post(f"{path}/rematch", {"same_deal": True})).kind == "conflict"
        await played_out(site, path, random.Random(2))
        first = parse_record((await site.get(f"{path}/record")).body.decode())
        for same in (True, False):
            made = await site.post(f"{path}/rematch", {"same_deal": same})
            assert made.status == 201
            other = f"/api/play/{made.json['token']}"
            assert other != path
            state = await played_out(site, other, random.Random(2))
            assert (state["you"], state["coach"]) == (2, True)
            second = parse_record((await site.get(f"{other}/record")).body.decode())
            assert (second.seed == first.seed, second.hands == first.hands) == (same, same)


@on_loop
async def test_the_coach_is_switched_and_the_change_is_told() -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy", rules="mini-9")
        assert (await site.post(f"{path}/coach", {"on": True})).json["coach"] is True
        assert (await site.get(path)).json["coach"] is True
        assert (await site.post(f"{path}/coach", {"on": "yes"})).kind == "bad_request"


@on_loop
async def test_a_record_of_a_running_game_is_what_the_seat_could_have_written() -> None:
    async with Site() as site:
        path = await site.begin(opponent="greedy", rules="printed")
        state = (await site.get(path)).json
        await site.move(path, state, state["legal"][0])
        state = await site.settled(path, "yours", "over")
        answer = await site.get(f"{path}/record")
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        record = parse_record(answer.body.decode())
        assert record.observer == 0
        assert record.seed is None
        assert format_record(record) == answer.body.decode()
        assert len(record.moves) == state["number"]


@on_loop
async def test_what_can_be_played_is_offered_with_a_sentence_each() -> None:
    async with Site() as site:
        options = (await site.get("/api/options")).json
        assert [each["name"] for each in options["rules"]] == list(PRESETS)
        assert all(each["summary"] for part in ("rules", "opponents", "coaches") for each in options[part])
        heuristic = next(each for each in options["opponents"] if each["name"] == "heuristic")
        assert heuristic["rules"] == list(PRESETS)
        champion = next(each for each in options["opponents"] if each["name"] == "champion")
        assert "house" in champion["rules"] != list(PRESETS)


def test_every_coach_that_is_offered_can_judge_games_of_the_rules_that_it_is_offered_for() -> None:
    for each in options_json()["coaches"]:
        for rules in each["rules"]:
            for seat in SEATS:
                make_coach(each["name"], preset(rules), seat)


@on_loop
async def test_the_rules_are_told_where_one_chooses_and_where_one_plays() -> None:
    """The same words as `help` at the terminal has, and the size of the deal."""
    async with Site() as site:
        words = {each["name"]: each["words"] for each in (await site.get("/api/options")).json["rules"]}
        assert list(words) == list(PRESETS)
        for name, told in words.items():
            said = {each["about"]: each["words"] for each in told}
            assert str(PRESETS[name].rules.hand_size) in said["the deal"]
            for about, sentence in rules_in_words(PRESETS[name].rules):
                assert said[about] == sentence
        for kind, asked in (("play", {"rules": "party", "opponent": "greedy"}), ("advise", {"rules": "party"})):
            made = (await site.post(f"/api/{kind}", asked)).json
            assert (await site.get(f"/api/{kind}/{made['token']}/rules")).json["words"] == words["party"]


@on_loop
async def test_null_is_the_default_of_every_field_that_has_one() -> None:
    async with Site() as site:
        names = ("rules", "opponent", "seat", "to", "practice", "coach")
        made = await site.post("/api/play", dict.fromkeys(names) | {"opponent": "greedy"})
        assert made.status == 201, made.body
        assert (await site.get(f"/api/play/{made.json['token']}")).json["coach"] is False
        made = await site.post("/api/advise", {"rules": None, "coach": None, "middle": None})
        assert made.status == 201, made.body
        assert (await site.post("/api/review", {"record": None, "coach": None})).kind == "bad_request"


@on_loop
async def test_who_waits_is_told_why_and_about_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_done", {})
    assert re.search("compiled.*half a minute", preparing.preparing_words("greedy", preset("house")))
    preparing.prepare("greedy", preset("house"))
    assert preparing.preparing_words("greedy", preset("house")) == "The cards are dealt …"
    async with Site(replace(ROOMY, slot=3.0)) as site:
        path = await site.begin(rules="pass", opponent="greedy", seat="1")
        state = await site.settled(path, "yours")
        assert state["waiting"] == ""
        moved = await site.move(path, state, state["legal"][0])
        assert (moved["status"], moved["waiting"]) == ("thinking", "The opponent is thinking, for about 3 s …")


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ({"rules": "chess"}, "unknown_rules"),
        ({"rules": "house,hand_size=60"}, "unknown_rules"),
        ({"opponent": "nobody"}, "unknown_agent"),
        ({"opponent": "flat:ms=60000"}, "unknown_agent"),
        ({"opponent": "flat:sims=100000000"}, "unknown_agent"),
        ({"opponent": "flat:ms=5,threads=9"}, "unknown_agent"),
        ({"opponent": "flat:ms=5,belief=particles,particles=1000000"}, "unknown_agent"),
        ({"opponent": "flat:ms=5,belief=enumerated"}, "unknown_agent"),
        ({"opponent": "flat:ms=5,belief=enumerated", "rules": "party"}, "unknown_agent"),
        ({"opponent": "pomcp:model=(py:os.system)"}, "unknown_agent"),
        ({"opponent": "py:os.system"}, "unknown_agent"),
        ({"opponent": "policy:file=/etc/passwd"}, "unknown_agent"),
        ({"opponent": "champion:file=/etc/passwd"}, "unknown_agent"),
        ({"opponent": "champion", "rules": "party"}, "unknown_agent"),
        ({"opponent": 7}, "bad_request"),
        ({"opponent": "x" * 201}, "bad_request"),
        ({"seat": "3"}, "bad_request"),
        ({"seat": 1}, "bad_request"),
        ({"to": 0}, "bad_request"),
        ({"to": 1.5}, "bad_request"),
        ({"to": True}, "bad_request"),
        ({"practice": "yes"}, "bad_request"),
        ({"color": "red"}, "bad_request"),
    ],
)
@on_loop
async def test_a_game_that_can_not_be_is_refused_with_its_kind(wanted: Any, kind: str) -> None:
    async with Site() as site:
        refused = await site.post("/api/play", wanted)
        assert refused.kind == kind
        assert 400 <= refused.status < 500
        assert site.board.in_memory == 0


@on_loop
async def test_custom_rules_and_any_agent_that_knows_them_can_be_played() -> None:
    async with Site() as site:
        rules = "mini-9,hand_size=3,reshuffle=yes"
        path = await site.begin(rules=rules, opponent="flat:sims=20,belief=uniform", seat="random")
        state = await played_out(site, path, random.Random(5))
        assert (state["rules"], state["opponent"]) == (rules, "flat:sims=20,belief=uniform")


@on_loop
async def test_without_an_opponent_there_is_the_default_one() -> None:
    async with Site(clock=JumpingClock()) as site:
        path = await site.begin(rules="mini-9")
        assert json.loads((await site.get(path)).body)["opponent"] == "champion:ms=50"
