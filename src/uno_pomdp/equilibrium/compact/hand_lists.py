"""Lists of hands: what a draw makes of them, and how hands that came about differently are brought together.

What a player may hold is a list of hands with the entry of each. Two histories of a player that differ only in when it
got which card leave it with the same hand, the same public history and the same belief about the other player, and so
with the same future: from there on they are one entry, the sum of theirs.
"""

import numpy as np

from uno_pomdp.arrays import Ints
from uno_pomdp.equilibrium.compact.compact_arrays import MERGED, Records, Walk
from uno_pomdp.equilibrium.compact.packing import (
    cards_only,
    first_take,
    is_part,
    next_take,
    share,
    taken,
    with_drawn,
)
from uno_pomdp.equilibrium.compact.symmetry import smallest
from uno_pomdp.game.layout import Record
from uno_pomdp.game.rng import mix
from uno_pomdp.jit import as_int, inner_kernel, kernel

_ONE = np.uint64(1)


@inner_kernel
def put(hands: Records, place: int, hand: np.uint64, entry: int, scale: float, ways: float) -> None:
    """Write one hand into a list."""
    hands[place]["hand"] = hand
    hands[place]["entry"] = entry
    hands[place]["scale"] = scale
    hands[place]["ways"] = ways


@kernel
def expand(
    deck: Record, own: Records, size: int, unseen: np.uint64, count: int, marked: bool, result: Records, take: Ints
) -> int:
    """Write each hand with each different draw of so many cards; return how many there are, also without room."""
    found = 0
    for number in range(size):
        before = own[number]
        pool = unseen - before["hand"]
        more = first_take(deck, pool, count, take)
        while more:
            if found < len(result):
                after = before["hand"] + taken(deck, take)
                if marked:
                    for place in range(deck["types"]):
                        if take[place]:
                            after = with_drawn(after, place)
                put(result, found, after, before["entry"], before["scale"] * share(deck, take), before["ways"])
            found += 1
            more = next_take(deck, pool, take)
    return found


@kernel
def with_partner(deck: Record, hand: np.uint64, unseen: np.uint64, other: Records, size: int) -> bool:
    """Return whether the other player can hold one of its hands beside this one."""
    left = unseen - cards_only(hand)
    for number in range(size):
        if is_part(deck, other[number]["hand"], left):
            return True
    return False


@kernel
def chain_up(walk: Walk, count: int) -> None:
    """Chain the equal ones among hands after a draw: the first of each kind is in the table."""
    hands, table, notes = walk.drawn, walk.table, walk.notes
    size = 1
    while size < 2 * count:
        size *= 2
    for place in range(size):
        table[place] = 0
    for number in range(count - 1, -1, -1):
        hand = hands[number]["hand"]
        place = as_int(mix(hand) & np.uint64(size - 1))
        while table[place] and hands[table[place] - 1]["hand"] != hand:
            place = (place + 1) & (size - 1)
        notes[number]["chain"] = table[place]
        table[place] = number + 1


@kernel
def find_hand(hands: Records, size: int, hand: np.uint64) -> int:
    """Return where in a list a hand is; −1 if it is not there."""
    for number in range(size):
        if hands[number]["hand"] == hand:
            return number
    return -1


@kernel
def bring_together(
    deck: Record, walk: Walk, group: np.uint64, unseen: np.uint64, count: int, seat: int, other_size: int, start: int
) -> int:
    """Write each different hand once that the other player leaves possible, from `start` on; return the end.

    There must be room. Equal hands of one entry stay that entry, those of several become a new one.
    """
    chain_up(walk, count)
    hands, notes, result, other = walk.drawn, walk.notes, walk.lists, walk.own[1 - seat]
    end = start
    for number in range(count):
        if notes[number]["done"]:  # one of an earlier kind
            continue
        later = as_int(notes[number]["chain"])
        while later:
            notes[later - 1]["done"] = 1
            later = as_int(notes[later - 1]["chain"])
        hand = hands[number]["hand"]
        if with_partner(deck, hand, unseen, other, other_size):
            put(result, end, hand, number, 0.0, 0.0)
            end += 1
    for number in range(count):
        notes[number]["done"] = 0
    if group != _ONE:
        mark_alike(deck, walk, group, start, end)
    for place in range(start, end):
        first = as_int(result[place]["entry"])
        if first < 0:
            same = result[-1 - first]
            put(result, place, result[place]["hand"], same["entry"], same["scale"], same["ways"])
        else:
            entry, scale, ways = add_up(walk, first, seat)
            put(result, place, result[place]["hand"], entry, scale, ways)
    return end


@kernel
def mark_alike(deck: Record, walk: Walk, group: np.uint64, start: int, end: int) -> None:
    """Write for each hand that is an image of an earlier one where that is, as −1 − place."""
    result, notes = walk.lists, walk.notes
    for place in range(start, end):
        notes[place - start]["smallest"], _ = smallest(deck, group, result[place]["hand"])
    for place in range(start, end):
        for earlier in range(start, place):
            if notes[earlier - start]["smallest"] == notes[place - start]["smallest"]:
                result[place]["entry"] = -1 - earlier
                break


@kernel
def add_up(walk: Walk, first: int, seat: int) -> tuple[int, float, float]:
    """Return the entry of a chain of equal hands, new if they have several, with its scale and their ways."""
    hands, notes, used = walk.drawn, walk.notes, walk.used[0]
    links, steps = walk.sides[seat].links, walk.sides[seat].steps
    begin = as_int(used["links"][seat])
    end = begin
    ways = 0.0
    number = first + 1
    while number:
        hand = hands[number - 1]
        ways += hand["ways"]
        place = begin
        while place < end and links[place]["entry"] != hand["entry"]:
            place += 1
        if place == end:
            links[place]["entry"] = hand["entry"]
            links[place]["weight"] = 0.0
            end += 1
        links[place]["weight"] += hand["scale"]
        number = as_int(notes[number - 1]["chain"])
    if end == begin + 1:
        return as_int(links[begin]["entry"]), links[begin]["weight"], ways
    step = as_int(used["steps"][seat])
    entry = as_int(used["entries"][seat])
    steps[step]["parent"] = MERGED
    steps[step]["first"] = entry
    steps[step]["width"] = end - begin
    used["steps"][seat] += 1
    used["links"][seat] = end
    used["entries"][seat] += 1
    return entry, 1.0, ways
