"""One level of information states at a time: every world of a level, every action, every reply of the opponent.

Kernels for scripted opponents; what they do is what `UnoPOMDP.successors` does, for all worlds of a level in one call.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.chance import FAILS, DrawCursor, begin_draw, new_cursor, next_draw
from uno_pomdp.game.information import HistoryTrie, Notes, begin, history_after, new_notes
from uno_pomdp.game.kernels import apply, apply_noting, legal_mask, observe
from uno_pomdp.game.layout import DRAW, OBSERVATION, RUNNING, STATE, Observations, Record, States
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import Policy, Weights, probability
from uno_pomdp.pomdp.deals import Deals, lay_out
from uno_pomdp.pomdp.transitions import result_for

Longs = npt.NDArray[np.int64]

_ONE = np.uint64(1)
DEAL = -1
"""In `Worlds.choice`: the deal led there."""


class Worlds(NamedTuple):
    """Positions with how likely they are as far as chance and the opponent decide; a stack or a level."""

    state: States
    """The position."""
    weight: Floats
    """How likely it is."""
    history: Int32s
    """What the seat has been told."""
    choice: Longs
    """The choice of the seat that led there."""
    pending: npt.NDArray[np.int8]
    """Whether the player to move has chosen to draw and chance is to say what."""
    total: Longs
    """How many there are, as an array of one."""


def new_worlds(room: int) -> Worlds:
    """Return room for so many worlds."""
    return Worlds(
        np.zeros(room, STATE),
        np.zeros(room),
        np.zeros(room, np.int32),
        np.zeros(room, np.int64),
        np.zeros(room, np.int8),
        np.zeros(1, np.int64),
    )


@kernel
def put(worlds: Worlds, weight: float, history: int, choice: int, pending: int) -> int:
    """Add a world and return its place; its position is the caller's."""
    place = as_int(worlds.total[0])
    worlds.total[0] += 1
    worlds.weight[place] = weight
    worlds.history[place] = history
    worlds.choice[place] = choice
    worlds.pending[place] = pending
    return place


@kernel
def start_deals(stack: Worlds, histories: HistoryTrie, undealt: States, deals: Deals, seat: int) -> None:
    """Put every deal on the stack."""
    for deal in range(len(deals.top)):
        history = begin(histories, seat, deals.top[deal], deals.hands[deal, seat])
        place = put(stack, deals.probability[deal], history, DEAL, 0)
        stack.state[place] = undealt[0]
        lay_out(stack.state[place], deals, deal)


@kernel
def start_choice(
    stack: Worlds,
    histories: HistoryTrie,
    worlds: Worlds,
    index: int,
    action: int,
    choice: int,
    seat: int,
    notes: Notes,
) -> None:
    """Put a world after an action of the seat on the stack."""
    place = put(stack, worlds.weight[index], as_int(worlds.history[index]), choice, as_int(action == DRAW))
    stack.state[place] = worlds.state[index]
    if action != DRAW:
        act(stack, histories, place, seat, action, notes)


@kernel
def act(stack: Worlds, histories: HistoryTrie, place: int, seat: int, action: int, notes: Notes) -> None:
    """Carry out an action without chance in a world, and tell the seat while the game goes on."""
    apply_noting(stack.state[place], action, notes.moves[0])
    if stack.state[place]["status"] == RUNNING:
        stack.history[place] = history_after(histories, as_int(stack.history[place]), seat, notes)


@kernel
def settle(
    stack: Worlds,
    level: Worlds,
    histories: HistoryTrie,
    seat: int,
    policy: Policy,
    weights: Weights,
    earned: Floats,
    spare: int,
) -> bool:
    """Let chance and the opponent go on in all worlds of the stack until the seat has to act; False: short of room.

    Those worlds are added to the level; what endings earn the seat is added to the choice that led there.
    """
    here = np.empty(1, STATE)
    seen = np.empty(1, OBSERVATION)
    notes, cursor = new_notes(), new_cursor()
    while stack.total[0] > 0:
        if (
            stack.total[0] + spare > len(stack.weight)
            or level.total[0] >= len(level.weight)
            or histories.total[0] + spare > len(histories.parent)
        ):
            return False
        stack.total[0] -= 1
        place = stack.total[0]
        here[0] = stack.state[place]
        state = here[0]
        weight, choice = stack.weight[place], as_int(stack.choice[place])
        history, pending = as_int(stack.history[place]), as_int(stack.pending[place])
        if state["status"] != RUNNING:
            earned[choice] += weight * result_for(state, seat)
        elif pending:
            push_draws(stack, histories, here, seat, weight, history, choice, cursor, notes)
        elif state["turn"] == seat:
            place = put(level, weight, history, choice, 0)
            level.state[place] = state
        else:
            push_opponent(stack, histories, here, seat, policy, weights, seen, weight, history, choice, notes)
    return True


@kernel
def push_draws(
    stack: Worlds,
    histories: HistoryTrie,
    here: States,
    seat: int,
    weight: float,
    history: int,
    choice: int,
    cursor: DrawCursor,
    notes: Notes,
) -> None:
    """Put what follows each different draw on the stack; the game is over where it can't be made."""
    state = here[0]
    if begin_draw(state, DRAW, cursor) == FAILS:
        place = put(stack, weight, history, choice, 0)
        stack.state[place] = state
        apply(stack.state[place], DRAW)
        return
    while cursor.size[0] > 0:
        place = put(stack, weight, history, choice, 0)
        stack.weight[place] = weight * next_draw(state, DRAW, cursor, stack.state, place, notes.moves[0])
        stack.history[place] = history_after(histories, history, seat, notes)


@kernel
def push_opponent(
    stack: Worlds,
    histories: HistoryTrie,
    here: States,
    seat: int,
    policy: Policy,
    weights: Weights,
    seen: Observations,
    weight: float,
    history: int,
    choice: int,
    notes: Notes,
) -> None:
    """Put what follows each move of the opponent on the stack, as likely as its policy makes it."""
    state = here[0]
    legal = legal_mask(state)
    forced = not several(legal)
    if not forced:
        observe(seen[0], state, 1 - seat)
    while legal:
        action = lowest_bit(legal)
        legal &= legal - _ONE
        chance = 1.0 if forced else chance_of(policy, seen[0], action, weights[0])
        if chance > 0.0:
            place = put(stack, weight * chance, history, choice, as_int(action == DRAW))
            stack.state[place] = state
            if action != DRAW:
                act(stack, histories, place, seat, action, notes)


@kernel
def chance_of(policy: Policy, seen: Record, action: int, weights: Record) -> float:
    """Return the probability of an action for the player who sees this."""
    return probability(policy, seen, seen["hand"], as_int(seen["drawn"]), action, weights)


@kernel
def advance_level(
    worlds: Worlds,
    first: Longs,
    position: Longs,
    stack: Worlds,
    level: Worlds,
    histories: HistoryTrie,
    seat: int,
    policy: Policy,
    weights: Weights,
    earned: Floats,
    spare: int,
) -> bool:
    """Try every action in every world of a level, from `position` on; False if an array is short of room.

    `first` gives the number of the first choice of each world's information state.
    """
    notes = new_notes()
    while settle(stack, level, histories, seat, policy, weights, earned, spare):
        if position[0] == worlds.total[0]:
            return True
        index = position[0]
        position[0] += 1
        choice = first[index]
        legal = legal_mask(worlds.state[index])
        while legal:
            start_choice(stack, histories, worlds, index, lowest_bit(legal), choice, seat, notes)
            legal &= legal - _ONE
            choice += 1
    return False


@kernel
def legal_all(worlds: Worlds, places: Longs, masks: npt.NDArray[np.uint64]) -> None:
    """Write what is legal in the worlds at these places."""
    for number in range(len(places)):
        masks[number] = legal_mask(worlds.state[places[number]])
