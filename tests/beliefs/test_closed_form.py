"""The closed form in kernels agrees with the exact reference, samples what it says, and never runs out of room."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.exactness import agree
from tests.beliefs.games import follow, mini_rules, random_game, whole_mini_rules
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named, start
from uno_pomdp.beliefs import closed_form
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture import mixture
from uno_pomdp.beliefs.mixture.mixture import grown, mixture_dtype, sized_mixture
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Played, Swapped
from uno_pomdp.game.layout import PLAYABLE, SEATS
from uno_pomdp.rules import Rules, preset


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_marginals_and_hands_equal_the_reference_on_mini_decks(variant: dict[str, str]) -> None:
    for seed in range(10):
        for seen in random_game(mini_rules(seed, variant), seed):
            for fast, exact, hidden in agree(seen):
                assert fast.hand_probability(hidden) == pytest.approx(exact.hand_probability(hidden), rel=1e-9)
                assert fast.hand_probability(hidden) > 0.0


@pytest.mark.parametrize("number", range(len(PAIRS_OF_VALUES)), ids=[named(variant) for variant in PAIRS_OF_VALUES])
def test_marginals_hands_and_pairs_equal_the_reference_under_every_pair_of_values(number: int) -> None:
    for seed in range(100 * number, 100 * number + 5):
        for seen in random_game(whole_mini_rules(seed, PAIRS_OF_VALUES[number]), seed):
            for fast, exact, hidden in agree(seen):
                assert fast.hand_probability(hidden) == pytest.approx(exact.hand_probability(hidden), rel=1e-9)
                assert fast.hand_probability(hidden) > 0.0
                if len(hidden) == 2:
                    np.testing.assert_allclose(fast.pair_probabilities(), exact.pair_probabilities(), atol=1e-12)


def test_a_pending_card_is_any_playable_unseen_card_and_independent_of_the_others() -> None:
    """Player 2 has drawn two cards and plays the second: R5, R6 or the wild, and what it holds else is not playable."""
    game = start("R0", "R8 G1 G2", "Y1 Y2 B2", "Y3 R5 R6 W B1", draw="until_playable")
    belief = ClosedFormBelief(game.rules, game.observation(0))
    for action in ("R8", "draw"):
        game.play(action)
        belief.update(*game.last_step(0))
    assert belief.deciding
    playable = int(PLAYABLE[0, 8])
    assert belief.nothing_playable() == belief.avoids(playable) == 0.0
    np.testing.assert_allclose(belief.probabilities()[list(Cards.parse("R5 R6 W"))], 1 / 3)
    others = Cards.parse("Y1 Y2 Y3 B1 B2")
    np.testing.assert_allclose(belief.expected_counts()[list(others)], 4 / 5)  # four of these five, all alike
    assert belief.hand_probability(Cards.parse("Y1 Y2 Y3 B2 W")) == pytest.approx(1 / 15)
    assert belief.hand_probability(Cards.parse("Y1 Y2 Y3 B1 B2")) == 0.0
    assert belief.hand_probability(Cards.parse("Y1 Y2 Y3 R5 R6")) == 0.0
    hands, drawn = belief.sample_hands(6_000, 1)
    pairs = Counter((Cards(hand.tobytes()), int(card)) for hand, card in zip(hands, drawn, strict=True))
    assert len(pairs) == 15
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-3


def test_a_shown_hand_and_a_swapped_one_are_known_and_then_forgotten_card_by_card() -> None:
    game = start("R0", "R1 Y1 Y2", "W4 Y3 G3", "B1 B2 B3 B4 B5 B6 B7", wild_four="challenge")
    belief = ClosedFormBelief(game.rules, game.observation(0))
    for action in ("R1", "W4:G", "challenge"):  # an honest one: player 1 draws six
        game.play(action)
        belief.update(*game.last_step(0))
    assert belief.hand_probability(Cards.parse("Y3 G3")) == 1.0
    assert belief.configurations()[0][0] == 1.0
    swapped = start("R0", "R7 Y1 Y2", "B1 B2 B3", "G1 G2 G3 R5 W", swap="seven_zero")
    beliefs = [ClosedFormBelief(swapped.rules, swapped.observation(seat)) for seat in SEATS]
    swapped.play("R7")
    for seat, belief in enumerate(beliefs):
        belief.update(*swapped.last_step(seat))
        assert belief.hand_probability(swapped.hand(1 - seat)) == 1.0
        assert len(belief.sample(5, seed=1)) == 5
    swapped.play("draw")  # player 2 holds Y1 Y2: neither is playable on R7, and one card comes
    beliefs[0].update(*swapped.last_step(0))
    unseen = swapped.observation(0).unseen(swapped.rules) - Cards.parse("Y1 Y2")
    for card in unseen:
        assert beliefs[0].hand_probability(Cards.parse("Y1 Y2") + Cards.of([card])) == pytest.approx(1 / len(unseen))


def test_a_hand_that_can_not_be_is_refused() -> None:
    game = start("R0", "R7 Y1 Y2", "B1 B2 B3", "G1 G2 G3 R5 W", swap="seven_zero")
    seen = game.observation(0)
    belief = ClosedFormBelief(game.rules, seen)
    with pytest.raises(ImpossibleEvent, match="no hand that fits the game so far allows it"):
        belief.update([Swapped((Cards.parse("Y1 Y1 Y1"), Cards.parse("Y1 Y2")))], seen)


@pytest.mark.parametrize("name", ["house", "pass", "printed", "stacking", "party"])
def test_marginals_equal_the_reference_on_the_full_deck(name: str) -> None:
    for seed in range(2):
        for seen in random_game(preset(name), seed, at_most=70):
            assert sum(1 for _ in agree(seen)) == len(seen.moments)


def small_deck_with_many_reshuffles() -> Rules:
    return Rules(deck=Cards.parse("R0 R1 R+2 Y2 Y3 Y+2 G4 G5 G+2 R0 Y1 G2 W W4 B6 B7 B+2"), hand_size=4)


def test_long_games_with_many_reshuffles_equal_the_reference() -> None:
    reshuffles = 0
    for seed in range(20):
        for seen in random_game(small_deck_with_many_reshuffles(), seed, at_most=80):
            reshuffles += sum(moment.reshuffled for moment in seen.moments)
            for _ in agree(seen):
                pass
    assert reshuffles > 10


def test_samples_match_the_marginals() -> None:
    """Each type's count in 20,000 samples, z-tested at 1e-3 over all comparisons together."""
    compared, worst = 0, 1.0
    for seed in range(8):
        seen = random_game(preset("house"), seed)[seed % 2]
        belief = ClosedFormBelief(seen.rules, seen.first)
        for _ in itertools.islice(follow(belief, seen), 20 + seed):
            pass
        hands, _ = belief.sample_hands(20_000, seed=seed)
        held = (hands > 0).mean(axis=0)
        expected = belief.probabilities()
        certain = (expected < 1e-12) | (expected > 1 - 1e-12)
        np.testing.assert_allclose(held[certain], expected[certain], atol=1e-9)
        error = np.sqrt(expected * (1 - expected) / len(hands))
        z = np.abs(held - expected)[~certain] / error[~certain]
        compared += len(z)
        worst = min(worst, float(2 * stats.norm.sf(z.max())))
    assert compared > 200
    assert worst * compared > 1e-3


def test_whole_hands_are_sampled_with_their_probability() -> None:
    """Chi-square over all hands of a mini game, error rate 1e-3 in all."""
    tested = 0
    for seed in range(30):
        seen = random_game(mini_rules(seed, VARIANTS[seed % len(VARIANTS)]), seed)[0]
        belief = ClosedFormBelief(seen.rules, seen.first)
        for _ in itertools.islice(follow(belief, seen), 5):
            pass
        hands, _ = belief.sample_hands(4_000, seed=1)
        rows, counts = np.unique(hands, axis=0, return_counts=True)
        expected = np.array([belief.hand_probability(Cards.from_counts(row)) for row in rows]) * len(hands)
        assert (expected > 0).all()
        frequent = expected >= 5
        if frequent.sum() >= 2:
            rest_seen, rest = counts[~frequent].sum(), len(hands) - expected[frequent].sum()
            seen_counts, means = counts[frequent].astype(float), expected[frequent]
            if rest >= 5:
                seen_counts, means = np.append(seen_counts, rest_seen), np.append(means, rest)
            statistic = ((seen_counts - means) ** 2 / means).sum()
            assert stats.chi2.sf(statistic, max(len(means) - 1, 1)) > 1e-3 / 30
            tested += 1
    assert tested > 15


def test_sampled_draw_piles_are_shuffled_uniformly() -> None:
    seen = random_game(preset("house"), 3)[0]
    belief = ClosedFormBelief(seen.rules, seen.first)
    worlds = belief.sample(40_000, seed=5)
    size = int(worlds["draw_size"][0])
    next_cards = np.bincount(worlds["draw_pile"][:, size - 1], minlength=CARD_TYPES)
    unseen = seen.first.unseen(seen.rules).array()
    expected = unseen / unseen.sum() * len(worlds)
    statistic = ((next_cards - expected)[unseen > 0] ** 2 / expected[unseen > 0]).sum()
    assert stats.chi2.sf(statistic, int((unseen > 0).sum()) - 1) > 1e-3


def test_a_mixture_that_outgrows_its_record_moves_to_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def tiny(scale: int = 1) -> np.dtype[np.void]:
        """Return room for two of everything at first, the usual room once that is not enough."""
        return mixture_dtype(1) if scale > 1 else sized_mixture(2, 2, 1)  # of which other kernels are compiled too

    monkeypatch.setattr(closed_form, "mixture_dtype", tiny)
    monkeypatch.setattr(mixture, "mixture_dtype", tiny)
    games = [random_game(small_deck_with_many_reshuffles(), seed, at_most=60)[0] for seed in range(3)]
    sizes = [fast.diagnostics().size for seen in games for fast, _, _ in agree(seen)]
    assert max(sizes) > 4


def test_a_larger_record_holds_the_same_mixture() -> None:
    """Also which configuration has which layout; the smallest records have one layout, where that can't be seen."""
    compared = 0
    for seen in itertools.chain(*(random_game(preset("printed"), seed, at_most=80) for seed in range(12))):
        belief = ClosedFormBelief(seen.rules, seen.first)
        for _ in follow(belief, seen):
            old = belief._mixtures[belief._front]
            count, groups, layouts = (int(old[name]) for name in ("configurations", "groups", "layouts"))
            new = grown(belief._mixtures, belief._front, 2)[belief._front]
            assert [int(new[name]) for name in ("configurations", "groups", "layouts")] == [count, groups, layouts]
            held: dict[str, Any] = {"alpha": np.s_[:count], "weights": np.s_[:count], "layout": np.s_[:count]}
            held |= {"sizes": np.s_[:count, :groups], "within": np.s_[:layouts, : groups + 1]}
            for name, places in (held | {"layers": np.s_[:layouts, : groups + 1]}).items():
                np.testing.assert_array_equal(new[name][places], old[name][places], name)
            compared += bool(old["layout"][:count].any())
    assert compared > 100


def test_an_event_that_no_hand_allows_is_refused() -> None:
    rules = preset("mini-7")
    for seed in range(20):
        for seen in random_game(rules, seed):
            belief = ClosedFormBelief(rules, seen.first)
            impossible = Played(1 - seen.first.seat, Action.play(next(iter(seen.first.hand)), None))
            if impossible.action.card is not None and impossible.action.card < 52:
                with pytest.raises(ImpossibleEvent, match="no hand that fits the game so far allows it"):
                    belief.update([impossible], seen.first)
                return


def test_nothing_playable_is_remembered_until_the_card_could_have_been_drawn() -> None:
    """After a forced draw the chance of a playable card is that of the one card drawn, no more."""
    found = 0
    for seed in range(40):
        for seat, seen in zip(SEATS, random_game(preset("house"), seed), strict=True):
            belief = ClosedFormBelief(seen.rules, seen.first)
            before = seen.first
            for moment in follow(belief, seen):
                event = moment.events[-1]
                if isinstance(event, Drew) and event.seat != seat and not event.penalty and event.count:
                    mask = int(PLAYABLE[before.colour, before.top])
                    playable = sum(before.unseen(seen.rules)[card] for card in range(CARD_TYPES) if mask >> card & 1)
                    if not moment.reshuffled and before.draw_size:
                        assert 1 - belief.avoids(mask) == pytest.approx(playable / before.draw_size)
                        hands, _ = belief.sample_hands(50, seed)
                        held = hands[:, [card for card in range(CARD_TYPES) if mask >> card & 1]].sum(axis=1)
                        assert held.max() <= 1
                        found += 1
                before = moment.observation
    assert found > 100


def test_same_seed_same_worlds_and_other_seeds_other_worlds() -> None:
    seen = random_game(preset("house"), 1)[0]
    belief = ClosedFormBelief(seen.rules, seen.first)
    assert belief.sample(20, seed=1).tobytes() == belief.sample(20, seed=1).tobytes()
    assert belief.sample(20, seed=1).tobytes() != belief.sample(20, seed=2).tobytes()
