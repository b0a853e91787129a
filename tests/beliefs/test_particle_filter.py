"""The particle filter agrees with enumeration under all rules, reads choices, and does not die."""

from typing import Any

import numpy as np
import pytest

from benchmarks.experiments.belief_quality import hand_total_variation, possible_types, watch
from tests.beliefs.games import choose, follow, mini_rules, random_game, whole_mini_rules
from tests.beliefs.test_enumerated import by_model
from tests.helpers import PAIRS_OF_VALUES, VARIANTS, do, named, start
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs import particle_filter
from uno_pomdp.beliefs.belief import REJUVENATED, RESAMPLED
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief, few_fresh
from uno_pomdp.beliefs.slot_histories import RecordingBelief
from uno_pomdp.errors import InvalidBelief
from uno_pomdp.game.events import Played
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import NO_CARD, Observations
from uno_pomdp.policies.hands import Rows
from uno_pomdp.policies.kernels import GREEDY, HEURISTIC, RANDOM
from uno_pomdp.policies.opponent_models import MemorylessModel, OpponentModel, PolicyModel, named_model
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.rules import Rules, preset
from uno_pomdp.testing import check_belief


class Plain(MemorylessModel):
    """A scripted policy that no kernel knows: it has to be asked."""

    name = "plain"

    def __init__(self, policy: int) -> None:
        self._model = PolicyModel(policy)

    def log_probabilities(self, seen: Observations, hands: Rows, drawn: Rows, action: int) -> Floats:
        """Return what the policy says."""
        return self._model.log_probabilities(seen, hands, drawn, action)


# --- the filter ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [None, PolicyModel(RANDOM)], ids=["choice-agnostic", "uniform"])
def test_the_filter_agrees_with_enumeration_better_with_more_particles(model: OpponentModel | None) -> None:
    """Mean total variation of the marginals over all actions of 30 mini games; it falls like N^-1/2.

    With fewer particles the closed form, a part of what is read, holds the error down.
    """
    errors = {size: [] for size in (800, 12_800)}  # type: dict[int, list[float]]
    for seed in range(30):
        rules = mini_rules(seed, VARIANTS[seed % len(VARIANTS)])
        for seen in random_game(rules, seed):
            exact = EnumeratedBelief(rules, seen.first, model)
            filters = [ParticleBelief(rules, seen.first, model, size, seed=1) for size in errors]
            for moment in follow(exact, seen):
                for belief in filters:
                    belief.update(moment.events, moment.observation)
                    gap = np.abs(belief.expected_counts() - exact.expected_counts()).sum() / 2
                    errors[belief.size].append(float(gap) / max(moment.observation.opponent_size, 1))
    coarse, fine = (float(np.mean(errors[size])) for size in (800, 12_800))
    assert fine < 0.01
    assert 2.5 < coarse / fine < 7.0  # four, if it falls exactly like N^-1/2


def sampling_error(exact: EnumeratedBelief, count: int) -> float:
    """Return the mean total variation of so many independent hands to the posterior: Σ √(p (1 − p) / 2 π n)."""
    shares: dict[bytes, float] = {}
    for hand, share in zip(exact.hypotheses.hands, exact._shares().tolist(), strict=True):
        shares[hand.tobytes()] = shares.get(hand.tobytes(), 0.0) + share
    return float(sum((p * (1 - p) / (2 * np.pi * count)) ** 0.5 for p in shares.values()))


@pytest.mark.parametrize("way", ["hybrid", "moves alone", "asked"])
@pytest.mark.parametrize("policy", [GREEDY, HEURISTIC, RANDOM], ids=["greedy", "heuristic", "random"])
def test_the_filter_agrees_with_enumeration_under_every_pair_of_values(
    policy: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Total variation of whole hands over all actions, by that of as many independent draws from the posterior.

    An error of one rule alone would be diluted: so each variant is held to it.
    """
    if way != "hybrid":
        monkeypatch.setattr(particle_filter, "WORTH", 2.0)  # no fresh history is good enough
    model = PolicyModel(policy)
    found, independent = [], []
    for number, variant in enumerate(PAIRS_OF_VALUES):
        gaps = []
        for seen in random_game(whole_mini_rules(number, variant), number, at_most=20, chooser=by_model(model)):
            exact = EnumeratedBelief(seen.rules, seen.first, model)
            asked: MemorylessModel = Plain(policy) if way == "asked" else model
            belief = ParticleBelief(seen.rules, seen.first, asked, 500, seed=number, doubt=0.0)
            for moment in follow(exact, seen):
                belief.update(moment.events, moment.observation)
                gaps.append((hand_total_variation(belief, exact), sampling_error(exact, 500)))
                _, drawn = belief.sample_hands(5, 1)
                assert ((drawn != NO_CARD) == (moment.drawn is not None)).all()
        gap, error = np.sum(gaps, axis=0)
        assert gap < 3.0 * error + 0.05 * len(gaps), variant
        found.append(gap)
        independent.append(error)
    assert sum(found) < 1.2 * sum(independent)


def test_choices_before_a_known_hand_drop_out_and_histories_start_anew() -> None:
    game = start("R0", "R1 Y1 Y4 Y5", "R2 R7 Y3 G3", "B1 B2 B3 B4 B5 B6", swap="seven_zero")
    belief = ParticleBelief(game.rules, game.observation(0), PolicyModel(RANDOM), 50)
    for action in ("R1", "R2"):
        game.play(action)
        belief.update(*game.last_step(0))
        assert len(belief._state.particles.past.seen) == belief.age - 1
    do(game, "draw")
    belief.update(*game.last_step(0))
    game.play("R7")
    belief.update(*game.last_step(0))
    assert not len(belief._state.particles.past)
    assert isinstance(belief._closed, RecordingBelief)
    assert not belief._closed.steps
    assert belief.hand_probability(game.hand(1)) == pytest.approx(1.0)
    assert belief.diagnostics().did == ""


@pytest.mark.parametrize("name", ["house", "printed", "stacking", "party", "mini-12", "mini-bluff"])
def test_the_filter_conforms(name: str) -> None:
    games = 2 if name.startswith("mini") else 1
    check_belief(lambda rules, seen: ParticleBelief(rules, seen, None, 60), preset(name), games, seed=3, at_most=80)


@pytest.mark.parametrize("variant", [*VARIANTS[::5], *PAIRS_OF_VALUES[::3]], ids=named)
def test_the_truth_always_has_a_chance_even_if_the_model_is_wrong(variant: dict[str, str]) -> None:
    """The players choose at random, the filter takes the opponent for greedy, with very few particles."""
    for seed in range(6):
        for seen in random_game(Rules(**variant), seed, at_most=60, chooser=choose):  # type: ignore[arg-type]
            belief = ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), size=32, seed=seed)
            for moment in follow(belief, seen):
                held = moment.hidden.array() > 0
                assert (belief.probabilities()[held] > 0.0).all()
                assert belief.diagnostics().ess >= 1.0


def test_particles_never_contradict_the_public_record() -> None:
    for seed in range(4):
        seen = random_game(preset("house"), seed)[0]
        belief = ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), size=100, seed=seed)
        for moment in follow(belief, seen):
            hands, _ = belief.sample_hands(200, seed)
            assert (hands.sum(axis=1) == moment.observation.opponent_size).all()
            assert (hands <= moment.observation.unseen(seen.rules).array()).all()


def test_what_says_nothing_about_the_hand_leaves_the_particles_alone() -> None:
    seen = random_game(preset("house"), 3)[0]
    belief = ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 50, seed=1)
    before, left_alone = belief.expected_counts().tolist(), 0
    for moment in follow(belief, seen):
        after = belief.expected_counts().tolist()
        if all(isinstance(event, Played) and event.seat == seen.first.seat for event in moment.events):
            assert after == before
            left_alone += 1
        before = after
    assert left_alone > 5


def test_the_same_seed_gives_the_same_filter() -> None:
    seen = random_game(preset("house"), 6)[1]
    beliefs = [ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 80, seed) for seed in (1, 1, 2)]
    for belief in beliefs:
        for _ in follow(belief, seen):
            pass
    first, again, other = (belief.expected_counts().tolist() for belief in beliefs)
    assert first == again
    assert first != other


# --- reading choices -------------------------------------------------------------------------------------


def beliefs_in(rules: str, opponent: str, model: str, games: int, size: int = 300) -> list[list[ParticleBelief]]:
    """Return by game a filter that takes the opponent for one model while it plays another, after every action."""
    found = []
    for number in range(games):
        belief: list[ParticleBelief] = []

        def make(rules: Rules, seen: Any, seed: np.random.SeedSequence) -> ParticleBelief:
            return ParticleBelief(rules, seen, model, size, seed)

        seed = np.random.SeedSequence(3, spawn_key=(number,))
        play = named_model(opponent)
        assert isinstance(play, MemorylessModel)
        for moment in watch(preset(rules), {"filter": make}, seed, opponent=play, own=play):
            now = moment.beliefs["filter"]
            assert isinstance(now, ParticleBelief)
            belief = [now]
        found.append(belief)
    return found


def test_an_opponent_that_plays_otherwise_is_told_from_one_that_plays_like_its_model() -> None:
    """The probability that it does not play as the model does, at the end of each of 12 games."""
    like = [game[-1].unlike for game in beliefs_in("house", "heuristic", "heuristic", 12)]
    otherwise = [game[-1].unlike for game in beliefs_in("house", "greedy", "heuristic", 12)]
    assert np.mean(np.array(like) > 0.5) <= 1 / 12
    assert np.mean(np.array(otherwise) > 0.5) >= 9 / 12


def test_as_many_independent_hands_as_it_says_would_spread_as_widely() -> None:
    """Σ variance of eight filters that differ in their seed, by what their own batch means say, over three games."""
    play = PolicyModel(HEURISTIC)
    makers = {
        str(number): lambda rules, seen, seed: ParticleBelief(rules, seen, play, 400, seed) for number in range(8)
    }
    spread, said, flattered = 0.0, 0.0, 0.0
    for number in range(3):
        seed = np.random.SeedSequence(6, spawn_key=(number,))
        for moment in watch(preset("printed"), makers, seed, opponent=play, own=play):
            if moment.observation.outcome is not None:
                continue
            beliefs = list(moment.beliefs.values())
            rows = np.array([belief.probabilities()[possible_types(belief)] for belief in beliefs])
            of_one = float((rows.mean(axis=0) * (1.0 - rows.mean(axis=0))).sum())
            spread += float(rows.var(axis=0, ddof=1).sum())
            said += of_one * float(np.mean([1.0 / belief.diagnostics().hands for belief in beliefs]))
            flattered += of_one * float(np.mean([1.0 / belief.diagnostics().ess for belief in beliefs]))
    assert 0.75 < spread / said < 1.25
    assert said > flattered


def test_how_much_the_model_is_doubted_is_an_option_of_its_text() -> None:
    game = Game.new(preset("house"), 1)
    for text, share in (("", particle_filter.DOUBT), (",doubt=0", 0.0), (",doubt=0.5", 0.5)):
        belief = BeliefSpec.parse(f"particles,model=greedy,particles=1000{text}").maker()(
            game.rules, game.observation(0)
        )
        assert belief.diagnostics().unlike == pytest.approx(share, abs=1e-3)


def test_honest_wild_fours_are_believed_where_the_model_hardly_ever_lies() -> None:
    """The colour is in more than a third of the hands that fit."""
    said, agnostic = [], []
    play = PolicyModel(HEURISTIC)
    for number in range(40):
        makers: dict[str, Any] = {
            "filter": lambda rules, seen, seed: ParticleBelief(rules, seen, play, 300, seed),
            "closed": lambda rules, seen, _: ClosedFormBelief(rules, seen),
        }
        seed = np.random.SeedSequence(5, spawn_key=(number,))
        for moment in watch(preset("printed"), makers, seed, opponent=play, own=play):
            lie = moment.beliefs["filter"].lie()
            if moment.observation.outcome is None and lie is not None:
                said.append(lie)
                assert moment.observation.before is not None
                agnostic.append(moment.beliefs["closed"].has_colour(moment.observation.before))
    assert len(said) > 10
    assert np.mean(said) < 0.05
    assert np.mean(agnostic) > 0.3


def test_the_closed_form_counts_the_less_the_more_particles_are_left() -> None:
    seen = random_game(preset("house"), 2)[0]
    belief = ParticleBelief(seen.rules, seen.first, PolicyModel(GREEDY), 200, seed=1)
    closed = ClosedFormBelief(seen.rules, seen.first)
    for moment in follow(belief, seen):
        closed.update(moment.events, moment.observation)
        share = 1.0 / (1.0 + (belief.diagnostics().ess / 25) ** 2)
        assert belief.blend == pytest.approx(share)
        truth = moment.hidden
        assert belief.hand_probability(truth) >= share * closed.hand_probability(truth) > 0.0


def test_near_the_end_there_are_twice_as_many_particles() -> None:
    sizes: dict[bool, set[int]] = {False: set(), True: set()}
    for seed in range(8):
        seen = random_game(preset("house"), seed)[0]
        belief = ParticleBelief(seen.rules, seen.first, PolicyModel(HEURISTIC), 100, seed=1)
        for moment in follow(belief, seen):
            now = belief.diagnostics()
            if now.did == RESAMPLED:
                sizes[moment.observation.opponent_size <= 2].add(now.size)
            if now.did == REJUVENATED:
                assert now.ess >= few_fresh(100) == 25
    assert sizes == {False: {100}, True: {200}}


def test_particles_are_resampled_where_their_weights_are_uneven(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every update the effective sample size is at least half of them, or the hand is known."""
    monkeypatch.setattr(particle_filter, "WORTH", 2.0)  # moves alone
    looked = 0
    for seed in range(4):
        seen = random_game(preset("house"), seed)[0]
        belief = ParticleBelief(seen.rules, seen.first, PolicyModel(RANDOM), 200, seed=seed)
        for moment in follow(belief, seen):
            if moment.observation.outcome is None and not belief._state.particles.independent:
                assert belief.diagnostics().ess >= len(belief._state.particles) / 2
                looked += 1
    assert looked > 30


# --- options ---------------------------------------------------------------------------------------------


def test_the_share_below_which_particles_are_resampled_and_moved_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(particle_filter, "WORTH", 2.0)  # moves alone
    counts: dict[float, int] = {}
    for share in (0.0, 0.5, 1.0):
        counts[share] = 0
        for seed in range(3):
            seen = random_game(preset("house"), seed)[0]
            belief = ParticleBelief(seen.rules, seen.first, PolicyModel(RANDOM), 300, seed, resample=share)
            for _ in follow(belief, seen):
                now = belief.diagnostics()
                if now.did == RESAMPLED:
                    assert now.ess == pytest.approx(now.size)
            counts[share] += belief.diagnostics().resamplings
    assert counts[0.0] < counts[0.5] < counts[1.0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"size": 0}, "particles: 0 is not a whole number from 1 to 1,000,000"),
        ({"resample": -0.1}, "resample: -0.1 is not a number from 0 to 1"),
        ({"resample": float("nan")}, "resample: nan is not a number from 0 to 1"),
        ({"doubt": 1.5}, "doubt: 1.5 is not a number from 0 to 1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidBelief, match=f"^{sentence}$"):
        ParticleBelief.after(Game.new(preset("mini-9"), 1), **options)
