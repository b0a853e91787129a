"""The information sets of one public history: those of the hands of the player to move that have a choice.

Hands that are images of each other under a symmetry of the history have one information set together, and actions that
are images under one of the hand too have one entry, of which each has its share.
"""

from typing import Final

import numpy as np

from uno_pomdp.equilibrium.compact.compact_arrays import Asked, Records, Walk
from uno_pomdp.equilibrium.compact.hand_lists import find_hand
from uno_pomdp.equilibrium.compact.packing import drawn_card, hold, types_mask
from uno_pomdp.equilibrium.compact.symmetry import alike, keeping_hand, smallest
from uno_pomdp.game.bits import lowest_bit, popcount, several
from uno_pomdp.game.kernels import legal_mask_of, observe
from uno_pomdp.game.layout import BIT, OBSERVATION, Record
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import probability

NO_SET: Final = -1
"""In `NOTE`, as base: a hand without a choice."""
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@kernel
def legal_for_hand(deck: Record, state: Record, hand: np.uint64) -> np.uint64:
    """Return the legal actions of the player to move with this hand."""
    return legal_mask_of(
        types_mask(deck, hand),
        state["top"],
        state["colour"],
        state["penalty"],
        drawn_card(deck, hand),
        state["before"],
        state["draw_size"],
        state["played_size"],
        state["variant"],
        state["colours"],
    )


@kernel
def different(deck: Record, group: np.uint64, legal: np.uint64) -> np.uint64:
    """Return the first of each kind among actions that a group makes of each other."""
    if group == _ONE:
        return legal
    found = _NONE
    while legal:
        action = lowest_bit(legal)
        found |= BIT[action]
        legal &= ~alike(deck, group, action)
    return found


@kernel
def make_sets(deck: Record, walk: Walk, state: Record, group: np.uint64, count: float, size: int, asked: Asked) -> None:
    """Add the information sets of the hands of the player to move, and write where the entries of each start."""
    seat = as_int(state["turn"])
    own, notes, used, steps = walk.own[seat], walk.notes, walk.used[0], walk.sides[seat].steps
    for number in range(size):
        note, held = notes[number], own[number]
        note["base"] = NO_SET
        legal, kept = note["legal"], _ONE
        if not several(legal):
            continue
        used["sets"] += count * held["ways"]
        used["nodes"] += count * held["ways"] * note["mass"][seat]
        if group != _ONE:
            note["smallest"], _ = smallest(deck, group, held["hand"])
            if note["smallest"] != held["hand"]:
                continue
            kept = keeping_hand(deck, group, held["hand"])
            legal = different(deck, kept, legal)
            if not several(legal):
                continue
        step, first = as_int(used["steps"][seat]), as_int(used["entries"][seat])
        steps[step]["parent"] = held["entry"]
        steps[step]["first"] = first
        steps[step]["width"] = popcount(legal)
        note["base"] = first
        used["steps"][seat] += 1
        used["entries"][seat] += popcount(legal)
        if len(asked.policies) > 0:
            ask_scripted(deck, walk, state, held["hand"], kept, legal, first, asked)
    if group != _ONE:
        for number in range(size):
            note = notes[number]
            if several(note["legal"]) and note["smallest"] != own[number]["hand"]:
                note["base"] = notes[find_hand(own, size, note["smallest"])]["base"]


@kernel
def entry_after(
    deck: Record, notes: Records, own: Records, group: np.uint64, size: int, number: int, action: int
) -> tuple[int, float]:
    """Return the entry of a hand's action, and the share of it that the action has."""
    base, legal = as_int(notes[number]["base"]), notes[number]["legal"]
    if group == _ONE or not several(legal):
        if base == NO_SET:
            return as_int(own[number]["entry"]), 1.0
        return base + popcount(legal & (BIT[action] - _ONE)), 1.0
    hand, by = smallest(deck, group, own[number]["hand"])
    kept = keeping_hand(deck, group, hand)
    same = alike(deck, kept, as_int(deck["action"][by, action]))
    share = 1.0 / popcount(same)
    if base == NO_SET:
        return as_int(own[number]["entry"]), share
    choices = different(deck, kept, notes[find_hand(own, size, hand)]["legal"])
    return base + popcount(choices & (BIT[lowest_bit(same)] - _ONE)), share


@kernel
def ask_scripted(
    deck: Record,
    walk: Walk,
    state: Record,
    hand: np.uint64,
    kept: np.uint64,
    legal: np.uint64,
    first: int,
    asked: Asked,
) -> None:
    """Write what each scripted policy does with a hand; actions that are alike are one, and have the sum."""
    seat = as_int(state["turn"])
    hold(deck, state, seat, hand)
    seen = np.empty(1, OBSERVATION)
    observe(seen[0], state, seat)
    scripted = walk.sides[seat].scripted
    drawn = drawn_card(deck, hand)
    while legal:
        action = lowest_bit(legal)
        legal &= legal - _ONE
        for number in range(len(asked.policies)):
            policy, weights = as_int(asked.policies[number]), asked.weights[number]
            chance = probability(policy, seen[0], seen[0]["hand"], drawn, action, weights)
            scripted[first, number] = popcount(alike(deck, kept, action)) * chance
        first += 1
    hold(deck, state, seat, _NONE)
