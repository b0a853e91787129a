"""What each player can know of the other's hand, both in one table beside the truth; or one of them in full."""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.cards import COLOUR_NAMES, Cards, colour_of
from uno_pomdp.cli.ui.belief import bar, belief_view, in_short
from uno_pomdp.cli.ui.console import BLACK, STYLES, cards_text
from uno_pomdp.cli.ui.narrate import PLAYERS
from uno_pomdp.game.layout import BLACK_MASK, COLOUR_MASK, PLAYABLE, SEATS, Seat
from uno_pomdp.quantities import percent
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.session.policy_aware import PolicyAware, SwitchedOff
from uno_pomdp.session.watched import WatchedGame

WIDE: Final = 100
"""Columns from which on the expected numbers of cards stand beside the probabilities."""
NARROW: Final = 70
"""Columns below which there are no bars."""


def both_beliefs(
    game: WatchedGame, number: int, width: int, coach: str | None = None, off: SwitchedOff | None = None
) -> RenderableType:
    """Return both exact beliefs at a moment: of each colour, that the other holds it, and what it holds in truth.

    How likely a +4 was a lie is what the coach's search takes it for.
    """
    beliefs = {seat: game.belief(number, seat) for seat in SEATS}
    expected = {seat: belief.expected_counts() for seat, belief in beliefs.items()}
    bars, counted = width >= NARROW, width >= WIDE
    table = Table(box=None, pad_edge=False, header_style="dim", width=width, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for seat in SEATS:
        own, other = PLAYERS.labels[seat], PLAYERS.labels[1 - seat]
        table.add_column(f"{own} thinks {other} has" if bars else f"{own} on {other}", no_wrap=True)
        if counted:
            table.add_column("expected", justify="right", no_wrap=True)
        table.add_column("in truth", ratio=1, no_wrap=True, overflow="ellipsis")
    for colour in (*game.timeline.rules.colours, None):
        mask = int(BLACK_MASK if colour is None else COLOUR_MASK[colour])
        types = [card for card in game.timeline.rules.deck.types() if mask >> card & 1]
        if not types:
            continue
        row = [Text("black", BLACK) if colour is None else Text(COLOUR_NAMES[colour], STYLES[colour])]
        for seat in SEATS:
            row.append(_share(1.0 - beliefs[seat].avoids(mask), bars))
            row += [Text(f"{expected[seat][types].sum():.1f}")] * counted
            held = game.timeline.seen(number, 1 - seat).hand
            row.append(cards_text(Cards.of(card for card in held if colour_of(card) == colour)))
        table.add_row(*row)
    table.add_row(*_stuck(game, number, beliefs, bars, counted))
    if game.timeline.seen(number).before is not None and game.timeline.seen(number).outcome is None:
        table.add_row(*_lie(game, number, coach, off, bars, counted))
    return table


def _share(share: float, bars: bool) -> Text:
    return Text(f"{bar(share)} " * bars + f"{percent(share):>5}")


def _stuck(
    game: WatchedGame, number: int, beliefs: dict[Seat, ClosedFormBelief], bars: bool, counted: bool
) -> list[Text]:
    """Return the row on whether the other has nothing that fits."""
    row = [Text("no fit", "dim")]
    for seat in SEATS:
        seen = game.timeline.seen(number, 1 - seat)
        stuck = not seen.hand.mask & int(PLAYABLE[seen.colour, seen.top])
        told = f"{'nothing' if stuck else 'something'} fits"
        row += [_share(beliefs[seat].nothing_playable(), bars), *[Text()] * counted, Text(told, "dim")]
    return row


def _lie(
    game: WatchedGame, number: int, coach: str | None, off: SwitchedOff | None, bars: bool, counted: bool
) -> list[Text]:
    """Return the row on whether the wild +4 that is owed was a lie; one of the two knows."""
    row = [Text("lie?", "dim")]
    for seat in SEATS:
        suspicion, before = _beside(game, number, seat, None, coach, off).suspicion(), game.timeline.seen(number).before
        if suspicion is None or before is None:
            row += [Text()] * (2 + counted)
            continue
        held = game.timeline.seen(number, 1 - seat).hand.mask & int(COLOUR_MASK[before])
        told = f"{'has' if held else 'has no'} {COLOUR_NAMES[before]}"
        row += [_share(suspicion.probability, bars), *[Text()] * counted, Text(told, "dim")]
    return row


def belief_in_full(
    game: WatchedGame,
    number: int,
    seat: Seat,
    width: int,
    spec: BeliefSpec | None,
    coach: str | None,
    aware: bool,
    off: SwitchedOff | None = None,
) -> RenderableType:
    """Return one player's belief with the likeliest cards, and beside it, where there is room, the policy-aware one."""
    belief, truth = game.belief(number, seat), game.timeline.hand(number, 1 - seat)
    if not aware:
        return belief_view(belief, truth, width)
    beside = _beside(game, number, seat, spec, coach, off)
    return Group(in_short(beside), belief_view(belief, truth, width, beside))


def _beside(
    game: WatchedGame, number: int, seat: Seat, spec: BeliefSpec | None, coach: str | None, off: SwitchedOff | None
) -> PolicyAware:
    """Return a player's policy-aware belief at a moment."""
    return PolicyAware(game.timeline.history(number, seat), game.names[1 - seat], spec, coach, off)
