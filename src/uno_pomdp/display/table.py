"""HTML for notebooks: a panel on its own ground with a heading, and tables, all text escaped."""

from collections.abc import Iterable, Sequence
from typing import Final

from uno_pomdp.display.svg import EDGE, GROUND, INK, QUIET, element, escaped

PANEL_STYLE: Final = (
    f"background:{GROUND};color:{INK};border:1px solid {EDGE};border-radius:8px;padding:10px 14px;"
    "display:inline-block;max-width:100%;box-sizing:border-box;overflow-x:auto;"
    "font:13px/1.45 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
)
CELL_STYLE: Final = f"padding:3px 10px;border-top:1px solid {EDGE};background:{GROUND};color:{INK}"
HEAD_STYLE: Final = f"padding:3px 10px;background:{GROUND};color:{QUIET};font-weight:normal"


def panel(heading: str, *parts: str) -> str:
    """Return markup on a light ground under a heading, as one element."""
    return element("div", "\n".join([element("strong", escaped(heading)), *parts]), style=PANEL_STYLE)


def paragraph(words: str) -> str:
    """Return a sentence."""
    return element("p", escaped(words), style=f"margin:6px 0;color:{INK};max-width:46em")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table: the first column is what a row is about, all others are figures and stand at the right."""
    body = "".join(element("tr", _cells("td", row, CELL_STYLE)) for row in rows)
    top = element("thead", element("tr", _cells("th", head, HEAD_STYLE))) if head else ""
    style = f"border-collapse:collapse;margin:6px 0;font-variant-numeric:tabular-nums;background:{GROUND}"
    return element("table", top + element("tbody", body or " "), style=style)


def _cells(kind: str, row: Sequence[str], style: str) -> str:
    """Return the cells of a row; an empty one still has its end tag, which HTML wants."""
    return "".join(
        element(kind, escaped(words) or " ", style=f"{style};text-align:{'right' if place else 'left'}")
        for place, words in enumerate(row)
    )
