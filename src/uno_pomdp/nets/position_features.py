"""A value net of positions with both hands open, for given policies of both players: small, quick enough for search.

It is asked where somebody has a choice, and speaks for that seat, the *mover*. Colours have places as in
`policy_features`: the active one first, then those of which the mover holds most. Version 1 of its input encoding:

    from   numbers   field           meaning
    0      54        own             cards of each type in the mover's hand
    54     54        other           the same for the opponent
    108    54        own fits        1 for each type in the mover's hand that fits the top card: colour, rank or black
    162    54        other fits      the same for the opponent
    216    2         draw, keep      1 if legal
    218    15        rank            1 for the rank of the top card; wild and wild +4 are the last two
    233    4         sizes           the mover's hand / 10, the other's / 10, draw pile / 50, played pile / 50
    237    4         few             1 if the mover's hand has 1, 2, 3 or 4 cards
    241    4         other few       the same for the opponent
    245    4         pile            cards of each colour in the draw pile / 10
    249    2         pile, black     wilds and wild +4s in it / 10
    251    3         pile, rank      skips, reverses and +2s in it / 10
    254    5         opponent        1 for who the opponent is: the champion itself, random, greedy, baseline, heuristic

Against the champion both seats are asked; a scripted policy needs no net, so there the mover is always the champion.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, DRAW_TWO, RANKS_PER_COLOUR, REVERSE, SKIP
from uno_pomdp.game.kernels import count_pile, legal_mask
from uno_pomdp.game.layout import DRAW_BIT, KEEP_BIT, SEATS, Record
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.nets.net_file import Net, Shape, pass_through
from uno_pomdp.nets.policy_features import HAND_SCALE, MOST_FEW, PILE_SCALE, place_colours, rank_place

VERSION: Final = 1
"""Of the input encoding."""
FITS: Final = 108
PASSES: Final = 216
RANK: Final = 218
SIZES: Final = 233
FEW: Final = 237
PILE: Final = 245
OPPONENT: Final = 254
INPUTS: Final = 259
"""Numbers in all."""
OPPONENTS: Final = ("champion", "random", "greedy", "baseline", "heuristic")
"""Whom the champion may be playing against, in the order of their inputs."""
POSITIONS: Final = Shape("uno-pomdp positions", VERSION, INPUTS, 1)
"""A net that values positions."""

COLOUR_SCALE: Final = np.float32(0.1)
SHARES: Final = (SKIP, REVERSE, DRAW_TWO)
"""The ranks that are counted in the draw pile."""
_ONE = np.float32(1.0)


class Workspace(NamedTuple):
    """The workspace of a net: not to be shared by threads."""

    given: npt.NDArray[np.float32]
    """Inputs by place; only those that `where` names are valid."""
    where: npt.NDArray[np.int64]
    """Which inputs are not 0."""
    values: npt.NDArray[np.float32]
    """Room for the layers."""
    pile: Counts
    """Cards of each type in the draw pile."""
    unseen: Counts
    """Cards of each type that the mover does not see."""
    order: npt.NDArray[np.int64]
    """The colour at each place."""


def new_workspace(net: Net) -> Workspace:
    """Return a workspace for a net."""
    widest = int(net.sizes.max())
    return Workspace(
        np.zeros(widest, np.float32),
        np.zeros(widest, np.int64),
        np.zeros(widest, np.float32),
        np.zeros(CARD_TYPES, np.uint8),
        np.zeros(CARD_TYPES, np.uint8),
        np.zeros(len(COLOURS), np.int64),
    )


@kernel
def worth(net: Net, workspace: Workspace, state: Record, opponent: int) -> float:
    """Return what a position is worth to the seat that has a choice there, from −1 to 1."""
    count_pile(state, workspace.pile)
    return worth_with(net, workspace, workspace.pile, state, opponent)


@kernel
def worth_with(net: Net, workspace: Workspace, pile: Counts, state: Record, opponent: int) -> float:
    """Return the same for a position whose draw pile is made of other cards than its record says."""
    count = look(workspace, pile, state, opponent)
    pass_through(net, workspace.given, workspace.where, count, workspace.values)
    return float(np.tanh(workspace.values[0]))


@inner_kernel
def put(workspace: Workspace, count: int, place: int, number: np.float32) -> int:
    """Write one input; return how many there are."""
    workspace.given[place] = number
    workspace.where[count] = place
    return count + 1


@kernel
def look(workspace: Workspace, pile: Counts, state: Record, opponent: int) -> int:
    """Write all inputs that are not 0; return how many."""
    mover = as_int(state["turn"])
    for card in range(CARD_TYPES):
        workspace.unseen[card] = as_int(pile[card]) + as_int(state["hand"][1 - mover, card])
    place_colours(
        state["hand"][mover], workspace.unseen, as_int(state["colours"]), as_int(state["colour"]), workspace.order
    )
    rank = rank_place(as_int(state["top"]))
    count = 0
    for other in SEATS:
        count = put_hand(workspace, count, state["hand"][mover ^ other], rank, CARD_TYPES * other)
    legal = legal_mask(state)
    if legal & DRAW_BIT:
        count = put(workspace, count, PASSES, _ONE)
    if legal & KEEP_BIT:
        count = put(workspace, count, PASSES + 1, _ONE)
    count = put(workspace, count, RANK + rank, _ONE)
    for other in SEATS:
        size = as_int(state["hand_size"][mover ^ other])
        count = put(workspace, count, SIZES + other, np.float32(size) * HAND_SCALE)
        if 1 <= size <= MOST_FEW:
            count = put(workspace, count, FEW + MOST_FEW * other + size - 1, _ONE)
    count = put(workspace, count, SIZES + 2, np.float32(as_int(state["draw_size"])) * PILE_SCALE)
    count = put(workspace, count, SIZES + 3, np.float32(as_int(state["played_size"])) * PILE_SCALE)
    count = put_pile(workspace, count, pile)
    return put(workspace, count, OPPONENT + opponent, _ONE)


@kernel
def put_hand(workspace: Workspace, count: int, hand: npt.NDArray[np.uint8], rank: int, start: int) -> int:
    """Write a hand, and what of it fits the top card; return how many inputs there are."""
    for place in range(len(COLOURS)):
        first = RANKS_PER_COLOUR * workspace.order[place]
        for nth in range(RANKS_PER_COLOUR):
            held = hand[first + nth]
            if held:
                at = start + RANKS_PER_COLOUR * place + nth
                count = put(workspace, count, at, np.float32(held))
                if place == 0 or nth == rank:
                    count = put(workspace, count, FITS + at, _ONE)
    for card in range(COLOURED_TYPES, CARD_TYPES):
        held = hand[card]
        if held:
            count = put(workspace, count, start + card, np.float32(held))
            count = put(workspace, count, FITS + start + card, _ONE)
    return count


@kernel
def put_pile(workspace: Workspace, count: int, pile: Counts) -> int:
    """Write what the draw pile is made of; return how many inputs there are."""
    for place in range(len(COLOURS)):
        total = 0
        for card in range(RANKS_PER_COLOUR * workspace.order[place], RANKS_PER_COLOUR * (workspace.order[place] + 1)):
            total += as_int(pile[card])
        count = put(workspace, count, PILE + place, np.float32(total) * COLOUR_SCALE)
    for black in range(CARD_TYPES - COLOURED_TYPES):
        count = put(
            workspace,
            count,
            PILE + len(COLOURS) + black,
            np.float32(as_int(pile[COLOURED_TYPES + black])) * COLOUR_SCALE,
        )
    at = PILE + len(COLOURS) + CARD_TYPES - COLOURED_TYPES
    for nth in range(len(SHARES)):
        total = 0
        for card in range(SHARES[nth], COLOURED_TYPES, RANKS_PER_COLOUR):
            total += as_int(pile[card])
        count = put(workspace, count, at + nth, np.float32(total) * COLOUR_SCALE)
    return count
