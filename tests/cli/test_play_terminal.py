"""`play` at a terminal of 80 columns and 24 lines: a pseudo-terminal, a process of its own, keys and signals."""

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any, Final

import pexpect
import pytest

from tests.cli.command import TIMEOUT, entry_point
from uno_pomdp.game.notation import load_record
from uno_pomdp.game.record import replay

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

COACH: Final = ("--coach", "flat:sims=20")
PROMPT: Final = r"quit\S*\s+> "
COLOUR: Final = r"Which colour\? r y g b > "
WON: Final = 24
"""A deal that player 1 wins by always taking the first card offered, against `random`."""


def as_at_a_terminal() -> None:
    """Heed signals: a shell that runs the tests in the background lets its children ignore some."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Seated:
    """A person at a terminal."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        dropped = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        command, *first = entry_point()
        self.child = pexpect.spawn(
            command,
            [*first, "play", *arguments, *COACH],
            env=kept | {"PYTHONUTF8": "1", "TERM": "xterm-256color"} | environment,
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=TIMEOUT,
            preexec_fn=as_at_a_terminal,
        )

    def sees(self, pattern: str) -> str:
        """Wait for a pattern and return what came before it."""
        self.child.expect(pattern)
        return str(self.child.before)

    def types(self, line: str) -> None:
        """Type a line."""
        self.child.sendline(line)

    def plays(self, turns: int) -> None:
        """Take the first card offered at each of the next turns, and wait for the one after them."""
        while self.child.expect([PROMPT, COLOUR]) == 1 or turns:
            asked = self.child.after.startswith("Which")
            self.types("r" if asked else "1")
            turns -= not asked

    def plays_on(self) -> str:
        """Take the first card offered, again and again, until the game is over; return what came last."""
        self.types("1")
        while True:
            found = self.child.expect([PROMPT, COLOUR, r"Again\? .*Enter: no +> "])
            if found == 2:
                told = str(self.child.before)
                self.types("")
                return told + self.ends(0)
            self.types("1" if found == 0 else "r")

    def ends(self, code: int) -> str:
        """Wait for the end of the process, require its exit code, and return what it wrote last."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus == code
        return str(self.child.before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the game is to be saved."""
    return tmp_path / "game.txt"


def plain(text: str) -> str:
    """Return what is read on the screen: without the codes for colours and places."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n").replace("\r", "\n")


def test_a_whole_game_is_won_with_questions_on_the_way(path: Path) -> None:
    person = Seated("random", "--seed", str(WON), "--record", str(path))
    opening = person.sees(PROMPT)
    assert "\x1b[1;3" in opening or "\x1b[1;7;3" in opening  # bold and in colour
    assert "You begin." in opening
    for question, answer in (
        ("help", "black cards always fit"),
        ("", "You begin"),
        ("?", "is asked for; "),
        ("why", "The opponent has not moved yet"),
        ("hint", "flat:sims=20 suggests"),
        ("belief", "The opponent's hand by what you have seen"),
        ("", "You begin"),
        ("nonsense", "'nonsense' is no move"),
        ("log", "no moves yet"),
        (f"save {path.with_name('copy.txt')}", "Saved as "),
    ):
        person.types(question)
        person.sees(answer)
        person.sees(r"> ")
    last = plain(person.plays_on())
    assert "YOU WIN · emptied hand" in last
    assert "Luck " in last
    assert "Your play, judged by flat:sims=20" in last
    record = load_record(path)
    assert record.outcome is not None
    assert record.outcome.winner == 0
    assert replay(load_record(path.with_name("copy.txt"))).moves == ()
    assert str(path) in last.replace("\n", "")
    for line in last.splitlines():
        assert len(line) <= 80


def test_without_colour_the_screen_has_none_and_says_the_same(path: Path) -> None:
    person = Seated("random", "--seed", str(WON), "--record", str(path), NO_COLOR="1")
    shown = person.sees(PROMPT)
    assert not re.search(r"\x1b\[[0-9;]*\b[34][0-7]\b", shown)
    assert re.search(r"Colour  (RED|YELLOW|GREEN|BLUE) ", plain(shown))
    assert "┗━ 1 ━┛" in plain(shown)
    assert max(map(len, plain(shown).splitlines())) <= 80
    person.types("quit")
    assert "The game is not kept, for you have not moved in it" in person.ends(0)


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (lambda person: person.child.sendintr(), 130),
        (lambda person: person.child.sendeof(), 0),
        (lambda person: person.child.kill(signal.SIGTERM), 143),
        (lambda person: person.child.kill(signal.SIGHUP), 129),
        (lambda person: person.child.kill(signal.SIGKILL), None),
    ],
    ids=["Ctrl-C", "Ctrl-D", "SIGTERM", "SIGHUP", "SIGKILL"],
)
def test_however_a_game_is_left_it_is_saved_whole_and_goes_on(keys: Any, code: int | None, path: Path) -> None:
    folder = path.parent / "games"
    person = Seated("random", "--seed", str(WON), UNO_POMDP_GAMES=str(folder))
    person.plays(3)
    keys(person)
    person.child.expect(pexpect.EOF)
    farewell = plain(str(person.child.before))
    person.child.close()
    if code is None:
        assert person.child.signalstatus == signal.SIGKILL
    else:
        assert person.child.exitstatus == code
    if code in (0, 130, 143):
        assert "go on with: uno-pomdp play --resume" in farewell
    if code == 143:
        assert "\nuno-pomdp: ended by SIGTERM\n" in farewell  # not behind what was being typed
    assert "Traceback" not in farewell
    (saved,) = folder.glob("*.txt")
    before = load_record(saved)
    assert [move.seat for move in before.moves].count(0) >= 3
    if code not in (None, 130):
        return  # the file is as whole as after a kill, and that one is gone on with
    person = Seated("--resume", UNO_POMDP_GAMES=str(folder))
    shown = plain(person.sees(PROMPT))
    assert str(before.moves[-1].action)[:2] in shown or "↓" in shown
    assert "YOU WIN" in plain(person.plays_on())
    after = load_record(saved)
    assert after.moves[: len(before.moves)] == before.moves
    assert after.outcome is not None


def test_a_window_of_another_size_is_drawn_again_and_the_line_goes_on(path: Path) -> None:
    person = Seated("random", "--seed", str(WON), "--record", str(path))
    person.sees(PROMPT)
    person.child.send("lo")
    person.sees("lo")
    person.child.setwinsize(10, 40)
    assert "Top " in plain(person.sees("Hand "))  # no room for drawn cards
    person.sees("> lo")
    person.types("g")
    person.sees("no moves yet")
    person.sees("> ")
    person.types("quit")
    assert "The game is not kept, for you have not moved in it" in person.ends(0)


def test_a_closed_terminal_saves_the_game(path: Path) -> None:
    person = Seated("random", "--seed", str(WON), "--record", str(path))
    person.plays(1)
    terminal = person.child.ptyproc
    terminal.fileobj.close()
    deadline = time.monotonic() + TIMEOUT
    while terminal.isalive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not terminal.isalive()
    terminal.closed = person.child.closed = True  # or pexpect would close its number again, which may be another file's
    assert load_record(path).outcome is None
    assert load_record(path).moves
