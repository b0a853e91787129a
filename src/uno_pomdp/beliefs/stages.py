"""The stages of the particle filter, a few lines each: reweight, predict, normalise, resample, rejuvenate.

A step of this game is a choice of the opponent and then a movement of cards: so particles are reweighted by
the choice first and moved by what followed it. A draw is proposed from the transition itself, so its
probability 1/|D| or 1/C(|D|, k) is not multiplied in: it is the same for every particle.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.histories import Histories
from uno_pomdp.beliefs.models import OpponentModel, hand_mask_of, legal_for
from uno_pomdp.beliefs.protocol import Floats, Hands
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import ACTION_CARD, BIT, DRAW, NO_CARD, Observations
from uno_pomdp.game.rng import Streams, below, uniform
from uno_pomdp.jit import as_int, kernel

FLOOR: Final = -30.0
"""The least log-probability of a legal choice. A model that excludes what was really done says nothing then,
instead of everything."""


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

    def __len__(self) -> int:
        return len(self.hands)


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


def fresh(hands: Hands) -> Particles:
    """Return hands drawn independently, equally weighted."""
    count = len(hands)
    return Particles(hands, np.full(count, NO_CARD, np.uint8), np.zeros(count), np.arange(count))


# --- reweight --------------------------------------------------------------------------------------------


def reweight(particles: Particles, model: OpponentModel | None, choice: Choice) -> Particles:
    """Multiply each weight by the probability of the choice: log w += log π(a | hand, public).

    Without a model every labelled card is as likely as any other: a play has the weight of its copies.
    """
    copies = np.empty(len(particles))
    log_copies(choice.seen, particles.hands, particles.drawn, choice.action, copies)
    if model is None:
        return replace(particles, log_weights=particles.log_weights + copies)
    chance = model.log_probabilities(choice.seen, particles.hands, particles.drawn, choice.action)
    legal = np.where(np.isfinite(copies), np.maximum(chance, FLOOR), -np.inf)
    return replace(particles, log_weights=particles.log_weights + legal)


def exclude(particles: Particles, barred: np.uint64) -> Particles:
    """Give no weight to hands that hold a card of these types."""
    weights = particles.log_weights.copy()
    exclude_all(particles.hands, barred, weights)
    return replace(particles, log_weights=weights)


# --- predict ---------------------------------------------------------------------------------------------


def lose(particles: Particles, card: int) -> Particles:
    """Take a played card out of every hand that holds it; one that does not is excluded already."""
    hands = particles.hands.copy()
    hands[:, card] -= hands[:, card] > 0
    return replace(particles, hands=hands, drawn=np.full(len(hands), NO_CARD, np.uint8))


def draw(particles: Particles, unseen: npt.NDArray[np.uint8], count: int, stream: Streams, decide: bool) -> Particles:
    """Let every hand draw so many cards, uniformly from what it leaves unseen."""
    hands = particles.hands.copy()
    drawn = np.full(len(hands), NO_CARD, np.uint8)
    draw_all(hands, unseen, count, stream, drawn)
    return replace(particles, hands=hands, drawn=drawn if decide else np.full(len(hands), NO_CARD, np.uint8))


def put_away(particles: Particles) -> Particles:
    """Keep the card just drawn: it is a card like the others now."""
    return replace(particles, drawn=np.full(len(particles), NO_CARD, np.uint8))


def see(particles: Particles, unseen: npt.NDArray[np.uint8], card: int) -> Particles:
    """Weigh by the chance that the observer drew this card: log w += log (unseen copies − copies held)."""
    left = float(unseen[card]) - particles.hands[:, card]
    with np.errstate(divide="ignore"):
        return replace(particles, log_weights=particles.log_weights + np.log(np.maximum(left, 0.0)))


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


def resample(particles: Particles, weights: Floats, count: int, stream: Streams) -> Particles:
    """Draw `count` particles systematically: one random offset, then equal steps through the summed weights."""
    chosen = np.empty(count, np.int64)
    systematic(weights, stream, chosen)
    return Particles(particles.hands[chosen], particles.drawn[chosen], np.zeros(count), particles.origin[chosen])


def distinct(hands: Hands) -> int:
    """Return how many different hands there are."""
    return len(np.unique(np.ascontiguousarray(hands).view(f"V{CARD_TYPES}")))


# --- rejuvenate ------------------------------------------------------------------------------------------


def rejuvenate(histories: Histories, steps: int, choices: list[Choice], model: OpponentModel | None) -> Particles:
    """Return fresh particles: whole histories from the closed form, weighed by every choice in them.

    The closed form counts each labelled copy of a played card as a way of its own, so the model's probability
    of the play is shared between the copies: log w = Σ log π(a | hand then) − log (copies held then).
    """
    particles = fresh(histories.hands_at(steps))
    if model is None:
        return particles
    total = np.zeros(len(particles))
    for choice in choices:
        kept = choice.just_drawn and choice.action >= DRAW
        then = fresh(histories.hands_at(choice.step + 1 if kept else choice.step))
        if choice.just_drawn:
            if kept:
                drawn = histories.cards_born(choice.step)
            else:
                drawn = np.full(len(then), choice.action_card, np.uint8)
                then.hands[:, choice.action_card] += 1
            then = replace(then, drawn=drawn)
        chance = model.log_probabilities(choice.seen, then.hands, then.drawn, choice.action)
        total += np.maximum(chance, FLOOR)
        if choice.action < DRAW and not choice.just_drawn:
            total -= np.log(then.hands[:, choice.action_card])
    return replace(particles, log_weights=total)


# --- kernels ---------------------------------------------------------------------------------------------


@kernel
def log_copies(seen: Observations, hands: Hands, drawn: npt.NDArray[np.uint8], action: int, result: Floats) -> None:
    """Write the log of the copies of a card that may have been played; 0 for other legal actions, else −inf."""
    for index in range(len(hands)):
        if not legal_for(seen[0], hand_mask_of(hands[index]), drawn[index]) & BIT[action]:
            result[index] = -np.inf
        elif action < DRAW and drawn[index] == NO_CARD:
            result[index] = np.log(as_int(hands[index, ACTION_CARD[action]]))
        else:
            result[index] = 0.0


@kernel
def exclude_all(hands: Hands, barred: np.uint64, weights: Floats) -> None:
    """Write −inf for every hand with a card of the barred types."""
    for index in range(len(hands)):
        for card in range(CARD_TYPES):
            if hands[index, card] and barred & BIT[card]:
                weights[index] = -np.inf
                break


@kernel
def draw_all(
    hands: Hands, unseen: npt.NDArray[np.uint8], count: int, stream: Streams, drawn: npt.NDArray[np.uint8]
) -> None:
    """Add `count` cards to each hand, uniform over the unseen cards that it has not; the last one is `drawn`."""
    for index in range(len(hands)):
        pile = 0
        for card in range(CARD_TYPES):
            pile += max(as_int(unseen[card]) - as_int(hands[index, card]), 0)
        for _ in range(count):
            if pile == 0:
                break
            left = below(stream[0], pile)
            for card in range(CARD_TYPES):
                left -= max(as_int(unseen[card]) - as_int(hands[index, card]), 0)
                if left < 0:
                    hands[index, card] += 1
                    drawn[index] = card
                    break
            pile -= 1


@kernel
def systematic(weights: Floats, stream: Streams, chosen: npt.NDArray[np.int64]) -> None:
    """Write the indices that a systematic sample of the weights picks."""
    count = len(chosen)
    step = weights.sum() / count
    position = uniform(stream[0]) * step
    reached = weights[0]
    at = 0
    for index in range(count):
        while reached <= position and at < len(weights) - 1:
            at += 1
            reached += weights[at]
        chosen[index] = at
        position += step
