"""Fit the weights of V by fitted value iteration against `heuristic` on the full deck.

`python -m benchmarks.tuning.value` prints every iteration with its residuals, then the weights, to be put into
`pomdp/linear_value.py` by hand. The same seed gives the same weights.
"""

import argparse
from dataclasses import replace

from uno_pomdp.pomdp.fitted_value_iteration import Fit, FittedIteration, Iteration
from uno_pomdp.pomdp.linear_features import NAMES
from uno_pomdp.pomdp.sampled_transitions import sample_transitions
from uno_pomdp.rules import preset

GAMES, WORLDS = 4_000, 32
"""Games of which all decisions are taken, and outcomes of each action: about 30,000 decisions."""
TOLERANCE = 1e-3


def fitted(games: int, worlds: int, seed: int) -> Fit:
    """Return the fit to so many games."""
    return replace(FittedIteration(), tolerance=TOLERANCE).fit(
        sample_transitions(preset("house"), games, worlds, seed), show
    )


def show(done: Iteration) -> None:
    """Print one iteration."""
    print(
        f"{done.number:3}: change {done.change:.5f}, residual {done.residual:.5f}, misfit {done.misfit:.5f}", flush=True
    )


def main() -> None:
    """Fit, and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few games: does it run?")
    chosen = parser.parse_args()
    fit = fitted(20 if chosen.quick else chosen.games, 4 if chosen.quick else chosen.worlds, chosen.seed)
    for name, weight in zip(NAMES, fit.weights, strict=True):
        print(f'    "{name}": {weight:.4f},')


if __name__ == "__main__":
    main()
