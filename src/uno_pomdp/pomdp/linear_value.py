"""V on the full deck: the value of a seat's decision from its features, with weights of fitted value iteration."""

from typing import Final, NamedTuple

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.game.layout import Record
from uno_pomdp.jit import inner_kernel
from uno_pomdp.pomdp.linear_features import FEATURES, NAMES, Evaluators, new_evaluator, write_features
from uno_pomdp.rules import Rules

WEIGHTS: Final = {
    "one": 0.2634,
    "own": -0.0267,
    "other": 0.0691,
    "own_inverse": 1.5685,
    "other_inverse": -0.8840,
    "turns_inverse": 0.8063,
    "last": 0.1878,
    "wilds": 0.0524,
    "wild_fours": 0.3013,
    "draw_twos": 0.1738,
    "skips": 0.0766,
    "black_share": 1.4070,
    "colours": -0.0336,
    "longest": 0.0279,
    "lonely": 0.0523,
    "lonely_late": -0.5521,
    "playable": -0.0746,
    "playable_inverse": -1.5865,
    "other_playable": -0.0043,
    "other_again": -0.1516,
    "denial": 0.4190,
    "deciding": 0.0000,
}
"""By feature; from `benchmarks/tuning/value.py`."""
FITTED: Final = np.array([WEIGHTS[name] for name in NAMES])
"""The same in the order of the features."""


class LinearValue(NamedTuple):
    """V of decisions as a function of their features: bound · tanh(weights · features)."""

    weights: Floats
    """One for each feature."""
    bound: float = 1.0
    """V lies between −bound and bound: 1, and what steps may cost."""
    discount: float = 1.0
    """γ, by which V was fitted and a lookahead counts."""
    step_cost: float = 0.0
    """λ."""

    def evaluator(self, rules: Rules) -> Evaluators:
        """Return what evaluates decisions of these rules."""
        return new_evaluator(rules, *self)


SHIPPED: Final = LinearValue(FITTED)
"""V of the package, against `heuristic`."""


@inner_kernel
def evaluate(state: Record, seat: int, evaluator: Record) -> float:
    """Return V of a seat's decision: the bound times tanh of the weighted features.

    With one card left it is 1 less the cost of a step: the choice is then to play it, in one colour or another.
    """
    if state["hand_size"][seat] == 1:
        return 1.0 - evaluator["step_cost"]  # type: ignore[no-any-return]
    write_features(state, seat, evaluator)
    total = 0.0
    for feature in range(FEATURES):
        total += evaluator["weights"][feature] * evaluator["features"][feature]
    return evaluator["bound"] * np.tanh(total)  # type: ignore[no-any-return]
