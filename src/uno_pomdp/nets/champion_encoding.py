"""What a seat knows in the champion's encoding (`nets.policy_features`): the closed form of its belief included.

Colours are *by place* there, the active one first. So are the actions beside it: `given` turns a true action into one
by place, `meant` turns it back. Only rules that the encoding knows have it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.scripted import own_record
from uno_pomdp.arrays import Singles
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture.mixture import Mixtures
from uno_pomdp.beliefs.mixture.pool import TRACE, Traces
from uno_pomdp.cards import COLOURS, MAX_CARDS
from uno_pomdp.game.events import Event, Played
from uno_pomdp.game.layout import CHALLENGE, Observations
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel
from uno_pomdp.nets.policy_features import (
    CHOSEN,
    FEATURES,
    LEGAL,
    RULES,
    SIZES,
    Order,
    check_encoded,
    encode,
    renamed,
)
from uno_pomdp.nets.policy_net import trace_one
from uno_pomdp.rules import Rules

MOST_TRACED: Final = 5.0
"""The limit of 1 + 0.8 + 0.8² + …: how much plays can have turned to a colour or left it."""


def highest() -> Singles:
    """Return the highest value of each number of a row; the lowest is 0."""
    most = np.ones(FEATURES, np.float32)
    most[:LEGAL] = MAX_CARDS
    most[SIZES : SIZES + 4] = MAX_CARDS
    most[CHOSEN:RULES] = MOST_TRACED
    return most


class ChampionEncoding:
    """One seat of one game, followed from its beginning."""

    def __init__(self, rules: Rules, seen: Observation) -> None:
        check_encoded(rules)
        self._rules, self._seen = rules, seen
        self._belief = ClosedFormBelief(rules, seen)
        self._trace: Traces = np.zeros(1, TRACE)
        self._order = np.zeros((2, len(COLOURS)), np.int64)
        self._row: Singles | None = None

    def follow(self, events: Sequence[Event], seen: Observation) -> None:
        """Take in one action of either player."""
        for event in events:
            if isinstance(event, Played) and event.action.colour is not None:
                trace_one(self._trace, event.seat, self._seen.colour, event.action.colour, event.action.id)
        if seen.outcome is None:  # what is believed at the end no longer matters
            self._belief.update(events, seen)
        self._seen, self._row = seen, None

    def row(self) -> Singles:
        """Return what the seat knows now, in a new array."""
        return self._encoded().copy()

    def given(self, action: int) -> int:
        """Return a true action by place."""
        self._encoded()
        return action if action == CHALLENGE else int(renamed(action, self._order[1]))

    def meant(self, action: int) -> int:
        """Return the true action of one by place."""
        self._encoded()
        return action if action == CHALLENGE else int(renamed(action, self._order[0]))

    def _encoded(self) -> Singles:
        """Return what the seat knows now, and see to it that colours are in their order."""
        if self._row is None:
            row = np.zeros(FEATURES, np.float32)
            record, _, _ = own_record(self._seen)
            mixtures, front = self._belief.readable()
            unseen, legal = self._seen.unseen(self._rules).array(), np.uint64(self._seen.legal_mask)
            encode_one(record, unseen, mixtures, front, self._trace, legal, self._order, row)
            self._row = np.clip(row, 0.0, highest())  # a probability may be above 1 by rounding
        return self._row


@kernel
def encode_one(
    seen: Observations,
    unseen: npt.NDArray[np.uint8],
    mixtures: Mixtures,
    front: int,
    traces: Traces,
    legal: np.uint64,
    order: Order,
    row: Singles,
) -> None:
    """Write the order of colours and the encoding of what the first record sees."""
    encode(seen[0], unseen, mixtures, front, traces[0], legal, order, row)
