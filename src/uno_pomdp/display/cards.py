"""Cards as pictures: one card, a hand in rows, cards face down, a pile.

┌──────┐
│R5    │    The name in the corner shows also where the next card covers the rest. In the middle the rank: a number,
│  5   │    a barred circle (skip), two arrows (reverse), +2, four colours (wild), four colours and +4.
│      │
└──────┘
"""

from collections.abc import Collection, Sequence
from math import ceil
from typing import Final

from uno_pomdp.cards import (
    CARD_NAMES,
    COLOUR_NAMES,
    COLOURS,
    RANK_NAMES,
    REVERSE,
    SKIP,
    WILD,
    CardType,
    Colour,
    card_name,
    colour_of,
    rank_of,
)
from uno_pomdp.display.svg import (
    BLACK_CARD,
    CARD_FILLS,
    GROUND,
    INK,
    QUIET,
    element,
    fill_of,
    group,
    ink_on,
    rect,
    text,
)

WIDTH: Final = 40.0
HEIGHT: Final = 58.0
GAP: Final = 4.0
PER_ROW: Final = 24
"""Cards in a row at most: of the covered ones the name can still be read."""
RAISED: Final = 9.0
"""How far a card that may be played stands out of its row."""


def card(kind: CardType, x: float, y: float, declared: Colour | None = None, legal: bool = False) -> str:
    """Return a card with its left upper corner there; one that may be played has a strong frame."""
    colour = colour_of(kind)
    ink = ink_on(colour)
    frame = INK if legal else GROUND
    said = card_name(kind) + (f", declares {COLOUR_NAMES[declared]}" if declared is not None and colour is None else "")
    parts = [
        rect(x, y, WIDTH, HEIGHT, fill_of(colour), rx=5, stroke=frame, stroke_width=2.5 if legal else 1.5),
        text(x + 4, y + 13, CARD_NAMES[kind], 10, ink, font_weight="bold"),
        _middle(kind, x + WIDTH / 2, y + HEIGHT / 2 + 5, ink),
    ]
    if declared is not None and colour is None:
        inside = x + 2.5, y + 2.5, WIDTH - 5, HEIGHT - 5
        parts.append(rect(*inside, "none", rx=3, stroke=CARD_FILLS[declared], stroke_width=3))
    return group(parts, said + ", legal" * legal)


def _middle(kind: CardType, x: float, y: float, ink: str) -> str:
    """Return what stands in the middle of a card."""
    rank = rank_of(kind)
    if colour_of(kind) is None:
        return (
            _four_colours(x, y - 1, 11)
            if kind == WILD
            else _four_colours(x, y - 5, 8) + _sign(x, y + 17, "+4", ink, 13)
        )
    if rank == SKIP:
        circle = element("circle", cx=x, cy=y, r=10, fill="none", stroke=ink, stroke_width=3)
        return circle + element("path", d=f"M{x - 7:.1f} {y + 7:.1f}l14 -14", stroke=ink, stroke_width=3)
    if rank == REVERSE:
        up = f"M{x - 9:.1f} {y - 4:.1f}h12v-5l8 7l-8 7v-5h-12z"
        return element("path", d=up, fill=ink, transform="translate(0 -5)") + element(
            "path", d=up, fill=ink, transform=f"rotate(180 {x:.1f} {y:.1f}) translate(0 -5)"
        )
    return _sign(x, y + 8, RANK_NAMES[rank], ink, 22 if len(RANK_NAMES[rank]) == 1 else 18)


def _sign(x: float, y: float, words: str, ink: str, size: float) -> str:
    return text(x, y, words, size, ink, text_anchor="middle", font_weight="bold")


def _four_colours(x: float, y: float, radius: float) -> str:
    """Return a disc with a quarter in each colour."""
    corners = ((0, -radius, radius, 0), (radius, 0, 0, radius), (0, radius, -radius, 0), (-radius, 0, 0, -radius))
    return "".join(
        element("path", d=f"M{x:.1f} {y:.1f}l{a} {b}a{radius} {radius} 0 0 1 {c - a} {d - b}z", fill=CARD_FILLS[colour])
        for colour, (a, b, c, d) in zip(COLOURS, corners, strict=True)
    )


def back(x: float, y: float) -> str:
    """Return a card face down."""
    outer = rect(x, y, WIDTH, HEIGHT, BLACK_CARD, rx=5, stroke=GROUND, stroke_width=1.5)
    return outer + element(
        "ellipse", cx=x + WIDTH / 2, cy=y + HEIGHT / 2, rx=11, ry=20, fill="none", stroke="#9aa3ae", stroke_width=2
    )


def pile(count: int, x: float, y: float) -> str:
    """Return a pile face down, three cards of it at most, with its number below; an empty one as a dashed frame."""
    below = text(x + WIDTH / 2, y + HEIGHT + 16, f"{count} to draw", 11, QUIET, text_anchor="middle")
    if not count:
        frame = rect(x, y, WIDTH, HEIGHT, "none", rx=5, stroke=QUIET, stroke_dasharray="3 3")
        return group([frame, below], "empty draw pile")
    return group([*(back(x + 3 * step, y - 3 * step) for step in range(min(count, 3))), below], f"draw pile: {count}")


def rows_of(count: int) -> int:
    """Return how many rows so many cards take."""
    return max(ceil(count / PER_ROW), 1)


def height_of(count: int) -> float:
    """Return how high a hand of so many cards is, with room for raised ones."""
    return RAISED + rows_of(count) * (HEIGHT + RAISED + GAP)


def hand(cards: Sequence[CardType], x: float, y: float, width: float, legal: Collection[CardType] = ()) -> str:
    """Return cards side by side, overlapping where they are many; those that may be played stand out."""
    return "\n".join(
        card(kind, left, top - RAISED * (kind in legal), legal=kind in legal)
        for kind, (left, top) in zip(cards, _places(len(cards), x, y, width), strict=True)
    )


def face_down(count: int, x: float, y: float, width: float) -> str:
    """Return so many cards of which only the backs are seen."""
    return group((back(left, top) for left, top in _places(count, x, y, width)), f"{count} hidden cards")


def _places(count: int, x: float, y: float, width: float) -> list[tuple[float, float]]:
    """Return the left upper corners of so many cards, in rows of the same length as far as that goes."""
    rows = rows_of(count)
    per_row = ceil(count / rows)
    step = min(WIDTH + GAP, (width - WIDTH) / max(per_row - 1, 1))
    return [
        (x + step * (place % per_row), y + RAISED + (HEIGHT + RAISED + GAP) * (place // per_row))
        for place in range(count)
    ]
