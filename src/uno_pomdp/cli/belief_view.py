"""What a seat can know of the other's hand, as a table; beside it the truth, for those who may see it."""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.beliefs.protocol import Belief, Floats
from uno_pomdp.cards import COLOUR_NAMES, COLOURED_TYPES, Cards, CardType, Colour, card_name, colour_of
from uno_pomdp.cli.console import BLACK, STYLES, card_text, cards_text
from uno_pomdp.game.layout import COLOUR_MASK, PLAYABLE

BLACK_MASK: Final = 0b11 << COLOURED_TYPES
BAR: Final = 10
"""Characters of a full bar."""
FIXED: Final = 36
"""Characters of a row before the cards."""


def belief_view(belief: Belief, truth: Cards | None = None, width: int = 80) -> RenderableType:
    """Return a belief for people: each colour, the likeliest cards, whether something fits; the truth where given."""
    table = Table(box=None, pad_edge=False, header_style="dim", width=width, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("has one", no_wrap=True)
    table.add_column("expected", justify="right", no_wrap=True)
    room = width - FIXED if truth is None else 3 * (width - FIXED) // 5
    table.add_column("likeliest", width=room, no_wrap=True)
    if truth is not None:
        table.add_column("in truth", ratio=1)
    expected, each = belief.expected_counts(), belief.probabilities()
    for colour in (*belief.rules.colours, None):
        mask = BLACK_MASK if colour is None else int(COLOUR_MASK[colour])
        types = [card for card in belief.rules.deck.types() if mask >> card & 1]
        if not types:
            continue
        chance = 1.0 - belief.avoids(mask)
        row: list[Text] = [
            Text("black", BLACK) if colour is None else Text(COLOUR_NAMES[colour], STYLES[colour]),
            Text(f"{bar(chance)} {percent(chance):>5}"),
            Text(f"{expected[types].sum():.1f}"),
            _likeliest(types, each, room),
        ]
        table.add_row(*row, *(() if truth is None else (cards_text(_of_colour(truth, colour)),)))
    return Group(table, _nothing_playable(belief, truth))


def _of_colour(cards: Cards, colour: Colour | None) -> Cards:
    return Cards.of(card for card in cards if colour_of(card) == colour)


def _likeliest(types: list[CardType], each: Floats, room: int) -> Text:
    """Return the likeliest of these types with their probabilities, as many as fit; impossible ones are left out."""
    line = Text()
    for card in sorted((card for card in types if each[card] > 0.0), key=lambda card: (-each[card], card)):
        longer = Text("  ").join([line, _with_chance(card, each)] if line else [_with_chance(card, each)])
        if len(longer) > room and line:
            break
        line = longer
    return line


def _with_chance(card: CardType, each: Floats) -> Text:
    return Text().join([card_text(card), Text(f" {percent(each[card])}", "dim")])


def _nothing_playable(belief: Belief, truth: Cards | None) -> Text:
    """Return the probability that nothing in the hand fits the top card, and whether it is so."""
    seen = belief.observation
    size = seen.opponent_size
    text = Text(f"{size} card{'' if size == 1 else 's'}; nothing playable on {card_name(seen.top)}")
    text += Text(f" ({COLOUR_NAMES[seen.colour]}): {percent(belief.nothing_playable())}")
    if truth is not None:
        stuck = not truth.mask & int(PLAYABLE[seen.colour, seen.top])
        text += Text(f", in truth {'nothing' if stuck else 'something'} is")
    return text


def bar(share: float, size: int = BAR) -> str:
    """Return a bar of characters; what is not nothing shows, and what is not all leaves a gap."""
    full = round(share * size)
    full = min(max(full, share > 0.0), size - (share < 1.0))
    return "█" * full + "░" * (size - full)


def percent(share: float) -> str:
    """Return a probability in percent; only certainty reads 0 or 100."""
    if 0.0 < share < 0.005:
        return "<1 %"
    if 0.995 < share < 1.0:
        return ">99 %"
    return f"{100 * share:.0f} %"
