"""What a seat sees now as *plain counts*: small whole numbers, one row for each observation, under all rules.

`FIELDS` says what lies where. Colours are red, yellow, green, blue, and a type is 13 · colour + rank, as everywhere;
nothing is scaled. Only `OBSERVATION` is read, so that a row can't hold what the seat does not see.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.game.kernels import observe
from uno_pomdp.game.layout import (
    FIRST_ACTS,
    LAST_RESORT,
    MAY_CHALLENGE,
    MAY_PLAY,
    NO_CARD,
    NO_COLOUR,
    OPTIONAL_DRAW,
    PENALTY,
    RESHUFFLE,
    SKIP_AGAIN,
    STACK,
    STACK_RISING,
    SWAP,
    UNTIL_PLAYABLE,
    Observations,
    Record,
    States,
)
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.rules import Rules

VERSION: Final = 1
"""Of the encoding: a net's file says which one it was trained with."""


@dataclass(frozen=True, slots=True)
class Field:
    """A part of an observation."""

    name: str
    """What it is called."""
    size: int
    """How many numbers it has."""
    about: str
    """What it says."""


BITS: Final = (
    SKIP_AGAIN,
    MAY_PLAY,
    LAST_RESORT,
    OPTIONAL_DRAW,
    RESHUFFLE,
    MAY_CHALLENGE,
    UNTIL_PLAYABLE,
    STACK,
    STACK_RISING,
    FIRST_ACTS,
    SWAP,
)
"""The bits of the rules in the order of the field `rules`."""

FIELDS: Final = (
    Field("own", CARD_TYPES, "cards of each type in the own hand"),
    Field("played", CARD_TYPES, "cards of each type in the played pile, the top card included"),
    Field("drawn", CARD_TYPES, "1 for the card just drawn, where this seat decides about it"),
    Field("rank", RANKS_PER_COLOUR + 2, "1 for the rank of the top card; wild and wild +4 are the last two"),
    Field("colour", len(COLOURS), "1 for the active colour"),
    Field("before", len(COLOURS), "1 for the colour before a wild +4 that can be challenged; else all 0"),
    Field("debt", 1, "cards that the player to move owes"),
    Field("sizes", 4, "cards in the own hand, the opponent's hand, the draw pile, the played pile"),
    Field("to_move", 1, "1 if this seat is to move"),
    Field("deciding", 1, "1 if the player to move decides about a card just drawn"),
    Field("in_deck", len(COLOURS), "1 for each colour of the deck"),
    Field(
        "rules",
        len(BITS),
        "skip again, may play, last resort, optional draw, reshuffle, challenge, until playable, "
        "stack, stack rising, first card acts, swap",
    ),
)
"""The parts of a row, in order."""


def start_of(name: str) -> int:
    """Return where a field starts."""
    return sum(field.size for field in FIELDS[: [field.name for field in FIELDS].index(name)])


OWN: Final = start_of("own")
PLAYED: Final = start_of("played")
DRAWN: Final = start_of("drawn")
RANK: Final = start_of("rank")
COLOUR: Final = start_of("colour")
BEFORE: Final = start_of("before")
DEBT: Final = start_of("debt")
SIZES: Final = start_of("sizes")
TO_MOVE: Final = start_of("to_move")
DECIDING: Final = start_of("deciding")
IN_DECK: Final = start_of("in_deck")
RULES: Final = start_of("rules")
WIDTH: Final = sum(field.size for field in FIELDS)
"""Numbers in a row."""

_BITS = np.array(BITS)


def highest(rules: Rules) -> npt.NDArray[np.uint8]:
    """Return the highest value of each number of a row under these rules, at least 1; the lowest is 0."""
    most = np.ones(WIDTH, np.uint8)
    copies = rules.deck.array()
    owed = copies.astype(np.int64) * PENALTY
    most[OWN:PLAYED] = most[PLAYED:DRAWN] = np.maximum(copies, 1)
    most[DEBT] = max(1, owed.sum() if rules.stack != "no" else PENALTY.max())
    most[SIZES:TO_MOVE] = len(rules.deck)
    return most


@kernel
def write_counts(seen: Record, row: Counts) -> None:
    """Write what a seat sees as a row."""
    for card in range(CARD_TYPES):
        row[OWN + card] = seen["hand"][card]
        row[PLAYED + card] = seen["played"][card]
    for place in range(DRAWN, WIDTH):
        row[place] = 0
    if seen["drawn"] != NO_CARD:
        row[DRAWN + as_int(seen["drawn"])] = 1
    top = as_int(seen["top"])
    row[RANK + (top % RANKS_PER_COLOUR if top < COLOURED_TYPES else top - COLOURED_TYPES + RANKS_PER_COLOUR)] = 1
    row[COLOUR + as_int(seen["colour"])] = 1
    if seen["before"] != NO_COLOUR:
        row[BEFORE + as_int(seen["before"])] = 1
    row[DEBT] = seen["penalty"]
    row[SIZES] = seen["hand_size"]
    row[SIZES + 1] = seen["opponent_size"]
    row[SIZES + 2] = seen["draw_size"]
    row[SIZES + 3] = seen["played_size"]
    row[TO_MOVE] = as_int(seen["turn"] == seen["seat"])
    row[DECIDING] = seen["deciding"]
    for colour in range(len(COLOURS)):
        row[IN_DECK + colour] = as_int(seen["colours"]) >> colour & 1
    for place in range(len(_BITS)):
        row[RULES + place] = as_int((seen["variant"] & _BITS[place]) != 0)


@kernel
def counts_one(states: States, seat: int, seen: Observations, row: Counts) -> None:
    """Write what a seat sees of the first game."""
    observe(seen[0], states[0], seat)
    write_counts(seen[0], row)
