"""HTML for notebooks: a panel on its own ground with a heading, and tables, all text escaped."""

from collections.abc import Collection, Iterable, Sequence
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
    top = element("strong", escaped(heading), style="display:block;margin-bottom:6px")
    return element("div", "\n".join([top, *parts]), style=PANEL_STYLE)


def paragraph(words: str) -> str:
    """Return a sentence."""
    return element("p", escaped(words), style=f"margin:6px 0;color:{INK};max-width:46em")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: Collection[int] = (0,)) -> str:
    """Return a table: the columns in `words` are text and begin at the left, all others are figures."""
    body = "".join(element("tr", _cells("td", row, CELL_STYLE, words)) for row in rows)
    top = element("thead", element("tr", _cells("th", head, HEAD_STYLE, words)))
    style = f"border-collapse:collapse;margin:6px 0;font-variant-numeric:tabular-nums;background:{GROUND}"
    return element("table", top + element("tbody", body or " "), style=style)


def _cells(kind: str, row: Sequence[str], style: str, words: Collection[int]) -> str:
    """Return the cells of a row; an empty one still has its end tag, which HTML wants."""
    return "".join(
        element(kind, escaped(cell) or " ", style=f"{style};text-align:{'left' if place in words else 'right'}")
        for place, cell in enumerate(row)
    )
