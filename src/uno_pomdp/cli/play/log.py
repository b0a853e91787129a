"""The whole log of both players on two rails, a round below the other as in a chess score.

      1 you  R5   G5   ↓2   W:B
        opp  R7   G+2  GS   ·         read a column down, then the next: opp played a skip and moved again

Player 1's rail is the upper one. ↓2: two cards drawn. mix: the played pile was shuffled back. R7⇄: the hands were
swapped. ch✓, ch✗: a wild +4 was challenged, rightly or wrongly. u↓2: two cards drawn for a forgotten UNO.
At the end of a game the sizes of both hands stand behind each move: R5   6:7.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from uno_pomdp.cli.play.view import SeatView
from uno_pomdp.cli.ui.console import action_text
from uno_pomdp.game.events import Challenged, Drew, Reshuffled, Swapped
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.seat_history import Step

CELL: Final = 5
"""Columns of a move on the rails."""
GAP: Final = 3
"""Columns beside the digits where sizes of hands stand behind a move: a colon, and two of distance."""
MARGIN: Final = 9
"""Columns before the rails: the number of the first move, and who."""
EMPTY: Final = Text("·", "dim")
MIX: Final = Text("mix", "dim")


@dataclass(frozen=True, slots=True)
class RailColumn:
    """A column of the rails."""

    number: int
    """The number of its first move, from 1."""
    cells: tuple[Text | None, Text | None]
    """What player 1 did, and then player 2."""


def rounds(steps: tuple[Step, ...], cell: Callable[[Step], Text]) -> list[RailColumn]:
    """Return the moves in columns: a new one where player 1 moves, or anybody moves again."""
    found: list[RailColumn] = []
    for number, step in enumerate(steps, 1):
        if any(isinstance(event, Reshuffled) for event in step.events):
            found.append(RailColumn(number, (MIX, MIX)))
        if step.deed.seat == 1 and found and found[-1].cells[1] is None:
            found[-1] = RailColumn(found[-1].number, (found[-1].cells[0], cell(step)))
        else:
            found.append(RailColumn(number, (cell(step), None) if step.deed.seat == 0 else (EMPTY, cell(step))))
    return found


def move_cell(step: Step) -> Text:
    """Return a move as it stands on a rail."""
    deed = step.deed
    if isinstance(deed, Challenged):
        return Text("ch✓" if deed.guilty else "ch✗")
    if isinstance(deed, Drew):
        drawn = sum(event.count for event in step.events if isinstance(event, Drew))
        return Text(f"{'u' * deed.forgot}↓{drawn}")
    swapped = any(isinstance(event, Swapped) for event in step.events)
    return action_text(step.action) + Text("⇄" * swapped)


def sized_cell(step: Step, digits: int) -> Text:
    """Return a move with the sizes of both hands after it."""
    text = move_cell(step)
    text.pad_right(CELL - len(text))
    seen = step.observation
    return text.append(f"{len(seen.hand):>{digits}}:{seen.opponent_size:<{digits}}")


def rails(view: SeatView, width: int, sizes: bool = False) -> Text:
    """Return the whole log, as many pairs of lines as it needs; with the sizes of both hands, the seat's own first."""
    if not view.steps:
        return Text(" no moves yet", "dim")
    if not sizes:
        return _lines(view, rounds(view.steps, move_cell), CELL, width)
    largest = max(max(step.observation.hand_sizes) for step in view.steps)
    digits = len(str(largest))
    columns = rounds(view.steps, lambda step: sized_cell(step, digits))
    return _lines(view, columns, CELL + 2 * digits + GAP, width)


def _lines(view: SeatView, columns: list[RailColumn], cell: int, width: int) -> Text:
    per_line = max((width - MARGIN) // cell, 1)
    lines = []
    for start in range(0, len(columns), per_line):
        part = columns[start : start + per_line]
        for seat in SEATS:
            number = str(part[0].number) if seat == 0 else ""
            line = Text().append(f"{number:>4} ", "dim").append("you " if seat == view.seat else "opp ")
            for column in part:
                text = (column.cells[seat] or (EMPTY if column is not columns[-1] else Text())).copy()
                text.pad_right(cell - len(text))
                line += text
            line.rstrip()
            lines.append(line)
    return Text("\n").join(lines)


def numbered(view: SeatView) -> Text:
    """Return the whole log as a list, a move a line, with the cards that the seat drew and the sizes of both hands."""
    return view.narrator.listed(view.steps)
