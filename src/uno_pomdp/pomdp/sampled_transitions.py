"""Transitions of the full game: decisions from sampled games, and what follows each action in worlds from a belief."""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.game.actions import ACTIONS
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.game import Game
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import NOBODY, RUNNING, STATE, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, Streams, seeds, sequence, streams, uniform
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Policy, Weights, choose
from uno_pomdp.policies.rollouts import until_choice
from uno_pomdp.pomdp.fitted_value_iteration import InvalidFit, Transitions
from uno_pomdp.pomdp.linear_features import FEATURES, Evaluators, new_evaluator, write_features
from uno_pomdp.rules import Rules

MakeBelief = Callable[[Rules, Observation, Seed], Belief]
Report = Callable[[int, int], None]
"""Called with how many games are done, and how many there are."""

EXPLORE: Final = 0.25
"""How often the seat whose decisions are sampled acts at random: V has to know more than one way to play."""


def _closed(rules: Rules, seen: Observation, _: Seed) -> Belief:
    return ClosedFormBelief(rules, seen)


def _silent(done: int, of: int) -> None:
    del done, of


def sample_transitions(
    rules: Rules,
    games: int,
    worlds: int,
    seed: Seed,
    model: Policy = HEURISTIC,
    explore: float = EXPLORE,
    belief: MakeBelief = _closed,
    weights: Weights = WEIGHTS,
    report: Report = _silent,
) -> Transitions:
    """Return all decisions of one seat in games against a policy, with so many outcomes of each action.

    Seats take turns, game by game; the seat itself plays `heuristic`, and explores. Left out are decisions with one
    card in hand, which are won. `report` is told after each game how many of them are done.
    """
    if games < 1 or worlds < 1:
        raise InvalidFit(f"{games} games and {worlds} worlds can't be sampled: give at least 1 of each")
    check_known(rules, "fitted value iteration", "choose other rules", PLAIN_TURNS)
    deals, others = sequence(seed).spawn(2)
    sampler = _Sampler(rules, worlds, model, weights, explore, others)
    for number, deal_seed in enumerate(seeds(deals, games)):
        sampler.play(int(deal_seed), number % 2, belief)
        report(number + 1, games)
    return sampler.transitions()


class _Sampler:
    """Plays games and collects what follows each action."""

    def __init__(
        self,
        rules: Rules,
        worlds: int,
        model: Policy,
        weights: Weights,
        explore: float,
        seed: np.random.SeedSequence,
    ) -> None:
        self._rules = rules
        self._worlds = worlds
        self._model = model
        self._weights = weights
        self._explore = explore
        moves, self._seed = seed.spawn(2)
        self._stream = streams(moves)
        self._table = np.zeros(1, STATE)
        self._evaluator = new_evaluator(rules, np.zeros(FEATURES))
        self._features: list[Floats] = []
        self._actions: list[int] = []
        self._rows: list[tuple[npt.NDArray[np.float32], Floats, npt.NDArray[np.bool_], Ints]] = []

    def play(self, deal_seed: int, seat: int, make: MakeBelief) -> None:
        """Play one game, a seat with chance moves against the policy."""
        game = Game.new(self._rules, deal_seed)
        belief = make(self._rules, game.observation(seat), self._seed.spawn(1)[0])
        while not game.over:
            if game.turn == seat and len(game.legal_actions()) > 1 and len(belief.observation.hand) > 1:
                self._look_ahead(game, belief)
            who = (HEURISTIC, self._explore, WEIGHTS) if game.turn == seat else (self._model, 0.0, self._weights)
            game.apply(ACTIONS[move_of(game.to_state(), *who, self._stream)])
            belief.update(*game.last_step(seat))

    def _look_ahead(self, game: Game, belief: Belief) -> None:
        actions = np.array([action.id for action in game.legal_actions()])
        imagined = belief.sample(self._worlds, self._seed.spawn(1)[0])
        count = len(actions) * self._worlds
        rows = np.zeros((count, FEATURES), np.float32), np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, int)
        here = np.empty(FEATURES)
        step_all(imagined, self._table, actions, self._model, self._weights, self._stream, self._evaluator, here, *rows)
        self._features.append(here)
        self._actions.append(len(actions))
        self._rows.append(rows)

    def transitions(self) -> Transitions:
        """Return what was collected."""
        following, reward, over, moves = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        actions = np.concatenate([[0], np.cumsum(self._actions)])
        return Transitions(
            np.array(self._features, np.float32),
            actions,
            np.arange(actions[-1] + 1) * self._worlds,
            np.full(len(reward), 1.0 / self._worlds),
            reward,
            over,
            moves,
            following,
        )


@kernel
def move_of(states: States, policy: Policy, explore: float, weights: Weights, chance: Streams) -> int:
    """Return a move of a policy that sometimes takes any legal action instead."""
    legal = legal_mask(states[0])
    if uniform(chance[0]) < explore:
        return random_bit(legal, chance[0])
    return choose(policy, states[0], legal, weights[0], chance[0])


@kernel
def step_all(
    worlds: States,
    table: States,
    actions: Ints,
    model: Policy,
    weights: Weights,
    chance: Streams,
    evaluator: Evaluators,
    here: Floats,
    following: npt.NDArray[np.float32],
    reward: Floats,
    over: npt.NDArray[np.bool_],
    moves: Ints,
) -> None:
    """Write the decision's features, and what follows each action in each world `[action · worlds + world]`."""
    seat = as_int(worlds[0]["turn"])
    write_features(worlds[0], seat, evaluator[0])
    for feature in range(len(here)):
        here[feature] = evaluator[0]["features"][feature]
    for w in range(len(worlds)):
        for a in range(len(actions)):
            row = a * len(worlds) + w
            table[0] = worlds[w]
            state = table[0]
            apply(state, actions[a])
            moves[row] = 1 + until_choice(state, seat, model, weights[0], chance[0])
            if state["status"] != RUNNING:
                over[row] = True
                winner = as_int(state["winner"])
                reward[row] = 0.0 if winner == NOBODY else 1.0 if winner == seat else -1.0
            elif state["hand_size"][seat] == 1:  # it is played next, and wins
                over[row] = True
                reward[row] = 1.0
                moves[row] += 1
            else:
                write_features(state, seat, evaluator[0])
                for feature in range(len(here)):
                    following[row, feature] = evaluator[0]["features"][feature]
