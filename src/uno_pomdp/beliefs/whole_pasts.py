"""The opponent's whole past, drawn from the closed form: the hand it was dealt and each card that it drew since.

`slot_histories` samples slots from the deal on, or from where the hand was last known. Here the stretches before that
are kept too: of each, a past is drawn that ends with the hand that was shown, or given away by a swap. A configuration
then counts α times the ways to fill its slots with exactly that hand (`hand_assignments`), and its slots are filled one
after the other, each card as often as the ways that it leaves for the others.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.belief import Seed
from uno_pomdp.beliefs.mixture import updates as steps
from uno_pomdp.beliefs.mixture.groups import TypeCounts, hand_assignments, one_less
from uno_pomdp.beliefs.mixture.lattice import Lattice, Snapshot
from uno_pomdp.beliefs.slot_histories import NEVER, HistoryStep, RecordingBelief, sample_all
from uno_pomdp.cards import Cards, CardType
from uno_pomdp.game.events import Drew, Event, Kept, Played
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import sequence, streams
from uno_pomdp.rules import Rules


class Stretch(NamedTuple):
    """What happened between two moments at which the hand was known, or the deal."""

    dealt: int
    """Slots that it began with."""
    steps: list[HistoryStep]
    """The steps of the closed form."""
    now: Snapshot
    """The configurations at its end."""
    hand: Cards
    """The hand that it ended with."""


class Past(NamedTuple):
    """One past of the opponent."""

    dealt: tuple[CardType, ...]
    """The hand at the deal."""
    drawn: tuple[tuple[CardType, ...], ...]
    """What it drew, for each of its `Drew` events in order."""


class PastBelief(RecordingBelief):
    """The closed form with all of its past, from which whole pasts of the opponent can be drawn."""

    def __init__(self, rules: Rules, observation: Observation) -> None:
        self.stretches: list[Stretch] = []
        """What lies before the hand was last known, from the deal on."""
        self._entries: list[tuple[Drew | Kept | Played, int, int, int]] = []
        super().__init__(rules, observation)

    def _step(self, step: Callable[..., int], *arguments: object) -> None:
        if step is steps.hand_known:
            gone = arguments[1]
            assert isinstance(gone, np.ndarray)
            self.stretches.append(Stretch(self._dealt, self.steps, self._now, Cards(gone.tobytes())))
        super()._step(step, *arguments)

    def _take_in(self, event: Event) -> None:
        stretch, begin = len(self.stretches), len(self.steps)
        super()._take_in(event)
        if not isinstance(event, Drew | Kept | Played) or event.seat == self.observation.seat:
            return
        self._entries.append((event, stretch, begin, len(self.steps)))

    def sample_past(self, seed: Seed) -> Past:
        """Return a past drawn from all that agree with what was seen, each labelled one equally likely."""
        chance = np.random.Generator(np.random.PCG64(sequence(seed)))
        filled = [fill(stretch, chance) for stretch in self.stretches]
        histories = self.sample_histories(1, int(chance.integers(1 << 62)))
        filled.append((histories.birth, histories.cards[0]))
        birth, cards = filled[0]
        dealt = tuple(sorted(cards[birth == -1].tolist()))
        drawn: list[tuple[CardType, ...]] = []
        for event, stretch, begin, end in self._entries:
            birth, cards = filled[stretch]
            born = tuple(cards[(birth >= begin) & (birth < end)].tolist())
            if isinstance(event, Drew):
                drawn.append(born)
            elif isinstance(event, Kept):  # a card just drawn has its slot from when it is kept
                drawn[-1] = (*drawn[-1], *born)
            elif event.just_drawn and event.action.card is not None:
                drawn[-1] = (*drawn[-1], event.action.card)
        if self.pending:
            drawn[-1] = (*drawn[-1], self._pending_card(histories.hands_at(len(self.steps))[0], chance))
        return Past(dealt, tuple(drawn))

    def _pending_card(self, hand: npt.NDArray[np.uint8], chance: np.random.Generator) -> CardType:
        """Return the card that the opponent decides about, given all others that it holds."""
        weights = self.pending_chances()
        if weights is None:
            left = self.observation.unseen(self.rules).array().astype(np.int64) - hand
            weights = left / left.sum()
        return int(chance.choice(len(weights), p=weights))


def fill(stretch: Stretch, chance: np.random.Generator) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return the birth of each slot of a stretch, and the card that it held, given the hand at its end."""
    sizes, alpha, layout, layers = stretch.now
    hand = stretch.hand.data
    forms = [(tuple(sizes[c].tolist()), tuple(map(tuple, layers[layout[c]].tolist()))) for c in range(len(alpha))]
    weights = alpha * np.array([float(hand_assignments(*form, hand)) for form in forms])
    chosen = int(chance.choice(len(weights), p=weights / weights.sum()))
    lattice = Lattice()
    for step in stretch.steps:
        lattice.add(step.links, step.change)
    walk = lattice.steps
    birth = np.repeat(np.arange(-1, len(walk)), [stretch.dealt, *walk[:, 2]])
    cards, death = np.zeros((1, len(birth)), np.uint8), np.full((1, len(birth)), NEVER, np.int16)
    running = np.cumsum(np.arange(len(alpha)) == chosen).astype(np.float64)
    random = streams(int(chance.integers(1 << 62)))
    sample_all(walk, *lattice.links, running, sizes, layout, layers, stretch.dealt, random, cards, death)
    cards[0, death[0] == NEVER] = _slots_of(*forms[chosen], tuple(hand), chance)
    return birth, cards[0]


def _slots_of(
    sizes: tuple[int, ...], layers: tuple[TypeCounts, ...], hand: TypeCounts, chance: np.random.Generator
) -> list[CardType]:
    """Return a card for each slot, oldest group first, so that together they are exactly this hand."""
    found: list[CardType] = []
    for group in range(len(sizes)):
        while sizes[group]:
            ways: list[tuple[float, CardType, int]] = []
            left = one_less(sizes, group)
            for card in range(len(hand)):
                for place in range(group + 1) if hand[card] else ():
                    if layers[place][card]:
                        rest = (*layers[:place], one_less(layers[place], card), *layers[place + 1 :])
                        number = layers[place][card] * hand_assignments(left, rest, one_less(hand, card))
                        ways.append((float(number), card, place))
            weights = np.array([way[0] for way in ways])
            _, card, place = ways[int(chance.choice(len(ways), p=weights / weights.sum()))]
            found.append(card)
            layers = (*layers[:place], one_less(layers[place], card), *layers[place + 1 :])
            sizes, hand = left, one_less(hand, card)
    return found
