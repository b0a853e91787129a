"""A seat's belief about the opponent's hand, as a table; beside it the truth, for those who may see it."""

from collections.abc import Mapping
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.cards import COLOUR_NAMES, Cards, CardType, Colour, card_name, colour_of
from uno_pomdp.cli.ui.console import BLACK, STYLES, card_text, cards_text
from uno_pomdp.game.layout import BLACK_MASK, COLOUR_MASK, PLAYABLE
from uno_pomdp.quantities import ROUND, count_of, percent
from uno_pomdp.session.policy_aware import EXACT, PolicyAware

BAR: Final = 10
"""Characters of a full bar."""
FIXED: Final = 36
"""Characters of a row before the cards, if it has a bar."""
BARLESS: Final = 27
"""The same without a bar."""
LEAST: Final = 9
"""Characters that a card with its probability needs, and the title above it."""


def belief_view(
    belief: Belief, truth: Cards | None = None, width: int = 80, beside: PolicyAware | None = None
) -> RenderableType:
    """Return a belief as a table: each colour, the likeliest cards, whether something fits; the truth where given.

    `beside` is the policy-aware belief: then every figure is there twice, the exact one first.
    """
    beliefs: dict[str, Belief] = {EXACT: belief}
    if beside is not None:
        beliefs[beside.assumption.policy] = beside.belief
    label = 0 if beside is None else max(map(len, beliefs)) + 2
    bars = width >= FIXED + label
    room = width - label - (FIXED if bars else BARLESS)
    room = room if truth is None else 3 * room // 5
    table = Table(box=None, pad_edge=False, header_style="dim", width=width, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    if beside is not None:
        table.add_column("choices", no_wrap=True, min_width=label - 2)
    table.add_column("has one", no_wrap=True)
    if counted := width >= BARLESS + label:
        table.add_column("expected", justify="right", no_wrap=True)
    if room >= LEAST:
        table.add_column("likeliest", width=room, no_wrap=True)
    if truth is not None:
        table.add_column("in truth", ratio=1)
    figures = [(name, each, each.expected_counts(), each.probabilities()) for name, each in beliefs.items()]
    for colour in (*belief.rules.colours, None):
        mask = int(BLACK_MASK if colour is None else COLOUR_MASK[colour])
        types = [card for card in belief.rules.deck.types() if mask >> card & 1]
        if not types:
            continue
        title = Text("black", BLACK) if colour is None else Text(COLOUR_NAMES[colour], STYLES[colour])
        held = None if truth is None else cards_text(_of_colour(truth, colour))
        for name, each, expected, chances in figures:
            first = name == EXACT
            chance = 1.0 - each.avoids(mask)
            row = [title if first else Text()]
            row += [] if beside is None else [Text(name, "dim")]
            row += [Text(f"{bar(chance)} " * bars + f"{percent(chance):>5}")]
            row += [Text(f"{expected[types].sum():.1f}")] if counted else []
            row += [_likeliest(types, chances, room)] if room >= LEAST else []
            table.add_row(*row, *(() if held is None else (held if first else Text(),)))
    suspicion = belief.suspicion() if beside is None else beside.suspicion()
    doubt = [] if suspicion is None else [_lie(suspicion, belief, truth)]
    return Group(table, *doubt, _nothing_playable(beliefs, truth))


def in_short(beside: PolicyAware) -> Text:
    """Return what the two beliefs of a view assume about the opponent's choices, in a line."""
    text = Text(f"choices {EXACT}: exact; {beside.in_short()}: ± {beside.points:.0f} points", "dim")
    return text + Text(f"\n{beside.at_work()}", "dim") if beside.chosen else text


def assumptions(beside: PolicyAware, width: int) -> RenderableType:
    """Return the same in full, with how well the filter does."""
    grid = Table(box=None, pad_edge=False, show_header=False, width=width, padding=(0, 2, 0, 0))
    grid.add_column("", no_wrap=True)
    grid.add_column("", ratio=1)
    grid.add_row(Text(EXACT, "bold"), "which of the cards that fit it chose is taken to tell nothing (exact)")
    grid.add_row(Text(beside.assumption.policy, "bold"), Text(beside.about()))
    if beside.chosen:
        grid.add_row(Text(""), Text(beside.at_work(), "dim"))
    return grid


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


def _lie(suspicion: Suspicion, exact: Belief, truth: Cards | None) -> Text:
    """Return how likely the +4 was a lie, as the search takes it; what is possible at most; and whether it was one."""
    before = exact.observation.before
    assert before is not None
    text = Text(f"{suspicion}; {COLOUR_NAMES[before]} is in {percent(exact.has_colour(before))} of the hands that fit")
    if truth is not None:
        text += Text(f"; in truth {'it was' if truth.mask & int(COLOUR_MASK[before]) else 'it was not'}")
    return text


def _nothing_playable(beliefs: Mapping[str, Belief], truth: Cards | None) -> Text:
    """Return the probability that nothing in the hand fits the top card, and whether it is so."""
    belief = beliefs[EXACT]
    seen = belief.observation
    size = seen.opponent_size
    text = Text(f"{count_of(size, 'card')}; nothing playable on {card_name(seen.top)}")
    text += Text(f" ({COLOUR_NAMES[seen.colour]}): {percent(belief.nothing_playable())}")
    if len(beliefs) > 1:
        text += Text(f" {EXACT}")
        others = [(name, each) for name, each in beliefs.items() if each is not belief]
        text += Text("").join(Text(f", {percent(each.nothing_playable())} {name}") for name, each in others)
    if truth is not None:
        stuck = not truth.mask & int(PLAYABLE[seen.colour, seen.top])
        text += Text(f", in truth {'nothing' if stuck else 'something'} is")
    return text


def bar(share: float, size: int = BAR) -> str:
    """Return a bar of characters; it is empty only at 0 and full only at 1."""
    share = round(share, ROUND)
    full = round(share * size)
    full = min(max(full, share > 0.0), size - (share < 1.0))
    return "█" * full + "░" * (size - full)
