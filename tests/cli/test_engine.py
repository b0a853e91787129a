"""The engine as a process: the end of its input, signals, a closed output, long lines; and the client on its page."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import entry_point
from tests.cli.inside import call
from tests.engine.talk import game_after, query, whole
from uno_pomdp.cli.commands.engine import lines_of
from uno_pomdp.engine.protocol import MOST_BYTES

PAGE: Final = (Path(__file__).parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")
ENDLESS: Final = {"agent": "flat:ms=600000", "report_every_ms": 20, "include": ["candidates"]}


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*entry_point(), "engine", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def say(engine: subprocess.Popen[str], *requests: dict[str, Any]) -> None:
    assert engine.stdin is not None
    for request in requests:
        engine.stdin.write(json.dumps(request) + "\n")
    engine.stdin.flush()


def test_the_engine_answers_what_it_is_asked_and_ends_with_its_input() -> None:
    game = game_after(5)
    typed = "".join(json.dumps(query(game, name)) + "\n" for name in "ab") + "no JSON\n"
    done = call("engine", typed=typed)
    assert (done.code, done.err) == (0, "")
    replies = [json.loads(line) for line in done.out.splitlines()]
    assert sorted(reply["id"] or "" for reply in replies) == ["", "a", "b"]
    assert call("engine", typed="").out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_stops_the_searches_and_every_query_hears_of_it() -> None:
    engine = started()
    say(engine, query(game_after(5), "a") | ENDLESS, query(game_after(5), "b") | ENDLESS)
    assert engine.stdout is not None
    assert json.loads(engine.stdout.readline())["id"] == "a"  # it is at work
    engine.send_signal(signal.SIGTERM)
    out, err = engine.communicate(timeout=60)
    assert engine.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err
    last = [reply for reply in map(json.loads, out.splitlines()) if "error" in reply]
    assert sorted((reply["id"], reply["error"]["kind"]) for reply in last) == [("a", "stopped"), ("b", "stopped")]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_an_engine_that_nobody_hears_any_more_ends() -> None:
    engine = started()
    say(engine, query(game_after(5), "a") | ENDLESS)
    assert engine.stdin is not None
    assert engine.stdout is not None
    assert engine.stderr is not None
    engine.stdout.readline()
    engine.stdout.close()
    assert engine.wait(60) == 141
    assert "Traceback" not in engine.stderr.read()
    engine.stderr.close()
    engine.stdin.close()


def test_the_client_of_the_page_runs_and_is_short(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    game = game_after(0)
    (tmp_path / "record.txt").write_text(whole(game), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code.replace("flat:ms=200", "flat:sims=3000")],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    *heard, belief = done.stdout.splitlines()
    assert all(re.fullmatch(r"\d+ simulations: \S+ wins 0\.\d{3} ± 0\.\d{3}", line) for line in heard)
    assert heard
    assert 0.5 < float(belief.rpartition(" ")[2]) < 1.0


def test_every_kind_of_error_and_field_is_on_the_page() -> None:
    told = json.loads(call("schema", "engine-reply").out)["$defs"]
    asked = json.loads(call("schema", "engine-request").out)["$defs"]
    names = set(told["error"]["properties"]["error"]["properties"]["kind"]["enum"])
    for part in (told["analysis"], told["belief"], asked["analysis"]):
        names |= set(part["properties"])
    rows = PAGE.replace("`", " ").replace(",", " ").split()
    assert names <= set(rows), names - set(rows)


def test_long_lines_are_cut_and_refused_without_being_kept(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"a" * (3 * MOST_BYTES) + b"\nlast")
    with file.open(encoding="utf-8") as stream:
        long, last = lines_of(stream)
    assert MOST_BYTES < len(long) < 2 * MOST_BYTES
    assert last == b"last"
    replies = call("engine", typed=f"{'a' * (MOST_BYTES + 1)}\n").out.splitlines()
    assert [json.loads(reply)["error"]["kind"] for reply in replies] == ["too_large"]


def test_lines_are_read_as_they_come() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as stream:
        found = lines_of(stream)
        os.write(writing, b"one\ntw")
        assert next(found) == b"one"
        os.write(writing, b"o\n\nthree")
        os.close(writing)
        assert list(found) == [b"two", b"", b"three"]
