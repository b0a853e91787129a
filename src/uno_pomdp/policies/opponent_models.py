"""Opponent models: how likely an action is for each of many hands.

A model speaks about one decision of the opponent. `seen` is what the opponent sees there, as an
`OBSERVATION` record of its seat, except its hand: that is the hypothesis, one row of counts each, with the
card just drawn where it decides about one (`NO_CARD` elsewhere).
"""

from typing import Protocol

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.cards import COLOURED_TYPES
from uno_pomdp.game.bits import popcount
from uno_pomdp.game.layout import (
    ACTION_CARD,
    BIT,
    DRAW,
    LAST_RESORT,
    NO_CARD,
    NOBODY,
    OBSERVATION,
    PLAYABLE,
    Observations,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.hands import FITTING, FITTING_TYPES, LOGARITHM, Rows, greedy_ways, legal_for, playable_of
from uno_pomdp.policies.kernels import WEIGHTS, Policy, Weights, policy_name, policy_named, probability


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


class PolicyModel:
    """A policy as a model of the opponent."""

    def __init__(self, policy: Policy, weights: Weights = WEIGHTS) -> None:
        self.policy = policy
        """Which policy."""
        self.weights = weights
        """The heuristic's weights; other policies do not look at them."""

    def __repr__(self) -> str:
        return f"<PolicyModel {self.name}>"

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return policy_name(self.policy)

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return for each hand the log-probability of the action; −inf where it is not legal."""
        result = np.empty(len(hands))
        log_probabilities_all(self.policy, seen, hands, drawn, action, self.weights, result)
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


def as_model(model: OpponentModel | str | None) -> OpponentModel | None:
    """Return an opponent model as it is, or the policy that a text names; None stays None: choices tell nothing."""
    return PolicyModel(policy_named(model)) if isinstance(model, str) else model
