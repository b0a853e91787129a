"""What can be typed where a colour is asked for, and what becomes of keys pressed too early."""

import os
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.test_play import COACH, kept
from tests.cli.test_play_terminal import PROMPT, Seated, plain
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.interfaces import DROPPED, TerminalInterface
from uno_pomdp.cli.play.typeahead import drop_typed_ahead
from uno_pomdp.game.notation import load_record
from uno_pomdp.rules import preset
from uno_pomdp.session.setup import Setup

ONLY_WILD = 3
"""A deal in which a wild is all that player 1 can begin with."""
COLOUR = "Which colour? r y g b "


class Scripted(TerminalInterface):
    """A terminal at which lines are typed one after the other; each is noted with the question and what came of it."""

    def __init__(self, *lines: str) -> None:
        super().__init__(Console(file=StringIO(), width=80, height=60, color_system=None, force_terminal=True))
        self._left = [*lines]
        self._seen = 0
        self.asked: list[str] = []
        self.shown: list[str] = []

    def ask(self, question: str) -> str:
        """Return the next line."""
        assert isinstance(self.console.file, StringIO)
        text = self.console.file.getvalue()
        self.asked.append(question)
        self.shown.append(text[self._seen :])
        self._seen = len(text)
        if not self._left:
            raise Leave
        return self._left.pop(0)


def played(path: Path, *lines: str) -> Scripted:
    """Play these lines and leave."""
    terminal = Scripted(*lines)
    with pytest.raises(Leave):
        kept(terminal, Setup(preset("house"), ONLY_WILD, 0, "random"), path, COACH)
    return terminal


def test_every_question_is_answered_where_a_colour_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    terminal = played(path, "w", "hint", "belief", "help", "log", f"save {tmp_path}/copy.txt", "purple", "blue")
    assert terminal.asked[:8] == ["", *[COLOUR] * 7]
    answers = (
        "r y g b, or Enter for another card",
        f"{COACH} suggests W:",
        "choices taken in two ways",
        "black cards always fit",
        "no moves yet",
        "Saved as",
        "'purple' is no colour",
    )
    for shown, answer in zip(terminal.shown[1:], answers, strict=False):
        assert answer in shown
        assert "r y g b, or Enter for another card" in shown
    assert str(load_record(path).moves[0].action) == "W:B"


def test_enter_goes_back_to_the_cards(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    terminal = played(path, "w", "", "wild green")
    assert terminal.asked[:3] == ["", COLOUR, ""]
    assert "a number, or g5" in terminal.shown[2]
    assert str(load_record(path).moves[0].action) == "W:G"


def test_only_colours_of_the_deck_are_asked_for(tmp_path: Path) -> None:
    for seed in range(60):
        setup = Setup(preset("mini-10"), seed, 0, "random")
        terminal = Scripted("w", "b")
        with pytest.raises(Leave):
            kept(terminal, setup, tmp_path / f"{seed}.txt", COACH)
        if any(question.startswith("Which") for question in terminal.asked):
            break
    assert terminal.asked[1:] == ["Which colour? r y ", "Which colour? r y "]
    assert "not in this deck" in terminal.shown[2]
    assert "r y, or Enter for another card" in terminal.shown[1]


# --- keys pressed too early ------------------------------------------------------------------------------

needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

WAITING = '''
import time
from pathlib import Path

from uno_pomdp.agents.agent import Agent, Decision


class Waiting(Agent):
    """Moves once a file is there."""

    def begin(self, seed):
        pass

    def decide(self):
        while not Path("go").exists():
            time.sleep(0.01)
        Path("go").unlink()
        return Decision(self.observation.legal_actions()[0])
'''


@needs_terminals
@pytest.mark.parametrize(("typed", "dropped"), [(b"", False), (b"half a line", True), (b"1\n2\n3\n", True)])
def test_the_input_queue_is_emptied(typed: bytes, dropped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    with os.fdopen(slave, encoding="utf-8") as person, os.fdopen(master, "wb", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", person)
        keyboard.write(typed)
        echo = b""
        while len(echo) < len(typed):  # the terminal has it once it echoes it
            echo += os.read(master, 100)
        assert drop_typed_ahead() == dropped
        assert not drop_typed_ahead()
        keyboard.write(b"4\n")
        assert person.readline() == "4\n"


def test_where_nobody_types_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("1\n"))
    assert not drop_typed_ahead()
    assert sys.stdin.read() == "1\n"


@needs_terminals
def test_keys_pressed_while_the_agent_thinks_are_no_moves_and_the_person_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "waiting.py").write_text(WAITING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    person = Seated("py:waiting.Waiting", "--seed", str(ONLY_WILD), "--record", "game.txt")
    assert DROPPED not in plain(person.sees(PROMPT))
    person.types("wild red")
    person.sees("is thinking")
    person.child.send("1\r1\r1")
    person.sees("1\r\n1\r\n1")  # the terminal echoes what it has
    (tmp_path / "go").touch()
    assert DROPPED in plain(person.sees(PROMPT))
    record = load_record(tmp_path / "game.txt")
    assert [str(move.action) for move in record.moves if move.seat == 0] == ["W:R"]
    person.types("quit")  # and no half of a line stands before it
    person.ends(0)
