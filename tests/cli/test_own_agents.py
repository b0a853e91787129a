"""Agents of one's own that fail, wherever they can be asked: as players and as coaches, at every command."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import uno
from tests.cli.inside import Done, call
from tests.engine.talk import game_after, query, talk, whole
from uno_pomdp.game.notation import load_record

COACH: Final = "py:tests.agents.wrong.Wrong"
MINI: Final = ("--rules", "mini-9", "--seed", "3")
TABLE: Final = "me\nr1 r2 r3 g4 g5 b6 b7\nr9\nr1\nr7\nr2\nr6\n"
"""A game at a real table, with the coach asked three times."""


@dataclass(frozen=True)
class Place:
    """A command that asks an agent."""

    run: Callable[[str], Done]
    """Runs it with this agent."""
    method: str
    """Which method of the agent is asked for moves."""
    goes_on: bool = False
    """Whether the game goes on without the agent."""
    as_json: bool = False
    """Whether a JSON document is printed at the end."""
    keeps: str = ""
    """The file in which the game is afterwards."""


def analysed(agent: str) -> Done:
    """Review a game."""
    Path("game.txt").write_text(whole(game_after(12)))
    return call("analyze", "game.txt", "--coach", agent, "--json")


PLACES: Final = {
    "arena": Place(
        lambda agent: call("arena", agent, "random", *MINI, "--pairs", "1", "--processes", "1", "--json"),
        "decide",
        as_json=True,
    ),
    "tournament": Place(
        lambda agent: call("tournament", agent, "random", *MINI, "--pairs", "1", "--processes", "1", "--json"),
        "decide",
        as_json=True,
    ),
    "play": Place(
        lambda agent: call("play", agent, *MINI, "--seat", "1", "--record", "kept.txt", typed="1\n" * 20),
        "decide",
        keeps="kept.txt",
    ),
    "hint": Place(
        lambda agent: call(
            "play", "random", "--seed", "5", "--coach", agent, "--record", "kept.txt", typed="y9\nhint\nhint\nquit\n"
        ),
        "decide",
        goes_on=True,
        keeps="kept.txt",
    ),
    "watch": Place(
        lambda agent: call("watch", agent, "random", *MINI, "--record", "kept.txt", "--json"),
        "decide",
        as_json=True,
        keeps="kept.txt",
    ),
    "analyze": Place(analysed, "move_values", as_json=True),
    "advise": Place(
        lambda agent: call("advise", "--coach", agent, "--save", "kept.txt", typed=TABLE),
        "decide",
        goes_on=True,
        keeps="kept.txt",
    ),
    "advise --json": Place(
        lambda agent: call("advise", "--coach", agent, "--save", "kept.txt", "--json", typed=TABLE),
        "decide",
        goes_on=True,
        as_json=True,
        keeps="kept.txt",
    ),
}
"""Where an agent of one's own can be asked."""
KINDS: Final = ("raises", "exits", "interrupts", "sulks", "none", "number", "illegal", "nan", "inf", "above")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in an empty folder, with games and failed games kept in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def document(text: str) -> Any:
    """Return a JSON document, which has no bare NaN."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PLACES)
def test_a_failing_agent_is_one_sentence_and_the_game_is_kept(name: str, kind: str) -> None:
    place = PLACES[name]
    agent = f"{COACH},kind={kind},method={place.method}"
    done = place.run(agent)
    said = " ".join((done.err + done.out * (name == "hint")).split())
    failed = rf"{re.escape(agent)} failed: [^;]*, in {place.method} \(\S*wrong\.py, line \d+\)"
    assert len(re.findall(failed, said)) == 1, said
    assert "Traceback" not in done.err
    assert done.code == (0 if place.goes_on else 2)
    assert ("the game goes on without the coach" in said) == place.goes_on
    if place.as_json and place.goes_on:
        assert document(done.out)["advice"] is None
    elif place.as_json:
        assert done.out == ""
    if place.keeps:
        record = load_record(place.keeps)
        assert record.outcome is None
        assert place.goes_on <= bool(record.moves)


@pytest.mark.parametrize("name", PLACES)
def test_what_an_agent_prints_is_no_part_of_the_results(name: str) -> None:
    place = PLACES[name]
    done = place.run(f"{COACH},kind=prints,method={place.method}")
    assert f"I am {place.method}" in done.err or name == "play"  # which ends before, for nobody types a move
    assert "I am" not in done.out
    if place.as_json:
        document(done.out)


@pytest.mark.parametrize("method", ["__init__", "check_game", "begin", "follow"])
@pytest.mark.parametrize("name", PLACES)
def test_a_failure_before_it_is_asked_for_a_move_is_a_sentence_too(name: str, method: str) -> None:
    place = PLACES[name]
    done = place.run(f"{COACH},kind=exits,method={method}")
    said = " ".join((done.err + done.out * (name == "hint")).split())
    assert re.search(r"SystemExit: 0", said)
    assert re.search(r"wrong\.py, line \d+\)", said)
    assert "Traceback" not in said
    seated = method in ("begin", "follow")  # else it is refused before there is a game
    in_game = (seated and name in ("arena", "tournament", "watch")) or (name == "play" and method == "follow")
    assert ("the game so far is in" in said) == in_game
    assert done.code == (0 if place.goes_on and seated else 2)


HOUSE: Final = ("--rules", "house", "--seed", "5")
ASKED: Final = "belief\nbelief\n1\n"
BESIDE: Final[dict[str, Callable[..., Done]]] = {
    "play": lambda *more: call("play", "random", *HOUSE, "--record", "kept.txt", *more, typed=f"{5 * ASKED}quit\n"),
    "watch": lambda *more: call("watch", "random", "greedy", *HOUSE, "--record", "kept.txt", *more),
    "watch --json": lambda *more: call("watch", "random", "greedy", *HOUSE, "--record", "kept.txt", "--json", *more),
    "advise": lambda *more: call("advise", "--save", "kept.txt", *more, typed=TABLE),
    "advise --json": lambda *more: call("advise", "--save", "kept.txt", "--json", *more, typed=TABLE),
}
"""Where a belief is shown beside the exact one."""
MODELS: Final = (
    ("Modelled", "start", "exits"),
    ("Modelled", "follow", "raises"),
    ("Modelled", "probabilities", "above"),
    ("MemorylessModelled", "log_probabilities", "interrupts"),
    ("WrongPolicy", "policy", "none"),
    ("WrongPolicy", "begin", "raises"),
)


@pytest.mark.parametrize(("model", "method", "kind"), MODELS)
@pytest.mark.parametrize("place", BESIDE)
def test_a_belief_whose_model_fails_is_switched_off_and_the_game_goes_on(
    place: str, model: str, method: str, kind: str
) -> None:
    belief = f"particles,particles=100,model=(py:tests.agents.wrong.{model},kind={kind},method={method})"
    done = BESIDE[place]("--belief", belief, *(("--coach", "heuristic") if "advise" in place else ()))
    said = " ".join((done.err + done.out * (place == "play")).split())
    if place == "play" and method == "start":  # it is asked before there is a game
        assert (done.code, done.out) == (2, "")
        return
    assert done.code == 0, said
    assert len(re.findall(r"failed: [^;]*; the belief that uses it is switched off", said)) == 1, said
    assert "Traceback" not in done.err
    assert load_record("kept.txt").moves
    if "--json" in place:
        shown = document(done.out)
        last = shown["moves"][-1] if "moves" in shown and place != "advise --json" else shown
        assert last["policy_aware_belief"]["filter"]["kind"] in ("particles (greedy)", "particles (heuristic)")


def test_a_belief_that_fails_after_the_game_is_a_sentence_of_its_report() -> None:
    belief = "particles,particles=100,model=(py:tests.agents.wrong.Modelled,method=follow)"
    done = call("play", "random", *MINI, "--belief", belief, "--record", "kept.txt", typed="1\n" * 40)
    said = " ".join(done.out.split())
    assert done.code == 0, done.err
    assert re.search(r"No course of the belief particles.*: \S+ failed: ValueError: no idea of this, in ", said)
    assert load_record("kept.txt").outcome is not None


def test_a_coach_whose_belief_has_a_failing_model_ends_no_game() -> None:
    coach = "flat:sims=20,belief=particles,particles=50,model=(py:tests.agents.wrong.Modelled,method=follow)"
    asked = "1\nbelief\nbelief\nhint\nhint\nquit\n"
    done = call("play", "random", *HOUSE, "--coach", coach, "--record", "kept.txt", typed=asked)
    said = " ".join(done.out.split())
    assert done.code == 0, done.err
    assert len(re.findall("is switched off", said)) == 1
    assert len(re.findall("the game goes on without the coach", said)) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["decide", "begin"])
def test_the_engine_tells_of_it_and_answers_the_next_query(kind: str, method: str) -> None:
    if method == "begin" and kind not in ("raises", "exits", "interrupts", "sulks"):
        return  # it returns nothing
    agent, game = f"{COACH},kind={kind},method={method}", game_after(4)
    found = {reply["id"]: reply for reply in talk([query(game, "a", agent=agent), query(game, "b")])}
    error = found["a"]["error"]
    assert error["kind"] == "failed"
    assert re.fullmatch(
        rf"{re.escape(agent)} failed: .*, in {method} \(\S*wrong\.py, line \d+\)", error["message"], re.DOTALL
    )
    assert found["b"]["done"]


def test_what_an_agent_prints_is_no_reply_of_the_engine() -> None:
    line = json.dumps(query(game_after(4), agent=f"{COACH},kind=prints"))
    done = call("engine", typed=f"{line}\n")
    assert [document(text)["done"] for text in done.out.splitlines()] == [True]
    assert "I am decide" in done.err


def test_ctrl_c_stops_the_command_whatever_the_agent_makes_of_it() -> None:
    for kind in ("pressed", "hidden", "swallows"):
        for name in ("arena", "analyze"):
            place = PLACES[name]
            done = place.run(f"{COACH},kind={kind},method={place.method}")
            assert done.code == 130, done.err
            assert "failed" not in done.err


@pytest.mark.parametrize("kind", ["exits", "interrupts", "prints"])
def test_in_worker_processes_it_is_the_same(kind: str) -> None:
    folder = Path(__file__).parents[2]
    line = ("arena", f"{COACH},kind={kind}", "random", *MINI, "--pairs", "8", "--processes", "2", "--json")
    done = uno(*line, code=0 if kind == "prints" else 2, PYTHONPATH=str(folder))
    if kind == "prints":
        assert document(done.stdout)["games"] == 16
        assert "I am decide" in done.stderr
    else:
        assert re.search(r"failed: as player 1 after \d+ moves?, \w+.*, in decide \(", done.stderr)
        assert "Traceback" not in done.stderr
