"""Hidden cards, the deck's order and the seed: nothing of them leaves the server while a game runs."""

import asyncio
import json
import logging
import random
from dataclasses import dataclass

import pytest

from tests.web_server import secrets
from tests.web_server.site import Site, Stream, on_loop
from tests.web_server.traffic import everything, game_is_silent
from uno_pomdp.agents.agent import Agent, Decision
from uno_pomdp.cards import CARD_NAMES
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.record import GameRecord
from uno_pomdp.rules import PRESETS
from uno_pomdp.session import session as sessions
from uno_pomdp.session.setup import Setup
from uno_pomdp.web import coaching
from uno_pomdp.web.play_table import PlayTable
from uno_pomdp.web.tokens import new_token


@pytest.mark.parametrize("rules", PRESETS)
@on_loop
async def test_no_message_of_a_running_game_names_a_hidden_card(rules: str) -> None:
    async with Site() as site:
        seat = "1" if list(PRESETS).index(rules) % 2 else "2"
        await game_is_silent(site, rules, seat, random.Random(7))


def test_the_search_for_names_would_find_one() -> None:
    game = Game.new("house", 5)
    known = secrets.Known(game, 0).of(game)
    hidden = set(str(game.hand(1)).split()) - known
    assert hidden
    for name in hidden:
        for sent in (f'{{"hand":["{name}"]}}', f"The opponent holds {name}.", f"2. player 2: {name}"):
            assert secrets.leaks([sent.encode()], known) == {name}
    everything_named = " ".join(CARD_NAMES).encode()
    assert secrets.named(everything_named) == set(CARD_NAMES)
    assert secrets.named(b'"W:G","W4:R"') == {"W", "W4"}
    assert secrets.named(b'{"token":"' + b"x" * 20 + b"-W-R5_" + b"x" * 17 + b'"}') == set()


# --- two games that a seat can't tell apart ---------------------------------------------------------------


class Puppet(Agent):
    """Does what it is told."""

    name = "puppet"

    def __init__(self, actions: list[Action]) -> None:
        self._actions = list(actions)

    def decide(self) -> Decision:
        """Return the next action."""
        return Decision(self._actions.pop(0))


@dataclass(frozen=True)
class Course:
    """A game as far as it is played, twice."""

    record: GameRecord
    setup: Setup
    actions: list[Action]
    movers: list[int]


def random_course(rules: str, seat: int, moves: int, rng: random.Random) -> Course:
    """Return a random game of so many moves at most, up to a turn of the seat."""
    setup = Setup(PRESETS[rules].rules, rng.getrandbits(63), seat, "greedy")
    game = Game.new(setup.rules, setup.seed)
    turns = [game.turn]
    while len(game.moves) < moves and not game.over:
        game.apply(rng.choice(game.legal_actions()))
        turns.append(1 - seat if game.over else game.turn)
    done = game.moves[: max((place for place, turn in enumerate(turns) if turn == seat), default=0)]
    actions = [move.action for move in done]
    return Course(setup.record(()), setup, actions, [move.seat for move in done])


@dataclass(frozen=True)
class Sent:
    """All that a client is sent while a course is played."""

    answers: list[bytes]
    """To requests, headers included, in order."""
    states: dict[int, str]
    """By version, what the stream says."""
    analyses: dict[int, str]
    """By number of moves, what the coach says at last."""


async def sent_during(course: Course, record: GameRecord, patch: pytest.MonkeyPatch) -> Sent:
    """Return what is sent while this course is played from a deal: states, analyses, records, refusals."""
    seat = course.setup.seat
    theirs = [action for action, mover in zip(course.actions, course.movers, strict=True) if mover != seat]
    patch.setattr(sessions, "make_agent", lambda _: Puppet(theirs))
    async with Site() as site:
        token, key = new_token()
        path = f"/api/play/{token}"
        table = PlayTable(site.board, key, course.setup, True, record)
        await site.board.add(key, table)
        table.begin()
        stream = Stream(site, f"{path}/events")
        for number, (action, mover) in enumerate(zip(course.actions, course.movers, strict=True)):
            if mover != seat:
                continue
            state = await site.settled(path, "yours")
            while state["number"] < number:
                state = await site.settled(path, "yours")
            await coached(table)
            await everything(site, path, state)
            await site.move(path, state, str(action))
        while table.state()["number"] < len(course.actions):
            await asyncio.sleep(0.002)
        await coached(table)
        await everything(site, path, table.state())
        answers = [sent for sent in site.traffic if not sent.startswith((b"event: ", b":"))]
        told = [await stream.chunk() for _ in range(stream.waiting)]
        await stream.leave()
        states = {json.loads(data)["version"]: data for kind, data in told if kind == "state"}
        analyses = {json.loads(data)["number"]: data for kind, data in told if kind == "analysis"}
        return Sent(answers, states, analyses)


async def coached(table: PlayTable) -> None:
    """Wait until the coach has said all, so that what is sent has one order."""
    await table.round.coaching.ended()
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("rules", PRESETS)
def test_games_that_a_seat_can_not_tell_apart_send_the_same_bytes(
    rules: str, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coaching, "coach_for", lambda _: "flat:sims=60")
    monkeypatch.setattr("uno_pomdp.web.play_table.prepare", lambda *_: None)
    monkeypatch.setattr(coaching, "EVERY", 1e9)
    rng = random.Random(100 * list(PRESETS).index(rules) + seat)
    compared = False
    while not compared:
        course = random_course(rules, seat, rng.randint(2, 24), rng)
        other = secrets.twin(course.record, course.actions, seat, rng)
        if other is None or not course.actions:
            continue
        first, second = (asyncio.run(sent_during(course, record, monkeypatch)) for record in (course.record, other))
        assert first.answers == second.answers
        assert first.analyses == second.analyses
        both = first.states.keys() & second.states.keys()  # of two that follow at once a stream may tell the second
        assert {version: first.states[version] for version in both} == {v: second.states[v] for v in both}
        assert len(both) > 0.7 * len(first.states)
        assert len(first.analyses) >= course.movers.count(seat)
        compared = True


@on_loop
async def test_a_game_that_fails_says_so_without_its_cards(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Talker(Puppet):
        def decide(self) -> Decision:
            raise RuntimeError(f"I hold {self.observation.hand}")

    monkeypatch.setattr(sessions, "make_agent", lambda _: Talker([]))
    with caplog.at_level(logging.WARNING):
        async with Site() as site:
            path = await site.begin(opponent="greedy")
            state = (await site.get(path)).json
            site.traffic.clear()
            await site.move(path, state, state["legal"][0])
            for _ in range(400):
                failed = (await site.get(path)).json
                if failed["status"] != "thinking":
                    break
                await asyncio.sleep(0.005)
            assert failed["status"] == "failed"
            assert "bug" in failed["trouble"]
            table = await site.table(path)
            assert table.round.session is not None
            told = [*site.traffic, caplog.text.encode()]
            game = table.round.session.game
            assert secrets.leaks(told, secrets.Known(game, 0).of(game)) == set()
            token = path.rpartition("/")[2]
            assert token not in caplog.text
            assert str(table.round.setup.seed) not in caplog.text
            assert "RuntimeError" in caplog.text
            assert (await site.post(f"{path}/move", {"move": "draw", "at": failed["number"]})).status == 409
