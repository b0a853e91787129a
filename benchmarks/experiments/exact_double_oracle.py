"""The double oracle on a whole tree, where payoffs and best responses are exact: it ends at the value of the game."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.linear_program import solve_matrix
from uno_pomdp.equilibrium.sequence_form import best_response, gains_of, plan_of, policy_of_plan
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.game.layout import SEATS


@dataclass(frozen=True, slots=True)
class ExactPopulation:
    """The result of the double oracle: both players' mixtures of best responses."""

    value: float
    """The value of the last meta-game to player 1, from −1 to 1."""
    bounds: tuple[float, float]
    """The value of the game lies between these: what each mixture guarantees."""
    policy: Floats
    """Both mixtures as one policy of the tree."""
    sizes: tuple[int, int]
    """How many policies each player has in the end."""
    rounds: int
    """How many times best responses were added."""

    def __repr__(self) -> str:
        low, high = self.bounds
        sizes = " + ".join(map(str, self.sizes))
        return f"<ExactPopulation of {sizes} policies: value {self.value:+.6f}, between {low:+.6f} and {high:+.6f}>"

    @property
    def gap(self) -> float:
        """How far apart the bounds are: NashConv of the policy."""
        return self.bounds[1] - self.bounds[0]


def exact_double_oracle(
    tree: GameTree, policies: Sequence[Floats], tolerance: float = 1e-6, rounds: int = 1_000
) -> ExactPopulation:
    """Start from some policies, and add each player's best response to the other's mixture until none gains."""
    middle = tree.sequence_start[1]
    plans: tuple[list[Floats], list[Floats]] = ([], [])
    for policy in policies:
        plan = plan_of(tree, policy)
        plans[0].append(plan[:middle])
        plans[1].append(plan[middle:])
    for number in range(rounds + 1):
        first, second = np.array(plans[0]), np.array(plans[1])
        earned = np.array([gains_of(tree, 0, np.append(np.zeros(middle), plan)) for plan in second])
        value, rows, columns = solve_matrix(first @ earned.T)
        policy = policy_of_plan(tree, np.append(rows @ first, columns @ second))
        answers = [best_response(tree, policy, seat) for seat in SEATS]
        found = ExactPopulation(value, (-answers[1].value, answers[0].value), policy, (len(first), len(second)), number)
        if found.gap <= tolerance:
            break
        plans[0].append(plan_of(tree, answers[0].policy)[:middle])
        plans[1].append(plan_of(tree, answers[1].policy)[middle:])
    return found
