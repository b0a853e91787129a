"""The closed form in whole numbers: against brute force, against enumeration, and what it must keep."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tests.beliefs.configurations import Configuration, canonical, merge
from tests.beliefs.exactness import compare
from tests.beliefs.games import Moment, Seen, follow, mini_rules, random_game, whole_mini_rules
from tests.beliefs.reference import ReferenceBelief, assignments, hand_assignments
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, named, start
from uno_pomdp.beliefs.belief import ImpossibleEvent
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.hypotheses import all_hands, hold_any
from uno_pomdp.cards import CARD_TYPES, Cards, parse_card
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Kept, Played, Reshuffled
from uno_pomdp.game.layout import COLOUR_MASK, NO_CARD, PLAYABLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import preset

GAMES = {6: 50, 9: 30, 12: 10}
"""For each variant: by the most unseen cards at the deal, how many random games are compared."""

LARGE_MIXTURES = (54, 102, 390, 582, 788, 1088, 1180, 1402, 2250, 2372)
"""Seeds of games in which six or more configurations are alive at once: they are rare on tiny decks."""


# --- counting --------------------------------------------------------------------------------------------


def random_configuration(chance: random.Random) -> Configuration:
    """Return a small configuration, empty groups and layers and impossible ones included."""
    groups = chance.randint(0, 3)
    sizes = tuple(chance.randint(0, 2) for _ in range(groups))
    layers = [[0] * CARD_TYPES for _ in range(groups + 1)]
    for _ in range(chance.randint(0, 6)):
        chance.choice(layers)[chance.choice((0, 1, 52))] += 1
    return Configuration(sizes, tuple(map(tuple, layers)))


def hands_by_brute_force(configuration: Configuration) -> Counter[Cards]:
    """Count the ways to put labelled cards into slots, by the hand that they make."""
    sizes, layers = configuration
    labelled = [
        (place, card) for place, layer in enumerate(layers) for card in range(CARD_TYPES) for _ in range(layer[card])
    ]
    slots = [group for group, size in enumerate(sizes) for _ in range(size)]
    return Counter(
        Cards.of(card for _, card in chosen)
        for chosen in itertools.permutations(labelled, len(slots))
        if all(place <= group for (place, _), group in zip(chosen, slots, strict=True))
    )


def test_assignments_are_as_many_as_brute_force_finds() -> None:
    chance = random.Random(0)
    possible = 0
    for _ in range(300):
        configuration = random_configuration(chance)
        found = hands_by_brute_force(configuration)
        assert assignments(*configuration) == found.total()
        unseen = Cards.from_counts(map(sum, zip(*configuration.layers, strict=True)))
        for hand in all_hands(unseen, min(sum(configuration.sizes), len(unseen))):
            cards = Cards(hand.tobytes())
            assert hand_assignments(*configuration, cards.data) == found[cards]
        possible += found.total() > 0
    assert possible > 100


def test_the_canonical_form_says_the_same() -> None:
    chance = random.Random(1)
    for _ in range(300):
        configuration = random_configuration(chance)
        form = canonical(configuration)
        assert canonical(form) == form
        assert all(form.sizes)
        assert all(any(layer) for layer in form.layers[1:-1])
        assert hands_by_brute_force(form) == hands_by_brute_force(configuration)
        assert merge([(configuration, 6), (form, 4)]) == ({form: 1} if assignments(*form) else {})


def test_a_hand_of_another_size_has_no_assignment() -> None:
    layer = Cards.parse("R0 R1 W").data
    assert hand_assignments((2,), (layer, bytes(CARD_TYPES)), Cards.parse("R0").data) == 0


# --- against enumeration ---------------------------------------------------------------------------------


@pytest.mark.parametrize("most_unseen", GAMES)
@pytest.mark.parametrize("number", range(len(VARIANTS)), ids=[named(variant) for variant in VARIANTS])
def test_the_closed_form_is_what_enumeration_finds(number: int, most_unseen: int) -> None:
    reshuffled = 0
    for seed in range(1_000 * number, 1_000 * number + GAMES[most_unseen]):
        views = random_game(mini_rules(seed, VARIANTS[number], most_unseen), seed)
        reshuffled += views[0].reshuffled
        for seen in views:
            compare(seen)
    assert (reshuffled > 0) == (VARIANTS[number]["reshuffle"] == "yes")


@pytest.mark.parametrize("number", range(len(PAIRS_OF_VALUES)), ids=[named(variant) for variant in PAIRS_OF_VALUES])
def test_the_closed_form_is_what_enumeration_finds_under_every_pair_of_values(number: int) -> None:
    """On decks with every card that a rule is about; `benchmarks.belief_rules` does it for all combinations."""
    variant, met = PAIRS_OF_VALUES[number], Counter[str]()
    for seed in range(1_000 * number, 1_000 * number + 25):
        for seen in random_game(whole_mini_rules(seed, variant), seed):
            compare(seen)
            for moment in seen.moments:
                met.update(type(event).__name__ for event in moment.events)
                met["pending"] += moment.drawn is not None
    assert (met["Shown"] > 0) == (variant["wild_four"] == "challenge")
    assert (met["Swapped"] > 0) == (variant["swap"] == "seven_zero")
    assert (met["pending"] > 0) == (variant["drawn_card"] == "may_play" or variant["draw"] == "until_playable")
    assert (met["Reshuffled"] > 0) == (variant["reshuffle"] == "yes")


def test_a_draw_that_a_reshuffle_cuts_in_two_is_what_enumeration_finds() -> None:
    cut = 0
    for seed in range(150):
        rules = whole_mini_rules(seed, {"draw": "until_playable"}, 7)
        for seen in random_game(rules, seed):
            here = sum(
                len([event for event in moment.events if isinstance(event, Drew)]) == 2 for moment in seen.moments
            )
            if here:
                compare(seen)
            cut += here
    assert cut > 10


@pytest.mark.parametrize("seed", LARGE_MIXTURES)
def test_a_mixture_of_many_configurations_is_what_enumeration_finds(seed: int) -> None:
    one, two = random_game(mini_rules(seed, VARIANTS[seed % len(VARIANTS)], 14), seed)
    assert max(compare(one), compare(two)) > 5


# --- what must hold --------------------------------------------------------------------------------------


def followed(seeds: range) -> list[tuple[ReferenceBelief, Seen]]:
    """Return beliefs about random games of all variants, both seats, at the deal."""
    games = [random_game(mini_rules(seed, VARIANTS[seed % len(VARIANTS)]), seed) for seed in seeds]
    return [(ReferenceBelief(seen.rules, seen.first), seen) for views in games for seen in views]


def distribution(belief: ReferenceBelief) -> dict[Cards, Fraction]:
    """Return the probability of every hand that the unseen cards allow."""
    seen = belief.observation
    hands = (Cards(hand.tobytes()) for hand in all_hands(seen.unseen(belief.rules), seen.opponent_size))
    return {hand: belief.exact_hand_probability(hand) for hand in hands}


def test_the_hands_add_up_to_one_and_the_true_one_is_possible() -> None:
    for belief, seen in followed(range(64)):
        for moment in follow(belief, seen):
            chances = distribution(belief)
            assert sum(chances.values()) == 1
            assert chances[moment.hidden] > 0
            assert sum(belief.exact_expected_counts()) == len(moment.hidden)


def test_with_an_empty_draw_pile_the_hand_is_known() -> None:
    known = 0
    for belief, seen in followed(range(200)):
        for moment in follow(belief, seen):
            if moment.observation.draw_size == 0:
                assert belief.exact_hand_probability(moment.hidden) == 1
                known += 1
    assert known > 50


def test_a_reshuffle_forgets_nothing() -> None:
    reshuffles = 0
    for belief, seen in followed(range(200)):
        for moment in seen.moments:
            if moment.reshuffled:
                before = distribution(belief)
                belief.update(moment.events[:1], belief.observation)  # the reshuffle without the draw after it
                assert {hand: belief.exact_hand_probability(hand) for hand in before} == before
                belief.update(moment.events[1:], moment.observation)
                reshuffles += 1
            else:
                belief.update(moment.events, moment.observation)
    assert reshuffles > 30


def test_a_known_hand_stays_known_through_a_reshuffle() -> None:
    game = start("R0", "R1 Y2 Y3", "G1 G2 G3", "", reshuffle="yes")
    belief = ReferenceBelief(game.rules, game.observation(0))
    assert belief.exact_hand_probability(game.hand(1)) == 1
    for action in ("R1", "G1", "draw"):  # player 1 has nothing green: R0 and R1 go back, one of them is drawn
        len(game.moves)
        game.apply(Action.parse(action))
        belief.update(*game.last_step(0))
    assert isinstance(game.events(0, since=2)[0], Reshuffled)
    assert belief.exact_hand_probability(Cards.parse("G2 G3")) == 1


def test_what_was_playable_and_not_played_is_in_no_sample() -> None:
    barred = 0
    for belief, seen in followed(range(200)):
        if seen.rules.draw == "optional":
            continue
        limits: list[tuple[int, int]] = []  # sets of types, and how many of them may have been drawn since
        for moment in seen.moments:
            limits = after(limits, belief.observation, moment)
            belief.update(moment.events, moment.observation)
            hands, _ = belief.sample_hands(20, belief.age)
            for mask, most in limits:
                types = [card for card in range(CARD_TYPES) if mask >> card & 1]
                assert (hands[:, types].sum(axis=1) <= most).all()
            barred += bool(limits)
    assert barred > 200


def after(limits: list[tuple[int, int]], before: Observation, moment: Moment) -> list[tuple[int, int]]:
    """Return how many cards of each barred set the opponent can hold after an action."""
    for event in moment.events:
        if isinstance(event, Drew) and event.seat != before.seat:
            barred = [] if event.penalty else [(int(PLAYABLE[before.colour, before.top]), 0)]
            limits = [(mask, most + event.count) for mask, most in [*limits, *barred]]
    return limits


# --- samples ---------------------------------------------------------------------------------------------

ERROR_RATE = 1e-3
"""A right sampler would fail one of the tests below with this probability, were the seeds fresh."""


def test_samples_have_the_frequencies_of_the_posterior() -> None:
    """A χ² test over hands with the card just drawn, in every moment of some games; Bonferroni over the moments."""
    p_values: list[float] = []
    for belief, seen in followed(range(14)):
        enumerated = EnumeratedBelief(seen.rules, seen.first, exact=True)
        for moment in follow(belief, seen):
            enumerated.update(moment.events, moment.observation)
            hands, drawn = belief.sample_hands(600, len(p_values))
            found = Counter((hand.tobytes(), int(card)) for hand, card in zip(hands, drawn, strict=True))
            hypotheses = enumerated.hypotheses
            total = hypotheses.weights.sum()
            expected = {
                (hand.tobytes(), int(card)): 600 * weight / total
                for hand, card, weight in zip(*hypotheses[:3], strict=True)
            }
            assert found.keys() <= expected.keys()
            assert all((card != NO_CARD) == (moment.drawn is not None) for card in drawn)
            if len(expected) > 1:
                p_values.append(chi_square(found, expected))
    assert len(p_values) > 80
    assert min(p_values) > ERROR_RATE / len(p_values)
    assert stats.kstest(p_values, "uniform").pvalue > ERROR_RATE


def chi_square(found: Counter[tuple[bytes, int]], expected: dict[tuple[bytes, int], float]) -> float:
    """Return the p-value, with all rare cells taken together."""
    common = [cell for cell, number in expected.items() if number >= 5]
    numbers = [(found[cell], expected[cell]) for cell in common]
    rest = (found.total() - sum(n for n, _ in numbers), sum(expected.values()) - sum(e for _, e in numbers))
    if rest[1] > 1e-9:
        numbers.append(rest)
    statistic = sum((number - mean) ** 2 / mean for number, mean in numbers)
    return float(stats.chi2.sf(statistic, len(numbers) - 1)) if len(numbers) > 1 else 1.0


def test_samples_of_the_full_deck_have_the_expected_counts() -> None:
    """A z-test for each type, Bonferroni over all of them, at some moments of a long game."""
    seen = random_game(preset("printed"), 2, at_most=120)[0]
    belief = ReferenceBelief(seen.rules, seen.first)
    scores = []
    for number, _ in enumerate(follow(belief, seen)):
        if number % 20 == 0:
            hands, _ = belief.sample_hands(400, number)
            spread = hands.std(axis=0)
            difference = hands.mean(axis=0) - belief.expected_counts()
            common = belief.expected_counts() > 0.05
            scores.extend(difference[common] / (spread[common] / math.sqrt(400)))
    assert len(scores) > 100
    assert 2 * stats.norm.sf(max(np.abs(scores))) > ERROR_RATE / len(scores)


def test_the_same_seed_gives_the_same_samples() -> None:
    belief = ReferenceBelief(preset("house"), random_game(preset("house"), 0, at_most=1)[0].first)
    first, second, other = (belief.sample_hands(5, seed)[0] for seed in (1, 1, 2))
    assert (first == second).all()
    assert (first != other).any()


# --- what can't be ---------------------------------------------------------------------------------------


def test_what_can_not_be_is_an_error_and_changes_nothing() -> None:
    game = start("R0", "R1 Y2", "R2 Y1", "R3 Y3")
    seen = game.observation(1)
    belief = ReferenceBelief(game.rules, seen)
    before = belief.mixture
    for event, words in (
        (Played(0, Action.parse("R2")), r"player 1 played R2 on R0 \(red\), but that has probability zero"),
        (Played(0, Action.parse("Y3")), "player 1 played Y3 on R0"),
        (Drew(1, 1, False, (parse_card("R2"),)), "player 2 drew R2 on R0"),
        (Drew(1, 2, True, (parse_card("R3"), parse_card("R3"))), "player 2 drew R3 R3 on R0"),
    ):
        with pytest.raises(ImpossibleEvent, match=words):
            belief.update((event,), seen)
        assert belief.mixture == before
        assert belief.age == 0


def test_nothing_playable_is_an_error_where_only_playable_cards_are_unseen() -> None:
    game = start("R0", "R1 R2", "Y1 Y2", "R3 R4")
    belief = ReferenceBelief(game.rules, game.observation(1))
    with pytest.raises(ImpossibleEvent, match=r"player 1 drew on R0 \(red\), but that has probability zero"):
        belief.update((Drew(0, 1, False, None),), game.observation(1))


# --- the rules' variants in small ------------------------------------------------------------------------


def test_a_wild_four_of_last_resort_says_that_no_card_of_the_colour_was_held() -> None:
    game = start("R0", "W4 Y1", "Y2 Y3", "R1 R2 G1 G2 G3", wild_four="last_resort")
    belief = ReferenceBelief(game.rules, game.observation(1))
    assert 0 < belief.exact_avoids(int(COLOUR_MASK[0])) < 1
    game.apply(Action.parse("W4:G"))
    belief.update(game.events(1), game.observation(1))
    assert belief.exact_avoids(int(COLOUR_MASK[0])) == 1


def test_a_failed_optional_draw_was_forced() -> None:
    game = start("R0", "Y1 Y2", "G1 G2", "", draw="optional", reshuffle="no")
    belief = ReferenceBelief(game.rules, game.observation(1))
    game.apply(Action.parse("draw"))
    assert game.events(1) == (Drew(0, 0, False, None),)
    belief.update(game.events(1), game.observation(1))
    assert belief.exact_hand_probability(Cards.parse("Y1 Y2")) == 1
    other = start("R0", "R1 Y2", "G1 G2", "", draw="optional", reshuffle="no")
    with pytest.raises(ImpossibleEvent, match="drew on R0"):
        ReferenceBelief(other.rules, other.observation(1)).update((Drew(0, 0, False, None),), other.observation(1))


def test_a_card_just_drawn_opens_no_group_before_it_is_kept() -> None:
    game = start("R0", "Y1 Y2", "G1 G2", "R5 B4 B5", drawn_card="may_play")
    belief = ReferenceBelief(game.rules, game.observation(1))
    game.apply(Action.parse("draw"))
    belief.update(game.events(1), game.observation(1))
    hands, drawn = belief.sample_hands(50, 0)
    assert (hands.sum(axis=1) == 3).all()
    assert (hands[np.arange(50), drawn] > 0).all()
    assert not hold_any(hands - np.eye(CARD_TYPES, dtype=np.uint8)[drawn], int(PLAYABLE[0, parse_card("R0")])).any()
    read = distribution(belief)
    game.apply(Action.parse("keep"))
    belief.update((Kept(0),), game.observation(1))
    assert distribution(belief) == read
