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
from uno_pomdp.game.kernels import apply, apply_noting, deal, legal_mask
from uno_pomdp.game.layout import (
    CHALLENGE,
    FIRST,
    MOVE,
    NOBODY,
    RUNNING,
    SEATS,
    STATE,
    SWAPPED,
    Record,
    States,
    template,
)
from uno_pomdp.game.rng import GOLDEN, STREAM, Stream, Streams, mix, seeds
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.kernels import Weights
from uno_pomdp.policies.rollouts import choose_or_forced
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
                mover = as_int(state["turn"])
                apply(state, choose_one(state, first, policies, weights, streams[0], pairs[row]))
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
def choose_one(
    state: Record,
    first: int,
    policies: npt.NDArray[np.int64],
    weights: Weights,
    stream: Stream,
    pair: Record,
) -> int:
    """Return what the player to move does, A at seat `first`, and count it if it is a decision."""
    legal = legal_mask(state)
    agent = as_int(state["turn"]) ^ first
    if several(legal):
        pair["decisions"][agent] += 1
    return choose_or_forced(state, legal, policies[agent], weights[agent], stream)


@kernel
def note_length(pair: Record, game: int, actions: int, turns: int) -> None:
    """Note how long the first or second game of a pair was."""
    pair["actions"] += actions
    pair["game_actions"][game] = actions
    pair["game_turns"][game] = turns


# --- the same games, with their luck ---------------------------------------------------------------------


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
    noted = np.zeros(1, MOVE)
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
                apply_noting(state, choose_one(state, first, policies, weights, streams[0], pair), noted[0])
                actions += 1
                turns += as_int(mover != before)
                before = mover
                count, swapped = as_int(noted[0]["count"]), noted[0]["flags"] & SWAPPED != 0
                if drawer == mover or (drawer != NOBODY and (count > 0 or swapped)):
                    last, _ = turn_up(scratch, drawer, hidden, evaluator)
                    luck += last
                    drawer = NOBODY
                if count > 0:
                    for nth in range(count):
                        drawn[nth] = noted[0]["drawn"][nth]
                    drawer, early = as_int(noted[0]["drawer"]), as_int(noted[0]["first"])
                    what = CHALLENGED if noted[0]["action"] == CHALLENGE else DRAWN
                    judged, _ = judge_draw(scratch, what, drawer, drawn[:count], early, evaluator, lucks)
                    for nth in range(judged):
                        luck += lucks[nth]
                    hidden = drawn[count - 1]
                    if judged == count:
                        drawer = NOBODY
            note_length(pair, first, actions, turns)
            pair["points"][first] = doubled_points(state, first)
            pair["luck"][first] = luck if first == FIRST else -luck
