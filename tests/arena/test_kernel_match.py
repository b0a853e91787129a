"""Games inside kernels: the same law as games of agents, symmetric, and the same however they are cut up."""

import numpy as np
import numpy.typing as npt
import pytest

from tests.arena.players import indices, without_times
from tests.helpers import PRINTED_PLAIN
from uno_pomdp.agents.agent import Agent
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.arena.match import Maker, Match
from uno_pomdp.arena.results import MatchResult, Pairs
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS
from uno_pomdp.rules import Rules, preset

HOUSE = preset("house")


def played(match: Match) -> MatchResult:
    return MatchResult(match.names, match.play(indices(match.pairs)))


def figures(pairs: Pairs) -> list[npt.NDArray[np.float64]]:
    """Return points, draws, actions, turns and the decisions of both, pair by pair."""
    points, decisions, turns = pairs["points"], pairs["decisions"], pairs["game_turns"].sum(axis=1)
    found = points.sum(axis=1) / 4, (points == 1).sum(axis=1), pairs["actions"], turns, decisions[:, 0], decisions[:, 1]
    return [np.asarray(figure, np.float64) for figure in found]


def test_random_against_random_is_symmetric() -> None:
    inside = [0.5 in played(Match(HOUSE, ("random", "random"), 300, seed)).points for seed in range(100)]
    assert sum(inside) >= 89


@pytest.mark.parametrize(
    ("makers", "low", "high"),
    [
        (("baseline", "random"), 0.655, 0.675),
        (("heuristic", "baseline"), 0.55, 0.65),  # not frozen: better weights may come
        (("greedy", "random"), 0.555, 0.575),
        (("heuristic", "heuristic"), 0.495, 0.505),
    ],
    ids=lambda value: " v ".join(value) if isinstance(value, tuple) else None,
)
def test_known_strengths(makers: tuple[Maker, Maker], low: float, high: float) -> None:
    points = played(Match(HOUSE, makers, 50_000, seed=5)).points
    assert low < points.low < points.high < high


@pytest.mark.parametrize(
    ("rules", "makers", "pairs"),
    [
        ("house", ("baseline", "random"), 120),
        ("house", ("heuristic", "baseline"), 120),
        (PRINTED_PLAIN, ("greedy", "random"), 60),
        ("mini-9", ("heuristic", "greedy"), 400),
        ("mini-9", ("heuristic:noise=0.3", "greedy"), 400),
        ("mini-12", ("baseline", "random"), 400),
    ],
)
def test_agents_and_kernels_agree(rules: str, makers: tuple[Maker, Maker], pairs: int) -> None:
    """Points, draws and lengths of games of agents are within 3.29 standard errors (1 in 1,000) of the kernels'.

    The error is that of the agents' few games: 20,000 pairs of the kernels add a hundredth to it at most.
    """
    slow = Match(Rules.parse(rules), makers, pairs, seed=8, kernels=False, luck=False).play(indices(pairs))
    fast = Match(Rules.parse(rules), makers, 20_000, seed=9).play(indices(20_000))
    for ours, theirs in zip(figures(slow), figures(fast), strict=True):
        error = np.sqrt(theirs.var() * (1 / len(ours) + 1 / len(theirs)))
        assert abs(ours.mean() - theirs.mean()) <= 3.29 * error + 1e-12


def test_each_agent_keeps_its_own_weights() -> None:
    def careless() -> Agent:
        return ScriptedAgent(HEURISTIC, (-WEIGHTS.view(np.float64)).view(WEIGHTS.dtype))

    one = played(Match(HOUSE, ("heuristic", careless), 5_000, seed=1)).points
    other = played(Match(HOUSE, (careless, "heuristic"), 5_000, seed=1)).points
    assert one.low > 0.6
    assert other.high < 0.4


def test_a_pair_is_the_same_however_the_match_is_cut_up() -> None:
    match = Match(HOUSE, ("heuristic", "greedy"), 1000, seed=3)
    whole = match.play(indices(1000))
    cuts = [match.play(part) for part in np.split(indices(1000), [1, 17, 400, 401])]
    assert without_times(np.concatenate(cuts)) == without_times(whole)
    alone = match.play(np.array([999, 3, 500], np.int64))
    assert without_times(alone) == without_times(whole[[999, 3, 500]])


def test_both_games_of_a_pair_are_played_with_different_chance() -> None:
    pairs = Match(HOUSE, ("random", "random"), 500, seed=3).play(indices(500))
    assert 100 < (pairs["points"].sum(axis=1) == 2).sum() < 400  # with the same chance every pair would be shared


def test_draws_are_counted() -> None:
    result = played(Match(preset("mini-7"), ("random", "random"), 2_000, seed=1))
    assert result.score.draws > 50
    assert result.score.games == result.games == 4_000
    assert result.at(0).draws + result.at(1).draws == result.score.draws
    assert result.counts[1] + result.counts[3] > 0
    assert result.points.estimate == pytest.approx((result.score.wins + result.score.draws / 2) / 4_000)


def test_kernels_have_no_clock() -> None:
    assert played(Match(HOUSE, ("random", "random"), 10)).milliseconds == (None, None)
