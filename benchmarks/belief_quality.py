"""How good beliefs are, against an opponent that really plays `greedy`: any playable card, each equally likely.

*Log-loss*: games under `house`, the observer greedy too and on either side of the table; at every decision of the
opponent without a penalty, the mean over the types with an unseen card of −ln P(held) or −ln P(not held), in nats. The
uniform belief, which ignores the past (`UniformBelief`), the closed form and a policy-aware filter of 10,000 particles
watch the same games; differences are paired. Every decision counts the same; intervals are clustered by game.

*Calibration*: at the same decisions, predictions of P(type held) in bins against how often it was held. The band has
cluster-robust errors by game and holds for all bins together (Gaussian multiplier bootstrap): a perfectly calibrated
belief leaves it in about 5 % of such runs. Each belief is sorted into bins by its own predictions, sampling noise
included: that is what its user gets. A *mean gap* is the distance of prediction and frequency, averaged over
predictions.

*Bias*: what the closed form predicts at those decisions, and what is true: it is choice-agnostic, so they differ.

*Convergence*: the policy-aware filter against enumeration, total variation over whole hands, at every action of
games on mini decks; the slope is that of a line through the logarithms.

*Deprivations*: filters of few particles that take the opponent for greedy, followed through whole games in which every
second opponent plays any legal action instead. A failure is an exception, a weight or probability that is no number,
no weight left, or a truth with probability zero; every action is looked at. The games of the log-loss count too.
"""

import argparse
import functools
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.experiments.belief_plots import draw_calibration, draw_convergence
from benchmarks.experiments.belief_quality import (
    Calibration,
    Maker,
    Moment,
    bernoulli_loss,
    bin_sums,
    calibration,
    estimate,
    hand_total_variation,
    held_probabilities,
    possible_types,
    ratio,
    watch,
)
from benchmarks.harness import Benchmark, Claim, Part, Run, at_least, at_most, run, shown
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import WILD, WILD_FOUR
from uno_pomdp.game.layout import PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import MemorylessModel, PolicyModel
from uno_pomdp.rules import Rules, preset

T = TypeVar("T")

PICTURES: Final = Path(__file__).parent.parent / "docs" / "pictures"
HOUSE: Final = preset("house")
MINI: Final = tuple(preset(name) for name in ("mini-9", "mini-10", "mini-12"))
SIZE: Final = 10_000
"""Particles of the filter whose quality is measured."""
SMALL: Final = 64
"""Particles of the filters that are to be starved."""
SIZES: Final = (400, 800, 1_600, 3_200, 6_400, 12_800)
"""Particles of the filters that are compared with enumeration."""
NAMES: Final = ("uniform", "closed form", "policy-aware")


def particles(rules: Rules, seen: Observation, seed: np.random.SeedSequence, size: int = SIZE) -> Belief:
    """Return a policy-aware filter."""
    return ParticleBelief(rules, seen, PolicyModel(GREEDY), size, seed)


def each_game(run: Run, work: Callable[[np.random.SeedSequence], T], seed: int, part: int, games: int) -> list[T]:
    """Return what some work finds in each game, on every core; each game has a seed of its own."""
    game_seeds = [np.random.SeedSequence(seed, spawn_key=(part, number)) for number in range(games)]
    if run.quick:
        return [work(game_seed) for game_seed in game_seeds]
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(work, game_seeds, chunksize=20))


def number_of(seed: np.random.SeedSequence) -> int:
    """Return the number of a game."""
    return int(seed.spawn_key[-1])


# --- log-loss, calibration, bias -------------------------------------------------------------------------


class Reading(NamedTuple):
    """What one game says, added up over its decisions; rows are beliefs in the order of `NAMES`."""

    decisions: int
    """How many there were."""
    losses: Floats
    """By belief: the log-loss."""
    bins: Floats
    """By belief: sums of the calibration table."""
    playable: Floats
    """By belief, and last the truth: P(nothing playable)."""
    black: Floats
    """By belief, and last the truth: the number of black cards held."""
    dead: bool
    """Whether the filter failed."""


def read_game(seed: np.random.SeedSequence) -> Reading | None:
    """Watch one game; None if the opponent never had a choice in it."""
    makers: dict[str, Maker] = {
        "uniform": lambda rules, seen, _: UniformBelief(rules, seen),
        "closed form": lambda rules, seen, _: ClosedFormBelief(rules, seen),
        "policy-aware": particles,
    }
    losses, playable, black = [], [], []
    predicted: list[list[Floats]] = [[] for _ in NAMES]
    truths: list[npt.NDArray[np.bool_]] = []
    dead = False
    for moment in watch(HOUSE, makers, seed, seat=number_of(seed) % 2):
        dead = dead or bool(failed(moment, "policy-aware"))
        if not moment.opponent_chooses:
            continue
        beliefs = list(moment.beliefs.values())
        hidden, seen = moment.hidden, moment.observation
        truth = hidden.array()[possible_types(beliefs[0])] > 0
        chances = [held_probabilities(belief) for belief in beliefs]
        for found, chance in zip(predicted, chances, strict=True):
            found.append(chance)
        truths.append(truth)
        losses.append([bernoulli_loss(chance, truth) for chance in chances])
        none = not hidden.mask & int(PLAYABLE[seen.colour, seen.top])
        playable.append([*(belief.nothing_playable() for belief in beliefs), float(none)])
        counts = [belief.expected_counts()[[WILD, WILD_FOUR]].sum() for belief in beliefs]
        black.append([*counts, float(hidden[WILD] + hidden[WILD_FOUR])])
    if not truths:
        return None
    flat, truth = [np.concatenate(found) for found in predicted], np.concatenate(truths)
    bins = [bin_sums(chance, truth) for chance in flat]
    lost, unplayable, blacks = (np.sum(rows, axis=0) for rows in (losses, playable, black))
    return Reading(len(truths), lost, np.array(bins), unplayable, blacks, dead)


def quality(run: Run, seed: int) -> Iterator[Claim]:
    """Compare three beliefs on the same games."""
    games = run.pick(5_000, 6)
    found = [reading for reading in each_game(run, read_game, seed, 0, games) if reading is not None]
    decisions = np.array([reading.decisions for reading in found])
    losses = np.array([reading.losses for reading in found])
    yield shown("log-loss: games", len(found), f"games, {decisions.sum():,} decisions")
    for name, column in zip(NAMES, losses.T, strict=True):
        whole = ratio(column, decisions)
        yield shown(f"log-loss: {name}", whole.mean, f"nats, ± {whole.half_width:.2g}")
    for worse, better in ((0, 1), (1, 2)):
        gain = ratio(losses[:, worse] - losses[:, better], decisions)
        name = f"log-loss: {NAMES[worse]} less {NAMES[better]}"
        yield shown(name, gain.mean, f"nats, ± {gain.half_width:.2g}")
        yield at_least(f"{name}, 95 % interval from", gain.low, 0, "nats")
    tables = [calibration(np.array([reading.bins[row] for reading in found]), seed) for row in range(len(NAMES))]
    yield from calibration_claims(tables)
    for title, sums in (
        ("P(nothing playable)", np.array([reading.playable for reading in found])),
        ("black cards held", np.array([reading.black for reading in found])),
    ):
        yield shown(f"bias: {title}, true", ratio(sums[:, -1], decisions).mean, "mean")
        for name, column in zip(NAMES, sums.T, strict=False):
            off = ratio(column - sums[:, -1], decisions)
            yield shown(f"bias: {title}, {name}", ratio(column, decisions).mean, "mean")
            yield shown(f"bias: {title}, {name} less true", off.mean, f"± {off.half_width:.2g}")
    yield at_most("deprivations in the games above", sum(reading.dead for reading in found), 0, "games")
    if not run.quick:
        draw_calibration(
            PICTURES / "calibration.svg",
            {"closed form": tables[1], "policy-aware": tables[2]},
        )


def calibration_claims(tables: Sequence[Calibration]) -> Iterator[Claim]:
    """Claim that the policy-aware curve is inside its band, and show those of the others."""
    unit = "half-widths of the simultaneous 95 % band"
    yield at_most("calibration: policy-aware, farthest point", tables[2].excess, 1, unit)
    for name, table in reversed(list(zip(NAMES, tables, strict=True))):
        print(f"calibration: {name}\n{table}", file=sys.stderr)
        if table is not tables[2]:
            yield shown(f"calibration: {name}, farthest point", table.excess, unit)
        yield shown(f"calibration: {name}, mean gap", table.mean_gap, "probability")


# --- convergence -----------------------------------------------------------------------------------------


def distances(seed: np.random.SeedSequence) -> Floats:
    """Return by size of the filter the mean total variation to enumeration in one mini game."""
    makers: dict[str, Maker] = {"exact": lambda rules, seen, _: EnumeratedBelief(rules, seen, PolicyModel(GREEDY))} | {
        str(size): functools.partial(particles, size=size) for size in SIZES
    }
    rows = []
    for moment in watch(MINI[number_of(seed) % len(MINI)], makers, seed):
        exact, *filters = moment.beliefs.values()
        assert isinstance(exact, EnumeratedBelief)
        if moment.observation.outcome is None and len(exact.hypotheses.hands) > 1:
            rows.append([hand_total_variation(belief, exact) for belief in filters])
    return np.mean(rows, axis=0) if rows else np.full(len(SIZES), np.nan)


def convergence(run: Run, seed: int) -> Iterator[Claim]:
    """Measure how the filter's error falls with its size."""
    rows = np.array(each_game(run, distances, seed, 1, run.pick(300, 6)))
    rows = rows[np.isfinite(rows).all(axis=1)]
    errors = [estimate(column) for column in rows.T]
    for size, error in zip(SIZES, errors, strict=True):
        yield shown(f"convergence: total variation, {size:,} particles", error.mean, f"± {error.half_width:.2g}")
    slope = float(np.polyfit(np.log(SIZES), np.log([error.mean for error in errors]), 1)[0])
    yield at_least("convergence: slope of log error on log particles", slope, -0.6, "at most −0.4")
    yield at_most("convergence: slope of log error on log particles", slope, -0.4, "at least −0.6")
    if not run.quick:
        draw_convergence(PICTURES / "convergence.svg", SIZES, errors, slope)


# --- deprivations ----------------------------------------------------------------------------------------


def failed(moment: Moment, name: str) -> str:
    """Return what is wrong with a belief at a moment; nothing if all is well."""
    belief = moment.beliefs[name]
    held = belief.probabilities()
    truth = moment.hidden.array() > 0
    if not np.isfinite(held).all() or not np.isfinite(belief.nothing_playable()):
        return "a probability that is no number"
    if isinstance(belief, ParticleBelief) and not 0.0 < belief.blend < 1.0:
        return "no weight left"
    if (held[truth] <= 0.0).any() or (held[~truth] >= 1.0).any():
        return "the truth has probability zero"
    return ""


def starve(seed: np.random.SeedSequence, every: int) -> tuple[int, str]:
    """Follow a game with a small filter; return its actions, and what went wrong if anything did."""
    number = number_of(seed)
    rules = HOUSE if number % every == 0 else MINI[number % len(MINI)]
    opponent: MemorylessModel = PolicyModel(GREEDY) if number // every % 2 else PolicyModel(RANDOM)
    makers = {"small": functools.partial(particles, size=SMALL)}
    actions = -1
    try:
        for moment in watch(rules, makers, seed, opponent=opponent, own=PolicyModel(RANDOM), seat=number % 2):
            actions += 1
            wrong = failed(moment, "small")
            if wrong:
                return actions, f"game {number}, action {actions}: {wrong}"
    except Exception as error:  # any exception is a failure that is counted and told, not one that ends the run
        return actions, f"game {number}, action {actions}: {error!r}"
    return actions, ""


def deprivations(run: Run, seed: int) -> Iterator[Claim]:
    """Follow very many games with very few particles."""
    games, every = run.pick(95_000, 30), 19
    found = each_game(run, functools.partial(starve, every=every), seed, 2, games)
    failures = [wrong for _, wrong in found if wrong]
    for wrong in failures[:20]:
        print(wrong, file=sys.stderr)
    full = len(range(0, games, every))
    yield shown(f"deprivations: games with {SMALL} particles", games, f"games, {full:,} of them with the full deck")
    yield shown("deprivations: actions followed", sum(actions for actions, _ in found), "actions")
    yield at_most("deprivations: failures", len(failures), 0, "games")


def benchmark(seed: int) -> Benchmark:
    """Return the parts with their seed."""
    parts = (
        Part("log-loss, calibration and bias", functools.partial(quality, seed=seed)),
        Part("convergence to enumeration", functools.partial(convergence, seed=seed)),
        Part("deprivations", functools.partial(deprivations, seed=seed)),
    )
    return Benchmark("belief_quality", parts, one_core=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=1)
    options, others = parser.parse_known_args(arguments)
    return run(benchmark(options.seed), others)


if __name__ == "__main__":
    sys.exit(main())
