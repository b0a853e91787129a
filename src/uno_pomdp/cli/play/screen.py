"""The screen, as a pure function of what the seat has seen: log, table, hand. It fits 80 columns and 24 lines.

The log stands on top and is never cut. When a very long game makes the whole taller than the terminal, the oldest
moves scroll off at the top: they are then just above, in the terminal's own scrollback, and what matters for the move
is still below.
"""

from collections.abc import Mapping
from typing import Final

from rich.console import Group
from rich.rule import Rule
from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES, CardType
from uno_pomdp.cli.console import STYLES, out
from uno_pomdp.cli.drawn_cards import CARD_WIDTH, drawn_card, drawn_cards
from uno_pomdp.cli.play.log import rails
from uno_pomdp.cli.play.view import SeatView, sentences, what_fits
from uno_pomdp.cli.typed import choices
from uno_pomdp.game.values import KEEP, Action, Observation

ALARM: Final = "bold white on red"
PROMPT: Final = Text("a number, or g5, wild red … · ? help · hint · belief · log · save · quit", "dim")


def screen(view: SeatView, width: int) -> Group:
    """Return all that the person is shown."""
    seen = view.now
    return Group(
        title(view, width),
        rails(view, width),
        Rule(style="dim", characters="─"),
        table(view, width),
        hand(seen, width),
    )


def title(view: SeatView, width: int) -> Text:
    """Return who plays whom, by what rules."""
    text = (
        Text()
        .append("UNO", "bold")
        .append(f"  you are player {view.seat + 1} · rules {view.rules.name} · opponent: {view.opponent}")
    )
    text.truncate(width, overflow="ellipsis")
    return text


def table(view: SeatView, width: int) -> Text:
    """Return the top card, and beside it the colour, the counts, what is owed and what has just happened."""
    seen = view.now
    room = width - CARD_WIDTH - 2
    news = sentences(view.news(), view)
    if not view.steps:
        news = Text("You begin." if seen.turn == seen.seat else "Opponent begins.")
    lines = [counts(seen, room), colour_line(seen), *([debt(seen)] if seen.penalty else []), news]
    beside_card = [line for text in lines for line in wrapped(text, room)] or [Text()]
    top = drawn_card(seen.top, colour=seen.colour, filled=True)
    blank = Text(" " * CARD_WIDTH)
    left = [*top.split("\n"), *[blank] * max(len(beside_card) - 3, 0)]
    right = [*beside_card, *[Text()] * (len(left) - len(beside_card))]
    rows = [Text("  ").join(pair) for pair in zip(left, right, strict=True)]
    return Text("\n").join(rows)


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text in lines of at most this width."""
    return list(text.wrap(out, width)) if text else []


def counts(seen: Observation, width: int) -> Text:
    """Return how many cards lie where."""
    size = seen.opponent_size
    text = Text("Opponent ") + Text("▮" * min(size, 20), "bold") + Text(f" {size} card{'s' * (size != 1)}", "bold")
    if size == 1:
        text += Text("  ") + Text(" UNO! ", ALARM)
    right = Text(f"deck {seen.draw_size} · played {len(seen.played)}")
    text.pad_right(max(width - len(text) - len(right), 1))
    return text + right


def colour_line(seen: Observation) -> Text:
    """Return the active colour, in words and in colour, and what fits."""
    text = Text("Colour ") + Text(f" {COLOUR_NAMES[seen.colour].upper()} ", f"{STYLES[seen.colour]} reverse")
    return text if seen.penalty or seen.outcome else text + Text(f"  {what_fits(seen)}", "dim")


def debt(seen: Observation) -> Text:
    """Return who has to draw a penalty."""
    if seen.turn != seen.seat:
        return Text(f" Opponent has to draw {seen.penalty} cards ", "bold reverse")
    return Text(f" +{seen.penalty} FOR YOU: you have to draw {seen.penalty} cards and lose your turn ", ALARM)


def numbers(legal: tuple[Action, ...]) -> Mapping[CardType, int]:
    """Return the number of each card that can be played."""
    return {each: n for n, each in enumerate(choices(legal), 1) if not isinstance(each, Action)}


def hand(seen: Observation, width: int) -> Text:
    """Return the hand, the cards that can be played marked, and what else can be done."""
    legal = seen.legal_actions()
    marked = numbers(legal)
    size = len(seen.hand)
    text = Text().append(f"Your hand, {size} card{'s' * (size != 1)}", "bold")
    if seen.turn == seen.seat and seen.outcome is None:
        text += Text(f": {offer(seen, legal)}")
    return text + Text("\n") + drawn_cards(seen.hand, marked, width) if size else text


def offer(seen: Observation, legal: tuple[Action, ...]) -> str:
    """Return what can be done, in words."""
    others = [f"{n} {each}" for n, each in enumerate(choices(legal), 1) if isinstance(each, Action)]
    if KEEP in legal:
        if len(legal) == 1:
            return "the card drawn does not fit: press Enter to keep it"
        return f"play the card drawn, or {others[0]} it"
    if len(legal) == 1:
        what = f"draw {max(seen.penalty, 1)}" if legal[0].card is None else f"play {legal[0]}, all that fits"
        return (
            f"press Enter to {what}" if seen.penalty or legal[0].card is not None else f"nothing fits, Enter to {what}"
        )
    more = f", or {others[0]}" if others else ""
    return f"the numbered ones can be played{more}"
