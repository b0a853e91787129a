"""An ONNX file, looked into before anything runs it: size, operators, names, shapes, and what its maker wrote into it.

A net that plays has one input `features` and an output `logits`, both rows of single-precision numbers; a second output
`value` is allowed. What is not listed here is refused: other operators, subgraphs, functions, numbers in other files.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from uno_pomdp.errors import UnusableFile, quoted
from uno_pomdp.inputs import read_bytes
from uno_pomdp.nets.onnx.wire import Field, damaged, fields, message_of, number_of, text_of

MOST_BYTES: Final = 64 << 20
"""Of a file: the package's champion has 2 MB as ONNX."""
MOST_MEMORY: Final = 1 << 30
"""Bytes that the runtime may take for all nets of a process: a small file can ask for any number of them."""
MOST_NODES: Final = 1000
"""Operators of one net."""
INPUT: Final = "features"
"""The name of the input."""
LOGITS: Final = "logits"
"""The name of the output that says how good each action is."""
VALUE: Final = "value"
"""The name of an output that says what the seat expects."""
OPERATORS: Final = frozenset({
    "Abs", "Add", "BatchNormalization", "Cast", "Clip", "Concat", "Constant", "Div", "Elu", "Erf", "Exp", "Flatten",
    "Gather", "Gelu", "Gemm", "HardSigmoid", "HardSwish", "Identity", "LayerNormalization", "LeakyRelu", "Log",
    "LogSoftmax", "MatMul", "Max", "Mean", "Min", "Mish", "Mul", "Neg", "Pow", "PRelu", "ReduceMax", "ReduceMean",
    "ReduceSum", "Relu", "Reshape", "Selu", "Sigmoid", "Slice", "Softmax", "Softplus", "Softsign", "Split", "Sqrt",
    "Squeeze", "Sub", "Sum", "Tanh", "Transpose", "Unsqueeze",
})  # fmt: skip
"""What a net may be made of: arithmetic on arrays. No loops, no chance, no files, no operators of its own."""

# The numbers of the fields, from onnx.proto.
GRAPH, METADATA, TRAINING, FUNCTIONS = 7, 14, 20, 25
NODE, INITIALIZER, GRAPH_INPUT, GRAPH_OUTPUT, SPARSE = 1, 5, 11, 12, 15
OPERATOR, ATTRIBUTE, DOMAIN = 4, 5, 7
TENSOR, TENSORS = 5, 10
SUBGRAPHS: Final = (6, 11, 22, 23)
"""Attributes that hold graphs or sparse tensors."""
TENSOR_NAME, EXTERNAL, LOCATION = 8, 13, 14
FLOAT: Final = 1
"""The number of single precision among the types of numbers."""
MAIN: Final = ("", "ai.onnx")
"""The domain of ONNX's own operators."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An input or output of a net."""

    name: str
    """What it is called."""
    kind: int
    """The type of its numbers; `FLOAT` is single precision."""
    shape: tuple[int | None, ...]
    """Its sizes; None for one that is left open."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A checked file."""

    content: bytes
    """All of it."""
    metadata: dict[str, str]
    """What its maker wrote into it."""
    inputs: int
    """Numbers in a row of `features`."""
    logits: int
    """Numbers in a row of `logits`."""
    operators: frozenset[str]
    """What it is made of."""


def read_model(path: str | os.PathLike[str]) -> OnnxModel:
    """Return an ONNX file that holds a net which can play; refuse any other with one sentence."""
    name = os.fspath(path)
    try:
        return check_model(read_bytes(path, MOST_BYTES))
    except OSError as error:
        raise UnusableFile(f"{name} can't be read: {error.strerror or error}") from error
    except UnusableFile as error:
        raise UnusableFile(f"{name} holds no net that can play: {error}") from error


def check_model(content: bytes) -> OnnxModel:
    """Return what a file of these bytes holds; refuse what a net that plays must not have."""
    model = list(fields(memoryview(content)))
    if any(field.number in (FUNCTIONS, TRAINING) for field in model):
        raise UnusableFile("it has functions or a training of its own, and only plain operators are run")
    graphs = [message_of(field.value) for field in model if field.number == GRAPH]
    if len(graphs) != 1:
        raise damaged()
    graph = list(fields(graphs[0]))
    held = {_check_tensor(message_of(field.value)) for field in graph if field.number == INITIALIZER}
    if any(field.number == SPARSE for field in graph):
        raise UnusableFile("it has sparse numbers: save them in full")
    inputs = [slot for slot in _slots(graph, GRAPH_INPUT) if slot.name not in held]
    outputs = {slot.name: slot for slot in _slots(graph, GRAPH_OUTPUT)}
    if [slot.name for slot in inputs] != [INPUT]:
        named = ", ".join(slot.name for slot in inputs) or "none"
        raise UnusableFile(f"its only input has to be called {INPUT!r}, but it has {named}")
    if LOGITS not in outputs or outputs.keys() - {LOGITS, VALUE}:
        named = ", ".join(outputs) or "none"
        raise UnusableFile(f"its outputs have to be {LOGITS!r} and, if it has one, {VALUE!r}, but it has {named}")
    return OnnxModel(
        content,
        dict(_entry(message_of(field.value)) for field in model if field.number == METADATA),
        _row_size(inputs[0]),
        _row_size(outputs[LOGITS]),
        _operators(graph),
    )


def _row_size(slot: Slot) -> int:
    """Return the length of the rows that a slot takes or gives."""
    if slot.kind != FLOAT:
        raise UnusableFile(f"the numbers of {quoted(slot.name)} have to be of type float32")
    if len(slot.shape) != 2 or slot.shape[0] not in (None, 1) or not slot.shape[1]:
        sizes = " × ".join("?" if size is None else str(size) for size in slot.shape) or "no sizes"
        raise UnusableFile(
            f"{quoted(slot.name)} has to be rows, [1 or left open, a fixed number], but its shape is {sizes}"
        )
    return slot.shape[1]


def _operators(graph: list[Field]) -> frozenset[str]:
    """Return the operators of a graph; refuse those that are not allowed, and too many of them."""
    nodes = [message_of(field.value) for field in graph if field.number == NODE]
    if not 1 <= len(nodes) <= MOST_NODES:
        raise UnusableFile(f"it has {len(nodes):,} operators: from 1 to {MOST_NODES:,} are run")
    return frozenset(_operator(node) for node in nodes)


def _operator(node: memoryview) -> str:
    name = domain = ""
    for field in fields(node):
        if field.number == OPERATOR:
            name = text_of(field.value)
        elif field.number == DOMAIN:
            domain = text_of(field.value)
        elif field.number == ATTRIBUTE:
            _check_attribute(message_of(field.value))
    if domain not in MAIN or name not in OPERATORS:
        called = name if domain in MAIN else f"{domain}.{name}"
        raise UnusableFile(
            f"it uses the operator {called[:40]}, which is not among those that are run: see docs/onnx.md"
        )
    return name


def _check_attribute(attribute: memoryview) -> None:
    for field in fields(attribute):
        if field.number in SUBGRAPHS:
            raise UnusableFile("an operator of it has a graph or sparse numbers inside, which is not run")
        if field.number in (TENSOR, TENSORS):
            _check_tensor(message_of(field.value))


def _check_tensor(tensor: memoryview) -> str:
    """Return the name of an array; refuse one whose numbers lie in another file."""
    name = ""
    for field in fields(tensor):
        if field.number == EXTERNAL or (field.number == LOCATION and field.value != 0):
            raise UnusableFile("some of its numbers lie in another file: save it as one file, without external data")
        if field.number == TENSOR_NAME:
            name = text_of(field.value)
    return name


def _slots(graph: list[Field], number: int) -> Iterator[Slot]:
    """Return the inputs or outputs of a graph."""
    for field in graph:
        if field.number == number:
            yield _slot(message_of(field.value))


def _slot(value: memoryview) -> Slot:
    name, kind = "", 0
    shape: tuple[int | None, ...] = ()
    for field in fields(value):
        if field.number == 1:
            name = text_of(field.value)
        elif field.number == 2:
            kind, shape = _tensor_type(message_of(field.value))
    return Slot(name, kind, shape)


def _tensor_type(value: memoryview) -> tuple[int, tuple[int | None, ...]]:
    """Return the type of numbers and the sizes that a type names; 0 and none if it is not that of an array."""
    kind = 0
    shape: tuple[int | None, ...] = ()
    for field in fields(value):
        if field.number == 1:
            for inner in fields(message_of(field.value)):
                if inner.number == 1:
                    kind = number_of(inner.value)
                elif inner.number == 2:
                    shape = tuple(
                        _size(message_of(size.value)) for size in fields(message_of(inner.value)) if size.number == 1
                    )
    return kind, shape


def _size(value: memoryview) -> int | None:
    """Return a size, None for one that is left open."""
    found = [number_of(field.value) for field in fields(value) if field.number == 1]
    return found[-1] if found else None


def _entry(value: memoryview) -> tuple[str, str]:
    texts = {field.number: text_of(field.value) for field in fields(value)}
    return texts.get(1, ""), texts.get(2, "")
