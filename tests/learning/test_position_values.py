"""What positions are worth: told the same as in kernels, learnt from games, the same without torch."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from tests.helpers import PRINTED_PLAIN
from tests.nets.following import untrained
from tests.nets.test_position_features import told
from uno_pomdp.learning.__main__ import main
from uno_pomdp.learning.nets import exported
from uno_pomdp.learning.position_values import PositionConfig, PositionTrainer, Valuer, inputs_of
from uno_pomdp.learning.vector_games import InvalidTraining, VectorGames
from uno_pomdp.nets.net_file import load_net
from uno_pomdp.nets.policy_features import ACTIONS, LEGAL
from uno_pomdp.nets.position_features import INPUTS, OPPONENTS, POSITIONS, new_workspace
from uno_pomdp.rules import Rules, preset

TINY = PositionConfig(
    games=200, steps=8, hidden=(32, 16), teacher=(48,), minibatch=256, rate=5e-3, decisions=40_000, itself=0.4
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def shuffled(rows: npt.NDArray[np.float32], chance: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Return a random legal action for each row."""
    legal = rows[:, LEGAL : LEGAL + ACTIONS] > 0
    return np.where(legal, chance.random(legal.shape), -1.0).argmax(1).astype(np.uint8)


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "mini-9"])
def test_rows_of_the_environment_tell_what_kernels_tell(rules: str) -> None:
    environment, chance = VectorGames(Rules.parse(rules), 32, 1, threads=1), np.random.default_rng(1)
    with torch.random.fork_rng():
        workspace = new_workspace(exported(Valuer((8,))))
    states, row = environment.blocks[0].tables.states, np.empty(INPUTS, np.float32)
    for step in range(25):
        opponent = step % len(OPPONENTS)
        features, hidden = torch.from_numpy(environment.rows.features), torch.from_numpy(environment.rows.hidden)
        rows = inputs_of(features, hidden, torch.full((32,), opponent)).numpy()
        for table in range(32):
            told(states[table : table + 1], workspace, opponent, row)
            np.testing.assert_allclose(row, rows[table], atol=1e-6)
        environment.act(shuffled(environment.rows.features, chance))


def test_learning_brings_the_net_nearer_to_what_games_say() -> None:
    trainer = PositionTrainer(untrained(preset("mini-9")), TINY, threads=1)
    losses: list[float] = []
    net = trainer.run(report=lambda progress: losses.append(progress.loss))
    trainer.close()
    assert losses[-1] < 0.8 * losses[0]
    assert (net.shape, net.rules) == (POSITIONS, preset("mini-9"))


def test_the_same_seed_gives_the_same_net() -> None:
    def trained() -> npt.NDArray[np.float32]:
        trainer = PositionTrainer(untrained(preset("mini-9")), TINY, threads=1)
        try:
            return trainer.run().net.weights
        finally:
            trainer.close()

    np.testing.assert_array_equal(trained(), trained())


def test_the_command_writes_a_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    champion, file = tmp_path / "champion.npz", tmp_path / "positions.npz"
    untrained(preset("mini-9")).save(champion)
    settings = ["games=50", "steps=4", "decisions=1000", "hidden=8,4", "teacher=8", "minibatch=64"]
    asked = [part for setting in settings for part in ("--set", setting)]
    assert main(["positions", str(file), "--champion", str(champion), "--threads", "1", *asked]) == 0
    found = load_net(file, POSITIONS)
    assert found.net.sizes.tolist() == [INPUTS, 8, 4, 1]
    assert found.about["config"]["games"] == 50
    assert "positions" in capsys.readouterr().out


def test_wrong_settings_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(InvalidTraining, match="too few for all opponents: give at least 10"):
        PositionConfig(games=5)
    assert main(["positions", str(tmp_path / "p.npz"), "--set", "widths=3"]) == 2
    assert "no setting is called 'widths'" in capsys.readouterr().err
    few = ["--rules", "mini-9", "--threads", "1", "--set", "games=50"]
    assert main(["positions", str(tmp_path / "p.npz"), "--seconds", "0", *few]) == 2
    assert "'0' is not a number above 0 and up to 31,536,000" in capsys.readouterr().err
    assert not (tmp_path / "p.npz").exists()
