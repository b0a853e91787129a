# ruff: noqa: D102 - the class above says what is wrong with its methods
"""Beliefs with one thing wrong each, for the check that has to find it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Diagnostics, Hands, Seed
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import Cards
from uno_pomdp.game.events import Event
from uno_pomdp.game.layout import NO_CARD, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

Sampled = tuple[Hands, Hands]


def changed(method: str, change: Callable[..., Any]) -> type[UniformBelief]:
    """Return a belief that is good but for one answer; `change` gets the belief, the good answer, the question."""

    def answer(self: UniformBelief, *question: Any) -> Any:
        return change(self, getattr(UniformBelief, method)(self, *question), *question)

    return type("Broken", (UniformBelief,), {method: answer})


def in_diagnostics(**wrong: Any) -> type[UniformBelief]:
    """Return a belief that is good but for a field of its diagnostics."""
    return changed("diagnostics", lambda _, state: replace(state, **wrong))


def nothing_but_the_top(belief: UniformBelief, counts: Floats) -> Floats:
    """Expect the type on top alone, of which fewer are unseen than the opponent holds."""
    counts[:] = 0.0
    counts[belief.observation.top] = belief.observation.opponent_size
    return counts


def below_zero(_: UniformBelief, counts: Floats) -> Floats:
    """Take a little from a type that can't be held, and give it to another."""
    counts[counts.argmin()] -= 0.01
    counts[counts.argmax()] += 0.01
    return counts


def one_card_short(_: UniformBelief, sampled: Sampled, *__: Any) -> Sampled:
    """Take a card out of a hand."""
    sampled[0][0, sampled[0][0].argmax()] -= 1
    return sampled


def card_on_the_table(belief: UniformBelief, sampled: Sampled, *_: Any) -> Sampled:
    """Make a hand of cards like the top one."""
    sampled[0][0] = 0
    sampled[0][0, belief.observation.top] = belief.observation.opponent_size
    return sampled


def all_the_same(_: UniformBelief, sampled: Sampled, *__: Any) -> Sampled:
    """Give one hand again and again."""
    hands, drawn = sampled
    hands[:-1], drawn[:-1] = hands[-1], drawn[-1]
    return sampled


def in_worlds(change: Callable[[UniformBelief, States], object]) -> type[UniformBelief]:
    """Return a belief that is good but for a change in the worlds drawn from it."""

    def answer(belief: UniformBelief, worlds: States, *_: Any) -> States:
        change(belief, worlds)
        return worlds

    return changed("sample", answer)


def bury_the_top(_: UniformBelief, worlds: States) -> None:
    """Let the played pile end with another card."""
    for world in worlds:
        size = int(world["played_size"])
        world["played"][:size] = np.roll(world["played"][:size], 1)


class RulesOutTheTruth(UniformBelief):
    """Believes, at the deal, in one hand alone."""

    def hand_probability(self, hand: Cards) -> float:
        return float(hand == Cards.parse("Y1 YS")) if self.age == 0 else super().hand_probability(hand)

    def sample_hands(self, count: int, seed: Seed) -> Sampled:
        hands, drawn = super().sample_hands(count, seed)
        return (np.tile(Cards.parse("Y1 YS").array(), (count, 1)) if self.age == 0 else hands), drawn


class NoSeed(UniformBelief):
    """Draws from a source of its own."""

    own = np.random.default_rng(3)

    def sample_hands(self, count: int, seed: Seed) -> Sampled:
        del seed
        return super().sample_hands(count, int(self.own.integers(2**60)))


class Unlike(UniformBelief):
    """No two are alike."""

    made = 0

    def __init__(self, rules: Rules, observation: Observation) -> None:
        super().__init__(rules, observation)
        Unlike.made += 1
        self.number = Unlike.made

    def diagnostics(self) -> Diagnostics:
        return replace(super().diagnostics(), rejuvenations=self.number)


class WearsOut(UniformBelief):
    """Becomes another belief, at its next update, when it was sampled from."""

    samples = rejuvenations = 0

    def sample_hands(self, count: int, seed: Seed) -> Sampled:
        self.samples += 1
        return super().sample_hands(count, seed)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        super().update(events, observation)
        self.rejuvenations = self.samples

    def diagnostics(self) -> Diagnostics:
        return replace(super().diagnostics(), rejuvenations=self.rejuvenations)


class ChangesWhenRead(UniformBelief):
    """Moves a little each time its entropy is asked for."""

    asked = 0

    def entropy(self) -> float:
        self.asked += 1
        return super().entropy() * (1.0 - 1e-9 * self.asked)


class NeedsEvents(UniformBelief):
    """Is off as soon as it has to work out itself what happened."""

    share = 1.0

    def observe(self, observation: Observation) -> None:
        super().observe(observation)
        self.share = 0.9

    def expected_counts(self) -> Floats:
        return super().expected_counts() * self.share


BROKEN: dict[str, tuple[type[UniformBelief], str]] = {
    "a size off by one": (
        changed("expected_counts", lambda _, counts: counts * 1.5),
        r"expected counts have to add up to the opponent's \d cards, not to \d\.\d{6}",
    ),
    "more than there is": (
        changed("expected_counts", nothing_but_the_top),
        "no expected count may be more than the unseen cards of its type",
    ),
    "below zero": (changed("expected_counts", below_zero), "no expected count may be negative"),
    "not a number": (
        changed("expected_counts", lambda _, counts: counts * np.nan),
        "have to be 54 finite numbers each",
    ),
    "too sure": (
        changed("avoids", lambda _, p, mask: p * p if mask.bit_count() == 1 else p),
        "the probability of a type may not be more than its expected count",
    ),
    "not sure enough": (
        changed("avoids", lambda _, p, mask: max(p, 0.999) if mask.bit_count() == 1 else p),
        "the probability of a type may not be less than its expected count over its unseen cards",
    ),
    "sets unlike their types": (
        changed("avoids", lambda _, p, mask: 1.0 if 1 < mask.bit_count() < 54 else p),
        "has to lie between 1 − the sum and 1 − the largest of their probabilities",
    ),
    "the empty set": (changed("avoids", lambda _, p, mask: p if mask else 0.0), r"avoids\(0\) has to be 1"),
    "a hand of nothing": (
        changed("avoids", lambda _, p, mask: p if mask.bit_count() < 54 else 0.5),
        r"avoids\(all types\) has to be 0 for a hand of 2",
    ),
    "probabilities of their own": (
        changed("probabilities", lambda belief, _: belief.expected_counts().clip(max=1.0)),
        r"avoids\(type\) has to be 1 − probability of the type",
    ),
    "two names, two answers": (
        changed("nothing_playable", lambda _, p: p / 2),
        "nothing_playable and has_colour have to say the same as avoids",
    ),
    "the truth ruled out": (RulesOutTheTruth, r"the true hand \(.*\) has to be possible"),
    "a hand too small": (
        changed("sample_hands", one_card_short),
        r"sampled hands have to be of the opponent's \d cards",
    ),
    "a card on the table": (
        changed("sample_hands", card_on_the_table),
        "sampled hands have to fit in the unseen cards",
    ),
    "any card just drawn": (
        changed("sample_hands", lambda _, s, *__: (s[0], np.where(s[1] == NO_CARD, s[1], 51).astype(np.uint8))),
        "the drawn card about which the opponent decides has to be in the sampled hand",
    ),
    "a card always just drawn": (
        changed("sample_hands", lambda _, s, *__: (s[0], s[0].argmax(axis=1).astype(np.uint8))),
        "a drawn card may be sampled only while the opponent decides about one",
    ),
    "the seed not looked at": (
        changed("sample_hands", lambda belief, _, count, __: UniformBelief.sample_hands(belief, count, 5)),
        "another seed has to give other hands",
    ),
    "one hand again and again": (
        changed("sample_hands", all_the_same),
        "sampled hands have to hold each type as often as its probability says",
    ),
    "a source of its own": (NoSeed, "the same seed has to give the same hands"),
    "no two alike": (Unlike, "the same updates have to give the same belief"),
    "worn out by reading": (WearsOut, "the same updates have to give the same belief, however often it was read"),
    "changed by reading": (ChangesWhenRead, "reading a belief has to leave it as it was"),
    "in need of events": (NeedsEvents, "observations alone have to give the same belief as the events with them"),
    "a card mislaid": (
        in_worlds(lambda _, worlds: worlds["draw_size"].__isub__(1)),
        "of a world, sampled, have to add up to the deck type by type",
    ),
    "another colour": (
        in_worlds(lambda _, worlds: worlds["colour"].__ixor__(1)),
        "a sampled world has to look like what the seat sees",
    ),
    "a mask forgotten": (
        in_worlds(lambda belief, worlds: worlds["hand_mask"][:, 1 - belief.observation.seat].fill(0)),
        "masks and sizes of a world, sampled, have to say the same as its hands",
    ),
    "the top card buried": (in_worlds(bury_the_top), "the played pile has to end with its top card"),
    "no age": (in_diagnostics(age=0), "the age has to be 1 actions, not 0"),
    "no name": (in_diagnostics(kind=""), "diagnostics have to name the kind of belief"),
    "no size": (in_diagnostics(size=0), "diagnostics have to count a support and a size of at least 1"),
    "a boast": (in_diagnostics(ess=1e9), "the effective sample size has to lie between 1 and the size of"),
}
"""Beliefs with one thing wrong, and the law that each breaks."""
