"""Tune how often `heuristic` bluffs and challenges: rates from which nobody gains by departing.

Against `baseline`, which never challenges, the best reply is to lie at will: no yardstick for rates. So rates are tried
against players who depart from them on the full deck (`printed`): who never lies, who lies whenever the victim has one
card, or two, who never challenges, who always does, who does neither. Their margins should be 0 or less. On
`mini-bluff` the loss to a best response is exact. `python -m benchmarks.tuning.bluffing` prints both for the rates in
use and for others, to be put into `policies/kernels.py` by hand.
"""

import argparse

import numpy as np

from uno_pomdp.arena.kernel_match import KernelPlayers, play_pairs
from uno_pomdp.equilibrium.sequence_form import exploitability
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS, Weights
from uno_pomdp.rules import preset

Rates = dict[str, float]
IN_USE: Rates = {name: float(WEIGHTS[0][name]) for name in ("lie", "lie_each", "challenge", "challenge_odds")}
NEVER_LIES: Rates = {"lie": -200.0, "lie_each": 0.0}
NEVER_CHALLENGES: Rates = {"challenge": -200.0, "challenge_odds": 0.0}
DEPARTURES: dict[str, Rates] = {
    "never lies": NEVER_LIES,
    "lies to one card": {"lie": 30.0, "lie_each": -20.0},
    "lies to two cards": {"lie": 50.0, "lie_each": -20.0},
    "never challenges": NEVER_CHALLENGES,
    "always challenges": {"challenge": 200.0, "challenge_odds": 0.0},
    "does neither": NEVER_LIES | NEVER_CHALLENGES,
}
"""How a player may depart from the rates that are tried."""
TRIED: list[Rates] = [
    {},
    {"challenge": 2.7},
    {"challenge": 6.4, "challenge_odds": 2.0},
    {"lie": 0.3, "lie_each": -3.0, "challenge": 3.5},
    {"lie": 1.0},
    NEVER_LIES,
    NEVER_LIES | NEVER_CHALLENGES,
]
"""What is tried instead of the rates in use, first those themselves."""


def weights_of(rates: Rates) -> Weights:
    """Return the heuristic's weights with these rates."""
    weights = WEIGHTS.copy()
    for name, value in (IN_USE | rates).items():
        weights[name] = value
    return weights


def margin(departs: Rates, rates: Rates, deals: int, seed: int) -> tuple[float, float]:
    """Return by how many points of 100 a player wins who departs from rates, with half the width of the interval."""
    players = KernelPlayers(np.full(2, HEURISTIC), np.concatenate([weights_of(rates | departs), weights_of(rates)]))
    pairs = play_pairs(preset("printed"), seed, players, np.arange(deals))
    points = pairs["points"].sum(axis=1) / 4.0
    return 100 * float(points.mean()) - 50, 196 * float(points.std()) / deals**0.5


def main() -> None:
    """Try rates, and print what others gain against them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few deals: does it run?")
    chosen = parser.parse_args()
    tree = build_tree("mini-bluff")
    for rates in TRIED:
        lost = exploitability(tree, scripted_policy(tree, HEURISTIC, weights_of(rates))).exploitability
        print(", ".join(f"{name} {value:g}" for name, value in (IN_USE | rates).items()))
        print(f"  mini-bluff: exploitability {lost:.4f}", flush=True)
        for name, departs in DEPARTURES.items():
            gained, error = margin(departs, rates, 200 if chosen.quick else chosen.deals, chosen.seed)
            print(f"  printed: who {name} gains {gained:+.2f} ± {error:.2f} points of 100", flush=True)


if __name__ == "__main__":
    main()
