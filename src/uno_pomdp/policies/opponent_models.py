"""Opponent models: how likely an action is for each of many hands.

A model speaks about one decision of the opponent. `seen` is what the opponent sees there, as an
`OBSERVATION` record of its seat, except its hand: that is the hypothesis, one row of counts each, with the
card just drawn where it decides about one (`NO_CARD` elsewhere).
"""

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, MAX_CARDS, RANKS_PER_COLOUR, WILD_FOUR
from uno_pomdp.game.bits import popcount
from uno_pomdp.game.kernels import legal_mask_of
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW,
    KEEP,
    LAST_RESORT,
    NO_CARD,
    NOBODY,
    OBSERVATION,
    PLAYABLE,
    Observations,
    Record,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import as_int, kernel

Rows = npt.NDArray[np.uint8]

LOGARITHM: Final = np.array([-np.inf, *np.log(np.arange(1, MAX_CARDS + 1))])
"""ln n of small whole numbers, −∞ for 0."""
_FITS: Final = [[[t for t in range(CARD_TYPES) if int(mask) >> t & 1] for mask in row] for row in PLAYABLE]
FITTING: Final = np.array([[len(types) for types in row] for row in _FITS])
"""By active colour and top card: how many types fit it."""
FITTING_TYPES: Final = np.array([[[*types, *[0] * FITTING.max()][: FITTING.max()] for types in row] for row in _FITS])
"""By active colour and top card: the types that fit it, as many as `FITTING` says."""


class OpponentModel(Protocol):
    """What the opponent is taken to play."""

    @property
    def name(self) -> str:
        """What to call it in a report."""

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action; −inf where it is not legal."""


class Uniform:
    """Every legal action is equally likely (a black card counts once for each colour)."""

    name = "uniform"

    def __repr__(self) -> str:
        return "Uniform()"

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log of one over the number of its legal actions."""
        result = np.empty(len(hands))
        uniform_all(seen, hands, drawn, action, result)
        return result


class Greedy:
    """Every playable card in hand is equally likely (each copy counts); a black one in the colour held most."""

    name = "greedy"

    def __repr__(self) -> str:
        return "Greedy()"

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log of the card's copies over all playable cards."""
        result = np.empty(len(hands))
        greedy_all(seen, hands, drawn, action, result)
        return result


def other_side(seen: Observation) -> Observations:
    """Return what the opponent sees of a running game, as a record with an empty hand for the hypothesis."""
    records = np.zeros(1, OBSERVATION)
    record = records[0]
    record["played"] = seen.played.array()
    record["hand_size"], record["opponent_size"] = seen.opponent_size, len(seen.hand)
    record["draw_size"], record["played_size"] = seen.draw_size, len(seen.played)
    record["top"], record["colour"] = seen.top, seen.colour
    record["turn"], record["penalty"], record["deciding"] = seen.turn, seen.penalty, seen.deciding
    record["drawn"], record["winner"] = NO_CARD, NOBODY
    record["variant"], record["colours"] = seen.variant, seen.colours
    record["seat"] = 1 - seen.seat
    return records


@kernel
def hand_mask_of(hand: Rows) -> np.uint64:
    """Return a bit for each type in a row of counts."""
    mask = np.uint64(0)
    for card in range(CARD_TYPES):
        if hand[card]:
            mask |= BIT[card]
    return mask


@kernel
def legal_for(seen: Record, mask: np.uint64, drawn: int) -> np.uint64:
    """Return what would be legal with these types in hand."""
    return legal_mask_of(
        mask,
        seen["top"],
        seen["colour"],
        seen["penalty"],
        drawn,
        seen["draw_size"],
        seen["played_size"],
        seen["variant"],
        seen["colours"],
    )


@kernel
def fullest_colour(hand: Rows, colours: int) -> int:
    """Return the colour of the deck of which most cards are held; red, yellow, green, blue among equals."""
    best = -1
    most = -1
    for colour in range(len(COLOURS)):
        if colours >> colour & 1:
            held = 0
            for card in range(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR):
                held += as_int(hand[card])
            if held > most:
                best = colour
                most = held
    return best


@kernel
def playable_of(seen: Record, hand: Rows) -> np.uint64:
    """Return a bit for each type in hand that fits the top card: all of a hand that legality depends on."""
    colour, top = seen["colour"], seen["top"]
    mask = np.uint64(0)
    for number in range(FITTING[colour, top]):
        card = FITTING_TYPES[colour, top, number]
        if hand[card]:
            mask |= BIT[card]
    return mask


@kernel
def holds_back(seen: Record, hand: Rows) -> bool:
    """Return whether a wild +4 may not be played: by the rules it is the last resort, and the colour is held."""
    if seen["variant"] & LAST_RESORT == 0:
        return False
    first = seen["colour"] * RANKS_PER_COLOUR
    for card in range(first, first + RANKS_PER_COLOUR):
        if hand[card]:
            return True
    return False


@kernel
def uniform_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a uniform player."""
    for index in range(len(hands)):
        legal = legal_for(seen[0], playable_of(seen[0], hands[index]), drawn[index])
        result[index] = -LOGARITHM[popcount(legal)] if legal & BIT[action] else -np.inf


@kernel
def greedy_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a greedy player, who never draws or keeps by choice.

    Nearly all choices are plays of a coloured card from the hand: those are counted here, without a call.
    """
    colour, top = seen[0]["colour"], seen[0]["top"]
    number = FITTING[colour, top]
    types = FITTING_TYPES[colour, top]
    card = as_int(ACTION_CARD[action]) if action < DRAW else NO_CARD
    simple = card < COLOURED_TYPES and PLAYABLE[colour, top] & BIT[card] != 0
    simple = simple and seen[0]["penalty"] == 0 and seen[0]["variant"] & LAST_RESORT == 0
    for index in range(len(hands)):
        if simple and drawn[index] == NO_CARD:
            ways = as_int(hands[index, card])
            all_ways = 0 if ways else 1
            for place in range(number):
                all_ways += as_int(hands[index, types[place]])
        else:
            ways, all_ways = greedy_ways(seen[0], hands[index], drawn[index], action)
        result[index] = LOGARITHM[ways] - LOGARITHM[all_ways]


@kernel
def greedy_probability(seen: Record, hand: Rows, drawn: int, action: int) -> float:
    """Return the probability that a greedy player with this hand takes the action."""
    ways, all_ways = greedy_ways(seen, hand, drawn, action)
    return ways / all_ways


@kernel
def greedy_ways(seen: Record, hand: Rows, drawn: int, action: int) -> tuple[int, int]:
    """Return how many cards a greedy player with this hand takes the action with, and how many it may choose from."""
    card = as_int(ACTION_CARD[action]) if action < DRAW else NO_CARD
    if card != NO_CARD and hand[card] == 0:
        return 0, 1
    copies = greedy_cards(seen, hand, drawn)
    if card == NO_CARD:
        forced = KEEP if drawn != NO_CARD else DRAW
        return (1 if copies == 0 and action == forced else 0), 1
    if copies == 0 or not PLAYABLE[seen["colour"], seen["top"]] & BIT[card]:
        return 0, 1
    if card == WILD_FOUR and holds_back(seen, hand):
        return 0, 1
    if card >= COLOURED_TYPES and ACTION_COLOUR[action] != fullest_colour(hand, seen["colours"]):
        return 0, 1
    if drawn != NO_CARD:
        return (1 if drawn == card else 0), 1
    return as_int(hand[card]), copies


@kernel
def greedy_cards(seen: Record, hand: Rows, drawn: int) -> int:
    """Return how many cards a greedy player may choose from, each copy by itself; the card just drawn alone if any."""
    if seen["penalty"] > 0:
        return 0
    colour, top = seen["colour"], seen["top"]
    if drawn != NO_CARD:
        fits = PLAYABLE[colour, top] & BIT[drawn] != 0
        return 1 if fits and not (drawn == WILD_FOUR and holds_back(seen, hand)) else 0
    copies = 0
    for number in range(FITTING[colour, top]):
        copies += as_int(hand[FITTING_TYPES[colour, top, number]])
    if hand[WILD_FOUR] and holds_back(seen, hand):
        copies -= as_int(hand[WILD_FOUR])
    return copies
