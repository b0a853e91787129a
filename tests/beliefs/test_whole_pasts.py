"""Whole pasts of the opponent tell the game that was seen; how likely each is, tests of OpenSpiel say."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.games import Seen, follow, mini_rules, random_game, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named
from uno_pomdp.beliefs.whole_pasts import PastBelief, Stretch, fill
from uno_pomdp.cards import Cards
from uno_pomdp.game.events import Drew, Event, Played, Shown, Swapped


def followed(seen: Seen) -> PastBelief:
    """Return the belief at the end of a game."""
    belief = PastBelief(seen.rules, seen.first)
    for _ in follow(belief, seen):
        pass
    return belief


def hand_after(belief: PastBelief, events: list[Event], seed: int) -> Cards:
    """Return the opponent's hand after a past was played through, each step of which has to be possible."""
    seat, past = belief.observation.seat, belief.sample_past(seed)
    hand, drawn = Counter(past.dealt), iter(past.drawn)
    for event in events:
        if isinstance(event, Swapped):
            assert Cards.of(hand.elements()) == event.hands[seat]
            hand = Counter(event.hands[1 - seat])
        elif isinstance(event, Shown) and event.seat != seat:
            assert Cards.of(hand.elements()) == event.hand
        elif isinstance(event, Drew) and event.seat != seat:
            cards = next(drawn)
            assert len(cards) == event.count
            hand.update(cards)
        elif isinstance(event, Played) and event.seat != seat:
            card = event.action.card
            assert card is not None
            assert hand[card] > 0
            hand[card] -= 1
    assert next(drawn, None) is None
    return Cards.of(hand.elements())


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_a_past_leads_through_the_game_to_a_hand_that_the_belief_holds_possible(variant: dict[str, str]) -> None:
    for seed in range(8):
        for seen in random_game(whole_mini_rules(seed, variant), seed):
            belief = followed(seen)
            events = [event for moment in seen.moments for event in moment.events]
            for sample in range(4):
                hand = hand_after(belief, events, sample)
                assert len(hand) == belief.observation.opponent_size
                if belief.observation.outcome is None:
                    assert belief.hand_probability(hand) > 0.0


def test_the_same_seed_gives_the_same_past() -> None:
    belief = followed(random_game(whole_mini_rules(3, PAIRS_OF_VALUES[0]), 3)[0])
    assert belief.sample_past(5) == belief.sample_past(5)
    assert len({belief.sample_past(seed) for seed in range(20)}) > 1


def test_pasts_that_end_with_a_known_hand_are_those_of_all_pasts_that_do() -> None:
    """Against pasts that were drawn without knowing the hand, of which those that end with it are kept.

    χ² of two samples; fails in one run of 1,000 if all is right.
    """
    compared = 0
    for seed in (*range(70, 100), *range(180, 195)):
        seen = random_game(mini_rules(seed, VARIANTS[seed % len(VARIANTS)], most_unseen=9), seed, at_most=12)[0]
        belief = followed(seen)
        hand = seen.moments[-1].hidden
        if belief.pending or belief.stretches or len(belief._now[1]) < 2:
            continue
        histories = belief.sample_histories(6000, seed)
        ends = histories.hands_at(len(belief.steps)) == hand.array()
        free = Counter(map(bytes, histories.cards[ends.all(axis=1)]))
        if len(free) < 3 or free.total() < 200:
            continue
        stretch = Stretch(belief._dealt, belief.steps, belief._now, hand)
        chance = np.random.default_rng(seed)
        known = Counter(fill(stretch, chance)[1].tobytes() for _ in range(1500))
        outcomes = sorted({*free, *known}, key=lambda slots: -free[slots] - known[slots])
        table = np.array([[sample[slots] for slots in outcomes] for sample in (free, known)])
        rare = table.sum(axis=0) < 10
        table = np.column_stack((table[:, ~rare], table[:, rare].sum(axis=1)))
        table = table[:, table.sum(axis=0) > 0]
        compared += 1
        assert stats.chi2_contingency(table).pvalue > 1e-3 / 45, seed
    assert compared > 2
