"""The stages of the filter whose errors look like noise: fresh histories, resampling, what descends from what."""

from collections.abc import Callable
from fractions import Fraction
from math import log

import numpy as np
import pytest

from tests.beliefs.exact_oracle import advance, greedy, posterior, worlds_at_deal
from tests.beliefs.games import follow, random_game
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import filter_kernels, filter_stages
from uno_pomdp.beliefs.filter_stages import Choice, Particles
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.slot_histories import NEVER, SlotHistories
from uno_pomdp.cards import CARD_TYPES, Cards, parse_card
from uno_pomdp.game.layout import DRAW, KEEP, NO_CARD, OBSERVATION, Observations
from uno_pomdp.game.rng import streams
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import Memories, MemorylessModel, NoMemories, PolicyModel
from uno_pomdp.rules import Rules, preset

R1, Y6, G7 = (parse_card(text) for text in ("R1", "Y6", "G7"))
SEEN = np.zeros(1, OBSERVATION)


class AnyCard(MemorylessModel):
    """Plays any card of the hand, each copy as likely as the next."""

    name = "any card"

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return the log of the copies held over all cards."""
        del seen, drawn
        return np.asarray(np.log(hands[:, action] / hands.sum(axis=1)))


class Scribe(MemorylessModel):
    """Says that all is equally likely, and notes what it was asked."""

    name = "scribe"

    def __init__(self) -> None:
        self.hands: list[list[str]] = []
        self.drawn: list[list[int]] = []

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return ln ½ for each hand."""
        del seen, action
        self.hands.append([str(Cards(row.tobytes())) for row in hands])
        self.drawn.append(drawn.tolist())
        return np.full(len(hands), log(0.5))


def begin(model: MemorylessModel) -> Callable[[Rows], Memories]:
    """Return what a rejuvenation begins with: nothing that is remembered."""
    return lambda _: NoMemories(model)


def histories_of(dealt: int, steps: list[tuple[int, int]], *slots: str) -> SlotHistories:
    """Return histories from the cards of their slots, and by step the type played (−1: none) and slots opened."""
    cards = np.array([[parse_card(text) for text in row.split()] for row in slots], np.uint8)
    birth = np.repeat(np.arange(-1, len(steps)), [dealt, *(opened for _, opened in steps)])
    death = np.full(cards.shape, NEVER, np.int16)
    return SlotHistories(cards, death, birth, np.array([played for played, _ in steps]))


def played(card: int, step: int, just_drawn: bool = False) -> Choice:
    return Choice(SEEN, card, step, just_drawn)


# --- fresh histories -------------------------------------------------------------------------------------


def test_one_who_plays_any_of_his_cards_makes_all_histories_equally_likely() -> None:
    """The closed form has counted every copy already: π = copies / cards, over copies, is the same for every hand."""
    steps = [(R1, 0), (-1, 1), (R1, 0)]
    pasts = histories_of(3, steps, "R1 R1 Y6 G7", "R1 Y6 Y6 R1", "R1 R1 R1 Y6", "R1 R1 R1 R1")
    found = filter_stages.rejuvenate(pasts, 3, [played(R1, 0), played(R1, 2)], begin(AnyCard()))
    np.testing.assert_allclose(np.exp(found.log_weights), [float(Fraction(1, 3) * Fraction(1, 3))] * 4)
    assert [str(Cards(row.tobytes())) for row in found.hands] == ["Y6 G7", "Y6 Y6", "R1 Y6", "R1 R1"]


def test_the_copies_that_share_a_play_are_those_held_then() -> None:
    """In fractions: log w = Σ log π − log (copies held then); the second play has one copy less, or one drawn since."""
    steps = [(R1, 0), (-1, 1), (R1, 0)]
    pasts = histories_of(3, steps, "R1 R1 Y6 G7", "R1 Y6 Y6 R1", "R1 R1 R1 Y6", "R1 R1 R1 R1")
    found = filter_stages.rejuvenate(pasts, 3, [played(R1, 0), played(R1, 2)], begin(Scribe()))
    copies = [(2, 1), (1, 1), (3, 2), (3, 3)]
    expected = [float(Fraction(1, 4) / (first * second)) for first, second in copies]
    np.testing.assert_allclose(np.exp(found.log_weights), expected, rtol=1e-12)


def test_a_draw_a_kept_card_and_one_played_at_once_are_shared_by_no_copies() -> None:
    """What was drawn a moment ago is one card: whatever else is held, there was one way to play or keep it."""
    steps = [(-1, 1), (-1, 0), (-1, 1)]
    pasts = histories_of(2, steps, "R1 R1 R1 G7", "R1 Y6 G7 R1")
    asked = Scribe()
    choices = [Choice(SEEN, KEEP, 0, True), played(R1, 1, just_drawn=True), Choice(SEEN, DRAW, 2, False)]
    found = filter_stages.rejuvenate(pasts, 3, choices, begin(asked))
    np.testing.assert_allclose(np.exp(found.log_weights), [0.125, 0.125])
    assert asked.hands == [["R1 R1 R1", "R1 Y6 G7"], ["R1 R1 R1 R1", "R1 R1 Y6 G7"], ["R1 R1 R1", "R1 Y6 G7"]]
    assert asked.drawn == [[R1, G7], [R1, R1], [NO_CARD, NO_CARD]]
    assert [str(Cards(row.tobytes())) for row in found.hands] == ["R1 R1 R1 G7", "R1 R1 Y6 G7"]


def test_with_three_copies_of_each_card_fresh_histories_weigh_hands_as_enumeration_does() -> None:
    """Total variation of whole hands, over the actions of some games; without the copies it is ten times as large."""
    rules = Rules(deck=Cards.parse("R1 R1 R1 R2 R2 R2 Y1 Y1 Y1"), hand_size=2)
    gaps = []
    for seed in range(3):
        seen = random_game(rules, seed, at_most=5)[0]
        worlds = worlds_at_deal(rules, seen.first)
        belief = ParticleBelief(rules, seen.first, PolicyModel(GREEDY), 10, seed=seed)
        for moment in seen.moments:
            worlds = advance(worlds, moment, greedy)
            belief.update(moment.events, moment.observation)
            if not worlds or belief._closed.deciding or not belief._record:
                continue
            fresh = filter_stages.rejuvenate(
                belief._closed.sample_histories(20_000, 1),
                len(belief._closed.steps),
                belief._record,
                begin(PolicyModel(GREEDY)),
            )
            weights = filter_stages.normalise(fresh)
            exact = posterior(worlds, seen.first.seat)
            found: dict[bytes, float] = {}
            for row, weight in zip(fresh.hands, weights.tolist(), strict=True):
                found[row.tobytes()] = found.get(row.tobytes(), 0.0) + weight
            truth = {row: float(exact.get((tuple(Cards(row)), None), 0)) for row in found}
            missed = 1.0 - sum(truth.values())
            gaps.append((sum(abs(found[row] - truth[row]) for row in found) + missed) / 2)
    assert len(gaps) > 4
    assert float(np.mean(gaps)) < 0.012


# --- resampling ------------------------------------------------------------------------------------------


def family() -> Particles:
    """Return five hands that descend from three independent draws."""
    hands = np.zeros((5, CARD_TYPES), np.uint8)
    hands[np.arange(5), [0, 1, 2, 3, 4]] = 1
    return Particles(hands, np.full(5, NO_CARD, np.uint8), np.zeros(5), np.array([7, 7, 2, 2, 11]))


def test_a_resampled_particle_keeps_its_hand_its_card_and_its_origin() -> None:
    before = family()
    weights = np.array([0.3, 0.05, 0.05, 0.2, 0.4])
    for seed in range(20):
        after = filter_stages.resample(before, weights, 12, streams(seed))
        assert after.origin.tolist() == [before.origin[row.argmax()] for row in after.hands]
        assert filter_stages.effective_origins(after, filter_stages.normalise(after)) <= 3.0
        assert filter_stages.effective(filter_stages.normalise(after)) == pytest.approx(12.0)


def test_a_systematic_sample_takes_equal_steps_from_a_random_offset() -> None:
    """Place k of the sample is where the summed weights pass (k + u) / n, u uniform over [0, 1)."""
    weights = np.array([0.1, 0.0, 0.25, 0.4, 0.25])
    edges = np.cumsum(weights)
    firsts = []
    for seed in range(400):
        chosen = np.empty(3, np.int64)
        filter_kernels.systematic(weights, streams(seed), chosen)
        u = (int(streams(seed)["state"][0]) + 0x9E3779B97F4A7C15) % 2**64
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            u = (u ^ u >> shift) * factor % 2**64
        offset = ((u ^ u >> 31) >> 11) / 2**53
        assert chosen.tolist() == np.searchsorted(edges, (np.arange(3) + offset) / 3, side="right").tolist()
        firsts.append(int(chosen[0]))
    assert firsts.count(0) / 400 == pytest.approx(0.3, abs=0.1)  # 0.1 · 3, within four standard errors


def test_between_fresh_draws_origins_only_die_out() -> None:
    """Resampling copies and never makes an independent hand: their effective number is bounded by those left."""
    resampled = 0
    for seed in range(6):
        seen = random_game(preset("house"), seed)[0]
        belief = ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 200, seed=seed)
        before = belief._state
        for _ in follow(belief, seen):
            now = belief._state
            if now.rejuvenations == before.rejuvenations and now.particles is not before.particles:
                old, new = set(before.particles.origin.tolist()), set(now.particles.origin.tolist())
                assert new <= old
                assert now.origins <= len(new) + 1e-9
                resampled += len(now.particles.origin) != len(new)
            before = now
    assert resampled > 5
