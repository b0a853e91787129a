"""The interfaces to a person: a terminal, with a screen that is redrawn; or a pipe, with one line for each move."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Final

from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType, SegmentLines
from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES, card_name
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.resizing import Resized, typed_line
from uno_pomdp.cli.play.screen import COLOUR_PROMPTS, PRACTICE_PROMPTS, PROMPTS, compact, fitted, fitting, screen
from uno_pomdp.cli.play.typeahead import drop_typed_ahead
from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.cli.ui.console import out
from uno_pomdp.cli.ui.narrate import done_in
from uno_pomdp.game.actions import seat_name
from uno_pomdp.session.parse import listed

WIDTH: Final = 80
"""Columns of a pipe, which has no width of its own."""
DROPPED: Final = "What was typed before this was shown is dropped: it can't be meant for it."


class PlayerInterface(ABC):
    """How a person is shown the game and asked for a move."""

    def __init__(self, console: Console = out) -> None:
        self.console = console
        """Where it is shown."""

    @abstractmethod
    def begin(self, view: SeatView) -> None:
        """Show the deal."""

    @abstractmethod
    def follow(self, view: SeatView, again: bool) -> None:
        """Show the action just done; `again` while a saved game is gone through."""

    @abstractmethod
    def turn(self, view: SeatView) -> None:
        """Show that it is the person's turn."""

    @abstractmethod
    def ask(self, question: str) -> str:
        """Return what the person types; `Leave` at the end of input."""

    @abstractmethod
    def refuse(self, sentence: str) -> None:
        """Say what is wrong with what was typed."""

    def want_colour(self) -> None:  # noqa: B027  # nor here
        """Show that a colour is asked for, not a move."""

    def finish(self) -> None:  # noqa: B027  # a pipe has nothing to do
        """Make room for the last words, which `say` then says one by one."""

    def ask_after(self, question: str) -> str:
        """Return what is answered after the end of a game; nobody is asked in a pipe, which would end there."""
        del question
        return ""

    def say(self, what: RenderableType) -> None:
        """Show an answer."""
        self.console.print(what)

    @property
    def scrolled(self) -> bool:
        """Whether the first of the last words are out of sight by now."""
        return False

    @property
    def width(self) -> int:
        """Columns to draw in."""
        return self.console.width


class TerminalInterface(PlayerInterface):
    """A screen, redrawn for every move and above every answer: where a move is asked for, the log is in sight."""

    def __init__(self, console: Console = out) -> None:
        super().__init__(console)
        self._view: SeatView | None = None
        self._prompt: tuple[str, ...] = PROMPTS
        self._redraw: Callable[[], None] = self._blank_line
        self._served = ""
        self._said = 0

    def begin(self, view: SeatView) -> None:
        """Show the deal, if the opponent begins."""
        self.follow(view, again=False)

    def follow(self, view: SeatView, again: bool) -> None:
        """Draw the screen while the opponent thinks."""
        if view.now.outcome is None and view.now.turn != view.seat and not again:
            self._view = view
            self._draw(Text(f"{view.opponent} is thinking …", "dim"))

    def turn(self, view: SeatView) -> None:
        """Draw the screen, and what can be typed."""
        self._view, self._prompt = view, PRACTICE_PROMPTS if view.practice else PROMPTS
        self._draw_prompt()

    def want_colour(self) -> None:
        """Draw the screen, and that a colour is asked for."""
        assert self._view is not None
        colours = " ".join(COLOUR_NAMES[colour][0] for colour in self._view.rules.colours)
        self._prompt = tuple(prompt.format(colours=colours) for prompt in COLOUR_PROMPTS)
        self._draw_prompt()

    def finish(self) -> None:
        """Clear the screen; nothing is drawn under what is said from now on."""
        self._view, self._redraw, self._said = None, self._blank_line, 0
        self.console.clear()

    def say(self, what: RenderableType) -> None:
        """Show an answer below the screen; one for which there is no room, on pages of its own first."""
        if self._view is None:
            self._said += self._lines(what)
            self.console.print(what)
        elif self._lines(what) + self._lines(screen(self._view, self.width)) <= self._room():
            self._draw_prompt(what)
        else:
            self._show_pages(what)

    @property
    def scrolled(self) -> bool:
        """Whether what has been said since `finish` is higher than the window, with a line to type in."""
        return self._said >= self.console.height

    def refuse(self, sentence: str) -> None:
        """Say it below the screen, as much of that as there is room for."""
        what = Text(sentence, "bold")
        assert self._view is not None
        if self._lines(what) + self._lines(compact(self._view, self.width)) <= self._room():
            self._draw_prompt(what)
        else:
            self._show_pages(what)

    def ask(self, question: str) -> str:
        """Ask on a line of its own; what was typed below the pages of an answer is taken first."""
        typed, self._served, begun = self._served, "", ""
        while not typed:
            try:
                return typed_line(f"{question}> ", begun)
            except Resized as resized:
                begun = resized.typed
                self._redraw()
            except EOFError:
                self.console.print()
                raise Leave from None
        return typed

    def ask_after(self, question: str) -> str:
        """Ask, below what was said last."""
        if drop_typed_ahead():
            self.console.print(Text(DROPPED, "bold"))
        return self.ask(question)

    def _show_pages(self, what: RenderableType) -> None:
        """Show an answer a page at a time, and then the game again; a move or a question typed there counts."""
        drop_typed_ahead()
        start, typed = 0, ""
        while start < self._lines(what) and not typed:
            self._redraw = partial(self._show_page, what, start)
            self._redraw()
            last = start + self._page >= self._lines(what)
            typed = self.ask("Enter goes back to the game " if last else "Enter shows more ").strip()
            start += self._page
        self._draw_prompt()
        self._served = "" if typed == "q" else typed  # which leaves pages everywhere, and is not to leave the game

    def _show_page(self, what: RenderableType, start: int) -> None:
        lines = self.console.render_lines(what, pad=False)
        self.console.clear()
        self.console.print(SegmentLines(lines[start : start + self._page], new_lines=True), end="")

    @property
    def _page(self) -> int:
        """Lines of an answer that a window holds."""
        return max(self.console.height - 1, 1)

    def _draw_prompt(self, *above: RenderableType) -> None:
        """Draw the screen, an answer and what can be typed; what was typed before it could be seen is not an answer."""
        dropped = [Text(DROPPED, "bold")] if drop_typed_ahead() else []
        self._redraw = partial(self._draw_again, *above, *dropped)
        self._redraw()

    def _draw_again(self, *above: RenderableType) -> None:
        self._draw(*above, fitting(self._prompt, self.width))

    def _draw(self, *below: RenderableType) -> None:
        assert self._view is not None
        taken = sum(map(self._lines, below)) + 1  # the line on which is typed
        self.console.clear()
        shown = fitted(self._view, self.width, self.console.height, taken, self._lines)
        self.console.print(shown, *below, sep="\n")

    def _blank_line(self) -> None:
        """Make room for a question to be asked again, below what has scrolled by and is not drawn again."""
        self.console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))

    def _room(self) -> int:
        """Return how many lines there are beside the prompt and what is typed."""
        return self.console.height - self._lines(fitting(self._prompt, self.width)) - 1

    def _lines(self, what: RenderableType) -> int:
        return len(self.console.render_lines(what))


class PipeInterface(PlayerInterface):
    """A line for each action and one for each turn; wrong input ends it, for later lines would mean something else."""

    def __init__(self, console: Console = out) -> None:
        super().__init__(console)
        self._line = 0

    @property
    def width(self) -> int:
        """Columns to draw in."""
        return WIDTH if not self.console.is_terminal else self.console.width

    def begin(self, view: SeatView) -> None:
        """Say who plays."""
        first = view.first
        self._print(f"rules {view.rules.name}; you are {seat_name(view.seat)} against {view.opponent}")
        if view.match is not None:
            own, other = view.match.score[view.seat], view.match.score[1 - view.seat]
            self._print(f"round {view.match.round} of a match to {view.match.to}; you {own}, opponent {other}")
        self._print(f"top {card_name(first.top)}; {seat_name(first.turn)} begins")

    def follow(self, view: SeatView, again: bool) -> None:
        """Say what was done."""
        del again
        events = view.steps[-1].events
        for event in events:
            number = f"{len(view.steps)}. " if event is done_in(events) else ""
            self._print(f"{number}{view.narrator.clause(event).plain}")

    def turn(self, view: SeatView) -> None:
        """Say what the person sees and can do."""
        seen = view.now
        owed = f", {seen.penalty} to draw" if seen.penalty else ""
        can = listed(seen.legal_actions())
        self._print(
            f"top {card_name(seen.top)} ({COLOUR_NAMES[seen.colour]}){owed}; opponent {seen.opponent_size}, "
            f"deck {seen.draw_size}, played {len(seen.played)}; hand {seen.hand}; you can: {can}"
        )

    def ask(self, question: str) -> str:
        """Read the next line that is no comment."""
        if question:
            self.refuse("a black card needs its colour on the same line, as in `wild red`")
        while True:
            line = sys.stdin.readline()
            if not line:
                raise Leave(2, "the moves end before the game does")
            self._line += 1
            if not line.lstrip().startswith("#"):
                return line.strip()

    def refuse(self, sentence: str) -> None:
        """End with it."""
        raise Leave(2, f"line {self._line}: {sentence}")

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)
