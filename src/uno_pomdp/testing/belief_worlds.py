"""The laws of complete worlds drawn from a belief: they are games that could go on right now."""

from typing import Final

import numpy as np

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.bindings import legal_one, observe_one
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import OBSERVATION, RUNNING, SEATS, States
from uno_pomdp.game.observation import observation_of
from uno_pomdp.game.rng import Streams, streams
from uno_pomdp.jit import kernel
from uno_pomdp.testing.laws import Place

WORLDS: Final = 4
"""Worlds drawn after every action."""
LONG: Final = 10_000
"""Actions after which a game that does not end is abandoned."""


def check_worlds(belief: Belief, place: Place, seed: np.random.SeedSequence) -> None:
    """Check that worlds are complete, look as what the seat sees, and can be played to the end."""
    worlds = belief.sample(WORLDS, seed)
    place.require(len(worlds) == WORLDS, f"{WORLDS} worlds asked for have to be {WORLDS} worlds")
    place.require(
        all(
            world_text(one) == world_text(other) for one, other in zip(worlds, belief.sample(WORLDS, seed), strict=True)
        ),
        "the same seed has to give the same worlds",
    )
    for index in range(WORLDS):
        _check_world(belief, place, worlds[index : index + 1])
    play_on(worlds, streams(seed), LONG)
    for index in range(WORLDS):
        _check_cards(belief, place, worlds[index : index + 1], "played to its end")


def world_text(world: np.void) -> bytes:
    """Return the content of a state record, without the unused memory behind the ends of its piles."""
    copy = world.copy()
    copy["draw_pile"][copy["draw_size"] :] = 0
    copy["played"][copy["played_size"] :] = 0
    return bytes(copy.tobytes())


def _check_world(belief: Belief, place: Place, worlds: States) -> None:
    _check_cards(belief, place, worlds, "sampled")
    world, seen = worlds[0], belief.observation
    record = np.zeros(1, OBSERVATION)
    observe_one(record, worlds, seen.seat)
    place.require(
        observation_of(record) == seen,
        f"a sampled world has to look like what the seat sees, [{seen}], not [{observation_of(record)}]",
    )
    place.require(world["played"][world["played_size"] - 1] == seen.top, "the played pile has to end with its top card")
    if seen.deciding:
        drawn = int(world["drawn"])
        place.require(
            drawn < CARD_TYPES and world["hand"][world["turn"], drawn],
            "the card just drawn has to be in the hand of the player who decides about it",
        )
    place.require((seen.outcome is None) == bool(legal_one(worlds)), "a sampled world has to have a legal action")


def _check_cards(belief: Belief, place: Place, worlds: States, when: str) -> None:
    """Check that the four places add up to the deck, and that masks and sizes say the same as the counts."""
    world = worlds[0]
    draw_pile = world["draw_pile"][: world["draw_size"]]
    played = world["played"][: world["played_size"]]
    total = world["hand"].sum(axis=0, dtype=np.int64)
    total += np.bincount(draw_pile, minlength=CARD_TYPES) + np.bincount(played, minlength=CARD_TYPES)
    place.require(
        np.array_equal(total, belief.rules.deck.array()),
        f"hands, draw pile and played pile of a world, {when}, have to add up to the deck type by type",
    )
    for seat in SEATS:
        hand = Cards.from_counts(world["hand"][seat])
        place.require(
            hand.mask == int(world["hand_mask"][seat]) and len(hand) == world["hand_size"][seat],
            f"masks and sizes of a world, {when}, have to say the same as its hands",
        )


@kernel
def play_on(worlds: States, chance: Streams, at_most: int) -> None:
    """Play every world on at random, to its end or so many actions."""
    for index in range(len(worlds)):
        world = worlds[index]
        for _ in range(at_most):
            if world["status"] != RUNNING:
                break
            apply(world, random_bit(legal_mask(world), chance[0]))
