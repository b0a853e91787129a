"""Bluffs inside a search: how guilty a wild +4 looks, and what the opponent has been shown of the own hand.

A choice-agnostic belief takes a +4 for no choice: P(the hand holds the colour) is then what it would be for any hand of
that size, and a search that samples from it challenges far too often. At the decision whether to challenge, worlds are
therefore weighed by the likelihood of the +4 that was played, with the rate β at which the heuristic lies
(`policies.bluffing`):

    P(world | +4) ∝ P(world) · (β if the hand holds the colour, else 1)

All else about the +4 stays no choice. Many worlds are sampled and as many as asked for are resampled by these weights.
A belief with an opponent model has weighed the +4 by that model already, and is left alone.

In the other direction all worlds hold our true hand. So whoever may challenge *us* inside a search follows a stated
policy on its own information, never results: the rollout policy's, unless a card that it was shown convicts us.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.cards import CARD_TYPES, RANKS_PER_COLOUR
from uno_pomdp.game.events import Event, Played, Shown, Swapped
from uno_pomdp.game.layout import COLOUR_MASK, Seat, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence
from uno_pomdp.jit import kernel
from uno_pomdp.policies.bluffing import lie_rate
from uno_pomdp.policies.kernels import WEIGHTS, Weights

SPARE: Final = 4
"""Worlds that are sampled for each one that is kept, where they are weighed."""


def sample_worlds(belief: Belief, count: int, seed: Seed) -> States:
    """Return worlds for a search of the decision at hand: the belief's, weighed by guilt if a +4 may be challenged."""
    seen = belief.observation
    if seen.before is None or seen.turn != seen.seat or _knows_choices(belief):
        return belief.sample(count, seed)
    worlds_seed, chance_seed = sequence(seed).spawn(2)
    worlds = belief.sample(SPARE * count, worlds_seed)
    guilty = worlds["hand_mask"][:, 1 - seen.seat] & COLOUR_MASK[seen.before] != 0
    weights = np.where(guilty, rate_of_lies(seen), 1.0)
    chance = np.random.default_rng(chance_seed)
    places = (np.arange(count) + chance.random()) / count * weights.sum()  # systematic resampling
    kept = np.minimum(np.searchsorted(np.cumsum(weights), places, side="right"), len(worlds) - 1)
    return np.asarray(worlds[chance.permutation(kept)])


def _knows_choices(belief: Belief) -> bool:
    return isinstance(belief, ParticleBelief | EnumeratedBelief) and belief.model is not None


def rate_of_lies(seen: Observation) -> float:
    """Return β of the opponent's +4 that the seat may challenge, as the heuristic states it."""
    assert seen.before is not None
    played, first = seen.played.array(), seen.before * RANKS_PER_COLOUR
    cards = len(seen.hand) + seen.opponent_size + seen.draw_size + len(seen.played)
    of_colour = int(played[first : first + RANKS_PER_COLOUR].sum())
    return float(
        rate_one(of_colour, len(seen.played), cards, seen.colours, seen.opponent_size, len(seen.hand), WEIGHTS)
    )


@kernel
def rate_one(of_colour: int, seen: int, cards: int, colours: int, size: int, victims: int, weights: Weights) -> float:
    """Return the rate of lies with the first of these weights."""
    return lie_rate(of_colour, seen, cards, colours, size, victims, weights[0])


class ShownCards:
    """What the opponent has been shown of the own hand, by a challenge or a swap: it stays known until it is played."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.known = np.zeros(CARD_TYPES, np.int64)
        """How many cards of each type the opponent knows to be in the own hand."""

    def __repr__(self) -> str:
        return f"<ShownCards: {int(self.known.sum())} known to the opponent>"

    def follow(self, events: Sequence[Event]) -> None:
        """Take in one action of either player."""
        for event in events:
            if isinstance(event, Played) and event.seat == self._seat and event.action.card is not None:
                self.known[event.action.card] = max(self.known[event.action.card] - 1, 0)
            elif isinstance(event, Shown) and event.seat == self._seat:
                self.known[:] = event.hand.array()
            elif isinstance(event, Swapped):
                self.known[:] = event.hands[self._seat].array()

    def convicts(self, seen: Observation) -> bool:
        """Return whether the opponent knows of a card that makes a +4 now a lie."""
        first = seen.colour * RANKS_PER_COLOUR
        return bool(self.known[first : first + RANKS_PER_COLOUR].any())
