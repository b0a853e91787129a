"""A net's file and its output, without torch."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from uno_pomdp.errors import InvalidAgent, UnusableFile
from uno_pomdp.nets.net_file import (
    OUTPUTS,
    Net,
    NetFile,
    chances,
    forward,
    halved,
    load_net,
    random_net,
)
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, LEGAL
from uno_pomdp.rules import Rules, preset

STORED = Path(__file__).parent / "torch_outputs.json"
"""What torch says; written by `python -m tests.learning.test_nets`."""


def rows(count: int = 4) -> npt.NDArray[np.float32]:
    """Return inputs, most of them 0, with three legal actions each."""
    chance = np.random.default_rng(7)
    made = (chance.random((count, FEATURES)) * (chance.random((count, FEATURES)) < 0.3)).astype(np.float32)
    made[:, LEGAL : LEGAL + ACTIONS] = 0.0
    made[:, [LEGAL, LEGAL + 20, LEGAL + 61]] = 1.0
    return made


def obvious(net: Net, row: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return the output of a net, layer by layer."""
    values, at, bias_at = row.astype(np.float64), 0, 0
    for number, (wide, high) in enumerate(zip(net.sizes[:-1], net.sizes[1:], strict=True)):
        values = values @ net.weights[at : at + wide * high].reshape(wide, high) + net.biases[bias_at : bias_at + high]
        if number < len(net.sizes) - 2:
            values = np.maximum(values, 0.0)
        at, bias_at = at + wide * high, bias_at + high
    return values


@pytest.mark.parametrize("hidden", [(), (5,), (24, 16), (33, 7, 20)])
def test_the_kernel_is_the_chain_of_layers(hidden: tuple[int, ...]) -> None:
    net = random_net(hidden, 3)
    net.biases[:] = np.random.default_rng(1).normal(size=len(net.biases))
    for row in rows():
        outputs = np.empty(OUTPUTS, np.float32)
        forward(net, row, outputs)
        np.testing.assert_allclose(outputs, obvious(net, row), rtol=1e-4, atol=1e-4)


def test_the_kernel_says_what_torch_says() -> None:
    stored = json.loads(STORED.read_text())
    net = random_net(stored["hidden"], stored["seed"])
    for row, log_all, value in zip(rows(), stored["log_probabilities"], stored["values"], strict=True):
        outputs, policy = np.empty(OUTPUTS, np.float32), np.empty(ACTIONS)
        forward(net, row, outputs)
        chances(outputs, row, 1.0, policy)
        np.testing.assert_allclose(policy, np.exp(log_all), atol=1e-5)
        assert np.tanh(outputs[ACTIONS]) == pytest.approx(value, abs=1e-5)


def test_a_temperature_sharpens_the_policy() -> None:
    outputs, policy, sharp = np.empty(OUTPUTS, np.float32), np.empty(ACTIONS), np.empty(ACTIONS)
    row = rows()[0]
    forward(random_net((8,), 2), row, outputs)
    chances(outputs, row, 1.0, policy)
    chances(outputs, row, 0.5, sharp)
    assert set(np.flatnonzero(policy)) == {0, 20, 61}
    np.testing.assert_allclose(sharp, policy**2 / (policy**2).sum(), rtol=1e-9)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    net = random_net((8, 4), 5)
    NetFile(preset("mini-9"), {"seed": 5}, net).save(tmp_path / "net.npz")
    read = load_net(tmp_path / "net.npz")
    assert read.rules == preset("mini-9")
    assert read.about == {"seed": 5}
    for mine, written in zip(read.net, halved(net), strict=True):
        np.testing.assert_array_equal(mine, written)
    assert [path.name for path in tmp_path.iterdir()] == ["net.npz"]


def test_a_checksum_is_that_of_the_file_and_another_for_other_numbers_alone(tmp_path: Path) -> None:
    champion = NetFile(preset("mini-9"), {"seed": 5}, random_net((8, 4), 5))
    champion.save(tmp_path / "net.npz")
    with np.load(tmp_path / "net.npz") as archive:
        written = json.loads(str(archive["header"]))["checksum"]
    assert champion.checksum == load_net(tmp_path / "net.npz").checksum == written
    assert NetFile(preset("mini-9"), {}, champion.net).checksum == written
    assert NetFile(preset("mini-9"), {}, random_net((8, 4), 6)).checksum != written


def damaged(path: Path, **changes: object) -> None:
    """Write a file anew with some of its parts replaced."""
    with np.load(path) as archive:
        parts = {name: archive[name] for name in archive.files}
    header = json.loads(str(parts["header"]))
    for name, value in changes.items():
        if name in parts:
            parts[name] = np.asarray(value)
        else:
            header[name] = value
    parts["header"] = np.array(json.dumps(header))
    np.savez(path, **parts)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": "something"}, "holds no net: its header does not say"),
        ({"encoding": 99}, "with encoding 99, but only version 1 with encoding 1 is read"),
        ({"sizes": [337, 9, 63]}, "its arrays do not fit its header"),
        ({"rules": {}}, "is damaged: rules have the fields deck, hand_size"),
        (
            {"rules": preset("party").to_json()},
            "can't be used: the encoding of nets .version 1. does not know the rules",
        ),
        ({"sizes": 5}, "its arrays do not fit its header"),
        ({"biases": np.ones(71, np.float32)}, "its numbers are not those of its checksum"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, changes: dict[str, object], sentence: str) -> None:
    path = tmp_path / "net.npz"
    NetFile(preset("house"), {}, random_net((8,), 5)).save(path)
    damaged(path, **changes)
    with pytest.raises(UnusableFile, match=sentence):
        load_net(path)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("part", ["weights", "biases"])
def test_a_net_whose_numbers_are_not_finite_is_refused(tmp_path: Path, part: str, wrong: float) -> None:
    path, net = tmp_path / "net.npz", random_net((8,), 5)
    getattr(net, part)[3] = wrong
    NetFile(preset("house"), {}, net).save(path)
    with pytest.raises(UnusableFile, match="not all of its numbers are finite"):
        load_net(path)


def test_a_net_whose_header_names_fewer_fields_of_rules_knows_the_defaults_of_the_others(tmp_path: Path) -> None:
    old = Rules(drawn_card="may_play", wild_four="last_resort", draw="optional")
    for rules in (preset("house"), old):
        NetFile(rules, {}, random_net((8,), 5)).save(tmp_path / "net.npz")
        fields = {name: value for name, value in rules.to_json().items() if name not in ("stack", "first_card", "swap")}
        damaged(tmp_path / "net.npz", rules=fields)
        assert load_net(tmp_path / "net.npz").rules == rules
    assert old.name == "printed,wild_four=last_resort,first_card=plain"


@pytest.mark.parametrize("changes", ["wild_four=challenge", "draw=until_playable", "stack=same", "first_card=acts"])
def test_rules_that_the_encoding_does_not_know_have_no_net(changes: str) -> None:
    with pytest.raises(InvalidAgent, match=rf"does not know the rule {changes} yet: play heuristic or flat"):
        NetFile(Rules.parse(f"house,{changes}"), {}, random_net((8,), 5))


def test_a_file_that_is_no_net_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="can't be read"):
        load_net(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("a text")
    with pytest.raises(UnusableFile, match="holds no net"):
        load_net(tmp_path / "text.npz")
