"""Playing on by scripted policies: to the end, to a seat's next choice, or while there is nothing to choose."""

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import CHALLENGE, DRAW, DRAW_BIT, NO_COLOUR, NOBODY, RUNNING, Record, States
from uno_pomdp.game.rng import Stream, Streams
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import Policy, Weights, choose

_NONE = np.uint64(0)


@kernel
def points(winner: int, seat: int) -> float:
    """Return what a finished game is worth to a seat: 1 for a win, ½ for a draw."""
    if winner == NOBODY:
        return 0.5
    return 1.0 if winner == seat else 0.0


@inner_kernel
def choose_or_forced(state: Record, legal: np.uint64, policy: Policy, weights: Record, stream: Stream) -> int:
    """Return the only legal action, or what a policy chooses."""
    action = DRAW  # most forced moves
    if legal != DRAW_BIT:
        action = choose(policy, state, legal, weights, stream) if several(legal) else lowest_bit(legal)
    return action


@inner_kernel
def move(state: Record, legal: np.uint64, policy: Policy, weights: Record, stream: Stream) -> None:
    """Let the player to move do the only legal action, or what a policy chooses."""
    apply(state, choose_or_forced(state, legal, policy, weights, stream))


@kernel
def play_out(state: Record, first: Policy, second: Policy, weights: Record, stream: Stream) -> tuple[int, int]:
    """Play a game to its end, each seat by its policy; return the number of each seat's moves."""
    moves, seconds = 0, 0
    while state["status"] == RUNNING:
        turn = as_int(state["turn"])
        moves += 1
        seconds += turn
        move(state, legal_mask(state), second if turn else first, weights, stream)
    return moves - seconds, seconds


@inner_kernel
def until_choice(state: Record, seat: int, model: Policy, weights: Record, stream: Stream) -> int:
    """Let forced moves and the opponent's moves happen; return the seat's own moves before its next choice."""
    forced = 0
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        own = state["turn"] == seat
        if own and several(legal):
            break
        forced += as_int(own)
        move(state, legal, model, weights, stream)
    return forced


@inner_kernel
def until_open(state: Record, draws: bool) -> np.uint64:
    """Let forced moves happen, draws only if told so; return what is legal then, nothing at the end of the game."""
    legal = legal_mask(state)
    while legal != _NONE and not several(legal) and (draws or legal != DRAW_BIT):
        apply(state, lowest_bit(legal))
        legal = legal_mask(state)
    return legal


@kernel
def play_worlds_out(
    worlds: States,
    table: States,
    actions: npt.NDArray[np.int64],
    policy: Policy,
    weights: Weights,
    caught: bool,
    streams: Streams,
    results: Floats,
) -> None:
    """Write the points of each action in each world `[worlds, actions]`, both seats playing on by the policy.

    Common random numbers: the same worlds serve all actions, so the choice of worlds adds little to their differences.
    Whether an action that is a +4 is challenged is told by the policy, unless its player is `caught` by what was shown.
    """
    for w in range(len(worlds)):
        seat = worlds[w]["turn"]
        for a in range(len(actions)):
            table[0] = worlds[w]
            state = table[0]
            apply(state, actions[a])
            if caught and state["before"] != NO_COLOUR and state["status"] == RUNNING:
                apply(state, CHALLENGE)
            play_out(state, policy, policy, weights[0], streams[0])
            results[w, a] = points(state["winner"], seat)
