"""The stages of the particle filter, a few lines each: reweight, predict, tell, normalise, resample, rejuvenate.

A step of this game is a choice of the opponent and then a movement of cards: so particles are reweighted by
the choice first and moved by what followed it. A draw is proposed from the transition itself, so its
probability 1/|D| or 1/C(|D|, k) is not multiplied in: it is the same for every particle.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.beliefs.filter_kernels import (
    FLOOR,
    add_choice,
    add_counts,
    add_held,
    draw_all,
    exclude_all,
    log_copies,
    see_all,
    systematic,
    write_draws,
)
from uno_pomdp.beliefs.slot_histories import SlotHistories
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.information import Token
from uno_pomdp.game.layout import ACTION_CARD, DRAW, NO_CARD, Observations
from uno_pomdp.game.rng import Streams
from uno_pomdp.policies.opponent_models import UNTOLD, Memories, NoMemories


@dataclass(frozen=True, slots=True)
class Particles:
    """Weighted hands."""

    hands: Hands
    """One row of counts each."""
    drawn: npt.NDArray[np.uint8]
    """For each the card just drawn that is being decided about; `NO_CARD` if there is none."""
    log_weights: Floats
    """Natural logarithms, up to a common constant; −inf for a hand that is excluded."""
    origin: npt.NDArray[np.int64]
    """Which independently drawn hand each descends from."""
    memories: Memories | None = None
    """What the opponent's model remembers with each; None without a model."""

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def listening(self) -> Memories | None:
        """The memories, if the model keeps any: those have to be told of every move."""
        return None if isinstance(self.memories, NoMemories) else self.memories


@dataclass(frozen=True, slots=True)
class Choice:
    """One past choice of the opponent."""

    seen: Observations
    """What it saw, less its hand."""
    action: int
    """What it did."""
    step: int
    """How many steps the closed form had taken before it."""
    just_drawn: bool
    """Whether it was about a card just drawn."""

    @property
    def action_card(self) -> int:
        """The type that it played; not for draw and keep."""
        return int(ACTION_CARD[self.action])


@dataclass(frozen=True, slots=True)
class News:
    """One thing that the opponent was told: the same in every history, or the cards that it drew."""

    token: Token
    """The token; without cards where the next is given."""
    born: int | None = None
    """The step of the closed form in which the cards came that it drew."""


Record = Sequence[Choice | News]
"""What the opponent chose and was told, in order."""
Begin = Callable[[Hands], Memories]
"""Returns what the opponent's model remembers at the deal, with each of these hands."""


def fresh(hands: Hands, memories: Memories | None = None, drawn: npt.NDArray[np.uint8] | None = None) -> Particles:
    """Return hands drawn independently, equally weighted; without a card just drawn unless these are told."""
    count = len(hands)
    drawn = np.full(count, NO_CARD, np.uint8) if drawn is None else drawn
    return Particles(hands, drawn, np.zeros(count), np.arange(count), memories)


# --- reweight --------------------------------------------------------------------------------------------


def reweight(particles: Particles, choice: Choice) -> Particles:
    """Multiply each weight by the probability of the choice: log w += log π(a | hand, public).

    Without a model every labelled card is as likely as any other: a play has the weight of its copies.
    """
    copies = np.empty(len(particles))
    log_copies(choice.seen, particles.hands, particles.drawn, choice.action, copies)
    weights = particles.log_weights + copies
    if particles.memories is not None:
        alive = np.flatnonzero(weights > -np.inf)  # few hold any given card: the model is asked about those alone
        hands, drawn = particles.hands[alive], particles.drawn[alive]
        chance = particles.memories.of(alive).log_probabilities(choice.seen, hands, drawn, choice.action)
        weights[alive] = particles.log_weights[alive] + np.maximum(chance, FLOOR)
    return replace(particles, log_weights=weights)


def exclude(particles: Particles, barred: np.uint64) -> Particles:
    """Give no weight to hands that hold a card of these types."""
    weights = particles.log_weights.copy()
    exclude_all(particles.hands, barred, weights)
    return replace(particles, log_weights=weights)


# --- tell ------------------------------------------------------------------------------------------------


def tell(particles: Particles, token: Token) -> Particles:
    """Let the opponent's model remember a move that all hands were told of alike."""
    memories = particles.listening
    if memories is None:
        return particles
    tokens = np.where(particles.log_weights > -np.inf, token, UNTOLD).astype(np.int32)
    return replace(particles, memories=memories.told(tokens))


def tell_draws(particles: Particles, before: Hands) -> Particles:
    """Let the opponent's model remember what each hand has drawn since it was as in `before`."""
    memories = particles.listening
    if memories is None:
        return particles
    tokens = np.empty(len(before), np.int32)
    write_draws(before, particles.hands, particles.log_weights, tokens)
    return replace(particles, memories=memories.told(tokens))


# --- predict ---------------------------------------------------------------------------------------------


def lose(particles: Particles, card: int) -> Particles:
    """Take a played card out of every hand that holds it; one that does not is excluded already."""
    hands = particles.hands.copy()
    hands[:, card] -= hands[:, card] > 0
    return replace(particles, hands=hands, drawn=np.full(len(hands), NO_CARD, np.uint8))


def draw(particles: Particles, unseen: npt.NDArray[np.uint8], count: int, stream: Streams, decide: bool) -> Particles:
    """Let every hand draw so many cards, uniformly from what it leaves unseen; not those that are excluded."""
    hands = particles.hands.copy()
    drawn = np.full(len(hands), NO_CARD, np.uint8)
    draw_all(hands, particles.log_weights, unseen, count, stream, drawn)
    held = drawn if decide else np.full(len(hands), NO_CARD, np.uint8)
    moved = replace(particles, hands=hands, drawn=held)
    return tell_draws(moved, particles.hands) if count else moved


def draw_until(
    particles: Particles, unseen: npt.NDArray[np.uint8], kept: int, pending: bool, playable: np.uint64, stream: Streams
) -> Particles:
    """Let every hand draw so many cards that are not playable, then, if one is pending, one that is.

    How likely that is depends on sizes and on the playable cards in the pile: the same for all hands without any.
    """
    hits = np.array([int(playable) >> card & 1 for card in range(CARD_TYPES)], np.uint8)
    particles = draw(particles, unseen * (1 - hits), kept, stream, decide=False)
    if not pending:
        return particles
    alone = replace(particles, hands=np.zeros_like(particles.hands))  # none of these cards is in a hand
    last = draw(alone, unseen * hits, 1, stream, decide=True)
    return replace(particles, hands=particles.hands + last.hands, drawn=last.drawn)


def put_away(particles: Particles) -> Particles:
    """Keep the card just drawn: it is a card like the others now."""
    return replace(particles, drawn=np.full(len(particles), NO_CARD, np.uint8))


def see(particles: Particles, unseen: npt.NDArray[np.uint8], card: int) -> Particles:
    """Weigh by the chance that the observer drew this card: log w += log (unseen copies − copies held)."""
    weights = particles.log_weights.copy()
    see_all(particles.hands, card, int(unseen[card]), weights)
    return replace(particles, log_weights=weights)


# --- normalise, resample ---------------------------------------------------------------------------------


def normalise(particles: Particles) -> Floats:
    """Return the weights, adding up to one; all zero if every particle is excluded."""
    highest = particles.log_weights.max()
    if not np.isfinite(highest):
        return np.zeros(len(particles))
    weights = np.exp(particles.log_weights - highest)
    return np.asarray(weights / weights.sum())


def effective(weights: Floats) -> float:
    """Return ESS = 1 / Σ w², 0 if there is no weight at all."""
    squares = float((weights**2).sum())
    return 1.0 / squares if squares > 0.0 else 0.0


def effective_origins(particles: Particles, weights: Floats) -> float:
    """Return the effective number of independently drawn hands: ESS with descendants counted as one."""
    return effective(np.bincount(particles.origin, weights).astype(np.float64))


def join(first: Particles, second: Particles) -> Particles:
    """Return two independent sets of fresh particles as one."""
    hands, drawn, log_weights = (
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("hands", "drawn", "log_weights")
    )
    memories = None if first.memories is None or second.memories is None else first.memories.joined(second.memories)
    return Particles(hands, drawn, log_weights, np.arange(len(hands)), memories)


def resample(particles: Particles, weights: Floats, count: int, stream: Streams) -> Particles:
    """Draw `count` particles systematically: one random offset, then equal steps through the summed weights."""
    chosen = np.empty(count, np.int64)
    systematic(weights, stream, chosen)
    memories = None if particles.memories is None else particles.memories.of(chosen)
    return Particles(
        particles.hands[chosen], particles.drawn[chosen], np.zeros(count), particles.origin[chosen], memories
    )


def held_shares(particles: Particles, weights: Floats) -> Floats:
    """Return for each type the weight of the hands that hold it."""
    shares = np.zeros(CARD_TYPES)
    add_held(particles.hands, weights, shares)
    return shares


def mean_counts(particles: Particles, weights: Floats) -> Floats:
    """Return for each type the mean number of cards of it."""
    means = np.zeros(CARD_TYPES)
    add_counts(particles.hands, weights, means)
    return means


def distinct(hands: Hands) -> int:
    """Return how many different hands there are."""
    return len(np.unique(np.ascontiguousarray(hands).view(f"V{CARD_TYPES}")))


# --- rejuvenate ------------------------------------------------------------------------------------------


def rejuvenate(histories: SlotHistories, steps: int, record: Record, begin: Begin | None) -> Particles:
    """Return fresh particles: whole histories from the closed form, weighed by every choice in them.

    The closed form counts each labelled copy of a played card as a way of its own, so the model's probability
    of the play is shared between the copies: log w = Σ log π(a | hand then) − log (copies held then).
    """
    if begin is None:
        return fresh(histories.hands_at(steps))
    hands, now = histories.hands_at(0), 0
    total, nothing = np.zeros(len(hands)), np.full(len(hands), NO_CARD, np.uint8)
    memories = begin(hands)
    for choice in record:
        if isinstance(choice, News):
            memories = _remember(memories, choice, histories)
            continue
        kept = choice.just_drawn and choice.action >= DRAW
        then = choice.step + 1 if kept else choice.step
        histories.move_on(hands, now, then)
        now = then
        played_at_once = choice.just_drawn and not kept
        if played_at_once:  # it was never in a slot
            drawn = np.full(len(hands), choice.action_card, np.uint8)
            hands[:, choice.action_card] += 1
        else:
            drawn = histories.cards_born(choice.step) if kept else nothing
        chance = memories.log_probabilities(choice.seen, hands, drawn, choice.action)
        shared = choice.action < DRAW and not choice.just_drawn
        add_choice(total, chance, hands, choice.action_card if shared else NO_CARD)
        if played_at_once:
            hands[:, choice.action_card] -= 1
    histories.move_on(hands, now, steps)
    return replace(fresh(hands, memories), log_weights=total)


def _remember(memories: Memories, news: News, histories: SlotHistories) -> Memories:
    """Return the memories after news, in each history with the cards of its own."""
    if isinstance(memories, NoMemories):
        return memories
    count = len(histories.cards)
    tokens = np.full(count, news.token, np.int32)
    if news.born is not None:
        after = histories.born_in(news.born)
        write_draws(np.zeros_like(after), after, np.zeros(count), tokens)
    return memories.told(tokens)
