"""Draws that go on until a card is playable, by type: what may be drawn from an unordered pile, with probabilities.

Such a draw takes j cards that can't be played, of the u in the pile, and one that can, of type c:

    P(S, c) = Π_t C(u_t, S_t) / C(u, j) · u (u − 1) … (u − j + 1) / (n (n − 1) … (n − j + 1)) · D_c / (n − j)

with n cards in the pile D. The places of a draw are those of the j cards, ascending, and then that of the last card.
With nothing playable in the pile all of it is drawn, and the game is over.
"""

from typing import Final

import numpy as np

from uno_pomdp.game.layout import BIT, DRAW, PLAYABLE, UNTIL_PLAYABLE, Record
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.pomdp.chance import Places, copies_of, put_next

FAILS: Final = 0
"""Nothing in the pile is playable."""
CERTAIN: Final = 1
"""Whatever is drawn is the same card."""
OPEN: Final = 2
"""There are several draws."""

_NONE = np.uint64(0)


@kernel
def is_long_draw(state: Record, action: int) -> bool:
    """Return whether an action draws until a card is playable."""
    return bool(action == DRAW and state["penalty"] == 0 and (state["variant"] & UNTIL_PLAYABLE) != 0)


@kernel
def fits(state: Record, place: int) -> bool:
    """Return whether the card at a place of the pile ends the draw."""
    found = BIT[state["draw_pile"][place]] & PLAYABLE[state["colour"], state["top"]]
    return bool(found != _NONE)


@kernel
def next_place(state: Record, place: int, playable: bool) -> int:
    """Return the first place from this one on with a card that is playable, or is not; the size if there is none."""
    size = as_int(state["draw_size"])
    while place < size and fits(state, place) != playable:
        place += 1
    return place


@kernel
def long_draw_outlook(state: Record) -> int:
    """Return whether a draw until a card is playable fails, is certain or open."""
    size = as_int(state["draw_size"])
    if next_place(state, 0, True) == size:
        return FAILS
    return CERTAIN if state["draw_pile"][0] == state["draw_pile"][size - 1] else OPEN


@kernel
def first_long_draw(state: Record, places: Places) -> int:
    """Take the first playable card alone; return how many cards that are."""
    places[0] = next_place(state, 0, True)
    return 1


@kernel
def next_long_draw(state: Record, count: int, places: Places) -> int:
    """Go on to the next different draw and return how many cards it takes; 0 if there is none.

    First another last card, then other cards before it, then one more of them.
    """
    size = as_int(state["draw_size"])
    last = as_int(places[count - 1])
    place = last
    while place < size and state["draw_pile"][place] == state["draw_pile"][last]:
        place = next_place(state, place + 1, True)
    if place < size:
        places[count - 1] = place
        return count
    kept = count - 1
    for nth in range(kept - 1, -1, -1):
        place = as_int(places[nth])
        card = state["draw_pile"][place]
        while place < size and state["draw_pile"][place] == card:
            place = next_place(state, place + 1, False)
        if take_kept(state, nth, kept, place, places):
            places[kept] = next_place(state, 0, True)
            return count
    if take_kept(state, 0, count, next_place(state, 0, False), places):
        places[count] = next_place(state, 0, True)
        return count + 1
    return 0


@kernel
def take_kept(state: Record, start: int, end: int, place: int, places: Places) -> bool:
    """Write the next cards that are not playable, from this place on, into `places`; False if they are too few."""
    size = as_int(state["draw_size"])
    seen = place
    for _ in range(start, end):
        if seen >= size:
            return False
        seen = next_place(state, seen + 1, False)
    for nth in range(start, end):
        places[nth] = place
        place = next_place(state, place + 1, False)
    return True


@kernel
def long_draw_probability(state: Record, count: int, places: Places) -> float:
    """Return how likely a draw is: its cards before the last in any order, then the last."""
    size = as_int(state["draw_size"])
    result = 1.0
    for nth in range(count):
        copies, taken = copies_of(state, nth, places)
        orders = 1.0 if nth == count - 1 else (nth + 1) / (taken + 1)
        result *= (copies - taken) * orders / (size - nth)
    return result


@kernel
def in_order(count: int, places: Places, ordered: Places) -> None:
    """Write the places of a draw in ascending order."""
    nth = 0
    last = places[count - 1]
    for earlier in range(count - 1):
        if nth == earlier and last < places[earlier]:
            ordered[nth] = last
            nth += 1
        ordered[nth] = places[earlier]
        nth += 1
    if nth < count:
        ordered[nth] = last


@kernel
def put_long_draw(state: Record, count: int, ordered: Places, card: int) -> None:
    """Put the cards of a draw where they are drawn next, the playable one to come last."""
    put_next(state, count, ordered)
    pile = state["draw_pile"]
    start = as_int(state["draw_size"]) - count
    place = start
    while pile[place] != card:
        place += 1
    pile[place] = pile[start]
    pile[start] = card
