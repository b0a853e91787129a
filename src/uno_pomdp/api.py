"""The functions of the front door: a question in one call. `uno_pomdp` exports them; classes come from their rooms."""

from typing import Any

from uno_pomdp.agents.agent import Budget
from uno_pomdp.arena.match import Maker, Match
from uno_pomdp.arena.results import MatchResult
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.tournament import Tournament, TournamentResult, run_tournament
from uno_pomdp.equilibrium.attempts import challengers_of
from uno_pomdp.equilibrium.cfr import solve as solve_tree
from uno_pomdp.equilibrium.nash_report import NashReport, nash_report
from uno_pomdp.equilibrium.sequence_form import Exploitability
from uno_pomdp.equilibrium.sequence_form import exploitability as exploitability_of
from uno_pomdp.equilibrium.solved_game import SolvedGame
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import policy_of
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, as_rules


def match(
    first: Maker, second: Maker, *, pairs: int = 1000, rules: Rules | str = "house", seed: int = 0, **how: Any
) -> MatchResult:
    """Play duplicate deals between two agents and return the first one's points with a paired interval.

    Each deal is played twice with seats swapped. An agent is a text, or what makes one: a class or function.
    Further arguments go to `run_match`: processes, store, test, report, cluster.

    >>> import uno_pomdp as uno
    >>> result = uno.match("heuristic", "random", pairs=500, seed=1)
    >>> result.games, result.points.low > 0.5
    (1000, True)
    """
    return run_match(Match(as_rules(rules), (first, second), pairs, seed), **how)


def tournament(
    *agents: Maker,
    pairs: int = 200,
    rules: Rules | str = "house",
    seed: int = 0,
    against: str | None = None,
    **how: Any,
) -> TournamentResult:
    """Play every agent against every other, or all against one, and return cross table and Bradley–Terry ratings.

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
    tree = build_tree(as_rules(rules))
    return exploitability_of(tree, policy_of(tree, lambda: make_agent(agent)))
