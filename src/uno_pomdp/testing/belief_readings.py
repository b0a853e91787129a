"""The laws of what is read off a belief: probabilities, expected counts, hands drawn from it, diagnostics."""

from math import isfinite, log2
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.beliefs.belief import Belief, Hands
from uno_pomdp.cards import CARD_TYPES, COLOURS, Cards
from uno_pomdp.game.layout import BIT, COLOUR_MASK, NO_CARD, PLAYABLE
from uno_pomdp.testing.laws import Place

CLOSE: Final = 1e-6
"""How far a probability may be off."""
ALL_TYPES: Final = (1 << CARD_TYPES) - 1
FEW: Final = 8
"""Hands drawn after every action."""
MANY: Final = 256
"""Hands drawn where the sampler itself is tested."""
NATS: Final = 30.0
"""How unlikely, as −log, a sample has to be to be called wrong: e⁻³⁰, less than one in 10¹³."""


def reading(belief: Belief, seed: np.random.SeedSequence) -> tuple[Any, ...]:
    """Return all that can be read off a belief, to be compared exactly."""
    hands, drawn = belief.sample_hands(FEW, seed)
    return (
        belief.expected_counts().tobytes(),
        belief.probabilities().tobytes(),
        belief.nothing_playable(),
        belief.entropy(),
        hands.tobytes(),
        drawn.tobytes(),
        belief.diagnostics(),
        belief.observation,
    )


# --- probabilities ---------------------------------------------------------------------------------------


def check_marginals(belief: Belief, place: Place, seed: np.random.SeedSequence) -> None:
    """Check expected counts and probabilities, each and against each other."""
    seen = belief.observation
    unseen = seen.unseen(belief.rules).array().astype(np.float64)
    counts, held = belief.expected_counts(), belief.probabilities()
    place.require(
        counts.shape == held.shape == (CARD_TYPES,) and np.isfinite(counts).all() and np.isfinite(held).all(),
        f"expected counts and probabilities have to be {CARD_TYPES} finite numbers each",
    )
    place.require((counts >= 0.0).all(), "no expected count may be negative")
    place.require((counts <= unseen + CLOSE).all(), "no expected count may be more than the unseen cards of its type")
    place.require(
        abs(counts.sum() - seen.opponent_size) <= CLOSE,
        f"expected counts have to add up to the opponent's {seen.opponent_size} cards, not to {counts.sum():.6f}",
    )
    place.require(((held >= -CLOSE) & (held <= 1.0 + CLOSE)).all(), "probabilities have to lie between 0 and 1")
    place.require((held <= counts + CLOSE).all(), "the probability of a type may not be more than its expected count")
    place.require(
        (held * unseen >= counts - CLOSE).all(),
        "the probability of a type may not be less than its expected count over its unseen cards",
    )
    _check_avoids(belief, place, held, np.random.default_rng(seed))
    types = max(1, int(np.count_nonzero(unseen)))
    place.require(
        0.0 <= belief.entropy() <= log2(types) + CLOSE,
        "the entropy has to lie between 0 and that of all unseen types alike",
    )


def _check_avoids(belief: Belief, place: Place, held: npt.NDArray[np.float64], chance: np.random.Generator) -> None:
    """Check `avoids` for the empty and the full set, single types and random sets, and the methods that call it."""
    seen = belief.observation
    place.require(abs(belief.avoids(0) - 1.0) <= CLOSE, "avoids(0) has to be 1: every hand avoids no types at all")
    empty = float(seen.opponent_size == 0)
    place.require(
        abs(belief.avoids(ALL_TYPES) - empty) <= CLOSE,
        f"avoids(all types) has to be {empty:.0f} for a hand of {seen.opponent_size}",
    )
    one_by_one = np.array([belief.avoids(int(BIT[card])) for card in range(CARD_TYPES)])
    place.require((abs(one_by_one - (1.0 - held)) <= CLOSE).all(), "avoids(type) has to be 1 − probability of the type")
    for density in (0.05, 0.15, 0.5):
        chosen = chance.random(CARD_TYPES) < density
        avoided = belief.avoids(sum(1 << int(card) for card in np.flatnonzero(chosen)))
        least, most = 1.0 - held[chosen].sum(), 1.0 - held[chosen].max(initial=0.0)
        place.require(
            max(0.0, least) - CLOSE <= avoided <= most + CLOSE,
            "avoids(types) has to lie between 1 − the sum and 1 − the largest of their probabilities",
        )
    playable = int(PLAYABLE[seen.colour, seen.top])
    place.require(
        abs(belief.nothing_playable() - belief.avoids(playable)) <= CLOSE
        and all(abs(belief.has_colour(c) + belief.avoids(int(COLOUR_MASK[c])) - 1.0) <= CLOSE for c in COLOURS),
        "nothing_playable and has_colour have to say the same as avoids",
    )


# --- hands -----------------------------------------------------------------------------------------------


def check_hands(belief: Belief, place: Place, seed: np.random.SeedSequence, true_hand: Cards | None) -> None:
    """Check hands drawn from the belief, and the probabilities of hands where the belief gives them."""
    seen = belief.observation
    hands, drawn = belief.sample_hands(FEW, seed)
    place.require(
        hands.shape == (FEW, CARD_TYPES) and drawn.shape == (FEW,) and hands.dtype == drawn.dtype == np.uint8,
        f"sampled hands have to be rows of {CARD_TYPES} counts with one drawn card each, in bytes",
    )
    place.require(
        (hands.sum(axis=1, dtype=np.int64) == seen.opponent_size).all(),
        f"sampled hands have to be of the opponent's {seen.opponent_size} cards",
    )
    place.require((hands <= seen.unseen(belief.rules).array()).all(), "sampled hands have to fit in the unseen cards")
    if seen.deciding and seen.turn != seen.seat:
        place.require(
            (drawn < CARD_TYPES).all() and hands[np.arange(FEW), drawn % CARD_TYPES].all(),
            "the drawn card about which the opponent decides has to be in the sampled hand",
        )
    else:
        place.require((drawn == NO_CARD).all(), "a drawn card may be sampled only while the opponent decides about one")
    _check_hand_probabilities(belief, place, hands, true_hand)


def _check_hand_probabilities(belief: Belief, place: Place, hands: Hands, true_hand: Cards | None) -> None:
    """Check probabilities of whole hands; a belief without them raises NotImplementedError."""
    sampled = [Cards.from_counts(hand) for hand in hands]
    try:
        chances = [belief.hand_probability(hand) for hand in sampled]
    except NotImplementedError:
        return
    place.require(all(0.0 < p <= 1.0 + CLOSE for p in chances), "a sampled hand has to have a probability in (0, 1]")
    total = sum(dict(zip(sampled, chances, strict=True)).values())
    place.require(total <= 1.0 + CLOSE, f"probabilities of different hands may not add up to more than 1 ({total:.6f})")
    if true_hand is not None:
        place.require(belief.hand_probability(true_hand) > 0.0, f"the true hand ({true_hand}) has to be possible")


def check_repeats(belief: Belief, place: Place, seed: np.random.SeedSequence) -> None:
    """Check that the same seed gives the same hands."""
    (hands, drawn), (again, drawn_again) = (belief.sample_hands(FEW, seed) for _ in range(2))
    place.require(
        np.array_equal(hands, again) and np.array_equal(drawn, drawn_again), "the same seed has to give the same hands"
    )


def check_sampler(belief: Belief, place: Place, seed: np.random.SeedSequence) -> None:
    """Check that hands depend on the seed, and follow the belief's own probabilities."""
    hands, others = (
        belief.sample_hands(MANY, np.random.SeedSequence(seed.entropy, spawn_key=(child,)))[0] for child in range(2)
    )
    held = belief.probabilities()
    # Two hands agree in this type with probability p² + (1 − p)² ≤ 0.905; all of 256 do once in 10¹¹ times.
    uncertain = ((held > 0.05) & (held < 0.95)).any()
    place.require(not uncertain or not np.array_equal(hands, others), "another seed has to give other hands")
    found = np.count_nonzero(hands, axis=0)
    place.require(
        (abs(found - MANY * held) <= _deviation(MANY * held * (1.0 - held))).all(),
        "sampled hands have to hold each type as often as its probability says",
    )


def _deviation(variance: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far a sum of independent 0s and 1s may lie from its mean: t²/2 = NATS (variance + t/3), Bernstein."""
    spread = np.maximum(variance, 0.0)
    return NATS / 3.0 + np.sqrt((NATS / 3.0) ** 2 + 2.0 * NATS * spread)


# --- diagnostics -----------------------------------------------------------------------------------------


def check_diagnostics(belief: Belief, place: Place) -> None:
    """Check that the diagnostics are filled in and possible."""
    state = belief.diagnostics()
    place.require(state.kind, "diagnostics have to name the kind of belief")
    place.require(
        state.support >= 1 and state.size >= 1 and state.rejuvenations >= 0,
        "diagnostics have to count a support and a size of at least 1",
    )
    place.require(
        isfinite(state.ess) and 1.0 - CLOSE <= state.ess <= state.size * (1.0 + CLOSE),
        f"the effective sample size has to lie between 1 and the size of {state.size}, not at {state.ess:.6f}",
    )
    place.require(state.age == belief.age == place.action, f"the age has to be {place.action} actions, not {state.age}")
