"""Chance by type: every different draw from an unordered pile, with probabilities; a cursor goes through them.

A draw of k from a pile D gives the multiset S with probability Π_t C(D_t, S_t) / C(|D|, k). Piles lie in order of
type here, so the draws are the k-subsets of places that take copies of a type from the left.

A draw that goes on until a card is playable takes j cards that can't be played, of the u in the pile, and one that can,
of type c:

    P(S, c) = Π_t C(u_t, S_t) / C(u, j) · u (u − 1) … (u − j + 1) / (n (n − 1) … (n − j + 1)) · D_c / (n − j)

with n cards in the pile D. The places of such a draw are those of the j cards, ascending, and then that of the last
card. With nothing playable in the pile all of it is drawn, and the game is over: what a reshuffle cuts in two is not
listed here.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import MAX_CARDS
from uno_pomdp.game.kernels import apply_noting, drawer_of, draws_until, reshuffle
from uno_pomdp.game.layout import BIT, PLAYABLE, RESHUFFLE, Record, States
from uno_pomdp.jit import as_int, kernel

FAILS: Final = 0
"""The cards can't be had: the game ends."""
CERTAIN: Final = 1
"""Whatever is drawn is the same."""
OPEN: Final = 2
"""There are several draws."""

Places = npt.NDArray[np.int64]
"""The places of a pile that a draw takes, ascending; there is room for any draw, and the first of them count."""
_NONE = np.uint64(0)


class DrawCursor(NamedTuple):
    """A place among all different draws that an action can make."""

    places: Places
    """The places of the next draw."""
    size: Places
    """How many these are, as an array of one; 0 when no draw is left."""
    ordered: Places
    """Scratch: the same in ascending order."""


@kernel
def new_cursor() -> DrawCursor:
    """Return a cursor that is nowhere yet."""
    return DrawCursor(np.empty(MAX_CARDS, np.int64), np.empty(1, np.int64), np.empty(MAX_CARDS, np.int64))


# --- the cursor ------------------------------------------------------------------------------------------


@kernel
def begin_draw(state: Record, action: int, cursor: DrawCursor) -> int:
    """Prepare a draw or a challenge, with the reshuffle that it needs; return whether it fails, is certain or open.

    The pile has to lie in order of type, and does afterwards.
    """
    cursor.size[0] = 0
    if is_long_draw(state, action):
        outlook = long_draw_outlook(state)
        if outlook != FAILS:
            cursor.size[0] = first_long_draw(state, cursor.places)
        return outlook
    count = prepare_draw(state, action)
    if count == 0:
        return FAILS
    first_draw(cursor.places, count)
    cursor.size[0] = count
    return CERTAIN if one_draw_only(state, count) else OPEN


@kernel
def make_draw(state: Record, action: int, cursor: DrawCursor, move: Record) -> None:
    """Carry an action out with the cards at the cursor, and note it."""
    count = as_int(cursor.size[0])
    if is_long_draw(state, action):
        card = as_int(state["draw_pile"][cursor.places[count - 1]])
        in_order(count, cursor.places, cursor.ordered)
        put_long_draw(state, count, cursor.ordered, card)
    else:
        put_next(state, count, cursor.places)
    apply_noting(state, action, move)


@kernel
def next_draw(before: Record, action: int, cursor: DrawCursor, after: States, place: int, move: Record) -> float:
    """Write the position after the next draw into a place of `after`, and note it; return how likely it is.

    0 when no draw is left.
    """
    count = as_int(cursor.size[0])
    if count == 0:
        return 0.0
    after[place] = before
    make_draw(after[place], action, cursor, move)
    if is_long_draw(before, action):
        chance = long_draw_probability(before, count, cursor.places)
        cursor.size[0] = next_long_draw(before, count, cursor.places)
        return chance
    chance = draw_probability(before, count, cursor.places)
    if not next_places(before, count, cursor.places):
        cursor.size[0] = 0
    return chance


# --- draws of a number of cards --------------------------------------------------------------------------


@kernel
def prepare_draw(state: Record, action: int) -> int:
    """Return how many cards a draw or a challenge draws, after the reshuffle that it needs; the pile lies in order.

    0 where they can't be had.
    """
    _, count = drawer_of(state, action)
    if state["draw_size"] < count and state["variant"] & RESHUFFLE:
        reshuffle(state)
        sort_cards(state["draw_pile"], 0, as_int(state["draw_size"]))
    return count if state["draw_size"] >= count else 0


@kernel
def sort_cards(cards: npt.NDArray[np.uint8], start: int, end: int) -> None:
    """Put the cards from start to end in order of type."""
    for place in range(start + 1, end):
        card = cards[place]
        before = place
        while before > start and cards[before - 1] > card:
            cards[before] = cards[before - 1]
            before -= 1
        cards[before] = card


@kernel
def first_draw(places: Places, count: int) -> None:
    """Take the first cards of a pile."""
    for nth in range(count):
        places[nth] = nth


@kernel
def next_places(state: Record, count: int, places: Places) -> bool:
    """Go on to the next different draw of so many cards; False if there is none."""
    pile = state["draw_pile"]
    size = as_int(state["draw_size"])
    for nth in range(count - 1, -1, -1):
        place = places[nth] + 1
        while place < size and pile[place] == pile[places[nth]]:
            place += 1
        if place + count - nth <= size:
            for later in range(nth, count):
                places[later] = place + later - nth
            return True
    return False


@kernel
def one_draw_only(state: Record, count: int) -> bool:
    """Return whether all draws of so many cards from a pile in order are alike."""
    size = as_int(state["draw_size"])
    return count == size or state["draw_pile"][0] == state["draw_pile"][size - 1]


@kernel
def copies_of(state: Record, nth: int, places: Places) -> tuple[int, int]:
    """Return how many cards of the type at the n-th place of a draw are in the pile, and at its earlier places."""
    pile = state["draw_pile"]
    card = pile[places[nth]]
    copies, taken = 0, 0
    for place in range(as_int(state["draw_size"])):
        copies += as_int(pile[place] == card)
    for earlier in range(nth):
        taken += as_int(pile[places[earlier]] == card)
    return copies, taken


@kernel
def draw_probability(state: Record, count: int, places: Places) -> float:
    """Return how likely the draw of these places is: Π_t C(D_t, S_t) / C(|D|, k)."""
    size = as_int(state["draw_size"])
    result = 1.0
    for nth in range(count):
        copies, taken = copies_of(state, nth, places)
        result *= (copies - taken) / (taken + 1) * (nth + 1) / (size - nth)
    return result


@kernel
def put_next(state: Record, count: int, places: Places) -> None:
    """Put the cards of a draw where they are drawn next; the others stay in order."""
    pile = state["draw_pile"]
    size = as_int(state["draw_size"])
    taken = np.empty(MAX_CARDS, np.uint8)
    for nth in range(count):
        taken[nth] = pile[places[nth]]
    nth = 0
    for place in range(size):
        if nth < count and places[nth] == place:
            nth += 1
        else:
            pile[place - nth] = pile[place]
    for nth in range(count):
        pile[size - count + nth] = taken[nth]


# --- draws until a card is playable -----------------------------------------------------------------------


@kernel
def is_long_draw(state: Record, action: int) -> bool:
    """Return whether an action draws until a card is playable."""
    return draws_until(action, state["penalty"], state["variant"])


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
