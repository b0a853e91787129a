"""How a game lies in memory: the state record, the observation record, action ids, masks and tables.

    action   0 … 51   52 … 55         56 … 59           60     61     62
             a type   wild + colour   wild +4 + colour  draw   keep   challenge

    STATE    hand_mask, hand, hand_size   each hand as a bit per type, a count per type, and its size
             draw_pile, draw_size         cards in order, the next one last
             played, played_size          cards in order, the top one last
             top, colour, turn, penalty, drawn, status, winner
             before                       the colour before a wild +4 that can still be challenged
             variant, colours             the rules as bits: a record needs nothing beside itself
             rng                          the deck's own random state, used by reshuffles alone

No record is checked here: a record comes from `kernels.deal` or from `bindings.arrange_one`.
"""

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import (
    CARD_TYPES,
    COLOURED_TYPES,
    COLOURS,
    MAX_CARDS,
    RANKS,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    WILD,
    WILD_FOUR,
    Cards,
    CardType,
    Colour,
    colour_of,
    rank_of,
)
from uno_pomdp.rules import OWED_FOR, Rules

Seat = int
"""0 or 1; in text, player 1 and player 2."""
FIRST: Final[Seat] = 0
SECOND: Final[Seat] = 1
SEATS: Final = (FIRST, SECOND)
NOBODY: Final = 2
"""In `winner`: the game goes on, or is drawn."""

ActionId = int
"""0 to 62, the same under all rules."""
WILD_ACTIONS: Final[ActionId] = 52
WILD_FOUR_ACTIONS: Final[ActionId] = 56
DRAW: Final[ActionId] = 60
KEEP: Final[ActionId] = 61
CHALLENGE: Final[ActionId] = 62
ACTIONS: Final = 63

Status = int
"""How a game stands: `RUNNING`, or the reason why it ended."""
RUNNING: Final[Status] = 0
EMPTIED_HAND: Final[Status] = 1
DECK_EXHAUSTED: Final[Status] = 2

NO_CARD: Final = 255
"""In `drawn`: nobody is deciding about a card just drawn."""
NO_COLOUR: Final = 255
"""In `before`: there is no wild +4 that can be challenged."""
WRONG_CHALLENGE: Final = 6
"""Cards that who challenged an honest wild +4 draws."""
FORGOTTEN_UNO: Final = 2
"""Cards that who forgot to say UNO draws."""

Variant = int
"""The rules as bits; all bits clear but `RESHUFFLE` and `SKIP_AGAIN` is `house`."""
SKIP_AGAIN: Final[Variant] = 1
MAY_PLAY: Final[Variant] = 2
LAST_RESORT: Final[Variant] = 4
OPTIONAL_DRAW: Final[Variant] = 8
RESHUFFLE: Final[Variant] = 16
MAY_CHALLENGE: Final[Variant] = 32
UNTIL_PLAYABLE: Final[Variant] = 64
STACK: Final[Variant] = 128
STACK_RISING: Final[Variant] = 256
"""Set beside `STACK`: a +2 may be answered with a +4 too."""
FIRST_ACTS: Final[Variant] = 512
SWAP: Final[Variant] = 1024

STATE: Final = np.dtype(
    [
        ("hand_mask", np.uint64, (2,)),
        ("rng", np.uint64),
        ("hand", np.uint8, (2, CARD_TYPES)),
        ("draw_pile", np.uint8, (MAX_CARDS,)),
        ("played", np.uint8, (MAX_CARDS,)),
        ("hand_size", np.uint8, (2,)),
        ("draw_size", np.uint8),
        ("played_size", np.uint8),
        ("top", np.uint8),
        ("colour", np.uint8),
        ("turn", np.uint8),
        ("penalty", np.uint8),
        ("drawn", np.uint8),
        ("status", np.uint8),
        ("winner", np.uint8),
        ("before", np.uint8),
        ("variant", np.uint16),
        ("colours", np.uint8),
    ],
    align=True,
)
"""One whole game, hidden cards included."""

OBSERVATION: Final = np.dtype(
    [
        ("hand_mask", np.uint64),
        ("variant", np.uint16),
        ("hand", np.uint8, (CARD_TYPES,)),
        ("played", np.uint8, (CARD_TYPES,)),
        ("hand_size", np.uint8),
        ("opponent_size", np.uint8),
        ("draw_size", np.uint8),
        ("played_size", np.uint8),
        ("top", np.uint8),
        ("colour", np.uint8),
        ("turn", np.uint8),
        ("penalty", np.uint8),
        ("deciding", np.uint8),
        ("drawn", np.uint8),
        ("status", np.uint8),
        ("winner", np.uint8),
        ("before", np.uint8),
        ("colours", np.uint8),
        ("seat", np.uint8),
    ],
    align=True,
)
"""What one seat sees of a game. `deciding` is public, `drawn` is the card itself, for the drawer alone."""

MOVE: Final = np.dtype(
    [
        ("mover", np.uint8),
        ("action", np.uint8),
        ("drawer", np.uint8),
        ("count", np.uint8),
        ("first", np.uint8),
        ("flags", np.uint8),
        ("pile_size", np.uint8),
        ("drawn", np.uint8, MAX_CARDS),
        ("pile", np.uint8, MAX_CARDS),
        ("hands", np.uint8, (2, CARD_TYPES)),
    ]
)
"""One action of one player, with what chance did about it:

    mover, action      who did what; `ACTIONS`, which is no action, where a player draws for a forgotten UNO
    drawer, drawn      who drew `count` cards, in order; `first` of them before a reshuffle on the way
    pile               after a reshuffle the whole draw pile, `pile_size` cards, next one first
    hands              the hand that a challenge shows (its owner's alone), or both after a swap

Bytes beyond a count, and hands that nobody saw, mean nothing.
"""
RESHUFFLED: Final = 1
"""In `MOVE.flags`: the played pile went back for the draw."""
GUILTY: Final = 2
"""The challenge was right."""
OWED: Final = 4
"""Cards were owed before the action."""
JUST_DRAWN: Final = 8
"""The player was deciding about a card just drawn."""
SWAPPED: Final = 16
"""The hands were swapped."""

States = npt.NDArray[np.void]
"""An array of `STATE`; one game is an array of one."""
Observations = npt.NDArray[np.void]
"""An array of `OBSERVATION`."""
Moves = npt.NDArray[np.void]
"""An array of `MOVE`."""
Record = Any
"""One element of such an array, inside a kernel."""

BIT: Final = np.left_shift(np.uint64(1), np.arange(64, dtype=np.uint64))
"""The mask of one type or one action."""


def _mask(cards: "list[CardType]") -> np.uint64:
    return np.uint64(sum(1 << card for card in cards))


COLOUR_MASK: Final = np.array([_mask([t for t in range(CARD_TYPES) if colour_of(t) == c]) for c in COLOURS])
"""The types of each colour."""
RANK_MASK: Final = np.array([_mask([t for t in range(CARD_TYPES) if rank_of(t) == r]) for r in range(RANKS)])
"""The types of each rank."""
BLACK_MASK: Final = _mask([WILD, WILD_FOUR])
COLOURED_MASK: Final = _mask(list(range(COLOURED_TYPES)))
WILD_BIT: Final = _mask([WILD])
WILD_FOUR_BIT: Final = _mask([WILD_FOUR])
DRAW_BIT: Final = np.uint64(1 << DRAW)
KEEP_BIT: Final = np.uint64(1 << KEEP)
CHALLENGE_BIT: Final = np.uint64(1 << CHALLENGE)

PLAYABLE: Final = np.array(
    [[BLACK_MASK | COLOUR_MASK[c] | RANK_MASK[rank_of(t)] for t in range(CARD_TYPES)] for c in COLOURS]
)
"""By active colour and top card: the types that may be played on it."""
PENALTY: Final = np.array([OWED_FOR.get(rank_of(t), 0) for t in range(CARD_TYPES)], np.uint8)
"""By type: the cards that the opponent has to draw for it."""
ANSWERS: Final = np.array([RANK_MASK[rank_of(t)] if PENALTY[t] else 0 for t in range(CARD_TYPES)], np.uint64)
"""By top card: the types of the same kind, which answer what is owed for it; none for a card that costs nothing."""
SKIPS: Final = np.array([rank_of(t) in (SKIP, REVERSE) for t in range(CARD_TYPES)])
"""By type: whether it is a skip or a reverse."""
SWAPS: Final = np.array([t < COLOURED_TYPES and rank_of(t) in (0, 7) for t in range(CARD_TYPES)])
"""By type: whether it swaps the hands where the rules say so."""

ACTION_CARD: Final = np.array([*range(COLOURED_TYPES), *[WILD] * 4, *[WILD_FOUR] * 4], np.uint8)
"""The type that a playing action plays."""
ACTION_COLOUR: Final = np.array([t // RANKS_PER_COLOUR for t in range(COLOURED_TYPES)] + [*COLOURS] * 2, np.uint8)
"""The colour that a playing action declares."""


def action_id(card: CardType, colour: Colour) -> ActionId:
    """Return the action that plays this card and declares this colour; for coloured cards its own."""
    if card < COLOURED_TYPES:
        return card
    return (WILD_ACTIONS if card == WILD else WILD_FOUR_ACTIONS) + colour


def variant_bits(rules: Rules) -> Variant:
    """Return the rules' variant fields as bits."""
    return (
        (SKIP_AGAIN if rules.skip == "again" else 0)
        | (MAY_PLAY if rules.drawn_card == "may_play" else 0)
        | (LAST_RESORT if rules.wild_four == "last_resort" else 0)
        | (OPTIONAL_DRAW if rules.draw == "optional" else 0)
        | (RESHUFFLE if rules.reshuffle == "yes" else 0)
        | (MAY_CHALLENGE if rules.wild_four == "challenge" else 0)
        | (UNTIL_PLAYABLE if rules.draw == "until_playable" else 0)
        | (STACK if rules.stack != "no" else 0)
        | (STACK_RISING if rules.stack == "rising" else 0)
        | (FIRST_ACTS if rules.first_card == "acts" else 0)
        | (SWAP if rules.swap == "seven_zero" else 0)
    )


def template(rules: Rules) -> States:
    """Return an undealt record of these rules: all cards in the draw pile, in order of type."""
    return _template(rules).copy()


@lru_cache(maxsize=64)
def _template(rules: Rules) -> States:
    states = np.zeros(1, STATE)
    cards = list(rules.deck)
    states["draw_pile"][0, : len(cards)] = cards
    states["draw_size"] = len(cards)
    states["drawn"] = NO_CARD
    states["before"] = NO_COLOUR
    states["winner"] = NOBODY
    states["variant"] = variant_bits(rules)
    states["colours"] = sum(1 << colour for colour in rules.colours)
    return states


def cards_of(counts: npt.NDArray[np.uint8]) -> Cards:
    """Return a row of 54 counts as a value."""
    return Cards(counts.tobytes())
