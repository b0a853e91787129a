"""The particle filter: weighted hands, with the opponent's policy taken into account.

Most of what happens excludes most hands (a card was played that few hold), so a plain filter dies within a
few moves. This one counts how many independently drawn hands its weight still rests on, and when these get
few it draws whole histories from the closed form and weighs each by every choice in it, until they are enough.
It can't die: a fresh history never contradicts the public record. What it says is blended with the closed form
in the proportion `PRIOR` : independent hands. That takes out most of the sampling noise, and no hand that is
possible has probability zero.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import filter_kernels, filter_stages
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Hands, Seed, opponent_decides
from uno_pomdp.beliefs.cache import Cache
from uno_pomdp.beliefs.evidence import evidence
from uno_pomdp.beliefs.filter_stages import Choice, Particles
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import PLAYABLE, UNTIL_PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Streams, advance, sequence, streams
from uno_pomdp.policies.opponent_models import OpponentModel, as_model, other_side
from uno_pomdp.rules import Rules

FEW_ORIGINS: Final = 1 / 8
"""Particles are drawn afresh when their weight rests on less than this share of independent hands."""
ENOUGH: Final = 1 / 4
"""Fresh particles are to have this share of their ordinary number as effective sample size."""
MOST: Final = 8
"""At most so many times the ordinary number are drawn for it."""
LOW_ESS: Final = 1 / 2
"""Particles are resampled when the effective sample size is less than this share of their number."""
LATE: Final = 2
"""With so few cards in the opponent's hand twice as many particles are used."""
PRIOR: Final = 60.0
"""What the closed form counts for in what is read, in independent hands (see MATH.md)."""


class ParticleState(NamedTuple):
    """What a filter holds after an action; kept in a cache, never changed."""

    particles: Particles
    """The particles."""
    weights: Floats
    """Their weights, adding up to one."""
    unseen: Hands
    """The unseen cards."""
    origins: float
    """The effective number of independently drawn hands."""
    rejuvenations: int
    """How often the particles were drawn afresh."""


BITS: Final = np.eye(CARD_TYPES, dtype=np.uint8)
"""One card of each type, as counts."""


class ParticleBelief(Belief):
    """A weighted sample of hands under an opponent model, or under none (choice-agnostic).

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> belief = uno.ParticleBelief.after(game, seat=0, model="heuristic", size=200, seed=1)
    >>> round(belief.diagnostics().ess)
    200
    """

    def __init__(
        self,
        rules: Rules,
        observation: Observation,
        model: OpponentModel | str | None = None,
        size: int = 1000,
        seed: Seed = 0,
        cache: Cache[ParticleState] | None = None,
    ) -> None:
        super().__init__(rules, observation)
        self.model = as_model(model)
        """What the opponent is taken to play; None for the choice-agnostic model."""
        self.size = size
        """Particles in ordinary times; more when they would say too little (`MOST`) and near the end (`LATE`)."""
        self._seed = sequence(seed)
        self._cache = cache
        self._closed = RecordingBelief(rules, observation)
        self._choices: list[Choice] = []
        name = None if self.model is None else self.model.name
        self._key: tuple[object, ...] = (rules, observation, name, size, seed)
        particles = filter_stages.fresh(*self._closed.sample_hands(size, self._child(0)))
        unseen = observation.unseen(rules).array()
        self._state = ParticleState(particles, filter_stages.normalise(particles), unseen, size, 0)

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player; what is cached for this information state is not worked out again."""
        choice = self._choice(events)
        self._key = (self._key, tuple(events), observation)
        self._closed.update(events, observation)
        if choice is not None:
            self._choices.append(choice)
        if any(self._shows(event) is not None for event in events):
            self._choices.clear()  # the hand is known, whatever was chosen before
        if self._cache is None:
            self._state = self._filter(events, choice, observation)
        else:
            self._state = self._cache.get(self._key, lambda: self._filter(events, choice, observation))
        self.observation, self.pending = observation, self._closed.pending
        self.age += 1

    def _take_in(self, event: Event) -> None:
        raise NotImplementedError("the filter takes in all events of an action at once")

    def _choice(self, events: Sequence[Event]) -> Choice | None:
        """Return the choice of the opponent that an action was; None if it was none."""
        seen = self.observation
        event = next((event for event in events if not isinstance(event, Reshuffled)), None)
        if not isinstance(event, Played | Drew | Kept | Challenged) or event.seat == seen.seat:
            return None
        told = evidence(event, seen)
        return Choice(other_side(seen), told.action, len(self._closed.steps), told.just_drawn) if told.chosen else None

    def _shows(self, event: Event) -> Cards | None:
        """Return the opponent's hand if an event shows it."""
        seat = self.observation.seat
        if isinstance(event, Swapped):
            return event.hands[1 - seat]
        return event.hand if isinstance(event, Shown) and event.seat != seat else None

    def _filter(self, events: Sequence[Event], choice: Choice | None, observation: Observation) -> ParticleState:
        """Return what the particles are after an action."""
        particles, weights, unseen, origins, rejuvenations = self._state
        before = particles
        stream = streams(self._child(self.age + 1))
        if choice is not None:
            particles = filter_stages.reweight(particles, self.model, choice)
        for number, event in enumerate(events, 1):
            pending = number == len(events) and opponent_decides(observation)
            particles, unseen = self._move(particles, unseen, event, pending, stream)
        if particles is before:  # nothing was learnt about the hand
            return ParticleState(particles, weights, unseen, origins, rejuvenations)
        count = self.size * (2 if observation.opponent_size <= LATE else 1)
        weights = filter_stages.normalise(particles)
        origins = filter_stages.effective_origins(particles, weights)
        if origins < FEW_ORIGINS * count:
            particles = self._afresh(count, stream, unseen)
            weights = filter_stages.normalise(particles)
            origins = filter_stages.effective(weights)
            rejuvenations += 1
        elif filter_stages.effective(weights) < LOW_ESS * len(particles):
            particles = filter_stages.resample(particles, weights, count, stream)
            weights = filter_stages.normalise(particles)
            origins = filter_stages.effective_origins(particles, weights)
        return ParticleState(particles, weights, unseen, origins, rejuvenations)

    def _move(
        self, particles: Particles, unseen: Hands, event: Event, pending: bool, stream: Streams
    ) -> tuple[Particles, Hands]:
        """Return the particles and the unseen cards after the movement of cards that an event tells."""
        seen, shown = self.observation, self._shows(event)
        if isinstance(event, Reshuffled):
            return particles, unseen + event.returned.array()
        if shown is not None:
            if isinstance(event, Swapped):
                unseen = unseen + shown.array() - event.hands[seen.seat].array()
            return filter_stages.fresh(np.tile(shown.array(), (self.size, 1))), unseen
        if isinstance(event, Swapped | Shown | Challenged):
            return particles, unseen
        if isinstance(event, Drew) and event.seat == seen.seat:
            for card in event.cards or ():
                particles = filter_stages.see(particles, unseen, card)
                unseen = unseen - BITS[card]
        elif isinstance(event, Drew):
            told = evidence(event, seen, pending=pending)
            if told.barred:
                particles = filter_stages.exclude(particles, told.barred)
            if told.drawn_too:
                particles = filter_stages.draw_until(particles, unseen, told.kept, pending, told.barred, stream)
            else:
                particles = filter_stages.draw(particles, unseen, event.count, stream, pending)
        elif isinstance(event, Played) and event.seat != seen.seat and event.action.card is not None:
            particles = filter_stages.lose(particles, event.action.card)
            unseen = unseen - BITS[event.action.card]
        elif event.seat != seen.seat:
            particles = filter_stages.put_away(particles)
        return particles, unseen

    def _afresh(self, count: int, stream: Streams, unseen: Hands) -> Particles:
        """Return fresh particles: as many as there should be, then as many again as they lack in effective size."""
        particles = self._draw_histories(count, stream, unseen)
        enough, found = ENOUGH * count, filter_stages.effective(filter_stages.normalise(particles))
        if found < enough:
            more = min(math.ceil(count * enough / found), MOST * count) - count
            particles = filter_stages.join(particles, self._draw_histories(more, stream, unseen))
        return particles

    def _draw_histories(self, count: int, stream: Streams, unseen: Hands) -> Particles:
        """Return particles from so many whole histories."""
        histories = self._closed.sample_histories(count, int(stream["state"][0]))
        particles = filter_stages.rejuvenate(histories, len(self._closed.steps), self._choices, self.model)
        stream["state"] = advance(stream["state"][0])
        if self._closed.pending:  # the card just drawn has no slot yet
            seen = self._closed.observation
            if seen.variant & UNTIL_PLAYABLE:
                playable = PLAYABLE[seen.colour, seen.top]
                return filter_stages.draw_until(particles, unseen, 0, True, playable, stream)
            particles = filter_stages.draw(particles, unseen, 1, stream, decide=True)
        return particles

    def _child(self, number: int) -> np.random.SeedSequence:
        """Return the randomness of one action: a function of the seed and of how many came before."""
        key = (*self._seed.spawn_key, number)
        return np.random.SeedSequence(self._seed.entropy, spawn_key=key, pool_size=self._seed.pool_size)

    # --- reading -----------------------------------------------------------------------------------------

    @property
    def blend(self) -> float:
        """The share of the closed form in what is read: `PRIOR` to the effective number of independent hands."""
        return PRIOR / (PRIOR + self._state.origins)

    @property
    def rejuvenations(self) -> int:
        """How often the particles were drawn afresh."""
        return self._state.rejuvenations

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        without = filter_kernels.weight_without(self._state.particles.hands, self._state.weights, np.uint64(types_mask))
        return (1.0 - self.blend) * without + self.blend * self._closed.avoids(types_mask)

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it."""
        held = filter_stages.held_shares(self._state.particles, self._state.weights)
        return np.asarray((1.0 - self.blend) * held + self.blend * self._closed.probabilities())

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        counts = filter_stages.mean_counts(self._state.particles, self._state.weights)
        return np.asarray((1.0 - self.blend) * counts + self.blend * self._closed.expected_counts())

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""
        same = (self._state.particles.hands == hand.array()).all(axis=1)
        share = float(self._state.weights[same].sum())
        return (1.0 - self.blend) * share + self.blend * self._closed.hand_probability(hand)

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards."""
        held = self._state.particles.hands > 0
        found = np.zeros((CARD_TYPES, CARD_TYPES))
        np.add.at(found, (held.argmax(axis=1), CARD_TYPES - 1 - held[:, ::-1].argmax(axis=1)), self._state.weights)
        return np.asarray((1.0 - self.blend) * found + self.blend * self._closed.pair_probabilities())

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""
        chance = np.random.default_rng(sequence(seed))
        particles = self._state.particles
        chosen = chance.choice(len(particles), size=count, p=self._state.weights)
        hands, drawn = particles.hands[chosen], particles.drawn[chosen]
        closed = chance.random(count) < self.blend
        if closed.any():
            hands[closed], drawn[closed] = self._closed.sample_hands(int(closed.sum()), int(chance.integers(2**63)))
        return hands, drawn

    def diagnostics(self) -> Diagnostics:
        """Return how the filter is doing."""
        particles, weights, *_ = self._state
        return Diagnostics(
            kind=f"particles ({'choice-agnostic' if self.model is None else self.model.name})",
            support=filter_stages.distinct(particles.hands[weights > 0.0]),
            ess=filter_stages.effective(weights),
            size=len(particles),
            age=self.age,
            rejuvenations=self._state.rejuvenations,
        )
