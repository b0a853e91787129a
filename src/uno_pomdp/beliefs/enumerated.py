"""The exact Bayes filter over every hand that the opponent may hold, for any opponent model.

Each event weights the hypotheses by how likely it was for them, then changes them; equal ones are added up.
Nothing is sampled, so this is the truth where it fits: mini decks, and endgames of the full deck (`from_belief`).
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Hands, Seed, check_remembered, impossible, opponent_decides
from uno_pomdp.beliefs.evidence import Evidence, evidence, pending_types
from uno_pomdp.beliefs.filter_kernels import write_draws
from uno_pomdp.beliefs.hypotheses import (
    ALL_TYPES,
    Hypotheses,
    Pool,
    TooManyHypotheses,
    add_card,
    add_marked_card,
    all_hands,
    check_limit,
    count_hands,
    forget_drawn,
    hold_any,
    nothing_drawn,
    only_hand,
    place_values,
    remove_card,
    reweight,
    ways_to_draw,
)
from uno_pomdp.cards import Cards, CardType
from uno_pomdp.errors import InvalidBelief, UnoError
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.information import ACTED, OTHER_DREW
from uno_pomdp.game.layout import ACTION_CARD, KEEP, NO_CARD, PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.opponent_models import (
    Memories,
    MemorylessModel,
    NoMemories,
    OpponentModel,
    named_model,
    other_side,
)
from uno_pomdp.quantities import HYPOTHESES, naming
from uno_pomdp.rules import Rules

__all__ = ["SUPPORT_LIMIT", "CannotEnumerate", "EnumeratedBelief", "TooManyHypotheses"]

SUPPORT_LIMIT: Final = 500_000
"""Hypotheses allowed unless told otherwise: a draw that leads there takes about a second and 150 MB."""


class CannotEnumerate(UnoError):
    """An enumeration that can't be made from what is given."""


class EnumeratedBelief(Belief):
    """The exact posterior for an opponent model; without one, choice-agnostic.

    Made at the deal, where all unseen cards are alike. A model with a memory keeps equal hands with different pasts
    apart, so there are more hypotheses then. `exact` keeps the weights as whole numbers, which a model's
    floats do not allow. An event that leads past `limit` hypotheses raises `TooManyHypotheses`.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("mini-9", seed=1)
    >>> belief = uno.EnumeratedBelief.after(game, seat=0, model="greedy")
    >>> round(belief.hand_probability(game.hand(1)), 4)
    0.0667
    """

    def __init__(
        self,
        rules: Rules,
        observation: Observation,
        model: OpponentModel | str | None = None,
        *,
        exact: bool = False,
        limit: int = SUPPORT_LIMIT,
    ) -> None:
        super().__init__(rules, observation)
        model = None if model is None else named_model(model)
        with naming("limit", InvalidBelief):
            HYPOTHESES.checked(limit)
        if exact and model is not None:
            raise CannotEnumerate(f"exact weights need model=None: the probabilities of {model.name} are floats")
        self.model: Final = model
        """What the opponent is taken to play; None for choice-agnostic."""
        self.limit: Final = limit
        """Hypotheses allowed."""
        self._places = place_values(rules.deck)
        self._unseen: Pool = observation.unseen(rules).array().astype(np.int16)
        self.hypotheses = self._prior(np.dtype(np.object_ if exact else np.float64))
        """What the opponent may hold now; not to be changed."""
        self._memories: Memories | None = None
        self._over = False
        if model is not None:
            if not isinstance(model, MemorylessModel):
                who, instead = f"an enumeration with the model {model.name}", "a scripted model does"
                check_known(rules, who, instead, PLAIN_TURNS, CannotEnumerate)
                if not is_dealt(rules, observation):
                    raise CannotEnumerate(
                        f"{model.name} remembers the whole game: let the enumeration begin at the deal"
                    )
            self._memories = model.memories(rules, other_side(observation), self.hypotheses.hands)

    @property
    def model_name(self) -> str | None:
        """The policy by which it weighs what the opponent chose; None for none."""
        return None if self.model is None else self.model.name

    @property
    def _listening(self) -> Memories | None:
        """The memories, if the model keeps any."""
        return None if isinstance(self._memories, NoMemories) else self._memories

    @classmethod
    def from_belief(
        cls, belief: Belief, model: OpponentModel | None = None, *, limit: int = SUPPORT_LIMIT
    ) -> "EnumeratedBelief":
        """Start from what another belief says now about every hand: for endgames of large decks."""
        if opponent_decides(belief.observation):
            raise CannotEnumerate("the opponent decides about a card just drawn: start one action earlier or later")
        begun = cls(belief.rules, belief.observation, model, limit=limit)
        hands = begun.hypotheses.hands
        weights = np.array([belief.hand_probability(Cards(hand.tobytes())) for hand in hands])
        if not weights.any():
            raise CannotEnumerate("the belief to start from gives every hand the probability zero")
        begun.hypotheses = reweight(begun.hypotheses._replace(weights=weights), np.ones(len(weights)))
        begun.age = belief.age
        return begun

    def _prior(self, kind: "np.dtype[Any]") -> Hypotheses:
        """Return all hands that the unseen cards allow, hypergeometric; a card just drawn is any of the rest."""
        seen = self.observation
        unseen, size = seen.unseen(self.rules), seen.opponent_size - self.pending
        check_limit(count_hands(unseen, size), self.limit)
        hands = all_hands(unseen, size)
        playable = pending_types(seen) if self.pending else 0
        hands = hands[~hold_any(hands, playable)]
        prior = Hypotheses(hands, nothing_drawn(len(hands)), ways_to_draw(unseen, hands, kind))
        if self.pending:
            prior = add_marked_card(prior, self._unseen, self.limit, playable or ALL_TYPES)
        return reweight(prior, np.ones(len(prior.hands), kind))

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self._over = observation.outcome is not None
        super().update(events, observation)

    def _take_in(self, event: Event) -> None:
        if isinstance(event, Reshuffled):
            self._unseen = self._unseen + event.returned.array()  # they lie in the pile: no hand changes
            return
        if isinstance(event, Swapped):
            self._know(event, event.hands[1 - self.observation.seat], event.hands[self.observation.seat])
            return
        before = self.hypotheses.hands
        if self._listening is not None:
            self.hypotheses = self.hypotheses._replace(past=np.arange(len(before)))
        if event.seat == self.observation.seat:
            self._own(event)
        elif isinstance(event, Shown):
            self._know(event, event.hand, event.hand)
        else:
            self._opponents(event)
        if not self._over:
            self._tell(event, before)

    def _tell(self, event: Event, before: Hands) -> None:
        """Let the opponent's model remember what it was told; each hypothesis knows the one that it comes from."""
        memories, (hands, _, _, past) = self._listening, self.hypotheses
        if memories is None or past is None or not isinstance(event, Played | Drew | Kept):
            return
        check_remembered(event, CannotEnumerate)
        tokens = np.empty(len(hands), np.int32)
        if isinstance(event, Drew) and event.seat != self.observation.seat:
            write_draws(before[past], hands, np.zeros(len(hands)), tokens)
        elif isinstance(event, Drew):
            tokens[:] = OTHER_DREW | event.count
        else:
            tokens[:] = ACTED | (KEEP if isinstance(event, Kept) else event.action.id)
        self._memories = memories.of(past).told(tokens)

    def _know(self, event: Event, hand: Cards, before: Cards) -> None:
        """Take in that the opponent's hand was this one before the event, and what it is now."""
        self._weighed(self.hypotheses, (self.hypotheses.hands == before.array()).all(axis=1), event)
        self.hypotheses = only_hand(hand, self.hypotheses.weights.dtype)
        self._unseen = self._unseen + hand.array() - before.array()

    def _own(self, event: Played | Drew | Kept | Challenged | Shown) -> None:
        """Weight by (count of x unseen − count of x in the hand) for each card x that the seat drew."""
        unseen, after = self._unseen.copy(), self.hypotheses
        for card in (event.cards or ()) if isinstance(event, Drew) else ():
            after = self._weighed(after, (unseen[card] - after.hands[:, card]).clip(0), event)
            unseen[card] -= 1
        self.hypotheses, self._unseen = after, unseen

    def _opponents(self, event: Played | Drew | Kept | Challenged) -> None:
        """Weight by the likelihood of what the opponent chose, then move the cards."""
        before, unseen = self.hypotheses, self._unseen.copy()
        told = evidence(event, self.observation, self._leading, self.pending)
        if isinstance(event, Played):
            card = int(ACTION_CARD[event.action.id])
            after = self._chosen(event, told, self._ways_to_play(card, told))
            after = remove_card(after, card)
            unseen[card] -= 1
        elif isinstance(event, Kept):
            after = forget_drawn(self._chosen(event, told, before.drawn != NO_CARD), self._places)
        elif isinstance(event, Challenged):
            after = self._chosen(event, told, np.ones(len(before.hands), np.uint8))
        else:
            after = self._chosen(event, told, self._without(told.barred)) if told.chosen or told.barred else before
            after = self._with_cards(after, event, told)
        self.hypotheses, self._unseen = after, unseen

    def _with_cards(self, after: Hypotheses, event: Drew, told: Evidence) -> Hypotheses:
        """Add the cards that the opponent drew; one that is pending comes last and is remembered.

        Drawn until one was playable, the pending card is, and the others are not. How likely that was depends on the
        size of the pile and on what is playable in it, and these are the same for all hands that hold nothing playable.
        """
        kept, pending = (ALL_TYPES & ~int(told.barred), int(told.barred)) if told.drawn_too else (ALL_TYPES, ALL_TYPES)
        for _ in range(told.kept):
            after = add_card(after, self._unseen, self._places, self.limit, kept)
        if self.pending:
            after = add_marked_card(after, self._unseen, self.limit, pending)
        return self._weighed(after, np.ones(len(after.hands), np.uint8), event)

    # --- how likely it was -------------------------------------------------------------------------------

    def _chosen(self, event: Event, told: Evidence, ways: npt.NDArray[Any]) -> Hypotheses:
        """Weight by the model's probability of a legal choice; without a model, by the labelled cards it may be."""
        before = self.hypotheses
        if self.model is None or not told.chosen:
            return self._weighed(before, ways, event)
        assert self._memories is not None
        logs = self._memories.log_probabilities(other_side(self.observation), before.hands, before.drawn, told.action)
        logs = np.where(ways > 0, logs, -np.inf)
        highest = logs.max()  # taken out, so that rare choices do not underflow
        if highest == -np.inf:
            raise impossible(event, self.observation)
        return self._weighed(before, np.exp(logs - highest), event)

    def _ways_to_play(self, card: CardType, told: Evidence) -> npt.NDArray[Any]:
        """Return for each hypothesis how many of its cards can be the one played; 0 where that is not legal."""
        seen, (hands, drawn, _, _) = self.observation, self.hypotheses
        ways = (drawn == card).astype(np.uint8) if told.just_drawn else hands[:, card]
        if not int(PLAYABLE[seen.colour, seen.top]) >> card & 1:
            ways = np.zeros_like(ways)
        return ways * self._without(told.barred) if told.barred else ways

    def _without(self, barred: np.uint64) -> npt.NDArray[Any]:
        """Return for each hypothesis 1 if its hand has no card of these types, else 0."""
        return (~hold_any(self.hypotheses.hands, int(barred))).astype(np.uint8)

    def _weighed(self, before: Hypotheses, factors: npt.NDArray[Any], event: Event) -> Hypotheses:
        """Reweight, and refuse what leaves nothing."""
        after = reweight(before, factors.astype(before.weights.dtype))
        if not len(after.hands):
            raise impossible(event, self.observation)
        return after

    # --- reading -----------------------------------------------------------------------------------------

    def _share(self, rows: npt.NDArray[np.bool_]) -> float:
        weights = self.hypotheses.weights
        return float(weights[rows].sum() / weights.sum())

    def _shares(self) -> Floats:
        weights = self.hypotheses.weights
        shares: Floats = (weights / weights.sum()).astype(np.float64)
        return shares

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        return self._share(~hold_any(self.hypotheses.hands, types_mask))

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        return self._shares() @ self.hypotheses.hands

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""
        return self._share((self.hypotheses.hands == hand.array()).all(axis=1))

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""
        rows = np.random.default_rng(seed).choice(len(self.hypotheses.hands), count, p=self._shares())
        return self.hypotheses.hands[rows], self.hypotheses.drawn[rows]

    def diagnostics(self) -> Diagnostics:
        """Return how the belief is doing: how many hypotheses it holds, and how evenly."""
        shares = self._shares()
        support = len(forget_drawn(self.hypotheses._replace(past=None), self._places).hands)
        return Diagnostics("enumeration", support, float(1.0 / (shares**2).sum()), len(shares), self.age)
