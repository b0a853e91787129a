"""The net of a champion: its file, and its output without any learning library.

A net is a chain of fully connected layers with ReLU between them. That of a policy gives a logit for each of the 62
actions, with colours by place as in `policy_features`, and a value: tanh of it is what the seat expects, from −1 to 1.
Its file is a NumPy `.npz` archive without pickled objects:

    header     a JSON text: format, version, encoding, rules, sizes of the layers, checksum, and `about` from its maker
    weights    all layers one after the other, each as inputs × outputs, half precision
    biases     all layers one after the other
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp._version import __version__
from uno_pomdp.arrays import Floats, Singles
from uno_pomdp.errors import UnoError, UnusableFile, quoted
from uno_pomdp.files import written_whole
from uno_pomdp.inputs import read_archive
from uno_pomdp.jit import kernel
from uno_pomdp.nets import policy_features
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, LEGAL, check_encoded
from uno_pomdp.rules import Rules

Sizes = npt.NDArray[np.int64]

VERSION: Final = 1
OUTPUTS: Final = ACTIONS + 1
"""A logit for each action, and the value."""


class Shape(NamedTuple):
    """What a net is for."""

    format: str
    """How its file says so."""
    encoding: int
    """The version of its input encoding."""
    inputs: int
    """How many inputs it has."""
    outputs: int
    """How many outputs it has."""


POLICY: Final = Shape("uno-pomdp champion", policy_features.VERSION, FEATURES, OUTPUTS)
"""A net that plays."""


class Net(NamedTuple):
    """A net as kernels know it."""

    sizes: Sizes
    """Inputs, then the outputs of each layer."""
    weights: Singles
    """All weights, layer by layer, each as inputs × outputs."""
    biases: Singles
    """All biases, layer by layer."""


@dataclass(frozen=True)
class NetFile:
    """A trained net, and what it is for."""

    rules: Rules
    """The rules that it was trained with."""
    about: Mapping[str, Any]
    """How it was trained: configuration, command, cost; any JSON values."""
    net: Net
    """What it has learnt."""
    shape: Shape = POLICY
    """What it is for."""

    def __post_init__(self) -> None:
        check_encoded(self.rules)

    def __repr__(self) -> str:
        layers = "-".join(map(str, self.net.sizes.tolist()))
        return f"<NetFile for {self.rules.name}: {self.shape.format}, layers {layers}, checksum {self.checksum[:8]}>"

    @property
    def checksum(self) -> str:
        """A hash of its numbers, as in its file."""
        return checksum(self.net.weights.astype(np.float16), self.net.biases)

    def save(self, path: str | os.PathLike[str], over: bool = True) -> None:
        """Write the net to a file, whole or not at all; weights are rounded to half precision (`halved`)."""
        weights = self.net.weights.astype(np.float16)
        header = {
            "format": self.shape.format,
            "version": VERSION,
            "package": __version__,
            "encoding": self.shape.encoding,
            "rules": self.rules.to_json(),
            "sizes": self.net.sizes.tolist(),
            "checksum": checksum(weights, self.net.biases),
            "about": dict(self.about),
        }
        with written_whole(path, over=over) as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), weights=weights, biases=self.net.biases)


def load_net(path: str | os.PathLike[str], shape: Shape = POLICY) -> NetFile:
    """Read a net from its file, and refuse one that is damaged, for something else or of another encoding."""
    name = os.fspath(path)
    try:
        header, arrays = read_archive(path, ("weights", "biases"))
    except OSError as error:
        raise UnusableFile(f"{name} can't be read: {error.strerror or error}") from error
    except UnusableFile as error:
        raise UnusableFile(f"{name} holds no net: {error}") from error
    weights, biases = arrays["weights"], arrays["biases"]
    if header.get("format") != shape.format:
        raise UnusableFile(f"{name} holds no net: its header does not say {shape.format!r}")
    read = header.get("version"), header.get("encoding")
    if read != (VERSION, shape.encoding):
        raise UnusableFile(
            f"{name} is of version {quoted(read[0])} with encoding {quoted(read[1])}, but only version {VERSION} with "
            f"encoding {shape.encoding} is read: export it again with this package"
        )
    sizes, about = header.get("sizes"), header.get("about")
    try:
        rules = Rules.from_json(header.get("rules"))
    except UnoError as error:
        raise UnusableFile(f"{name} is damaged: {error}") from error
    try:
        check_encoded(rules)
    except UnoError as error:
        raise UnusableFile(f"{name} can't be used: {error}") from error
    if not (isinstance(sizes, list) and isinstance(about, dict) and _fitting(shape, sizes, weights, biases)):
        raise UnusableFile(f"{name} is damaged: its arrays do not fit its header")
    if header.get("checksum") != checksum(weights, biases):
        raise UnusableFile(f"{name} is damaged: its numbers are not those of its checksum")
    if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
        raise UnusableFile(f"{name} can't be used: not all of its numbers are finite, so its training failed")
    net = Net(np.array(sizes, np.int64), weights.astype(np.float32), biases)
    return NetFile(rules, about, net, shape)


def halved(net: Net) -> Net:
    """Return a net as its file will hold it: weights rounded to half precision."""
    return net._replace(weights=net.weights.astype(np.float16).astype(np.float32))


def checksum(weights: npt.NDArray[np.float16], biases: Singles) -> str:
    """Return a hash of all numbers of a file."""
    digest = hashlib.sha256(np.ascontiguousarray(weights).tobytes())
    digest.update(np.ascontiguousarray(biases).tobytes())
    return digest.hexdigest()


def net_of(layers: Sequence[tuple[Singles, Singles]]) -> Net:
    """Return a net from the weights (inputs × outputs) and biases of its layers."""
    sizes = [layers[0][0].shape[0], *(weights.shape[1] for weights, _ in layers)]
    weights = np.concatenate([weights.ravel() for weights, _ in layers]).astype(np.float32)
    return Net(np.array(sizes, np.int64), weights, np.concatenate([biases for _, biases in layers]).astype(np.float32))


def random_net(hidden: Sequence[int], seed: int, shape: Shape = POLICY) -> Net:
    """Return an untrained net with random weights."""
    chance = np.random.default_rng(seed)
    sizes = [shape.inputs, *hidden, shape.outputs]
    return net_of(
        [
            (chance.normal(0.0, (2.0 / a) ** 0.5, (a, b)).astype(np.float32), np.zeros(b, np.float32))
            for a, b in pairwise(sizes)
        ]
    )


def _fitting(shape: Shape, sizes: list[Any], weights: npt.NDArray[Any], biases: npt.NDArray[Any]) -> bool:
    if len(sizes) < 2 or any(not isinstance(size, int) or size < 1 for size in sizes):
        return False
    ends = (sizes[0], sizes[-1]) == (shape.inputs, shape.outputs)
    kinds = weights.dtype == np.float16 and biases.dtype == np.float32 and weights.ndim == biases.ndim == 1
    count = sum(a * b for a, b in pairwise(sizes))
    return ends and kinds and len(weights) == count and len(biases) == sum(sizes[1:])


# --- output ----------------------------------------------------------------------------------------------


@kernel
def forward(net: Net, row: Singles, outputs: Singles) -> None:
    """Write the outputs of a net for one row of inputs."""
    widest = 0
    for size in net.sizes:
        widest = size if size > widest else widest
    given = np.empty(widest, np.float32)
    where = np.empty(widest, np.int64)
    values = np.empty(widest, np.float32)
    count = 0
    for place in range(len(row)):
        if row[place] != 0.0:
            given[place] = row[place]
            where[count] = place
            count += 1
    pass_through(net, given, where, count, values)
    for place in range(len(outputs)):
        outputs[place] = values[place]


@kernel
def pass_through(net: Net, given: Singles, where: Sizes, count: int, values: Singles) -> None:
    """Write the outputs of a net into `values`; inputs of 0 cost nothing, and there are many.

    `count` inputs are not 0: `where` has their places, `given` the inputs by place. Both are overwritten; all three
    arrays are as long as the widest layer.
    """
    at, bias_at = 0, 0
    layers = len(net.sizes) - 1
    for layer in range(layers):
        wide, high = net.sizes[layer], net.sizes[layer + 1]
        weights = net.weights[at : at + wide * high].reshape((wide, high))
        for node in range(high):
            values[node] = net.biases[bias_at + node]
        add_rows(weights, given, where, count, values, high)
        if layer < layers - 1:
            count = 0
            for node in range(high):
                if values[node] > 0.0:
                    given[node] = values[node]
                    where[count] = node
                    count += 1
        at += wide * high
        bias_at += high


@kernel
def add_rows(
    weights: npt.NDArray[np.float32], given: Singles, where: Sizes, count: int, values: Singles, high: int
) -> None:
    """Add to the values the chosen rows of a layer times their inputs, four at a time: each value is loaded once."""
    done = 0
    while done + 4 <= count:
        a, b, c, d = where[done], where[done + 1], where[done + 2], where[done + 3]
        x, y, z, w = given[a], given[b], given[c], given[d]
        for node in range(high):
            values[node] += x * weights[a, node] + y * weights[b, node] + z * weights[c, node] + w * weights[d, node]
        done += 4
    while done < count:
        a = where[done]
        x = given[a]
        for node in range(high):
            values[node] += x * weights[a, node]
        done += 1


@kernel
def chances(outputs: Singles, row: Singles, temperature: float, result: Floats) -> None:
    """Write the probability of each action by place: the softmax of the legal logits over a temperature."""
    highest = -np.inf
    for action in range(ACTIONS):
        if row[LEGAL + action] > 0.0:
            logit = np.float64(outputs[action])
            highest = logit if logit > highest else highest
    total = 0.0
    for action in range(ACTIONS):
        result[action] = 0.0
        if row[LEGAL + action] > 0.0:
            result[action] = np.exp((np.float64(outputs[action]) - highest) / temperature)
            total += result[action]
    for action in range(ACTIONS):
        result[action] /= total
