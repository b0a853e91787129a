"""Every different deal of some rules, with probabilities."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.hypotheses import all_hands, count_hands, ways_to_draw
from uno_pomdp.cards import COLOURED_TYPES, WILD_FOUR, Cards, rank_of
from uno_pomdp.errors import UnoError
from uno_pomdp.game.kernels import cards_asked, set_draw_pile, set_hand, turn_up
from uno_pomdp.game.layout import CHALLENGE, DRAW, Record, variant_bits
from uno_pomdp.jit import kernel
from uno_pomdp.rules import OWED_FOR, Rules

DEAL_LIMIT: Final = 1_000_000
"""Different deals that are listed at most."""


class TooLarge(UnoError):
    """A game that is too large to be listed."""


class Deals(NamedTuple):
    """Every different deal of some rules."""

    top: npt.NDArray[np.uint8]
    """The first top card of each."""
    hands: npt.NDArray[np.uint8]
    """Both hands of each, as counts: [deal, seat, type]."""
    piles: npt.NDArray[np.uint8]
    """The draw pile of each, in order of type."""
    probability: npt.NDArray[np.float64]
    """How likely each is; they add up to one."""


def all_deals(rules: Rules) -> Deals:
    """Return every different deal: the top by its copies among the coloured cards, hands hypergeometric."""
    size = rules.hand_size
    tops = _tops(rules)
    hands = first_hands(rules)
    if hands > DEAL_LIMIT:
        raise TooLarge(
            f"{hands:,} different first hands are too many to list: at most {DEAL_LIMIT:,} deals are, "
            "as in the mini decks"
        )
    coloured = sum(rules.deck[top] for top in tops)
    found: list[tuple[int, Cards, Cards, Cards, float]] = []
    for top in tops:
        rest = rules.deck - Cards.of([top])
        for first, its_share in _hands(rest, size):
            left = rest - first
            for second, share in _hands(left, size):
                found.append((top, first, second, left - second, rules.deck[top] / coloured * its_share * share))
            if len(found) > DEAL_LIMIT:
                raise TooLarge(f"the rules have more than {DEAL_LIMIT:,} different deals: choose a mini deck")
    return Deals(
        np.array([deal[0] for deal in found], np.uint8),
        np.array([[deal[1].array(), deal[2].array()] for deal in found], np.uint8),
        np.array([list(deal[3]) for deal in found], np.uint8),
        np.array([deal[4] for deal in found]),
    )


def first_hands(rules: Rules) -> int:
    """Return how many different first hands there are beside each top card, in all."""
    return sum(count_hands(rules.deck - Cards.of([top]), rules.hand_size) for top in _tops(rules))


def _tops(rules: Rules) -> list[int]:
    return [card for card in rules.deck.types() if card < COLOURED_TYPES]


def _hands(cards: Cards, size: int) -> list[tuple[Cards, float]]:
    """Return every hand of these cards with its probability."""
    rows = all_hands(cards, size)
    weights = ways_to_draw(cards, rows, np.float64)
    return [
        (Cards(row.tobytes()), weight) for row, weight in zip(rows, (weights / weights.sum()).tolist(), strict=True)
    ]


def most_draws(rules: Rules) -> int:
    """Return a number of different draws that no pile of these rules exceeds."""
    return max(count_hands(rules.deck, size) for size in range(1, largest_draw(rules) + 1))


def largest_draw(rules: Rules) -> int:
    """Return how many cards a draw takes at most, apart from one that goes on until a card is playable."""
    owed = [OWED_FOR.get(rank_of(card), 0) for card in rules.deck]
    most, variant = sum(owed) if rules.stack != "no" else max(owed), variant_bits(rules)
    asked = cards_asked(DRAW, most, False, variant)
    if rules.wild_four == "challenge" and WILD_FOUR in rules.deck:
        asked = max(asked, cards_asked(CHALLENGE, most, False, variant))
    return min(asked, len(rules.deck))


@kernel
def lay_out(state: Record, deals: Deals, deal: int) -> None:
    """Lay the cards of an undealt record out as one of the deals; the pile lies in order of type."""
    for seat in range(2):
        set_hand(state, seat, deals.hands[deal, seat])
    set_draw_pile(state, deals.piles[deal])
    turn_up(state, deals.top[deal])
