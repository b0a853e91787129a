"""What both players of many games can infer, kept in arrays: a game goes on and the beliefs of both follow, in kernels.

A *mind* is one seat's closed form (`beliefs.mixture`) in a smaller record than a planner's. A step that branches
writes the spare record of the pool, which then takes the other's place: nothing is copied.

A mixture that does not fit is forgotten: the mind starts again with what sizes and unseen cards say, and that is
counted. Configurations with less than `floor` of the whole are dropped: at `beliefs.mixture.NEGLIGIBLE` that is the
closed form itself, above it an approximation that costs less.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.beliefs.mixture.mixture import NEGLIGIBLE, Mixture, Mixtures, begin, copy_row, sized_mixture, tidy, weigh
from uno_pomdp.beliefs.mixture.updates import bar, open_group, play_card, remove_card
from uno_pomdp.cards import CARD_TYPES, COLOURS, WILD_FOUR
from uno_pomdp.game.kernels import draw, keep, play
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    COLOUR_MASK,
    DRAW,
    KEEP,
    LAST_RESORT,
    MAY_PLAY,
    NO_CARD,
    OPTIONAL_DRAW,
    PLAYABLE,
    RESHUFFLE,
    RUNNING,
    SEATS,
    Record,
)
from uno_pomdp.jit import as_int, inner_kernel, kernel

TRACE: Final = np.dtype(
    [
        ("chosen", np.float32, (2, len(COLOURS))),
        ("left", np.float32, (2, len(COLOURS))),
    ]
)
"""What the plays of each seat say about its colours, all of it public: those it turned to, and those it left."""
Traces = npt.NDArray[np.void]
"""An array of `TRACE`."""
FADES: Final = np.float32(0.8)
"""How much of a trace is left after one more play of its seat."""

UNKNOWN: Final = 2.0
"""A floor above every share: nothing is followed, and a mind knows sizes and unseen cards alone."""
_NONE = np.uint64(0)


class BeliefPool(NamedTuple):
    """What both seats of many games infer."""

    pool: Mixtures
    """Mixtures: two for each game, and a spare one."""
    place: npt.NDArray[np.int64]
    """By game and seat: where its mixture lies; last row: where the spare one lies."""
    traces: Traces
    """By game: what the plays say about colours."""
    floor: float
    """Configurations with less than this share are dropped."""
    forgotten: npt.NDArray[np.int64]
    """How many mixtures did not fit, as an array of one."""


def new_pool(games: int, floor: float = NEGLIGIBLE, configurations: int = 512) -> BeliefPool:
    """Return minds for so many games, none of them begun."""
    record = sized_mixture(configurations, 16, 32) if floor < UNKNOWN else sized_mixture(2, 2, 1)
    place = np.arange(2 * games + 2, dtype=np.int64).reshape(games + 1, 2)
    pool = np.zeros(2 * games + 1, record)
    return BeliefPool(pool, place, np.zeros(games, TRACE), floor, np.zeros(1, np.int64))


@kernel
def count_unseen(state: Record, seat: int, deck: Counts, unseen: Counts) -> None:
    """Write what a seat does not see: the deck less its hand and the played pile."""
    for card in range(CARD_TYPES):
        unseen[card] = deck[card] - state["hand"][seat, card]
    for place in range(state["played_size"]):
        unseen[state["played"][place]] -= 1


@kernel
def begin_belief(minds: BeliefPool, game: int, state: Record, seat: int, deck: Counts) -> None:
    """Start a mind from what its seat sees, all of the past forgotten: right at the deal."""
    unseen = np.empty(CARD_TYPES, np.uint8)
    count_unseen(state, seat, deck, unseen)
    at = minds.place[game, seat]
    begin(minds.pool[at : at + 1], unseen, as_int(state["hand_size"][1 - seat]))


@kernel
def begin_beliefs(minds: BeliefPool, game: int, state: Record, deck: Counts) -> None:
    """Start both minds of a game that was just dealt."""
    trace = minds.traces[game]
    for seat in SEATS:
        if minds.floor < UNKNOWN:
            begin_belief(minds, game, state, seat, deck)
        for colour in range(len(COLOURS)):
            trace["chosen"][seat, colour] = 0.0
            trace["left"][seat, colour] = 0.0


# --- one action ------------------------------------------------------------------------------------------


@kernel
def act(minds: BeliefPool, game: int, state: Record, action: int, deck: Counts) -> None:
    """Carry out a legal action, and let both minds take it in."""
    seat, colour = as_int(state["turn"]), as_int(state["colour"])
    top, variant = as_int(state["top"]), as_int(state["variant"])
    fits = True
    if action < DRAW:
        from_hand = state["drawn"] == NO_CARD
        card = as_int(ACTION_CARD[action])
        play(state, action)
        trace_play(minds.traces[game], seat, colour, as_int(ACTION_COLOUR[action]), action)
        if state["status"] == RUNNING and minds.floor < UNKNOWN:
            barred = COLOUR_MASK[colour] if card == WILD_FOUR and variant & LAST_RESORT else _NONE
            fits = sees_play(minds, game, 1 - seat, card, barred, from_hand)
    elif action == KEEP:
        keep(state)
        if minds.floor < UNKNOWN:
            fits = sees_draw(minds, game, 1 - seat, 1, _NONE)
    elif minds.floor < UNKNOWN:
        draw_and_tell(minds, game, state, PLAYABLE[colour, top], deck)
    else:
        draw(state)
    if not fits:
        forget(minds, game, state, 1 - seat, deck)


@kernel
def draw_and_tell(minds: BeliefPool, game: int, state: Record, playable: np.uint64, deck: Counts) -> None:
    """Draw what is owed or one card, and let both minds take it in."""
    seat, variant = as_int(state["turn"]), as_int(state["variant"])
    penalty, size = as_int(state["penalty"]), as_int(state["hand_size"][seat])
    returned = np.zeros(CARD_TYPES, np.uint8)
    if variant & RESHUFFLE and as_int(state["draw_size"]) < max(penalty, 1):
        for place in range(as_int(state["played_size"]) - 1):
            returned[state["played"][place]] += 1
    reshuffled = draw(state)
    if state["status"] != RUNNING:
        return
    if reshuffled:
        for observer in SEATS:
            sees_reshuffle(minds.pool[minds.place[game, observer]], returned)
    drawn = as_int(state["hand_size"][seat]) - size
    for nth in range(drawn):  # cards taken off the pile stay in its memory
        card = as_int(state["draw_pile"][state["draw_size"] + nth])
        if not sees_card(minds, game, seat, card):
            forget(minds, game, state, seat, deck)
            break
    barred = _NONE if penalty > 0 or variant & OPTIONAL_DRAW else playable
    undecided = penalty == 0 and variant & MAY_PLAY
    if not sees_draw(minds, game, 1 - seat, 0 if undecided else drawn, barred):
        forget(minds, game, state, 1 - seat, deck)


@kernel
def trace_play(trace: Record, seat: int, before: int, declared: int, action: int) -> None:
    """Note the colour that a play turned to by choice, and the one that it left."""
    for colour in range(len(COLOURS)):
        trace["chosen"][seat, colour] *= FADES
        trace["left"][seat, colour] *= FADES
    if declared != before:
        trace["left"][seat, before] += np.float32(1.0)
    if declared != before or ACTION_CARD[action] != action:
        trace["chosen"][seat, declared] += np.float32(1.0)


# --- what one mind takes in ------------------------------------------------------------------------------


@kernel
def forget(minds: BeliefPool, game: int, state: Record, seat: int, deck: Counts) -> None:
    """Start a mind again whose mixture does not fit, and count it."""
    minds.forgotten[0] += 1
    begin_belief(minds, game, state, seat, deck)


@inner_kernel
def swap(minds: BeliefPool, game: int, seat: int) -> None:
    """Let the spare record be the mind's, and its old one the spare."""
    spare = len(minds.place) - 1
    before = minds.place[game, seat]
    minds.place[game, seat] = minds.place[spare, 0]
    minds.place[spare, 0] = before


@kernel
def sees_play(minds: BeliefPool, game: int, seat: int, card: int, barred: np.uint64, from_hand: bool) -> bool:
    """Take in that the opponent played a card, from the hand or the one just drawn; False if it does not fit."""
    source = minds.pool[minds.place[game, seat]]
    target = minds.pool[minds.place[len(minds.place) - 1, 0]]
    if barred != 0:
        bar(source, barred)
    fits = play_card(source, target, card) if from_hand else remove_card(source, target, card)
    if fits:
        settle(target, minds.floor)
        swap(minds, game, seat)
    return fits


@kernel
def sees_card(minds: BeliefPool, game: int, seat: int, card: int) -> bool:
    """Take in a card that the seat itself drew; False if it does not fit."""
    source = minds.pool[minds.place[game, seat]]
    target = minds.pool[minds.place[len(minds.place) - 1, 0]]
    if not remove_card(source, target, card):
        return False
    settle(target, minds.floor)
    swap(minds, game, seat)
    return True


@kernel
def sees_draw(minds: BeliefPool, game: int, seat: int, slots: int, barred: np.uint64) -> bool:
    """Take in that the opponent drew, which may tell what its hand had not; False if it does not fit."""
    m = minds.pool[minds.place[game, seat]]
    if barred != 0:
        bar(m, barred)
    if slots > 0 and not open_group(m, slots):
        return False
    settle(m, minds.floor)
    return True


@kernel
def sees_reshuffle(m: Mixture, returned: Counts) -> None:
    """Take in that the played cards went back into the draw pile."""
    for k in range(m["layouts"]):
        for card in range(CARD_TYPES):
            m["layers"][k, m["groups"], card] += returned[card]
    weigh(m)


@kernel
def settle(m: Mixture, floor: float) -> None:
    """Bring a mixture to its canonical form, and drop what is below the floor; the largest always stays."""
    tidy(m)
    if floor <= NEGLIGIBLE:
        return
    kept = 0
    whole = 0.0
    for c in range(m["configurations"]):
        if m["weights"][c] >= floor:
            if kept != c:
                copy_row(m, kept, c)
            whole += m["weights"][kept]
            kept += 1
    if kept > 0:
        m["configurations"] = kept
        for c in range(kept):
            m["weights"][c] /= whole
