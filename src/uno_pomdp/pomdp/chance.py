"""Chance by type: every different deal, and every different draw from an unordered pile, with probabilities.

A draw of k from a pile D gives the multiset S with probability Π_t C(D_t, S_t) / C(|D|, k). Piles lie in order of
type here, so the draws are the k-subsets of places that take copies of a type from the left.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.hypotheses import all_hands, count_hands, ways_to_draw
from uno_pomdp.cards import COLOURED_TYPES, MAX_CARDS, WILD_FOUR, Cards, rank_of
from uno_pomdp.errors import UnoError
from uno_pomdp.game.kernels import is_guilty, reshuffle, set_draw_pile, set_hand, turn_up
from uno_pomdp.game.layout import CHALLENGE, RESHUFFLE, WRONG_CHALLENGE, Record
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.rules import OWED_FOR, Rules

MOST_DRAWN: Final = MAX_CARDS
"""No draw takes more cards at once."""
DEAL_LIMIT: Final = 1_000_000
"""Different deals that are listed at most."""

Places = npt.NDArray[np.int64]
"""The places of a pile that a draw takes, ascending; `MOST_DRAWN` of them, of which the first k count."""


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
    most = sum(owed) if rules.stack != "no" else max(owed)
    if rules.wild_four == "challenge" and WILD_FOUR in rules.deck:
        most = WRONG_CHALLENGE
    return min(max(most, 1), len(rules.deck))


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def lay_out(state: Record, deals: Deals, deal: int) -> None:
    """Lay the cards of an undealt record out as one of the deals; the pile lies in order of type."""
    for seat in range(2):
        set_hand(state, seat, deals.hands[deal, seat])
    set_draw_pile(state, deals.piles[deal])
    turn_up(state, deals.top[deal])


@kernel
def drawer_of(state: Record, action: int) -> tuple[int, int]:
    """Return who draws by a draw or a challenge, and how many cards; not of a draw until a card is playable."""
    turn, penalty = as_int(state["turn"]), as_int(state["penalty"])
    if action == CHALLENGE and is_guilty(state):
        return 1 - turn, penalty
    if action == CHALLENGE:
        return turn, as_int(WRONG_CHALLENGE)
    return turn, penalty if penalty > 0 else 1


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
def next_draw(state: Record, count: int, places: Places) -> bool:
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
    taken = np.empty(MOST_DRAWN, np.uint8)
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
