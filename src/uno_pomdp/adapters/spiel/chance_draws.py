"""Chance card by card: which card is named next when some cards are drawn unseen, with exact probabilities.

The order of the cards of one draw tells nothing, so a draw of k cards from a pile D is named in order of type, one card
at a time. With j copies of the last type t named and r cards to come, let n be the cards of D above t:

    P(t again) ∝ Σ_{m>j} C(D_t, m) · C(n, r + j − m)
    P(u next)  ∝ C(D_t, j) · (C(N_u, r) − C(N_u − D_u, r)),   N_u the cards of D from type u on, u > t

The product over a draw is Π_t C(D_t, S_t) / C(|D|, k), and each multiset S has one order.
"""

from collections.abc import Sequence
from math import comb

from uno_pomdp.cards import CARD_TYPES, CardType

Outcomes = list[tuple[CardType, float]]
"""Cards with their probabilities, in order of type."""


def next_in_order(pile: Sequence[int], named: Sequence[CardType], size: int) -> Outcomes:
    """Return what may be named next of a draw of `size` cards from a pile, given as counts before the draw."""
    left, last = size - len(named), named[-1] if named else -1
    above = sum(pile[last + 1 :])
    weights: list[tuple[CardType, int]] = []
    held = 1
    if named:
        copies, here = pile[last], named.count(last)
        again = sum(comb(copies, more) * comb(above, left + here - more) for more in range(here + 1, left + here + 1))
        weights = [(last, again)] if again else []
        held = comb(copies, here)
    for card in range(last + 1, CARD_TYPES):
        if pile[card]:
            lowest = comb(above, left) - comb(above - pile[card], left)
            above -= pile[card]
            if lowest:
                weights.append((card, held * lowest))
    total = sum(weight for _, weight in weights)
    return [(card, weight / total) for card, weight in weights]


def next_of_all(pile: Sequence[int]) -> Outcomes:
    """Return which card of a pile comes next: each as likely as it has copies."""
    total = sum(pile)
    return [(card, number / total) for card, number in enumerate(pile) if number]
