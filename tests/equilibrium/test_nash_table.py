"""Every agent against itself: rows are the reports on one agent, and the table and picture say what they say."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.equilibrium.games import tree_of
from uno_pomdp.agents.agent import Budget
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.arena.statistics import Interval, paired_interval
from uno_pomdp.equilibrium.attempts import Attempt, challengers_of, self_play
from uno_pomdp.equilibrium.nash_report import ExactMargin, NashReport, nash_report
from uno_pomdp.equilibrium.nash_table import AGENTS, TITLES, NashTable, agents_for, nash_reports
from uno_pomdp.equilibrium.sequence_form import Bracket, Exploitability, value_of
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.policies.kernels import BASELINE, POLICY_NAMES
from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import preset

MINI = preset("mini-7")
HALF = Interval(0.5, 0.49, 0.51)


def attempt(margin: float, half: float, name: str) -> Attempt:
    """Return an attempt whose joint interval is twice as wide as its own."""
    own, joint = (Interval(margin, margin - width, margin + width) for width in (half, 2 * half))
    return Attempt(name, "", True, 100, own, joint)


TABLE = NashTable(
    "mini-7",
    1,
    (
        NashReport("mini-7", "shown", 1, Interval(0.55, 0.53, 0.57), (attempt(0.05, 0.02, "pomcp"),), None),
        NashReport(
            "mini-7", "open", 1, HALF, (attempt(0.06, 0.05, "wide"), attempt(0.01, 0.01, "narrow")), None
        ),
        NashReport(
            "mini-7", "exact", 1, HALF, (), ExactMargin(Exploitability(0.1, (0.3, 0.1)), Bracket(0.1, 0.1))
        ),
        NashReport(
            "mini-7", "solved", 1, HALF, (), ExactMargin(Exploitability(0.1, (0.1, -0.1)), Bracket(0.1, 0.1))
        ),
    ),
    ("late",),
)  # fmt: skip


def test_a_row_says_both_players_points_the_best_bound_and_the_verdict() -> None:
    assert dict(zip(TITLES, TABLE.rows()[0], strict=True)) == {
        "agent": "shown",
        "player 1 : 2": "55.0 : 45.0 ± 2.0",
        "margin": "+5.0",
        "95 % together": "+1.0 to +9.0",
        "exact": "",
        "verdict": "no equilibrium",
        "best attempt": "pomcp",
    }
    assert TABLE.rows()[1][2:] == ["+1.0", "-1.0 to +3.0", "", "not shown", "narrow"]  # it has the higher lower bound
    assert TABLE.rows()[2][2:] == ["", "", "+10.0", "no equilibrium", ""]
    assert TABLE.rows()[3][5] == "an equilibrium"
    assert len(str(TABLE).splitlines()) == 5


def test_a_table_becomes_json_with_every_report_whole() -> None:
    told = json.loads(json.dumps(TABLE.to_json()))
    assert told["reports"] == json.loads(json.dumps([report.to_json() for report in TABLE.reports]))
    assert (told["rules"], told["seed"], told["unfinished"]) == ("mini-7", 1, ["late"])


def test_a_picture_names_every_agent_and_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        TABLE.draw(tmp_path / name)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "b.svg").read_text(encoding="utf-8")
    for words in ("shown", "open", "exact", "solved", "player 1 in self-play", "best attempt", "rules mini-7"):
        assert words in text


def test_each_report_is_the_one_on_that_agent_alone() -> None:
    agents, budget = ("greedy", "flat:sims=5"), Budget(simulations=5)
    together = list(nash_reports(MINI, agents, budget, 2, seed=7))
    for agent, report in zip(agents, together, strict=True):
        assert report == nash_report(MINI, agent, challengers_of(agent, budget, MINI), 2, seed=7)


def test_there_is_an_agent_of_every_kind_and_each_budget_gives_the_same_games() -> None:
    kinds = [AgentSpec.parse(agent).name for agent in AGENTS]
    assert set(kinds) == {*POLICY_NAMES, "flat", "ismcts", "pomcp", "value", "champion"}
    assert not any(AgentSpec.parse(agent).timed for agent in AGENTS)
    assert agents_for(preset("house")) == AGENTS
    assert agents_for(MINI) == tuple(agent for agent in AGENTS if not agent.startswith("champion"))


class Asked(ScriptedAgent):
    """The baseline, asked move by move: a subclass plays outside of kernels, where luck is measured."""

    def __init__(self) -> None:
        super().__init__(BASELINE)


def test_self_play_with_luck_taken_out_is_the_value_of_player_1_and_narrower() -> None:
    """Within 4.5 standard errors (p < 1e-5) of the tree's value."""
    tree, match = tree_of("mini-7"), Match(MINI, (Asked, Asked), 300, seed=5)
    assert match.with_luck
    found = self_play(MINI, Asked, 300, seed=5)
    error = (found.high - found.low) / 2 / 1.96
    assert found.estimate == pytest.approx((1 + value_of(tree, scripted_policy(tree, BASELINE))) / 2, abs=4.5 * error)
    points = run_match(match).pairs["points"].astype(np.int64)
    plain = paired_interval(np.bincount(points[:, 0] + 2 - points[:, 1], minlength=5))
    assert found.high - found.low < 0.9 * (plain.high - plain.low)
