"""The nets as torch modules: the player (policy and value), and the critic."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.errors import quoted
from uno_pomdp.learning.vector_games import InvalidTraining
from uno_pomdp.nets.net_file import OUTPUTS, Net, net_of
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, LEGAL

IMPOSSIBLE = -1e9
"""The logit of an action that is not legal."""


def usable_device(name: str) -> torch.device:
    """Return the torch device of a name, if it is available here."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).tolist()
    except (RuntimeError, AssertionError, ImportError):  # by what a torch lacks that was built for other devices
        raise InvalidTraining(
            f"torch can't use the device {quoted(name)} here: choose cpu, or cuda where there is a GPU"
        ) from None
    return device


class PlayerNet(nn.Module):
    """Logits of the actions (colours renumbered) and a value; `nets.net_file` computes the same without torch."""

    def __init__(self, hidden: Sequence[int]) -> None:
        super().__init__()
        self.hidden = tuple(hidden)
        """Widths of its layers."""
        self.layers = chain([FEATURES, *hidden, OUTPUTS])
        with torch.no_grad():
            self.layers[-1].weight.mul_(0.1)  # begins near the uniform policy

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-probability of each action and the value of each row."""
        outputs = through(self.layers, features).float()
        legal = features[:, LEGAL : LEGAL + ACTIONS] > 0
        logits = outputs[:, :ACTIONS].masked_fill(~legal, IMPOSSIBLE)
        return torch.log_softmax(logits, 1), torch.tanh(outputs[:, ACTIONS])


class CriticNet(nn.Module):
    """The value of a position to the seat to move, from −1 to 1; it may see the opponent's hand, as no player does."""

    def __init__(self, hidden: Sequence[int], sees_both: bool) -> None:
        super().__init__()
        self.sees_both = sees_both
        self.layers = chain([FEATURES + CARD_TYPES * sees_both, *hidden, 1])

    def forward(self, features: Tensor, hidden: Tensor) -> Tensor:
        """Return the value of each row."""
        rows = torch.cat([features, hidden.to(features.dtype)], 1) if self.sees_both else features
        return torch.tanh(through(self.layers, rows).float()[:, 0])


def chain(sizes: Sequence[int]) -> nn.ModuleList:
    """Return fully connected layers of these sizes, initialised for ReLU."""
    layers = nn.ModuleList()
    for wide, high in pairwise(sizes):
        layer = nn.Linear(wide, high)
        nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.zeros_(layer.bias)
        layers.append(layer)
    return layers


def through(layers: nn.ModuleList, rows: Tensor) -> Tensor:
    """Return the output of a chain of layers with ReLU between them."""
    for layer in layers[:-1]:
        rows = torch.relu(layer(rows))
    last: Tensor = layers[-1](rows)
    return last


class Layered(Protocol):
    """A module that is a chain of layers."""

    layers: nn.ModuleList
    """The chain."""


def exported(module: Layered) -> Net:
    """Return the net of a module for use without torch."""
    with torch.no_grad():
        return net_of(
            [
                (layer.weight.T.float().cpu().numpy().copy(), layer.bias.float().cpu().numpy().copy())
                for layer in module.layers
            ]
        )


def imported(net: Net, device: torch.device) -> PlayerNet:
    """Return a player with the weights of a net."""
    player = PlayerNet(net.sizes[1:-1].tolist())
    at, bias_at = 0, 0
    with torch.no_grad():
        for layer, (wide, high) in zip(player.layers, pairwise(net.sizes), strict=True):
            weights = net.weights[at : at + wide * high].reshape(wide, high)
            layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weights.T)))
            layer.bias.copy_(torch.from_numpy(net.biases[bias_at : bias_at + high].copy()))
            at += wide * high
            bias_at += high
    return player.to(device)
