"""Cards drawn as cards: in rows that fit a width, those that can be played filled, framed heavily and numbered.

┏━━━━━┓╭─────╮┏━━━━━┓
┃ R 5 ┃│ G 7 │┃WILD ┃      number and frame say what can be played, letters the colour: no colour is needed
┗━ 1 ━┛╰─────╯┗━ 2 ━┛
"""

from collections.abc import Iterable, Mapping
from typing import Final

from rich.text import Text

from uno_pomdp.cards import (
    COLOUR_LETTERS,
    DRAW_TWO,
    RANK_NAMES,
    REVERSE,
    SKIP,
    WILD,
    CardType,
    Colour,
    colour_of,
    rank_of,
)
from uno_pomdp.cli.ui.console import BLACK, STYLES

CARD_WIDTH: Final = 7
CARD_HEIGHT: Final = 3
FRAMES: Final = ("╭─╮│╰╯", "┏━┓┃┗┛")
"""Corners and sides of a card, and of one that can be played."""
FACES: Final = {SKIP: "skip", REVERSE: " rev", DRAW_TWO: " +2 "}


def face(card: CardType) -> str:
    """Return what is written on a card, five characters wide."""
    colour = colour_of(card)
    if colour is None:
        return "WILD " if card == WILD else "W +4 "
    rank = rank_of(card)
    return COLOUR_LETTERS[colour] + FACES[rank] if rank in FACES else f" {COLOUR_LETTERS[colour]} {RANK_NAMES[rank]} "


def style_of(card: CardType, colour: Colour | None = None) -> str:
    """Return the style of a card; a black one has that of the colour it declares, if it does."""
    shown = colour_of(card) if colour is None else colour
    return BLACK if shown is None else STYLES[shown]


def drawn_card(card: CardType, number: int | None = None, colour: Colour | None = None, filled: bool = False) -> Text:
    """Return one card, three lines high; a number marks it as playable, a colour is what a black one declares."""
    style = style_of(card, colour)
    left_top, bar, right_top, side, left_bottom, right_bottom = FRAMES[number is not None or filled]
    strong = f"{style} reverse" if number is not None or filled else style
    frame = style if number is not None or filled else f"{style} dim"
    below = bar * 5 if number is None else f"{number:^5}".replace(" ", bar, 1)[::-1].replace(" ", bar, 1)[::-1]
    text = Text(no_wrap=True)
    text.append(f"{left_top}{bar * 5}{right_top}\n", frame)
    text.append(side, frame).append(face(card), strong).append(f"{side}\n", frame)
    return text.append(f"{left_bottom}{below}{right_bottom}", frame)


def drawn_cards(cards: Iterable[CardType], numbers: Mapping[CardType, int], width: int) -> Text:
    """Return cards in as many rows as they need; those with a number can be played."""
    drawn = [drawn_card(card, numbers.get(card)) for card in cards]
    per_row = max(width // CARD_WIDTH, 1)
    rows = [beside(drawn[start : start + per_row]) for start in range(0, len(drawn), per_row)]
    return Text("\n").join(rows)


def beside(texts: Iterable[Text]) -> Text:
    """Return texts of one height side by side."""
    lines = [text.split("\n") for text in texts]
    return Text("\n").join(Text().join(row) for row in zip(*lines, strict=True))
