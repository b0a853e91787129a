"""The particle filter: weighted hands, with the opponent's policy taken into account.

Most of what happens excludes most hands (a card was played that few hold), so a plain filter dies within a
few moves. This one counts how many independently drawn hands its weight still rests on, and when these get
few it draws whole histories from the closed form and weighs each by every choice in it. It can't die: a
fresh history never contradicts the public record. What it says is blended with the closed form in the
proportion 1 : effective sample size, so that no hand that is possible has probability zero.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from uno_pomdp.beliefs import stages
from uno_pomdp.beliefs.cache import Cache
from uno_pomdp.beliefs.histories import RecordingBelief
from uno_pomdp.beliefs.models import OpponentModel, other_side
from uno_pomdp.beliefs.protocol import Belief, Diagnostics, Floats, Hands, Seed
from uno_pomdp.beliefs.stages import Choice, Particles
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.layout import DRAW, KEEP, MAY_PLAY, OPTIONAL_DRAW, PLAYABLE
from uno_pomdp.game.rng import Streams, sequence, streams
from uno_pomdp.game.values import Drew, Event, Observation, Played, Reshuffled
from uno_pomdp.rules import Rules

FEW_ORIGINS: Final = 1 / 16
"""Particles are drawn afresh when their weight rests on less than this share of independent hands."""
LOW_ESS: Final = 1 / 2
"""Particles are resampled when the effective sample size is less than this share of their number."""
LATE: Final = 2
"""With so few cards in the opponent's hand twice as many particles are used."""


ParticleState = tuple[Particles, Floats, Hands, int]
"""Particles, their weights, the unseen cards, and how often the particles were drawn afresh."""
BITS: Final = np.eye(CARD_TYPES, dtype=np.uint8)
"""One card of each type, as counts."""


class ParticleBelief(Belief):
    """A weighted sample of hands under an opponent model, or under none (choice-agnostic)."""

    def __init__(
        self,
        rules: Rules,
        observation: Observation,
        model: OpponentModel | None = None,
        size: int = 1000,
        seed: Seed = 0,
        cache: Cache[ParticleState] | None = None,
    ) -> None:
        super().__init__(rules, observation)
        self.model = model
        """What the opponent is taken to play; None for the choice-agnostic model."""
        self.size = size
        """Particles in ordinary times; up to four times as many when it gets difficult."""
        self._seed = sequence(seed)
        self._cache = cache
        self._closed = RecordingBelief(rules, observation)
        self._choices: list[Choice] = []
        self._unseen = observation.unseen(rules).array()
        self._key: tuple[object, ...] = (rules, observation, None if model is None else model.name, size, seed)
        self._rejuvenations = 0
        self._particles = stages.fresh(self._closed.sample_hands(size, self._child(0))[0])
        self._weights = stages.normalise(self._particles)

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player; what is cached for this information state is not worked out again."""
        choices = [choice for event in events if (choice := self._choice(event)) is not None]
        self._key = (self._key, tuple(events), observation)
        for event in events:
            self._closed._take_in(event)
        self._choices += choices
        if self._cache is None:
            state = self._filter(events, choices)
        else:
            state = self._cache.get(self._key, lambda: self._filter(events, choices))
        self._particles, self._weights, self._unseen, self._rejuvenations = state
        self._closed.observation = self.observation = observation
        self._closed.age = self.age = self.age + 1

    def _take_in(self, event: Event) -> None:
        raise NotImplementedError("the filter takes in all events of an action at once")

    def _choice(self, event: Event) -> Choice | None:
        """Return the choice of the opponent that an event shows; None if it was none."""
        seen = self.observation
        if isinstance(event, Reshuffled) or event.seat == seen.seat:
            return None
        if isinstance(event, Played):
            action, just_drawn = event.action.id, event.just_drawn
        elif isinstance(event, Drew):
            if event.penalty or not seen.variant & OPTIONAL_DRAW:
                return None
            action, just_drawn = DRAW, False
        else:
            action, just_drawn = KEEP, True
        return Choice(other_side(seen), action, len(self._closed.steps), just_drawn)

    def _filter(self, events: Sequence[Event], choices: list[Choice]) -> ParticleState:
        """Return what the particles are after an action."""
        stream = streams(self._child(self.age + 1))
        particles, unseen, fresh_ones = self._particles, self._unseen, self._rejuvenations
        for choice in choices:
            particles = stages.reweight(particles, self.model, choice)
        for event in events:
            particles, unseen = self._move(particles, unseen, event, stream)
        weights = stages.normalise(particles)
        if stages.effective_origins(particles, weights) < FEW_ORIGINS * self.size:
            particles = self._afresh(self._count(weights), stream, unseen)
            weights = stages.normalise(particles)
            fresh_ones += 1
        if stages.effective(weights) < LOW_ESS * len(particles):
            particles = stages.resample(particles, weights, self._count(weights), stream)
            weights = stages.normalise(particles)
        return particles, weights, unseen, fresh_ones

    def _move(self, particles: Particles, unseen: Hands, event: Event, stream: Streams) -> tuple[Particles, Hands]:
        """Return the particles and the unseen cards after the movement of cards that an event tells."""
        seen = self.observation
        if isinstance(event, Reshuffled):
            return particles, unseen + event.returned.array()
        if isinstance(event, Drew) and event.seat == seen.seat:
            for card in event.cards or ():
                particles = stages.see(particles, unseen, card)
                unseen = unseen - BITS[card]
        elif isinstance(event, Drew):
            if not event.penalty and not seen.variant & OPTIONAL_DRAW:
                particles = stages.exclude(particles, np.uint64(PLAYABLE[seen.colour, seen.top]))
            decide = bool(not event.penalty and seen.variant & MAY_PLAY)
            particles = stages.draw(particles, unseen, event.count, stream, decide)
        elif isinstance(event, Played) and event.seat != seen.seat and event.action.card is not None:
            particles = stages.lose(particles, event.action.card)
            unseen = unseen - BITS[event.action.card]
        elif event.seat != seen.seat:
            particles = stages.put_away(particles)
        return particles, unseen

    def _afresh(self, count: int, stream: Streams, unseen: Hands) -> Particles:
        """Return fresh particles from whole histories."""
        histories = self._closed.sample_histories(count, int(stream["state"][0]))
        particles = stages.rejuvenate(histories, len(self._closed.steps), self._choices, self.model)
        if self._closed.deciding:  # the card just drawn has no slot yet
            particles = stages.draw(particles, unseen, 1, stream, decide=True)
        return particles

    def _count(self, weights: Floats) -> int:
        """Return how many particles to use: more near the end of the game and when few of them count."""
        late = self.observation.opponent_size <= LATE
        poor = stages.effective(weights) < len(weights) / 10
        return self.size * (2 if late else 1) * (2 if poor else 1)

    def _child(self, number: int) -> np.random.SeedSequence:
        """Return the randomness of one action: a function of the seed and of how many came before."""
        key = (*self._seed.spawn_key, number)
        return np.random.SeedSequence(self._seed.entropy, spawn_key=key, pool_size=self._seed.pool_size)

    # --- reading -----------------------------------------------------------------------------------------

    @property
    def blend(self) -> float:
        """The share of the closed form in what is read: 1 / (1 + ESS)."""
        return 1.0 / (1.0 + stages.effective(self._weights))

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        types = [card for card in range(CARD_TYPES) if types_mask >> card & 1]
        without = self._weights[~self._particles.hands[:, types].any(axis=1)].sum()
        return float((1.0 - self.blend) * without + self.blend * self._closed.avoids(types_mask))

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it."""
        held = self._weights @ (self._particles.hands > 0)
        return np.asarray((1.0 - self.blend) * held + self.blend * self._closed.probabilities())

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        counts = self._weights @ self._particles.hands
        return np.asarray((1.0 - self.blend) * counts + self.blend * self._closed.expected_counts())

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""
        same = (self._particles.hands == hand.array()).all(axis=1)
        share = float(self._weights[same].sum())
        return (1.0 - self.blend) * share + self.blend * self._closed.hand_probability(hand)

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards."""
        held = self._particles.hands > 0
        found = np.zeros((CARD_TYPES, CARD_TYPES))
        np.add.at(found, (held.argmax(axis=1), CARD_TYPES - 1 - held[:, ::-1].argmax(axis=1)), self._weights)
        return np.asarray((1.0 - self.blend) * found + self.blend * self._closed.pair_probabilities())

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""
        chance = np.random.default_rng(sequence(seed))
        chosen = chance.choice(len(self._particles), size=count, p=self._weights)
        hands, drawn = self._particles.hands[chosen], self._particles.drawn[chosen]
        closed = chance.random(count) < self.blend
        if closed.any():
            hands[closed], drawn[closed] = self._closed.sample_hands(int(closed.sum()), int(chance.integers(2**63)))
        return hands, drawn

    def diagnostics(self) -> Diagnostics:
        """Return how the filter is doing."""
        return Diagnostics(
            kind=f"particles ({'choice-agnostic' if self.model is None else self.model.name})",
            support=stages.distinct(self._particles.hands[self._weights > 0.0]),
            ess=stages.effective(self._weights),
            size=len(self._particles),
            age=self.age,
            rejuvenations=self._rejuvenations,
        )
