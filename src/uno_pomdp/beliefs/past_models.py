"""How hidden pasts are weighed and moved under a model of the opponent: in kernels, or by asking any model in batches.

Three things are asked of a model: how likely the last choice is with each hand of now (`look`), how likely all choices
are along whole pasts from the closed form (`weigh`), and other pasts, reached by steps that leave the posterior as it
is (`move`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Int32s, Ints
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.beliefs.filter_kernels import write_draws
from uno_pomdp.beliefs.hidden_past import CHOICE, PLAY, TAKE, TELL, HiddenPast
from uno_pomdp.beliefs.past_kernels import LEAST, NO_POLICY, NOISES, Slots, look_all, move_all, weigh_pasts
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import NO_CARD
from uno_pomdp.game.rng import Streams, advance
from uno_pomdp.policies.kernels import WEIGHTS, Policy, Weights
from uno_pomdp.policies.model_kernels import legal_rows
from uno_pomdp.policies.opponent_models import UNTOLD, Memories

Begin = Callable[[Hands], Memories]
"""Returns what the opponent's model remembers at the deal, with each of these hands."""


class Pasts(NamedTuple):
    """Many hidden pasts."""

    cards: Slots
    """For each the types of its slots."""
    hands: Hands
    """For each the hand of now."""
    levels: Ints
    """For each the noise level (see `NOISES`)."""
    memories: Memories | None = None
    """What the opponent's model remembers in each; None where it remembers nothing."""


class Softening(NamedTuple):
    """What the last steps cost where they are violated."""

    first: int
    """The first of these steps."""
    penalty: float
    """The cost of a violation; no choice costs more either."""


class Chains(NamedTuple):
    """How pasts are moved: from each ancestor so many states, with so many moves between."""

    length: int
    """States that are kept of each chain."""
    moves: int
    """Moves between two of them in ordinary times."""


class PastModel(ABC):
    """Weighs hidden pasts and moves them."""

    remembers = False
    """Whether the model has a memory, so that it has to be told of everything at once."""
    chains: Chains
    """How pasts are moved."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @abstractmethod
    def look(self, past: HiddenPast, first: int, pasts: Pasts) -> tuple[Floats, Ints]:
        """Return for each hand of now the term of a choice among the steps from the first on, and its violations.

        A violation is a barred card that is held, or a choice that is not legal.
        """

    @abstractmethod
    def weigh(self, past: HiddenPast, cards: Slots, levels: Ints) -> tuple[Pasts, Floats]:
        """Return pasts drawn from the closed form, and the logarithms of their weights."""

    @abstractmethod
    def move(
        self,
        past: HiddenPast,
        soft: Softening | None,
        ancestors: Pasts,
        wanted: Floats,
        doubts: Floats,
        moves: int,
        random: Streams,
    ) -> Pasts:
        """Return the states of chains that begin at these ancestors; see `past_kernels.move_all`."""


class KernelPasts(PastModel):
    """A scripted policy, or none."""

    chains = Chains(20, 16)
    taken = 7
    """So many of the moves between two states should be taken; a tenth of the chains says how many that needs."""

    def __init__(self, policy: Policy = NO_POLICY, weights: Weights = WEIGHTS) -> None:
        self._policy: Final = policy
        self._weights: Final = weights

    def look(self, past: HiddenPast, first: int, pasts: Pasts) -> tuple[Floats, Ints]:
        """Return for each hand the term of a choice among the steps from the first on, and its violations."""
        terms, violations = np.empty(len(pasts.cards)), np.empty(len(pasts.cards), np.int64)
        steps, noises = past.steps[first:], NOISES[pasts.levels]
        look_all(
            self._policy, self._weights, steps, past.seen, pasts.cards, pasts.hands, noises, terms, violations
        )  # fmt: skip
        return terms, violations

    def weigh(self, past: HiddenPast, cards: Slots, levels: Ints) -> tuple[Pasts, Floats]:
        """Return pasts drawn from the closed form, and the logarithms of their weights."""
        hands, weights = np.empty((len(cards), CARD_TYPES), np.uint8), np.empty(len(cards))
        weigh_pasts(
            self._policy, self._weights, past.known, past.steps, past.seen, cards, NOISES[levels], hands, weights
        )
        return Pasts(cards, hands, levels), weights

    def move(
        self,
        past: HiddenPast,
        soft: Softening | None,
        ancestors: Pasts,
        wanted: Floats,
        doubts: Floats,
        moves: int,
        random: Streams,
    ) -> Pasts:
        """Return the states of chains that begin at these ancestors."""
        length = self.chains.length
        count, slots = len(ancestors.cards) * length, ancestors.cards.shape[1]
        free = past.free[past.free < slots]
        cards, hands = np.empty((count, slots), np.uint8), np.empty((count, CARD_TYPES), np.uint8)
        levels = np.empty(count, np.int64)
        first, penalty = soft or Softening(len(past), 0.0)

        def move(begin: int, end: int, moves: int) -> int:
            some, states = slice(begin, end), slice(begin * length, end * length)
            return move_all(
                self._policy, self._weights, past.known, past.steps, past.unseen, past.seen, free, first, penalty,
                wanted, doubts, ancestors.cards[some], ancestors.levels[some], length, moves, random, cards[states],
                hands[states], levels[states],
            )  # fmt: skip

        tried = 0 if soft is not None else len(ancestors.cards) // 10
        if tried:
            taken = move(0, tried, moves) / (tried * length)
            moves = min(max(round(moves * self.taken / max(taken, 1e-9)), moves // 2), 2 * moves)
        move(tried, len(ancestors.cards), moves)
        return Pasts(cards, hands, levels)


class AskedPasts(PastModel):
    """Any model, asked in batches: each particle is an ancestor, and each move leads the model along the whole past."""

    chains = Chains(1, 4)
    wander = 2
    """Steps in the space of all pasts that fit, before the model is asked about the one reached."""

    def __init__(self, begin: Begin, dealt: int, remembers: bool) -> None:
        self._begin = begin
        self._dealt = dealt
        self.remembers = remembers

    def look(self, past: HiddenPast, first: int, pasts: Pasts) -> tuple[Floats, Ints]:
        """Return for each hand the term of a choice among the steps from the first on, and its violations."""
        terms, violations = np.empty(len(pasts.cards)), np.empty(len(pasts.cards), np.int64)
        steps = past.steps[first:]
        barred = steps[steps["kind"] != CHOICE]
        noises = NOISES[pasts.levels]
        look_all(NO_POLICY, WEIGHTS, barred, past.seen, pasts.cards, pasts.hands, noises, terms, violations)
        for step in steps[steps["kind"] == CHOICE]:
            memories = self._begin(pasts.hands) if pasts.memories is None else pasts.memories
            everywhere = np.ones(len(pasts.cards), np.bool_)
            terms, wrong = self._choice(past, step, pasts.cards, pasts.hands, noises, memories, everywhere)
            violations += wrong
        return terms, violations

    def _choice(
        self,
        past: HiddenPast,
        step: np.void,
        cards: Slots,
        hands: Hands,
        noises: Floats,
        memories: Memories,
        alive: npt.NDArray[np.bool_],
    ) -> tuple[Floats, Ints]:
        """Return the term of a choice in each past, 0 where it is not legal, and whether it is not.

        Nothing is asked about a past that is not alive.
        """
        terms, wrong = np.zeros(len(cards)), np.ones(len(cards), np.int64)
        card, slot, action = int(step["card"]), int(step["slot"]), int(step["action"])
        seen = past.seen[int(step["place"])][None]
        drawn = np.full(len(cards), NO_CARD, np.uint8) if slot < 0 else np.ascontiguousarray(cards[:, slot])
        legal = np.zeros(len(cards), np.uint64)
        legal_rows(seen, hands, drawn, legal)
        able = np.flatnonzero((legal >> np.uint64(action) & np.uint64(1)).astype(np.bool_) & alive)
        if card != NO_CARD:
            able = able[hands[able, card] > 0]
        if len(able):
            share = 1.0 / np.bitwise_count(legal[able])
            logs = memories.of(able).log_probabilities(seen, hands[able], drawn[able], action)
            terms[able] = np.log(np.maximum((1.0 - noises[able]) * np.exp(logs) + noises[able] * share, LEAST))
            wrong[able] = 0
        return terms, wrong

    def weigh(self, past: HiddenPast, cards: Slots, levels: Ints) -> tuple[Pasts, Floats]:
        """Return pasts drawn from the closed form, and the logarithms of their weights."""
        return self._led(past, cards, levels, None, shared=True)

    def _led(
        self, past: HiddenPast, cards: Slots, levels: Ints, soft: Softening | None, shared: bool = False
    ) -> tuple[Pasts, Floats]:
        """Lead the model along whole pasts; return these, and Σ log π, less Σ log (copies held) if plays are shared."""
        hands, noises = np.tile(past.known, (len(cards), 1)), NOISES[levels]
        rows, total = np.arange(len(cards)), np.zeros(len(cards))
        memories: Memories | None = None
        for number, step in enumerate(past.steps):
            if memories is None and number >= self._dealt:
                memories = self._begin(hands)
            kind, slot, card = int(step["kind"]), int(step["slot"]), int(step["card"])
            if kind == TAKE and slot < cards.shape[1]:
                hands[rows, cards[:, slot]] += 1
            elif kind == PLAY:
                if slot < 0 and shared:
                    total -= np.log(hands[:, card])
                hands[:, card] -= 1
            elif kind == TELL and memories is not None:
                memories = memories.told(tokens_of(step, cards, total == -np.inf))
            elif kind == CHOICE:
                assert memories is not None, "nobody chooses before the deal is over"
                terms, wrong = self._choice(past, step, cards, hands, noises, memories, total > -np.inf)
                if soft is not None and number >= soft.first:
                    terms = np.where(wrong > 0, -soft.penalty, np.maximum(terms, -soft.penalty))
                else:
                    terms = np.where(wrong > 0, -np.inf, terms)
                total += terms
        if memories is None:
            memories = self._begin(hands)
        return Pasts(cards, hands, levels, memories if self.remembers else None), total

    def move(
        self,
        past: HiddenPast,
        soft: Softening | None,
        ancestors: Pasts,
        wanted: Floats,
        doubts: Floats,
        moves: int,
        random: Streams,
    ) -> Pasts:
        """Return the ancestors after so many moves each: a walk among pasts that fit, taken if the model likes it.

        A walk of Metropolis' steps in the space of all pasts that fit is reversible under their law without choices;
        so it is taken with probability min(1, Π π(a | h') / Π π(a | h)).
        """
        now, likely = self._led(past, ancestors.cards, ancestors.levels, soft)
        free_of_choice = past.steps["kind"] != CHOICE
        steps, unseen = past.steps[free_of_choice], past.unseen[np.append(free_of_choice, True)]
        soft_steps = len(steps) if soft is None else int(free_of_choice[: soft.first].sum())
        count, slots = now.cards.shape
        free = past.free[past.free < slots]
        none = np.zeros(len(NOISES))
        for _ in range(moves):
            cards, hands, levels = np.empty_like(now.cards), np.empty_like(now.hands), np.empty(count, np.int64)
            move_all(
                NO_POLICY, WEIGHTS, past.known, steps, unseen, past.seen, free, soft_steps,
                0.0 if soft is None else soft.penalty, wanted, none, now.cards, now.levels, 1, self.wander, random,
                cards, hands, levels,
            )  # fmt: skip
            chance = np.random.default_rng(int(random["state"][0]))
            random["state"] = advance(random["state"][0])
            levels = np.where(chance.random(count) < 0.5, now.levels, chance.integers(len(NOISES), size=count))
            levels = np.where(np.isfinite(doubts[levels]), levels, now.levels)
            then, likely_then = self._led(past, cards, levels, soft)
            ratio = likely_then - likely + doubts[levels] - doubts[now.levels]
            taken = np.log(chance.random(count)) < ratio
            now = chosen(taken, then, now)
            likely = np.where(taken, likely_then, likely)
        return now


def chosen(taken: npt.NDArray[np.bool_], one: Pasts, other: Pasts) -> Pasts:
    """Return some pasts of one kind, and at the other places those of the other."""
    memories = None
    if one.memories is not None and other.memories is not None:
        rows = np.arange(len(taken))
        memories = one.memories.joined(other.memories).of(np.where(taken, rows, rows + len(taken)))
    column = taken[:, None]
    return Pasts(
        np.where(column, one.cards, other.cards),
        np.where(column, one.hands, other.hands),
        np.where(taken, one.levels, other.levels),
        memories,
    )


def tokens_of(step: np.void, cards: Slots, excluded: npt.NDArray[np.bool_]) -> Int32s:
    """Return what the opponent is told by a step in each past: nothing where it is excluded."""
    tokens = np.full(len(cards), int(step["token"]), np.int32)
    first, count = int(step["slot"]), int(step["count"])
    if count:
        drawn = np.zeros((len(cards), CARD_TYPES), np.uint8)
        np.add.at(drawn, (np.arange(len(cards))[:, None], cards[:, first : first + count]), 1)
        write_draws(np.zeros_like(drawn), drawn, np.zeros(len(cards)), tokens)
    tokens[excluded] = UNTOLD
    return tokens
