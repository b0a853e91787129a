"""What follows each action at a public history: the next public histories, with the hands that go on there."""

import numpy as np

from uno_pomdp.arrays import Ints
from uno_pomdp.equilibrium.compact.compact_arrays import Asked, Walk, has_room
from uno_pomdp.equilibrium.compact.hand_lists import bring_together, put
from uno_pomdp.equilibrium.compact.packing import cards_only, hold, is_part
from uno_pomdp.equilibrium.compact.public_sets import entry_after, legal_for_hand, make_sets
from uno_pomdp.equilibrium.compact.symmetry import alike, image, keeping_action, keeping_hand, smallest
from uno_pomdp.game.bits import lowest_bit, popcount
from uno_pomdp.game.kernels import apply, swaps_hands
from uno_pomdp.game.layout import (
    ACTION_CARD,
    BIT,
    CHALLENGE,
    CHALLENGE_BIT,
    DRAW,
    KEEP,
    RUNNING,
    SWAP,
    Record,
    States,
)
from uno_pomdp.jit import as_int, kernel

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@kernel
def choose_all(deck: Record, walk: Walk, place: int, here: States, sizes: Ints, asked: Asked) -> bool:
    """Make the information sets of a place and put what follows each action on the stack; False if there is no room."""
    state = here[0]
    seat = as_int(state["turn"])
    own, notes, used = walk.own[seat], walk.notes, walk.used[0]
    union = _NONE
    total = 0
    for number in range(sizes[seat]):
        legal = legal_for_hand(deck, state, own[number]["hand"])
        notes[number]["legal"] = legal
        union |= legal
        total += popcount(legal)
    pairs = sizes[0] * sizes[1]
    swapping = state["variant"] & SWAP != 0
    used["more_entries"] = 2 * total  # of information sets, and of cards that are kept and brought together
    used["more_places"] = popcount(union) * (pairs if swapping else 1)
    used["more_hands"] = total + popcount(union) * (2 * pairs if swapping else sizes[1 - seat])
    if union & CHALLENGE_BIT:
        used["more_places"] += sizes[1 - seat]
        used["more_hands"] += sizes[1 - seat] * (sizes[seat] + 1)
    if not has_room(used):
        return False
    this = walk.places[place]
    unseen, group, weight, count = this["unseen"], this["group"], this["weight"], this["alike"]
    used["places"] = place
    used["hands"] = this["start"]
    make_sets(deck, walk, state, group, count, as_int(sizes[seat]), asked)
    while union:
        action = lowest_bit(union)
        same = alike(deck, group, action)
        union &= ~same
        kept = keeping_action(deck, group, action)
        times = np.float64(popcount(same))
        if action == CHALLENGE:
            challenge_all(deck, walk, here, unseen, group, weight, count, sizes)
            continue
        next_place = put_place(walk, here, unseen, kept, weight * times, count * times)
        if action == DRAW:
            walk.places[next_place]["pending"] = DRAW
        else:
            carry_out(walk.states[next_place], action)
        if action < DRAW:
            card = ACTION_CARD[action]
            walk.places[next_place]["unseen"] -= deck["unit"][card]
            if swaps_hands(card, state["variant"]) and walk.states[next_place]["status"] == RUNNING:
                swap_all(deck, walk, next_place, group, action, seat, sizes)
                continue
        for other in range(2):
            if other == seat:
                add_own(deck, walk, next_place, group, action, seat, sizes)
            else:
                add_all(walk, next_place, other, sizes[other])
    return True


@kernel
def put_place(walk: Walk, here: States, unseen: np.uint64, group: np.uint64, weight: float, count: float) -> int:
    """Put a place on the stack, without hands so far, and return its number."""
    used = walk.used[0]
    place = as_int(used["places"])
    used["places"] += 1
    walk.states[place] = here[0]
    new = walk.places[place]
    new["unseen"] = unseen
    new["group"] = group
    new["weight"] = weight
    new["alike"] = count
    new["pending"] = 0
    new["start"] = used["hands"]
    new["sizes"][0] = new["sizes"][1] = 0
    return place


@kernel
def carry_out(state: Record, action: int) -> None:
    """Play a card or keep one, in public."""
    seat = as_int(state["turn"])
    if action < DRAW:
        card = ACTION_CARD[action]
        state["hand"][seat, card] = 1
        state["hand_mask"][seat] = BIT[card]
    apply(state, action)  # takes the card out again


@kernel
def forget(state: Record) -> None:
    """Clear the hands of a record: they were made up, or are hidden again."""
    for seat in range(2):
        state["hand_mask"][seat] = 0
        for card in range(state["hand"].shape[1]):
            state["hand"][seat, card] = 0


@kernel
def add_hand(walk: Walk, place: int, seat: int, hand: np.uint64, entry: int, scale: float, ways: float) -> None:
    """Add one hand to the newest place; those of player 1 come first."""
    put(walk.lists, as_int(walk.used[0]["hands"]), hand, entry, scale, ways)
    walk.used[0]["hands"] += 1
    walk.places[place]["sizes"][seat] += 1


@kernel
def add_all(walk: Walk, place: int, seat: int, size: int) -> None:
    """Add all hands of a player to the newest place."""
    own, lists, used = walk.own[seat], walk.lists, walk.used[0]
    start = as_int(used["hands"])
    for number in range(size):
        lists[start + number] = own[number]
    used["hands"] += size
    walk.places[place]["sizes"][seat] = size


@kernel
def add_own(deck: Record, walk: Walk, place: int, group: np.uint64, action: int, seat: int, sizes: Ints) -> None:
    """Add the hands of the mover that take an action, as they are after it."""
    own, notes = walk.own[seat], walk.notes
    start = end = as_int(walk.used[0]["hands"])
    result = walk.drawn if action == KEEP else walk.lists
    if action == KEEP:
        end = 0
    for number in range(sizes[seat]):
        if notes[number]["legal"] & BIT[action]:
            entry, share = entry_after(deck, notes, own, group, as_int(sizes[seat]), number, action)
            hand = cards_only(own[number]["hand"])
            if action < DRAW:
                hand -= deck["unit"][ACTION_CARD[action]]
            put(result, end, hand, entry, share * own[number]["scale"], own[number]["ways"])
            end += 1
    if action == KEEP:
        this = walk.places[place]
        end = bring_together(deck, walk, this["group"], this["unseen"], end, seat, as_int(sizes[1 - seat]), start)
    walk.used[0]["hands"] = end
    walk.places[place]["sizes"][seat] = end - start


@kernel
def challenge_all(
    deck: Record,
    walk: Walk,
    here: States,
    unseen: np.uint64,
    group: np.uint64,
    weight: float,
    count: float,
    sizes: Ints,
) -> None:
    """Put a place on the stack for each hand that a challenge may show: it is known to both from then on."""
    seat = as_int(here[0]["turn"])
    other = 1 - seat
    theirs = walk.own[other]
    for number in range(sizes[other]):
        hand = theirs[number]["hand"]
        best, _ = smallest(deck, group, hand)
        if best != hand:
            continue
        kept = keeping_hand(deck, group, hand)
        times = np.float64(popcount(group)) / np.float64(popcount(kept))
        place = put_place(walk, here, unseen, kept, weight * times, count * times)
        walk.places[place]["pending"] = CHALLENGE
        hold(deck, walk.states[place], other, hand)
        for which in range(2):
            if which == seat:
                add_own(deck, walk, place, group, CHALLENGE, seat, sizes)
            else:
                held = theirs[number]
                add_hand(walk, place, other, hand, held["entry"], held["scale"], held["ways"])


@kernel
def swap_all(deck: Record, walk: Walk, newest: int, group: np.uint64, action: int, seat: int, sizes: Ints) -> None:
    """Put a place in the newest one's stead for each pair of hands that are swapped: both are known from then on."""
    after = walk.states[newest : newest + 1].copy()
    this = walk.places[newest]
    unseen, among, weight, count = this["unseen"], this["group"], this["weight"], this["alike"]
    walk.used[0]["places"] = newest
    own, theirs = walk.own[seat], walk.own[1 - seat]
    for mine in range(sizes[seat]):
        if not walk.notes[mine]["legal"] & BIT[action]:
            continue
        entry, share = entry_after(deck, walk.notes, own, group, as_int(sizes[seat]), mine, action)
        given = cards_only(own[mine]["hand"]) - deck["unit"][ACTION_CARD[action]]
        for number in range(sizes[1 - seat]):
            received = theirs[number]["hand"]
            kept = keeping_pair(deck, among, given, received)
            if kept == _NONE or not is_part(deck, received, unseen - given):
                continue
            times = np.float64(popcount(among)) / np.float64(popcount(kept))
            place = put_place(walk, after, unseen, kept, weight * times, count * times)
            for which in range(2):
                if which == seat:
                    held = own[mine]
                    add_hand(walk, place, which, received, entry, share * held["scale"], held["ways"])
                else:
                    held = theirs[number]
                    add_hand(walk, place, which, given, held["entry"], held["scale"], held["ways"])


@kernel
def keeping_pair(deck: Record, group: np.uint64, first: np.uint64, second: np.uint64) -> np.uint64:
    """Return the symmetries that leave two hands as they are; none where another pair stands for this one."""
    kept = _ONE
    for number in range(1, deck["symmetries"]):
        if group & BIT[number]:
            images = image(deck, number, first), image(deck, number, second)
            if images[0] < first or (images[0] == first and images[1] < second):
                return _NONE
            if images[0] == first and images[1] == second:
                kept |= BIT[number]
    return kept
