"""The particle filter's loops over all hands, as kernels; `filter_stages` says what they are for."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.information import DREW, with_card
from uno_pomdp.game.layout import BIT
from uno_pomdp.game.rng import Streams, below, uniform
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.hands import LOGARITHM
from uno_pomdp.policies.opponent_models import UNTOLD


@kernel
def exclude_all(hands: Hands, barred: np.uint64, weights: Floats) -> None:
    """Write −inf for every hand with a card of the barred types."""
    types = types_of(barred)
    for index in range(len(hands)):
        for card in types:
            if hands[index, card]:
                weights[index] = -np.inf
                break


@kernel
def types_of(types_mask: np.uint64) -> npt.NDArray[np.int64]:
    """Return the types of a mask."""
    types = np.empty(CARD_TYPES, np.int64)
    count = 0
    for card in range(CARD_TYPES):
        if types_mask & BIT[card]:
            types[count] = card
            count += 1
    return types[:count]


@kernel
def see_all(hands: Hands, card: int, copies: int, weights: Floats) -> None:
    """Add the logarithm of the copies of a card that each hand leaves."""
    for index in range(len(hands)):
        left = copies - as_int(hands[index, card])
        weights[index] += LOGARITHM[left if left > 0 else 0]


@kernel
def draw_all(
    hands: Hands,
    weights: Floats,
    unseen: npt.NDArray[np.uint8],
    count: int,
    stream: Streams,
    drawn: npt.NDArray[np.uint8],
) -> None:
    """Add `count` cards to each hand, uniform over the unseen cards that it does not hold, and write them to `drawn`.

    The copies of a type have numbers, and a hand has the first ones: unseen cards are drawn until one is in the pile.
    """
    total = 0
    for card in range(CARD_TYPES):
        total += as_int(unseen[card])
    cards = np.empty(total, np.int64)
    copy = np.empty(total, np.int64)
    end = 0
    for card in range(CARD_TYPES):
        for number in range(unseen[card]):
            cards[end] = card
            copy[end] = number
            end += 1
    for index in range(len(hands)):
        if weights[index] == -np.inf:
            continue
        pile = end
        for card in range(CARD_TYPES):
            if unseen[card]:
                pile -= as_int(hands[index, card])
        for number in range(count if count < pile else pile):
            place = below(stream[0], end)
            while copy[place] < hands[index, cards[place]]:
                place = below(stream[0], end)
            hands[index, cards[place]] += 1
            drawn[index, number] = cards[place]


@kernel
def write_draws(before: Hands, after: Hands, weights: Floats, tokens: npt.NDArray[np.int32]) -> None:
    """Write what each hand was told by drawing what it has more than before; `UNTOLD` for one that is excluded."""
    for index in range(len(before)):
        token = DREW
        for card in range(CARD_TYPES):
            for _ in range(before[index, card], after[index, card]):
                token = with_card(token, card)
        tokens[index] = token if weights[index] > -np.inf else UNTOLD


@kernel
def add_held(hands: Hands, weights: Floats, shares: Floats) -> None:
    """Add each weight to the types that its hand holds."""
    for index in range(len(hands)):
        weight = weights[index]
        if weight > 0.0:
            for card in range(CARD_TYPES):
                if hands[index, card] > 0:
                    shares[card] += weight


@kernel
def add_counts(hands: Hands, weights: Floats, means: Floats) -> None:
    """Add to each type the cards of it in each hand, by weight."""
    for index in range(len(hands)):
        weight = weights[index]
        if weight > 0.0:
            for card in range(CARD_TYPES):
                means[card] += weight * hands[index, card]


@kernel
def weight_without(hands: Hands, weights: Floats, types_mask: np.uint64) -> float:
    """Return the weight of the hands without a card of these types."""
    types = types_of(types_mask)
    total = 0.0
    for index in range(len(hands)):
        holds = False
        for card in types:
            if hands[index, card]:
                holds = True
                break
        if not holds:
            total += weights[index]
    return total


@kernel
def systematic(weights: Floats, stream: Streams, chosen: npt.NDArray[np.int64]) -> None:
    """Write the indices that a systematic sample of the weights picks."""
    count = len(chosen)
    step = weights.sum() / count
    position = uniform(stream[0]) * step
    reached = weights[0]
    at = 0
    for index in range(count):
        while reached <= position and at < len(weights) - 1:
            at += 1
            reached += weights[at]
        chosen[index] = at
        position += step


@kernel
def spread_and_variance(hands: Hands, weights: Floats, batches: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return Σ p (1 − p) and Σ variance of p over the types, p being the share of the hands that hold a type.

    The variance is that of batch means; particles of one batch lie together.
    """
    count = len(hands)
    shares, held = np.empty(CARD_TYPES), np.empty(CARD_TYPES)
    for card in range(CARD_TYPES):
        shares[card] = 0.0
        held[card] = 0.0
    for n in range(count):
        for card in range(CARD_TYPES):
            if hands[n, card] > 0:
                shares[card] += weights[n]
    variance, weight = 0.0, 0.0
    for n in range(count):
        weight += weights[n]
        for card in range(CARD_TYPES):
            if hands[n, card] > 0:
                held[card] += weights[n]
        if n == count - 1 or batches[n + 1] != batches[n]:
            for card in range(CARD_TYPES):
                variance += (held[card] - weight * shares[card]) ** 2
                held[card] = 0.0
            weight = 0.0
    spread = 0.0
    for card in range(CARD_TYPES):
        spread += shares[card] * (1.0 - shares[card])
    return spread, variance
