"""Probabilities of card types as a heat map: a row for each colour, a column for each rank, the black cards below."""

from collections.abc import Mapping, Sequence
from typing import Final

from uno_pomdp.cards import (
    COLOUR_NAMES,
    COLOURED_TYPES,
    RANK_NAMES,
    WILD,
    WILD_FOUR,
    CardType,
    Colour,
    card_name,
    card_type,
    rank_of,
)
from uno_pomdp.display.svg import (
    EDGE,
    GROUND,
    INK,
    QUIET,
    fill_of,
    group,
    ink_on,
    picture,
    rect,
    shortened,
    text,
)
from uno_pomdp.quantities import percent

CELL: Final = 38.0
ROW: Final = 27.0
LEFT: Final = 86.0
TOP: Final = 78.0
MARGIN: Final = 16.0
LEAST: Final = 560.0
"""The width of the smallest map: the lines above it need room."""
PALE: Final = (244, 241, 250)
DEEP: Final = (75, 42, 140)
TURN: Final = 0.65
"""The depth of colour from which figures are white."""
GAMMA: Final = 0.6
"""Depth is the probability to this power: most are small, and should still differ."""


def heat_map(
    title: str, lines: Sequence[str], chances: Mapping[CardType, float], colours: Mapping[Colour | None, float]
) -> str:
    """Return the map of the types in `chances`, each the probability that there is at least one in the hand.

    `colours` are the probabilities of at least one card of a colour, or of a black one (None): the last column.
    """
    ranks = sorted({rank_of(kind) for kind in chances if kind < COLOURED_TYPES})
    rows = [colour for colour in colours if colour is not None]
    right = LEFT + CELL * max(len(ranks), 4) + 8
    width = max(right + CELL + MARGIN, LEAST)
    parts = [text(MARGIN, 25, shortened(title, width - 2 * MARGIN, 13), 13, INK, font_weight="bold")]
    parts += [text(MARGIN, 43 + 16 * place, words, 12, QUIET) for place, words in enumerate(lines)]
    top = TOP + 16 * max(len(lines) - 1, 0)
    parts += [_head(LEFT + CELL * (place + 0.5), top - 6, RANK_NAMES[rank]) for place, rank in enumerate(ranks)]
    parts.append(_head(right + CELL / 2, top - 6, "any"))
    for row, colour in enumerate(rows):
        y = top + ROW * row
        parts.append(_label(colour, y))
        for place, rank in enumerate(ranks):
            kind = card_type(colour, rank)
            if kind in chances:
                parts.append(_cell(LEFT + CELL * place, y, chances[kind], card_name(kind)))
        parts.append(_cell(right, y, colours[colour], f"any {COLOUR_NAMES[colour]} card"))
    bottom = top + ROW * len(rows)
    black = [kind for kind in (WILD, WILD_FOUR) if kind in chances]
    if black:
        bottom += 8
        parts.append(_label(None, bottom))
        for place, kind in enumerate(black):
            parts.append(_head(LEFT + CELL * (2 * place + 0.5), bottom + 17, card_name(kind)))
            parts.append(_cell(LEFT + CELL * (2 * place + 1), bottom, chances[kind], card_name(kind)))
        parts.append(_cell(right, bottom, colours[None], "any black card"))
        bottom += ROW
    parts.append(text(MARGIN, bottom + 18, "percent: at least one card of this kind in the hand", 11, QUIET))
    return picture(width, bottom + 30, title, [*lines, *_likeliest(chances)], parts)


def _likeliest(chances: Mapping[CardType, float], count: int = 5) -> list[str]:
    """Return the likeliest types in words."""
    best = sorted(chances, key=lambda kind: (-chances[kind], kind))[:count]
    return [f"{card_name(kind)} {percent(chances[kind])}" for kind in best if chances[kind] > 0.0]


def _head(x: float, y: float, words: str) -> str:
    return text(x, y, words, 12, QUIET, text_anchor="middle")


def _label(colour: Colour | None, y: float) -> str:
    name = "black" if colour is None else COLOUR_NAMES[colour]
    chip = rect(MARGIN, y + 3, LEFT - MARGIN - 10, ROW - 6, fill_of(colour), rx=5)
    middle = MARGIN + (LEFT - MARGIN - 10) / 2
    return chip + text(middle, y + 18, name, 12, ink_on(colour), text_anchor="middle")


def _cell(x: float, y: float, chance: float, name: str) -> str:
    """Return a cell; what can't be is empty but for a point."""
    shown = percent(chance).removesuffix(" %")
    depth = min(max(chance, 0.0), 1.0) ** GAMMA
    box = rect(x + 1, y + 1, CELL - 2, ROW - 2, GROUND if shown == "0" else _tint(depth), rx=3, stroke=EDGE)
    ink = QUIET if shown == "0" else GROUND if depth > TURN else INK
    figure = text(x + CELL / 2, y + 18, "·" if shown == "0" else shown, 12, ink, text_anchor="middle")
    return group([box, figure], f"{name}: {shown} %")


def _tint(depth: float) -> str:
    return "#" + "".join(f"{round(pale + depth * (deep - pale)):02x}" for pale, deep in zip(PALE, DEEP, strict=True))
