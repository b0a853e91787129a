"""Reading a mixture: marginals, the probability to hold none of a set, exact samples as complete worlds."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.beliefs.mixture.mixture import FACTORIAL, INVERSE, Mixture, Mixtures
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.kernels import give_card, shuffle
from uno_pomdp.game.layout import BIT, States
from uno_pomdp.game.rng import Stream, Streams, below, below_from, by_weight
from uno_pomdp.jit import as_int, kernel


@kernel
def held_by_layer(m: Mixture) -> Floats:
    """Return by layout and layer the probability that the hand holds a labelled card of the layer, in that layout.

    A labelled card of layer ℓ is missed by every group that may hold it, in turn, with probability
    Π_{g≥ℓ} (1 − n_g / (M_g − N_g)).
    """
    groups = m["groups"]
    held = np.empty((m["layouts"], groups))
    for k in range(m["layouts"]):
        for g in range(groups):
            held[k, g] = 0.0
    for c in range(m["configurations"]):
        k = m["layout"][c]
        older = 0
        for g in range(groups):
            older += as_int(m["sizes"][c, g])
        missed = 1.0
        for g in range(groups - 1, -1, -1):
            n = as_int(m["sizes"][c, g])
            older -= n
            if n > 0:
                missed *= 1.0 - n / (m["within"][k, g] - older)
            held[k, g] += m["weights"][c] * (1.0 - missed)
    return held


@kernel
def expected_counts(mixtures: Mixtures, front: int, expected: Floats) -> None:
    """Write the expected number of cards of each type in the hand."""
    m = mixtures[front]
    held = held_by_layer(m)
    for card in range(CARD_TYPES):
        total = 0.0
        for k in range(m["layouts"]):
            for g in range(m["groups"]):
                total += held[k, g] * as_int(m["layers"][k, g, card])
        expected[card] = total


@kernel
def avoided(m: Mixture, c: int, taken: Ints) -> float:
    """Return the share of one configuration's assignments that use none of the cards taken out of its reach."""
    share = 1.0
    older = 0
    k = m["layout"][c]
    for g in range(m["groups"]):
        n = as_int(m["sizes"][c, g])
        if n > 0 and taken[g] > 0:
            free = m["within"][k, g] - older
            left = free - taken[g]
            if left < n:
                return 0.0
            share *= FACTORIAL[left] * INVERSE[left - n] * FACTORIAL[free - n] * INVERSE[free]
        older += n
    return share


@kernel
def avoids(mixtures: Mixtures, front: int, types_mask: np.uint64) -> float:
    """Return the probability that the hand holds no card of these types."""
    m = mixtures[front]
    taken = np.zeros((m["layouts"], m["groups"]), np.int64)
    for k in range(m["layouts"]):
        total = 0
        for g in range(m["groups"]):
            for card in range(CARD_TYPES):
                if types_mask & BIT[card]:
                    total += as_int(m["layers"][k, g, card])
            taken[k, g] = total
    probability = 0.0
    for c in range(m["configurations"]):
        probability += m["weights"][c] * avoided(m, c, taken[m["layout"][c]])
    return probability


@kernel
def same_reach(taken: Ints, first: int, second: int, groups: int) -> bool:
    """Return whether two rows are equal."""
    for g in range(groups):
        if taken[first, g] != taken[second, g]:
            return False
    return True


@kernel
def avoids_each(mixtures: Mixtures, front: int, result: Floats) -> None:
    """Write for each type the probability that the hand holds none of it.

    Within a layout types with equal counts in every layer have equal probabilities: each is worked out once.
    """
    m = mixtures[front]
    groups = m["groups"]
    taken = np.zeros((CARD_TYPES, groups), np.int64)
    like = np.zeros(CARD_TYPES, np.int64)
    shares = np.zeros(CARD_TYPES)
    result[:] = 0.0
    for k in range(m["layouts"]):
        kinds = 0
        for card in range(CARD_TYPES):
            total = 0
            for g in range(groups):
                total += as_int(m["layers"][k, g, card])
                taken[kinds, g] = total
            like[card] = 0
            while not same_reach(taken, like[card], kinds, groups):
                like[card] += 1
            if like[card] == kinds:
                shares[kinds] = 0.0
                kinds += 1
        for c in range(m["configurations"]):
            if m["layout"][c] == k:
                for kind in range(kinds):
                    shares[kind] += m["weights"][c] * avoided(m, c, taken[kind])
        for card in range(CARD_TYPES):
            result[card] += shares[like[card]]


@kernel
def any_of(pile: npt.NDArray[np.uint8], size: int, types_mask: np.uint64, stream: Stream) -> int:
    """Return where one of the cards of these types lies, each equally likely, in a pile that has some."""
    number = 0
    for place in range(size):
        if types_mask & BIT[pile[place]]:
            number += 1
    left = below(stream, number)
    place = 0
    while True:
        if types_mask & BIT[pile[place]]:
            if left == 0:
                return place
            left -= 1
        place += 1


@kernel
def sample_worlds(
    mixtures: Mixtures,
    front: int,
    template: States,
    seat: int,
    deciding: bool,
    pending: np.uint64,
    streams: Streams,
    worlds: States,
) -> None:
    """Write exact samples: a configuration ∝ its weight, its groups filled oldest first, the rest shuffled.

    The unseen cards lie in the world's draw pile, the oldest layer last. A slot of group g takes one of the
    last M_g places that are still free and moves its card to the end; what is left in front is the pile.

    While the hand's owner decides about a card just drawn, that is the last card taken. If only a card of some types
    (`pending`) can be it, it is in no group: it is taken from the pile, any card of these types alike.
    """
    m = mixtures[front]
    groups = m["groups"]
    unseen = m["within"][0, groups]
    cards = np.empty((m["layouts"], unseen), np.uint8)
    for k in range(m["layouts"]):
        at = 0
        for g in range(groups, -1, -1):
            for card in range(CARD_TYPES):
                for _ in range(m["layers"][k, g, card]):
                    cards[k, at] = card
                    at += 1
    running = np.empty(m["configurations"])
    total = 0.0
    for c in range(len(running)):
        total += m["weights"][c]
        running[c] = total
    stream = streams[0]
    for index in range(len(worlds)):
        worlds[index] = template[0]
        world = worlds[index]
        c = by_weight(running, stream)
        k = m["layout"][c]
        pile = world["draw_pile"]
        for place in range(unseen):
            pile[place] = cards[k, place]
        end = unseen
        drawn = 0
        for g in range(groups):
            first = unseen - m["within"][k, g]
            for _ in range(m["sizes"][c, g]):
                place = first + below(stream, end - first)
                drawn = as_int(pile[place])
                end -= 1
                pile[place] = pile[end]
                pile[end] = drawn
                give_card(world, seat, drawn)
        if pending != 0:
            place = any_of(pile, end, pending, stream)
            drawn = as_int(pile[place])
            end -= 1
            pile[place] = pile[end]
            give_card(world, seat, drawn)
        if deciding:
            world["drawn"] = drawn
        world["draw_size"] = end
        stream["state"] = shuffle(pile, end, stream["state"])
        world["rng"], _ = below_from(stream["state"], 2)
        below(stream, 2)
