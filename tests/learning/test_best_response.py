"""A learned best response beside the exact one, and as an attempt of a Nash report."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.learning.test_trainer import TINY
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.cards import Cards
from uno_pomdp.equilibrium.nash_report import nash_report
from uno_pomdp.equilibrium.sequence_form import exploitability, value_of
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy, table_of
from uno_pomdp.learning.best_response import RESPONSE, respond
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE
from uno_pomdp.learning.config import config_of, responding
from uno_pomdp.learning.exact_check import exact_response, net_policy
from uno_pomdp.learning.frozen_opponent import frozen_name
from uno_pomdp.learning.nash_attempt import Learner, timed_config
from uno_pomdp.learning.nets import exported
from uno_pomdp.learning.trainer import Trainer
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import NetFile, load_net, random_net
from uno_pomdp.nets.policy_agent import PolicyNetAgent
from uno_pomdp.nets.pretrained import pretrained_policy
from uno_pomdp.policies.kernels import BASELINE, POLICY_NAMES, RANDOM
from uno_pomdp.rules import Rules, preset

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
    champion = NetFile(rules, {}, random_net((16,), 3))
    tree = build_tree(rules)
    table = table_of(tree, net_policy(tree, champion), {})
    np.testing.assert_allclose(table.probability, net_policy(tree, champion))
    assert -1.0 < value_of(tree, table.probability) < 1.0
    assert exploitability(tree, table.probability).exploitability > 0.0


def test_a_frozen_net_can_be_answered(tmp_path: Path) -> None:
    path = tmp_path / "frozen.npz"
    NetFile(preset("mini-7"), {}, random_net((64,), 3)).save(path)
    found = respond(SEVEN, str(path), threads=1, games=4_000)
    assert found.margin > 2 * found.points.half_width
    assert frozen_name(lambda: PolicyNetAgent(found.champion, file=path), preset("mini-7")) == str(path)
    assert found.champion.about["answers"] == load_net(path).checksum


def test_nash_takes_it_as_one_more_bound() -> None:
    report = nash_report(
        preset("mini-7"),
        "random",
        [],
        pairs=15,
        seed=3,
        trainers=[Learner(replace(SEVEN, decisions=40_000), games=2_000)],
    )
    (bound,) = report.bounds
    assert bound.name.startswith(Learner.name)
    assert re.fullmatch(r"learnt against it on 4\d,\d{3} choices", bound.about)
    assert bound.pairs == 300
    assert bound.knows
    assert report.exact is not None
    assert 0.0 < bound.margin.low < report.exact.margin


def test_who_can_be_trained_against_has_a_name_and_others_have_to_be_imitated() -> None:
    unsaved = NetFile(preset("mini-7"), {}, random_net((16,), 3))
    assert frozen_name(lambda: PolicyNetAgent(unsaved), preset("mini-7")) is None
    for agent in ("flat:ms=1", "champion:temperature=0.5"):
        assert frozen_name(agent, preset("house")) is None
    with pytest.raises(InvalidAgent, match="no champion comes with the package for the rules mini-7"):
        frozen_name("champion", preset("mini-7"))
    with pytest.raises(InvalidTraining, match="choose a preset"):
        frozen_name("random", Rules(deck=Cards.parse("R0 R1 R2 Y0 Y1 Y2"), hand_size=1))
    assert frozen_name("random", replace(preset("mini-7"), hand_size=1)) == "random"
    assert [frozen_name(name, preset("house")) for name in POLICY_NAMES] == list(POLICY_NAMES)
    assert frozen_name("heuristic:noise=0.1", preset("house")) == "heuristic:noise=0.1"
    assert responding(SEVEN, "heuristic:noise=0.1").opponents == ("heuristic:noise=0.1",)
    assert frozen_name("net.npz", preset("house")) == "net.npz"
    shipped = frozen_name("champion", preset("house"))
    assert shipped is not None
    assert load_net(shipped).checksum == pretrained_policy(preset("house")).checksum
    assert frozen_name("champion:ms=1", preset("house")) is None


def test_an_agent_whose_name_ends_like_a_file_is_an_agent(tmp_path: Path) -> None:
    champion = NetFile(preset("mini-7"), {}, random_net((16,), 3))
    champion.save(tmp_path / "net.npz")
    tree = build_tree(preset("mini-7"))
    table_of(tree, net_policy(tree, champion), {}).save(tmp_path / "table.npz")
    assert frozen_name(f"champion:file={tmp_path}/net.npz", preset("mini-7")) == f"{tmp_path}/net.npz"
    assert frozen_name(f"policy:file={tmp_path}/table.npz", preset("mini-7")) is None


def test_a_response_to_a_net_has_its_size_and_begins_as_it() -> None:
    house = preset("house")
    config = replace(timed_config("champion", house, "cpu"), games=4, measure_games=2)
    file = frozen_name("champion", house)
    assert file is not None
    trainer = Trainer(responding(config, file))
    try:
        for mine, its in zip(exported(trainer.player), PolicyNetAgent().champion_for(house).net, strict=True):
            np.testing.assert_array_equal(mine, its)
    finally:
        trainer.close()
    assert timed_config("flat:ms=1", house, "cpu").hidden == config.hidden
    assert timed_config("greedy", house, "cpu").hidden == config_of("small").hidden
    assert timed_config("greedy", house, "cuda").hidden == config_of("champion").hidden


def test_a_response_goes_on_where_its_folder_left_off_and_refuses_other_settings(tmp_path: Path) -> None:
    config = replace(SEVEN, decisions=10_000)
    first = respond(config, "random", threads=1, games=200, folder=tmp_path)
    again = respond(config, "random", threads=1, games=200, folder=tmp_path)
    assert again.decisions == first.decisions
    assert again.champion.checksum == first.champion.checksum == load_net(tmp_path / RESPONSE).checksum
    with pytest.raises(InvalidTraining, match="holds a training with another seed, opponents, against: name another"):
        respond(replace(config, seed=9), "greedy", threads=1, games=200, folder=tmp_path)


def test_the_command_learns_a_response_and_keeps_it_in_the_folder(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    from tests.cli.inside import call

    words = ["nash", "random", "--rules", "mini-7", "--pairs", "2", "--sims", "5", "--processes", "1", "--learn", "1"]
    words += ["--folder", str(tmp_path)]
    done = call(*words, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    (bound,) = (each for each in told["bounds"] if each["challenger"].startswith(Learner.name))
    assert bound["about"] == f"learnt against it on {told['learned']['choices']:,} choices"
    assert bound["true_model"]
    assert told["learned"]["curve"][-1]["decisions"] == told["learned"]["choices"]
    assert 0.0 <= told["learned"]["curve"][-1]["strength"]["random"]["estimate"] <= 1.0
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert {path.name for path in folder.iterdir()} == {CHECKPOINT, CURVE, RESPONSE}
    again = call(*words)
    assert again.code == 0, again.err
    assert f"after {told['learned']['choices']:,} choices; on the way" in " ".join(again.out.split())
    assert "nothing to play" in again.out


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "champion.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    exec(compile(example, "docs/champion.md", "exec"), {})
    assert re.search(r"learned best response [0-9a-f]{8}: margin", capsys.readouterr().out)
