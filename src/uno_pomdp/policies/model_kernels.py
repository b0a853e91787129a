"""The scripted policies as opponent models, in kernels: how likely an action is for each of many hands."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.cards import COLOURED_TYPES
from uno_pomdp.game.bits import popcount
from uno_pomdp.game.layout import ACTION_CARD, BIT, DRAW, LAST_RESORT, NO_CARD, PLAYABLE, Observations
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.hands import FITTING, FITTING_TYPES, LOGARITHM, Rows, greedy_ways, legal_for, playable_of
from uno_pomdp.policies.kernels import Policy, Weights, policy_of, probability


@kernel
def legal_rows(seen: Observations, hands: Rows, drawn: Rows, result: npt.NDArray[np.uint64]) -> None:
    """Write the legal actions of each hand as bits."""
    for index in range(len(hands)):
        result[index] = legal_for(seen[0], playable_of(seen[0], hands[index]), drawn[index])


@kernel
def uniform_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a uniform player."""
    for index in range(len(hands)):
        legal = legal_for(seen[0], playable_of(seen[0], hands[index]), drawn[index])
        result[index] = -LOGARITHM[popcount(legal)] if legal & BIT[action] else -np.inf


@kernel
def greedy_all(seen: Observations, hands: Rows, drawn: Rows, action: int, result: Floats) -> None:
    """Write the log-probabilities of a greedy player, which never draws or keeps by choice.

    Nearly all choices are plays of a coloured card from the hand: their copies are counted inline, without a call.
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
def log_probabilities_all(
    policy: Policy,
    seen: Observations,
    hands: Rows,
    drawn: Rows,
    action: int,
    weights: Weights,
    result: Floats,
) -> None:
    """Write the log-probability of an action for each hand."""
    for index in range(len(hands)):
        chance = probability(policy, seen[0], hands[index], drawn[index], action, weights[0])
        result[index] = np.log(chance) if chance > 0.0 else -np.inf


@kernel
def policy_one(policy: Policy, seen: Observations, hand: Rows, drawn: int, weights: Weights, result: Floats) -> None:
    """Write the probability of each action for the player of the first record."""
    policy_of(policy, seen[0], hand, drawn, weights[0], result)
