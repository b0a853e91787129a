"""Playing as another agent does: what is learnt, and what a response to it is worth."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.learning.test_trainer import TINY
from uno_pomdp.agents.policies import BASELINE, RANDOM
from uno_pomdp.champion.net import load_champion
from uno_pomdp.equilibrium.nash import nash_report
from uno_pomdp.equilibrium.policies import scripted_policy
from uno_pomdp.equilibrium.tree import build_tree
from uno_pomdp.learning.__main__ import main
from uno_pomdp.learning.best_response import RESPONSE, respond
from uno_pomdp.learning.challenger import Learner
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE
from uno_pomdp.learning.environment import InvalidTraining
from uno_pomdp.learning.exact import exact_response, net_policy
from uno_pomdp.learning.imitation import IMITATION, ImitationConfig, imitate
from uno_pomdp.rules import preset

SEVEN = preset("mini-7")
SMALL = ImitationConfig(games=1_500, hidden=(64,), minibatch=64, rate=3e-3, epochs=30)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_a_response_to_a_net_that_plays_as_a_policy_is_one_to_the_policy(tmp_path: Path) -> None:
    found = imitate("baseline", SEVEN, SMALL)
    found.champion.save(tmp_path / IMITATION)
    tree = build_tree(SEVEN)
    mine, its = net_policy(tree, found.champion), scripted_policy(tree, BASELINE)
    assert np.abs(mine - its).mean() < 0.5 * np.abs(scripted_policy(tree, RANDOM) - its).mean()
    assert found.agreement > 0.75  # where it draws among equals, nobody can foretell it
    response = respond(replace(TINY, rules="mini-7"), str(tmp_path / IMITATION), threads=1, games=200).champion
    assert exact_response(tree, its, net_policy(tree, response)).share > 0.25  # who plays as `baseline` has 0
    assert response.about["imitates"] == found.champion.about["imitates"] == "baseline"


def test_a_search_is_imitated_and_its_response_measured_against_itself(tmp_path: Path) -> None:
    config = replace(TINY, rules="mini-7", decisions=30_000)
    learner = Learner(config, games=1_000, folder=tmp_path, imitation=replace(SMALL, games=300))
    report = nash_report(SEVEN, "flat:sims=2", [], pairs=10, trainers=[learner])
    (bound,) = report.bounds
    assert bound.about.startswith("learnt against a net that imitates it on 3")
    assert not bound.knows
    assert {path.name for path in tmp_path.iterdir()} == {CHECKPOINT, CURVE, RESPONSE, IMITATION}
    assert learner.imitation is not None
    assert learner.to_json()["imitation"]["choices"] == learner.imitation.about["choices"] > 50
    before = load_champion(tmp_path / IMITATION).checksum
    learner(SEVEN, "flat:sims=2", 1)
    assert load_champion(tmp_path / IMITATION).checksum == before
    with pytest.raises(
        InvalidTraining, match=f"{IMITATION} does not imitate flat:sims=3 under mini-7: name another folder"
    ):
        learner(SEVEN, "flat:sims=3", 1)


def test_the_commands_watch_and_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "flat.npz"
    asked = ["--rules", "mini-7", "--set", "games=60", "--set", "hidden=8", "--set", "epochs=2"]
    assert main(["imitate", str(file), "--agent", "flat:sims=2", *asked]) == 0
    assert f"wrote {file}, which imitates flat:sims=2 after " in capsys.readouterr().out
    assert load_champion(file).about["kind"] == "imitation"
    tiny = ["games=64", "steps=4", "hidden=8", "critic_hidden=8", "minibatch=64", "measure_games=40", "decisions=600"]
    settings = [part for setting in tiny for part in ("--set", setting)]
    respond_to = ["respond", str(tmp_path / "run"), "--config", "mini", "--games", "80", "--threads", "1", *settings]
    assert main([*respond_to, "--set", "rules=mini-7", "--against", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
    assert main([*respond_to, "--set", "rules=mini-7", "--against", "flat:sims=2"]) == 0
    said = capsys.readouterr().out
    assert "watched, " in said
    assert "for flat:sims=2 itself, which that imitates, ask nash flat:sims=2 --response FILE" in said
    assert load_champion(tmp_path / "run" / RESPONSE).about["imitates"] == "flat:sims=2"
    assert main(["imitate", str(file), "--agent", "flat:sims=2", "--set", "games=3"]) == 2
    assert "3 games are too few to imitate an agent: give at least 10" in capsys.readouterr().err
    pytest.importorskip("rich")
    from tests.cli.inside import call

    words = ["nash", "flat:sims=2", "--rules", "mini-7", "--pairs", "2", "--sims", "5", "--processes", "1"]
    told = call(*words, "--learn", "2")
    assert told.code == 0, told.err
    said = " ".join(told.out.split())
    assert "learnt against a net that imitates it on " in said
    assert "The imitation was learnt from " in said
    assert "Training, against a net that imitates flat:sims=2: " in said
    assert json.loads(call(*words, "--learn", "2", "--json").out)["learned"]["imitation"]["choices"] > 0
