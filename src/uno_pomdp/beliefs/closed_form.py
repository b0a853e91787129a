"""The default belief: the opponent's hand in closed form under the choice-agnostic model, at kernel speed."""

from collections.abc import Callable

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Hands, ImpossibleEvent, Seed
from uno_pomdp.beliefs.evidence import NO_TYPES, Evidence, evidence, pending_types
from uno_pomdp.beliefs.mixture import queries as reading
from uno_pomdp.beliefs.mixture import updates as steps
from uno_pomdp.beliefs.mixture.groups import assignments, hand_assignments
from uno_pomdp.beliefs.mixture.mixture import Mixtures, begin, grown, mixture_dtype
from uno_pomdp.beliefs.mixture.updates import FULL
from uno_pomdp.beliefs.uniform import ordered_pairs, unordered
from uno_pomdp.beliefs.worlds import bury
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.events import Challenged, Drew, Event, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import NO_CARD, STATE, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import streams
from uno_pomdp.rules import Rules


class ClosedFormBelief(Belief):
    """A mixture of nested-group configurations; exact for an opponent whose choices say nothing.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> belief = uno.ClosedFormBelief.after(game, seat=0)
    >>> print(f"P(player 2 has something red) = {belief.has_colour(0):.3f}")
    P(player 2 has something red) = 0.863
    """

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        self._scale = 1
        self._mixtures = np.zeros(2, mixture_dtype())
        self._front = 0
        begin(self._mixtures, observation.unseen(rules).array(), observation.opponent_size - self.pending)
        if pending := self._pending_types():
            steps.opponent_draws(self._mixtures, 0, 0, np.uint64(pending))

    def _take_in(self, event: Event) -> None:
        seat = self.observation.seat
        if isinstance(event, Played):
            if event.seat == seat:
                return  # what the seat itself plays tells it nothing
            told = evidence(event, self.observation)
            self._step(steps.opponent_plays, event.action.card, told.barred, not told.just_drawn)
        elif isinstance(event, Reshuffled):
            self._step(steps.cards_return, event.returned.array())
        elif isinstance(event, Swapped):
            self._step(steps.hand_known, event.hands[1 - seat].array(), event.hands[seat].array())
        elif event.seat == seat:
            for card in (event.cards or ()) if isinstance(event, Drew) else ():
                self._step(steps.card_seen, card)
        elif isinstance(event, Shown):
            self._step(steps.hand_known, event.hand.array(), event.hand.array())
        elif not isinstance(event, Challenged):  # to challenge was a choice
            self._opponent_draws(evidence(event, self.observation, True, self.pending))
        if not self._mixtures["configurations"][self._front]:
            raise ImpossibleEvent(f"{event} can't have happened: no hand that fits the game so far allows it")

    def _opponent_draws(self, told: Evidence) -> None:
        """Take in cards that the opponent drew to keep, and what that tells."""
        if told.drawn_too:  # the new cards are barred from the same types as the old: open first
            if told.kept:
                self._step(steps.opponent_draws, told.kept, NO_TYPES)
            self._step(steps.opponent_draws, 0, told.barred)
        else:
            self._step(steps.opponent_draws, told.kept, told.barred)

    def _step(self, step: Callable[..., int], *arguments: object) -> None:
        """Take a step, in larger records where it does not fit."""
        front = step(self._mixtures, self._front, *arguments)
        while front == FULL:
            self._scale *= 2
            self._mixtures = grown(self._mixtures, self._front, self._scale)
            front = step(self._mixtures, self._front, *arguments)
        self._front = front

    # --- reading -----------------------------------------------------------------------------------------

    @property
    def deciding(self) -> bool:
        """Whether the opponent holds a card just drawn, which is in no group before it is kept."""
        return self.pending

    def _pending_types(self) -> int:
        """Return the types of which the pending card is one, all unseen cards of them alike; 0 if that says nothing.

        Drawn until one was playable, that card is: of these types none is in another slot, all are in the last layer.
        """
        return pending_types(self.observation) if self.pending else 0

    def pending_chances(self) -> Floats | None:
        """Return for each type the chance to be the pending card, independent of the others; None if it may be any."""
        types = self._pending_types()
        if not types:
            return None
        unseen = self.observation.unseen(self.rules)
        counts = np.array([number * (types >> card & 1) for card, number in enumerate(unseen.data)], np.float64)
        return np.asarray(counts / counts.sum())

    def readable(self) -> tuple[Mixtures, int]:
        """Return the mixture as it is to be read: with the group of a card just drawn, if that may be any card."""
        if not self.pending or self._pending_types():
            return self._mixtures, self._front
        opened = self._mixtures.copy()
        if not steps.open_undecided(opened, self._front):
            opened = grown(self._mixtures, self._front, 2 * self._scale)
            steps.open_undecided(opened, self._front)
        return opened, self._front

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        avoided = float(reading.avoids(*self.readable(), np.uint64(types_mask)))
        pending = self.pending_chances()
        if pending is not None:
            avoided *= float(sum(chance for card, chance in enumerate(pending) if not types_mask >> card & 1))
        return avoided

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        expected = np.empty(CARD_TYPES)
        reading.expected_counts(*self.readable(), expected)
        pending = self.pending_chances()
        return expected if pending is None else expected + pending

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it."""
        none = np.empty(CARD_TYPES)
        reading.avoids_each(*self.readable(), none)
        pending = self.pending_chances()
        return 1.0 - none if pending is None else 1.0 - none * (1.0 - pending)

    def configurations(self) -> list[tuple[float, tuple[int, ...], tuple[tuple[int, ...], ...]]]:
        """Return each configuration's probability, group sizes and layers, for people and for tests.

        A pending card that has to be played is in none of the groups: see `pending_chances`.
        """
        mixtures, front = self.readable()
        m = mixtures[front]
        groups = int(m["groups"])
        layouts = [tuple(map(tuple, layers)) for layers in m["layers"][: m["layouts"], : groups + 1].tolist()]
        return [
            (float(m["weights"][c]), tuple(m["sizes"][c, :groups].tolist()), layouts[m["layout"][c]])
            for c in range(m["configurations"])
        ]

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand, with whole numbers inside each configuration."""
        pending = self.pending_chances()
        if pending is None:
            return self._slots_probability(hand)
        return sum(
            float(pending[card]) * self._slots_probability(hand - Cards.of([card]))
            for card in hand.types()
            if pending[card]
        )

    def _slots_probability(self, hand: Cards) -> float:
        """Return the probability that the slots hold exactly this."""
        return sum(
            weight * (hand_assignments(sizes, layers, hand.data) / assignments(sizes, layers))
            for weight, sizes, layers in self.configurations()
        )

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards.

        With the two slots in groups g ≤ h there are M_g · (M_h − 1) ways to fill them, all equally likely.
        """
        found = np.zeros((CARD_TYPES, CARD_TYPES))
        mixtures, front = self.readable()
        m = mixtures[front]
        pending = self.pending_chances()
        if pending is not None:
            return unordered(np.outer(pending, self.expected_counts() - pending))
        size, groups = int(m["configurations"]), int(m["groups"])
        slots = np.repeat(np.tile(np.arange(groups), size), m["sizes"][:size, :groups].ravel()).reshape(size, 2)
        kinds, kind = np.unique(np.column_stack([m["layout"][:size], slots]), axis=0, return_inverse=True)
        shares = np.bincount(kind.ravel(), m["weights"][:size])
        for (layout, older, younger), share in zip(kinds.tolist(), shares.tolist(), strict=True):
            first, second = (m["layers"][layout, : group + 1].sum(axis=0, dtype=np.int64) for group in (older, younger))
            found += share * ordered_pairs(first, second) / (first.sum() * (second.sum() - 1))
        return unordered(found)

    def sample(self, count: int, seed: Seed) -> States:
        """Return `count` complete worlds: the hidden hand from the belief, the rest as a shuffled draw pile."""
        worlds = np.empty(count, STATE)
        other, pending = 1 - self.observation.seat, np.uint64(self._pending_types())
        template, random = self._world_template(), streams(seed)
        reading.sample_worlds(*self.readable(), template, other, self.pending, pending, random, worlds)
        return bury(worlds, self.observation)

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""
        worlds = self.sample(count, seed)
        drawn = worlds["drawn"] if self.pending else np.full(count, NO_CARD, np.uint8)
        return np.ascontiguousarray(worlds["hand"][:, 1 - self.observation.seat]), np.ascontiguousarray(drawn)

    def diagnostics(self) -> Diagnostics:
        """Return how the belief is doing: configurations and their effective number."""
        mixtures, front = self.readable()
        size = int(mixtures["configurations"][front])
        weights = mixtures["weights"][front, :size]
        return Diagnostics("closed form", size, float(1.0 / (weights**2).sum()), size, self.age)
