"""SVG as text: elements, escaping, colours and figures that all pictures share.

Every picture paints its own light ground, so that it reads alike on white and on dark pages. The card colours differ
in lightness and between warm and cold for colour-blind people too, and no meaning hangs on a colour alone: cards have
their name in a corner, bars their figure beside them.
"""

from collections.abc import Iterable
from html import escape
from typing import Final

from uno_pomdp.cards import Colour
from uno_pomdp.errors import one_line

GROUND: Final = "#ffffff"
"""What pictures are painted on."""
INK: Final = "#1d2129"
"""Text and lines that matter."""
QUIET: Final = "#626a76"
"""Text and lines that matter less."""
EDGE: Final = "#d9dde3"
"""Frames and grids."""
PANEL: Final = "#eef0f3"
"""What an empty bar or cell is filled with."""
ACCENT: Final = "#1668c7"
"""Bars and estimates."""
ALERT: Final = "#b8350f"
"""Reference lines, such as an exact margin."""
BLACK_CARD: Final = "#26292e"
CARD_FILLS: Final = ("#c9351a", "#f4cb1d", "#00805f", "#0d5fb3")
"""Red, yellow, green and blue."""
CARD_INKS: Final = ("#ffffff", "#1d2129", "#ffffff", "#ffffff")
"""What is written with on each of them."""
FONT: Final = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
LETTER: Final = 0.6
"""The width of a letter, about, as a share of the size of the type."""


def fill_of(colour: Colour | None) -> str:
    """Return what a card of this colour is filled with; None is black."""
    return BLACK_CARD if colour is None else CARD_FILLS[colour]


def ink_on(colour: Colour | None) -> str:
    """Return what is written with on a card of this colour."""
    return "#ffffff" if colour is None else CARD_INKS[colour]


def number(value: float) -> str:
    """Return a length or place with one digit at most behind the point."""
    return f"{value:z.1f}".removesuffix(".0")


def escaped(words: str) -> str:
    """Return a text escaped for XML; characters that XML forbids are written as in Python."""
    return escape(one_line(words))


def element(name: str, content: str = "", /, **attributes: str | float) -> str:
    """Return an element around markup; underscores in names of attributes stand for hyphens."""
    given = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def _value(value: str | float) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def text(x: float, y: float, words: str, size: float = 12, fill: str = INK, **attributes: str | float) -> str:
    """Return a text; `text_anchor` and `font_weight` are attributes as in SVG."""
    return element("text", escaped(words), x=x, y=y, font_size=size, fill=fill, **attributes)


def rect(x: float, y: float, width: float, height: float, fill: str, **attributes: str | float) -> str:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=max(width, 0.0), height=height, fill=fill, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = EDGE, **attributes: str | float) -> str:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **attributes)


def group(parts: Iterable[str], title: str = "", **attributes: str | float) -> str:
    """Return elements as one group, with a tooltip that a screen reader reads too."""
    said = element("title", escaped(title)) if title else ""
    return element("g", said + "".join(parts), **attributes)


def picture(width: float, height: float, title: str, words: Iterable[str], parts: Iterable[str]) -> str:
    """Return a whole picture on its own ground; a screen reader says its title, and then all of it in words."""
    ground = rect(0.5, 0.5, width - 1, height - 1, GROUND, rx=8, stroke=EDGE)
    return element(
        "svg",
        "\n".join([element("title", escaped(title)), element("desc", escaped("; ".join(words))), ground, *parts]),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        font_family=FONT,
        style="max-width:100%;height:auto",
    )


def shortened(words: str, width: float, size: float = 12) -> str:
    """Return a text that fits a width, the end of a longer one left out."""
    most = max(int(width / (LETTER * size)), 2)
    return words if len(words) <= most else f"{words[: most - 1]}…"
