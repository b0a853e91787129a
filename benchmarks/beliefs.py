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
through the steps of the closed form, which is given to it ready-made: for that it pays nothing. Ratios are between the
two on the same games: over all updates, over those in which both drew afresh, and over the others.
"""

import random
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from math import ceil, exp
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
from uno_pomdp.beliefs.histories import RecordingBelief
from uno_pomdp.beliefs.models import Greedy
from uno_pomdp.beliefs.particles import ENOUGH, FEW_ORIGINS, LATE, MOST, ParticleBelief
from uno_pomdp.beliefs.protocol import Belief
from uno_pomdp.beliefs.stage_kernels import FLOOR
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


class Past(NamedTuple):
    """A choice of the opponent, as the plain filter remembers it."""

    playable: int
    card: CardType
    colour: int | None


class PlainFilter:
    """The obvious particle filter in plain Python, for `house` rules and a greedy opponent."""

    def __init__(self, rules: Rules, seen: Observation, count: int, seed: int) -> None:
        self.rules, self.seen, self.count = rules, seen, count
        self.chance = random.Random(seed)
        self.dealt = seen.opponent_size
        self.past: list[Past] = []
        self.closed = RecordingBelief(rules, seen)
        self.afresh = False
        """Whether the last update drew fresh histories."""
        unseen = list(seen.unseen(rules))
        self._start([Counter(self.chance.sample(unseen, self.dealt)) for _ in range(count)], [1.0] * count)

    def _start(self, hands: list[Counter[CardType]], weights: list[float]) -> None:
        total = sum(weights)
        self.hands, self.weights = hands, [weight / total for weight in weights]
        self.origins = list(range(len(hands)))

    def prepare(self, events: Sequence[Event], seen: Observation) -> None:
        """Let the closed form take in what happened; not on the clock."""
        self.closed.update(events, seen)
        self.steps = [(step.change, *(part.tolist() for part in step.links)) for step in self.closed.steps]
        self.configurations = self.closed.configurations()

    def update(self, events: Sequence[Event], seen: Observation) -> None:
        """Weigh, move, normalise, resample or draw afresh."""
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
        self.past.append(Past(playable, card, colour))
        for index, hand in enumerate(self.hands):
            self.weights[index] *= greedy(hand, self.past[-1])
            if hand[card]:
                hand[card] -= 1

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
        self.weights = [weight / total for weight in self.weights] if total else self.weights
        families: Counter[int] = Counter()
        for origin, weight in zip(self.origins, self.weights, strict=True):
            families[origin] += weight  # type: ignore[assignment]  # a Counter of floats
        count = self.count * (2 if self.seen.opponent_size <= LATE else 1)
        self.afresh = not total or effective(families.values()) < FEW_ORIGINS * count
        if self.afresh:
            self._draw_afresh(count)
        elif effective(self.weights) < len(self.weights) / 2:
            self._resample(count)

    def _resample(self, count: int) -> None:
        reached = list(accumulate(self.weights))
        position, at, chosen = self.chance.random() / count, 0, []
        for _ in range(count):
            while at < len(reached) - 1 and reached[at] <= position:
                at += 1
            chosen.append(at)
            position += 1.0 / count
        self.origins = [self.origins[at] for at in chosen]
        self.hands, self.weights = [self.hands[at].copy() for at in chosen], [1.0 / count] * count

    def _draw_afresh(self, count: int) -> None:
        self.shares = [weight for weight, _, _ in self.configurations]
        self.layers = [
            [[card for card, copies in enumerate(layer) for _ in range(copies)] for layer in layers]
            for _, _, layers in self.configurations
        ]
        found = [self._history() for _ in range(count)]
        size = effective([weight for _, weight in found])
        if size < ENOUGH * count:
            more = min(ceil(count * ENOUGH * count / size), MOST * count) - count
            found += [self._history() for _ in range(more)]
        self._start([hand for hand, _ in found], [weight for _, weight in found])

    def _history(self) -> tuple[Counter[CardType], float]:
        """Return today's hand of a history drawn from the closed form, and its weight."""
        now = self.chance.choices(range(len(self.shares)), self.shares)[0]
        sizes, layers = self.configurations[now][1], self.layers[now]
        places = []
        for change, first, parent, start, count, running in reversed(self.steps):
            end = first[now + 1]
            target = self.chance.random() * running[end - 1]
            link = min(bisect_right(running, target, first[now], end), end - 1)
            now = parent[link]
            if change.from_hand:
                places.append(start[link] + self.chance.randrange(count[link]))
        held = list(range(self.dealt))
        cards: dict[int, CardType] = {}
        born = [self.dealt]
        for change, *_ in self.steps:
            if change.from_hand:
                cards[held.pop(places.pop())] = change.card
            held += range(born[-1], born[-1] + change.slots)
            born.append(born[-1] + change.slots)
        free: list[CardType] = []
        for size, layer in zip(sizes, layers, strict=False):
            free += layer
            for slot in held[:size]:
                cards[slot] = free.pop(self.chance.randrange(len(free)))
            held = held[size:]
        return self._weigh(cards, born)

    def _weigh(self, cards: dict[int, CardType], born: list[int]) -> tuple[Counter[CardType], float]:
        hand = Counter(cards[slot] for slot in range(self.dealt))
        weight, choices = 1.0, iter(self.past)
        for number, (change, *_) in enumerate(self.steps):
            if change.from_hand:
                weight *= max(greedy(hand, next(choices)), exp(FLOOR)) / hand[change.card]
                hand[change.card] -= 1
            hand.update(cards[slot] for slot in range(born[number], born[number + 1]))
        return hand, weight


def effective(weights: Iterable[float]) -> float:
    """Return (Σw)² / Σw²."""
    values = list(weights)
    squares = sum(weight * weight for weight in values)
    return sum(values) ** 2 / squares if squares else 0.0


def greedy(hand: Counter[CardType], past: Past) -> float:
    """Return the probability of a play for a greedy player with this hand."""
    if not hand[past.card] or (past.card >= 52 and past.colour != fullest(hand)):
        return 0.0
    return hand[past.card] / sum(number for held, number in hand.items() if past.playable >> held & 1)


def fullest(hand: Counter[CardType]) -> int:
    """Return the colour of which most cards are held, the first of equals."""
    held = [sum(number for card, number in hand.items() if card // 13 == colour) for colour in range(4)]
    return held.index(max(held))


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
    belief = ParticleBelief(game.rules, game.first, Greedy(), count, seed)
    timed, before = Timed([], [], []), 0
    for step in game.steps:
        timed.times.extend(update_times(belief, [step]))
        now = belief.rejuvenations
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
