"""A mini deck solved: an approximate equilibrium, bounds on the value of the game, a policy to play."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from uno_pomdp.agents.tabular import PolicyTable, TabularAgent
from uno_pomdp.equilibrium.cfr import Solution
from uno_pomdp.equilibrium.sequence_form import Bracket
from uno_pomdp.equilibrium.tree.game_tree import GameTree
from uno_pomdp.equilibrium.tree_policies import table_of


@dataclass(frozen=True)
class SolvedGame:
    """What regret minimisation found about a game that fits into memory as a whole tree.

    >>> import uno_pomdp as uno
    >>> solution = uno.solve("mini-7", until=0.01)
    >>> game = uno.Game.new("mini-7", seed=1)
    >>> solution.agent().consider(game).action in game.legal_actions()
    True
    """

    tree: GameTree
    """The game."""
    solution: Solution
    """The average policy, and the course of its exploitability."""

    @property
    def value(self) -> Bracket:
        """Bounds on the value of the game to player 1, from −1 to 1."""
        return self.solution.result.bracket

    @property
    def exploitability(self) -> float:
        """The mean gain of both players' best responses to the policy: half of NashConv."""
        return self.solution.result.exploitability

    @property
    def information_sets(self) -> int:
        """The information sets with a choice, of both players."""
        return self.tree.sets

    @cached_property
    def policy(self) -> PolicyTable:
        """The average policy of both seats as a table, to be saved and played."""
        about = {
            "solver": self.solution.variant,
            "iterations": self.solution.iterations,
            "exploitability": self.exploitability,
        }
        return table_of(self.tree, self.solution.policy, about)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values without the policy, which has a file of its own; payoffs from −1 to 1."""
        return self.tree.to_json() | self.solution.to_json()

    def agent(self) -> TabularAgent:
        """Return an agent that plays the policy."""
        return TabularAgent(self.policy)

    def __repr__(self) -> str:
        rules, value = self.tree.rules.name, self.value
        return (
            f"<SolvedGame {rules}: {self.information_sets:,} information sets, value to player 1 from {value.low:+.5f} "
            f"to {value.high:+.5f}, exploitability {self.exploitability:.1e}>"
        )
