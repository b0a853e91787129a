"""The engine's loop: queries are answered by their ids, on the way and at the end, several at once, and stopped."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

from tests.engine.talk import AGENT, final, game_after, own, query, talk
from uno_pomdp import __version__
from uno_pomdp.default_agents import coach_for
from uno_pomdp.engine.answers import Answer
from uno_pomdp.engine.engine import Engine
from uno_pomdp.engine.protocol import Cancel
from uno_pomdp.session.analysis import analyse


def kinds(replies: list[dict[str, Any]]) -> list[str]:
    return [reply["error"]["kind"] for reply in replies if "error" in reply]


def test_a_query_is_answered_as_analyse_does() -> None:
    game = game_after(9)
    reply = final([query(game, seed=7)])
    told = analyse(game.history(game.turn), AGENT, 7).to_json()
    assert (reply["id"], reply["done"], reply["seat"], reply["moves"]) == ("q", True, game.turn + 1, 9)
    assert reply["win_probability"] == told["win"]
    assert {key: reply[key] for key in ("candidates", "line", "note", "belief")} == {
        key: told[key] for key in ("candidates", "line", "note", "belief")
    }
    assert final([query(game, seed=7)]) == reply


def test_replies_come_on_the_way_with_the_same_id() -> None:
    replies = talk([query(game_after(4), "one", agent="flat:sims=30000", report_every_ms=1)])
    assert len(replies) > 2
    assert {reply["id"] for reply in replies} == {"one"}
    assert [reply["done"] for reply in replies] == [False] * (len(replies) - 1) + [True]
    spent = [reply["simulations"] for reply in replies]
    assert spent == sorted(spent)
    assert len({json.dumps(reply["belief"]) for reply in replies}) == 1


def test_without_a_wish_there_is_one_reply() -> None:
    assert len(talk([query(game_after(4), agent="flat:sims=30000")])) == 1


@pytest.mark.parametrize(
    ("include", "keys"),
    [
        (["candidates"], {"candidates", "line", "note", "lie"}),
        (["win_probability"], {"win_probability"}),
        (["belief"], {"belief"}),
        ([], set()),
    ],
)
def test_a_reply_includes_what_is_asked_for(include: list[str], keys: set[str]) -> None:
    always = {"id", "done", "agent", "rules", "seat", "moves", "turn", "simulations"}
    assert set(final([query(game_after(4), include=include)])) == always | keys


def test_the_policy_aware_belief_is_there_if_it_is_asked_for() -> None:
    game = game_after(6)
    assert final([query(game)])["belief"]["aware"] is None
    belief = final([query(game, include=["policy_aware"])])["belief"]
    assert "heuristic" in belief["aware"]["about"]
    assert belief["aware"]["cards"] != belief["exact"]["cards"]


def test_an_own_record_needs_no_seat_and_the_usual_coach_no_name() -> None:
    game = game_after(6, "mini-9")
    reply = final([{"id": "q", "record": own(game, game.turn)}])
    assert (reply["agent"], reply["seat"]) == (coach_for(game.rules), game.turn + 1)
    assert reply["rules"] == "mini-9"


def test_where_it_is_not_the_turn_of_the_seat_there_is_a_belief_alone() -> None:
    game = game_after(5)
    reply = final([query(game, seat=2 - game.turn)])
    assert (reply["turn"], reply["candidates"], reply["win_probability"]) == (False, [], None)
    assert reply["belief"]["exact"]["cards"]
    over = game_after(1000)
    assert final([query(over, seat=1)])["turn"] is False


def test_the_version_is_told() -> None:
    (told,) = talk([{"query": "version", "id": "v"}], workers=3, waiting=5)
    assert told == {"id": "v", "query": "version", "version": __version__, "protocol": 1} | {
        "records": [2],
        "workers": 3,
        "queue": 5,
    }
    assert "id" not in talk([{"query": "version"}])[0]


# --- several at once -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
def test_many_queries_are_all_answered_once(workers: int) -> None:
    game = game_after(6)
    replies = talk([query(game, f"q{n}", seed=n) for n in range(12)], workers)
    assert sorted(reply["id"] for reply in replies) == sorted(f"q{n}" for n in range(12))
    alone = final([query(game, "q5", seed=5)])
    assert next(reply for reply in replies if reply["id"] == "q5") == alone


class Conversation:
    """An engine that is talked to line by line."""

    def __init__(self, workers: int = 1, waiting: int = 64) -> None:
        self.replies: list[dict[str, Any]] = []
        self._lines: list[bytes] = []
        self._more = threading.Condition()
        self._ended = False
        self.engine = Engine(self._hear, workers, waiting)
        self._thread = threading.Thread(target=lambda: self.engine.run(self._given()), daemon=True)
        self._thread.start()

    def _given(self) -> Iterator[bytes]:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._lines or self._ended)
                if not self._lines:
                    return
                line = self._lines.pop(0)
            yield line

    def _hear(self, text: str) -> None:
        with self._more:
            self.replies.append(json.loads(text))
            self._more.notify_all()

    def say(self, request: object) -> None:
        """Send a line."""
        with self._more:
            self._lines.append(json.dumps(request).encode())
            self._more.notify_all()

    def wait_for(self, count: int) -> list[dict[str, Any]]:
        """Return the replies once there are so many."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.replies) >= count, 60), self.replies
            return self.replies

    def end(self) -> list[dict[str, Any]]:
        """Close the input, and return all replies."""
        with self._more:
            self._ended = True
            self._more.notify_all()
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.replies


def endless(name: str, **more: Any) -> dict[str, Any]:
    return query(game_after(4), name, agent="flat:ms=600000", include=["candidates"], report_every_ms=1) | more


def test_a_query_that_is_worked_on_is_cancelled() -> None:
    engine = Conversation()
    engine.say(endless("a"))
    engine.wait_for(2)  # it is at work
    started = time.monotonic()
    engine.say({"cancel": "a"})
    replies = engine.end()
    assert time.monotonic() - started < 5.0
    assert {"cancel": "a", "cancelled": True} in replies
    assert replies[-1]["id"] == "a" or replies[-2]["id"] == "a"
    assert kinds(replies) == ["cancelled"]


def test_a_query_that_waits_is_cancelled_at_once_and_the_next_goes_on() -> None:
    engine = Conversation()
    engine.say(endless("a"))
    engine.wait_for(1)
    for request in (endless("b"), query(game_after(4), "c"), {"cancel": "b"}):
        engine.say(request)
    with engine._more:
        assert engine._more.wait_for(lambda: "cancelled" in kinds(engine.replies), 60)
    assert [reply["id"] for reply in engine.replies if "error" in reply] == ["b"]
    engine.say({"cancel": "a"})
    replies = engine.end()
    assert sorted(reply["id"] for reply in replies if "error" in reply) == ["a", "b"]
    assert [reply["id"] for reply in replies if reply.get("done")] == ["c"]


def test_a_query_that_was_cancelled_ends_so_even_if_it_was_just_done(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(lambda text: replies.append(json.loads(text)))
    replies: list[dict[str, Any]] = []
    whole = Answer.final

    def late(answer: Answer) -> dict[str, Any]:
        reply = whole(answer)
        engine._cancel(Cancel(answer.query.name))
        return reply

    monkeypatch.setattr(Answer, "final", late)
    engine.run([json.dumps(query(game_after(4), "a")).encode()])
    assert replies[0] == {"cancel": "a", "cancelled": True}
    assert kinds(replies) == ["cancelled"]
    assert len(replies) == 2


def test_an_input_that_fails_has_ended() -> None:
    def broken() -> Iterator[bytes]:
        yield json.dumps(query(game_after(4), "a")).encode()
        raise OSError("no more")

    replies: list[dict[str, Any]] = []
    with mock.patch.object(threading, "excepthook"):  # which would print it
        Engine(lambda text: replies.append(json.loads(text))).run(broken())
    assert [reply["done"] for reply in replies] == [True]


def test_what_is_not_there_can_not_be_cancelled() -> None:
    assert talk([{"cancel": "nothing"}]) == [{"cancel": "nothing", "cancelled": False}]


def test_more_than_may_wait_are_refused_and_ids_in_use_too() -> None:
    engine = Conversation(workers=1, waiting=1)
    engine.say(endless("a"))
    engine.wait_for(1)
    for request in (endless("b", report_every_ms=None), endless("c"), endless("a")):
        engine.say(request)
    with engine._more:
        assert engine._more.wait_for(lambda: len(kinds(engine.replies)) == 2, 60)
    refused = {reply["id"]: reply["error"] for reply in engine.replies if "error" in reply}
    assert {name: error["kind"] for name, error in refused.items()} == {"c": "too_many", "a": "repeated_id"}
    assert refused["c"]["message"].startswith("2 queries are being answered or wait")
    engine.say({"cancel": "b"})
    engine.say({"cancel": "a"})
    engine.end()


def test_an_id_can_be_used_again_once_it_is_answered() -> None:
    engine = Conversation()
    for number in range(1, 4):
        engine.say(query(game_after(4), "same"))
        engine.wait_for(number)
    assert [reply["done"] for reply in engine.end()] == [True] * 3


# --- the end ---------------------------------------------------------------------------------------------


def test_what_interrupts_the_engine_stops_all_work_and_every_query_hears_of_it() -> None:
    class Interrupted(BaseException):
        pass

    replies: list[dict[str, Any]] = []
    asked = [json.dumps(endless(name, report_every_ms=None)).encode() for name in "abc"]

    class Broken(Engine):
        def _take(self, line: bytes, number: int) -> None:
            super()._take(line, number)
            if number == 3:
                raise Interrupted

    with pytest.raises(Interrupted):
        Broken(lambda text: replies.append(json.loads(text))).run(asked)
    assert sorted(reply["id"] for reply in replies) == ["a", "b", "c"]
    assert set(kinds(replies)) == {"stopped"}


def test_an_output_that_is_closed_ends_the_engine() -> None:
    def closed(text: str) -> None:
        raise BrokenPipeError(text[:20])

    def lines() -> Iterator[bytes]:
        yield json.dumps(endless("a")).encode()
        time.sleep(60)  # a parent that keeps its end open

    started = time.monotonic()
    with pytest.raises(BrokenPipeError):
        Engine(closed).run(lines())
    assert time.monotonic() - started < 20.0


# --- agents ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "kind", "message"),
    [
        ("nobody", "unknown_agent", "no agent is called 'nobody'"),
        ("flat:sims=0", "unknown_agent", "sims"),
        ("policy:file=none.npz", "unknown_agent", "none.npz"),
        ("py:tests.engine.faulty.Fails", "failed", "py:tests.engine.faulty.Fails failed: ValueError: no idea"),
        ("py:tests.engine.faulty.Exits", "failed", "SystemExit"),
        ("py:tests.engine.faulty.NotANumber", "failed", "is nan, but has to be a probability"),
        ("py:tests.engine.faulty.Illegal", "failed", "legal"),
    ],
)
def test_an_agent_that_fails_is_told_and_the_engine_goes_on(agent: str, kind: str, message: str) -> None:
    game = game_after(4)
    replies = talk([query(game, "a", agent=agent), query(game, "b")])
    (error,) = [reply["error"] for reply in replies if reply["id"] == "a"]
    assert error["kind"] == kind
    assert message in error["message"]
    assert "Traceback" not in error["message"]
    assert [reply["done"] for reply in replies if reply["id"] == "b"] == [True]


def test_an_agent_that_can_not_play_these_rules_is_refused() -> None:
    reply = final([query(game_after(4, "mini-12"), agent="champion:sims=10")])
    assert reply["error"]["kind"] == "unknown_agent"
