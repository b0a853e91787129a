"""Training improves, goes on as if it had not stopped, and loses at most an interval when it is killed."""

import csv
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from uno_pomdp.errors import UnusableFile
from uno_pomdp.learning.__main__ import main
from uno_pomdp.learning.checkpoint import CHECKPOINT, CURVE, load_checkpoint
from uno_pomdp.learning.config import PRESETS, TrainConfig, config_of
from uno_pomdp.learning.strength import Measure
from uno_pomdp.learning.trainer import Trainer
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.rules import preset

TINY = TrainConfig(
    rules="mini-9",
    games=256,
    steps=8,
    hidden=(64,),
    critic_hidden=(64,),
    minibatch=512,
    decisions=60_000,
    checkpoint=2,
    measure=1000,
    measure_games=400,
    opponents=("random",),
    rate=(3e-3, 1e-3),
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def trained(config: TrainConfig, iterations: int | None = None, folder: Path | None = None) -> Trainer:
    """Return a trainer after so many iterations."""
    trainer = Trainer(config, threads=1)
    trainer.run(folder=folder, iterations=iterations)
    trainer.close()
    return trainer


def same_nets(first: Trainer, second: Trainer) -> bool:
    """Return whether two trainers have the same nets to the last bit."""
    return all(
        torch.equal(mine, other)
        for name in ("player", "critic", "average", "magnet")
        for mine, other in zip(getattr(first, name).parameters(), getattr(second, name).parameters(), strict=True)
    )


@pytest.mark.parametrize("mirror", [False, True])
def test_it_improves_on_a_mini_deck(mirror: bool) -> None:
    """Before: near one half. After: more than 54 % v random, which is 4σ above one half over 10,000 games."""
    config = replace(TINY, **PRESETS["mirror"]) if mirror else TINY
    measure = Measure(preset("mini-9"), "random", 10_000, torch.device("cpu"), "exact", 1)
    trainer = Trainer(config, threads=1)
    before = measure(trainer.player, 5)
    trainer.run()
    trainer.close()
    after = measure(trainer.player, 5)
    assert trainer.progress.decisions >= config.decisions
    assert abs(before.points - 0.5) < 0.03
    assert after.points > 0.54
    assert after.half_width < 0.02


def test_the_same_seed_gives_the_same_nets_and_another_one_others() -> None:
    first, second, third = (trained(replace(TINY, seed=seed), 3) for seed in (1, 1, 2))
    assert same_nets(first, second)
    assert not same_nets(first, third)


def test_resuming_is_the_same_as_never_having_stopped(tmp_path: Path) -> None:
    whole = trained(TINY, 6)
    trained(TINY, 4, tmp_path)
    resumed = Trainer.resume(tmp_path, threads=1)
    assert resumed.progress.iteration == 4
    resumed.run(iterations=2)
    resumed.close()
    assert same_nets(whole, resumed)
    assert whole.progress.decisions == resumed.progress.decisions
    assert whole.progress.moves == resumed.progress.moves


def test_a_critic_of_its_own_view_and_other_beliefs_train_too() -> None:
    for changes in ({"critic": "own"}, {"belief": "none"}, {"belief": "approximate"}):
        trainer = trained(replace(TINY, **changes), 2)  # type: ignore[arg-type]
        assert trainer.progress.decisions == 2 * 256 * 8


def test_killed_training_loses_at_most_an_interval(tmp_path: Path) -> None:
    """Killed after six iterations, with a checkpoint every two: what is on disk is of the sixth or later."""
    settings = ["games=256", "steps=8", "hidden=64", "minibatch=512"]
    settings += ["critic_hidden=64", "checkpoint=2", "measure=1000", "measure_games=100", "opponents=random"]
    command = [sys.executable, "-m", "uno_pomdp.learning", "train", str(tmp_path), "--config", "mini", "--threads", "1"]
    for setting in settings:
        command += ["--set", setting]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    done = 0
    for text in process.stdout:
        words = text.split()
        if len(words) > 2 and words[1] == "%" and words[2].isdigit():
            done = int(words[2])
        if done >= 6:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.wait()
    process.stdout.close()
    saved = load_checkpoint(tmp_path, "cpu")
    assert saved["progress"]["iteration"] >= 6
    resumed = Trainer.resume(tmp_path, threads=1)
    resumed.run(iterations=1)
    resumed.close()
    assert resumed.progress.iteration == saved["progress"]["iteration"] + 1


def test_the_command_trains_writes_and_evaluates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    settings = "games=64 steps=4 hidden=16 critic_hidden=16 minibatch=64 measure=2 measure_games=40 checkpoint=2"
    options = [word for setting in settings.split() for word in ("--set", setting)]
    assert main(["train", str(folder), "--config", "mini", "--decisions", "1000", "--threads", "1", *options]) == 0
    assert "choices/s" in capsys.readouterr().out
    rows = list(csv.DictReader((folder / CURVE).read_text().splitlines()))
    assert [int(row["iteration"]) for row in rows] == [2, 4]
    assert 0.0 <= float(rows[-1]["baseline"]) <= 1.0
    net = load_net(folder / "net.npz")
    assert net.rules == preset("mini-9")
    assert net.about["config"]["games"] == 64
    export = ["export", str(folder), str(tmp_path / "last.npz"), "--last"]
    assert main(export) == 0
    capsys.readouterr()
    assert main(export) == 2
    said = f"{tmp_path / 'last.npz'} is there already: name another file, or write over it with --force\n"
    assert capsys.readouterr().err == said
    assert main([*export, "--force"]) == 0
    assert main(["evaluate", str(tmp_path / "last.npz"), "--games", "80", "--against", "random", "--threads", "1"]) == 0
    assert "last.npz v random:" in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == [CHECKPOINT, CURVE, "net.npz"]


def test_what_can_t_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InvalidTraining, match="no setting is called 'speed'"):
        config_of("small", {"speed": "9"})
    with pytest.raises(InvalidTraining, match="no configuration is called 'large'"):
        config_of("large")
    with pytest.raises(InvalidTraining, match=r"games: .* is not a whole number from 1 to 10,000,000"):
        config_of("small", {"games": "many"})
    with pytest.raises(UnusableFile, match="can't be read"):
        Trainer.resume(tmp_path)
    with pytest.raises(InvalidTraining, match="seconds: 0 is not a number above 0"):
        Trainer(TINY, threads=1).run(seconds=0)
    (tmp_path / CHECKPOINT).write_bytes(b"nothing")
    with pytest.raises(UnusableFile, match="is damaged"):
        Trainer.resume(tmp_path)
    assert main(["train", str(tmp_path / "new"), "--set", "speed=9"]) == 2
    assert "no setting is called 'speed'" in capsys.readouterr().err


@pytest.mark.parametrize("rules", ["printed", "stacking", "house,swap=seven_zero"])
def test_rules_that_the_encoding_does_not_know_are_refused(rules: str) -> None:
    with pytest.raises(InvalidTraining, match=r"training does not know the rules? .*=.* yet: train under house, or"):
        TrainConfig(rules=rules)


def test_rules_are_told_in_one_way() -> None:
    assert TrainConfig(rules="house,skip=pass").rules == "pass"


def test_a_configuration_is_read_as_it_was_written() -> None:
    for name in PRESETS:
        config = config_of(name, {"hidden": "7,5", "opponents": "random, greedy", "seed": "4"})
        assert config.hidden == (7, 5)
        assert config.opponents == ("random", "greedy")
        assert TrainConfig.from_json(config.to_json()) == config


def test_the_command_of_people_does_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    from uno_pomdp.cli.commands.train import train

    monkeypatch.setattr("uno_pomdp.cli.commands.train.MEASURED", 80)

    settings = "games=64 steps=4 hidden=16 critic_hidden=16 minibatch=64 measure_games=40 decisions=600"
    for against in ("", "random"):
        folder = tmp_path / f"run-{against}"
        train(folder, "mini", settings.split(), against, None, "cpu", 1)
        assert load_net(folder / "net.npz").rules == preset("mini-9")
    assert "best response to random" in capsys.readouterr().out


def test_it_speaks_to_machines_and_takes_rules_and_a_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    from uno_pomdp.cli.commands.train import train

    monkeypatch.setattr("uno_pomdp.cli.commands.train.MEASURED", 80)

    settings = "games=64 steps=4 hidden=16 critic_hidden=16 minibatch=64 measure_games=40 decisions=600"
    train(tmp_path, "mini", settings.split(), "random", None, "cpu", 1, "mini-7", 5, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert (said["config"]["rules"], said["config"]["seed"]) == ("mini-7", 5)
    points = said["response"]["points"]
    assert points["low"] < points["estimate"] < points["high"]
    assert 0.0 <= points["estimate"] <= 1.0
    assert set(said["progress"]["strength"]) == {"random"}
    assert set(said["progress"]["strength"]["random"]) == {"estimate", "low", "high"}
    assert (said["response"]["against"], said["response"]["imitated"]) == ("random", "")
    assert said["progress"]["decisions"] >= 600
    assert {Path(name).name for name in said["files"]} == {path.name for path in tmp_path.iterdir()}
