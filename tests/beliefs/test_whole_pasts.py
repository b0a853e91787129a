"""Whole pasts of the opponent tell the game that was seen; how likely each is, tests of OpenSpiel say."""

from collections import Counter

import pytest

from tests.beliefs.games import Seen, follow, random_game, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES, named
from uno_pomdp.beliefs.whole_pasts import PastBelief
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
