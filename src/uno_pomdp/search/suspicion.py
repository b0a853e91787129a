"""Bluffs inside a search: how guilty a wild +4 looks, and what the opponent has been shown of the own hand.

Worlds are sampled by the one suspicion of a lie that a belief has (`beliefs.suspicion`): where it has not weighed the
+4 by a model, many worlds are sampled, and as many as asked for are resampled by how likely each makes the +4.

In the other direction all worlds hold our true hand. So whoever may challenge *us* inside a search follows a stated
policy on its own information, never results: the rollout policy's, unless a card that it was shown convicts us.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.suspicion import rate_of_lies
from uno_pomdp.cards import CARD_TYPES, RANKS_PER_COLOUR
from uno_pomdp.game.events import Event, Played, Shown, Swapped
from uno_pomdp.game.layout import COLOUR_MASK, Seat, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, sequence

SPARE: Final = 4
"""Worlds that are sampled for each one that is kept, where they are weighed."""


def sample_worlds(belief: Belief, count: int, seed: Seed) -> States:
    """Return worlds for a search of the decision at hand: the belief's, weighed by guilt if a +4 may be challenged."""
    seen = belief.observation
    if seen.before is None or seen.turn != seen.seat or belief.weighs_lies:
        return belief.sample(count, seed)
    worlds_seed, chance_seed = sequence(seed).spawn(2)
    worlds = belief.sample(SPARE * count, worlds_seed)
    guilty = worlds["hand_mask"][:, 1 - seen.seat] & COLOUR_MASK[seen.before] != 0
    weights = np.where(guilty, rate_of_lies(seen), 1.0)
    chance = np.random.default_rng(chance_seed)
    places = (np.arange(count) + chance.random()) / count * weights.sum()  # systematic resampling
    kept = np.minimum(np.searchsorted(np.cumsum(weights), places, side="right"), len(worlds) - 1)
    return np.asarray(worlds[chance.permutation(kept)])


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
