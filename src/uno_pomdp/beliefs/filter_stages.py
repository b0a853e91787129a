"""The stages of the particle filter, a few lines each: predict, reweight, resample, move.

A step of this game is a choice of the opponent and then a movement of cards: so particles are reweighted by the choice
first and changed by what followed it. Cards that the opponent draws *wait*: until it chooses next, nothing is known of
them but which types they can't be. So every particle leaves them open, what is read of them is computed
(Rao–Blackwell), and they are drawn when a choice looks at them.
"""

from dataclasses import dataclass, replace
from math import comb
from typing import Final, Self

import numpy as np

from uno_pomdp.arrays import Counts, Floats, Ints
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.beliefs.filter_kernels import (
    add_counts,
    add_held,
    draw_all,
    exclude_all,
    see_all,
    spread_and_variance,
    systematic,
    weight_without,
)
from uno_pomdp.beliefs.hidden_past import ALL_TYPES, ANY_SLOT, HiddenPast
from uno_pomdp.beliefs.past_kernels import Slots
from uno_pomdp.beliefs.past_models import PastModel, Pasts, Softening, tokens_of
from uno_pomdp.cards import CARD_TYPES, Cards, CardType
from uno_pomdp.game.information import Token
from uno_pomdp.game.rng import Streams
from uno_pomdp.policies.opponent_models import Memories

FITTING: Final = 1 / 16
"""Where an event leaves a smaller share of the particles, as effective sample size, it is softened."""
SOFTENED: Final = 1 / 4
"""The penalty of a softened event is raised as far as it leaves this share of them."""
MOST_SOFTENINGS: Final = 12
"""So often a penalty is raised before an event is taken in with what there is."""
SOFT_MOVES: Final = 4
"""Moves between two states of a chain under a penalty."""
FOUND: Final = 0.7
"""The share in which new cards are proposed as they are held in the population; the others as they are unseen."""


@dataclass(frozen=True, slots=True)
class Particles:
    """Weighted hidden pasts; never changed."""

    past: HiddenPast
    """What they all fit."""
    cards: Slots
    """For each the types of its slots, but of those that wait."""
    hands: Hands
    """For each the hand of now, without the cards that wait."""
    levels: Ints
    """For each the noise level of the opponent."""
    log_weights: Floats
    """Natural logarithms, up to a common constant; −inf for a past that is excluded."""
    memories: Memories | None = None
    """What the opponent's model remembers in each; None where it remembers nothing."""
    waiting: int = 0
    """How many cards, the last that were drawn, wait."""
    waiting_types: int = ALL_TYPES
    """The types that they may be."""
    parents: Ints | None = None
    """Of each that was moved the particle, among those before, at which its chain began; None where all were drawn."""

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def pasts(self) -> Pasts:
        """The pasts without their weights."""
        return Pasts(self.cards, self.hands, self.levels, self.memories)

    @property
    def independent(self) -> bool:
        """Whether each was drawn by itself, and none was moved since."""
        return self.parents is None

    def with_pasts(self, pasts: Pasts, log_weights: Floats) -> Self:
        """Return other pasts that fit the same."""
        cards, hands, levels, memories = pasts
        return replace(
            self, cards=cards, hands=hands, levels=levels, memories=memories, log_weights=log_weights
        )  # fmt: skip

    def of(self, places: Ints) -> Self:
        """Return these particles, all of equal weight."""
        memories = None if self.memories is None else self.memories.of(places)
        pasts = Pasts(self.cards[places], self.hands[places], self.levels[places], memories)
        return self.with_pasts(pasts, np.zeros(len(places)))

    @property
    def pool(self) -> int:
        """How many unseen cards the cards that wait may be: the same number for each particle that is not excluded."""
        unseen = allowed(self.past.unseen_now, self.waiting_types)
        held = allowed(self.hands[self.log_weights.argmax()], self.waiting_types)
        return int(unseen.sum()) - int(held.sum())


def allowed(counts: Counts, types: int) -> Counts:
    """Return the cards of these types alone."""
    if types == ALL_TYPES:
        return counts
    return np.array([number if types >> card & 1 else 0 for card, number in enumerate(counts.tolist())], np.uint8)


# --- predict: cards move ---------------------------------------------------------------------------------


def take(particles: Particles, count: int, types: int = ALL_TYPES) -> Particles:
    """Let the opponent draw so many cards of these types; they wait. None may be waiting among others."""
    assert particles.waiting == 0 or particles.waiting_types == types, "cards that wait are all alike"
    past = particles.past.take(count, types)
    return replace(particles, past=past, waiting=particles.waiting + count, waiting_types=types)


def draw(particles: Particles, stream: Streams) -> Particles:
    """Draw the cards that wait, uniformly from what each hand leaves unseen of their types."""
    count = particles.waiting
    if not count:
        return particles
    hands = particles.hands.copy()
    drawn = np.zeros((len(hands), count), np.uint8)
    unseen = allowed(particles.past.unseen_now, particles.waiting_types)
    draw_all(hands, particles.log_weights, unseen, count, stream, drawn)
    cards = np.concatenate((particles.cards, drawn), axis=1)
    return replace(particles, cards=cards, hands=hands, waiting=0, waiting_types=ALL_TYPES)


def play(particles: Particles, card: CardType, slot: int = ANY_SLOT) -> Particles:
    """Let a card leave every hand that holds it; one that does not is excluded already."""
    hands = particles.hands.copy()
    hands[:, card] -= hands[:, card] > 0
    return replace(particles, past=particles.past.play(card, slot), hands=hands)


def draw_this(particles: Particles, card: CardType) -> Particles:
    """Let the one card that waits be of this type: log w += log (unseen copies − copies held)."""
    weights = particles.log_weights.copy()
    see_all(particles.hands, card, int(particles.past.unseen_now[card]), weights)
    hands = particles.hands.copy()
    hands[:, card] += 1
    cards = np.concatenate((particles.cards, np.full((len(hands), 1), card, np.uint8)), axis=1)
    return replace(
        particles, cards=cards, hands=hands, log_weights=weights, waiting=0, waiting_types=ALL_TYPES
    )  # fmt: skip


def give_back(particles: Particles, returned: Counts) -> Particles:
    """Put played cards back into the pile; a card that was drawn before that can't be one of them."""
    assert not particles.waiting, "cards that wait are drawn before a reshuffle"
    return replace(particles, past=particles.past.give_back(returned))


def tell(particles: Particles, token: Token, slot: int = ANY_SLOT, count: int = 0) -> Particles:
    """Let the opponent's model remember what it was told, in each past with the cards of some slots."""
    past = particles.past.tell(token, slot, count)
    excluded = particles.log_weights == -np.inf
    memories = (
        None
        if particles.memories is None
        else particles.memories.told(tokens_of(past.steps[-1], particles.cards, excluded))
    )
    return replace(particles, past=past, memories=memories)


# --- reweight --------------------------------------------------------------------------------------------


def see(particles: Particles, card: CardType) -> Particles:
    """Weigh by the chance that the observer drew this card: log w += log (unseen copies − copies held).

    Cards that wait make it less likely by a factor that is the same for all particles, or not at all.
    """
    weights = particles.log_weights.copy()
    see_all(particles.hands, card, int(particles.past.unseen_now[card]), weights)
    return replace(particles, past=particles.past.saw(card), log_weights=weights)


def bar(particles: Particles, types: int) -> Particles:
    """Exclude hands that hold a card of these types. Cards that wait are none: as likely for one hand as another."""
    weights = particles.log_weights.copy()
    exclude_all(particles.hands, np.uint64(types), weights)
    left = particles.waiting_types & ~types if particles.waiting else ALL_TYPES
    return replace(particles, past=particles.past.bar(types), log_weights=weights, waiting_types=left)


def look(
    particles: Particles, past: HiddenPast, count: int, model: PastModel, stream: Streams, doubts: Floats | None
) -> Particles:
    """Weigh by the choice, and by what it bars, that a past has more than that of the particles.

    Log w += log π(a | hand). Where hardly any particle fits, the event is softened: a violation costs a penalty, the
    particles are resampled and moved under it, and the penalty is raised until enough of them fit.
    """
    first = len(particles.past)
    now = replace(particles, past=past)
    terms, violations = looked(now, first, model)
    before = now.log_weights
    for _ in range(MOST_SOFTENINGS if doubts is not None else 0):
        assert doubts is not None
        exact = before + np.where(violations > 0, -np.inf, terms)
        if not too_few(exact):
            break
        penalty = highest_penalty(before, terms, violations)
        soft = Softening(first, penalty)
        weights = normalise(before + softened(terms, violations, penalty))
        now = moved(now, weights, count, model, stream, doubts, soft)
        terms, violations = looked(now, first, model)
        before = -softened(terms, violations, penalty)
    return replace(now, log_weights=before + np.where(violations > 0, -np.inf, terms))


def too_few(log_weights: Floats) -> bool:
    """Return whether an event left so few particles that it has to be softened."""
    return effective(normalise(log_weights)) < FITTING * len(log_weights)


def looked(particles: Particles, first: int, model: PastModel) -> tuple[Floats, Ints]:
    """Return for each particle the term of a choice among the steps from the first on, and how often it violates them.

    Nothing is asked about a particle that is excluded.
    """
    alive = np.flatnonzero(particles.log_weights > -np.inf)
    if len(alive) == len(particles):
        return model.look(particles.past, first, particles.pasts)
    terms, violations = np.zeros(len(particles)), np.ones(len(particles), np.int64)
    if len(alive):
        terms[alive], violations[alive] = model.look(particles.past, first, particles.of(alive).pasts)
    return terms, violations


def softened(terms: Floats, violations: Ints, penalty: float) -> Floats:
    """Return the log-likelihood of an event of which each violation costs a penalty, and no choice costs more."""
    return np.asarray(np.maximum(terms, -penalty) - penalty * violations)


def highest_penalty(before: Floats, terms: Floats, violations: Ints) -> float:
    """Return the highest penalty that leaves enough particles, by bisection on its logarithm."""
    low, high = -4.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        weights = normalise(before + softened(terms, violations, float(np.exp(middle))))
        low, high = (middle, high) if effective(weights) >= SOFTENED * len(before) else (low, middle)
    return float(np.exp(low))


# --- normalise, resample ---------------------------------------------------------------------------------


def normalise(log_weights: Floats) -> Floats:
    """Return the weights, adding up to one; all zero if every particle is excluded."""
    highest = log_weights.max()
    if not np.isfinite(highest):
        return np.zeros(len(log_weights))
    weights = np.exp(log_weights - highest)
    return np.asarray(weights / weights.sum())


def effective(weights: Floats) -> float:
    """Return ESS = 1 / Σ w², 0 if there is no weight at all."""
    squares = float((weights**2).sum())
    return 1.0 / squares if squares > 0.0 else 0.0


def resample(weights: Floats, count: int, stream: Streams) -> Ints:
    """Choose `count` particles systematically: one random offset, then equal steps through the summed weights."""
    chosen = np.empty(count, np.int64)
    systematic(weights, stream, chosen)
    return chosen


# --- move ------------------------------------------------------------------------------------------------


def moved(
    particles: Particles,
    weights: Floats,
    count: int,
    model: PastModel,
    stream: Streams,
    doubts: Floats,
    soft: Softening | None = None,
    ordinary: int = 0,
) -> Particles:
    """Return `count` particles of equal weight: resampled ancestors, and what moves make of each.

    Where that is more than the ordinary number, each is moved less often, so that it takes no longer.
    Waste-free: every so many moves the state of a chain is a particle, so none of its moves is wasted.
    """
    length, ordinary_moves = model.chains
    parents = resample(weights, max(count // length, 1), stream)
    ancestors = particles.of(parents).pasts
    share = min(ordinary / count, 1.0) if ordinary else 1.0
    moves = SOFT_MOVES if soft is not None else max(int(ordinary_moves * share), 1)
    wanted = proposal(particles, weights)
    found = model.move(particles.past, soft, ancestors, wanted, doubts, moves, stream)
    return replace(particles.with_pasts(found, np.zeros(len(found.cards))), parents=np.repeat(parents, length))


def proposal(particles: Particles, weights: Floats) -> Floats:
    """Return the shares in which moves propose new types: as they are held, or as they are unseen."""
    means = mean_counts(particles.hands, weights)
    unseen = particles.past.unseen.max(axis=0).astype(np.float64)
    held = means / max(means.sum(), 1e-12)
    return np.asarray(FOUND * held + (1.0 - FOUND) * unseen / max(unseen.sum(), 1e-12))


def fresh(past: HiddenPast, cards: Slots, model: PastModel, levels: Ints, log_ratio: Floats) -> Particles:
    """Return particles from whole histories of the closed form, weighed by every choice in them."""
    pasts, log_weights = model.weigh(past, cards, levels)
    cards, hands, levels, memories = pasts
    return Particles(past, cards, hands, levels, log_weights + log_ratio, memories)


def join(first: Particles, second: Particles) -> Particles:
    """Return two sets of fresh particles as one."""
    memories = None
    if first.memories is not None and second.memories is not None:
        memories = first.memories.joined(second.memories)
    cards, hands, levels = (
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("cards", "hands", "levels")
    )
    weights = np.concatenate((first.log_weights, second.log_weights))
    return first.with_pasts(Pasts(cards, hands, levels, memories), weights)


# --- read ------------------------------------------------------------------------------------------------


def mean_counts(hands: Hands, weights: Floats) -> Floats:
    """Return for each type the mean number of cards of it."""
    means = np.zeros(CARD_TYPES)
    add_counts(hands, weights, means)
    return means


def expected_counts(particles: Particles, weights: Floats) -> Floats:
    """Return for each type the mean number of cards, with those that wait: k (u − h) / M of each type."""
    means = mean_counts(particles.hands, weights)
    if particles.waiting and particles.pool:
        unseen = allowed(particles.past.unseen_now, particles.waiting_types).astype(np.float64)
        held = np.where(unseen > 0, means, 0.0)
        means = means + particles.waiting * (unseen - held) / particles.pool
    return means


def avoids(particles: Particles, weights: Floats, types: int) -> float:
    """Return the share of hands without these types; of the cards that wait C(M − u, k) / C(M, k)."""
    without = float(weight_without(particles.hands, weights, np.uint64(types)))
    if particles.waiting:
        unseen = int(allowed(particles.past.unseen_now, particles.waiting_types & types).sum())
        without *= none_of(particles.pool, unseen, particles.waiting)
    return without


def held_shares(particles: Particles, weights: Floats) -> Floats:
    """Return for each type the share of the hands that hold it, the cards that wait among them."""
    shares = np.zeros(CARD_TYPES)
    add_held(particles.hands, weights, shares)
    if particles.waiting:
        unseen = allowed(particles.past.unseen_now, particles.waiting_types)
        none = {number: none_of(particles.pool, number, particles.waiting) for number in set(unseen.tolist())}
        shares = 1.0 - (1.0 - shares) * np.array([none[number] for number in unseen.tolist()])
    return shares


def none_of(pool: int, of_types: int, count: int) -> float:
    """Return the probability that `count` cards of a pool are none of these: C(M − u, k) / C(M, k)."""
    return comb(max(pool - of_types, 0), count) / comb(pool, count)


def hand_share(particles: Particles, weights: Floats, hand: Cards) -> float:
    """Return the probability of exactly this hand: Π C(u − h, what it has more) / C(M, k) of the cards that wait."""
    wanted = hand.array().astype(np.int64)
    more = wanted - particles.hands
    fits = (more >= 0).all(axis=1) & (weights > 0.0)
    if not particles.waiting:
        return float(weights[fits].sum())
    unseen = allowed(particles.past.unseen_now, particles.waiting_types).astype(np.int64)
    found = 0.0
    for row in np.flatnonzero(fits & (more.sum(axis=1) == particles.waiting)).tolist():
        ways = 1
        for card in np.flatnonzero(more[row]).tolist():
            ways *= comb(max(int(unseen[card]) - int(particles.hands[row, card]), 0), int(more[row, card]))
        found += float(weights[row]) * ways
    return found / comb(particles.pool, particles.waiting)


def pair_shares(particles: Particles, weights: Floats) -> Floats:
    """Return the share of each hand of two cards, by their types s ≤ t."""
    found = np.zeros((CARD_TYPES, CARD_TYPES))
    alive = weights > 0.0
    hands, weights = particles.hands[alive], weights[alive]
    if not particles.waiting:
        held = hands > 0
        np.add.at(found, (held.argmax(axis=1), CARD_TYPES - 1 - held[:, ::-1].argmax(axis=1)), weights)
        return found
    unseen = allowed(particles.past.unseen_now, particles.waiting_types).astype(np.float64)
    pool = particles.pool
    if particles.waiting == 2:
        found = np.triu(2.0 * np.outer(unseen, unseen))
        np.fill_diagonal(found, unseen * (unseen - 1.0))
        return found / (pool * (pool - 1.0))
    own = hands.argmax(axis=1)
    left = np.where(unseen > 0, unseen - hands, 0.0) / pool
    for card in range(CARD_TYPES):
        np.add.at(found, (np.minimum(own, card), np.maximum(own, card)), weights * left[:, card])
    return found


def waiting_as(particles: Particles, others: Particles) -> Particles:
    """Return particles with the cards that wait in others that fit the same past."""
    return replace(particles, waiting=others.waiting, waiting_types=others.waiting_types)


def effective_hands(particles: Particles, weights: Floats) -> float:
    """Return how many independent hands would say as much: Σ p (1 − p) / Σ variance over the types, by batch means.

    Particles whose chains began at the same particle are a batch; one that was drawn by itself is a batch of its own.
    With p the share of the hands that hold a type, the variance of p is Σ over batches (Σ w (holds − p))². Cards that
    wait are left out. Where all hands are the same, the effective sample size is returned.
    """
    batches = np.arange(len(particles)) if particles.parents is None else particles.parents
    order = np.argsort(batches, kind="stable")
    spread, variance = spread_and_variance(particles.hands[order], weights[order], batches[order])
    return float(spread / variance) if variance > 1e-12 else effective(weights)


def distinct(hands: Hands) -> int:
    """Return how many different hands there are."""
    return len(np.unique(np.ascontiguousarray(hands).view(f"V{CARD_TYPES}")))
