"""Tune the weights of `heuristic` against `baseline` by a random hill climb.

A step changes some weights at random. It is taken when it wins more of the same deals than the weights before
it, twice: on a few deals, then on more deals that are new to both. `python -m benchmarks.tuning.heuristic`
prints every step taken and the final weights, to be put into `policies/kernels.py` by hand.

The first weights are tuned under `house`; with `--rules party` those that count there alone are, and all others stay.
Where debts are stacked, or cards drawn until one is playable, the first weights are as good as any: more or less for
+2, +4, black cards or colours gained nothing that could be measured. How often the heuristic bluffs and challenges is
tuned by `benchmarks.tuning.bluffing`.
"""

import argparse
import time

import numpy as np
import numpy.typing as npt

from uno_pomdp.arena.kernel_match import KernelPlayers, play_pairs
from uno_pomdp.arena.statistics import paired_interval
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, PLAIN_WEIGHTS, WEIGHT, WEIGHTS
from uno_pomdp.rules import Rules

Floats = npt.NDArray[np.float64]

LIKE_BASELINE = np.array([2.0, 0.0, 1.0, 1.0, 0.1, 0.05, -5.0, -4.0, 0.0, 0.0, 0.0])
"""Where the climb starts: the order of the baseline."""
SCALE = np.array([1.0, 1.0, 1.0, 1.0, 0.2, 0.1, 2.0, 2.0, 2.0, 0.3, 0.5])
"""How far a step goes at first, weight by weight; 1 for those of swaps, lies and challenges."""
LATER_START = np.array([0.0, 1.0])
"""The same for the weights of `party`: a 7 or 0 is liked by the cards that the swap saves."""
SHARE = 0.3
"""The chance of a weight to be changed in a step."""
NAMES = WEIGHT.names or ()
TUNED = {
    "house": NAMES[: len(PLAIN_WEIGHTS)],
    "party": ("swap", "swap_gain"),
}
"""By rules: the weights that are tuned under them."""
FEW, MANY, FINAL = 15_000, 40_000, 200_000
"""Deals for the first look at a step, for the second, and for the closing figure."""


def points(weights: Floats, deals: int, seed: int, rules: str = "house") -> Floats:
    """Return the points of the heuristic with these weights against the baseline, deal by deal."""
    players = KernelPlayers(np.array([HEURISTIC, BASELINE]), np.concatenate([weights.view(WEIGHT), WEIGHTS]))
    pairs = play_pairs(Rules.parse(rules), seed, players, np.arange(deals))
    return np.asarray(pairs["points"].sum(axis=1) / 4.0)


def start_of(rules: str) -> Floats:
    """Return all weights, those that are tuned under these rules as they are before: the others as they are."""
    weights = np.array(WEIGHTS[0].tolist())
    weights[[NAMES.index(name) for name in TUNED[rules]]] = LIKE_BASELINE if rules == "house" else LATER_START
    return weights


def climb(rules: str, seconds: float, seed: int, scale: float = 1.0) -> Floats:
    """Return the weights after climbing for so long."""
    chance = np.random.default_rng(seed)
    best = start_of(rules)
    places = [NAMES.index(name) for name in TUNED[rules]]
    size = SCALE if rules == "house" else np.ones(len(places))
    ends = time.perf_counter() + seconds
    step = 1.0
    number = 0
    while time.perf_counter() < ends:
        number += 1
        tried = best.copy()
        changed = chance.random(len(places)) < SHARE
        tried[places] += changed * chance.normal(size=len(places)) * size * step
        for deals, least in ((int(FEW * scale), 0.001), (int(MANY * scale), 0.0005)):
            deal_seed = int(chance.integers(2**32))
            if (points(tried, deals, deal_seed, rules) - points(best, deals, deal_seed, rules)).mean() <= least:
                break
        else:
            best = tried
            print(f"step {number}: {np.round(best[places], 3).tolist()}", flush=True)
        step = max(0.15, 0.998 * step)
    return best


def main() -> None:
    """Climb, and print the weights with their strength."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", choices=TUNED, default="house")
    parser.add_argument("--seconds", type=float, default=110.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a second, tiny sizes: does it run?")
    chosen = parser.parse_args()
    scale = 0.01 if chosen.quick else 1.0
    best = climb(chosen.rules, 1.0 if chosen.quick else chosen.seconds, chosen.seed, scale)
    for name in TUNED[chosen.rules]:
        print(f"{best[NAMES.index(name)]:8.3f}  {name}")
    final = points(best, int(FINAL * scale), 999, chosen.rules)
    print(f"v baseline, {len(final):,} deals: {paired_interval(np.bincount((4 * final).astype(int), minlength=5))}")


if __name__ == "__main__":
    main()
