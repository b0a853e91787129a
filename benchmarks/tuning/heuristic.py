"""Tune the weights of `heuristic` against `baseline` by a random hill climb.

A step changes some weights at random. It is taken when it wins more of the same deals than the weights before
it, twice: on a few deals, then on more deals that are new to both. `python -m benchmarks.tuning.heuristic`
prints every step taken and the final weights, to be put into `policies/kernels.py` by hand.
"""

import argparse
import time

import numpy as np
import numpy.typing as npt

from uno_pomdp.arena.kernel_match import KernelPlayers, play_pairs
from uno_pomdp.arena.statistics import paired_interval
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, WEIGHT, WEIGHTS
from uno_pomdp.rules import preset

Floats = npt.NDArray[np.float64]

LIKE_BASELINE = np.array([2.0, 0.0, 1.0, 1.0, 0.1, 0.05, -5.0, -4.0, 0.0, 0.0, 0.0])
"""Where the climb starts: the order of the baseline."""
SCALE = np.array([1.0, 1.0, 1.0, 1.0, 0.2, 0.1, 2.0, 2.0, 2.0, 0.3, 0.5])
"""How far a step goes at first, weight by weight."""
SHARE = 0.3
"""The chance of a weight to be changed in a step."""
FEW, MANY, FINAL = 15_000, 40_000, 200_000
"""Deals for the first look at a step, for the second, and for the closing figure."""


def points(weights: Floats, deals: int, seed: int) -> Floats:
    """Return the points of the heuristic with these weights against the baseline, deal by deal."""
    players = KernelPlayers(np.array([HEURISTIC, BASELINE]), np.concatenate([weights.view(WEIGHT), WEIGHTS]))
    pairs = play_pairs(preset("house"), seed, players, np.arange(deals))
    return np.asarray(pairs["points"].sum(axis=1) / 4.0)


def climb(start: Floats, seconds: float, seed: int, scale: float = 1.0) -> Floats:
    """Return the weights after climbing for so long."""
    chance = np.random.default_rng(seed)
    best = start.copy()
    ends = time.perf_counter() + seconds
    step = 1.0
    number = 0
    while time.perf_counter() < ends:
        number += 1
        changed = chance.random(len(best)) < SHARE
        tried = best + changed * chance.normal(size=len(best)) * SCALE * step
        for deals, least in ((int(FEW * scale), 0.001), (int(MANY * scale), 0.0005)):
            deal_seed = int(chance.integers(2**32))
            if (points(tried, deals, deal_seed) - points(best, deals, deal_seed)).mean() <= least:
                break
        else:
            best = tried
            print(f"step {number}: {np.round(best, 3).tolist()}", flush=True)
        step = max(0.15, 0.998 * step)
    return best


def main() -> None:
    """Climb, and print the weights with their strength."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=110.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a second, tiny sizes: does it run?")
    chosen = parser.parse_args()
    scale = 0.01 if chosen.quick else 1.0
    best = climb(LIKE_BASELINE, 1.0 if chosen.quick else chosen.seconds, chosen.seed, scale)
    for name, weight in zip(WEIGHT.names or (), best, strict=True):
        print(f"{weight:8.3f}  {name}")
    final = points(best, int(FINAL * scale), seed=999)
    print(f"v baseline, {len(final):,} deals: {paired_interval(np.bincount((4 * final).astype(int), minlength=5))}")


if __name__ == "__main__":
    main()
