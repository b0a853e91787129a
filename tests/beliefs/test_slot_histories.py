"""Histories drawn from the closed form tell possible pasts, with the right probabilities."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.games import Seen, follow, mini_rules, random_game, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named
from uno_pomdp.beliefs.slot_histories import NEVER, RecordingBelief
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.events import Drew, Played
from uno_pomdp.rules import preset


def recorded(seen: Seen, actions: int | None = None) -> RecordingBelief:
    belief = RecordingBelief(seen.rules, seen.first)
    for _ in itertools.islice(follow(belief, seen), actions):
        pass
    return belief


@pytest.mark.parametrize("variant", [*VARIANTS[::4], *PAIRS_OF_VALUES], ids=named)
def test_a_history_never_contradicts_what_was_seen(variant: dict[str, str]) -> None:
    checked = 0
    for seed in range(12):
        rules = (mini_rules if variant in VARIANTS else whole_mini_rules)(seed, variant)
        for seen in random_game(rules, seed):
            belief = recorded(seen)
            histories = belief.sample_histories(50, seed)
            for number, step in enumerate(belief.steps):
                hands = histories.hands_at(number)
                if step.change.from_hand:
                    assert hands[:, step.change.card].all()
                    checked += 1
                barred = [card for card in range(CARD_TYPES) if int(step.change.barred) >> card & 1]
                assert not hands[:, barred].any()
            assert (histories.hands_at(len(belief.steps)).sum(axis=1) == len(hidden_now(seen))).all()
    assert checked > 10


def hidden_now(seen: Seen) -> Cards:
    """Return the opponent's hand at the end, without a card that is still being decided about."""
    last = seen.moments[-1]
    return last.hidden if last.drawn is None else last.hidden - Cards.of([last.drawn])


def test_the_hands_at_the_end_of_histories_follow_the_closed_form() -> None:
    """Expected counts, z-tested at 1e-3 over all comparisons together."""
    worst, compared = 0.0, 0
    for seed in range(30):
        for seen in random_game(mini_rules(seed, VARIANTS[seed % len(VARIANTS)]), seed):
            belief = recorded(seen)
            if belief.deciding:
                continue
            hands = belief.sample_histories(2_000, seed).hands_at(len(belief.steps))
            expected = belief.expected_counts()
            error = np.sqrt(hands.var(axis=0) / len(hands))
            uncertain = error > 0
            np.testing.assert_allclose(hands.mean(axis=0)[~uncertain], expected[~uncertain], atol=0.02)
            z = np.abs(hands.mean(axis=0) - expected)[uncertain] / error[uncertain]
            worst, compared = max(worst, z.max(initial=0.0)), compared + len(z)
    assert compared > 100
    assert 2 * stats.norm.sf(worst) * compared > 1e-3


def test_hands_held_in_the_past_follow_the_law_of_all_possible_pasts() -> None:
    """The hand before the first play of a small game, against counting all injective pasts by hand.

    Chi-square at 1e-3. The past is counted slowly: every way to put labelled cards into the slots that were
    dealt and drawn, and every slot that each played card can have come from.
    """
    tested = 0
    for seed in range(800):
        seen = random_game(mini_rules(seed, {"reshuffle": "no"}, most_unseen=7), seed, at_most=6)[0]
        events = [event for moment in seen.moments for event in moment.events]
        plays = [event for event in events if isinstance(event, Played) and event.seat != seen.first.seat]
        draws = [event for event in events if isinstance(event, Drew)]
        simple = all(event.seat != seen.first.seat for event in draws)
        if len(plays) < 2 or not draws or not simple:
            continue
        belief = recorded(seen)
        law = count_pasts(seen, belief)
        histories = belief.sample_histories(4_000, seed).hands_at(0)
        drawn = Counter(tuple(row) for row in histories.tolist())
        assert set(drawn) <= set(law)
        means = np.array([float(law[hand]) * 4_000 for hand in law])
        counts = np.array([drawn[hand] for hand in law])
        if len(law) > 1 and means.min() >= 5:
            assert stats.chi2.sf(((counts - means) ** 2 / means).sum(), len(law) - 1) > 1e-3 / 20
            tested += 1
        if tested == 8:
            break
    assert tested >= 4


def count_pasts(seen: Seen, belief: RecordingBelief) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the hand dealt, by going through every labelled hand, draw and slot."""
    unseen = list(seen.first.unseen(seen.rules))
    labels = range(len(unseen))
    law: Counter[tuple[int, ...]] = Counter()
    changes = [step.change for step in belief.steps]

    def go(held: frozenset[int], left: frozenset[int], number: int) -> int:
        if number == len(changes):
            return 1
        change = changes[number]
        if any(int(change.barred) >> unseen[label] & 1 for label in held):
            return 0
        if change.from_hand:
            return sum(go(held - {x}, left, number + 1) for x in held if unseen[x] == change.card)
        if change.card >= 0:  # played at once after it was drawn
            return sum(go(held, left - {x}, number + 1) for x in left if unseen[x] == change.card)
        ways = itertools.combinations(left, change.slots)
        return sum(go(held | set(new), left - set(new), number + 1) for new in ways)

    for hand in itertools.combinations(labels, seen.first.opponent_size):
        row = tuple(Cards.of(unseen[label] for label in hand).data)
        law[row] += go(frozenset(hand), frozenset(labels) - set(hand), 0)
    total = sum(law.values())
    return {row: Fraction(ways, total) for row, ways in law.items() if ways}


def test_histories_repeat_with_their_seed_and_name_births_and_deaths() -> None:
    belief = recorded(random_game(preset("house"), 4)[0], actions=40)
    first, again, other = (belief.sample_histories(20, seed) for seed in (1, 1, 2))
    assert first.cards.tobytes() == again.cards.tobytes()
    assert first.cards.tobytes() != other.cards.tobytes()
    plays = sum(step.change.from_hand for step in belief.steps)
    assert ((first.death != NEVER).sum(axis=1) == plays).all()
    assert (first.death > first.birth).all()


def test_what_leads_to_a_configuration_adds_up_to_its_multiplicity() -> None:
    """α of a child is the sum over its parents of α times the step's factor: slots times copies for a play.

    Exact, for every step of some games, up to one common factor (α is kept relative to the largest); a configuration
    that was dropped as negligible is nobody's parent any more.
    """
    several = 0
    for seed in range(40):
        rules = preset("house") if seed < 4 else mini_rules(seed, VARIANTS[seed % len(VARIANTS)])
        for seen in random_game(rules, seed):
            for step in recorded(seen).steps:
                first, parent, _, count, running = step.links
                sizes, alpha = step.after[:2]
                assert len(first) == len(sizes) + 1
                totals = running[first[1:] - 1]
                np.testing.assert_allclose(totals / totals.max(), alpha / alpha.max(), rtol=1e-9, atol=1e-9)
                weights = np.diff(running, prepend=0.0)
                weights[first[:-1]] = running[first[:-1]]
                if step.change.from_hand:  # a play from a group of n slots is n ways: never fewer than its slots
                    shares = weights / step.before[1][parent] / count
                    np.testing.assert_allclose(shares, np.round(shares), atol=1e-6)
                    assert (np.round(shares) >= 1).all()
                several += len(set(count.tolist())) > 1 and len(parent) > len(sizes)
    assert several > 20
