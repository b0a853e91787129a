"""The arrays of a compact game: each player's plan, the endings, and the stack of the walk that makes them.

They are arrays of records, few of them: each array that a kernel is handed costs it the counting of references.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s, Ints
from uno_pomdp.game.layout import Record, States
from uno_pomdp.jit import kernel
from uno_pomdp.policies.kernels import Weights

Records = npt.NDArray[np.void]
"""An array of one of the records below."""

STEP: Final = np.dtype([("parent", np.int32), ("first", np.int32), ("width", np.int32)])
"""An information set: the entry that it starts from, the entry of its first action (those of the others follow), how
many actions. With `MERGED` for a parent: the entry that others are added to, and how many these are."""
MERGED: Final = -1
"""In a step: it is no information set, but brings several entries together."""
LINK: Final = np.dtype([("entry", np.int32), ("weight", np.float64)], align=True)
"""An entry that is added to another, and how much it counts."""
ENDING: Final = np.dtype([("row", np.int32), ("column", np.int32), ("value", np.float64)])
"""A pair of entries, and what it earns player 1: the probability of chance times the result."""

HAND: Final = np.dtype([("hand", np.uint64), ("scale", np.float64), ("ways", np.float64), ("entry", np.int64)])
"""A hand that a player may hold: the cards, packed; the entry that leads to it, and how much of that does (the part of
the probability of chance that is this player's); how many histories of this player lead to it."""
PLACE: Final = np.dtype(
    [
        ("unseen", np.uint64),  # the cards that have not been played
        ("group", np.uint64),  # the symmetries that leave all that happened as it is, as bits
        ("weight", np.float64),  # the public part of the probability of chance, times the histories that are alike
        ("alike", np.float64),  # how many histories are alike
        ("pending", np.int64),  # the draw or challenge that was chosen and is to be carried out; else 0
        ("start", np.int64),  # where the hands of player 1 start in the lists; those of player 2 follow
        ("sizes", np.int64, (2,)),  # how many hands each player has
    ]
)
"""A public history."""
NOTE: Final = np.dtype(
    [
        ("legal", np.uint64),  # of the mover's hands: the legal actions
        ("smallest", np.uint64),  # the smallest image of the hand under the symmetries
        ("mass", np.float64, (2,)),  # by seat: how many histories of the other player go with the hand
        ("base", np.int32),  # of the mover's hands: the entry of its first action; −1 where it has no choice
        ("chain", np.int32),  # of hands after a draw: the next one of its kind, plus one; 0 at the end
        ("done", np.int32),  # of hands after a draw: 1 if an earlier one is of its kind; cleared after use
    ],
    align=True,
)
"""What a visit notes of a hand, by its number."""
USED: Final = np.dtype(
    [
        ("places", np.int64),  # how much of each array counts
        ("hands", np.int64),
        ("endings", np.int64),
        ("steps", np.int64, (2,)),
        ("links", np.int64, (2,)),
        ("entries", np.int64, (2,)),
        ("nodes", np.float64),  # of the whole tree, the deal not counted
        ("sets", np.float64),  # information sets of the whole tree
        ("visits", np.int64),  # public histories
        ("more_places", np.int64),  # the room that the next visit needs
        ("more_hands", np.int64),
        ("more_endings", np.int64),
        ("more_entries", np.int64),
        ("scratch", np.int64),
        ("room_places", np.int64),  # the room that there is: here, for arrays cost the counting of references
        ("room_hands", np.int64),
        ("room_endings", np.int64),
        ("room_steps", np.int64, (2,)),
        ("room_links", np.int64, (2,)),
        ("room_entries", np.int64, (2,)),
        ("room_scratch", np.int64),
    ]
)
"""What is counted, and what is wanted."""


class Side(NamedTuple):
    """What one player can plan: *entries*, each with the probability of all its own choices up to there, and *steps*.

    Entry 0 is the start. An information set is a step from one entry to one for each action. Where hands that came
    about differently are the same from now on, a step adds their entries up. Steps stand in an order in which what
    they start from is known.
    """

    steps: Records
    links: Records
    """The entries that are added up, step by step, as `LINK`."""
    scripted: Floats
    """The probability of each entry's action under each scripted policy, if asked for: [entry, policy]."""


class Asked(NamedTuple):
    """The scripted policies of which the probabilities are kept."""

    policies: Ints
    weights: Weights


class Walk(NamedTuple):
    """All that the walk over public histories reads and writes."""

    places: Records
    """The public histories still to be visited, as `PLACE`: a stack."""
    states: States
    """What is public at each of them; of hands and piles only the sizes count."""
    lists: Records
    """The hands of the places, one after another, as `HAND`."""
    sides: tuple[Side, Side]
    """The players' plans."""
    endings: Records
    """The endings as they were met, as `ENDING`."""
    own: tuple[Records, Records]
    """The hands of both players in this visit."""
    drawn: Records
    """Hands after a draw, not yet brought together."""
    notes: Records
    """Notes on hands, as `NOTE`."""
    table: Int32s
    """Open addressing by hand after a draw: the first of its kind, plus one."""
    used: Records
    """How much of all this counts: one `USED`."""


@kernel
def has_room(used: Record) -> bool:
    """Return whether the arrays have the room that is wanted."""
    for seat in range(2):
        if (
            used["entries"][seat] + used["more_entries"] > used["room_entries"][seat]
            or used["steps"][seat] + used["more_entries"] > used["room_steps"][seat]
            or used["links"][seat] + used["more_entries"] > used["room_links"][seat]
        ):
            return False
    return bool(
        used["places"] + used["more_places"] <= used["room_places"]
        and used["hands"] + used["more_hands"] <= used["room_hands"]
        and used["endings"] + used["more_endings"] <= used["room_endings"]
        and used["scratch"] <= used["room_scratch"]
    )
