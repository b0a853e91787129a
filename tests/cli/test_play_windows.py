"""`play` in windows of any size: top card, colour, hand and prompt are in sight, or a sentence says what is needed."""

import re

import pytest

from tests.cli.test_play import TypedTerminal, Typist
from tests.cli.test_play_screens import found, in_window, random_game, view
from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.cli.play import interfaces
from uno_pomdp.cli.play.interfaces import TerminalInterface
from uno_pomdp.cli.play.resizing import Resized
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.cli.ui.card_art import face
from uno_pomdp.rules import preset


def in_sight(one: SeatView, width: int, height: int) -> list[str]:
    """Return the lines that are left in a window, of which the last is for typing."""
    lines = in_window(one, width, height).plain.split("\n")
    assert all(len(line) <= width for line in lines)
    return lines[-(height - 1) :]


def shows_all(lines: list[str], one: SeatView) -> bool:
    """Return whether top card, colour and the whole hand are in these lines, drawn or in words."""
    text, seen = "\n".join(lines), one.now
    if COLOUR_NAMES[seen.colour].upper() not in text:
        return False
    words = re.sub(r"\[\d+\]", "", " ".join(lines))
    told = re.search(r"Top (\S+) ", words) is not None
    cards = re.findall(r"\S+", words.partition("Hand ")[2])[: len(seen.hand)]
    if told and cards == [card_name(card) for card in seen.hand]:
        return f"Top {card_name(seen.top)} " in words
    faces = re.findall(r"[┃│](.{5})[┃│]", text)
    return sorted(faces) == sorted(face(card) for card in (seen.top, *seen.hand))


@pytest.mark.parametrize(
    ("width", "height"),
    [(80, 24), (80, 16), (80, 10), (80, 6), (60, 12), (40, 24), (40, 10), (40, 8), (30, 9), (24, 6)],
)
def test_top_card_colour_hand_and_prompt_are_in_sight_or_the_size_needed_is_named(width: int, height: int) -> None:
    shown = refused = 0
    for seed in range(5):
        for game in random_game(preset("house"), seed, 60):
            if game.over or (len(game.moves) + seed) % 5:
                continue
            one = view(game, game.turn)
            lines = in_sight(one, width, height)
            assert lines[-1].strip() in (
                "a number, or g5, wild red … · ? · help · hint · why · belief · log · quit",
                "number, g5, … · ? help hint why quit",
                "? or help",
            )
            if shows_all(lines, one):
                shown += 1
                continue
            refused += 1
            needed = re.search(r"Too small: needs (\d+) × (\d+)\.", " ".join(lines))
            assert needed, lines
            assert int(needed[1]) == width
            assert int(needed[2]) > height
            assert shows_all(in_sight(one, width, int(needed[2])), one)
    assert shown > 20
    assert refused == 0 or height < 10


def test_a_window_of_the_size_named_draws_the_cards() -> None:
    one = found("house", lambda seen: seen.opponent_size == 1 and not seen.penalty, 40)
    lines = in_sight(one, 40, 10)
    named = re.search(r"Small window: from 40 × (\d+) on cards are", "\n".join(lines))
    assert named
    assert "┏" not in "\n".join(lines)
    assert "┏" in "\n".join(in_sight(one, 40, int(named[1])))
    assert "┏" not in "\n".join(in_sight(one, 40, int(named[1]) - 1))


def test_an_answer_that_is_higher_than_the_window_comes_in_pages() -> None:
    asked: list[str] = []

    class Small(TypedTerminal):
        def ask(self, question: str) -> str:
            asked.append(question)
            return ""

    terminal = Small(Typist(1))
    terminal.console.size = (40, 10)
    terminal.turn(found("house", lambda seen: seen.opponent_size == 1, 40))
    before = len(terminal.text)
    terminal.say("\n".join(f"line {number}" for number in range(20)))
    assert asked == ["Enter shows more ", "Enter shows more ", "Enter goes back to the game "]
    pages = terminal.text[before:].split("\x1b[2J")
    assert [re.findall(r"line (\d+)", page) for page in pages[1:4]] == [
        [str(number) for number in range(start, stop)] for start, stop in ((0, 9), (9, 18), (18, 20))
    ]
    assert "Top " in pages[-1]  # and then the game again


@pytest.mark.parametrize(("typed", "heard"), [("log", "log"), ("3", "3"), ("q", "typed next")])
def test_what_is_typed_below_a_page_is_heard_but_q_leaves_the_pages_alone(
    typed: str, heard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter([typed, "typed next"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    terminal = TypedTerminal(Typist(1))
    terminal.console.size = (40, 10)
    terminal.turn(found("house", lambda seen: seen.opponent_size == 1, 40))
    monkeypatch.setattr(TypedTerminal, "ask", TerminalInterface.ask)
    before = len(terminal.text)
    terminal.say("\n".join(f"line {number}" for number in range(20)))
    pages = terminal.text[before:].split("\x1b[2J")[1:]
    assert len(pages) == 2  # the first page, then the game: nobody has to leaf through the rest
    assert terminal.ask("") == heard


def test_an_answer_is_drawn_again_in_a_window_of_another_size(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = TypedTerminal(Typist(1))
    monkeypatch.setattr(TypedTerminal, "ask", TerminalInterface.ask)
    terminal.turn(found("house", lambda seen: seen.opponent_size == 1, 40))
    terminal.say("an answer")
    begun: list[str] = []

    def typing(prompt: str, start: str) -> str:
        assert prompt == "> "
        begun.append(start)
        if len(begun) == 1:
            terminal.console.size = (40, 24)
            raise Resized("hi")
        return "hint"

    monkeypatch.setattr(interfaces, "typed_line", typing)
    before = len(terminal.text)
    assert terminal.ask("") == "hint"
    assert begun == ["", "hi"]  # what was typed stays in the line
    shown = terminal.text[before:]
    assert "an answer\nnumber, g5, … · ? help hint why quit" in shown
    assert max(map(len, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).splitlines())) <= 40
