"""Single keys: what each sends, and that a terminal is as it was after them."""

import os
import select
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pexpect
import pytest

from tests.cli.command import TIMEOUT, entry_point
from tests.cli.test_play_terminal import as_at_a_terminal
from tests.cli.watch.games import GOLDEN
from uno_pomdp.cli.watch import keys
from uno_pomdp.cli.watch.keys import can_read_keys, no_keys, reading_keys, split

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (b"\x1b[C", keys.RIGHT),
        (b"\x1bOD", keys.LEFT),
        (b"\x1b[A", keys.UP),
        (b"\x1bOB", keys.DOWN),
        (b"\x1b[1;5C", keys.RIGHT),
        (b"\x1b[H", keys.HOME),
        (b"\x1b[1~", keys.HOME),
        (b"\x1b[4~", keys.END),
        (b"\x1bOF", keys.END),
        (b"\x1b[5~", keys.PAGE_UP),
        (b"\x1b[6~", keys.PAGE_DOWN),
        (b"Q", keys.QUIT),
        (b"\x04", keys.QUIT),
        (b" ", keys.SPACE),
        (b"+", "+"),
        (b"\x1b[15~", None),
        ("é".encode()[:1], None),
    ],
)
def test_each_key_is_known_by_what_it_sends_and_what_follows_is_left(sent: bytes, key: str | None) -> None:
    assert split(sent + b"xy") == (key, b"xy")


def test_the_end_of_input_is_a_wish_to_leave() -> None:
    assert split(b"") == (keys.QUIT, b"")


@pytest.fixture
def standing_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Put a pseudo-terminal in the place of standard input, and give its other end."""
    far, near = os.openpty()
    with os.fdopen(near, "r") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        yield far
    with suppress(OSError):  # it may be closed already
        os.close(far)


def test_keys_come_one_by_one_and_the_terminal_is_as_it_was_even_after_an_error(standing_in: int) -> None:
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    assert can_read_keys()
    with suppress(ZeroDivisionError), reading_keys() as read:
        assert not termios.tcgetattr(number)[3] & (termios.ICANON | termios.ECHO)
        assert read(0.0) is None
        os.write(standing_in, b"\x1b[C\x1b[Dq")
        assert [read(5.0) for _ in range(3)] == [keys.RIGHT, keys.LEFT, keys.QUIT]
        os.write(standing_in, b"\x1b")
        assert read(5.0) == "\x1b"  # alone, which means nothing
        os.write(standing_in, b"typed too late")
        assert select.select([number], [], [], 5.0)[0]
        raise ZeroDivisionError
    assert termios.tcgetattr(number) == before
    with reading_keys() as read:
        assert read(0.0) is None  # it is not for whoever reads next


def test_a_terminal_that_is_gone_is_a_wish_to_leave(standing_in: int) -> None:
    with reading_keys() as read:
        os.close(standing_in)
        assert read(5.0) == keys.QUIT


def test_a_pipe_has_no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "typed").touch()
    with (tmp_path / "typed").open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert not can_read_keys()
    monkeypatch.setattr("sys.stdin", None)
    assert not can_read_keys()
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    assert no_keys(0.25) is None
    assert waited == [0.25]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (None, 0)])
def test_however_a_game_is_left_the_screen_and_the_terminal_are_given_back(number: int | None, code: int) -> None:
    command, *first = entry_point()
    child = pexpect.spawn(
        command,
        [*first, "watch", str(GOLDEN / "mini-12.txt"), "--coach", "flat:sims=2"],
        env=os.environ | {"PYTHONUTF8": "1", "TERM": "xterm-256color"},
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=TIMEOUT,
        preexec_fn=as_at_a_terminal,
    )
    before = termios.tcgetattr(child.child_fd)[3]
    child.expect_exact("\x1b[?1049h")
    child.expect_exact("q leave")
    assert not termios.tcgetattr(child.child_fd)[3] & termios.ICANON
    if number is None:
        child.send("\x1b[Cq")
    else:
        child.kill(number)
    child.expect_exact("\x1b[?1049l")
    child.expect_exact("\x1b[?25h")
    child.expect(pexpect.EOF)
    assert termios.tcgetattr(child.child_fd)[3] == before
    child.close()
    assert child.exitstatus == code
    assert ("stopped" in child.before) == (number is not None)
    assert "Traceback" not in child.before
