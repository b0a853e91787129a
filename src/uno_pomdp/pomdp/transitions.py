"""Moves as the model knows them: chance is drawn or listed afresh, piles have no order, each seat is told what it sees.

Kernels over state records. A *step* of the model is one action of the deciding seat, then the opponent's moves until
that seat has to act again or the game is over; a *move* is one action of either player.
"""

import numpy as np

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.chance import FAILS, begin_draw, new_cursor, next_draw, sort_cards
from uno_pomdp.game.information import Notes, new_notes, tell
from uno_pomdp.game.kernels import apply_noting, cards_asked, legal_mask
from uno_pomdp.game.layout import DRAW, NOBODY, RESHUFFLE, RUNNING, Record, States
from uno_pomdp.game.rng import Stream, Streams, advance, below, mix, uniform
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import Policy, Weights, choose

_NONE = np.uint64(0)


# --- one move --------------------------------------------------------------------------------------------


@kernel
def mix_pile(state: Record, stream: Stream) -> None:
    """Let chance put the cards on top of the pile that a draw takes, and order those that a reshuffle puts back."""
    count = cards_asked(DRAW, as_int(state["penalty"]), False, state["variant"])
    if state["variant"] & RESHUFFLE:
        stream["state"] = advance(stream["state"])
        state["rng"] = mix(stream["state"])
    size = as_int(state["draw_size"])
    pile = state["draw_pile"]
    if size >= count:
        for nth in range(count):
            place, last = below(stream, size - nth), size - nth - 1
            card = pile[place]
            pile[place] = pile[last]
            pile[last] = card


@kernel
def tell_pair(told: Int32s, notes: Notes) -> None:
    """Write what the noted move tells each seat: one token, under the rules that this model knows."""
    for seat in range(2):
        tell(notes, seat, True)
        told[seat] = notes.tokens[0]


@kernel
def make_move(state: Record, action: int, stream: Stream, told: Int32s, notes: Notes) -> None:
    """Carry out a legal action, chance included, and write what each seat is told."""
    if action == DRAW:
        mix_pile(state, stream)
    apply_noting(state, action, notes.moves[0])
    tell_pair(told, notes)


@kernel
def list_moves(states: States, action: int, after: States, probability: Floats, told: Int32s) -> int:
    """Write all that can follow a legal action in the first record, with probabilities; return how many.

    The draw pile has to lie in order of type, and does afterwards. −1 where the arrays are too short.
    """
    notes = new_notes()
    spare = len(after) - 1  # the last place keeps the record before the draw
    after[spare] = states[0]
    before, cursor = after[spare], new_cursor()
    if action != DRAW or begin_draw(before, action, cursor) == FAILS:
        after[0] = before
        probability[0] = 1.0
        apply_noting(after[0], action, notes.moves[0])
        tell_pair(told[0], notes)
        return 1
    found = 0
    while cursor.size[0] > 0:
        if found >= spare:
            return -1
        probability[found] = next_draw(before, action, cursor, after, found, notes.moves[0])
        tell_pair(told[found], notes)
        found += 1
    return found


# --- one step --------------------------------------------------------------------------------------------


@kernel
def sample_step(
    state: Record, action: int, seat: int, policy: Policy, weights: Record, stream: Stream, told: Int32s
) -> int:
    """Carry out a seat's action and the moves of a scripted opponent; return how many moves there were.

    Writes what the seat is told of each move into `told`, as far as it has room.
    """
    moves = 0
    notes, pair = new_notes(), np.empty(2, np.int32)
    while True:
        make_move(state, action, stream, pair, notes)
        if moves < len(told):
            told[moves] = pair[seat]
        moves += 1
        if state["status"] != RUNNING or state["turn"] == seat:
            return moves
        legal = legal_mask(state)
        forced = not several(legal)
        action = lowest_bit(legal) if forced else choose(policy, state, legal, weights, stream)


@kernel
def result_for(state: Record, seat: int) -> int:
    """Return a seat's result in a game that is over: 1, 0 or −1."""
    if state["winner"] == NOBODY:
        return 0
    return 1 if state["winner"] == seat else -1


@kernel
def canonical(state: Record) -> None:
    """Put a record into the one form of its model state: piles in order (the top card apart), no chance stored."""
    played = state["played"]
    sort_cards(state["draw_pile"], 0, as_int(state["draw_size"]))
    sort_cards(played, 0, as_int(state["played_size"]) - 1)
    for place in range(as_int(state["draw_size"]), len(state["draw_pile"])):
        state["draw_pile"][place] = 0
    for place in range(as_int(state["played_size"]), len(played)):
        played[place] = 0
    state["rng"] = _NONE


# --- the same for Python, with arrays of one ---------------------------------------------------------------


@kernel
def move_one(states: States, action: int, streams: Streams, told: Int32s) -> None:
    """Carry out a legal action in the first record."""
    make_move(states[0], action, streams[0], told, new_notes())


@kernel
def sample_step_one(
    states: States,
    action: int,
    seat: int,
    policy: Policy,
    weights: Weights,
    streams: Streams,
    told: Int32s,
) -> int:
    """Carry out a step in the first record."""
    return sample_step(states[0], action, seat, policy, weights[0], streams[0], told)


@kernel
def canonical_all(states: States, count: int) -> None:
    """Put the first records into canonical form."""
    for index in range(count):
        canonical(states[index])


@kernel
def result_one(states: States, seat: int) -> int:
    """Return a seat's result in the first record."""
    return result_for(states[0], seat)


@kernel
def uniform_one(streams: Streams) -> float:
    """Return a number uniform over [0, 1) from the first stream."""
    return uniform(streams[0])
