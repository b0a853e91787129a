"""The public functions, each of which answers one question in one call. `uno_pomdp` exports them beside the classes."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from uno_pomdp.agents.agent import Budget
from uno_pomdp.arena.match import Maker, Match
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.tournament import Tournament, TournamentResult, run_tournament
from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.attempts import AttemptTrainer, challengers_of
from uno_pomdp.equilibrium.cfr import solve as solve_tree
from uno_pomdp.equilibrium.compact.compact_game import pays_off
from uno_pomdp.equilibrium.compact.compact_solution import exact_of_scripted
from uno_pomdp.equilibrium.nash_report import NashReport, nash_report
from uno_pomdp.equilibrium.sequence_form import BestResponse, Exploitability
from uno_pomdp.equilibrium.sequence_form import best_response as best_response_of
from uno_pomdp.equilibrium.sequence_form import exploitability as exploitability_of
from uno_pomdp.equilibrium.solved_game import SolvedGame
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import policy_of
from uno_pomdp.extras import require_torch
from uno_pomdp.game.actions import Action
from uno_pomdp.game.layout import FIRST, STATE, Seat, States
from uno_pomdp.game.rng import Seed, streams
from uno_pomdp.policies.kernels import WEIGHTS, policy_named
from uno_pomdp.policies.rollouts import play_worlds_out
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, as_rules


def match(
    first: Maker,
    second: Maker,
    *,
    pairs: int = 1000,
    rules: Rules | str = "house",
    seed: int = 0,
    records: str | os.PathLike[str] | None = None,
    kernels: bool = True,
    luck: bool | None = None,
    **how: Any,
) -> MatchResult:
    """Play duplicate deals between two agents and return the first one's points with a paired interval.

    Each deal is played twice with seats swapped. An agent is a text, or a class or function that makes one. With
    `records` the text of every game goes into that folder; without `kernels`, scripted agents are asked move by move;
    `luck` says whether luck is measured. Further arguments go to `run_match`: processes, store, test, report, cluster.
    The result's `lengths` are those of the games, in turns and in actions; its `milliseconds` are those of a decision.

    >>> import uno_pomdp as uno
    >>> result = uno.match("heuristic", "random", pairs=500, seed=1)
    >>> result.games, result.points.low > 0.5
    (1000, True)
    """
    folder = None if records is None else Path(records)
    return run_match(Match(as_rules(rules), (first, second), pairs, seed, folder, kernels, luck), **how)


def tournament(
    *agents: Maker,
    pairs: int = 200,
    rules: Rules | str = "house",
    seed: int = 0,
    against: str | None = None,
    **how: Any,
) -> TournamentResult:
    """Play every agent against every other, or all against one, and return cross table and Bradley–Terry ratings.

    `result.lengths(agent)` says how long an agent's games were, `result.milliseconds(agent)` its time for a decision.
    Further arguments go to `run_tournament`: processes, folder, report, cluster.

    >>> import uno_pomdp as uno
    >>> result = uno.tournament("random", "greedy", "heuristic", pairs=300, seed=1)
    >>> result.names, len(result.matches)
    (('random', 'greedy', 'heuristic'), 3)
    """
    return run_tournament(Tournament(as_rules(rules), agents, pairs, seed, against), **how)


def nash(
    agent: str,
    *,
    rules: Rules | str = "house",
    pairs: int = 200,
    simulations: int = 200,
    seed: int = 0,
    **how: Any,
) -> NashReport:
    """Is it a Nash equilibrium when both players use this agent? Return what is known about its exploitability.

    Lower bounds by searches for a best response, with joint intervals; on mini decks the exact best responses. Further
    arguments go to `nash_report`: folder, report, processes, cluster, trainers.

    >>> import uno_pomdp as uno
    >>> report = uno.nash("greedy", rules="mini-7", pairs=10, simulations=20)
    >>> report.verdict.partition(":")[0]
    'On mini-7 greedy against itself is no equilibrium'
    """
    wanted = as_rules(rules)
    challengers = challengers_of(agent, Budget(simulations=simulations), wanted)
    return nash_report(wanted, agent, challengers, pairs, seed, **how)


def solve(
    rules: Rules | str, *, until: float = 1e-3, variant: str = "pcfr+", iterations: int = 100_000, **how: Any
) -> SolvedGame:
    """Solve a mini deck: counterfactual regret minimisation until the exploitability is below `until`.

    >>> import uno_pomdp as uno
    >>> solution = uno.solve("mini-7", until=0.01)
    >>> solution.information_sets, solution.exploitability < 0.01, solution.value.low <= solution.value.high
    (716, True, True)
    """
    tree = build_tree(as_rules(rules))
    return SolvedGame(tree, solve_tree(tree, variant, target=until, iterations=iterations, **how))


def exploitability(agent: str, rules: Rules | str) -> Exploitability:
    """Return exactly how much an agent with a policy in closed form loses to its best responses on a mini deck.

    >>> import uno_pomdp as uno
    >>> print(uno.exploitability("greedy", "mini-7"))
    value +0.341512 for player 1, best responses +0.450000 and -0.253395, exploitability 0.098302 (4.915 points of 100)
    """
    wanted, model = as_rules(rules), make_agent(agent).can.kernel_policy
    if model is not None and pays_off(wanted):
        return exact_of_scripted(wanted, model)
    tree = build_tree(wanted)
    return exploitability_of(tree, policy_of(tree, lambda: make_agent(agent)))


def best_response(agent: str, rules: Rules | str, seat: Seat = FIRST) -> BestResponse:
    """Return the exact best response of one player to an agent with a policy in closed form, on a mini deck.

    >>> import uno_pomdp as uno
    >>> round(uno.best_response("greedy", "mini-7", seat=0).value, 6)
    0.45
    """
    tree = build_tree(as_rules(rules))
    return best_response_of(tree, policy_of(tree, lambda: make_agent(agent)), seat)


def rollouts(worlds: States, actions: Sequence[Action], policy: str = "heuristic", seed: Seed = 0) -> Floats:
    """Return the points of each action in each world `[worlds, actions]`; both players then follow a scripted policy.

    The player to move takes the action, then the game is played to its end: 1 for a win, ½ for a draw. Worlds come
    from `belief.sample`; the same worlds serve all actions.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> worlds = uno.ClosedFormBelief.after(game, seat=0).sample(300, seed=1)
    >>> uno.rollouts(worlds, game.legal_actions(), seed=2).shape
    (300, 3)
    """
    number = policy_named(policy)
    results = np.empty((len(worlds), len(actions)))
    ids = np.array([action.id for action in actions], np.int64)
    play_worlds_out(worlds, np.zeros(1, STATE), ids, number, WEIGHTS, False, streams(seed), results)
    return results


def learner(
    config: str = "small",
    *,
    rules: Rules | str = "house",
    measured: int = 20_000,
    seconds: float | None = None,
    **settings: Any,
) -> AttemptTrainer:
    """Return a trainer of a best response, one more attempt for `nash(…, trainers=[…])`; needs the extra `train`.

    `settings` are those of `uno-pomdp train --set`, such as `decisions=60_000`; `measured` is the number of games that
    measure what was learnt.

    >>> import uno_pomdp as uno
    >>> uno.learner("small", rules="mini-7", decisions=60_000).name
    'learned best response'
    """
    require_torch()
    from uno_pomdp.learning.config import config_of
    from uno_pomdp.learning.nash_attempt import Learner

    texts = {name: str(value) for name, value in settings.items()} | {"rules": as_rules(rules).name}
    return Learner(config_of(config, texts), games=measured, seconds=seconds)
