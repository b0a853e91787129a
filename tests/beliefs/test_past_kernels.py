"""Moves of hidden pasts leave the posterior as it is: long chains against every past there is, one by one."""

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from tests.beliefs.games import follow, random_game, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.hidden_past import BAR, CHOICE, PLAY, SEEN, TAKE, HiddenPast
from uno_pomdp.beliefs.particle_filter import ParticleBelief, prior_of_noise
from uno_pomdp.beliefs.past_kernels import LEAST, NOISES, propose
from uno_pomdp.beliefs.past_models import AskedPasts, Chains, KernelPasts, PastModel, Pasts, Softening
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.game.layout import MAY_CHALLENGE, NO_CARD
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.kernels import LEAST_DARING, RANDOM, policy_named
from uno_pomdp.policies.model_kernels import legal_rows
from uno_pomdp.policies.opponent_models import NoMemories, PolicyModel

DARING = 1 << 62 | 0xF << 56
"""A challenge, and a wild +4 in any colour."""
Key = tuple[int, ...]
"""The types of the slots, sorted where they were filled at once, and the noise level."""


def obvious(past: HiddenPast, cards: Key, model: PolicyModel, noise: float, soft: Softening | None) -> float:
    """Return γ of a past, from the words of its definition; 0 if it does not fit."""
    hand, total = past.known.astype(int), 1.0
    for number, step in enumerate(past.steps):
        softened = soft is not None and number >= soft.first
        cost = float(np.exp(-soft.penalty)) if soft is not None else 0.0
        kind, card, slot = int(step["kind"]), int(step["card"]), int(step["slot"])
        if kind == TAKE:
            total *= max(int(past.unseen[number, cards[slot]]) - hand[cards[slot]], 0)
            total *= int(step["types"]) >> cards[slot] & 1
            hand[cards[slot]] += 1
        elif kind == SEEN:
            total *= max(int(past.unseen[number, card]) - hand[card], 0)
        elif kind == BAR:
            barred = sum(int(hand[held]) for held in range(CARD_TYPES) if int(step["types"]) >> held & 1)
            total *= cost**barred if softened else barred == 0
        elif kind == PLAY:
            total *= hand[card] > 0 and (slot < 0 or cards[slot] == card)
            hand[card] -= 1
        elif kind == CHOICE and total:
            drawn = NO_CARD if slot < 0 else cards[slot]
            chance = likelihood(past, step, hand, drawn, model, noise)
            total *= max(chance, cost) if softened else chance
        if not total:
            return 0.0
    return total


def likelihood(
    past: HiddenPast, step: np.void, hand: "np.ndarray[tuple[int], np.dtype[np.int64]]", drawn: int,
    model: PolicyModel, noise: float,
) -> float:  # fmt: skip
    """Return the probability of a choice with noise, no less than the least; 0 if it is not legal."""
    seen, rows = past.seen[int(step["place"])][None], hand.astype(np.uint8)[None]
    legal, action = np.zeros(1, np.uint64), int(step["action"])
    legal_rows(seen, rows, np.array([drawn], np.uint8), legal)
    if not int(legal[0]) >> action & 1:
        return 0.0
    chance = float(np.exp(model.log_probabilities(seen, rows, np.array([drawn], np.uint8), action)[0]))
    share = 1.0 / int(legal[0]).bit_count()
    dares = int(legal[0]) & DARING
    holds = rows[0] @ (np.arange(CARD_TYPES) // 13 == seen["colour"][0]) > 0
    if int(seen["variant"][0]) & MAY_CHALLENGE and dares and model.policy != RANDOM and (int(legal[0]) >> 62 or holds):
        logs = [
            model.log_probabilities(seen, rows, np.array([drawn], np.uint8), act)[0]
            for act in range(63)
            if dares >> act & 1
        ]
        rate = min(max(float(np.exp(logs).sum()), LEAST_DARING), 1.0 - LEAST_DARING)
        share = (
            rate / dares.bit_count() if dares >> action & 1 else (1.0 - rate) / (int(legal[0]) & ~DARING).bit_count()
        )
    return max((1.0 - noise) * chance + noise * share, LEAST)


def key_of(past: HiddenPast, cards: Sequence[int], level: int) -> Key:
    """Return what tells a past from others: in which order cards came that were taken at once is nothing."""
    taken = np.flatnonzero(past.steps["kind"] == TAKE).tolist()
    blocks = np.cumsum([0, *(later != before + 1 for before, later in itertools.pairwise(taken))])
    return (*(card for _, card in sorted(zip(blocks.tolist(), cards, strict=True))), level)


def law(past: HiddenPast, model: PolicyModel, doubts: Floats, soft: Softening | None) -> dict[Key, float]:
    """Return the probability of every past."""
    types = np.flatnonzero(past.unseen.max(axis=0)).tolist()
    found: dict[Key, float] = {}
    for cards in itertools.product(types, repeat=past.slots):
        for level, noise in enumerate(NOISES.tolist()):
            share = obvious(past, cards, model, noise, soft) * float(np.exp(doubts[level]))
            if share:
                key = key_of(past, cards, level)
                found[key] = found.get(key, 0.0) + share
    whole = sum(found.values())
    return {key: share / whole for key, share in found.items()}


def pasts_of(model: PolicyModel, count: int) -> list[tuple[HiddenPast, Pasts]]:
    """Return pasts of mini games that are few enough to be enumerated, with some that fit, under many rules."""
    found = []
    for number, variant in enumerate(itertools.cycle(PAIRS_OF_VALUES)):
        for seen in random_game(whole_mini_rules(number, variant), number, at_most=12):
            belief, best = ParticleBelief(seen.rules, seen.first, model, 60, seed=number), None
            for _ in follow(belief, seen):
                particles = belief._state.particles
                types = len(np.flatnonzero(particles.past.unseen.max(axis=0)))
                if not particles.waiting and particles.past.slots >= 2 and types**particles.past.slots <= 3_000:
                    best = particles
            if best is not None and len(best.past.seen):
                alive = best.of(np.flatnonzero(np.isfinite(best.log_weights))[:1])
                found.append((best.past, alive.pasts))
        if len(found) >= count:
            return found[:count]
    raise AssertionError("the cycle of variants has no end")


def visited(past: HiddenPast, start: Pasts, model: PastModel, doubts: Floats, soft: Softening | None) -> Counter[Key]:
    """Return how often a long chain was in each past."""
    unseen = past.unseen.max(axis=0).astype(np.float64)
    found = model.move(past, soft, start, unseen / unseen.sum(), doubts, 10, streams(7))
    return counted(past, found)


def counted(past: HiddenPast, found: Pasts) -> Counter[Key]:
    pairs = zip(found.cards.tolist(), found.levels.tolist(), strict=True)
    return Counter(key_of(past, cards, level) for cards, level in pairs)


def distance(shares: dict[Key, float], counts: Counter[Key]) -> float:
    total = counts.total()
    assert set(counts) <= set(shares), "a chain came to a past that does not fit"
    return sum(abs(share - counts[key] / total) for key, share in shares.items()) / 2


@pytest.mark.parametrize("policy", ["greedy", "heuristic", "random", "heuristic:noise=0.1"])
def test_long_chains_visit_every_past_in_proportion_to_its_likelihood(policy: str) -> None:
    """Total variation of 20,000 states of one chain to the law of all pasts, under all rules; and softened."""
    model, doubts = PolicyModel(policy_named(policy)), prior_of_noise(0.3)
    moved = KernelPasts(model.policy)
    moved.chains = Chains(20_000, 10)
    gaps = []
    for past, start in pasts_of(model, 24):
        for soft in (None, Softening(max(len(past) - 4, 0), 1.5)):
            shares = law(past, model, doubts, soft)
            expected = 0.4 * sum((share / 20_000) ** 0.5 for share in shares.values())  # of independent draws
            gaps.append(distance(shares, visited(past, start, moved, doubts, soft)) - 2.5 * expected)
    assert max(gaps) < 0.03
    assert np.mean(gaps) < 0.005


def test_only_what_a_move_back_would_find_again_is_proposed() -> None:
    """Slots are found among those of types that are held: of two cards of a type, one was played."""
    row, free = np.array([0, 0, 1, 2], np.uint8), np.arange(4)
    copies = np.bincount(row, minlength=CARD_TYPES)
    hand = copies.astype(np.uint8)
    hand[0] -= 1
    wanted = np.zeros(CARD_TYPES)
    wanted[:4] = 0.25
    slots, cards, stream = np.zeros(3, np.int64), np.zeros(3, np.int64), streams(5)[0]
    numbers: Counter[int] = Counter()
    for _ in range(3_000):
        number, ratio = propose(
            row, free, 1, hand, np.uint64(0b111), copies, wanted, np.cumsum(wanted), stream, slots, cards
        )
        numbers[number] += 1
        after = hand.astype(int)
        for slot, card in zip(slots[:number], cards[:number], strict=True):
            after[row[slot]] -= 1
            after[card] += 1
        assert (after[cards[:number]] > 0).all()
        assert np.isfinite(ratio)
        assert (hand.sum(), copies.sum()) == (3, 4)  # as they were
    assert min(numbers[number] for number in range(3)) > 100


def test_pasts_are_moved_alike_by_a_model_that_is_asked() -> None:
    """As many chains as states; each begins at the same past and makes some moves."""
    model, doubts = PolicyModel(policy_named("greedy")), prior_of_noise(0.0)
    gaps = []
    for past, start in pasts_of(model, 8):
        asked = AskedPasts(lambda _: NoMemories(model), 0, remembers=False)
        many = Pasts(*(np.repeat(part, 3_000, axis=0) for part in (start.cards, start.hands, 0 * start.levels)))  # type: ignore[arg-type]
        for _ in range(12):
            many = asked.move(past, None, many, np.full(CARD_TYPES, 1 / CARD_TYPES), doubts, 3, streams(3))
        gaps.append(distance(law(past, model, doubts, None), counted(past, many)))
    assert np.mean(gaps) < 0.12


def test_hands_are_those_that_the_slots_and_the_plays_leave() -> None:
    model = PolicyModel(policy_named("heuristic"))
    moved = KernelPasts(model.policy)
    for past, start in pasts_of(model, 10):
        found = moved.move(past, None, start, np.full(CARD_TYPES, 1 / CARD_TYPES), prior_of_noise(0.1), 4, streams(1))
        for cards, hand in zip(found.cards, found.hands, strict=True):
            counts = past.known.astype(int) + np.bincount(cards, minlength=CARD_TYPES)
            played = past.steps["card"][past.steps["kind"] == PLAY]
            assert (counts - np.bincount(played, minlength=CARD_TYPES) == hand).all()


def test_the_same_stream_gives_the_same_chains() -> None:
    model = PolicyModel(policy_named("heuristic"))
    past, start = pasts_of(model, 1)[0]
    wanted, doubts = np.full(CARD_TYPES, 1 / CARD_TYPES), prior_of_noise(0.1)
    one, two = (KernelPasts(model.policy).move(past, None, start, wanted, doubts, 4, streams(1)) for _ in range(2))
    assert one.cards.tobytes() == two.cards.tobytes()
