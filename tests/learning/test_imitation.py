"""Playing as another agent does: what is learnt, and what a response to it is worth."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.learning.test_trainer import TINY
from uno_pomdp.agents.scripted import ScriptedAgent
from uno_pomdp.equilibrium.nash_report import nash_report
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import scripted_policy
from uno_pomdp.learning.__main__ import main
from uno_pomdp.learning.best_response import RESPONSE, respond
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE
from uno_pomdp.learning.exact_check import exact_response, net_policy
from uno_pomdp.learning.frozen_opponent import IMITATION
from uno_pomdp.learning.imitation import imitation
from uno_pomdp.learning.imitation.imitation import ENOUGH, HELD_BACK, ImitationConfig, imitate, watched
from uno_pomdp.learning.imitation.observed_choices import KINDS
from uno_pomdp.learning.nash_attempt import Learner
from uno_pomdp.learning.trainer import Trainer
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.policies.kernels import BASELINE, HEURISTIC, RANDOM, WEIGHTS
from uno_pomdp.rules import preset

SEVEN = preset("mini-7")
SMALL = ImitationConfig(games=1_500, hidden=(64,), minibatch=64, rate=3e-3, epochs=30)
TINY_RUN = ["games=64", "steps=4", "hidden=8", "critic_hidden=8", "minibatch=64", "measure_games=40", "decisions=600"]
TINY_SETTINGS = [part for setting in TINY_RUN for part in ("--set", setting)]


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
    before = load_net(tmp_path / IMITATION).checksum
    learner(SEVEN, "flat:sims=2", 1)
    assert load_net(tmp_path / IMITATION).checksum == before
    again = Learner(config, games=1_000, folder=Path(os.path.relpath(tmp_path)), imitation=replace(SMALL, games=300))
    again(SEVEN, "flat:sims=2", 1)  # the same folder, spelled otherwise
    assert again.to_json()["against"] == "imitation of flat:sims=2"
    assert again.to_json()["imitated"] == "flat:sims=2"
    with pytest.raises(
        InvalidTraining, match=f"{IMITATION} does not imitate flat:sims=3 under mini-7: name another folder"
    ):
        learner(SEVEN, "flat:sims=3", 1)


class Ticks:
    """A clock on which every look takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the next second."""
        self.now += 1.0
        return self.now


def test_games_of_both_kinds_and_seats_are_held_back() -> None:
    held_back = range(0, SMALL.games, HELD_BACK)
    assert {number % KINDS for number in held_back} == set(range(KINDS))
    assert {number // KINDS % 2 for number in held_back if number % KINDS} == {0, 1}


@pytest.mark.parametrize("processes", [1, 2])
def test_the_watching_ends_when_its_time_is_over_but_not_with_nothing_in_hand(processes: int) -> None:
    told: list[tuple[int, float]] = []
    learnt, held_back = watched(
        "greedy", SEVEN, SMALL, processes, 2.0, lambda choices, done: told.append((choices, done)), Ticks()
    )
    assert ENOUGH <= len(learnt.actions) + len(held_back.actions) == told[-1][0] < ENOUGH + 30
    assert [done for _, done in told[:-1] if done >= 1.0] == []
    assert told[-1][1] == 1.0
    assert len(told) < SMALL.games


def test_an_agent_that_is_called_as_a_policy_is_imitated_all_the_same(tmp_path: Path) -> None:
    weights = WEIGHTS.copy()
    weights[:] = 0.0
    learner = Learner(
        replace(TINY, rules="mini-7", decisions=2_000), games=40, folder=tmp_path, imitation=replace(SMALL, games=60)
    )
    learner(SEVEN, lambda: ScriptedAgent(HEURISTIC, weights), 1)
    assert learner.found is not None
    assert set(learner.found.curve[-1]) & {"heuristic", "frozen"} == {"frozen"}
    trainer = Trainer.resume(tmp_path)
    try:
        assert trainer.opponent is not None
        assert trainer.opponent.about["imitates"] == "heuristic"
    finally:
        trainer.close()


def test_a_response_to_a_response_answers_no_imitation(tmp_path: Path) -> None:
    imitate("greedy", SEVEN, replace(SMALL, games=60)).champion.save(tmp_path / "imitation.npz")
    config = replace(TINY, rules="mini-7", decisions=2_000)
    first = respond(config, str(tmp_path / "imitation.npz"), threads=1, games=40).champion
    assert first.about["imitates"] == "greedy"
    first.save(tmp_path / "first.npz")
    second = respond(config, str(tmp_path / "first.npz"), threads=1, games=40)
    assert "imitates" not in second.champion.about
    assert "imitates" not in str(second)


HELP = ": `python -m uno_pomdp.learning imitate --help` shows what it takes"
WRONG = [
    (["--seconds", "0"], "argument --seconds: '0' is not a number above 0 and up to 31,536,000" + HELP),
    (["--seconds", "-5"], "argument --seconds: '-5' is not a number above 0 and up to 31,536,000" + HELP),
    (["--processes", "0"], "nobody can be watched by 0 processes: give a number of them, or −1 for one on each core"),
    (["--set", "seed=-1"], "seed: -1 is not a whole number from 0 to 2^64 - 1"),
    (["--set", "games=3"], "3 games are too few to imitate an agent: give at least 11"),
    (["--device", "abacus"], "torch can't use the device 'abacus' here: choose cpu, or cuda where there is a GPU"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_a_wrong_request_is_refused_before_anybody_is_watched(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(imitation, "watched", None)
    assert main(["imitate", str(tmp_path / "net.npz"), "--agent", "flat:sims=2", "--rules", "mini-7", *words]) == 2
    assert capsys.readouterr().err.strip() == sentence
    assert not list(tmp_path.iterdir())


def test_a_place_where_no_net_can_be_written_is_refused_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["imitate", str(tmp_path / "none" / "net.npz"), "--agent", "flat:sims=2"]) == 2
    assert capsys.readouterr().err.strip().endswith(f"can't be written: there is no folder {tmp_path / 'none'}")


def test_a_folder_that_can_not_be_made_is_refused_before_anybody_is_watched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imitation, "watched", None)
    (tmp_path / "file").write_text("")
    assert main(["respond", str(tmp_path / "file"), "--against", "flat:sims=2"]) == 2
    assert capsys.readouterr().err.strip() == f"the folder {tmp_path / 'file'} can't be made: it is a file"


def test_a_training_goes_on_with_what_its_folder_holds_and_with_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imitation, "ENOUGH", 20)
    run, moved = tmp_path / "run", tmp_path / "moved"
    words = ["--config", "mini", "--games", "80", "--threads", "1", *TINY_SETTINGS, "--set", "rules=mini-7"]
    assert main(["respond", str(run), *words, "--against", "flat:sims=2", "--seconds", "2"]) == 0
    run.rename(moved)
    assert main(["respond", str(moved), *words, "--against", "flat:sims=2", "--seconds", "2"]) == 0
    assert "goes on from" in capsys.readouterr().out
    for other, held in [
        (["--against", "greedy"], "against=imitation of flat:sims=2"),
        (["--against", "flat:sims=2", "--set", "seed=4"], "seed=0"),
    ]:
        assert main(["respond", str(moved), *words, *other]) == 2
        assert f"holds a training with {held}: go on with that, or name another folder" in capsys.readouterr().err
    assert main(["train", str(moved), "--decisions", "77"]) == 2
    assert "holds a training with decisions=600: " in capsys.readouterr().err
    alone = ["train", str(tmp_path / "alone"), "--config", "mini", "--threads", "1", *TINY_SETTINGS]
    assert main([*alone, "--set", "rules=mini-7"]) == 0
    assert main(["respond", str(tmp_path / "alone"), "--against", "random"]) == 2
    assert "holds a training with against=nobody: " in capsys.readouterr().err


def test_the_command_for_people_says_whom_it_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    from uno_pomdp.cli.commands.train import train

    monkeypatch.setattr("uno_pomdp.cli.commands.train.MEASURED", 80)
    train(tmp_path, "mini", [*TINY_RUN], "flat:sims=2", 2.0, "cpu", 1, "mini-7", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["config"]["against"] == "imitation of flat:sims=2"
    assert told["response"]["imitated"] == "flat:sims=2"
    assert IMITATION in {Path(file).name for file in told["files"]}


def test_the_commands_watch_and_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "flat.npz"
    asked = ["--rules", "mini-7", "--set", "games=60", "--set", "hidden=8", "--set", "epochs=2"]
    assert main(["imitate", str(file), "--agent", "flat:sims=2", *asked]) == 0
    assert f"wrote {file}, which imitates flat:sims=2 after " in capsys.readouterr().out
    assert load_net(file).about["kind"] == "imitation"
    assert main(["imitate", str(file), "--agent", "flat:sims=2", *asked]) == 2
    said = f"{file} is there already: name another file, or write over it with --force\n"
    assert capsys.readouterr().err == said
    assert main(["imitate", str(file), "--agent", f"champion:file={file}", "--force", *asked]) == 2
    assert capsys.readouterr().err == f"{file} is a file that this command reads: name another one to write\n"
    respond_to = ["respond", str(tmp_path / "run"), "--config", "mini", "--games", "80", "--threads", "1"]
    respond_to += TINY_SETTINGS
    assert main([*respond_to, "--set", "rules=mini-7", "--against", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
    assert main([*respond_to, "--set", "rules=mini-7", "--against", "flat:sims=2"]) == 0
    said = capsys.readouterr().out
    assert "watched 100 %, " in said
    assert "best response to a net that imitates flat:sims=2 after " in said
    assert "against flat:sims=2 itself: nash flat:sims=2 --response FILE" in said
    assert load_net(tmp_path / "run" / RESPONSE).about["imitates"] == "flat:sims=2"
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
