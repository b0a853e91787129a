"""The candidates of a decision as data: columns in order, rounded figures, reasons and marks.

Terminal, page and picture draw the same table, each in its own way.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from uno_pomdp.cards import Colour
from uno_pomdp.quantities import percent

NONE: Final = "–"
"""What stands where there is no figure; the reason is in the same row."""
NOT_GIVEN: Final = "the agent gives none"
"""The reason where an agent gives none."""


class Column(StrEnum):
    """A column of figures behind the action, in this order; the value is its title."""

    WINS = "wins"
    """The probability of winning."""
    ERROR = "±"
    """Its standard error, in points."""
    PRIOR = "prior"
    """The probability before any search."""
    SIMULATIONS = "simulations"
    """How many were spent on it."""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One action that was considered."""

    name: str
    """The action in text."""
    black: bool
    """Whether it plays a black card, which has the colour that it declares as a frame."""
    colour: Colour | None
    """The colour played or declared; None for an action without a card."""
    value: float | None
    """The probability of winning with it."""
    error: float | None
    """Its standard error."""
    visits: int
    """Simulations spent on it."""
    prior: float | None
    """The probability before any search."""
    note: str
    """Why there is no value, or anything else."""
    chosen: bool
    """Whether it was chosen."""

    def has(self, column: Column) -> bool:
        """Return whether there is a figure."""
        figures = {Column.WINS: self.value, Column.ERROR: self.error, Column.PRIOR: self.prior}
        return self.visits > 0 if column is Column.SIMULATIONS else figures[column] is not None

    def figure(self, column: Column) -> str:
        """Return a figure as it is shown: in tenths of a percent where it was measured, priors in whole percent."""
        if column is Column.WINS and self.value is not None:
            return f"{100 * self.value:.1f} %"
        if column is Column.ERROR and self.error is not None:
            return f"{100 * self.error:.1f}"
        if column is Column.PRIOR and self.prior is not None:
            return percent(self.prior)
        return f"{self.visits:,}" if column is Column.SIMULATIONS and self.visits else NONE

    @property
    def wins(self) -> str:
        """The probability of winning and its error in one figure."""
        if self.value is None or self.error is None:
            return self.figure(Column.WINS)
        return f"{100 * self.value:.1f} ± {self.figure(Column.ERROR)} %"


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """All that was considered, the best first."""

    rows: tuple[CandidateRow, ...]
    mark: str = "chosen"
    """What is said of the one that was taken."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those for which any row has a figure; an error has its place beside every value."""
        found = {column for column in Column for row in self.rows if row.has(column)}
        return tuple(column for column in Column if (Column.WINS if column is Column.ERROR else column) in found)

    def title(self, column: Column) -> str:
        """Return what stands above a column: a prior that no search followed is what the agent plays by."""
        return "plays it" if column is Column.PRIOR and Column.WINS not in self.columns else str(column)

    def mark_of(self, row: CandidateRow) -> str:
        """Return what marks a row, if it is the one that was taken."""
        return self.mark if row.chosen else ""

    def reason(self, row: CandidateRow, columns: Collection[Column] | None = None) -> str:
        """Return why a figure is missing that others have in these columns, or what stands for it."""
        shown = self.columns if columns is None else columns
        return row.note or (NOT_GIVEN if any(not row.has(column) for column in shown) else "")

    def said(self, row: CandidateRow) -> str:
        """Return a row in words."""
        words = [f"{row.name} ({self.mark})" if row.chosen else row.name]
        if row.value is not None:
            words.append(row.wins)
        if row.prior is not None:
            words.append(f"{Column.PRIOR} {row.figure(Column.PRIOR)}")
        if row.visits:
            words.append(f"{row.figure(Column.SIMULATIONS)} {Column.SIMULATIONS}")
        return ", ".join([*words, row.note] if row.note else words)
