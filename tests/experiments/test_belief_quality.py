"""Diagnostics: distances and losses by hand, intervals by game, and bands that cover as often as they say."""

import builtins
import math
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

from benchmarks.experiments import belief_plots, belief_quality
from benchmarks.experiments.belief_plots import draw_by_size, draw_calibration, draw_convergence, draw_course
from benchmarks.experiments.belief_quality import Maker, TooFewGames, bin_sums, calibration, estimate, watch
from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Diagnostics
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.cards import CARD_TYPES, Cards
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.plots import NoPictures
from uno_pomdp.policies.kernels import GREEDY, RANDOM
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import Rules, preset

TINY = Rules(deck=Cards.parse("R1 R2 Y1 Y2 Y2"), hand_size=1)
MINI = preset("mini-9")

MAKERS: Mapping[str, Maker] = {
    "uniform": lambda rules, seen, _: UniformBelief(rules, seen),
    "closed form": lambda rules, seen, _: ClosedFormBelief(rules, seen),
    "exact": lambda rules, seen, _: EnumeratedBelief(rules, seen, PolicyModel(GREEDY)),
    "particles": lambda rules, seen, seed: ParticleBelief(rules, seen, PolicyModel(GREEDY), 200, seed),
}


def tiny_deal() -> Game:
    """Return a game in which player 1 sees red 1 and red 2: player 2 holds yellow 1, or one of two yellow 2s."""
    deal = Deal(0 + 1, (Cards.parse("R2"), Cards.parse("Y1")), tuple(Cards.parse("Y2 Y2")))
    return Game.from_deal(TINY, deal)


class Fixed(UniformBelief):
    """A belief that says what it is told to: P(held) by type."""

    def __init__(self, chances: dict[str, float]) -> None:
        super().__init__(TINY, tiny_deal().observation(0))
        self.chances = np.zeros(CARD_TYPES)
        for name, chance in chances.items():
            self.chances[next(iter(Cards.parse(name)))] = chance

    def probabilities(self) -> Floats:
        """Return what it was told."""
        return self.chances

    def hand_probability(self, hand: Cards) -> float:
        """Return what it was told about the hand's one card."""
        return float(self.chances[next(iter(hand))])


# --- one belief at one moment ----------------------------------------------------------------------------


def test_log_loss_is_the_mean_over_unseen_types_in_nats() -> None:
    truth = Cards.parse("Y1")
    uniform = UniformBelief(TINY, tiny_deal().observation(0))  # P(yellow 1) = 1/3, P(yellow 2) = 2/3
    assert belief_quality.log_loss(uniform, truth) == pytest.approx(math.log(3))
    assert belief_quality.log_loss(Fixed({"Y1": 0.5, "Y2": 0.25}), truth) == pytest.approx(
        -(math.log(0.5) + math.log(0.75)) / 2
    )
    assert belief_quality.log_loss(Fixed({"Y1": 1.0, "Y2": 0.0}), truth) == 0.0
    assert belief_quality.log_loss(Fixed({"Y1": 0.0, "Y2": 1.0}), truth) == math.inf
    assert belief_quality.log_loss(Fixed({"Y1": 1.0 + 1e-15, "Y2": -1e-15}), truth) == 0.0


def test_distances_of_marginals_and_of_hands() -> None:
    exact = EnumeratedBelief(TINY, tiny_deal().observation(0))
    other = Fixed({"Y1": 0.5, "Y2": 0.5})
    assert belief_quality.total_variation(other, exact) == pytest.approx(1 / 6)
    assert belief_quality.hand_total_variation(other, exact) == pytest.approx(1 / 6)
    divergence = math.log(2 / 3) / 3 + 2 / 3 * math.log(4 / 3)
    assert belief_quality.kl(other, exact) == pytest.approx(divergence)
    assert belief_quality.hand_kl(other, exact) == pytest.approx(divergence)
    assert belief_quality.kl(Fixed({"Y1": 0.0, "Y2": 1.0}), exact) == math.inf


def test_what_is_given_to_impossible_hands_counts_as_variation() -> None:
    exact = EnumeratedBelief(TINY, tiny_deal().observation(0))
    assert belief_quality.hand_total_variation(Fixed({"Y1": 0.0, "Y2": 0.0, "R1": 1.0}), exact) == pytest.approx(1.0)


def test_a_belief_has_no_distance_to_itself() -> None:
    for moment in watch(MINI, {"exact": MAKERS["exact"]}, 3):
        exact = moment.beliefs["exact"]
        assert isinstance(exact, EnumeratedBelief)
        if moment.observation.outcome is None:
            assert belief_quality.total_variation(exact, exact) == 0.0
            assert belief_quality.hand_total_variation(exact, exact) == pytest.approx(0.0)
            assert belief_quality.kl(exact, exact) == belief_quality.hand_kl(exact, exact) == 0.0


# --- watching --------------------------------------------------------------------------------------------


def test_all_beliefs_see_the_same_game_from_the_same_seat() -> None:
    for seat in (0, 1):
        moments = list(watch(MINI, MAKERS, 5, seat=seat))
        assert moments[-1].observation.outcome is not None
        assert {moment.observation.seat for moment in moments} == {seat}
        assert all(belief.age == len(moments) - 1 for belief in moments[-1].beliefs.values())
        assert any(moment.opponent_chooses for moment in moments)


def test_a_game_depends_on_the_seed_and_not_on_the_beliefs() -> None:
    def game(seed: int, makers: Mapping[str, Maker]) -> list[Any]:
        return [(moment.observation, moment.hidden) for moment in watch(MINI, makers, seed)]

    assert game(8, MAKERS) == game(8, {}) == game(8, {"closed form": MAKERS["closed form"]})
    assert game(8, {}) != game(9, {})


def test_players_really_follow_their_models() -> None:
    """On red 1 a greedy player with R2 R2 Y1 W plays each card a quarter of the time, and W in red alone."""
    rules = Rules(deck=Cards.parse("R1 R2 R2 Y1 W G5 G6 G7 G8"), hand_size=4)
    deal = Deal(1, (Cards.parse("R2 R2 Y1 W"), Cards.parse("G5 G6 G7 G8")), ())
    game, chance = Game.from_deal(rules, deal), np.random.default_rng(4)
    chosen = [str(belief_quality.choose(game, PolicyModel(GREEDY), chance)) for _ in range(4_000)]
    shares = {name: chosen.count(name) / 4_000 for name in set(chosen)}
    assert set(shares) == {"R2", "Y1", "W:R"}
    assert shares["R2"] == pytest.approx(0.5, abs=0.032)  # four standard errors
    assert shares["Y1"] == pytest.approx(0.25, abs=0.028)
    legal = {str(action) for action in game.legal_actions()}
    assert {str(belief_quality.choose(game, PolicyModel(RANDOM), chance)) for _ in range(300)} == legal


# --- intervals -------------------------------------------------------------------------------------------


def test_an_interval_rests_on_games() -> None:
    found = estimate([1.0, 2.0, 3.0, 4.0])
    assert (found.mean, found.games) == (2.5, 4)
    assert found.high - found.mean == pytest.approx(1.95996 * math.sqrt(5 / 3) / 2, rel=1e-4)
    assert found.low + found.high == pytest.approx(5.0)
    assert str(found) == "2.5 ± 1.3"
    with pytest.raises(TooFewGames, match="at least 2 games, not 1"):
        estimate([1.0])


def test_long_games_count_by_their_decisions() -> None:
    found = belief_quality.ratio([1.0, 8.0], [1, 3])
    assert found.mean == pytest.approx(9 / 4)
    errors = (1.0 - 9 / 4, 8.0 - 27 / 4)
    assert found.half_width == pytest.approx(1.95996 * math.sqrt(2 * sum(e * e for e in errors)) / 4, rel=1e-4)
    assert belief_quality.ratio([1.0, 2.0, 3.0], [1, 1, 1]) == estimate([1.0, 2.0, 3.0])
    with pytest.raises(TooFewGames, match="at least 2 games, not 0"):
        belief_quality.ratio([], [])


def test_support_is_summed_up_by_game() -> None:
    def now(ess: float, age: int, again: int) -> Diagnostics:
        return Diagnostics("particles", support=5, ess=ess, size=10, age=age, rejuvenations=again)

    found = belief_quality.summarise([[now(10, 1, 0), now(5, 2, 1)], [now(2.5, 1, 0)], []])
    assert found.share.mean == pytest.approx(0.5)
    assert found.support.mean == 5
    assert found.least == 2.5
    assert found.rejuvenations.mean == pytest.approx(0.25)


# --- calibration -----------------------------------------------------------------------------------------


def clustered_games(random: np.random.Generator, games: int, bias: float = 0.0) -> Floats:
    """Return games whose predictions are right (or too low by a bias) and, within a game, true or false together."""
    rows = []
    for _ in range(games):
        chances = random.choice([0.17, 0.35, 0.55, 0.75], size=6)
        luck = random.random()  # one draw for the whole game: decisions are far from independent
        rows.append(bin_sums(np.repeat(chances, 5), np.repeat(luck < chances + bias, 5)))
    return np.array(rows)


def test_sums_by_bin_leave_certainties_out() -> None:
    sums = bin_sums(np.array([0.0, 0.1, 0.3, 0.6, 1.0]), np.array([False, True, False, True, True]), (0.0, 0.5, 1.0))
    assert sums.tolist() == [[2, 1], [0.4, 0.6], [1, 1]]


def test_the_band_leaves_out_a_calibrated_belief_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    inside = [calibration(clustered_games(random, 300), seed).inside for seed in range(150)]
    assert 0.88 <= np.mean(inside) <= 0.993  # 0.95, less four standard errors


def test_the_band_finds_a_bias() -> None:
    random = np.random.default_rng(2)
    found = calibration(clustered_games(random, 2_000, bias=0.1))
    assert not found.inside
    assert found.gap == pytest.approx(0.1, abs=0.03)


def test_a_table_says_what_was_predicted_and_what_was_true() -> None:
    found = calibration(clustered_games(np.random.default_rng(3), 400))
    rows = found.count > 0
    np.testing.assert_allclose(found.predicted[rows], [0.17, 0.35, 0.55, 0.75])
    assert found.count.sum() == 400 * 30
    assert (found.games[rows] > 300).all()
    assert str(found).count("\n") == 4
    assert found.critical > 1.96  # wider than for one bin alone
    with pytest.raises(TooFewGames):
        calibration(np.zeros((1, 3, 13)))


def test_decisions_of_one_game_are_not_counted_as_independent() -> None:
    """Every prediction copied ten times within its game says nothing new: the band stays as wide."""
    games = clustered_games(np.random.default_rng(4), 300)
    np.testing.assert_allclose(calibration(games).band, calibration(games * 10).band)


# --- pictures --------------------------------------------------------------------------------------------


def test_pictures_are_written_and_are_the_same_every_time(tmp_path: Path) -> None:
    table = calibration(clustered_games(np.random.default_rng(5), 300))
    for path in (tmp_path / "one.svg", tmp_path / "two.svg"):
        draw_calibration(path, {"right": table})
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    draw_convergence(tmp_path / "slope.png", [100, 400], [estimate([0.1, 0.12]), estimate([0.05, 0.06])], -0.5)
    assert (tmp_path / "slope.png").stat().st_size > 1_000


def test_pictures_of_a_filter_name_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")  # words as words, not as outlines
    lines = {"closed form": estimate([0.2, 0.3])}
    draw_by_size(tmp_path / "size.svg", "log-loss, nats", {100: estimate([0.1, 0.2]), 2_000: estimate([0, 0.1])}, lines)
    drawn = (tmp_path / "size.svg").read_text(encoding="utf-8")
    assert all(f">{word}<" in drawn for word in ("particle filter", "closed form", "log-loss, nats", "100", "2,000"))
    moments = watch(MINI, MAKERS, 3)
    draw_course(tmp_path / "course.svg", [moment.beliefs["particles"].diagnostics() for moment in moments])
    drawn = (tmp_path / "course.svg").read_text(encoding="utf-8")
    words = ("effective sample size", "distinct hands", "resampled", "rejuvenated", "actions since the deal")
    assert all(f">{word}<" in drawn for word in words)


def test_without_matplotlib_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NoPictures, match=r"pip install '\S+\[plots\]'"):
        draw_calibration(tmp_path / "none.svg", {})
    assert not list(tmp_path.iterdir())


def test_importing_the_package_does_not_import_matplotlib() -> None:
    program = f"import sys, {belief_quality.__name__}, {belief_plots.__name__}; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
