"""The menu of `uno-pomdp` at a terminal: what is offered, how it is chosen, that it stays after a refusal."""

import os
import re
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final

import pexpect
import pytest
from rich.console import Console

from tests.cli.command import TIMEOUT, entry_point, uno
from tests.cli.test_play_terminal import as_at_a_terminal, plain
from tests.helpers import run_python
from uno_pomdp.cli import menu as menus
from uno_pomdp.cli.menu import attempted, chosen, items, menu, show
from uno_pomdp.errors import UnusableFile

NAMES: Final = [
    "play",
    "match",
    "practice",
    "go on",
    "watch",
    "step",
    "review",
    "advise",
    "games",
    "serve",
    "arena",
    "rules",
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where games lie."""
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path))
    return tmp_path


def typing(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Type these lines, then end the input."""
    left: Iterator[str] = iter(lines)

    def answer(_: str) -> str:
        for line in left:
            return line
        raise EOFError

    monkeypatch.setattr("builtins.input", answer)


def test_each_item_is_chosen_by_number_or_name(home: Path) -> None:
    (home / "a.txt").write_text("…\nresult: unfinished\n", encoding="utf-8")
    (home / "b.txt").write_text("…\nresult: draw (deck exhausted)\n", encoding="utf-8")
    offered = items()
    assert [item.name for item in offered] == NAMES
    for number, item in enumerate(offered, 1):
        assert chosen(str(number), offered) == chosen(item.name.upper(), offered) == list(item.words)
    assert chosen("go on", offered) == ["play", "--resume"]
    assert chosen("review", offered) == ["analyze", str(home / "b.txt")]
    assert chosen("step", offered) == ["watch", str(home / "b.txt")]


def test_what_would_be_gone_on_with_is_named_from_the_heads_of_records(home: Path) -> None:
    def going_on() -> str:
        return next(item.about for item in items() if item.name == "go on")

    def written(name: str, head: str, result: str, seconds: int) -> None:
        (home / name).write_text(f"uno-pomdp game, version 2\n{head}result: {result}\n", encoding="utf-8")
        os.utime(home / name, (seconds, seconds))

    won = "player 1 wins (emptied hand)"
    written("a.txt", "", won, 1_000_000)
    assert going_on() == "there is no unfinished game"
    assert chosen("go on", items()) is None
    written("b.txt", "match: to 500\nround: 1\n", won, 2_000_000)
    written("c.txt", "", won, 3_000_000)
    assert re.fullmatch(r"with the match of \d\d-\d\d \d\d:\d\d, if it is not over", going_on())
    assert chosen("go on", items()) == ["play", "--resume"]
    written("b-2.txt", "match: to 500\nround: 2\n", "unfinished", 4_000_000)
    assert re.fullmatch(r"with round 2 of a match, \d\d-\d\d \d\d:\d\d", going_on())
    written("d.txt", "", "unfinished", 5_000_000)
    assert re.fullmatch(r"with the game of \d\d-\d\d \d\d:\d\d, the last of 2 unfinished", going_on())
    written("e.txt", "match: to 500\nround: 1\n", won, 6_000_000)  # which `--resume` takes first
    assert going_on().startswith("with the match of ")


def test_any_command_can_be_typed() -> None:
    offered = items()
    assert chosen("play heuristic --seat 2", offered) == ["play", "heuristic", "--seat", "2"]
    assert chosen("uno-pomdp agents", offered) == ["agents"]
    assert chosen("watch greedy random", offered) == ["watch", "greedy", "random"]
    assert chosen("arena greedy random", offered) == ["arena", "greedy", "random"]


def test_options_can_follow_a_number_and_a_name_that_is_no_command() -> None:
    offered = items()
    assert chosen("1 heuristic --seat 2", offered) == ["play", "heuristic", "--seat", "2"]
    assert chosen("2 --seat 2", offered) == ["play", "--to", "500", "--seat", "2"]
    assert chosen("match --seat 2", offered) == ["play", "--to", "500", "--seat", "2"]
    assert chosen("11 --pairs 10", offered) == ["arena", "heuristic", "baseline", "--pairs", "10"]
    assert chosen("analyze 'my game.txt'", offered) == ["analyze", "my game.txt"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("13", "there is no number 13 in the menu: they go from 1 to 12"),
        ("13 --seat 2", "there is no number 13 in the menu: they go from 1 to 12"),
        ("9" * 100 + " x", f"there is no number {'9' * 60}… in the menu"),
        ("4 --seat 2", "there is no unfinished game: `play` begins one"),
        ("analyze 'x", "a quotation mark is not closed: type a number, a name or a command"),
        ("go on", "there is no unfinished game: `play` begins one"),
        ("review", "there is no finished game yet: `play` begins one"),
        ("step", "there is no finished game yet: `play` begins one"),
        ("", None),
    ],
)
def test_what_is_no_choice_is_told_in_a_sentence(
    typed: str, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chosen(typed, items()) is None
    err = capsys.readouterr().err
    assert err.count("\n") == (said is not None)
    assert said is None or said in err.replace("\n", " ")


def test_the_menu_stays_until_the_person_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[list[str]] = []

    def noted(words: list[str]) -> int:
        run.append(words)
        if words == ["games"]:
            raise UnusableFile("no such game")
        return 2 if words == ["rules"] else 0

    typing(["1", "", "games", "", "rules", "", "nope", "", "77", "agents --json", "q"], monkeypatch)
    assert menu(noted) == 0
    assert run == [["play"], ["games"], ["rules"], ["nope"], ["agents", "--json"]]


def test_what_is_typed_where_enter_goes_back_is_a_choice_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[list[str]] = []

    def noted(words: list[str]) -> int:
        run.append(words)
        return 0

    typing(["rules", "agents", "12", "88", "1", "menu", "q"], monkeypatch)
    assert menu(noted) == 0
    assert run == [["rules"], ["agents"], ["rules"], ["play"]]


@pytest.mark.parametrize(("lines", "code"), [([], 0), (["Q"], 0), (["1"], 130), (["1", "x"], 130)])
def test_it_ends_with_the_input_and_with_a_command_that_was_stopped(
    lines: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(lines, monkeypatch)
    assert menu(lambda _: 130) == code


def test_a_bug_is_not_swallowed() -> None:
    def broken(_: list[str]) -> int:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        attempted(broken, ["play"])


def test_it_fits_a_small_terminal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(120):
        (home / f"{number}.txt").write_text("result: unfinished\n")
    shown = Console(file=StringIO(), width=80, color_system=None)
    monkeypatch.setattr(menus, "out", shown)
    show(items())
    assert isinstance(shown.file, StringIO)
    lines = shown.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 22
    assert "the last of 120 unfinished" in shown.file.getvalue()


def test_in_a_pipe_there_is_the_help() -> None:
    assert "Usage: uno-pomdp" in uno(NO_COLOR="1").stdout


def test_the_menu_is_shown_without_kernels(home: Path) -> None:
    (home / "a.txt").write_text("result: unfinished\n")
    code = "import builtins, sys; sys.stdin.isatty = sys.stdout.isatty = lambda: True; sys.argv[1:] = []\n"
    code += "builtins.input = lambda _: 'q'\nfrom uno_pomdp.cli.main import run, started\n"
    code += "assert started() == 0\nassert 'numba' not in sys.modules"
    assert "your saved games" in run_python(code).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_person_comes_and_goes() -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS", "LINES")}
    command, *first = entry_point()
    child = pexpect.spawn(
        command,
        first,
        env=kept | {"PYTHONUTF8": "1", "TERM": "xterm-256color"},
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=TIMEOUT,
        preexec_fn=as_at_a_terminal,
    )
    child.expect("any command")
    child.expect("> ")
    child.sendline("rules")
    child.expect("back to the menu")
    assert "printed" in plain(str(child.before))
    child.sendline("")
    child.expect("any command")
    child.expect("> ")
    child.sendline("analyze nope.txt")
    child.expect("nope.txt can't be read: No such file")
    child.expect("back to the menu")
    child.sendline("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
