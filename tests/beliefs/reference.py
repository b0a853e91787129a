"""The exact posterior under the choice-agnostic model, in whole numbers: the yardstick of all other beliefs.

`configurations` holds the mathematics; here each event of a game is told in its words, and the mixture is read.
Nothing is rounded or dropped: results are fractions (`exact_…`), or floats made from them.
"""

import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tests.beliefs.configurations import (
    NOTHING,
    Configuration,
    Mixture,
    Term,
    bar,
    merge,
    open_group,
    play,
    remove,
    reshuffle,
    total,
)
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Hands, Seed, impossible
from uno_pomdp.beliefs.mixture.groups import assignments, hand_assignments, injections, one_less
from uno_pomdp.cards import CARD_TYPES, WILD_FOUR, Cards, CardType
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import BIT, COLOUR_MASK, NO_CARD, PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

__all__ = ["ReferenceBelief", "assignments", "hand_assignments"]


def barred_assignments(form: Configuration, types_mask: int) -> int:
    """Return W of a configuration with these types barred: of its layers only the sizes without them count."""
    layers = ([count for t, count in enumerate(layer) if not types_mask >> t & 1] for layer in form.layers)
    return injections(form.sizes, list(map(sum, layers)))


class ReferenceBelief(Belief):
    """The exact posterior under the choice-agnostic model. Made at the deal: all unseen cards are alike there."""

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        held = observation.opponent_size - self._opponent_decides
        deal = Configuration((held,), (tuple(observation.unseen(rules).data), NOTHING))
        if self.must_play:
            deal = bar(deal, int(PLAYABLE[observation.colour, observation.top]))
        self._mixture = merge([(deal, 1)])
        self._read: tuple[Mixture, int] | None = None
        self._ends_in_a_play = False

    @property
    def _opponent_decides(self) -> bool:
        """Whether the opponent holds a card just drawn (`may_play`), whose group is not opened until it is kept."""
        return self.observation.deciding and self.observation.turn != self.observation.seat

    @property
    def must_play(self) -> bool:
        """Whether that is the card that ended a draw until one was playable: in no group, and played next."""
        return self._opponent_decides and self.rules.draw == "until_playable"

    def exact_pending(self) -> tuple[Fraction, ...]:
        """Return how likely each type is the card that has to be played: uniform over the playable unseen cards."""
        seen = self.observation
        playable = int(PLAYABLE[seen.colour, seen.top])
        cards = [count * (playable >> t & 1) for t, count in enumerate(seen.unseen(self.rules).data)]
        return tuple(Fraction(count, sum(cards)) for count in cards)

    @property
    def mixture(self) -> Mixture:
        """What the hand may be now: configurations with their multiplicities."""
        return dict(self._now()[0])

    def _now(self) -> tuple[Mixture, int]:
        """Return the mixture and its Σ α · W, worked out once between two updates."""
        if self._read is None:
            mixture = self._mixture
            if self._opponent_decides and not self.must_play:
                mixture = merge((open_group(form, 1), multiplicity) for form, multiplicity in mixture.items())
            self._read = mixture, total(mixture)
        return self._read

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player: what the seat saw of it, and what it sees after it."""
        self._read = None
        until = self.rules.draw == "until_playable" and observation.outcome is None
        for number, event in enumerate(events, 1):
            # A draw that goes on after a reshuffle has not ended yet; one that exhausts the deck ends without a play.
            self._ends_in_a_play = until and number == len(events)
            self._take_in(event)
        super().update((), observation)

    def _take_in(self, event: Event) -> None:
        mixture = merge(self._terms(event))
        if not mixture:
            raise impossible(event, self.observation)
        self._mixture = mixture

    def _terms(self, event: Event) -> Iterable[Term]:
        """Return what an event makes of the mixture, not merged yet."""
        if isinstance(event, Reshuffled):
            return ((reshuffle(form, event.returned), alpha) for form, alpha in self._mixture.items())
        if isinstance(event, Swapped):
            return self._known(event.hands[self.observation.seat], event.hands[1 - self.observation.seat])
        if isinstance(event, Shown) and event.seat != self.observation.seat:
            return self._known(event.hand, event.hand)
        if isinstance(event, Shown | Challenged):
            return self._mixture.items()  # the other was shown ours; to challenge or not was a choice
        if event.seat == self.observation.seat:
            return self._own_cards(event.cards or ()) if isinstance(event, Drew) else self._mixture.items()
        if isinstance(event, Played):
            return self._opponent_plays(event)
        if isinstance(event, Drew):
            return self._opponent_draws(event)
        assert isinstance(event, Kept)
        return ((open_group(form, 1), alpha) for form, alpha in self._mixture.items())

    def _known(self, held: Cards, holds: Cards) -> Iterable[Term]:
        """Start anew: group 1 is the hand, layer 1 exactly its cards, all other unseen cards are in layer 2.

        The opponent held the first, if that was possible, and holds the second now: after a swap ours of before, which
        was not among the unseen cards, while the one that it held is ours.
        """
        if not any(hand_assignments(*form, held.data) for form in self._mixture):
            return []
        layers = next(iter(self._mixture)).layers
        rest = Cards.from_counts(map(sum, zip(*layers, strict=True))) - held
        return [(Configuration((len(holds),), (tuple(holds.data), tuple(rest.data))), 1)]

    def _own_cards(self, cards: tuple[CardType, ...]) -> Iterable[Term]:
        """Take the cards that the seat drew out of the pile, one after the other."""
        terms: Iterable[Term] = self._mixture.items()
        for card in cards:
            terms = [(after, alpha * ways) for form, alpha in terms for after, ways in remove(form, card)]
        return terms

    def _opponent_plays(self, event: Played) -> Iterable[Term]:
        """Take the card from any slot; one just drawn was in no group yet: it comes straight from the pile."""
        card = event.action.card
        seen = self.observation
        if card is None or not int(PLAYABLE[seen.colour, seen.top]) >> card & 1:
            return
        step = remove if event.just_drawn else play
        resort = card == WILD_FOUR and self.rules.wild_four == "last_resort"
        for form, alpha in self._mixture.items():
            allowed = bar(form, int(COLOUR_MASK[seen.colour])) if resort else form
            for after, ways in step(allowed, card):
                yield after, alpha * ways

    def _opponent_draws(self, event: Drew) -> Iterable[Term]:
        """Bar what was playable, if the draw was no choice; under `may_play` the new group waits for the decision."""
        seen = self.observation
        if not event.penalty and self.rules.draw == "until_playable":
            kept = event.count - self._ends_in_a_play
            for form, alpha in self._mixture.items():
                yield bar(open_group(form, kept), int(PLAYABLE[seen.colour, seen.top])), alpha
            return
        # Under `optional` a draw that can't be made is legal with nothing playable alone.
        forced = not event.penalty and (self.rules.draw == "forced" or not event.count)
        waits = not event.penalty and self.rules.drawn_card == "may_play"
        for form, alpha in self._mixture.items():
            allowed = bar(form, int(PLAYABLE[seen.colour, seen.top])) if forced else form
            yield allowed if waits else open_group(allowed, event.count), alpha

    # --- reading -----------------------------------------------------------------------------------------

    def exact_avoids(self, types_mask: int) -> Fraction:
        """Return P(no card of these types) = Σ α · W(types barred) / Σ α · W."""
        mixture, everything = self._now()
        without = Fraction(
            sum(alpha * barred_assignments(form, types_mask) for form, alpha in mixture.items()), everything
        )
        if self.must_play:
            without *= sum(chance for t, chance in enumerate(self.exact_pending()) if not types_mask >> t & 1)
        return without

    def exact_expected_counts(self) -> tuple[Fraction, ...]:
        """Return E[count of t] = Σ α · Σ_ℓ m_ℓ[t] · (W − W_ℓ) / Σ α · W.

        W_ℓ counts the assignments that leave one given card of layer ℓ in the pile: W with |m_ℓ| smaller by one,
        so that W_ℓ / W = Π_{g≥ℓ} (1 − n_g / (M_g − N_g)).
        """
        mixture, everything = self._now()
        expected = [0] * CARD_TYPES
        for (sizes, layers), alpha in mixture.items():
            totals = [sum(layer) for layer in layers]
            ways = injections(sizes, totals)
            for place in range(len(sizes)):
                holding = alpha * (ways - injections(sizes, one_less(tuple(totals), place)))
                expected = [sum_ + holding * number for sum_, number in zip(expected, layers[place], strict=True)]
        none = Fraction(0)
        counts = tuple(Fraction(sum_, everything) if sum_ else none for sum_ in expected)
        return tuple(map(operator.add, counts, self.exact_pending())) if self.must_play else counts

    def exact_hand_probability(self, hand: Cards) -> Fraction:
        """Return P(hand) = Σ α · (assignments that give this hand) / Σ α · W."""
        if not self.must_play:
            return self._slots_hold(hand)
        pending = self.exact_pending()
        ways = (pending[card] * self._slots_hold(hand - Cards.of([card])) for card in hand.types())
        return sum(ways, Fraction(0))

    def exact_with_pending(self, hand: Cards, card: CardType) -> Fraction:
        """Return the probability of this hand, in it this card as the one that has to be played."""
        return self.exact_pending()[card] * self._slots_hold(hand - Cards.of([card]))

    def _slots_hold(self, hand: Cards) -> Fraction:
        mixture, everything = self._now()
        giving = sum(alpha * hand_assignments(*form, hand.data) for form, alpha in mixture.items())
        return Fraction(giving, everything)

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        return float(self.exact_avoids(types_mask))

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        return np.array([float(number) for number in self.exact_expected_counts()])

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it; 0 where none is unseen."""
        layers = next(iter(self._now()[0])).layers  # every configuration holds the same unseen cards
        unseen = map(any, zip(*layers, strict=True))
        return np.array([1.0 - self.avoids(int(BIT[card])) if some else 0.0 for card, some in enumerate(unseen)])

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""
        return float(self.exact_hand_probability(hand))

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue).

        A configuration ∝ α · W; then the groups oldest first, each uniform from the free cards of its layers. A
        card about which the opponent decides is drawn last: it is uniform over all that is free then, or over the
        playable cards.
        """
        random = np.random.default_rng(seed)
        forms = [(form.sizes, np.array(form.layers, np.int64)) for form in self._mixture]
        chosen = random.choice(len(forms), count, p=_shares(self._mixture))
        hands = np.zeros((count, CARD_TYPES), np.uint8)
        drawn = np.full(count, NO_CARD, np.uint8)
        for row, (sizes, layers) in enumerate(forms[index] for index in chosen):
            free = layers.copy()
            for group, size in enumerate(sizes):
                hands[row] += _fill(free[: group + 1], size, random)
            if self._opponent_decides:
                if self.must_play:
                    free *= np.array(self.exact_pending()) > 0
                card = _fill(free, 1, random)
                hands[row] += card
                drawn[row] = card.argmax()
        return hands, drawn

    def diagnostics(self) -> Diagnostics:
        """Return how the belief is doing: how many configurations it holds, and how evenly."""
        shares = _shares(self._mixture)
        size = len(shares)
        return Diagnostics("reference", size, float(1.0 / (shares**2).sum()), size, self.age)


def _fill(free: npt.NDArray[np.int64], size: int, random: np.random.Generator) -> Hands:
    """Take cards uniformly out of layers and return them by type."""
    taken = random.multivariate_hypergeometric(free.ravel(), size).reshape(free.shape)
    free -= taken
    by_type: Hands = taken.sum(axis=0).astype(np.uint8)
    return by_type


def _shares(mixture: Mixture) -> Floats:
    """Return the probability of each configuration."""
    everything = total(mixture)
    return np.array([alpha * assignments(*form) / everything for form, alpha in mixture.items()])
