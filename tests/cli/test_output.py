"""All output: in every encoding, onto a full disk, into a pipe that nobody reads, to nowhere."""

import ast
import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast
from unittest import mock

import pytest

import uno_pomdp
from tests.cli.command import entry_point
from tests.cli.inside import call
from uno_pomdp.cli.output import ASCII, READABLE, SUPERSCRIPTS, settled_streams
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.rules import preset

FULL: Final = Path("/dev/full")
MINI: Final = "--rules", "mini-7"
SCRIPTED: Final = {
    "play": (["play", "random", *MINI, "--seed", "1", "--record", "new.txt"], "1\n1\nhint\nbelief\n"),
    "advise": (["advise", *MINI, "--first", "me", "--hand", "r0 w", "--top", "y0", "--coach", "flat:sims=5"], "best\n"),
    "watch": (["watch", "random", "greedy", *MINI], ""),
    "analyze": (["analyze", "game.txt", "--coach", "flat:sims=5", "--candidates"], ""),
    "arena": (["arena", "random", "greedy", *MINI, "--pairs", "5", "--processes", "1"], ""),
    "tournament": (["tournament", "random", "greedy", *MINI, "--pairs", "5", "--processes", "1"], ""),
    "solve": (["solve", "mini-7", "--iterations", "20"], ""),
    "rules": (["rules"], ""),
    "agents": (["agents"], ""),
    "help": (["play", "--help"], ""),
    "version": (["--version"], ""),
}
"""Commands that print, with what is typed."""
JSON: Final = ("advise", "watch", "analyze", "arena", "tournament", "solve", "rules", "agents")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the record of a game."""
    monkeypatch.chdir(tmp_path)
    game = Game.new(preset("mini-7"), 1)
    while not game.over:
        game.apply(game.legal_actions()[0])
    save_record("game.txt", record_of(game, ("Zoë", "random")))


def printed(encoding: str, arguments: list[str], typed: str) -> str:
    """Run a command whose output is encoded so; return what it printed."""
    Path("new.txt").unlink(missing_ok=True)
    file = io.BytesIO()
    with _streaming(file, encoding):
        done = call(*arguments, typed=typed, out=sys.stdout)
    assert "Traceback" not in done.err
    return file.getvalue().decode(encoding)


@contextlib.contextmanager
def _streaming(file: io.BytesIO, encoding: str) -> Iterator[None]:
    with mock.patch.object(sys, "stdout", io.TextIOWrapper(file, encoding=encoding)):
        yield
        cast(io.TextIOWrapper, sys.stdout).detach()


@pytest.mark.parametrize("name", SCRIPTED)
def test_every_command_is_readable_in_every_encoding(name: str) -> None:
    arguments, typed = SCRIPTED[name]
    everything = printed("utf-8", arguments, typed)
    for encoding in ("ascii", "latin-1"):
        text = printed(encoding, arguments, typed)
        assert text.strip()
        assert text.count("?") <= everything.count("?")
        assert "\\u" not in text
        if name in ("solve", "rules"):  # whose tables have only what is one character in ASCII too
            assert [len(line) for line in text.splitlines()] == [len(line) for line in everything.splitlines()]


@pytest.mark.parametrize("name", JSON)
def test_a_document_says_the_same_in_every_encoding(name: str) -> None:
    arguments, typed = SCRIPTED[name]
    documents = [json.loads(printed(encoding, [*arguments, "--json"], typed)) for encoding in ("utf-8", "latin-1")]
    for document in documents:
        if isinstance(document, dict):
            for times in ("milliseconds", "milliseconds_per_game", "times"):
                document.pop(times, None)
    assert documents[0] == documents[1]
    assert printed("ascii", [*arguments, "--json"], typed).isascii()


def test_every_character_that_the_package_says_has_one_in_ascii() -> None:
    said = set()
    for path in Path(uno_pomdp.__file__).parent.rglob("*.py"):
        if path.name not in ("output.py", "page.py", "graph.py"):  # which make files, in UTF-8
            tree = ast.parse(path.read_text(encoding="utf-8"))
            words = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
            texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in words)
            said |= {letter for node in texts if isinstance(node.value, str) for letter in node.value}
    assert {letter for letter in said if not letter.isascii()} <= ASCII.keys() | SUPERSCRIPTS.keys()
    assert all(word.isascii() and word.isprintable() for word in ASCII.values())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("█░ ─ ▶ · −1 ×2", "#. - > . -1 x2"),
        ("below 2⁶⁴, 10⁻³", "below 2^64, 10^-3"),
        ("a long na…    12", "a long na...  12"),
        ("thinking … ", "thinking ... "),
        ("5 ± 1", "5 +- 1"),
        ("caf\u00e9.txt, \udcff.txt", "caf\\xe9.txt, \\udcff.txt"),
    ],
)
def test_what_ascii_lacks_is_replaced_by_what_reads_alike(text: str, shown: str) -> None:
    assert text.encode("ascii", READABLE).decode() == shown


def test_a_name_of_any_bytes_can_be_said_in_utf_8_too() -> None:
    assert "\udcff.txt …".encode("utf-8", READABLE).decode() == "\\udcff.txt …"


def test_bytes_that_are_no_text_are_refused_in_a_sentence() -> None:
    file = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8")
    with mock.patch("tests.cli.inside.io.StringIO", side_effect=[io.StringIO(), io.StringIO(), file]):
        done = call("play", "random", *MINI, "--record", "new.txt")
    assert done.code == 2
    assert "uno-pomdp: line 1: " in done.err


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("name", SCRIPTED)
@pytest.mark.parametrize("as_json", [False, True])
def test_output_onto_a_full_disk_is_one_sentence_and_exit_code_2(name: str, as_json: bool) -> None:
    if as_json and name not in JSON:
        pytest.skip("has no document")
    arguments, typed = SCRIPTED[name]
    with FULL.open("w") as full:
        done = call(*arguments, *["--json"] * as_json, typed=typed, out=full)
    assert (done.code, done.err) == (2, "uno-pomdp: standard output can't be written: No space left on device\n")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which $uno is the command."""
    quoted = subprocess.list2cmdline(entry_point())
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    return subprocess.run(
        ["bash", "-c", line.replace("$uno", quoted)], env=kept, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
def test_nothing_more_is_said_when_the_process_ends() -> None:
    done = shell("$uno rules >/dev/full; echo $?; $uno rules >/dev/full 2>/dev/full; echo $?")
    assert done.stdout == "2\n2\n"
    assert done.stderr == "uno-pomdp: standard output can't be written: No space left on device\n"


def test_a_reader_who_has_had_enough_is_no_error() -> None:
    done = shell("$uno rules --json | true; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_closed_output_is_refused_before_the_work() -> None:
    done = shell("$uno arena nobody nothing >&-; echo $?")
    assert done.stdout == "2\n"
    assert done.stderr.startswith("uno-pomdp: standard output is closed: ")


def test_closed_error_output_is_not_replaced_by_the_next_file() -> None:
    done = shell("$uno watch random greedy --rules mini-7 --record game-2.txt 2>&- <&- | tail -1; cat game-2.txt")
    assert done.stdout.startswith("luck of player 1")
    assert "uno-pomdp" not in done.stderr


def test_an_error_in_a_command_that_looks_like_the_end_of_input_keeps_its_traceback() -> None:
    with (
        mock.patch("uno_pomdp.cli.commands.agents.print_columns", side_effect=EOFError("Ran out of input")),
        pytest.raises(EOFError, match="Ran out of input"),
    ):
        call("agents")


def test_a_byte_order_mark_before_what_is_piped_in_is_passed_over() -> None:
    with _reading(b"\xef\xbb\xbfr5 \xff\n"), settled_streams():
        assert sys.stdin.readline() == "r5 \udcff\n"


@contextlib.contextmanager
def _reading(content: bytes) -> Iterator[None]:
    """Make these bytes the standard input."""
    with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")):
        yield
