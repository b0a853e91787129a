"""The searches of the package, each composed of its parts."""

from typing import Final

from uno_pomdp.agents.agent import Budget, Clock, InvalidAgent
from uno_pomdp.jit import working_time
from uno_pomdp.nets.net_file import NetFile
from uno_pomdp.nets.policy_net import PolicyNet
from uno_pomdp.nets.position_features import OPPONENTS
from uno_pomdp.policies.kernels import HEURISTIC, Policy
from uno_pomdp.pomdp.fitted_value import FittedValue
from uno_pomdp.quantities import PRIOR_TRUST, naming
from uno_pomdp.search.endgame.endgame import Endgame
from uno_pomdp.search.named_beliefs import MakeBelief, closed
from uno_pomdp.search.search import Search
from uno_pomdp.search.threads import threads_of
from uno_pomdp.search.trials.linear import LinearValues
from uno_pomdp.search.trials.playouts import Playouts
from uno_pomdp.search.trials.tree import TreeWalks
from uno_pomdp.search.trials.value_net import ValueNets

TRUST: Final = 0.02
"""How much the logarithm of a prior counts: a prior ten times as large outweighs about five points of 100."""


def flat_monte_carlo(
    budget: Budget,
    belief: MakeBelief = closed,
    rollout: Policy = HEURISTIC,
    halving: bool = True,
    clock: Clock = working_time,
    threads: int = 1,
    endgame: bool = True,
) -> Search:
    """Return flat Monte Carlo on worlds from a belief: every action in each world, played out by a scripted policy."""
    return Search(
        "flat",
        budget,
        belief,
        Playouts(rollout),
        endgame=Endgame(rollout) if endgame else None,
        threads=threads_of(threads),
        halving=halving,
        clock=clock,
    )


def information_set_search(
    budget: Budget,
    belief: MakeBelief = closed,
    rollout: Policy = HEURISTIC,
    explore: float = 0.3,
    halving: bool = True,
    clock: Clock = working_time,
    threads: int = 1,
    endgame: bool = True,
) -> Search:
    """Return information-set MCTS: one tree over the searching player's information sets."""
    return Search(
        "ismcts",
        budget,
        belief,
        TreeWalks(rollout, explore),
        endgame=Endgame(rollout) if endgame else None,
        threads=threads_of(threads),
        halving=halving,
        clock=clock,
    )


def linear_value_search(
    budget: Budget,
    belief: MakeBelief = closed,
    model: Policy = HEURISTIC,
    steps: int = 1,
    halving: bool = True,
    clock: Clock = working_time,
    threads: int = 1,
    fitted: FittedValue | None = None,
) -> Search:
    """Return one-step lookahead with a fitted value function V: the package's own, or one fitted for other rules."""
    return Search(
        "value",
        budget,
        belief,
        LinearValues(model, steps) if fitted is None else LinearValues(model, steps, fitted.value, fitted.rules),
        threads=threads_of(threads),
        halving=halving,
        clock=clock,
    )


def value_net_search(
    budget: Budget,
    belief: MakeBelief = closed,
    trust: float = TRUST,
    opponent: str = OPPONENTS[0],
    champion: NetFile | None = None,
    positions: NetFile | None = None,
    halving: bool = True,
    clock: Clock = working_time,
    threads: int = 1,
    endgame: bool = True,
) -> Search:
    """Return the search of the champion: one choice ahead, valued by a net; its policy is the prior.

    The value net errs, so what the champion itself prefers counts too (`root.leaning`). Endgames are proved against
    the opponent, if that is a scripted policy.
    """
    with naming("trust", InvalidAgent):
        PRIOR_TRUST.checked(trust)
    simple = OPPONENTS.index(opponent) - 1
    return Search(
        "champion",
        budget,
        belief,
        ValueNets(opponent, positions),
        PolicyNet(champion),
        trust,
        Endgame(simple if simple >= 0 else HEURISTIC) if endgame else None,
        threads_of(threads),
        halving,
        clock,
    )
