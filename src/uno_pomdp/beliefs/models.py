"""Opponent models: how likely an action is for each of many hands.

A model speaks about one decision of the opponent. `seen` is what the opponent sees there, as an
`OBSERVATION` record of its seat, except its hand: that is the hypothesis, one row of counts each, with the
card just drawn where it decides about one (`NO_CARD` elsewhere).
"""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.game.bits import popcount
from uno_pomdp.game.kernels import legal_mask_of, playable_mask
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    BIT,
    DRAW,
    KEEP,
    NO_CARD,
    NOBODY,
    OBSERVATION,
    Observations,
    Record,
)
from uno_pomdp.game.values import Observation
from uno_pomdp.jit import as_int, kernel

Rows = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


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

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log of one over the number of its legal actions."""
        result = np.empty(len(hands))
        uniform_all(seen, hands, drawn, action, result)
        return result


class Greedy:
    """Every playable card in hand is equally likely (each copy counts); a black one in the colour held most."""

    name = "greedy"

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
def uniform_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a uniform player."""
    for index in range(len(hands)):
        legal = legal_for(seen[0], hand_mask_of(hands[index]), drawn[index])
        result[index] = -np.log(popcount(legal)) if legal & BIT[action] else -np.inf


@kernel
def greedy_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a greedy player, who never draws or keeps by choice."""
    for index in range(len(hands)):
        probability = greedy_probability(seen[0], hands[index], drawn[index], action)
        result[index] = np.log(probability) if probability > 0.0 else -np.inf


@kernel
def greedy_probability(seen: Record, hand: Rows, drawn: int, action: int) -> float:
    """Return the probability that a greedy player with this hand takes the action."""
    mask = hand_mask_of(hand)
    playable = np.uint64(0)
    if seen["penalty"] == 0:
        playable = playable_mask(mask, seen["top"], seen["colour"], seen["variant"])
        if drawn != NO_CARD:
            playable &= BIT[drawn]
    if action >= DRAW:
        forced = KEEP if drawn != NO_CARD else DRAW
        return 1.0 if playable == 0 and action == forced else 0.0
    card = ACTION_CARD[action]
    if not playable & BIT[card]:
        return 0.0
    if card >= COLOURED_TYPES and ACTION_COLOUR[action] != fullest_colour(hand, seen["colours"]):
        return 0.0
    if drawn != NO_CARD:
        return 1.0
    copies = 0
    for held in range(CARD_TYPES):
        if playable & BIT[held]:
            copies += as_int(hand[held])
    return as_int(hand[card]) / copies
