"""Counterfactual regret minimisation over a compact game: the variants of `equilibrium.cfr`, step by step.

Where entries are added up, their histories have the same future against the same belief, so their counterfactual
values are proportional: one regret serves them all (a *well-formed* game of Lanctot et al. 2012).
"""

from typing import Any, Final

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.equilibrium.cfr import VARIANTS, InvalidSolver, check_variant, match_regrets, shrinking, weight_of
from uno_pomdp.equilibrium.compact.compact_arrays import MERGED, Records, Side
from uno_pomdp.equilibrium.compact.compact_game import CompactGame
from uno_pomdp.equilibrium.compact.plans import (
    Numbers,
    Plans,
    add_endings,
    exploitability_of_plans,
    plan_of_choices,
    uniform_choices,
    write_plan,
)
from uno_pomdp.equilibrium.sequence_form import Exploitability
from uno_pomdp.jit import as_int, kernel


class CompactSolver:
    """Regret minimisation that can be stopped, inspected and continued."""

    def __init__(self, game: CompactGame, variant: str = "pcfr+", *, single: bool = False) -> None:
        """Begin with equal probabilities; in single precision plans and regrets take half of the memory."""
        check_variant(variant)
        self.game: Final = game
        """The game."""
        self.variant: Final = variant
        """Which variant."""
        self.iterations = 0
        """Iterations done."""
        kind: Any = np.float32 if single else np.float64
        self._choices = uniform_choices(game, kind)
        self._plans = plan_of_choices(game, self._choices)
        self._regrets: Plans = np.zeros(game.entries[0], kind), np.zeros(game.entries[1], kind)
        self._sums: Plans = np.zeros(game.entries[0], kind), np.zeros(game.entries[1], kind)
        self._values = np.empty(max(game.entries))

    def __repr__(self) -> str:
        return f"<CompactSolver {self.variant} on {self.game.rules.name}: {self.iterations:,} iterations>"

    def run(self, iterations: int) -> None:
        """Do so many more iterations."""
        if iterations < 1:
            raise InvalidSolver(f"{iterations} iterations can't be done: give a number of at least 1")
        iterate(
            VARIANTS.index(self.variant),
            self.iterations,
            iterations,
            self.game.sides,
            self.game.endings,
            self._choices,
            self._plans,
            self._regrets,
            self._sums,
            self._values,
        )
        self.iterations += iterations

    @property
    def bytes(self) -> int:
        """How much memory its arrays take."""
        arrays = (*self._choices, *self._plans, *self._regrets, *self._sums, self._values)
        return sum(array.nbytes for array in arrays)

    def look(self) -> Exploitability:
        """Return how exploitable the average plans are, as a part of the whole game; after at least one iteration."""
        return exploitability_of_plans(self.game, self._sums, self._values)


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def iterate(
    variant: int,
    done: int,
    iterations: int,
    sides: tuple[Side, Side],
    endings: Records,
    choices: Plans,
    plans: Plans,
    regrets: Plans,
    sums: Plans,
    values: Floats,
) -> None:
    """Do iterations done + 1 … done + iterations."""
    for number in range(done + 1, done + iterations + 1):
        weight = weight_of(variant, number)
        shrink = shrinking(number)
        for seat in range(2):
            own, total = plans[seat], sums[seat]
            for entry in range(len(own)):
                values[entry] = 0.0
            add_endings(endings, seat, plans[1 - seat], values)
            regret_steps(variant, shrink, sides[seat], choices[seat], regrets[seat], values)
            write_plan(sides[seat], choices[seat], own)
            for entry in range(len(own)):
                total[entry] += weight * own[entry]


@kernel
def regret_steps(variant: int, shrink: float, side: Side, choices: Numbers, regrets: Numbers, values: Floats) -> None:
    """Add the regrets of a player's information sets, from the leaves up, and take new probabilities from them."""
    steps, links = side.steps, side.links
    at = len(links)
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        first, width = as_int(step["first"]), as_int(step["width"])
        if step["parent"] == MERGED:
            at -= width
            for link in range(at, at + width):
                values[links[link]["entry"]] += links[link]["weight"] * values[first]
        else:
            worth = match_regrets(variant, shrink, first, first + width, choices, regrets, values)
            values[step["parent"]] += worth
