"""Draws and challenges at a public history: what all hands of the drawer become.

A draw that goes on until a card is playable is two draws at once: some cards that are not playable, in any order, and
one that is. How many there are is public, so each number is a history of its own.
"""

from typing import Final

import numpy as np

from uno_pomdp.arrays import Ints
from uno_pomdp.equilibrium.compact.compact_arrays import Records, Walk, has_room
from uno_pomdp.equilibrium.compact.hand_lists import bring_together, expand, put
from uno_pomdp.equilibrium.compact.packing import (
    FACTORIAL,
    cards_only,
    count_at,
    first_take,
    is_part,
    next_take,
    one_type,
    share,
    taken,
    with_drawn,
)
from uno_pomdp.equilibrium.compact.public_moves import add_all, forget, put_place
from uno_pomdp.game.kernels import apply, decides_next, drawer_of, draws_until
from uno_pomdp.game.layout import BIT, DRAW, PLAYABLE, Record, States
from uno_pomdp.jit import as_int, kernel

NO_DRAW: Final = 0
"""In `PLACE`, as pending: nothing is to be drawn."""
_NONE = np.uint64(0)


@kernel
def draw_all(deck: Record, walk: Walk, place: int, here: States, sizes: Ints, take: Ints) -> bool:
    """Carry out a draw or a challenge for all hands; what follows takes the place of it. False if there is no room."""
    state, this, used = here[0], walk.places[place], walk.used[0]
    action = as_int(this["pending"])
    if draws_until(action, state["penalty"], state["variant"]):
        return draw_until_playable(deck, walk, place, here, sizes, take)
    drawer, count = drawer_of(state, action)
    unseen = this["unseen"]
    drawn = 0
    possible = count <= as_int(state["draw_size"])
    if possible:
        marked = decides_next(action, state["penalty"] > 0, count, state["variant"])
        own = walk.own[drawer]
        drawn = expand(deck, own, as_int(sizes[drawer]), unseen, count, marked, walk.drawn, take)
    if drawn > used["scratch"]:
        used["scratch"] = drawn
    used["more_entries"] = drawn
    used["more_hands"] = drawn + sizes[0] + sizes[1]
    if not has_room(used):
        return False
    if possible:
        used["nodes"] += this["alike"] * draws_with_a_choice(deck, walk, state, unseen, count, sizes)
        this["weight"] *= FACTORIAL[count]
    apply(state, action)
    forget(state)
    walk.states[place] = state
    this["pending"] = NO_DRAW
    end = as_int(this["start"])
    for seat in range(2):
        begin = end
        if possible and seat == drawer:
            end = bring_together(deck, walk, this["group"], unseen, drawn, seat, as_int(sizes[1 - seat]), begin)
        else:
            for number in range(sizes[seat]):
                walk.lists[end] = walk.own[seat][number]
                end += 1
        this["sizes"][seat] = end - begin
    used["hands"] = end
    return True


@kernel
def draws_with_a_choice(deck: Record, walk: Walk, state: Record, unseen: np.uint64, count: int, sizes: Ints) -> float:
    """Return in how many histories chance has more than one outcome at a draw."""
    if count == as_int(state["draw_size"]):
        return 0.0
    first, second = walk.own
    result = 0.0
    for mine in range(sizes[0]):
        if deck["copies"] == 1:
            result += walk.notes[mine]["mass"][0] * first[mine]["ways"]
            continue
        left = unseen - cards_only(first[mine]["hand"])
        for theirs in range(sizes[1]):
            hand = second[theirs]["hand"]
            if is_part(deck, hand, left) and not one_type(deck, left - cards_only(hand)):
                result += first[mine]["ways"] * second[theirs]["ways"]
    return result


# --- until a card is playable ----------------------------------------------------------------------------


@kernel
def playable_fields(deck: Record, state: Record) -> np.uint64:
    """Return the fields of the types that end a draw."""
    playable = PLAYABLE[state["colour"], state["top"]]
    fields = _NONE
    for place in range(deck["types"]):
        if BIT[deck["card"][place]] & playable:
            fields |= deck["field"][place] << deck["shift"][place]
    return fields


@kernel
def draw_until_playable(deck: Record, walk: Walk, place: int, here: States, sizes: Ints, take: Ints) -> bool:
    """Put a place on the stack for each number of cards that may come before one that is playable, or the end.

    False if there is no room.
    """
    state, this, used = here[0], walk.places[place], walk.used[0]
    drawer = as_int(state["turn"])
    own, size, pile = walk.own[drawer], as_int(sizes[drawer]), as_int(state["draw_size"])
    unseen, group, weight, count = this["unseen"], this["group"], this["weight"], this["alike"]
    fields = playable_fields(deck, state)
    total = 0
    for kept in range(pile + 1):
        found = expand_long(deck, own, size, unseen, fields, kept, kept < pile, walk.drawn, take)
        total += found
        if found > used["scratch"]:
            used["scratch"] = found
    used["more_entries"] = total
    used["more_places"] = pile  # and this one, which they take the place of
    used["more_hands"] = total + (pile + 1) * sizes[1 - drawer]
    if not has_room(used):
        return False
    used["nodes"] += count * long_draws_with_a_choice(deck, walk, unseen, fields, sizes)
    used["places"] = place
    used["hands"] = this["start"]
    for kept in range(pile + 1):
        found = expand_long(deck, own, size, unseen, fields, kept, kept < pile, walk.drawn, take)
        if found:
            newest = put_place(walk, here, unseen, group, weight * FACTORIAL[kept], count)
            lay_pile(deck, walk.states[newest], fields, kept)
            apply(walk.states[newest], DRAW)
            forget(walk.states[newest])
            for seat in range(2):
                if seat == drawer:
                    start = as_int(used["hands"])
                    end = bring_together(deck, walk, group, unseen, found, seat, as_int(sizes[1 - seat]), start)
                    used["hands"] = end
                    walk.places[newest]["sizes"][seat] = end - start
                else:
                    add_all(walk, newest, seat, as_int(sizes[seat]))
    return True


@kernel
def expand_long(
    deck: Record,
    own: Records,
    size: int,
    unseen: np.uint64,
    fields: np.uint64,
    kept: int,
    ends: bool,
    result: Records,
    take: Ints,
) -> int:
    """Write each hand with each different draw of so many cards that are not playable, then one that is if it `ends`.

    Return how many there are, also without room.
    """
    found = 0
    for number in range(size):
        before = own[number]
        pool = unseen - before["hand"]
        more = first_take(deck, pool & ~fields, kept, take)
        while more:
            hand, scale = before["hand"] + taken(deck, take), before["scale"] * share(deck, take)
            for place in range(deck["types"] if ends else 1):
                if ends and count_at(deck, pool & fields, place) == 0:
                    continue
                if found < len(result):
                    after = with_drawn(hand + deck["unit"][deck["card"][place]], place) if ends else hand
                    put(result, found, after, before["entry"], scale, before["ways"])
                found += 1
            more = next_take(deck, pool & ~fields, take)
    return found


@kernel
def lay_pile(deck: Record, state: Record, fields: np.uint64, kept: int) -> None:
    """Lay cards on a pile so that so many that are not playable are drawn first: what they are is hidden."""
    pile, size = state["draw_pile"], as_int(state["draw_size"])
    for place in range(deck["types"]):
        card = deck["card"][place]
        if count_at(deck, fields, place) == 0:
            for nth in range(kept):
                pile[size - 1 - nth] = card
        elif kept < size:
            pile[size - 1 - kept] = card


@kernel
def long_draws_with_a_choice(deck: Record, walk: Walk, unseen: np.uint64, fields: np.uint64, sizes: Ints) -> float:
    """Return in how many histories a draw until a card is playable has more than one outcome."""
    first, second = walk.own
    result = 0.0
    for mine in range(sizes[0]):
        left = unseen - cards_only(first[mine]["hand"])
        for theirs in range(sizes[1]):
            hand = second[theirs]["hand"]
            pile = left - cards_only(hand)
            if is_part(deck, hand, left) and pile & fields and not one_type(deck, pile):
                result += first[mine]["ways"] * second[theirs]["ways"]
    return result
