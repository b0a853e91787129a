"""The closed form in kernels agrees with the exact reference, samples what it says, and never runs out of room."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.games import Seen, follow, mini_rules, random_game
from tests.beliefs.reference import ReferenceBelief
from uno_pomdp.beliefs import closed_form
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.mixture import mixture
from uno_pomdp.beliefs.mixture.mixture import mixture_dtype, sized_mixture
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Played
from uno_pomdp.game.layout import COLOUR_MASK, PLAYABLE, SEATS
from uno_pomdp.rules import CHOICES, Rules, preset

VARIANTS = [dict(zip(CHOICES, values, strict=True)) for values in itertools.product(*CHOICES.values())]
MASKS = [int(COLOUR_MASK[0]), int(PLAYABLE[1, 15]), int(PLAYABLE[3, 52]), (1 << CARD_TYPES) - 1, 0]


def agree(seen: Seen) -> Iterator[tuple[ClosedFormBelief, ReferenceBelief, Cards]]:
    """Follow a game with both, and check every marginal after every action."""
    fast, exact = ClosedFormBelief(seen.rules, seen.first), ReferenceBelief(seen.rules, seen.first)
    for moment, _ in zip(follow(fast, seen), follow(exact, seen), strict=True):
        np.testing.assert_allclose(fast.expected_counts(), exact.expected_counts(), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(fast.probabilities(), exact.probabilities(), rtol=1e-8, atol=1e-10)
        for mask in MASKS:
            assert fast.avoids(mask) == pytest.approx(exact.avoids(mask), rel=1e-8, abs=1e-10)
        yield fast, exact, moment.hidden


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_marginals_and_hands_equal_the_reference_on_mini_decks(variant: dict[str, str]) -> None:
    for seed in range(10):
        for seen in random_game(mini_rules(seed, variant), seed):
            for fast, exact, hidden in agree(seen):
                assert fast.hand_probability(hidden) == pytest.approx(exact.hand_probability(hidden), rel=1e-9)
                assert fast.hand_probability(hidden) > 0.0


@pytest.mark.parametrize("name", ["house", "pass", "printed"])
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
