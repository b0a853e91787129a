"""Episodes of one seat against a scripted opponent, many side by side: the kernels of the vector environment.

An episode is one game. Its seeds come from the key of its slot and the number of games that were dealt there before, so
that a game is the same in whatever thread, order or kind of environment it is played. What the opponent does happens
inside a step: whenever a step is over, the seat is asked or the game has ended. Nothing here runs Python for a game.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Counts, Ints
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.kernels import apply, deal, legal_mask, observe
from uno_pomdp.game.layout import ACTIONS, BIT, DRAW_BIT, NOBODY, RUNNING, Observations, Record, States
from uno_pomdp.game.rng import GOLDEN, Stream, Streams, mix
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets.count_features import write_counts
from uno_pomdp.policies.kernels import Policy, Weights, choose
from uno_pomdp.policies.rollouts import move

Masks = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

EITHER: Final = 2
"""As the seat: each game's seed says which."""

_ONE = np.uint64(1)
_OPPONENT = np.uint64(0xD1B54A32D192ED03)
"""Separates the opponent's random stream from the deal, which has the same seed."""
_SEAT = np.uint64(0x8CB92BA72F3D8DD7)
"""Separates the choice of the seat from both."""


class Episodes(NamedTuple):
    """Games in progress, a slot for each."""

    states: States
    """The games."""
    keys: npt.NDArray[np.uint64]
    """By slot: the key from which the seeds of its games are derived."""
    dealt: Ints
    """By slot: how many games were dealt there."""
    seats: Counts
    """By slot: which seat the actions are for."""
    streams: Streams
    """By slot: the random stream of the opponent."""
    over: Flags
    """By slot: whether its episode is over, told, and not begun anew."""
    undealt: States
    """A state record before the deal, to start games from."""


class Rows(NamedTuple):
    """What is written in a step."""

    observations: Counts
    """By slot: plain counts."""
    masks: Masks
    """By slot: the legal actions; `draw` alone once a game is over."""
    rewards: npt.NDArray[np.float64]
    """By slot: 1 for a win, −1 for a loss or an illegal action, else 0."""
    terminated: Flags
    """By slot: whether the episode has ended in this step."""
    illegal: Flags
    """By slot: whether an illegal action has ended it."""
    final: Counts
    """By slot, where games are dealt anew in the same step: the last observation of an episode that has ended."""


class Setting(NamedTuple):
    """What all slots have in common."""

    seat: int
    """Which seat the actions are for, or `EITHER`."""
    hand_size: int
    """Cards of a hand at the deal."""
    skips_forced: bool
    """Whether the seat's forced moves happen by themselves."""
    policy: Policy
    """How the opponent plays."""
    weights: Weights
    """The weights of that policy, as an array of one."""


# --- one game --------------------------------------------------------------------------------------------


@kernel
def game_seeds(key: np.uint64, number: int, seat: int) -> tuple[np.uint64, np.uint64, int]:
    """Return the deal seed of a slot's game, the start of the opponent's stream, and the seat that is played."""
    seed = mix(key + GOLDEN * (np.uint64(number) + _ONE))
    own = as_int(mix(seed ^ _SEAT) & _ONE) if seat == EITHER else seat
    return seed, mix(seed ^ _OPPONENT), own


@kernel
def opponent_action(states: States, policy: Policy, weights: Weights, streams: Streams) -> int:
    """Return what a scripted opponent does in the first game, in which it is to move."""
    legal = legal_mask(states[0])
    return choose(policy, states[0], legal, weights[0], streams[0]) if several(legal) else lowest_bit(legal)


@kernel
def play_on(state: Record, seat: int, setting: Setting, stream: Stream) -> None:
    """Let the opponent move until the seat is asked or the game is over; if so set, the seat's forced moves too."""
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        if as_int(state["turn"]) == seat and (several(legal) or not setting.skips_forced):
            break
        move(state, legal, setting.policy, setting.weights[0], stream)


@kernel
def reward_of(state: Record, seat: int) -> float:
    """Return what a finished game is worth to a seat, from −1 to 1."""
    winner = as_int(state["winner"])
    if winner == NOBODY:
        return 0.0
    return 1.0 if winner == seat else -1.0


# --- many ------------------------------------------------------------------------------------------------


@kernel
def begin_episode(episodes: Episodes, index: int, setting: Setting) -> None:
    """Deal the next game of a slot, and play on to where the seat is asked."""
    seed, start, own = game_seeds(episodes.keys[index], episodes.dealt[index], setting.seat)
    deal(episodes.states, index, episodes.undealt, setting.hand_size, seed)
    episodes.dealt[index] += 1
    episodes.seats[index] = own
    episodes.streams[index]["state"] = start
    episodes.over[index] = False
    play_on(episodes.states[index], own, setting, episodes.streams[index])


@kernel
def write_observation(episodes: Episodes, index: int, seen: Observations, row: Counts) -> None:
    """Write what the seat of a slot sees."""
    observe(seen[0], episodes.states[index], as_int(episodes.seats[index]))
    write_counts(seen[0], row)


@kernel
def write_mask(episodes: Episodes, index: int, masks: Masks) -> None:
    """Write what is legal in a slot."""
    state = episodes.states[index]
    legal = DRAW_BIT if episodes.over[index] or state["status"] != RUNNING else legal_mask(state)
    for action in range(ACTIONS):
        masks[index, action] = as_int(legal >> np.uint64(action) & _ONE)


@kernel
def first_unusable(episodes: Episodes, actions: Ints, waits: bool) -> int:
    """Return the first slot that can't be stepped: no action is given for it, or `waits` and it is over; else −1."""
    for index in range(len(actions)):
        if not 0 <= actions[index] < ACTIONS or (waits and episodes.over[index]):
            return index
    return -1


@kernel
def begin_all(episodes: Episodes, rows: Rows, chosen: Flags, seen: Observations, setting: Setting) -> None:
    """Begin anew in the slots that are chosen; write what every slot shows."""
    for index in range(len(chosen)):
        if chosen[index]:
            begin_episode(episodes, index, setting)
        write_observation(episodes, index, seen, rows.observations[index])
        write_mask(episodes, index, rows.masks)


@kernel
def step_all(
    episodes: Episodes, rows: Rows, actions: Ints, seen: Observations, same_step: bool, setting: Setting
) -> None:
    """Carry out an action in every slot, let opponents move, begin anew as the mode says, and write all rows."""
    for index in range(len(actions)):
        rows.rewards[index] = 0.0
        rows.terminated[index] = False
        rows.illegal[index] = False
        if episodes.over[index]:  # only where games are dealt anew at the next step
            begin_episode(episodes, index, setting)
        else:
            act(episodes, rows, index, actions[index], setting)
            if rows.terminated[index] and same_step:
                write_observation(episodes, index, seen, rows.final[index])
                begin_episode(episodes, index, setting)
        write_observation(episodes, index, seen, rows.observations[index])
        write_mask(episodes, index, rows.masks)


@kernel
def act(episodes: Episodes, rows: Rows, index: int, action: int, setting: Setting) -> None:
    """Carry out an action of a slot's seat; a game that was over before its first one takes any."""
    state, own = episodes.states[index], as_int(episodes.seats[index])
    if state["status"] == RUNNING:
        if not legal_mask(state) & BIT[action]:
            rows.illegal[index] = True
            rows.rewards[index] = -1.0
            rows.terminated[index] = True
            episodes.over[index] = True
            return
        apply(state, action)
        play_on(state, own, setting, episodes.streams[index])
    if state["status"] != RUNNING:
        rows.rewards[index] = reward_of(state, own)
        rows.terminated[index] = True
        episodes.over[index] = True
