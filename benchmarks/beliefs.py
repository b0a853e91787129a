"""How fast beliefs are: full `house` games between two greedy players, watched from one seat, on one core.

Games, events and observations are prepared off the clock, everything is compiled before it starts, and a belief is
made at the deal off the clock too. *Mean* figures are whole games by their updates; *median* and *p99* are over single
updates, each on the clock by itself. Figures are medians over the repeats.

*Closed form*: `update` for both players' actions; with *all marginals* `expected_counts` and `probabilities` are read
after it. *Worlds* are complete states from `sample`, 10,000 at a time, at every tenth action of the games.

*Particles*: `ParticleBelief` of 10,000 hands that takes the opponent for greedy. An action of the observer that says
nothing about the hand costs nothing; *updates that say something* are the others. The *plain filter* beside it is the
obvious one in pure Python, and does the same on the same events: a list of `Counter`s with weights, the same
likelihood, the same number of hands, systematic resampling below half the effective sample size, and whole histories
drawn afresh and weighed by every choice in them when its weight rests on too few. It finds them by the same walk
through the steps of the closed form, which are prepared off the clock for it. Ratios are between the two on the same
games: over all updates, over those in which both drew afresh, and over the others.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from benchmarks.experiments.belief_quality import choose
from benchmarks.harness import (
    Benchmark,
    Claim,
    Part,
    Run,
    at_least,
    at_most,
    median,
    median_ratio,
    run,
    seconds,
    shown,
)
from benchmarks.peers.plain_filter import PlainFilter
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.game.events import Drew, Event, Played
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import FIRST
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import Rules, preset

HOUSE: Final = preset("house")
HANDS: Final = 10_000
"""Hands of both particle filters."""
MICRO: Final = 1e6

Step = tuple[tuple[Event, ...], Observation]
Update = Callable[[Sequence[Event], Observation], object]


class Watched(NamedTuple):
    """A game from the first seat."""

    rules: Rules
    first: Observation
    steps: list[Step]


def watched_games(count: int, seed: int) -> list[Watched]:
    """Play games between greedy players."""
    games = []
    for number in range(count):
        game, chance = Game.new(HOUSE, 1_000 * seed + number), np.random.default_rng((seed, number))
        first = game.observation(FIRST)
        steps: list[Step] = []
        while not game.over:
            game.apply(choose(game, PolicyModel(GREEDY), chance))
            steps.append(game.last_step(FIRST))
        games.append(Watched(game.rules, first, steps))
    return games


def follow(update: Update, steps: Sequence[Step]) -> None:
    """Update through a game."""
    for events, seen in steps:
        update(events, seen)


def update_times(belief: Belief, steps: Sequence[Step], read: bool = False) -> list[float]:
    """Return how long each update of a game takes, with all marginals if they are to be read."""
    times = []
    for events, seen in steps:
        start = time.perf_counter()
        belief.update(events, seen)
        if read:
            belief.expected_counts()
            belief.probabilities()
        times.append(time.perf_counter() - start)
    return times


# --- the closed form -------------------------------------------------------------------------------------


def closed_form(run: Run) -> Iterator[Claim]:
    """Measure updates and marginals of the closed form."""
    games = watched_games(run.pick(500, 3), 1)
    actions = sum(len(game.steps) for game in games)
    for game in games[:3]:
        update_times(ClosedFormBelief(game.rules, game.first), game.steps, read=True)  # compiled before the clock

    def updating(_: int) -> float:
        spent = 0.0
        for game in games:
            belief = ClosedFormBelief(game.rules, game.first)
            start = time.perf_counter()
            follow(belief.update, game.steps)
            spent += time.perf_counter() - start
        return spent / actions * MICRO

    read: list[list[float]] = []

    def reading(_: int) -> float:
        read.append(
            [t for game in games for t in update_times(ClosedFormBelief(game.rules, game.first), game.steps, True)]
        )
        return float(np.median(read[-1])) * MICRO

    updates, readings = run.interleaved(updating, reading)
    yield shown("closed form: games", len(games), f"games, {actions:,} updates")
    yield at_most("closed form: update, mean", median(updates), 5, "µs")
    yield at_most("closed form: update and all marginals, median", median(readings), 20, "µs")
    p99 = median(float(np.percentile(times, 99)) for times in read)
    yield at_most("closed form: update and all marginals, p99", p99 * MICRO, 1_000, "µs")
    yield shown(
        "closed form: update and all marginals, mean", median(float(np.mean(times)) for times in read) * MICRO, "µs"
    )


def worlds(run: Run) -> Iterator[Claim]:
    """Measure complete worlds drawn from the closed form."""
    beliefs = []
    for game in watched_games(run.pick(20, 2), 2):
        for end in range(5, len(game.steps), 10):
            belief = ClosedFormBelief(game.rules, game.first)
            follow(belief.update, game.steps[:end])
            beliefs.append(belief)
    count = run.pick(10_000, 100)
    beliefs[0].sample(10, 1)  # compiled before the clock starts

    def sampling(repeat: int) -> float:
        spent = sum(seconds(lambda belief=belief: belief.sample(count, repeat)) for belief in beliefs)  # type: ignore[misc]
        return len(beliefs) * count / spent

    (rates,) = run.interleaved(sampling)
    yield at_least("closed form: worlds", median(rates), 500_000, "worlds/s")


# --- particles -------------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """How long the updates of a game took."""

    times: list[float]
    """By update: seconds."""
    fresh: list[bool]
    """By update: whether it drew fresh histories."""
    says: list[bool]
    """By update: whether it said something about the hand."""


def says_something(step: Step, seat: int) -> bool:
    """Return whether an action says something about the opponent's hand: all but the observer's own plays."""
    return any(isinstance(event, Drew) or (isinstance(event, Played) and event.seat != seat) for event in step[0])


def ours(game: Watched, count: int, seed: int) -> Timed:
    """Measure the filter through a game."""
    belief = ParticleBelief(game.rules, game.first, PolicyModel(GREEDY), count, seed)
    timed, before = Timed([], [], []), 0
    for step in game.steps:
        timed.times.extend(update_times(belief, [step]))
        now = belief.diagnostics().rejuvenations
        timed.fresh.append(now > before)
        timed.says.append(says_something(step, game.first.seat))
        before = now
    return timed


def plain(game: Watched, count: int, seed: int) -> Timed:
    """Measure the plain filter through a game."""
    belief = PlainFilter(game.rules, game.first, count, seed)
    timed = Timed([], [], [])
    for step in game.steps:
        belief.prepare(*step)
        timed.times.append(seconds(lambda step=step: belief.update(*step)))  # type: ignore[misc]
        timed.fresh.append(belief.afresh)
        timed.says.append(says_something(step, game.first.seat))
    return timed


def particles(run: Run) -> Iterator[Claim]:
    """Measure the particle filter over its kinds of updates, beside the plain one on the same events."""
    count = run.pick(HANDS, 200)
    games = watched_games(run.pick(20, 1), 3)
    ours(games[0], count, 0)  # compiled before the clock starts
    found = [ours(game, count, number) for number, game in enumerate(games)]
    times = np.concatenate([timed.times for timed in found]) * 1e3
    fresh, says = (np.concatenate([np.array(timed[column]) for timed in found]) for column in (1, 2))
    yield shown(f"particles: updates of {count:,} hands", len(times), f"updates of {len(games)} games")
    yield at_most("particles: update, median", float(np.median(times)), 2, "ms")
    yield at_most(
        "particles: update that says something, no fresh histories, mean", times[says & ~fresh].mean(), 2, "ms"
    )
    yield shown("particles: update, mean", float(times.mean()), "ms")
    yield shown("particles: update, p99", float(np.percentile(times, 99)), "ms")
    yield shown("particles: update with fresh histories, mean", float(times[fresh].mean()), "ms")
    yield shown("particles: update with fresh histories, share", float(fresh.mean() * 100), "% of updates")
    yield from beside_plain(run, games, count)


def beside_plain(run: Run, games: Sequence[Watched], count: int) -> Iterator[Claim]:
    """Measure both filters in turn, a game a repeat."""
    both: tuple[list[Timed], list[Timed]] = [], []

    def side(which: int, measure: Callable[[Watched, int, int], Timed]) -> Callable[[int], float]:
        def measured(repeat: int) -> float:
            both[which].append(measure(games[repeat % len(games)], count, repeat))
            return float(np.mean(both[which][-1].times)) * 1e3

        return measured

    us, them = run.interleaved(side(0, ours), side(1, plain))
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for our, their in zip(*both, strict=True):
        for fresh, found in ratios.items():
            alike = [a == b == fresh for a, b in zip(our.fresh, their.fresh, strict=True)]
            found.append(float(np.array(their.times)[alike].sum() / np.array(our.times)[alike].sum()))
    yield at_least("particles: plain Python by ours, whole games", median_ratio(them, us), 100, "×")
    yield shown("particles: plain Python by ours, updates with fresh histories", median(ratios[True]), "×")
    yield shown("particles: plain Python by ours, other updates", median(ratios[False]), "×")
    yield shown("particles: plain Python, mean update", median(them), "ms")


BENCHMARK = Benchmark(
    "beliefs",
    (
        Part("the closed form", closed_form),
        Part("worlds from the closed form", worlds),
        Part("particles beside plain Python", particles),
    ),
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
