"""The walk through every *public* history of a game, with the lists of hands that both players may hold there.

What a play, a draw or a challenge changes in public does not depend on hidden cards, so the engine's rules are applied
to one record for all of them. What a player can do depends on its own hand alone, and what chance has done to both
factors: with s the cards of each deal or draw e, of k cards, and r those left in a pile of R,

    P = Π_e k_e! · R! / N! · Π_t c_t! / (Π_e s_et! · r_t!),

a public part, a part of each player's own cards (the scale of a `HAND`), and the orders of the pile at the end. A hand
that is shown, or swapped, is known to both from then on: it is public, and a history of its own.
"""

import numpy as np

from uno_pomdp.arrays import Ints
from uno_pomdp.equilibrium.compact.compact_arrays import Asked, Records, Walk, has_room
from uno_pomdp.equilibrium.compact.hand_lists import expand, put
from uno_pomdp.equilibrium.compact.packing import cards_only, is_part, orders
from uno_pomdp.equilibrium.compact.public_draws import NO_DRAW, draw_all
from uno_pomdp.equilibrium.compact.public_moves import choose_all, put_place
from uno_pomdp.equilibrium.compact.symmetry import keeping_action
from uno_pomdp.game.kernels import turn_up
from uno_pomdp.game.layout import BIT, NOBODY, RUNNING, STATE, Record, States
from uno_pomdp.jit import as_int, kernel

_NONE = np.uint64(0)


@kernel
def begin_public(
    decks: Records, walk: Walk, undealt: States, top: int, hand_size: int, unseen: np.uint64, weight: float
) -> None:
    """Put the history that begins with a first top card on the empty stack, with every hand that can be dealt."""
    deck = decks[0]
    here = undealt.copy()
    for seat in range(2):
        here[0]["hand_size"][seat] = hand_size
    here[0]["draw_size"] -= 1 + 2 * hand_size
    turn_up(here[0], top)
    group = _NONE
    for number in range(deck["symmetries"]):
        group |= BIT[number]
    place = put_place(walk, here, unseen, keeping_action(deck, group, top), weight, 1.0)
    take = np.empty(as_int(deck["types"]), np.int64)
    put(walk.own[0], 0, _NONE, 0, 1.0, 1.0)
    found = expand(deck, walk.own[0], 1, unseen, hand_size, False, walk.drawn, take)
    for seat in range(2):
        for number in range(found):
            walk.lists[seat * found + number] = walk.drawn[number]
        walk.places[place]["sizes"][seat] = found
    walk.used[0]["hands"] = 2 * found


@kernel
def walk_public(decks: Records, walk: Walk, asked: Asked) -> bool:
    """Visit the places of the stack and all that follows; False without the room that it wants: then call it again."""
    deck = decks[0]
    here = np.empty(1, STATE)
    take = np.empty(as_int(deck["types"]), np.int64)
    sizes = np.empty(2, np.int64)
    used = walk.used[0]
    while used["places"] > 0:
        place = as_int(used["places"]) - 1
        here[0] = walk.states[place]
        this = walk.places[place]
        used["more_places"] = used["more_hands"] = used["more_endings"] = used["more_entries"] = 0
        used["scratch"] = this["sizes"][0] if this["sizes"][0] > this["sizes"][1] else this["sizes"][1]
        if not has_room(used):
            return False
        take_up(deck, walk, place, sizes)
        if sizes[0] == 0:
            close(walk, place)
        elif here[0]["status"] != RUNNING:
            used["more_endings"] = sizes[0] * sizes[1]
            if not has_room(used):
                return False
            end_all(deck, walk, place, sizes)
        elif this["pending"] != NO_DRAW:
            if not draw_all(deck, walk, place, here, sizes, take):
                return False
        elif not choose_all(deck, walk, place, here, sizes, asked):
            return False
        used["visits"] += 1
    return True


@kernel
def take_up(deck: Record, walk: Walk, place: int, sizes: Ints) -> None:
    """Copy the hands of a place that are possible together, and note how many histories of the other each has."""
    this, lists, notes = walk.places[place], walk.lists, walk.notes
    unseen = this["unseen"]
    start = as_int(this["start"])
    for seat in range(2):
        own = walk.own[seat]
        found = 0
        for number in range(start, start + this["sizes"][seat]):
            if is_part(deck, lists[number]["hand"], unseen):
                own[found] = lists[number]
                notes[found]["mass"][seat] = 0.0
                found += 1
        sizes[seat] = found
        start += as_int(this["sizes"][seat])
    first, second = walk.own
    for mine in range(sizes[0]):
        left = unseen - cards_only(first[mine]["hand"])
        for theirs in range(sizes[1]):
            if is_part(deck, second[theirs]["hand"], left):
                notes[mine]["mass"][0] += second[theirs]["ways"]
                notes[theirs]["mass"][1] += first[mine]["ways"]
    for seat in range(2):
        own = walk.own[seat]
        found = 0
        for number in range(sizes[seat]):
            if notes[number]["mass"][seat] > 0.0:
                own[found] = own[number]
                notes[found]["mass"][seat] = notes[number]["mass"][seat]
                found += 1
        sizes[seat] = found


@kernel
def close(walk: Walk, place: int) -> None:
    """Take the place that was visited off the stack, with its hands."""
    walk.used[0]["places"] = place
    walk.used[0]["hands"] = walk.places[place]["start"]


@kernel
def end_all(deck: Record, walk: Walk, place: int, sizes: Ints) -> None:
    """Write what each pair of hands earns at the end of the game."""
    this, state, used = walk.places[place], walk.states[place], walk.used[0]
    endings, notes = walk.endings, walk.notes
    result = 0.0 if state["winner"] == NOBODY else 1.0 - 2.0 * as_int(state["winner"])
    weight = result * this["weight"]
    rest = as_int(state["draw_size"])
    first, second = walk.own
    found = as_int(used["endings"])
    nodes = 0.0
    for mine in range(sizes[0]):
        mine_held = first[mine]
        nodes += notes[mine]["mass"][0] * mine_held["ways"]
        left = this["unseen"] - cards_only(mine_held["hand"])
        for theirs in range(sizes[1]):
            held = second[theirs]
            if result != 0.0 and is_part(deck, held["hand"], left):
                pile = orders(deck, left - cards_only(held["hand"]), rest)
                endings[found]["row"] = mine_held["entry"]
                endings[found]["column"] = held["entry"]
                endings[found]["value"] = weight * mine_held["scale"] * held["scale"] * pile
                found += 1
    used["endings"] = found
    used["nodes"] += this["alike"] * nodes
    close(walk, place)
