"""Moves as the model knows them: chance is drawn or listed afresh, piles have no order, each seat is told what it sees.

Kernels over state records. A *step* of the model is one action of the deciding seat, then the opponent's moves until
that seat has to act again or the game is over; a *move* is one action of either player.
"""

import numpy as np

from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.information import ACTED, DREW, OTHER_DREW, with_card
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import DRAW, NOBODY, RESHUFFLE, RUNNING, Record, States
from uno_pomdp.game.rng import Stream, Streams, advance, below, mix, uniform
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.policies.kernels import Policy, Weights, choose
from uno_pomdp.pomdp.chance import (
    MOST_DRAWN,
    Places,
    draw_probability,
    first_draw,
    next_draw,
    prepare_draw,
    put_next,
    sort_cards,
)

_NONE = np.uint64(0)


# --- one move --------------------------------------------------------------------------------------------


@kernel
def draw_at_random(state: Record, stream: Stream) -> int:
    """Draw what the player to move has to draw, each set of cards equally likely; return what that player is told."""
    seat, penalty = as_int(state["turn"]), as_int(state["penalty"])
    count = penalty if penalty > 0 else 1
    if state["variant"] & RESHUFFLE:  # the deck's own random state orders the cards that go back
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
    before = as_int(state["hand_size"][seat])
    apply(state, DRAW)
    return drawn_token(state, as_int(state["hand_size"][seat]) - before)


@kernel
def drawn_token(state: Record, count: int) -> int:
    """Return what the drawer of the last `count` cards is told: they still lie behind the end of the pile."""
    pile, size = state["draw_pile"], as_int(state["draw_size"])
    sort_cards(pile, size, size + count)
    token = DREW
    for place in range(size, size + count):
        token = with_card(token, as_int(pile[place]))
    return token


@kernel
def move(state: Record, action: int, stream: Stream, told: Int32s) -> None:
    """Carry out a legal action, chance included, and write what each seat is told."""
    seat = as_int(state["turn"])
    if action == DRAW:
        before = as_int(state["hand_size"][seat])
        told[seat] = draw_at_random(state, stream)
        told[1 - seat] = OTHER_DREW | (as_int(state["hand_size"][seat]) - before)
    else:
        apply(state, action)
        told[0] = ACTED | action
        told[1] = ACTED | action


@kernel
def list_moves(states: States, action: int, after: States, probability: Floats, told: Int32s) -> int:
    """Write all that can follow a legal action in the first record, with probabilities; return how many.

    The draw pile has to lie in order of type, and does afterwards. −1 where the arrays are too short.
    """
    after[0] = states[0]
    state = after[0]
    seat = as_int(state["turn"])
    probability[0] = 1.0
    if action != DRAW:
        apply(state, action)
        told[0, 0] = ACTED | action
        told[0, 1] = ACTED | action
        return 1
    count = prepare_draw(state, DRAW)
    if count == 0:
        apply(state, DRAW)
        told[0, seat] = DREW
        told[0, 1 - seat] = OTHER_DREW
        return 1
    places = np.empty(MOST_DRAWN, np.int64)
    first_draw(places, count)
    found = 0
    more = True
    spare = len(after) - 1  # the last place keeps the record before the draw
    after[spare] = state
    before = after[spare]
    while more:
        if found >= spare:
            return -1
        after[found] = before
        probability[found] = draw_probability(before, count, places)
        told[found, seat] = take(after[found], count, places)
        told[found, 1 - seat] = OTHER_DREW | count
        found += 1
        more = next_draw(before, count, places)
    return found


@kernel
def take(state: Record, count: int, places: Places) -> int:
    """Draw the cards at these places; return what the drawer is told."""
    token = DREW
    for nth in range(count):
        token = with_card(token, as_int(state["draw_pile"][places[nth]]))
    put_next(state, count, places)
    apply(state, DRAW)
    return token


# --- one step --------------------------------------------------------------------------------------------


@kernel
def sample_step(
    state: Record, action: int, seat: int, policy: Policy, weights: Record, stream: Stream, told: Int32s, pair: Int32s
) -> int:
    """Carry out a seat's action and the moves of a scripted opponent; return how many moves there were.

    Writes what the seat is told of each move into `told`, as far as it has room; `pair` is scratch for two.
    """
    moves = 0
    while True:
        move(state, action, stream, pair)
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
    move(states[0], action, streams[0], told)


@kernel
def sample_step_one(
    states: States,
    action: int,
    seat: int,
    policy: Policy,
    weights: Weights,
    streams: Streams,
    told: Int32s,
    pair: Int32s,
) -> int:
    """Carry out a step in the first record."""
    return sample_step(states[0], action, seat, policy, weights[0], streams[0], told, pair)


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
