"""What a net is told after many histories of one seat that differ in its own cards alone: all encoded in one call.

A history is the cards that the seat was dealt, the public events (*deeds*) of both players, and what it drew
itself. A belief about the other's hand is led along the deeds, in two records that serve one history after the other.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts, Floats, Int32s, Singles
from uno_pomdp.beliefs.mixture.mixture import Mixtures, begin
from uno_pomdp.beliefs.mixture.updates import FULL, card_seen, cards_return, opponent_draws, opponent_plays
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.information import last_card, without_card
from uno_pomdp.game.layout import ACTIONS, Observations
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets.net_file import chances
from uno_pomdp.nets.policy_features import encode, renamed
from uno_pomdp.policies.hands import hand_mask_of

PLAYED: Final = 0
"""The other played a card from its hand: `number` is the card."""
PLAYED_AT_ONCE: Final = 1
"""The other played the card that it had just drawn."""
DREW: Final = 2
"""The other drew: `number` is how many cards it has more."""
DREW_ITSELF: Final = 3
"""The seat itself drew: `number` is the column of the token that names its cards."""
RETURNED: Final = 4
"""The played pile went back: `number` is the row of what returned."""

DEED: Final = np.dtype([("kind", np.int64), ("number", np.int64), ("barred", np.uint64)], align=True)
"""One deed; `barred` are the types that, by what it tells, the other does not hold."""
Deeds = npt.NDArray[np.void]
"""An array of `DEED`."""


@kernel
def encode_all(
    deeds: Deeds,
    returned: Counts,
    unseen: Counts,
    other_size: int,
    draws: Int32s,
    mixtures: Mixtures,
    seen: Observations,
    now_unseen: Counts,
    hands: Counts,
    traces: npt.NDArray[np.void],
    legal: npt.NDArray[np.uint64],
    orders: npt.NDArray[np.int64],
    features: Singles,
    fits: npt.NDArray[np.bool_],
) -> None:
    """Write the order of colours and the features of each history; `fits` says where the records were large enough.

    `unseen` is what each did not see at the deal, `now_unseen` what it does not see now, `hands` what it holds.
    """
    for index in range(len(hands)):
        begin(mixtures, unseen[index], other_size)
        front = 0
        for place in range(len(deeds)):
            front = take_in(deeds[place], returned, draws[index], mixtures, front)
            if front == FULL:
                break
        fits[index] = front != FULL
        if front != FULL:
            record = seen[0]
            for card in range(CARD_TYPES):
                record["hand"][card] = hands[index, card]
            record["hand_mask"] = hand_mask_of(hands[index])
            encode(record, now_unseen[index], mixtures, front, traces[0], legal[index], orders[index], features[index])


@kernel
def take_in(deed: np.void, returned: Counts, draws: Int32s, mixtures: Mixtures, front: int) -> int:
    """Take in one deed; return the record that counts then, or `FULL`."""
    kind, number = deed["kind"], as_int(deed["number"])
    if kind in (PLAYED, PLAYED_AT_ONCE):
        return as_int(opponent_plays(mixtures, front, number, deed["barred"], kind == PLAYED))
    if kind == DREW:
        return as_int(opponent_draws(mixtures, front, number, deed["barred"]))
    if kind == RETURNED:
        return as_int(cards_return(mixtures, front, returned[number]))
    token = as_int(draws[number])
    while front != FULL and last_card(token) >= 0:
        front = as_int(card_seen(mixtures, front, last_card(token)))
        token = without_card(token)
    return front


@kernel
def log_chances(
    outputs: Singles, features: Singles, orders: npt.NDArray[np.int64], temperature: float, action: int, result: Floats
) -> None:
    """Write the log-probability of an action in each row."""
    placed = np.empty(ACTIONS)
    for index in range(len(outputs)):
        chances(outputs[index], features[index], temperature, placed)
        chance = placed[renamed(action, orders[index, 1])]
        result[index] = np.log(chance) if chance > 0.0 else -np.inf
