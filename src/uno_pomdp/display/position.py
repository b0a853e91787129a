"""A position as a picture: two hands, the piles between them, the active colour and whose turn it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import COLOUR_LETTERS, COLOUR_NAMES, Cards, CardType, Colour, card_name
from uno_pomdp.display import cards
from uno_pomdp.display.svg import INK, QUIET, fill_of, group, ink_on, picture, rect, shortened, text
from uno_pomdp.quantities import count_of

WIDTH: Final = 640.0
MARGIN: Final = 16.0
HEADING: Final = 22.0
"""The height of a line above cards."""


@dataclass(frozen=True, slots=True)
class ShownHand:
    """A hand in a picture."""

    label: str
    """Whose it is."""
    size: int
    """How many cards."""
    cards: Cards | None
    """The cards; None where only their backs are seen."""
    legal: frozenset[CardType] = frozenset()
    """Those that may be played now."""


def position_svg(
    title: str,
    above: ShownHand,
    below: ShownHand,
    *,
    draw_size: int,
    played_size: int,
    top: CardType,
    colour: Colour,
    lines: Sequence[str],
) -> str:
    """Return the picture; `lines` say how the game stands, the first one in bold."""
    room = WIDTH - 2 * MARGIN
    y = MARGIN + 10
    parts = [text(MARGIN, y, shortened(title, room, 13), 13, QUIET)]
    y += 6
    parts.append(_hand(above, y, room))
    y += HEADING + cards.height_of(above.size) + 8
    parts += _middle(y, draw_size, played_size, top, colour, lines)
    y += cards.HEIGHT + 22
    parts.append(_hand(below, y, room))
    y += HEADING + cards.height_of(below.size) + 4
    words = [*lines, _said(above), _said(below), f"top {card_name(top)}, active colour {COLOUR_NAMES[colour]}"]
    return picture(WIDTH, y, title, words, parts)


def _hand(hand: ShownHand, y: float, room: float) -> str:
    heading = text(MARGIN, y + 15, f"{hand.label}: {count_of(hand.size, 'card')}", 13, INK, font_weight="bold")
    start = y + HEADING
    if hand.cards is None:
        return heading + cards.face_down(hand.size, MARGIN, start, room)
    return heading + cards.hand([*hand.cards], MARGIN, start, room, hand.legal)


def _said(hand: ShownHand) -> str:
    """Return a hand in words."""
    return f"{hand.label} holds {hand.size if hand.cards is None else hand.cards or 'nothing'}"


def _middle(
    y: float, draw_size: int, played_size: int, top: CardType, colour: Colour, lines: Sequence[str]
) -> list[str]:
    """Return the piles, the active colour and how the game stands."""
    left, second, third = MARGIN + 14, MARGIN + 84, MARGIN + 160
    below = y + cards.HEIGHT + 16
    chip = [
        rect(third, y + 2, 108, 20, fill_of(colour), rx=10),
        text(
            third + 54,
            y + 16,
            f"{COLOUR_LETTERS[colour]} {COLOUR_NAMES[colour]}",
            12,
            ink_on(colour),
            text_anchor="middle",
        ),
    ]
    return [
        cards.pile(draw_size, left, y),
        cards.card(top, second, y, declared=colour),
        text(second + cards.WIDTH / 2, below, f"{played_size} played", 11, QUIET, text_anchor="middle"),
        group(chip, f"active colour: {COLOUR_NAMES[colour]}"),
        *(
            text(
                third,
                y + 40 + 17 * place,
                words,
                13,
                INK if place == 0 else QUIET,
                font_weight="normal" if place else "bold",
            )
            for place, words in enumerate(lines)
        ),
        text(third + 118, y + 16, "active colour", 12, QUIET),
    ]
