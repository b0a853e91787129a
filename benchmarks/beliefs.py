"""How fast beliefs are: full `house` games between two greedy players, watched from one seat, on one core.

Games, events and observations are prepared off the clock, everything is compiled before it starts, and a belief is
made at the deal off the clock too. *Mean* figures are whole games by their updates; *median* and *p99* are over single
updates, each on the clock by itself. Figures are medians over the repeats.

*Closed form*: `update` for both players' actions; with *all marginals* `expected_counts` and `probabilities` are read
after it. *Worlds* are complete states from `sample`, 10,000 at a time, at every tenth action of the games.

*Particles*: `ParticleBelief` of 10,000 hands that takes the opponent for greedy. The *plain filter* beside it is the
obvious one in pure Python: a list of `Counter`s with weights, the same likelihood, the same number of hands, the same
games, systematic resampling below half the effective sample size. It does not rejuvenate: where no weight is left it
starts again with uniform hands, which is cheap and throws away what was learnt. The filter's own updates are
rejuvenating ones or ordinary ones; both are shown, and both ratios: on the updates that are ordinary, and over whole
games, where ours does work that the plain filter leaves undone.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np

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
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.diagnostics import choose
from uno_pomdp.beliefs.models import Greedy
from uno_pomdp.beliefs.particles import ParticleBelief
from uno_pomdp.beliefs.protocol import Belief
from uno_pomdp.cards import CardType
from uno_pomdp.game.engine import Game
from uno_pomdp.game.layout import FIRST, PLAYABLE
from uno_pomdp.game.values import Drew, Event, Observation, Played, Reshuffled
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
            game.apply(choose(game, Greedy(), chance))
            steps.append((game.events(FIRST, since=len(steps)), game.observation(FIRST)))
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


class PlainFilter:
    """The obvious particle filter in plain Python, for `house` rules and a greedy opponent."""

    def __init__(self, rules: Rules, seen: Observation, count: int, seed: int) -> None:
        self.rules, self.seen, self.count = rules, seen, count
        self.chance = random.Random(seed)
        self.restarts = 0
        """Times no weight was left."""
        self._restart(seen)

    def _restart(self, seen: Observation) -> None:
        unseen = list(seen.unseen(self.rules))
        self.hands = [Counter(self.chance.sample(unseen, seen.opponent_size)) for _ in range(self.count)]
        self.weights = [1.0 / self.count] * self.count

    def update(self, events: Sequence[Event], seen: Observation) -> None:
        """Weigh, move, normalise, resample."""
        unseen = Counter(self.seen.unseen(self.rules))
        for event in events:
            if isinstance(event, Reshuffled):
                unseen.update(event.returned)
            elif isinstance(event, Drew):
                self._drew(event, unseen)
            elif isinstance(event, Played) and event.seat != self.seen.seat and event.action.card is not None:
                self._played(event.action.card, event.action.colour)
        self.seen = seen
        self._normalise()

    def _played(self, card: CardType, colour: int | None) -> None:
        playable = int(PLAYABLE[self.seen.colour, self.seen.top])
        for index, hand in enumerate(self.hands):
            if hand[card]:
                choices = sum(number for held, number in hand.items() if playable >> held & 1)
                self.weights[index] *= hand[card] / choices
                if card >= 52 and colour != fullest(hand):
                    self.weights[index] = 0.0
                hand[card] -= 1
            else:
                self.weights[index] = 0.0

    def _drew(self, event: Drew, unseen: Counter[CardType]) -> None:
        if event.seat == self.seen.seat:
            for card in event.cards or ():
                for index, hand in enumerate(self.hands):
                    self.weights[index] *= max(unseen[card] - hand[card], 0)
                unseen[card] -= 1
            return
        playable = int(PLAYABLE[self.seen.colour, self.seen.top])
        for index, hand in enumerate(self.hands):
            if not event.penalty and any(number and playable >> held & 1 for held, number in hand.items()):
                self.weights[index] = 0.0
            if self.weights[index]:
                pile = list((unseen - hand).elements())
                hand.update(self.chance.sample(pile, min(event.count, len(pile))))

    def _normalise(self) -> None:
        total = sum(self.weights)
        if not total:
            self.restarts += 1
            self._restart(self.seen)
            return
        self.weights = [weight / total for weight in self.weights]
        if 1.0 / sum(weight * weight for weight in self.weights) < self.count / 2:
            self._resample()

    def _resample(self) -> None:
        reached = list(accumulate(self.weights))
        position, at, chosen = self.chance.random() / self.count, 0, []
        for _ in range(self.count):
            while at < self.count - 1 and reached[at] <= position:
                at += 1
            chosen.append(self.hands[at].copy())
            position += 1.0 / self.count
        self.hands, self.weights = chosen, [1.0 / self.count] * self.count


def fullest(hand: Counter[CardType]) -> int:
    """Return the colour of which most cards are held, the first of equals."""
    held = [sum(number for card, number in hand.items() if card // 13 == colour) for colour in range(4)]
    return held.index(max(held))


def particles(run: Run) -> Iterator[Claim]:
    """Measure the particle filter over its kinds of updates, beside the plain one on the same events."""
    count = run.pick(HANDS, 200)
    games = watched_games(run.pick(20, 1), 3)
    ours(games[0], count, 0)  # compiled before the clock starts
    found = [ours(game, count, number) for number, game in enumerate(games)]
    times = np.array([spent for spents, _ in found for spent in spents]) * 1e3
    fresh = np.array([rejuvenated for _, which in found for rejuvenated in which])
    yield shown(f"particles: updates of {count:,} hands", len(times), f"updates of {len(games)} games")
    yield at_most("particles: update, median", float(np.median(times)), 2, "ms")
    yield shown("particles: update, mean", float(times.mean()), "ms")
    yield shown("particles: update, p99", float(np.percentile(times, 99)), "ms")
    yield shown("particles: update with rejuvenation, mean", float(times[fresh].mean()), "ms")
    yield shown("particles: update with rejuvenation, share", float(fresh.mean() * 100), "% of updates")
    yield shown("particles: update without rejuvenation, mean", float(times[~fresh].mean()), "ms")
    yield from beside_plain(run, games, count)


def ours(game: Watched, count: int, seed: int) -> tuple[list[float], list[bool]]:
    """Return how long each update of the filter takes, and whether it rejuvenated."""
    belief = ParticleBelief(game.rules, game.first, Greedy(), count, seed)
    times, fresh, before = [], [], 0
    for step in game.steps:
        times += update_times(belief, [step])
        now = belief.diagnostics().rejuvenations
        fresh.append(now > before)
        before = now
    return times, fresh


def beside_plain(run: Run, games: Sequence[Watched], count: int) -> Iterator[Claim]:
    """Measure both filters in turn, a game a repeat."""
    restarts = []
    ordinary: list[tuple[float, float]] = []
    which: list[bool] = []

    def our_side(repeat: int) -> float:
        times, fresh = ours(games[repeat % len(games)], count, repeat)
        which[:] = fresh
        ordinary.append((sum(t for t, again in zip(times, fresh, strict=True) if not again), 0.0))
        return sum(times) / len(times) * 1e3

    def plain_side(repeat: int) -> float:
        game = games[repeat % len(games)]
        plain = PlainFilter(game.rules, game.first, count, repeat)
        times = [seconds(lambda step=step: plain.update(*step)) for step in game.steps]  # type: ignore[misc]
        restarts.append(plain.restarts)
        same = sum(t for t, again in zip(times, which, strict=True) if not again)
        ordinary[-1] = (ordinary[-1][0], same)
        return sum(times) / len(times) * 1e3

    us, them = run.interleaved(our_side, plain_side)
    ratio = median(theirs / our for our, theirs in ordinary)
    yield shown("particles: plain Python by ours, updates without rejuvenation", ratio, "×")
    yield shown("particles: plain Python by ours, whole games", median_ratio(them, us), "×")
    yield shown("particles: plain Python, mean update", median(them), "ms")
    yield shown("particles: plain Python, no weight left", sum(restarts) / len(restarts), "times a game")


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
