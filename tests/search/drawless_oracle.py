"""The slow, obvious solver of endgames: plain recursion over what a player sees, with fractions.

For decks without a reshuffle and rules that keep the drawn card, so that the game is a finite tree. A *world* is the
opponent's hand; the cards that are neither there nor seen are the draw pile, in any order. Values come as two sums
over the worlds' weights, for what is undecided lost and won.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from uno_pomdp.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_FOUR, colour_of, rank_of
from uno_pomdp.rules import Rules

Hand = tuple[int, ...]
"""Types in order."""
Play = tuple[int, int]
"""A card and the colour it declares."""
Worlds = dict[Hand, Fraction]
Bounds = tuple[Fraction, Fraction]
Replies = Callable[[Hand, list[Play]], dict[Play, Fraction]]
"""A policy: the probability of each of several plays with a hand."""


@dataclass(frozen=True)
class Table:
    """What the searching player sees: its hand, the top card, all cards that it does not see."""

    rules: Rules
    replies: Replies
    beyond: bool
    """Whether to go on where a card is drawn, to the end of the game."""
    hand: Hand
    top: int
    colour: int
    hidden: Hand


def less(cards: Hand, card: int) -> Hand:
    found = list(cards)
    found.remove(card)
    return tuple(found)


def more(cards: Hand, card: int) -> Hand:
    return tuple(sorted((*cards, card)))


def pile(table: Table, theirs: Hand) -> list[int]:
    left = list(table.hidden)
    for card in theirs:
        left.remove(card)
    return left


def plays(rules: Rules, hand: Hand, top: int, colour: int) -> list[Play]:
    found: list[Play] = []
    same_colour = any(colour_of(card) == colour for card in hand)
    for card in sorted(set(hand)):
        if card == WILD or (card == WILD_FOUR and (rules.wild_four == "always" or not same_colour)):
            found += [(card, declared) for declared in rules.colours]
        elif card < WILD and (colour_of(card) == colour or rank_of(card) == rank_of(top)):
            found.append((card, colour_of(card) or 0))
    return found


def again(rules: Rules, card: int) -> bool:
    return rules.skip == "again" and card < WILD and rank_of(card) in (SKIP, REVERSE)


def owed(card: int) -> int:
    if card == WILD_FOUR:
        return 4
    return 2 if card < WILD and rank_of(card) == DRAW_TWO else 0


def ended(mine: int, theirs: int) -> Fraction:
    return Fraction(1 if mine < theirs else 0) if mine != theirs else Fraction(1, 2)


def can_run(table: Table, supply: int, theirs: int) -> bool:
    """Return whether the hand can be emptied before the opponent plays."""
    for card, colour in plays(table.rules, table.hand, table.top, table.colour):
        rest = less(table.hand, card)
        after = replace(table, hand=rest, top=card, colour=colour)
        if not rest:
            return True
        if owed(card) > supply:
            if len(rest) < theirs:
                return True
        elif (owed(card) or again(table.rules, card)) and can_run(after, supply - owed(card), theirs + owed(card)):
            return True
    return False


def add(one: Bounds, other: Bounds) -> Bounds:
    return one[0] + other[0], one[1] + other[1]


def whole(worlds: Worlds, value: Fraction | int) -> Bounds:
    total = sum(worlds.values(), Fraction(0)) * value
    return total, total


def undecided(worlds: Worlds) -> Bounds:
    return Fraction(0), sum(worlds.values(), Fraction(0))


def after_play(table: Table, play: Play, worlds: Worlds) -> Bounds:
    """Return the bounds of one play of the searching player."""
    card, colour = play
    table = replace(table, hand=less(table.hand, card), top=card, colour=colour)
    if not table.hand:
        return whole(worlds, 1)
    if again(table.rules, card):
        return own_turn(table, worlds)
    if not owed(card):
        return their_turn(table, worlds)
    theirs = len(next(iter(worlds)))
    supply = len(table.hidden) - theirs
    if supply < owed(card):
        return whole(worlds, ended(len(table.hand), theirs))
    if not table.beyond:
        won = can_run(table, supply - owed(card), theirs + owed(card))
        return whole(worlds, 1) if won else undecided(worlds)
    for _ in range(owed(card)):
        worlds = they_draw(table, worlds)
    return own_turn(table, worlds)


def they_draw(table: Table, worlds: Worlds) -> Worlds:
    found: Worlds = defaultdict(Fraction)
    for theirs, weight in worlds.items():
        left = pile(table, theirs)
        for card in left:
            found[more(theirs, card)] += weight / len(left)
    return found


def own_turn(table: Table, worlds: Worlds) -> Bounds:
    """Return the bounds of the best play, the same one in all worlds."""
    found = [after_play(table, play, worlds) for play in plays(table.rules, table.hand, table.top, table.colour)]
    if found:
        return max(low for low, _ in found), max(high for _, high in found)
    return i_draw(table, worlds, 1)


def i_draw(table: Table, worlds: Worlds, count: int) -> Bounds:
    """Return the bounds where the searching player has to draw so many cards; then the opponent moves."""
    theirs = len(next(iter(worlds)))
    if len(table.hidden) - theirs < count:
        return whole(worlds, ended(len(table.hand), theirs))
    if not table.beyond:
        return undecided(worlds)
    return drawn(table, worlds, count)


def drawn(table: Table, worlds: Worlds, count: int) -> Bounds:
    if not count:
        return their_turn(table, worlds)
    seen: dict[int, Worlds] = defaultdict(lambda: defaultdict(Fraction))
    for theirs, weight in worlds.items():
        left = pile(table, theirs)
        for card in left:
            seen[card][theirs] += weight / len(left)
    total = (Fraction(0), Fraction(0))
    for card, those in seen.items():
        after = replace(table, hand=more(table.hand, card), hidden=less(table.hidden, card))
        total = add(total, drawn(after, those, count - 1))
    return total


def their_turn(table: Table, worlds: Worlds) -> Bounds:
    """Return the bounds where the opponent moves by its policy."""
    groups: dict[Play | None, Worlds] = defaultdict(lambda: defaultdict(Fraction))
    for theirs, weight in worlds.items():
        legal = plays(table.rules, theirs, table.top, table.colour)
        for play, chance in table.replies(theirs, legal).items() if legal else [(None, Fraction(1))]:
            groups[play][theirs if play is None else less(theirs, play[0])] += weight * chance
    total = (Fraction(0), Fraction(0))
    for play, those in groups.items():
        total = add(total, after_reply(table, play, those))
    return total


def after_reply(table: Table, play: Play | None, worlds: Worlds) -> Bounds:
    theirs = len(next(iter(worlds)))
    if play is None:
        supply = len(table.hidden) - theirs
        if supply < 1:
            return whole(worlds, ended(len(table.hand), theirs))
        if table.beyond:
            return own_turn(table, they_draw(table, worlds))
        return whole(worlds, 1) if can_run(table, supply - 1, theirs + 1) else undecided(worlds)
    if not theirs:
        return whole(worlds, 0)
    card, colour = play
    after = replace(table, top=card, colour=colour, hidden=less(table.hidden, card))
    if again(table.rules, card):
        return their_turn(after, worlds)
    if owed(card):
        return i_draw(after, worlds, owed(card))
    return own_turn(after, worlds)


# --- policies --------------------------------------------------------------------------------------------


def random_replies(_: Hand, legal: list[Play]) -> dict[Play, Fraction]:
    """Every legal action is equally likely."""
    return {play: Fraction(1, len(legal)) for play in legal}


def baseline_replies(hand: Hand, legal: list[Play]) -> dict[Play, Fraction]:
    """+2, then skip and reverse, then numbers, then a wild +4, then a wild, in the colour of most types."""
    coloured = [play for play in legal if play[0] < WILD]
    for ranks in ((DRAW_TWO,), (SKIP, REVERSE), tuple(range(10))):
        wanted = [play for play in coloured if rank_of(play[0]) in ranks]
        if wanted:
            return {play: Fraction(1, len(wanted)) for play in wanted}
    types = {colour: sum(colour_of(card) == colour for card in set(hand)) for _, colour in legal}
    declared = max(sorted(types), key=lambda colour: types[colour])
    return {(max(card for card, _ in legal), declared): Fraction(1)}


def noisy_replies(replies: Replies, noise: Fraction) -> Replies:
    """Return a policy with noise: with that probability any legal action, each equally likely."""

    def mixed(hand: Hand, legal: list[Play]) -> dict[Play, Fraction]:
        wanted = replies(hand, legal)
        return {play: (1 - noise) * wanted.get(play, Fraction(0)) + noise / len(legal) for play in legal}

    return mixed
