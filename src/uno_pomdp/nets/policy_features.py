"""What a seat knows when it has a choice, as numbers for a net. Version 1, which is frozen.

It knows plain rules (`known_rules.PLAIN_RULES`) and their 62 actions: no challenge, no stacked debt, no swap,
no long draw, no first card that acts. `check_encoded` refuses others.

Colours have no names here: *the first colour* is the active one, then come those of which the seat holds most cards,
among equals those with most unseen cards, then red, yellow, green, blue; colours that are not in the deck come last.
Types and actions are renumbered with their colours: a type is 13 · place of its colour + rank, black ones keep their
numbers; the same for actions. `order_colours` writes the order, `renamed` an action in it.

    from   numbers   field        meaning
    0      54        own          cards of each type in the own hand
    54     54        unseen       cards of each type in the opponent's hand or the draw pile
    108    54        expected     of these, how many the opponent holds on average (closed form)
    162    62        legal        1 for each legal action; a card just drawn is known by the one play that is legal
    224    60        stuck        for each legal play: P(the opponent holds nothing playable on it)
    284    4         void         P(the opponent holds no card of this colour)
    288    1         helpless     P(the opponent holds nothing playable on the present top card)
    289    15        rank         1 for the rank of the top card; wild and wild +4 are the last two
    304    4         sizes        own hand / 10, opponent's hand / 10, draw pile / 50, played pile / 50
    308    4         few          1 if the own hand has 1, 2, 3 or 4 cards
    312    4         other few    the same for the opponent
    316    4         chosen       how much the own plays turned to each colour (`pool.TRACE`)
    320    4         left         how much they left it
    324    4         other chosen the same for the opponent, whose choices the closed form does not use
    328    4         other left   the same
    332    5         rules        the variant's bits: skip again, may play, last resort, optional draw, reshuffle

P(holds a type) is the expected count wherever one copy is unseen, and no field of its own. A penalty is never pending
when there is a choice, under these rules. Nothing here depends on cards that the seat can't see.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts, Singles
from uno_pomdp.beliefs.mixture.mixture import Mixture, Mixtures
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.layout import (
    DRAW,
    LAST_RESORT,
    MAY_PLAY,
    OPTIONAL_DRAW,
    RESHUFFLE,
    SKIP_AGAIN,
    WILD_ACTIONS,
    WILD_FOUR_ACTIONS,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.known_rules import check_known
from uno_pomdp.nets.belief_features import SETS, count_layers, none_held, write_expected
from uno_pomdp.policies.hands import insert_colour
from uno_pomdp.rules import Rules

VERSION: Final = 1
"""Of the encoding: a net's file says which one it was trained with."""
ACTIONS: Final = 62
"""The actions that it knows: those before `challenge`, with the ids that they have everywhere."""
OWN: Final = 0
UNSEEN: Final = 54
EXPECTED: Final = 108
LEGAL: Final = 162
STUCK: Final = 224
VOID: Final = 284
HELPLESS: Final = 288
RANK: Final = 289
SIZES: Final = 304
FEW: Final = 308
OTHER_FEW: Final = 312
CHOSEN: Final = 316
LEFT: Final = 320
OTHER_CHOSEN: Final = 324
OTHER_LEFT: Final = 328
RULES: Final = 332
FEATURES: Final = 337
"""Numbers in all."""

HAND_SCALE: Final = np.float32(0.1)
"""The input for one card in a hand."""
PILE_SCALE: Final = np.float32(0.02)
"""The input for one card in a pile."""
MOST_FEW: Final = 4
"""Hands of so many cards or fewer have inputs of their own."""

_ONE = np.uint64(1)
_RULE_BITS = np.array([SKIP_AGAIN, MAY_PLAY, LAST_RESORT, OPTIONAL_DRAW, RESHUFFLE])

Order = npt.NDArray[np.int64]
"""Two rows: the colour at each place, and the place of each colour."""


def check_encoded(rules: Rules) -> None:
    """Refuse rules that the encoding does not know."""
    check_known(rules, f"the encoding of nets (version {VERSION})", "play heuristic or flat under these rules")


# --- colours and actions by place ------------------------------------------------------------------------


@kernel
def order_colours(seen: Record, unseen: Counts, order: Order) -> None:
    """Write the order of the colours for a seat: the active one first, then those of which it holds most."""
    place_colours(seen["hand"], unseen, as_int(seen["colours"]), as_int(seen["colour"]), order[0])
    for place in range(len(COLOURS)):
        order[1, order[0, place]] = place


@kernel
def place_colours(hand: Counts, unseen: Counts, colours: int, active: int, places: npt.NDArray[np.int64]) -> None:
    """Write the colour at each place, for a hand and what its owner does not see."""
    keys = np.empty(len(COLOURS), np.int64)
    for colour in range(len(COLOURS)):
        key = 0
        for card in range(RANKS_PER_COLOUR * colour, RANKS_PER_COLOUR * (colour + 1)):
            key += 256 * as_int(hand[card]) + as_int(unseen[card])
        if colours >> colour & 1:
            key += 1 << 20
        if active == colour:
            key += 1 << 21
        keys[colour] = key
        insert_colour(colour, keys, places)


@inner_kernel
def renamed(action: int, row: Order) -> int:
    """Return an action with its colour replaced: with the second row of an order by place, with the first back."""
    if action < COLOURED_TYPES:
        return as_int(RANKS_PER_COLOUR * row[action // RANKS_PER_COLOUR] + action % RANKS_PER_COLOUR)
    if action < WILD_FOUR_ACTIONS:
        return as_int(WILD_ACTIONS + row[action - WILD_ACTIONS])
    if action < DRAW:
        return as_int(WILD_FOUR_ACTIONS + row[action - WILD_FOUR_ACTIONS])
    return action


@inner_kernel
def rank_place(card: int) -> int:
    """Return the rank of a type; wild and wild +4 are the last two."""
    return card % RANKS_PER_COLOUR if card < COLOURED_TYPES else card - COLOURED_TYPES + RANKS_PER_COLOUR


# --- all of it -------------------------------------------------------------------------------------------


@kernel
def encode(
    seen: Record,
    unseen: Counts,
    mixtures: Mixtures,
    at: int,
    trace: Record,
    legal: np.uint64,
    order: Order,
    row: Singles,
) -> None:
    """Write the order of colours and a row of `FEATURES` numbers for a seat that has a choice.

    `mixtures[at]` is its belief about the opponent's hand; what is unseen and what is legal has been worked out.
    """
    m = mixtures[at]
    row[:] = 0.0
    order_colours(seen, unseen, order)
    for place in range(len(COLOURS)):
        first = RANKS_PER_COLOUR * order[0, place]
        for rank in range(RANKS_PER_COLOUR):
            row[OWN + RANKS_PER_COLOUR * place + rank] = seen["hand"][first + rank]
            row[UNSEEN + RANKS_PER_COLOUR * place + rank] = unseen[first + rank]
    for card in range(COLOURED_TYPES, CARD_TYPES):
        row[OWN + card] = seen["hand"][card]
        row[UNSEEN + card] = unseen[card]
    write_expected(m, order[0], row[EXPECTED:LEGAL])
    write_plays(seen, m, legal, order, row)
    row[RANK + rank_place(as_int(seen["top"]))] = 1.0
    write_sizes(seen, row)
    write_trace(seen, trace, order, row)
    for place in range(len(_RULE_BITS)):
        row[RULES + place] = as_int((seen["variant"] & _RULE_BITS[place]) != 0)


@kernel
def write_plays(seen: Record, m: Mixture, legal: np.uint64, order: Order, row: Singles) -> None:
    """Write the legal actions, and how likely the opponent has no answer to each."""
    reach = np.empty((m["layouts"], m["groups"], SETS), np.uint8)
    count_layers(m, reach)
    for place in range(len(COLOURS)):
        row[VOID + place] = none_held(m, reach, order[0, place], RANKS_PER_COLOUR, False)
    top = as_int(seen["top"])
    rank = rank_place(top) if top < COLOURED_TYPES else RANKS_PER_COLOUR  # both black cards have a colour alone
    row[HELPLESS] = none_held(m, reach, as_int(seen["colour"]), rank, True)
    left = legal
    while left:
        action = lowest_bit(left)
        left &= left - _ONE
        name = renamed(action, order[1])
        row[LEGAL + name] = 1.0
        if action < COLOURED_TYPES:
            row[STUCK + name] = none_held(m, reach, action // RANKS_PER_COLOUR, action % RANKS_PER_COLOUR, True)
        elif action < WILD_FOUR_ACTIONS:
            row[STUCK + name] = none_held(m, reach, action - WILD_ACTIONS, RANKS_PER_COLOUR, True)
        elif action < DRAW:
            row[STUCK + name] = none_held(m, reach, action - WILD_FOUR_ACTIONS, RANKS_PER_COLOUR, True)


@kernel
def write_sizes(seen: Record, row: Singles) -> None:
    """Write how many cards lie where."""
    own, other = as_int(seen["hand_size"]), as_int(seen["opponent_size"])
    row[SIZES] = np.float32(own) * HAND_SCALE
    row[SIZES + 1] = np.float32(other) * HAND_SCALE
    row[SIZES + 2] = np.float32(as_int(seen["draw_size"])) * PILE_SCALE
    row[SIZES + 3] = np.float32(as_int(seen["played_size"])) * PILE_SCALE
    if 1 <= own <= MOST_FEW:
        row[FEW + own - 1] = 1.0
    if 1 <= other <= MOST_FEW:
        row[OTHER_FEW + other - 1] = 1.0


@kernel
def write_trace(seen: Record, trace: Record, order: Order, row: Singles) -> None:
    """Write what the plays of both said about colours."""
    own = as_int(seen["seat"])
    for place in range(len(COLOURS)):
        colour = order[0, place]
        row[CHOSEN + place] = trace["chosen"][own, colour]
        row[LEFT + place] = trace["left"][own, colour]
        row[OTHER_CHOSEN + place] = trace["chosen"][1 - own, colour]
        row[OTHER_LEFT + place] = trace["left"][1 - own, colour]
