"""Features of the heuristic value: numbers about a position in which a player has to draw, both hands open.

    view     4 × 6    of each colour, of each player: number cards, skips and reverses, +2s
             4 × 2    of each colour, of each player: types held
             6 × 2    of each two colours, of each player: ranks held in both
             4 × 2    of each colour, of each player: ranks held there that the other holds in another colour
             2 × 2    of each player: wilds, wild +4s
             2 × 6    of each player: cards, whether they are 1, 2, 3 or 4, and how many above 8
             5        cards of the top's rank in other colours (both), the other's playable types, none?, cards owed
    inputs   a view of the position, a view of where it leads (below), 12 numbers about the way there and the rules

The active colour comes first, the others in order of the cards the other player holds, so that the names of colours do
not matter. In a view "the other" stands first: it is the next to play. Where it leads: both play on by the heuristic,
and cards drawn are *blank*, until somebody could only play a blank one.

The value was fitted under `known_rules.PLAIN_RULES`. Under others it is a rougher estimate: nobody challenges, and a
draw until a card is playable is looked at as a draw of one.
"""

from typing import Final

import numpy as np

from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, DRAW_TWO, RANKS_PER_COLOUR, REVERSE, SKIP, WILD
from uno_pomdp.game.bits import lowest_bit, popcount
from uno_pomdp.game.kernels import apply, cards_asked, count_pile, exhaust, legal_mask, swaps_hands
from uno_pomdp.game.layout import (
    CHALLENGE_BIT,
    COLOUR_MASK,
    COLOURED_MASK,
    DRAW,
    DRAW_BIT,
    MAY_PLAY,
    NO_COLOUR,
    NOBODY,
    PLAYABLE,
    RANK_MASK,
    RESHUFFLE,
    RUNNING,
    SEATS,
    SKIP_AGAIN,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.hands import insert_colour
from uno_pomdp.policies.kernels import HEURISTIC, wanted_of

_TYPES = 24
_LINKS = 32
_ANSWERS = 44
_BLACK = 52
_SIZES = 56
_REST = 68
VIEW: Final = 73
"""Numbers in a view."""
_WAY = 2 * VIEW
INPUTS: Final = 2 * VIEW + 12
"""Numbers in all."""
FIRST_LAYER: Final = 64
SECOND_LAYER: Final = 32
BLANK_DRAWS: Final = 3
"""How often blank cards are drawn before the position is looked at again."""

WORKSPACE: Final = np.dtype(
    [
        ("input", np.float32, (INPUTS,)),
        ("first", np.float32, (FIRST_LAYER,)),
        ("second", np.float32, (SECOND_LAYER,)),
        ("pile", np.uint8, (CARD_TYPES,)),
        ("pile_size", np.int64),
        ("held", np.int64, (4, 2, 3)),
        ("ranks", np.uint64, (4, 2)),
        ("order", np.int64, (4,)),
        ("keys", np.int64, (4,)),
        ("blank", np.int64, (2,)),
        ("blank_draws", np.int64),
        ("plays", np.int64),
    ],
    align=True,
)
"""The workspace: inputs, layers, the draw pile as counts, and other scratch space."""

_ONE = np.uint64(1)
_RANKS = np.uint64((1 << RANKS_PER_COLOUR) - 1)
_NUMBER, _SKIPPING, _DRAWING = 0, 1, 2
_KIND = np.array([{SKIP: 1, REVERSE: 1, DRAW_TWO: 2}.get(t % RANKS_PER_COLOUR, 0) for t in range(COLOURED_TYPES)])
_FEW_CARDS = 4
_MANY_CARDS = 8


@kernel
def can_be_drawn(state: Record) -> bool:
    """Return whether the draw pile can give what a draw now asks for, with the reshuffle if there is one."""
    count = cards_asked(DRAW, as_int(state["penalty"]), False, state["variant"])
    size = as_int(state["draw_size"])
    if state["variant"] & RESHUFFLE:
        size += as_int(state["played_size"]) - 1
    return size >= count


@inner_kernel
def play_by_heuristic(state: Record, legal: np.uint64, weights: Record) -> None:
    """Play what the heuristic plays, the lowest id among equals."""
    apply(state, lowest_bit(wanted_of(HEURISTIC, state, legal, weights)))


@kernel
def note_pile(workspace: Record, state: Record) -> None:
    """Note what lies in the draw pile."""
    count_pile(state, workspace["pile"])
    workspace["pile_size"] = state["draw_size"]


@kernel
def look(workspace: Record, state: Record, weights: Record) -> None:
    """Write the inputs for a position in which the player to move has to draw; overwrites the position."""
    drawer = as_int(state["turn"])
    view(workspace, state, 0)
    play_on(workspace, state, weights)
    inputs = workspace["input"]
    for place in range(VIEW, INPUTS):
        inputs[place] = 0.0
    inputs[_WAY] = workspace["blank_draws"]
    inputs[_WAY + 1] = workspace["plays"]
    inputs[_WAY + 2] = as_int((state["variant"] & MAY_PLAY) != 0)
    if state["status"] != RUNNING:
        if state["winner"] != NOBODY:
            inputs[_WAY + 3] = 1.0 if state["winner"] == drawer else -1.0
        return
    view(workspace, state, VIEW)
    mover = as_int(state["turn"])
    playable = PLAYABLE[state["colour"], state["top"]]
    fitting = 0
    while playable:
        fitting += as_int(workspace["pile"][lowest_bit(playable)])
        playable &= playable - _ONE
    misses = 1.0 - fitting / (workspace["pile_size"] if workspace["pile_size"] > 0 else 1)
    inputs[_WAY + 4] = 1.0 if mover == drawer else -1.0
    inputs[_WAY + 5] = workspace["blank"][mover]
    inputs[_WAY + 6] = workspace["blank"][1 - mover]
    inputs[_WAY + 7] = misses
    inputs[_WAY + 8] = misses ** workspace["blank"][mover]
    inputs[_WAY + 9] = misses ** workspace["blank"][1 - mover]
    if mover != drawer:
        inputs[_WAY + 10] = inputs[_WAY + 8]
        inputs[_WAY + 11] = inputs[_WAY + 9]


@kernel
def play_on(workspace: Record, state: Record, weights: Record) -> None:
    """Let both play by the heuristic and draw blank cards, until somebody could only play a blank one."""
    blank = workspace["blank"]
    blank[0] = 0
    blank[1] = 0
    workspace["blank_draws"] = 0
    workspace["plays"] = 0
    while state["status"] == RUNNING:
        legal = legal_mask(state) & ~CHALLENGE_BIT
        if legal != DRAW_BIT:
            workspace["plays"] += 1
            play_by_heuristic(state, legal, weights)
            if swaps_hands(state["top"], state["variant"]) and state["status"] == RUNNING:
                blank[0], blank[1] = blank[1], blank[0]
            continue
        seat = as_int(state["turn"])
        penalty = as_int(state["penalty"])
        if penalty == 0 and blank[seat] > 0:
            return
        if not can_be_drawn(state):
            exhaust(state)
            return
        if workspace["blank_draws"] == BLANK_DRAWS:
            return
        count = cards_asked(DRAW, penalty, False, state["variant"])
        blank[seat] += count
        workspace["blank_draws"] += 1
        state["hand_size"][seat] += count
        size = as_int(state["draw_size"])
        state["draw_size"] = size - count if count < size else 0
        state["penalty"] = 0
        state["before"] = NO_COLOUR
        state["turn"] = 1 - seat


@kernel
def view(workspace: Record, state: Record, start: int) -> None:
    """Write one view, from `start` on."""
    mover = as_int(state["turn"])
    active = as_int(state["colour"])
    inputs = workspace["input"]
    for place in range(start, start + VIEW):
        inputs[place] = 0.0
    for place in SEATS:
        seat = mover ^ 1 ^ place
        count_hand(workspace, state, seat, place)
        inputs[start + _BLACK + 2 * place] = state["hand"][seat, WILD]
        inputs[start + _BLACK + 2 * place + 1] = state["hand"][seat, WILD + 1]
        size = as_int(state["hand_size"][seat])
        first = start + _SIZES + 6 * place
        inputs[first] = size
        if size <= _FEW_CARDS:
            inputs[first + size] = 1.0
        elif size > _MANY_CARDS:
            inputs[first + 5] = size - _MANY_CARDS
        top = as_int(state["top"])
        if top < COLOURED_TYPES:
            same = RANK_MASK[top % RANKS_PER_COLOUR] & ~COLOUR_MASK[active]
            inputs[start + _REST + place] = popcount(state["hand_mask"][seat] & same)
    order_colours(workspace, active)
    write_colours(workspace, start)
    playable = popcount(state["hand_mask"][1 - mover] & PLAYABLE[active, state["top"]])
    inputs[start + _REST + 2] = playable
    inputs[start + _REST + 3] = as_int(playable == 0)
    inputs[start + _REST + 4] = cards_asked(DRAW, as_int(state["penalty"]), False, state["variant"])


@kernel
def count_hand(workspace: Record, state: Record, seat: int, place: int) -> None:
    """Count a hand by colour and kind; a skip without effect counts as a number."""
    mask = state["hand_mask"][seat] & COLOURED_MASK
    for colour in range(len(COLOURS)):
        workspace["ranks"][colour, place] = (mask >> np.uint64(RANKS_PER_COLOUR * colour)) & _RANKS
        for kind in range(3):
            workspace["held"][colour, place, kind] = 0
    again = state["variant"] & SKIP_AGAIN
    while mask:
        card = lowest_bit(mask)
        mask &= mask - _ONE
        kind = _KIND[card] if again or _KIND[card] == _DRAWING else _NUMBER
        workspace["held"][card // RANKS_PER_COLOUR, place, kind] += as_int(state["hand"][seat, card])


@kernel
def order_colours(workspace: Record, active: int) -> None:
    """Put the active colour first, then those of which the other holds more; the mover's cards break ties."""
    for colour in range(len(COLOURS)):
        workspace["keys"][colour] = colour_key(workspace, colour, active)
        insert_colour(colour, workspace["keys"], workspace["order"])


@inner_kernel
def colour_key(workspace: Record, colour: int, active: int) -> int:
    """Return what colours are ordered by."""
    if colour == active:
        return 1 << 30
    held = workspace["held"][colour]
    return as_int(256 * (held[0, 0] + held[0, 1] + held[0, 2]) + held[1, 0] + held[1, 1] + held[1, 2])


@kernel
def write_colours(workspace: Record, start: int) -> None:
    """Write what a view says of the colours, in their order."""
    inputs, order, ranks = workspace["input"], workspace["order"], workspace["ranks"]
    for player in range(2):
        link = start + _LINKS + 6 * player
        for nth in range(len(COLOURS)):
            colour = order[nth]
            own = ranks[colour, player]
            for kind in range(3):
                inputs[start + 6 * nth + 3 * player + kind] = workspace["held"][colour, player, kind]
            inputs[start + _TYPES + 2 * nth + player] = popcount(own)
            elsewhere = np.uint64(0)
            for other in range(len(COLOURS)):
                if other != nth:
                    elsewhere |= ranks[order[other], 1 - player]
                if other > nth:
                    inputs[link] = popcount(own & ranks[order[other], player])
                    link += 1
            inputs[start + _ANSWERS + 2 * nth + player] = popcount(own & elsewhere)
