"""Whole slot histories from the closed form: which slot each played card came from, and when it was drawn.

A policy-aware belief weighs a hand by *all* past choices, and those depend on the hands held then. So a fresh
hand is drawn with its past. The closed form keeps, step by step, its configurations before and after; a
history is sampled backwards through them (each configuration's parents ∝ α times the step's factor), then
forwards again with slots that have names: a play takes one of the slots of its group, each equally likely.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs import mixture_events as steps
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.links import Change, Links, Snapshot, link_all
from uno_pomdp.beliefs.protocol import Hands
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.rng import Seed, Streams, below, streams, uniform
from uno_pomdp.game.values import Observation
from uno_pomdp.jit import as_int, kernel
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
class Step:
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
class Histories:
    """Sampled pasts: for each the card in every slot that ever was, and when the slot left the hand."""

    cards: npt.NDArray[np.uint8]
    """By history and slot: the card it held."""
    death: npt.NDArray[np.int16]
    """By history and slot: the step in which its card was played; `NEVER` if it is in the hand."""
    birth: npt.NDArray[np.int16]
    """By slot: the step in which it was drawn; −1 for the deal."""

    def hands_at(self, step: int) -> Hands:
        """Return the hands before this step."""
        hands = np.zeros((len(self.cards), CARD_TYPES), np.uint8)
        count_hands(self.cards, self.death, self.birth, step, hands)
        return hands

    def cards_born(self, step: int) -> npt.NDArray[np.uint8]:
        """Return the card of the one slot that was drawn in this step."""
        return np.ascontiguousarray(self.cards[:, int(np.flatnonzero(self.birth == step)[0])])


class RecordingBelief(ClosedFormBelief):
    """The closed form with its own past, from which histories can be drawn."""

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        self._dealt = observation.opponent_size
        self.steps: list[Step] = []
        """What happened to the closed form, in order."""

    def _step(self, step: Callable[..., int], *arguments: object) -> None:
        before = self._snapshot()
        super()._step(step, *arguments)
        m = self._mixtures[self._front]
        change = Change(dropped=m["dropped"][: m["drops"]].copy(), **CHANGES[step](*arguments))
        self.steps.append(Step(before, self._snapshot(), change))

    def _snapshot(self) -> Snapshot:
        m = self._mixtures[self._front]
        count, groups, layouts = int(m["configurations"]), int(m["groups"]), int(m["layouts"])
        return (
            m["sizes"][:count, :groups].copy(),
            m["alpha"][:count].copy(),
            m["layout"][:count].copy(),
            m["layers"][:layouts, : groups + 1].copy(),
        )

    def sample_histories(self, count: int, seed: Seed) -> Histories:
        """Return histories drawn from the closed form; a card that is being decided about has no slot yet."""
        stream = streams(seed)
        m = self._mixtures[self._front]
        weights = m["weights"][: m["configurations"]]
        at = np.empty(count, np.int64)
        choose_configurations(np.cumsum(weights), stream, at)
        final = at.copy()
        chosen = np.full((len(self.steps), count), -1, np.int8)
        for number in range(len(self.steps) - 1, -1, -1):
            walk_back(*self.steps[number].links, stream, at, chosen[number])
        birth = [np.full(self._dealt, -1, np.int16)]
        birth += [np.full(step.change.slots, number, np.int16) for number, step in enumerate(self.steps)]
        born = np.concatenate(birth)
        group = np.full((count, len(born)), -1, np.int8)
        group[:, : self._dealt] = 0
        death = np.full((count, len(born)), NEVER, np.int16)
        cards = np.zeros((count, len(born)), np.uint8)
        opened = self._dealt
        for number, step in enumerate(self.steps):
            if step.change.from_hand:
                play_slots(group, death, cards, chosen[number], step.change.card, number, stream)
            if step.change.slots:
                group[:, opened : opened + step.change.slots] = step.before[0].shape[1]
                opened += step.change.slots
            for dropped in step.change.dropped:
                group[group >= dropped] -= 1
        sizes, _, layout, layers = self._snapshot()
        fill_slots(sizes, layout, layers, final, group, cards, stream)
        return Histories(cards, death, born)


@kernel
def choose_configurations(cumulative: npt.NDArray[np.float64], random: Streams, at: npt.NDArray[np.int64]) -> None:
    """Write configurations drawn by their weights."""
    for index in range(len(at)):
        found = as_int(np.searchsorted(cumulative, uniform(random[0]) * cumulative[-1], side="right"))
        at[index] = min(found, len(cumulative) - 1)


@kernel
def walk_back(
    first: npt.NDArray[np.int64],
    parent: npt.NDArray[np.int64],
    group: npt.NDArray[np.int8],
    cumulative: npt.NDArray[np.float64],
    random: Streams,
    at: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int8],
) -> None:
    """Replace each configuration by a parent of it, and write the group that the card of the step came from."""
    for index in range(len(at)):
        start, end = first[at[index]], first[at[index] + 1]
        link = start
        if end - start > 1:
            target = uniform(random[0]) * cumulative[end - 1]
            while link < end - 1 and cumulative[link] <= target:
                link += 1
        at[index] = parent[link]
        chosen[index] = group[link]


@kernel
def play_slots(
    group: npt.NDArray[np.int8],
    death: npt.NDArray[np.int16],
    cards: npt.NDArray[np.uint8],
    chosen: npt.NDArray[np.int8],
    card: int,
    step: int,
    random: Streams,
) -> None:
    """Play a card from one of the slots of the chosen group, each equally likely."""
    for index in range(len(group)):
        count = 0
        for slot in range(group.shape[1]):
            count += group[index, slot] == chosen[index]
        left = below(random[0], count)
        for slot in range(group.shape[1]):
            if group[index, slot] == chosen[index]:
                if left == 0:
                    group[index, slot] = -1
                    death[index, slot] = step
                    cards[index, slot] = card
                    break
                left -= 1


@kernel
def fill_slots(
    sizes: npt.NDArray[np.uint8],
    layout: npt.NDArray[np.int32],
    layers: npt.NDArray[np.uint8],
    final: npt.NDArray[np.int64],
    group: npt.NDArray[np.int8],
    cards: npt.NDArray[np.uint8],
    random: Streams,
) -> None:
    """Fill the slots still in the hand, oldest group first, each with a free card of its layers."""
    groups = sizes.shape[1]
    free = np.empty(layers[0].sum(), np.uint8)
    for index in range(len(group)):
        k = layout[final[index]]
        taken = 0
        reach = 0
        for g in range(groups):
            for card in range(CARD_TYPES):
                for _ in range(layers[k, g, card]):
                    free[reach] = card
                    reach += 1
            for slot in range(group.shape[1]):
                if group[index, slot] == g:
                    place = taken + below(random[0], reach - taken)
                    cards[index, slot] = free[place]
                    free[place] = free[taken]
                    taken += 1


@kernel
def count_hands(
    cards: npt.NDArray[np.uint8],
    death: npt.NDArray[np.int16],
    birth: npt.NDArray[np.int16],
    step: int,
    hands: Hands,
) -> None:
    """Count the cards of the slots that were in the hand before a step."""
    for index in range(len(cards)):
        for slot in range(len(birth)):
            if birth[slot] < step <= death[index, slot]:
                hands[index, cards[index, slot]] += 1
