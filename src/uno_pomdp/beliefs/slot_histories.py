"""Whole slot histories from the closed form: which slot each played card came from, and when it was drawn.

A policy-aware belief weighs a hand by *all* past choices, and those depend on the hands held then. So a fresh
hand is drawn with its past. The closed form keeps, step by step, its configurations before and after; a
history is sampled backwards through them (each configuration's parents ∝ α times the step's factor), then
forwards again with slots that have names: a play takes one of the slots of its group, each equally likely.

Groups are ordered by age, and so are the slots of a hand; so a group is a run of them, and a link names it by
its first place and its size.

A hand that is shown or swapped is known: histories start anew there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture import updates as steps
from uno_pomdp.beliefs.mixture.lattice import Change, Lattice, Links, Snapshot, link_all
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed, Streams, below, by_weight, streams, uniform
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.rules import Rules

NEVER: Final = np.iinfo(np.int16).max
"""The death of a slot that is still in the hand."""

CHANGES: Final[dict[Callable[..., int], Callable[..., dict[str, Any]]]] = {
    steps.opponent_plays: lambda card, barred, from_hand: {"card": card, "barred": barred, "from_hand": from_hand},
    steps.opponent_draws: lambda slots, barred: {"slots": slots, "barred": barred},
    steps.card_seen: lambda card: {"card": card},
    steps.cards_return: lambda returned: {"returned": returned},
}
"""By step of the closed form: what its arguments say about the change."""


@dataclass(frozen=True)
class HistoryStep:
    """One step of the closed form, with the configurations on both sides of it."""

    before: Snapshot
    """The configurations it started from."""
    after: Snapshot
    """The configurations it led to."""
    change: Change
    """What it did to each of them."""

    @cached_property
    def links(self) -> Links:
        """The configurations' parents, sorted by child."""
        return link_all(self.before, self.after, self.change)


@dataclass(frozen=True, slots=True)
class SlotHistories:
    """Sampled pasts: for each the card in every slot that ever was, and when the slot left the hand."""

    cards: npt.NDArray[np.uint8]
    """By history and slot: the card it held."""
    death: npt.NDArray[np.int16]
    """By history and slot: the step in which its card was played; `NEVER` if it is in the hand."""
    birth: npt.NDArray[np.int64]
    """By slot, oldest first: the step in which it was drawn; −1 for the deal."""
    played: npt.NDArray[np.int64]
    """By step: the type that left the hand in it, the same in every history; −1 if none did."""

    def part(self, first: int, end: int) -> "SlotHistories":
        """Return some of the histories."""
        return SlotHistories(self.cards[first:end], self.death[first:end], self.birth, self.played)

    def hands_at(self, step: int) -> Hands:
        """Return the hands before this step."""
        hands = np.zeros((len(self.cards), CARD_TYPES), np.uint8)
        self.move_on(hands, -1, step)
        return hands

    def move_on(self, hands: Hands, start: int, end: int) -> None:
        """Change the hands before one step into those before a later one, in place; empty hands are before −1."""
        first, last = np.searchsorted(self.birth, (start, end))
        gone = self.played[max(start, 0) : end]
        move_hands(hands, self.cards, int(first), int(last), gone[gone >= 0])


class RecordingBelief(ClosedFormBelief):
    """The closed form with its own past, from which histories can be drawn."""

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        self._begin()

    def _begin(self) -> None:
        """Start histories with the slots of now."""
        m = self._mixtures[self._front]
        self._dealt = int(m["sizes"][0, : m["groups"]].sum())
        self._now = self._snapshot()
        self._lattice = Lattice()
        self.steps: list[HistoryStep] = []
        """What happened to the closed form since the deal, or since the hand was known, in order."""

    def _step(self, step: Callable[..., int], *arguments: object) -> None:
        super()._step(step, *arguments)
        m = self._mixtures[self._front]
        if step is steps.hand_known:
            self._begin()
            return
        change = Change(dropped=m["dropped"][: m["drops"]].copy(), **CHANGES[step](*arguments))
        before, self._now = self._now, self._snapshot()
        self.steps.append(HistoryStep(before, self._now, change))

    def _snapshot(self) -> Snapshot:
        m = self._mixtures[self._front]
        count, groups, layouts = int(m["configurations"]), int(m["groups"]), int(m["layouts"])
        return (
            m["sizes"][:count, :groups].copy(),
            m["alpha"][:count].copy(),
            m["layout"][:count].copy(),
            m["layers"][:layouts, : groups + 1].copy(),
        )

    def sample_histories(self, count: int, seed: Seed) -> SlotHistories:
        """Return histories drawn from the closed form; a card that is being decided about has no slot yet."""
        lattice = self._lattice
        for step in self.steps[len(lattice) :]:
            lattice.add(step.links, step.change)
        walk = lattice.steps
        birth = np.repeat(np.arange(-1, len(walk)), [self._dealt, *walk[:, 2]])
        cards = np.zeros((count, len(birth)), np.uint8)
        death = np.full((count, len(birth)), NEVER, np.int16)
        m = self._mixtures[self._front]
        running = np.cumsum(m["weights"][: m["configurations"]])
        sizes, _, layout, layers = self._now
        sample_all(walk, *lattice.links, running, sizes, layout, layers, self._dealt, streams(seed), cards, death)
        return SlotHistories(cards, death, birth, walk[:, 1])


@kernel
def move_hands(hands: Hands, cards: npt.NDArray[np.uint8], first: int, last: int, gone: Ints) -> None:
    """Put the cards of some slots into the hands, and take types out of all of them."""
    for index in range(len(hands)):
        for slot in range(first, last):
            hands[index, cards[index, slot]] += 1
        for card in gone:
            hands[index, card] -= 1


@kernel
def sample_all(
    walk: Ints,
    first: Ints,
    parent: Ints,
    start: Ints,
    count: Ints,
    cumulative: npt.NDArray[np.float64],
    running: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.uint8],
    layout: npt.NDArray[np.int32],
    layers: npt.NDArray[np.uint8],
    dealt: int,
    random: Streams,
    cards: npt.NDArray[np.uint8],
    death: npt.NDArray[np.int16],
) -> None:
    """Write the slots of each history: back through the lattice, forward through the plays, then the hand of today."""
    free, reach = free_cards(layers)
    place = np.zeros(len(walk), np.int64)
    held = np.empty(cards.shape[1] + 1, np.int64)
    taken = np.empty(cards.shape[1] + 1, np.int64)
    for index in range(len(cards)):
        now = choose_configuration(running, random)
        go_back(walk, first, parent, start, count, cumulative, now, random, place)
        size = go_forward(walk, place, dealt, held, cards[index], death[index])
        k = layout[now]
        fill_slots(sizes[now], free[k], reach[k], held[:size], random, taken, cards[index])


@inner_kernel
def choose_configuration(running: npt.NDArray[np.float64], random: Streams) -> int:
    """Return a configuration drawn by its weight, from cumulative sums."""
    if len(running) == 1:
        return 0
    return by_weight(running, random[0])


@inner_kernel
def go_back(
    walk: Ints,
    first: Ints,
    parent: Ints,
    start: Ints,
    count: Ints,
    cumulative: npt.NDArray[np.float64],
    now: int,
    random: Streams,
    place: Ints,
) -> None:
    """Walk back from a configuration, and write for each play a place among the slots of the hand then."""
    for number in range(len(walk) - 1, -1, -1):
        node = walk[number, 0]
        if node < 0:
            continue
        link, end = first[node + now], first[node + now + 1]
        if end - link > 1:
            target = uniform(random[0]) * cumulative[end - 1]
            while link < end - 1 and cumulative[link] <= target:
                link += 1
        now = parent[link]
        place[number] = start[link]
        if count[link] > 1:
            place[number] += below(random[0], count[link])


@inner_kernel
def go_forward(
    walk: Ints,
    place: Ints,
    dealt: int,
    held: Ints,
    cards: npt.NDArray[np.uint8],
    death: npt.NDArray[np.int16],
) -> int:
    """Write the card and the death of each slot that was played from; leave the others in `held`, return how many."""
    born = size = 0
    for number in range(-1, len(walk)):
        if number >= 0 and walk[number, 1] >= 0:
            slot = held[place[number]]
            cards[slot] = walk[number, 1]
            death[slot] = number
            size -= 1
            for other in range(place[number], size):
                held[other] = held[other + 1]
        for _ in range(walk[number, 2] if number >= 0 else dealt):
            held[size] = born
            size += 1
            born += 1
    return size


@kernel
def free_cards(layers: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Return by layout the unseen cards one by one, layer after layer, and how many there are up to each layer."""
    layouts, depth, _ = layers.shape
    total = 0
    for g in range(depth):
        for card in range(CARD_TYPES):
            total += as_int(layers[0, g, card])
    free = np.empty((layouts, total), np.uint8)
    reach = np.empty((layouts, depth), np.int64)
    for k in range(layouts):
        end = 0
        for g in range(depth):
            for card in range(CARD_TYPES):
                for _ in range(layers[k, g, card]):
                    free[k, end] = card
                    end += 1
            reach[k, g] = end
    return free, reach


@inner_kernel
def fill_slots(
    sizes: npt.NDArray[np.uint8],
    free: npt.NDArray[np.uint8],
    reach: Ints,
    held: Ints,
    random: Streams,
    taken: Ints,
    cards: npt.NDArray[np.uint8],
) -> None:
    """Fill the slots still in the hand, oldest group first, each with a free card of its layers.

    A card that is taken leaves its place to the first that was free; afterwards all is put back for the next history.
    """
    filled = 0
    for g in range(len(sizes)):
        for _ in range(sizes[g]):
            place = filled + below(random[0], reach[g] - filled)
            taken[filled] = place
            cards[held[filled]] = free[place]
            free[place] = free[filled]
            filled += 1
    for back in range(filled - 1, -1, -1):
        free[taken[back]] = cards[held[back]]
