"""A net of this package as an ONNX file, with what it needs to be understood elsewhere: its encoding and its rules.

The graph is a chain of `Gemm` and `Relu`; the last layer gives `logits`, a number for each of the 62 actions with
colours by place (`nets.policy_features`), and `value`, what the seat expects from −1 to 1. No mask is applied: what is
legal is among the features.
"""

import json
import os
from typing import Final

import numpy as np

from uno_pomdp._version import __version__
from uno_pomdp.arrays import Singles
from uno_pomdp.errors import UnusableFile
from uno_pomdp.files import written_whole
from uno_pomdp.nets.net_file import POLICY, NetFile, load_net
from uno_pomdp.nets.net_model import layers_of
from uno_pomdp.nets.onnx.model import FLOAT, INPUT, LOGITS, VALUE
from uno_pomdp.nets.onnx.wire import bytes_field, number_field
from uno_pomdp.nets.policy_features import ACTIONS, FEATURES, VERSION

IR_VERSION: Final = 8
"""Of the format: read by every runtime since 2022."""
OPSET: Final = 17
"""Of ONNX's operators, of the same time."""
ENCODING_KEY: Final = "uno-pomdp.encoding"
"""Names the encoding in a file's metadata: `champion` or `counts`."""
VERSION_KEY: Final = "uno-pomdp.encoding_version"
"""Says which version of it."""
RULES_KEY: Final = "uno-pomdp.rules"
"""Has the rules that it was trained with, as the JSON text of `Rules.to_json`."""
CHAMPION: Final = "champion"
"""The name of the champion's encoding."""
COUNTS: Final = "counts"
"""The name of plain counts."""


def export_onnx(net: NetFile | str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Write a champion's net, or the one in a net file, as ONNX; `onnx:file=…` plays it again.

    >>> import tempfile, pathlib
    >>> import uno_pomdp as uno
    >>> net = uno.make_agent("champion").champion_for(uno.preset("mini-9"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     uno.export_onnx(net, pathlib.Path(folder) / "mini-9.onnx")
    """
    net = net if isinstance(net, NetFile) else load_net(net)
    if net.shape != POLICY:
        raise UnusableFile(f"a net for {net.shape.format!r} plays no game: export a champion's")
    content = onnx_bytes(net)
    with written_whole(path) as file:
        file.write(content)


def onnx_bytes(net: NetFile) -> bytes:
    """Return a policy net as the bytes of an ONNX file."""
    metadata = {
        ENCODING_KEY: CHAMPION,
        VERSION_KEY: str(VERSION),
        RULES_KEY: json.dumps(net.rules.to_json()),
        "uno-pomdp.about": json.dumps(dict(net.about)),
    }
    return b"".join(
        [
            number_field(1, IR_VERSION),
            bytes_field(2, "uno-pomdp"),
            bytes_field(3, __version__),
            bytes_field(7, _graph(net)),
            bytes_field(8, number_field(2, OPSET)),
            *(bytes_field(14, bytes_field(1, key) + bytes_field(2, text)) for key, text in metadata.items()),
        ]
    )


def _graph(net: NetFile) -> bytes:
    """Return the chain of layers; the last one is written twice, for what it says of actions and of the value."""
    *hidden, (weights, biases) = layers_of(net.net)
    parts: list[bytes] = []
    before = INPUT
    for number, layer in enumerate(hidden, 1):
        parts += _layer(f"layer_{number}", layer, before, f"sum_{number}")
        before = f"hidden_{number}"
        parts.append(_node("Relu", [f"sum_{number}"], before))
    parts += _layer(LOGITS, (weights[:, :ACTIONS], biases[:ACTIONS]), before, LOGITS)
    parts += _layer(VALUE, (weights[:, ACTIONS:], biases[ACTIONS:]), before, "expected")
    parts.append(_node("Tanh", ["expected"], VALUE))
    parts.append(bytes_field(2, "uno_pomdp"))
    parts.append(bytes_field(11, _row(INPUT, FEATURES)))
    parts += [bytes_field(12, _row(LOGITS, ACTIONS)), bytes_field(12, _row(VALUE, 1))]
    return b"".join(parts)


def _layer(name: str, layer: tuple[Singles, Singles], given: str, result: str) -> list[bytes]:
    """Return the arrays of a layer, and the operator that uses them."""
    weights, biases = layer
    arrays = [
        bytes_field(5, _array(f"{name}.{part}", values)) for part, values in (("weight", weights), ("bias", biases))
    ]
    return [*arrays, _node("Gemm", [given, f"{name}.weight", f"{name}.bias"], result)]


def _node(operator: str, given: list[str], result: str) -> bytes:
    """Return an operator as a field of the graph."""
    inputs = b"".join(bytes_field(1, name) for name in given)
    return bytes_field(1, inputs + bytes_field(2, result) + bytes_field(3, result) + bytes_field(4, operator))


def _array(name: str, values: Singles) -> bytes:
    """Return numbers under a name."""
    sizes = b"".join(number_field(1, size) for size in values.shape)
    content = np.ascontiguousarray(values, "<f4").tobytes()
    return sizes + number_field(2, FLOAT) + bytes_field(8, name) + bytes_field(9, content)


def _row(name: str, size: int) -> bytes:
    """Return an input or output: rows of so many numbers, as many of them as one likes."""
    sizes = bytes_field(1, bytes_field(2, "batch")) + bytes_field(1, number_field(1, size))
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, number_field(1, FLOAT) + bytes_field(2, sizes)))
