"""A learned best response beside the exact one, and as an attempt of a Nash report."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.learning.test_trainer import TINY
from uno_pomdp.agents.policies import BASELINE, POLICY_NAMES, RANDOM
from uno_pomdp.champion.agent import ChampionAgent
from uno_pomdp.champion.net import Champion, random_net
from uno_pomdp.equilibrium.nash import nash_report
from uno_pomdp.equilibrium.policies import scripted_policy
from uno_pomdp.equilibrium.sequence_form import exploitability, value_of
from uno_pomdp.equilibrium.tree import build_tree
from uno_pomdp.learning.best_response import respond
from uno_pomdp.learning.challenger import Learner, frozen_name
from uno_pomdp.learning.environment import InvalidTraining
from uno_pomdp.learning.exact import exact_response, net_policy, net_table
from uno_pomdp.rules import preset

SEVEN = replace(TINY, rules="mini-7", decisions=80_000)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_a_response_to_random_is_learnt_and_its_exact_value_is_below_the_best_one() -> None:
    rules = preset("mini-7")
    found = respond(SEVEN, "random", threads=1, games=8_000)
    tree = build_tree(rules)
    frozen = scripted_policy(tree, RANDOM)
    exact = exact_response(tree, frozen, net_policy(tree, found.champion))
    assert 0.5 < exact.share <= 1.0 + 1e-9
    # over duplicate deals the margin in points is half of the mean gain: measured within 4σ of what is exact
    assert found.margin == pytest.approx(exact.learned / 2, abs=2.1 * found.points.half_width)
    assert found.curve


def test_a_response_of_the_policy_itself_gains_nothing() -> None:
    tree = build_tree(preset("mini-7"))
    policy = scripted_policy(tree, BASELINE)
    exact = exact_response(tree, policy, policy)
    assert exact.learned == 0.0
    assert exact.exact.exploitability > 0.0


def test_a_net_as_a_table_is_the_same_policy() -> None:
    rules = preset("mini-7")
    champion = Champion(rules, {}, random_net((16,), 3))
    tree = build_tree(rules)
    table = net_table(tree, champion)
    np.testing.assert_allclose(table.probability, net_policy(tree, champion))
    assert -1.0 < value_of(tree, table.probability) < 1.0
    assert exploitability(tree, table.probability).exploitability > 0.0


def test_a_frozen_net_can_be_answered(tmp_path: Path) -> None:
    path = tmp_path / "frozen.npz"
    Champion(preset("mini-7"), {}, random_net((64,), 3)).save(path)
    found = respond(SEVEN, str(path), threads=1, games=4_000)
    assert found.margin > 2 * found.points.half_width
    assert frozen_name(lambda: ChampionAgent(found.champion, file=path), preset("mini-7")) == str(path)


def test_nash_takes_it_as_one_more_bound() -> None:
    report = nash_report(
        preset("mini-7"),
        "random",
        [],
        pairs=300,
        seed=3,
        trainers=[Learner(replace(SEVEN, decisions=40_000), games=2_000)],
    )
    (bound,) = report.bounds
    assert bound.name == Learner.name
    assert bound.knows
    assert report.exact is not None
    assert 0.0 < bound.margin.low < report.exact.margin


def test_who_can_t_be_frozen_is_refused() -> None:
    unsaved = Champion(preset("mini-7"), {}, random_net((16,), 3))
    with pytest.raises(InvalidTraining, match="champion can't be frozen"):
        frozen_name(lambda: ChampionAgent(unsaved), preset("mini-7"))
    assert [frozen_name(name, preset("house")) for name in POLICY_NAMES] == list(POLICY_NAMES)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "champion.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    exec(compile(example, "docs/champion.md", "exec"), {})
    assert "learned best response: margin" in capsys.readouterr().out
