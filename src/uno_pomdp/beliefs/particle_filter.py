"""The particle filter: weighted hidden pasts of the opponent, with its policy taken into account.

Most of what happens excludes most hands (a card was played that few hold), so a plain filter runs out of particles
within a few moves (particle deprivation). Here a particle is a whole hidden past, and when the weights get uneven the
particles are resampled and *moved*: their pasts are changed by steps that leave the posterior as it is. So their
diversity comes back without a bias (resample–move, `past_kernels`). Where whole histories drawn afresh from the closed
form fit the choices often enough, those are used instead: they are independent.

The opponent may not play as its model does. So each particle has a noise level too: how often the opponent does
something that the model does not explain. With the highest all legal actions are alike. The levels begin with the
prior `doubt`, and what the opponent does raises one or the other.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.beliefs import filter_stages
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
from uno_pomdp.beliefs.evidence import Evidence, evidence, pending_types
from uno_pomdp.beliefs.filter_kernels import draw_all
from uno_pomdp.beliefs.filter_stages import Particles
from uno_pomdp.beliefs.hidden_past import ALL_TYPES, ANY_SLOT, HiddenPast
from uno_pomdp.beliefs.particle_cache import Key, first_key, next_key, particle_cache
from uno_pomdp.beliefs.past_kernels import NOISES
from uno_pomdp.beliefs.past_models import AskedPasts, KernelPasts, PastModel
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.beliefs.worlds import fill_worlds
from uno_pomdp.cards import Cards
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.information import ACTED, DREW, OTHER_DREW
from uno_pomdp.game.layout import ACTION_CARD, KEEP, NO_CARD, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.game.rng import Streams, advance, seeds, sequence, streams
from uno_pomdp.known_rules import PLAIN_TURNS, check_known
from uno_pomdp.policies.opponent_models import (
    Memories,
    MemorylessModel,
    OpponentModel,
    PolicyModel,
    SeparateMemories,
    named_model,
    other_side,
)
from uno_pomdp.quantities import PARTICLES, PROBABILITY, RESAMPLING, naming
from uno_pomdp.rules import Rules

LOW_ESS: Final = 1 / 2
"""Unless told otherwise, particles are resampled and moved when ESS is less than this share of them."""
FEWEST: Final = 1 / 20
"""They are in any case when it is less than this."""
OTHERWISE: Final = (0.05, 0.05, 0.2, 0.7)
"""How that is shared by the noise levels above 0: who does not play as the model does mostly does not at all."""
LATE: Final = 2
"""With so few cards in the opponent's hand twice as many particles are used."""
DOUBT: Final = 0.15
"""Unless told otherwise, the prior probability that the opponent does not play as the model does."""
PILOT: Final = 1 / 8
"""Whether fresh histories fit is tried out on this share of the particles."""
WORTH: Final = 1 / 32
"""Fresh histories are used where this share of them fits, as effective sample size by number."""
ENOUGH: Final = 0.5
"""Fresh histories are drawn until their effective sample size is this share of the ordinary number of particles."""
FEW_FRESH: Final = 1 / 12
"""Until it is less than this, they are not drawn again. Small filters don't wait so long (`few_fresh`)."""
SCRATCH: Final = 4
"""So many times the ordinary number of histories are drawn where no particle was left."""
NOISY: Final = 25.0
"""With an effective sample size of so few, particles and closed form count alike; with more, the closed form hardly."""


class ParticleState(NamedTuple):
    """What a filter holds after an action; never changed."""

    particles: Particles
    """The particles."""
    weights: Floats
    """Their weights, adding up to one."""
    hopeless: int = 0
    """With so many choices behind it the closed form gave too few histories that fit."""
    rejuvenations: int = 0
    """How often the particles were drawn afresh."""
    resamplings: int = 0
    """How often they were resampled and moved."""
    did: str = ""
    """What the last update did: `RESAMPLED`, `REJUVENATED` or neither."""

    @property
    def hopes(self) -> bool:
        """Whether whole histories from the closed form may fit; where too few did, they are tried again much later."""
        return len(self.particles.past.seen) >= 2 * self.hopeless


class ParticleBelief(Belief):
    """A weighted sample of hidden pasts under an opponent model, or under none (choice-agnostic).

    A model with a memory has one for each particle: made at the deal, told of every move, and led along whole pasts
    when these are moved. Such a belief has to begin at the deal.

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
        doubt: float = DOUBT,
        cache_limit: int = 0,
    ) -> None:
        super().__init__(rules, observation)
        with naming("particles", InvalidBelief):
            PARTICLES.checked(size)
        with naming("resample", InvalidBelief):
            RESAMPLING.checked(resample)
        with naming("doubt", InvalidBelief):
            PROBABILITY.checked(doubt)
        self.model = None if model is None else named_model(model)
        """What the opponent is taken to play; None for the choice-agnostic model."""
        self.size = size
        """Particles in ordinary times; more where histories fit unevenly, and near the end (`LATE`)."""
        self.resample: Final = resample
        """The resampling threshold: particles are resampled when ESS / particles falls below it."""
        self.doubt: Final = doubt if self.model is not None else 0.0
        """The prior probability that the opponent does not play as the model does."""
        self._doubts = prior_of_noise(self.doubt)
        self._seed = sequence(seed)
        self._closed = RecordingBelief(rules, observation)
        self._pasts = self._past_model()
        self._limit = cache_limit
        self._key = self._first_key() if self._limit else b""
        self._cached = 0
        self._state = self._first_state()

    def _past_model(self) -> PastModel:
        """Return what weighs pasts under the model."""
        model, rules, seen = self.model, self.rules, self.observation
        if model is None or type(model) is PolicyModel:
            return KernelPasts() if model is None else KernelPasts(model.policy, model.weights)
        remembers = not isinstance(model, MemorylessModel)
        if remembers:
            check_known(
                rules, f"a belief with the model {model.name}", "a scripted model does", PLAIN_TURNS, InvalidBelief
            )
            if not is_dealt(rules, seen):
                raise InvalidBelief(f"{model.name} remembers the whole game: let the belief begin at the deal")
        other = other_side(seen)
        return AskedPasts(lambda hands: model.memories(rules, other, hands), seen.opponent_size, remembers)

    @property
    def model_name(self) -> str | None:
        """The policy by which it weighs what the opponent chose; None for none."""
        return None if self.model is None else self.model.name

    def _first_state(self) -> ParticleState:
        """Return the particles of a game in which nothing has happened."""
        seen, stream = self.observation, streams(self._child(0))
        past = HiddenPast.begin(seen.unseen(self.rules).array())
        if seen.opponent_size - self.pending:
            past = past.take(seen.opponent_size - self.pending)
        if self.pending and (types := pending_types(seen)):
            past = past.bar(types)
        particles = self._draw_histories(past, self.size, self._doubts, stream)
        if self.pending:
            particles = self._pending(particles, seen, stream)
        return ParticleState(particles, filter_stages.normalise(particles.log_weights))

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self._closed.update(events, observation)
        if self._limit:
            self._key = next_key(self._key, events, observation)
        self._state = self._kept() or self._keep(self._updated(events, observation))
        self.observation, self.pending = observation, self._closed.pending
        self.age += 1

    def _updated(self, events: Sequence[Event], observation: Observation) -> ParticleState:
        """Return what the particles are after an action."""
        after = self._after(events, observation, soften=not self._state.hopes)
        if after is None:
            after = self._after(events, observation, soften=True)
            assert after is not None, "only where fresh histories may fit is nothing softened"
        return after

    # --- the cache ---------------------------------------------------------------------------------------

    def _first_key(self) -> Key:
        """Return the key of the beginning: all that the particles are a function of, beside what happens."""
        model, weights = self.model, b""
        if isinstance(model, PolicyModel):
            weights = model.weights.tobytes()
        seed = self._seed.entropy, self._seed.spawn_key, self._seed.pool_size
        who = (type(model).__qualname__, self.model_name, weights)
        return first_key((self.rules.deck.data, who, self.size, self.resample, self.doubt, seed), self.observation)

    def _kept(self) -> ParticleState | None:
        """Return what another filter has kept of this state, if any has."""
        found: ParticleState | None = particle_cache.get(self._key) if self._limit else None
        self._cached += found is not None
        return found

    def _keep(self, state: ParticleState) -> ParticleState:
        """Keep a state for others."""
        if self._limit and not isinstance(state.particles.memories, SeparateMemories):  # whose size nobody knows
            particle_cache.put(self._key, state, self._limit)
        return state

    def _take_in(self, event: Event) -> None:
        raise NotImplementedError("the filter takes in all events of an action at once")

    def _after(self, events: Sequence[Event], observation: Observation, soften: bool) -> ParticleState | None:
        """Return what the particles are after an action; None if too few are left, and what left them may be softened.

        Where fresh histories have fitted so far, they are tried first, and nothing is softened.
        """
        before, stream = self._state._replace(did=""), streams(self._child(self.age + 1))
        particles, leading = before.particles, True
        listens = self._pasts.remembers and observation.outcome is None  # at the end nobody listens
        for number, event in enumerate(events, 1):
            pending = number == len(events) and opponent_decides(observation)
            hand = self._shown(event)
            if hand is not None:
                particles = self._known(particles, event, hand)
                before = before._replace(hopeless=0)
            else:
                particles = self._changed(particles, event, leading, pending, listens, soften, stream)
            leading = leading and isinstance(event, Reshuffled)
        if particles.log_weights is before.particles.log_weights and particles.cards is before.particles.cards:
            return before._replace(particles=particles)  # nothing was learnt
        after = before._replace(particles=particles, weights=filter_stages.normalise(particles.log_weights))
        return self._renewed(after, observation, soften, stream)

    def _shown(self, event: Event) -> Cards | None:
        """Return the opponent's hand after an event that shows it."""
        seat = self.observation.seat
        if isinstance(event, Swapped):
            return event.hands[1 - seat]
        return event.hand if isinstance(event, Shown) and event.seat != seat else None

    def _known(self, particles: Particles, event: Event, hand: Cards) -> Particles:
        """Return particles that all hold a hand that was shown; what was chosen before no longer matters.

        What the opponent chose with hands of before says how it chooses: so the noise levels stay.
        """
        unseen, count = particles.past.unseen_now, self.size
        if isinstance(event, Swapped):
            unseen = unseen + hand.array() - event.hands[self.observation.seat].array()
        past = HiddenPast.begin(unseen, hand.array())
        levels = drawn_levels(self.noise_shares(), count)
        cards, hands = np.zeros((count, 0), np.uint8), np.tile(hand.array(), (count, 1))
        return Particles(past, cards, hands, levels, np.zeros(count))

    def _changed(
        self,
        particles: Particles,
        event: Event,
        leading: bool,
        pending: bool,
        listens: bool,
        soften: bool,
        stream: Streams,
    ) -> Particles:
        """Return the particles after an event that shows no hand."""
        seen = self.observation
        if isinstance(event, Reshuffled):
            return filter_stages.give_back(filter_stages.draw(particles, stream), event.returned.array())
        if isinstance(event, Swapped | Shown):
            return particles
        if event.seat == seen.seat:
            for card in (event.cards or ()) if isinstance(event, Drew) else ():
                particles = filter_stages.see(particles, card)
        else:
            particles = self._opponents(particles, event, leading, pending, listens, soften, stream)
        if listens:
            check_remembered(event, InvalidBelief)
            if isinstance(event, Drew) and event.seat == seen.seat:
                particles = filter_stages.tell(particles, OTHER_DREW | event.count)
            elif isinstance(event, Played | Kept):
                particles = filter_stages.tell(
                    particles, ACTED | (KEEP if isinstance(event, Kept) else event.action.id)
                )
        return particles

    def _opponents(
        self,
        particles: Particles,
        event: Played | Drew | Kept | Challenged,
        leading: bool,
        pending: bool,
        listens: bool,
        soften: bool,
        stream: Streams,
    ) -> Particles:
        """Return the particles after the opponent chose, and drew or played cards."""
        told = evidence(event, self.observation, leading, pending)
        just_drawn = particles.past.slots - 1 if told.just_drawn else ANY_SLOT
        if isinstance(event, Played) and told.just_drawn and particles.waiting:
            particles = filter_stages.draw_this(particles, int(ACTION_CARD[event.action.id]))
        if told.chosen or not isinstance(event, Drew):
            particles = self._choose(filter_stages.draw(particles, stream), told, just_drawn, soften, stream)
        elif told.barred and not told.drawn_too:
            barred = filter_stages.bar(particles, int(told.barred))
            if soften and filter_stages.too_few(barred.log_weights):
                barred = self._choose(filter_stages.draw(particles, stream), told, just_drawn, soften, stream)
            particles = barred
        if isinstance(event, Played):
            return filter_stages.play(particles, int(ACTION_CARD[event.action.id]), just_drawn)
        if isinstance(event, Drew):
            particles = self._draws(particles, event, told, pending, stream)
            if listens:  # a card that is pending is told at once: it is drawn already
                first = particles.past.slots - event.count
                particles = filter_stages.tell(particles, DREW, max(first, 0), event.count)
        return particles

    def _choose(
        self,
        particles: Particles,
        told: Evidence,
        just_drawn: int,
        soften: bool,
        stream: Streams,
    ) -> Particles:
        """Weigh by a choice, and by what it says that the hand did not hold."""
        past = particles.past
        if told.barred and not told.drawn_too:
            past = past.bar(int(told.barred))
        if told.chosen:
            past = past.chose(other_side(self.observation), told.action, just_drawn)
        return filter_stages.look(particles, past, self.size, self._pasts, stream, self._doubts if soften else None)

    def _draws(self, particles: Particles, event: Drew, told: Evidence, pending: bool, stream: Streams) -> Particles:
        """Let the opponent draw cards: those that are kept, and one that is pending."""
        if told.drawn_too:
            particles = filter_stages.draw(particles, stream)
            if told.barred:
                particles = filter_stages.bar(particles, int(told.barred))
            if told.kept:
                particles = filter_stages.take(particles, told.kept, ALL_TYPES & ~int(told.barred))
        elif event.count:
            if particles.waiting_types != ALL_TYPES or pending:
                particles = filter_stages.draw(particles, stream)
            particles = filter_stages.take(particles, event.count)
        if told.drawn_too and pending:
            particles = self._pending(filter_stages.draw(particles, stream), self.observation, stream)
        return filter_stages.draw(particles, stream) if self._pasts.remembers else particles

    def _pending(self, particles: Particles, seen: Observation, stream: Streams) -> Particles:
        """Let the opponent draw the card that it decides about next."""
        particles = filter_stages.take(particles, 1, pending_types(seen) or ALL_TYPES)
        return filter_stages.draw(particles, stream) if self._pasts.remembers else particles

    # --- renewing ----------------------------------------------------------------------------------------

    def _renewed(
        self, state: ParticleState, observation: Observation, soften: bool, stream: Streams
    ) -> ParticleState | None:
        """Return the particles drawn afresh, or resampled and moved, if their weights are too uneven."""
        count = self.size * (2 if observation.opponent_size <= LATE else 1)
        particles, weights = state.particles, state.weights
        found = filter_stages.effective(weights)
        if found == 0.0 and soften:  # no move led to a hand that fits
            return self._from_scratch(state, count, stream)
        known = particles.past.slots == particles.waiting  # the whole hand, but for cards that wait
        if found and (known or observation.outcome is not None):
            return state
        if particles.independent and found >= few_fresh(count):
            return state
        if not particles.independent and found >= max(self.resample, FEWEST) * len(particles):
            return state
        if not soften:
            afresh = self._afresh(state, count, stream)
            if afresh is not None:
                return afresh
            hopeless = max(len(particles.past.seen), 1)
            if found < filter_stages.FITTING * len(particles):
                self._state = self._state._replace(hopeless=hopeless)
                return None
            state = state._replace(hopeless=hopeless)
        return self._moved(state, particles, count, stream)

    def _moved(self, state: ParticleState, particles: Particles, count: int, stream: Streams) -> ParticleState:
        """Return so many of these particles, resampled and moved."""
        weights = filter_stages.normalise(particles.log_weights)
        after = filter_stages.moved(particles, weights, count, self._pasts, stream, self._doubts, ordinary=self.size)
        return state._replace(
            particles=after,
            weights=filter_stages.normalise(after.log_weights),
            resamplings=state.resamplings + 1,
            did=RESAMPLED,
        )

    def _from_scratch(self, state: ParticleState, count: int, stream: Streams) -> ParticleState:
        """Return particles where none was left: the best of many whole histories, which always fit, and then moved."""
        before = state.particles
        drawn = self._draw_histories(before.past, SCRATCH * count, self._doubts, stream, before.waiting)
        return self._moved(state, filter_stages.waiting_as(drawn, before), count, stream)

    def _afresh(self, state: ParticleState, count: int, stream: Streams) -> ParticleState | None:
        """Return particles drawn from the closed form; None if too few of them fit the choices."""
        before = state.particles
        shares = 0.9 * self._noise_of(state) + 0.1 * np.exp(self._doubts)
        pilot = max(int(PILOT * count), 1)
        with np.errstate(divide="ignore"):
            logs = np.log(shares)
        drawn = self._draw_histories(before.past, pilot, logs, stream, before.waiting)
        share = filter_stages.effective(filter_stages.normalise(drawn.log_weights)) / pilot
        if share < WORTH:
            return None
        wanted = max(count, math.ceil(ENOUGH * count / share))
        if wanted > pilot:
            more = self._draw_histories(before.past, wanted - pilot, logs, stream, before.waiting)
            drawn = filter_stages.join(drawn, more)
        particles = filter_stages.waiting_as(drawn, before)
        weights = filter_stages.normalise(particles.log_weights)
        if filter_stages.effective(weights) < few_fresh(count):  # the pilot flattered
            return None
        return state._replace(
            particles=particles,
            weights=weights,
            hopeless=0,
            rejuvenations=state.rejuvenations + 1,
            did=REJUVENATED,
        )

    def _draw_histories(
        self, past: HiddenPast, count: int, shares: Floats, stream: Streams, waiting: int = 0
    ) -> Particles:
        """Return particles from so many whole histories, with noise levels in these shares (their logarithms)."""
        histories = self._closed.sample_histories(count, int(stream["state"][0]))
        stream["state"] = advance(stream["state"][0])
        slots = past.slots - waiting
        cards = np.empty((count, slots), np.uint8)
        free = past.free[past.free < slots]
        unknown = histories.cards[:, int(past.known.sum()) :]  # a hand that is known has slots there, and none here
        found = unknown.shape[1]
        cards[:, free[:found]] = unknown[:, : len(free)]
        if found < len(free):  # the card that is pending has no slot there yet
            hands, drawn = histories.hands_at(len(self._closed.steps)), np.empty((count, 1), np.uint8)
            draw_all(hands, np.zeros(count), past.unseen_now, 1, stream, drawn)
            cards[:, free[found:]] = drawn
        for step in past.known_slots:
            cards[:, step["slot"]] = step["card"]
        levels = drawn_levels(np.exp(shares), count)
        return filter_stages.fresh(past, cards, self._pasts, levels, self._doubts[levels] - shares[levels])

    def _child(self, number: int) -> np.random.SeedSequence:
        """Return the randomness of one action: a function of the seed and of how many came before."""
        key = (*self._seed.spawn_key, number)
        return np.random.SeedSequence(self._seed.entropy, spawn_key=key, pool_size=self._seed.pool_size)

    # --- reading -----------------------------------------------------------------------------------------

    @property
    def blend(self) -> float:
        """The share of the closed form in what is read: 1 / (1 + (effective sample size / 25)²)."""
        return 1.0 / (1.0 + (filter_stages.effective(self._state.weights) / NOISY) ** 2)

    def noise_shares(self) -> Floats:
        """Return the probability of each noise level (`NOISES`) of the opponent."""
        return self._noise_of(self._state)

    def _noise_of(self, state: ParticleState) -> Floats:
        return np.bincount(state.particles.levels, state.weights, len(NOISES)).astype(np.float64)

    @property
    def unlike(self) -> float:
        """The probability that the opponent does not play as the model does: one minus that of no noise."""
        return 1.0 - float(self.noise_shares()[0])

    def _read(self, exact: float, found: float) -> float:
        return (1.0 - self.blend) * found + self.blend * exact

    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""
        found = filter_stages.avoids(self._state.particles, self._state.weights, types_mask)
        return self._read(self._closed.avoids(types_mask), found)

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it."""
        held = filter_stages.held_shares(self._state.particles, self._state.weights)
        return np.asarray((1.0 - self.blend) * held + self.blend * self._closed.probabilities())

    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""
        counts = filter_stages.expected_counts(self._state.particles, self._state.weights)
        return np.asarray((1.0 - self.blend) * counts + self.blend * self._closed.expected_counts())

    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""
        share = filter_stages.hand_share(self._state.particles, self._state.weights, hand)
        return self._read(self._closed.hand_probability(hand), share)

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards."""
        found = filter_stages.pair_shares(self._state.particles, self._state.weights)
        return np.asarray((1.0 - self.blend) * found + self.blend * self._closed.pair_probabilities())

    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""
        hands_seed, chance_seed = sequence(seed).spawn(2)
        found = self._sampled(count, hands_seed)
        hands, drawn = found.hands, self._drawn(found)
        chance = np.random.default_rng(chance_seed)
        closed = chance.random(count) < self.blend
        if closed.any():
            hands[closed], drawn[closed] = self._closed.sample_hands(int(closed.sum()), int(chance.integers(2**63)))
        return hands, drawn

    def sample_remembering(self, count: int, seed: Seed) -> tuple[States, Memories]:
        """Return complete worlds drawn from the particles alone, and what the opponent's model remembers in each."""
        hands_seed, pile_seed = sequence(seed).spawn(2)
        found = self._sampled(count, hands_seed)
        assert found.memories is not None, "there is no model that could remember anything"
        drawn, other = self._drawn(found), 1 - self.observation.seat
        worlds = fill_worlds(self._world_template(), other, found.hands, drawn, seeds(pile_seed, count))
        return worlds, found.memories

    def _sampled(self, count: int, seed: np.random.SeedSequence) -> Particles:
        chosen_seed, draw_seed = seed.spawn(2)
        chance = np.random.default_rng(chosen_seed)
        chosen = chance.choice(len(self._state.particles), size=count, p=self._state.weights)
        return filter_stages.draw(self._state.particles.of(chosen), streams(draw_seed))

    def _drawn(self, particles: Particles) -> npt.NDArray[np.uint8]:
        """Return for each particle the card just drawn that is decided about."""
        if not self.pending:
            return np.full(len(particles), NO_CARD, np.uint8)
        return np.ascontiguousarray(particles.cards[:, -1])

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
            cached=self._cached,
            did=self._state.did,
            hands=filter_stages.effective_hands(particles, weights),
            unlike=self.unlike,
        )


def few_fresh(count: int) -> float:
    """Return the effective sample size below which so many fresh histories are drawn again: 80, or a quarter."""
    return max(FEW_FRESH * count, min(80.0, count / 4))


def prior_of_noise(doubt: float) -> Floats:
    """Return the logarithms of the prior of the noise levels: `doubt` is shared by all but no noise."""
    shares = np.array([1.0 - doubt, *(doubt * share for share in OTHERWISE)])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares))


def drawn_levels(shares: Floats, count: int) -> Ints:
    """Return so many noise levels in these shares."""
    running = np.cumsum(shares)
    places = (np.arange(count) + 0.5) / count * running[-1]
    levels: Ints = np.minimum(np.searchsorted(running, places, side="right"), len(shares) - 1).astype(np.int64)
    return levels
