"""Matches of scripted agents wholly inside kernels: the same deals as everywhere else, a million games in seconds.

Each pair has a seed of its own: the number with the pair's index in the SplitMix64 sequence of the match's seed. It
deals both games and seeds the players' random streams, so a pair is the same in whatever process or order it is
played.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Agent
from uno_pomdp.arena.results import PAIR, Pairs
from uno_pomdp.cards import MAX_CARDS
from uno_pomdp.evaluation.heuristic_value import HeuristicValue
from uno_pomdp.evaluation.luck import CHALLENGED, DRAWN, deal_one, judge_draw, turn_up
from uno_pomdp.evaluation.win_probability import WinProbability, win_probability_of
from uno_pomdp.game.bits import several
from uno_pomdp.game.kernels import deal, legal_mask
from uno_pomdp.game.layout import (
    FIRST,
    NO_COLOUR,
    NOBODY,
    RUNNING,
    SEATS,
    STATE,
    SWAP,
    SWAPS,
    UNTIL_PLAYABLE,
    Record,
    States,
    template,
)
from uno_pomdp.game.rng import GOLDEN, STREAM, Stream, Streams, mix, seeds
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import Weights
from uno_pomdp.policies.rollouts import move
from uno_pomdp.rules import Rules

_PLAYERS = np.uint64(0xD1B54A32D192ED03)
"""Separates the players' random streams from the deal, which has the same seed."""


@dataclass(frozen=True, slots=True)
class KernelPlayers:
    """Two agents as kernels know them, A then B."""

    policies: npt.NDArray[np.int64]
    weights: Weights
    """For each, the weights with which it plays if its policy is `heuristic`."""


def kernel_players(agents: tuple[Agent, Agent]) -> KernelPlayers | None:
    """Return the agents for play inside kernels; None if kernels can't stand in for one of them."""
    models = [agent.can.kernel_policy for agent in agents]
    found = [model for model in models if model is not None]
    if len(found) < len(models):
        return None
    policies = np.array([model.policy for model in found], np.int64)
    return KernelPlayers(policies, np.concatenate([model.weights for model in found]))


def pair_seeds(seed: int, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return the seeds of these pairs of a match; each deals both games of its pair."""
    result = np.empty(len(indices), np.uint64)
    pair_seeds_all(seeds(seed, 1)[0], indices, result)
    return result


def play_pairs(
    rules: Rules, seed: int, players: KernelPlayers, indices: npt.NDArray[np.int64], luck: bool = False
) -> Pairs:
    """Play these pairs of a match; with `luck`, measure their luck too, which then takes most of the time.

    Luck is measured by the heuristic value alone: in games of scripted policies it is as good as both nets together.
    """
    pairs = np.zeros(len(indices), PAIR)
    pairs["index"] = indices
    deal_seeds = pair_seeds(seed, indices)
    undealt, table, streams = template(rules), np.zeros(2, STATE), np.zeros(1, STREAM)
    policies, weights = players.policies, players.weights
    if luck:
        scratch = np.zeros(2, STATE)
        play_pairs_with_luck(
            undealt, table, rules.hand_size, deal_seeds, policies, weights, streams, pairs,
            scratch, win_probability_of(HeuristicValue(), None),
        )  # fmt: skip
    else:
        pairs["luck"] = np.nan
        play_pairs_all(undealt, table, rules.hand_size, deal_seeds, policies, weights, streams, pairs)
    return pairs


@kernel
def pair_seeds_all(key: np.uint64, indices: npt.NDArray[np.int64], result: npt.NDArray[np.uint64]) -> None:
    """Write the seed of each pair."""
    for row in range(len(indices)):
        result[row] = mix(key + GOLDEN * np.uint64(indices[row] + 1))


@kernel
def play_pairs_all(
    undealt: States,
    table: States,
    hand_size: int,
    deal_seeds: npt.NDArray[np.uint64],
    policies: npt.NDArray[np.int64],
    weights: Weights,
    streams: Streams,
    pairs: Pairs,
) -> None:
    """Deal a game for each seed and play it twice, A as player 1 and then as player 2."""
    for row in range(len(deal_seeds)):
        deal_twice(table, undealt, hand_size, deal_seeds[row])
        for first in SEATS:
            state = table[first]
            streams[0]["state"] = stream_start(deal_seeds[row], first)
            actions, turns, before = 0, 0, NOBODY
            while state["status"] == RUNNING:
                mover = act_one(state, first, policies, weights, streams[0], pairs[row])
                actions += 1
                turns += as_int(mover != before)
                before = mover
            note_length(pairs[row], first, actions, turns)
            pairs[row]["points"][first] = doubled_points(state, first)


@kernel
def stream_start(deal_seed: np.uint64, game: int) -> np.uint64:
    """Return where the players' stream starts in the first or second game of a pair."""
    return mix((deal_seed ^ _PLAYERS) + GOLDEN * np.uint64(game))


@kernel
def doubled_points(state: Record, seat: int) -> int:
    """Return the doubled points of a seat in a finished game."""
    winner = as_int(state["winner"])
    return 1 if winner == NOBODY else 2 * as_int(winner == seat)


@kernel
def deal_twice(table: States, undealt: States, hand_size: int, seed: np.uint64) -> None:
    """Deal a game, and lay the same cards out once more."""
    deal(table, 0, undealt, hand_size, seed)
    table[1] = table[0]


@inner_kernel
def act_one(
    state: Record,
    first: int,
    policies: npt.NDArray[np.int64],
    weights: Weights,
    stream: Stream,
    pair: Record,
) -> int:
    """Carry out one action, A at seat `first`, and count it if it was a decision; return who made it."""
    legal = legal_mask(state)
    mover = as_int(state["turn"])
    agent = mover ^ first
    if several(legal):
        pair["decisions"][agent] += 1
    move(state, legal, policies[agent], weights[agent], stream)
    return mover


@kernel
def note_length(pair: Record, game: int, actions: int, turns: int) -> None:
    """Note how long the first or second game of a pair was."""
    pair["actions"] += actions
    pair["game_actions"][game] = actions
    pair["game_turns"][game] = turns


# --- the same games, with their luck ---------------------------------------------------------------------


@inner_kernel
def both_sizes(state: Record) -> int:
    """Return how many cards both players hold."""
    return as_int(state["hand_size"][0]) + as_int(state["hand_size"][1])


@inner_kernel
def swapped(before: Record, after: Record) -> bool:
    """Return whether an action has swapped the hands."""
    played = after["played_size"] > before["played_size"] and after["status"] == RUNNING
    return bool(played and (after["variant"] & SWAP) != 0 and SWAPS[after["top"]])


@kernel
def list_drawn(before: Record, after: Record, count: int, drawn: npt.NDArray[np.int64]) -> int:
    """Write the cards that an action drew, in order; return how many came before a reshuffle on the way.

    Cards taken off the pile stay in its memory, until a reshuffle takes their place.
    """
    early = 0
    if before["variant"] & UNTIL_PLAYABLE and before["penalty"] == 0:
        early = as_int(before["draw_size"])
    if early >= count:
        early = 0
    for nth in range(early):
        drawn[nth] = before["draw_pile"][before["draw_size"] - 1 - nth]
    for nth in range(early, count):
        drawn[nth] = after["draw_pile"][after["draw_size"] + count - 1 - nth]
    return early


@kernel
def play_pairs_with_luck(
    undealt: States,
    table: States,
    hand_size: int,
    deal_seeds: npt.NDArray[np.uint64],
    policies: npt.NDArray[np.int64],
    weights: Weights,
    streams: Streams,
    pairs: Pairs,
    scratch: States,
    evaluator: WinProbability,
) -> None:
    """Play the same games as `play_pairs_all`, and add up A's luck in each."""
    drawn = np.zeros(MAX_CARDS, np.int64)
    lucks = np.zeros(MAX_CARDS)
    for row in range(len(deal_seeds)):
        deal_twice(table, undealt, hand_size, deal_seeds[row])
        for first in SEATS:
            state, pair = table[first], pairs[row]
            streams[0]["state"] = stream_start(deal_seeds[row], first)
            scratch[0] = state
            luck, _ = deal_one(scratch, evaluator)
            drawer, hidden = NOBODY, 0
            actions, turns, before = 0, 0, NOBODY
            while state["status"] == RUNNING:
                scratch[0] = state
                mover = as_int(state["turn"])
                act_one(state, first, policies, weights, streams[0], pair)
                actions += 1
                turns += as_int(mover != before)
                before = mover
                count = both_sizes(state) - both_sizes(scratch[0])
                if drawer == mover or (drawer != NOBODY and (count > 0 or swapped(scratch[0], state))):
                    last, _ = turn_up(scratch, drawer, hidden, evaluator)
                    luck += last
                    drawer = NOBODY
                if count > 0:
                    owed = as_int(scratch[0]["penalty"])
                    early = list_drawn(scratch[0], state, count, drawn)
                    drawer = mover
                    if state["hand_size"][mover] == scratch[0]["hand_size"][mover]:
                        drawer = 1 - mover  # who was caught lying
                    challenged = scratch[0]["before"] != NO_COLOUR and (drawer != mover or count != owed)
                    what = CHALLENGED if challenged else DRAWN
                    judged, _ = judge_draw(scratch, what, drawer, drawn[:count], early, evaluator, lucks)
                    for nth in range(judged):
                        luck += lucks[nth]
                    hidden = drawn[count - 1]
                    if judged == count:
                        drawer = NOBODY
            note_length(pair, first, actions, turns)
            pair["points"][first] = doubled_points(state, first)
            pair["luck"][first] = luck if first == FIRST else -luck
