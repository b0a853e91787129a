"""The walk through every history of a game: one kernel that uses the engine's rules and writes nodes into arrays.

At a node a player has a choice, chance has several outcomes, or the game is over. What is forced in between (the only
legal action, the only card that can be drawn) is carried out on the way and appears in the histories alone. Nodes are
numbered in the order in which they are met, so a parent comes before its children; so are information sets, and the
sequences of a player (an information set with one of its actions).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Int32s
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL, Counters, Nodes, Sets, Work
from uno_pomdp.game.bits import lowest_bit, popcount, several
from uno_pomdp.game.chance import CERTAIN, OPEN, DrawCursor, begin_draw, make_draw, new_cursor, next_draw
from uno_pomdp.game.information import (
    DREW_MORE,
    IN_A_TOKEN,
    HistoryTrie,
    Notes,
    history_after,
    new_notes,
    tell_drawn,
)
from uno_pomdp.game.kernels import apply, apply_noting, legal_mask, observe
from uno_pomdp.game.layout import (
    ACTIONS,
    CHALLENGE,
    DRAW,
    DRAW_BIT,
    NOBODY,
    RUNNING,
    STATE,
    Record,
    States,
)
from uno_pomdp.jit import as_int, kernel

NO_DRAW: Final = 0
"""In `Work.pending`: no draw is to be made; else the action that draws, which is never the first one."""
_ONE = np.uint64(1)


# --- one step --------------------------------------------------------------------------------------------


@kernel
def tell_both(histories: HistoryTrie, told: Int32s, notes: Notes) -> None:
    """Let both players see a move."""
    for seat in range(2):
        told[seat] = history_after(histories, as_int(told[seat]), seat, notes)


@kernel
def carry_out(state: Record, histories: HistoryTrie, told: Int32s, action: int, notes: Notes) -> None:
    """Carry out an action without chance, and tell both while the game goes on."""
    apply_noting(state, action, notes.moves[0])
    if state["status"] == RUNNING:
        tell_both(histories, told, notes)


@kernel
def go_on(
    state: Record,
    histories: HistoryTrie,
    told: Int32s,
    pending: int,
    cursor: DrawCursor,
    notes: Notes,
) -> int:
    """Carry out all that is forced, up to the next node; return the action whose draw chance makes there, or `NO_DRAW`.

    `pending` is an action that was chosen and whose draw is still to be made.
    """
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        if pending == NO_DRAW and legal == DRAW_BIT:
            pending = DRAW
        if pending != NO_DRAW:
            outlook = begin_draw(state, pending, cursor)
            if outlook == OPEN:
                return pending
            if outlook == CERTAIN:
                make_draw(state, pending, cursor, notes.moves[0])
                tell_both(histories, told, notes)
            else:
                apply(state, pending)  # it can't be made: the game is over
            pending = NO_DRAW
        elif not several(legal):
            carry_out(state, histories, told, lowest_bit(legal), notes)
        else:
            return NO_DRAW
    return NO_DRAW


# --- the walk --------------------------------------------------------------------------------------------


@kernel
def walk(
    work: Work,
    histories: HistoryTrie,
    set_of: Int32s,
    nodes: Nodes,
    sets: Sets,
    actions: npt.NDArray[np.uint8],
    counters: Counters,
    spare: int,
) -> bool:
    """Visit the places of the stack and all that follows; False if an array is full: then call it again with more room.

    `spare` is the room that one visit may need in the stack; `set_of` gives the information set of a history.
    """
    here = np.empty(1, STATE)
    told = np.empty(2, np.int32)
    did = np.empty(2, np.int32)
    notes = new_notes()
    cursor = new_cursor()
    while counters.work[0] > 0:
        if (
            counters.nodes[0] >= len(nodes.parent)
            or counters.sets[0] >= len(sets.seat)
            or counters.sequences[0] + ACTIONS > len(actions)
            or counters.work[0] + spare > len(work.parent)
            or histories.total[0] + 2 * spare > len(histories.parent)
        ):
            return False
        counters.work[0] -= 1
        place = counters.work[0]
        here[0] = work.state[place]
        state = here[0]
        for seat in range(2):  # not whole rows: that compiles to checks of shapes
            told[seat] = work.history[place, seat]
            did[seat] = work.sequence[place, seat]
        reach = work.reach[place]
        drawing = go_on(state, histories, told, as_int(work.pending[place]), cursor, notes)

        node = counters.nodes[0]
        counters.nodes[0] += 1
        nodes.parent[node] = work.parent[place]
        nodes.label[node] = work.label[place]
        nodes.probability[node] = work.probability[place]
        nodes.reach[node] = reach
        for seat in range(2):
            nodes.sequence[node, seat] = did[seat]
        nodes.information[node] = -1
        nodes.payoff[node] = 0
        if state["status"] != RUNNING:
            nodes.kind[node] = TERMINAL
            if state["winner"] != NOBODY:
                nodes.payoff[node] = 1 - 2 * as_int(state["winner"])
        elif drawing != NO_DRAW:
            nodes.kind[node] = CHANCE
            push_draws(work, counters, here, histories, told, did, node, reach, drawing, cursor, notes)
        else:
            mover = as_int(state["turn"])
            nodes.kind[node] = mover
            found = as_int(set_of[told[mover]])
            if found < 0:
                found = add_set(sets, actions, counters, state, mover, as_int(told[mover]), as_int(did[mover]), node)
                set_of[told[mover]] = found
            nodes.information[node] = found
            push_actions(work, counters, here, histories, told, did, node, reach, as_int(sets.first[found]), notes)
    return True


@kernel
def add_set(
    sets: Sets,
    actions: npt.NDArray[np.uint8],
    counters: Counters,
    state: Record,
    seat: int,
    history: int,
    parent: int,
    node: int,
) -> int:
    """Write a new information set and its sequences; return its number."""
    number = as_int(counters.sets[0])
    counters.sets[0] += 1
    sets.seat[number] = seat
    sets.history[number] = history
    sets.parent[number] = parent
    sets.first[number] = counters.sequences[0]
    sets.node[number] = node
    observe(sets.seen[number], state, seat)
    legal = legal_mask(state)
    while legal:
        actions[counters.sequences[0]] = lowest_bit(legal)
        counters.sequences[0] += 1
        legal &= legal - _ONE
    return number


@kernel
def push(
    work: Work, counters: Counters, node: int, label: int, probability: float, reach: float, told: Int32s, did: Int32s
) -> int:
    """Put a place on the stack and return its number; its position is the caller's."""
    place = as_int(counters.work[0])
    counters.work[0] += 1
    work.parent[place] = node
    work.label[place] = label
    work.probability[place] = probability
    work.reach[place] = reach * probability
    for seat in range(2):
        work.history[place, seat] = told[seat]
        work.sequence[place, seat] = did[seat]
    work.pending[place] = NO_DRAW
    return place


@kernel
def push_actions(
    work: Work,
    counters: Counters,
    here: States,
    histories: HistoryTrie,
    told: Int32s,
    did: Int32s,
    node: int,
    reach: float,
    first: int,
    notes: Notes,
) -> None:
    """Put what follows each legal action on the stack; the first action comes up first."""
    seat = as_int(here[0]["turn"])
    legal = legal_mask(here[0])
    after = popcount(legal)
    while legal:
        after -= 1
        action = highest_bit(legal)
        legal ^= _ONE << np.uint64(action)
        place = push(work, counters, node, action, 1.0, reach, told, did)
        work.state[place] = here[0]
        work.sequence[place, seat] = first + after
        if action in (DRAW, CHALLENGE):
            work.pending[place] = action
        else:
            carry_out(work.state[place], histories, work.history[place], action, notes)


@kernel
def highest_bit(mask: np.uint64) -> int:
    """Return the index of the highest bit set; there must be one."""
    highest = 0
    while mask:
        highest = lowest_bit(mask)
        mask &= mask - _ONE
    return highest


@kernel
def push_draws(
    work: Work,
    counters: Counters,
    here: States,
    histories: HistoryTrie,
    told: Int32s,
    did: Int32s,
    node: int,
    reach: float,
    action: int,
    cursor: DrawCursor,
    notes: Notes,
) -> None:
    """Put what follows each different draw on the stack, labelled with its cards, or if many with its number."""
    number = 0
    while cursor.size[0] > 0:
        place = push(work, counters, node, 0, 0.0, reach, told, did)
        chance = next_draw(here[0], action, cursor, work.state, place, notes.moves[0])
        work.probability[place] = chance
        work.reach[place] = reach * chance
        tell_both(histories, work.history[place], notes)
        count = as_int(notes.moves[0]["count"])
        tell_drawn(notes.moves[0], 0, count, notes.tokens, 0)
        work.label[place] = notes.tokens[0] if count <= IN_A_TOKEN else DREW_MORE | number
        number += 1
