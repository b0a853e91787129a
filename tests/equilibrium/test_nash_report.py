"""Bounds by play agree with what the whole tree says, intervals hold together, and verdicts claim what was shown."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from tests.equilibrium.games import LATER_GAMES, tree_of
from uno_pomdp.agents.agent import Budget
from uno_pomdp.agents.tabular import TabularAgent
from uno_pomdp.arena.match import Maker, Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Interval
from uno_pomdp.equilibrium.attempts import (
    Attempt,
    AttemptTrainer,
    Challenger,
    attempt_all,
    bound_of,
    challengers_of,
    self_play,
)
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.nash_report import ExactMargin, NashReport, exact_of, nash_report
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability, best_response, exploitability, value_of
from uno_pomdp.equilibrium.tree_policies import scripted_policy, table_of
from uno_pomdp.plots import NoPictures
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, POLICY_NAMES
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

MINI = preset("mini-7")
FAR = 4.5
"""Standard errors; a true figure is further away with p < 1e-5."""


def error_of(margin: Interval) -> float:
    """Return the standard error behind a 95 % interval."""
    return (margin.high - margin.low) / 2 / NormalDist().inv_cdf(0.975)


class Exactly:
    """Hands in the best response of the whole tree, as something learned would be."""

    name = "exact"

    def __call__(self, rules: Rules, agent: Maker, seed: int) -> Challenger:
        """Return the best responses of both seats as one player."""
        del rules, agent, seed
        tree = tree_of("mini-7")
        policy = scripted_policy(tree, BASELINE)
        halves = [best_response(tree, policy, seat).policy for seat in (0, 1)]
        middle = tree.sequence_start[1]
        table = table_of(tree, np.append(halves[0][:middle], halves[1][middle:]), {})
        return Challenger(lambda: TabularAgent(table), "is the best response", True)


def test_a_response_that_is_handed_in_earns_the_exact_margin_and_no_attempt_is_shown_above_it() -> None:
    trainer: AttemptTrainer = Exactly()
    searches = challengers_of("baseline", Budget(simulations=40), MINI)
    report = nash_report(MINI, "baseline", searches, 60, seed=3, trainers=[trainer], tree=tree_of("mini-7"))
    assert report.exact is not None
    assert report.exact.result == exploitability(tree_of("mini-7"), scripted_policy(tree_of("mini-7"), BASELINE))
    handed = next(bound for bound in report.bounds if bound.about == "is the best response")
    assert handed.margin.estimate == pytest.approx(report.exact.margin, abs=FAR * error_of(handed.margin))
    assert [bound.pairs for bound in report.bounds if bound.about != handed.about].count(300) == 2
    for bound in report.bounds:
        assert bound.margin.estimate <= report.exact.margin + FAR * error_of(bound.margin)
    assert [bound.margin.estimate for bound in report.bounds] == sorted(
        (bound.margin.estimate for bound in report.bounds), reverse=True
    )
    assert json.loads(json.dumps(report.to_json()))["verdict"] == report.verdict


@pytest.mark.parametrize(("name", "agent"), [*zip(LATER_GAMES, itertools.cycle(POLICY_NAMES), strict=False)])
def test_under_every_rule_there_is_an_exact_value_and_it_is_what_games_earn(name: str, agent: str) -> None:
    rules, tree = LATER_GAMES[name], tree_of(name)
    exact, why_not = exact_of(rules, agent, tree)
    assert exact is not None, why_not
    assert exact.margin > 0.0
    assert exact.game.low <= exact.game.high
    assert -exact.result.best[1] <= exact.game.high
    assert exact.result.best[0] >= exact.game.low
    found = self_play(rules, agent, 20, seed=5)  # a thousand times as many for scripted agents
    assert found.estimate == pytest.approx((1 + exact.result.value) / 2, abs=FAR * error_of(found))


def test_an_equilibrium_of_mini_bluff_is_called_one(tmp_path: Path) -> None:
    tree = tree_of("challenge")
    file = tmp_path / "bluff.npz"
    table_of(tree, solve(tree, target=1e-5).policy, {}).save(file)
    report = nash_report(tree.rules, f"policy:file={file}", [], 2, tree=tree)
    assert report.finding == "an equilibrium"
    # who never challenges loses what the habit costs: baseline never bluffs, which costs nothing here
    exact, _ = exact_of(tree.rules, "baseline", tree)
    assert exact is not None
    assert 100 * exact.margin == pytest.approx((4.94 + 3.69) / 2, abs=0.01)


def test_without_a_finite_tree_a_report_says_why() -> None:
    """Under every preset: what can't be listed is no error."""
    for name in ("printed", "stacking", "party", "mini-12"):
        exact, why_not = exact_of(preset(name), "baseline")
        assert exact is None
        assert why_not.startswith("a game with reshuffles has no finite tree")


def test_a_margin_is_that_of_the_tree_and_self_play_is_the_value_of_player_1() -> None:
    tree = tree_of("mini-7")
    middle = tree.sequence_start[1]
    one, other = scripted_policy(tree, HEURISTIC), scripted_policy(tree, BASELINE)
    values = [value_of(tree, np.append(a[:middle], b[middle:])) for a, b in ((one, other), (other, one))]
    (bound,) = attempt_all(MINI, "baseline", [Challenger("heuristic", "", False)], 20_000, seed=5)
    assert bound.margin.estimate == pytest.approx((values[0] - values[1]) / 4, abs=FAR * error_of(bound.margin))
    first = self_play(MINI, "baseline", 1, seed=5)
    assert first.estimate == pytest.approx((1 + value_of(tree, other)) / 2, abs=FAR * error_of(first))
    assert first.high - first.low < 0.02  # 20,000 pairs, though one was asked for: in kernels they cost nothing


def test_intervals_of_several_attempts_are_wider_by_bonferroni() -> None:
    result = run_match(Match(MINI, ("heuristic", "baseline"), 1000, seed=1))
    challenger = Challenger("heuristic", "", False)
    alone, one_of_three = bound_of(challenger, result, 1), bound_of(challenger, result, 3)
    assert alone.joint.low == pytest.approx(alone.margin.low, abs=1e-6)
    wider = (one_of_three.joint.high - one_of_three.joint.low) / (alone.joint.high - alone.joint.low)
    assert wider == pytest.approx(2.3940 / 1.9600, abs=1e-3)  # quantiles of the normal law at 1 − 0.025/3 and 0.975


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_a_simple_policy_is_met_by_searches_that_know_it(name: str) -> None:
    found = challengers_of(name, Budget(simulations=7), preset("house"))
    assert all(each.knows for each in found)
    assert found[0].maker == f"pomcp:sims=7,model={name}"
    for each in found:
        assert isinstance(each.maker, str)
        make_agent(each.maker)


def test_noise_is_known_to_all_searches_but_the_champions() -> None:
    found = challengers_of("heuristic:noise=0.1", Budget(simulations=7), preset("house"))
    assert [each.maker for each in found] == [
        "pomcp:sims=7,model=heuristic:noise=0.1",
        "flat:sims=7,rollout=heuristic:noise=0.1",
        "ismcts:sims=7,rollout=heuristic:noise=0.1",
        "champion:sims=7,opponent=heuristic",
    ]
    assert [each.knows for each in found] == [True, True, True, False]
    assert found[-1].about == "looks ahead with heuristic, which is its policy without the noise"
    for each in found:
        assert isinstance(each.maker, str)
        make_agent(each.maker)


@pytest.mark.parametrize(
    ("agent", "model"),
    [("flat:ms=10", "heuristic"), ("flat:ms=10,rollout=random", "random"), ("policy:file=a.npz", "heuristic")],
)
def test_any_other_agent_is_met_by_searches_that_say_they_do_not_know_it(agent: str, model: str) -> None:
    found = challengers_of(agent, Budget(milliseconds=2.5), MINI)
    assert found[0].maker == f"pomcp:ms=2.5,model={model}"
    assert not any(each.knows for each in found)
    assert all(each.about.endswith(f"{model}, which is not its policy") for each in found)


# --- verdicts --------------------------------------------------------------------------------------------

HALF = Interval(0.5, 0.49, 0.51)


def bound(low: float, name: str = "pomcp") -> Attempt:
    return Attempt(name, "", True, 100, Interval(low + 0.02, low, low + 0.04), Interval(low + 0.02, low, low + 0.04))


@pytest.mark.parametrize(
    ("exact", "bounds", "says"),
    [
        (
            None,
            (bound(-0.01, "flat"), bound(0.03)),
            "On house greedy against itself is no equilibrium: pomcp gains at least 3.00 points of 100, with 95 % "
            "confidence over all attempts.",
        ),
        (
            None,
            (bound(-0.001),),
            "On house none of these attempts is shown to beat greedy, which does not show that it is an equilibrium.",
        ),
        (
            ExactMargin(Exploitability(0.1, (0.3, 0.1)), Bracket(0.1, 0.1)),
            (bound(-0.01),),
            "On house greedy against itself is no equilibrium: over the whole game tree the best responses gain 10.00 "
            "points of 100.",
        ),
        (
            ExactMargin(Exploitability(0.1, (0.1004, -0.1)), Bracket(0.1, 0.1)),
            (),
            "On house greedy against itself is an equilibrium within 0.010 points of 100: over the whole game tree no "
            "best response gains more.",
        ),
    ],
)
def test_a_verdict_claims_what_was_shown(exact: ExactMargin | None, bounds: tuple[Attempt, ...], says: str) -> None:
    report = NashReport("house", "greedy", 1, HALF, bounds, exact)
    assert report.verdict == says
    assert str(report).endswith(says)


def test_the_share_of_the_exact_margin_is_said_where_there_is_one() -> None:
    exact = ExactMargin(Exploitability(0.0, (0.2, 0.2)), Bracket(0.0, 0.0))
    report = NashReport("mini-7", "greedy", 1, HALF, (bound(0.03),), exact)
    assert report.reached(report.bounds[0]) == pytest.approx(0.05 / 0.1)
    assert replace(report, exact=None).reached(report.bounds[0]) is None


# --- what is exact ---------------------------------------------------------------------------------------


def test_an_equilibrium_is_called_one(tmp_path: Path) -> None:
    tree = tree_of("mini-7")
    table_of(tree, solve(tree, target=1e-5).policy, {}).save(tmp_path / "e.npz")
    exact, why_not = exact_of(MINI, f"policy:file={tmp_path / 'e.npz'}", tree)
    assert exact is not None
    assert not why_not
    assert exact.margin < 1e-5
    exactly = 47 / 135  # 0.348148… by the linear programme
    assert (exact.game.low, exact.game.high) == pytest.approx((exactly, exactly), abs=1e-3)
    report = NashReport("mini-7", "e", 1, HALF, (), exact)
    assert "is an equilibrium within 0.000 points" in report.verdict


def test_where_nothing_is_exact_the_reason_is_said() -> None:
    assert exact_of(MINI, "flat:sims=5") == (
        None,
        "the agent has no policy in closed form: it can only be measured by playing",
    )
    exact, why_not = exact_of(preset("house"), "random")
    assert exact is None
    assert why_not.startswith("a game with reshuffles has no finite tree")


def test_a_picture_is_drawn_the_same_each_time(tmp_path: Path) -> None:
    exact = ExactMargin(Exploitability(0.0, (0.2, 0.2)), Bracket(0.0, 0.0))
    report = NashReport("mini-7", "greedy", 1, HALF, (bound(0.03), bound(-0.01, "flat")), exact)
    for name in ("a.svg", "b.svg"):
        report.draw(tmp_path / name)
    first = (tmp_path / "a.svg").read_bytes()
    assert first == (tmp_path / "b.svg").read_bytes()
    assert len(first) > 5_000
    with pytest.raises(NoPictures, match=r"is no file for a picture: name a \.svg, \.png, \.pdf"):
        report.draw(tmp_path / "a.txt")
