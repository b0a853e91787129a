"""The nets in torch, and the same without it. As a script it writes what `tests/nets` compare with."""

import json

import numpy as np
import torch

from tests.nets.test_net_file import STORED, rows
from uno_pomdp.learning.nets import CriticNet, PlayerNet, exported, imported
from uno_pomdp.nets.net_file import OUTPUTS, forward, random_net
from uno_pomdp.nets.policy_features import ACTIONS, LEGAL

HIDDEN, SEED = (24, 16), 9


def test_stored_outputs_are_those_of_torch() -> None:
    stored = json.loads(STORED.read_text())
    log_all, values = outputs()
    np.testing.assert_allclose(np.exp(stored["log_probabilities"]), np.exp(log_all), atol=1e-6)
    np.testing.assert_allclose(stored["values"], values, atol=1e-6)


def test_a_net_survives_the_way_out_of_torch_and_back() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        player = PlayerNet((20, 12))
    net = exported(player)
    again = imported(net, torch.device("cpu"))
    for mine, other in zip(player.parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other)
    log_all, value = player(torch.from_numpy(rows()))
    for row, logs, expected in zip(rows(), log_all.detach().numpy(), value.detach().numpy(), strict=True):
        found = np.empty(OUTPUTS, np.float32)
        forward(net, row, found)
        legal = row[LEGAL : LEGAL + ACTIONS] > 0
        ratios = found[:ACTIONS][legal] - found[:ACTIONS][legal][0]
        np.testing.assert_allclose(ratios, logs[legal] - logs[legal][0], atol=1e-4)
        np.testing.assert_allclose(np.tanh(found[ACTIONS]), expected, atol=1e-5)


def test_a_critic_looks_at_the_other_hand_only_if_it_may() -> None:
    features = torch.from_numpy(rows(2))
    one, two = torch.zeros(2, 54, dtype=torch.uint8), torch.ones(2, 54, dtype=torch.uint8)
    blind, seeing = CriticNet((8,), False), CriticNet((8,), True)
    assert torch.equal(blind(features, one), blind(features, two))
    assert not torch.equal(seeing(features, one), seeing(features, two))


def outputs() -> tuple[list[list[float]], list[float]]:
    """Return log-probabilities and values of the stored net."""
    player = imported(random_net(HIDDEN, SEED), torch.device("cpu"))
    with torch.no_grad():
        log_all, values = player(torch.from_numpy(rows()))
    return log_all.tolist(), values.tolist()


if __name__ == "__main__":
    logs, expected = outputs()
    shown = [[round(max(value, -1e6), 7) for value in row] for row in logs]
    document = {"hidden": HIDDEN, "seed": SEED, "log_probabilities": shown, "values": [round(v, 7) for v in expected]}
    STORED.write_text(json.dumps(document) + "\n")
