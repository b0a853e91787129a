"""The obvious particle filter in plain Python, beside which `benchmarks.beliefs` measures ours."""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import ceil
from typing import NamedTuple

from uno_pomdp.beliefs.particle_filter import LATE
from uno_pomdp.beliefs.past_kernels import LEAST
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.cards import CardType
from uno_pomdp.game.events import Drew, Event, Played, Reshuffled
from uno_pomdp.game.layout import PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

ENOUGH = 1 / 4
"""Fresh histories are to have this share of the number of particles as effective sample size."""
MOST = 8
"""At most so many times the number of particles are drawn for it."""
FEW_ORIGINS = 1 / 8
"""They are drawn when the weight rests on less than this share of independent hands."""


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
                weight *= max(greedy(hand, next(choices)), LEAST) / hand[change.card]
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
