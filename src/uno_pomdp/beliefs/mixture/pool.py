"""The beliefs of both players in many games, kept in arrays: kernels carry out actions and update both beliefs.

Each is one seat's closed form (`beliefs.mixture`) in a smaller record than a planner's. A step that branches
writes the spare record of the pool, which then takes the other's place: nothing is copied.

A mixture that does not fit is forgotten: the belief starts again with what sizes and unseen cards say, and that is
counted. Configurations with less than `floor` of the whole are dropped: at `mixture.NEGLIGIBLE` that is the
closed form itself, above it an approximation that costs less.

Challenges, swaps and draws until a card is playable are not followed here (`check_followed`): `ClosedFormBelief` does.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts
from uno_pomdp.beliefs.evidence import NO_TYPES, barred_types
from uno_pomdp.beliefs.mixture.mixture import NEGLIGIBLE, Mixtures, begin, sized_mixture
from uno_pomdp.beliefs.mixture.updates import step_card, step_draw, step_reshuffle
from uno_pomdp.cards import CARD_TYPES, COLOURS
from uno_pomdp.errors import UnoError
from uno_pomdp.game.kernels import decides_next, keep, needs_reshuffle, play, usual_draw
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    DRAW,
    KEEP,
    NO_CARD,
    RUNNING,
    SEATS,
    Record,
)
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.rules import Rules

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
"""The decay of a trace: the share of it that is left after one more play of its seat."""

UNKNOWN: Final = 2.0
"""A floor above every share: nothing is followed, and a belief knows sizes and unseen cards alone."""


class NotFollowed(UnoError):
    """Rules that beliefs in arrays do not follow."""


def check_followed(rules: Rules) -> None:
    """Refuse rules that `act` does not know."""
    for field, value in (("wild_four", "challenge"), ("draw", "until_playable"), ("swap", "seven_zero")):
        if getattr(rules, field) == value:
            raise NotFollowed(f"games with {field}={value} are not followed in arrays: choose rules without it")


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
    """Return beliefs for so many games, none of them begun."""
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
def begin_belief(beliefs: BeliefPool, game: int, state: Record, seat: int, deck: Counts) -> None:
    """Start a belief from what its seat sees, all of the past forgotten: right at the deal."""
    unseen = np.empty(CARD_TYPES, np.uint8)
    count_unseen(state, seat, deck, unseen)
    at = beliefs.place[game, seat]
    begin(beliefs.pool[at : at + 1], unseen, as_int(state["hand_size"][1 - seat]))


@kernel
def begin_beliefs(beliefs: BeliefPool, game: int, state: Record, deck: Counts) -> None:
    """Start both beliefs of a game that was just dealt."""
    trace = beliefs.traces[game]
    for seat in SEATS:
        if beliefs.floor < UNKNOWN:
            begin_belief(beliefs, game, state, seat, deck)
        for colour in range(len(COLOURS)):
            trace["chosen"][seat, colour] = 0.0
            trace["left"][seat, colour] = 0.0


# --- one action ------------------------------------------------------------------------------------------


@kernel
def act(beliefs: BeliefPool, game: int, state: Record, action: int, deck: Counts) -> None:
    """Carry out a legal action, and let both beliefs take it in."""
    seat, colour = as_int(state["turn"]), as_int(state["colour"])
    top, variant = as_int(state["top"]), as_int(state["variant"])
    follows = beliefs.floor < UNKNOWN
    if action < DRAW:
        from_hand = state["drawn"] == NO_CARD
        play(state, action)
        trace_play(beliefs.traces[game], seat, colour, as_int(ACTION_COLOUR[action]), action)
        if follows and state["status"] == RUNNING:
            card, barred = as_int(ACTION_CARD[action]), barred_types(action, False, 0, colour, top, variant)
            take_in_card(beliefs, game, state, 1 - seat, card, barred, from_hand, deck)
    elif action == KEEP:
        keep(state)
        if follows:
            take_in_draw(beliefs, game, state, 1 - seat, 1, NO_TYPES, deck)
    elif follows:
        draw_and_tell(beliefs, game, state, deck)
    else:
        usual_draw(state)


@kernel
def draw_and_tell(beliefs: BeliefPool, game: int, state: Record, deck: Counts) -> None:
    """Draw what is owed or one card, and let both beliefs take it in."""
    seat, variant = as_int(state["turn"]), as_int(state["variant"])
    penalty, size = as_int(state["penalty"]), as_int(state["hand_size"][seat])
    returned = np.zeros(CARD_TYPES, np.uint8)
    if needs_reshuffle(state, DRAW):
        for place in range(as_int(state["played_size"]) - 1):
            returned[state["played"][place]] += 1
    reshuffled = usual_draw(state)
    if state["status"] != RUNNING:
        return
    if reshuffled:
        for observer in SEATS:
            step_reshuffle(beliefs.pool[beliefs.place[game, observer]], returned)
    drawn = as_int(state["hand_size"][seat]) - size
    for nth in range(drawn):  # cards taken off the pile stay in its memory
        card = as_int(state["draw_pile"][state["draw_size"] + nth])
        if not take_in_card(beliefs, game, state, seat, card, NO_TYPES, False, deck):
            break
    barred = barred_types(DRAW, penalty > 0, drawn, as_int(state["colour"]), as_int(state["top"]), variant)
    slots = 0 if decides_next(DRAW, penalty > 0, drawn, variant) else drawn
    take_in_draw(beliefs, game, state, 1 - seat, slots, barred, deck)


@kernel
def take_in_card(
    beliefs: BeliefPool,
    game: int,
    state: Record,
    seat: int,
    card: int,
    barred: np.uint64,
    from_hand: bool,
    deck: Counts,
) -> bool:
    """Let a seat's belief take in a card that left the other hand or the pile; False if it had to be forgotten."""
    last = len(beliefs.place) - 1
    at, spare = beliefs.place[game, seat], beliefs.place[last, 0]
    if step_card(beliefs.pool[at], beliefs.pool[spare], beliefs.floor, card, barred, from_hand):
        beliefs.place[game, seat] = spare
        beliefs.place[last, 0] = at
        return True
    forget(beliefs, game, state, seat, deck)
    return False


@kernel
def take_in_draw(
    beliefs: BeliefPool, game: int, state: Record, seat: int, slots: int, barred: np.uint64, deck: Counts
) -> None:
    """Let a seat's belief take in a draw of the opponent."""
    if not step_draw(beliefs.pool[beliefs.place[game, seat]], beliefs.floor, slots, barred):
        forget(beliefs, game, state, seat, deck)


@kernel
def forget(beliefs: BeliefPool, game: int, state: Record, seat: int, deck: Counts) -> None:
    """Start a belief again whose mixture does not fit, and count it."""
    beliefs.forgotten[0] += 1
    begin_belief(beliefs, game, state, seat, deck)


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
