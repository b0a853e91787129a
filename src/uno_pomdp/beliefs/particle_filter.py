"""The particle filter: weighted hands, with the opponent's policy taken into account.

Most of what happens excludes most hands (a card was played that few hold), so a plain filter runs out of particles
within a few moves (particle deprivation). This one counts how many independently drawn hands its weight still rests
on, and when these get few it draws whole histories from the closed form and weighs each by every choice in it, until
they are enough (rejuvenation). It can't run out: a fresh history never contradicts the public record. What it says is
blended with the closed form in the proportion `PRIOR` : independent hands. That takes out most of the sampling noise,
and no hand that is possible has probability zero.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import filter_kernels, filter_stages
from uno_pomdp.beliefs.belief import (
    REJUVENATED,
    RESAMPLED,
    Belief,
    Diagnostics,
    Hands,
    Seed,
    check_remembered,
    opponent_decides,
)
from uno_pomdp.beliefs.evidence import evidence
from uno_pomdp.beliefs.filter_stages import Begin, Choice, News, Particles
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.beliefs.worlds import fill_worlds
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.information import ACTED, DREW, OTHER_DREW, with_card
from uno_pomdp.game.layout import ACTION_CARD, KEEP, PLAYABLE, UNTIL_PLAYABLE, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.game.rng import Streams, advance, seeds, sequence, streams
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.opponent_models import Memories, MemorylessModel, OpponentModel, named_model, other_side
from uno_pomdp.quantities import PARTICLES, RESAMPLING, naming
from uno_pomdp.rules import Rules

FEW_ORIGINS: Final = 1 / 8
"""Particles are drawn afresh (rejuvenation) when their weight rests on less than this share of independent hands."""
ENOUGH: Final = 1 / 4
"""Fresh particles are to have this share of their ordinary number as effective sample size."""
MOST: Final = 8
"""At most so many times the ordinary number are drawn for it."""
LOW_ESS: Final = 1 / 2
"""Unless told otherwise, particles are resampled when the effective sample size is less than this share of them."""
LATE: Final = 2
"""With so few cards in the opponent's hand twice as many particles are used."""
BLOCK: Final = 2048
"""Histories that a model with a memory is led along at a time: what it keeps for each has to be bounded."""
PRIOR: Final = 60.0
"""The weight of the closed form in the blend that is read, in independent hands (see MATH.md)."""


class ParticleState(NamedTuple):
    """What a filter holds after an action; never changed."""

    particles: Particles
    """The particles."""
    weights: Floats
    """Their weights, adding up to one."""
    unseen: Hands
    """The unseen cards."""
    origins: float
    """The effective number of independently drawn hands."""
    rejuvenations: int = 0
    """How often the particles were drawn afresh."""
    resamplings: int = 0
    """How often they were resampled."""
    did: str = ""
    """What the last update did: `RESAMPLED`, `REJUVENATED` or neither."""


BITS: Final = np.eye(CARD_TYPES, dtype=np.uint8)
"""One card of each type, as counts."""


class ParticleBelief(Belief):
    """A weighted sample of hands under an opponent model, or under none (choice-agnostic).

    A model with a memory has one for each particle: made at the deal, told of every move, and led along whole
    histories when particles are drawn afresh. Such a belief has to begin at the deal.

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
        resample: float = LOW_ESS,
    ) -> None:
        super().__init__(rules, observation)
        with naming("particles", InvalidBelief):
            PARTICLES.checked(size)
        with naming("resample", InvalidBelief):
            RESAMPLING.checked(resample)
        self.model = None if model is None else named_model(model)
        """What the opponent is taken to play; None for the choice-agnostic model."""
        self.size = size
        """Particles in ordinary times; more when they would say too little (`MOST`) and near the end (`LATE`)."""
        self.resample: Final = resample
        """The resampling threshold: particles are resampled when ESS / particles falls below it."""
        self._seed = sequence(seed)
        self._closed = RecordingBelief(rules, observation)
        self._record: list[Choice | News] = []
        self._begin = None if self.model is None else self._beginning(self.model)
        hands, drawn = self._closed.sample_hands(size, self._child(0))
        particles = filter_stages.fresh(hands, self._memories(hands), drawn)
        unseen = observation.unseen(rules).array()
        self._state = ParticleState(particles, filter_stages.normalise(particles), unseen, size)

    def _beginning(self, model: OpponentModel) -> Begin:
        """Return what gives each of many hands its memory at the deal."""
        rules, seen = self.rules, self.observation
        if self._remembers:
            check_known(
                rules, f"a belief with the model {model.name}", "a scripted model does", PLAIN_TURNS, InvalidBelief
            )
            if not is_dealt(rules, seen):
                raise InvalidBelief(f"{model.name} remembers the whole game: let the belief begin at the deal")
        other = other_side(seen)
        return lambda hands: model.memories(rules, other, hands)

    @property
    def model_name(self) -> str | None:
        """The policy by which it weighs what the opponent chose; None for none."""
        return None if self.model is None else self.model.name

    @property
    def _remembers(self) -> bool:
        """Whether the model has a memory."""
        return self.model is not None and not isinstance(self.model, MemorylessModel)

    def _memories(self, hands: Hands) -> Memories | None:
        """Return what the model remembers of a game that begins with each of these hands."""
        return None if self._begin is None else self._begin(hands)

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        choice, shown = self._choice(events), any(self._shows(event) is not None for event in events)
        listens = self._remembers and observation.outcome is None  # at the end nobody listens
        before, after = self._news(events, opponent_decides(observation)) if listens else ([], [])
        self._closed.update(events, observation)
        self._record += [*before, *([] if choice is None else [choice]), *after]
        if shown:
            self._record.clear()  # the hand is known, whatever was chosen before
        self._state = self._filter(events, choice, observation)
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

    def _news(self, events: Sequence[Event], pending: bool) -> tuple[list[News], list[News]]:
        """Return what the opponent is told with an action, before its choice and after it.

        A card drawn under `may_play` has no slot before it is kept: what it was is told with the decision about it.
        """
        event, step = events[-1], len(self._closed.steps) + len(events) - 1  # a reshuffle is a step of its own
        assert isinstance(event, Played | Drew | Kept), "models with a memory are for rules without other events"
        check_remembered(event, InvalidBelief)
        own = event.seat == self.observation.seat
        if isinstance(event, Drew):
            if own:
                return [], [News(OTHER_DREW | event.count)]
            return [], [] if pending else [News(DREW, born=step)]
        drew = []
        if not own and isinstance(event, Kept):
            drew = [News(DREW, born=step)]
        elif not own and isinstance(event, Played) and event.just_drawn:
            drew = [News(with_card(DREW, int(ACTION_CARD[event.action.id])))]
        return drew, [News(ACTED | (KEEP if isinstance(event, Kept) else event.action.id))]

    def _filter(self, events: Sequence[Event], choice: Choice | None, observation: Observation) -> ParticleState:
        """Return what the particles are after an action."""
        particles, weights, unseen, origins, rejuvenations, resamplings, _ = self._state
        before, did = particles, ""
        stream = streams(self._child(self.age + 1))
        if choice is not None:
            particles = filter_stages.reweight(particles, choice)
        for number, event in enumerate(events, 1):
            pending = number == len(events) and opponent_decides(observation)
            particles, unseen = self._move(particles, unseen, event, pending, stream)
            if observation.outcome is None:
                particles = self._tell(particles, event)
        if particles.hands is before.hands and particles.log_weights is before.log_weights:  # nothing was learnt
            return ParticleState(particles, weights, unseen, origins, rejuvenations, resamplings)
        count = self.size * (2 if observation.opponent_size <= LATE else 1)
        weights = filter_stages.normalise(particles)
        origins = filter_stages.effective_origins(particles, weights)
        if origins < FEW_ORIGINS * count:
            particles = self._afresh(count, stream, unseen)
            weights = filter_stages.normalise(particles)
            origins = filter_stages.effective(weights)
            rejuvenations, did = rejuvenations + 1, REJUVENATED
        elif filter_stages.effective(weights) < self.resample * len(particles):
            particles = filter_stages.resample(particles, weights, count, stream)
            weights = filter_stages.normalise(particles)
            origins = filter_stages.effective_origins(particles, weights)
            resamplings, did = resamplings + 1, RESAMPLED
        return ParticleState(particles, weights, unseen, origins, rejuvenations, resamplings, did)

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
            hands = np.tile(shown.array(), (self.size, 1))
            return filter_stages.fresh(hands, self._memories(hands)), unseen
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

    def _tell(self, particles: Particles, event: Event) -> Particles:
        """Return the particles with what the opponent was told; of its own draws each was told as it drew."""
        if not isinstance(event, Played | Drew | Kept):
            return particles
        if isinstance(event, Drew):
            own = event.seat == self.observation.seat
            return filter_stages.tell(particles, OTHER_DREW | event.count) if own else particles
        return filter_stages.tell(particles, ACTED | (KEEP if isinstance(event, Kept) else event.action.id))

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
        steps = len(self._closed.steps)
        block = count if isinstance(self.model, MemorylessModel | None) else BLOCK
        particles = filter_stages.rejuvenate(histories.part(0, block), steps, self._record, self._begin)
        for first in range(block, count, block):
            more = filter_stages.rejuvenate(histories.part(first, first + block), steps, self._record, self._begin)
            particles = filter_stages.join(particles, more)
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
        """The share of the closed form in the blend: `PRIOR` / (`PRIOR` + effective number of independent hands)."""
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

    def sample_remembering(self, count: int, seed: Seed) -> tuple[States, Memories]:
        """Return complete worlds drawn from the particles alone, and what the opponent's model remembers in each."""
        particles, other = self._state.particles, 1 - self.observation.seat
        assert particles.memories is not None, "there is no model that could remember anything"
        hands_seed, pile_seed = sequence(seed).spawn(2)
        chance = np.random.default_rng(hands_seed)
        chosen = chance.choice(len(particles), size=count, p=self._state.weights)
        hands, drawn = particles.hands[chosen], particles.drawn[chosen]
        worlds = fill_worlds(self._world_template(), other, hands, drawn, seeds(pile_seed, count))
        return worlds, particles.memories.of(chosen)

    def diagnostics(self) -> Diagnostics:
        """Return how the filter is doing."""
        particles, weights = self._state.particles, self._state.weights
        return Diagnostics(
            kind=f"particles ({'choice-agnostic' if self.model is None else self.model.name})",
            support=filter_stages.distinct(particles.hands[weights > 0.0]),
            ess=filter_stages.effective(weights),
            size=len(particles),
            age=self.age,
            rejuvenations=self._state.rejuvenations,
            resamplings=self._state.resamplings,
            did=self._state.did,
        )
