"""An ONNX file is looked into without any library: what it holds, and what is refused."""

from pathlib import Path

import pytest

from tests.nets.following import untrained
from uno_pomdp.errors import InvalidAgent, UnusableFile
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.onnx.export import ENCODING_KEY, export_onnx, onnx_bytes
from uno_pomdp.nets.onnx.model import check_model, read_model
from uno_pomdp.nets.onnx.wire import bytes_field, fields, number_field
from uno_pomdp.registry import AgentSpec, make_agent
from uno_pomdp.rules import preset


def small() -> bytes:
    """Return a net with few numbers as a file."""
    return onnx_bytes(NetFile(preset("mini-9"), {"by": "a test"}, random_net((3,), 1)))


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**40, 2**63])
def test_whole_numbers_and_bytes_come_back(number: int) -> None:
    message = number_field(3, number) + bytes_field(2000, b"\x00text") + number_field(1, 5)
    found = [
        (field.number, field.value if isinstance(field.value, int) else bytes(field.value))
        for field in fields(memoryview(message))
    ]
    assert found == [(3, number), (2000, b"\x00text"), (1, 5)]


@pytest.mark.parametrize("content", [b"\x08", b"\x0a\x05abc", b"\x0b\x00", b"\xff" * 11, b"\x0d\x00", b"\x09\x00\x00"])
def test_bytes_that_are_no_message_are_refused(content: bytes) -> None:
    with pytest.raises(UnusableFile, match=r"^it is no ONNX file, or a damaged one$"):
        list(fields(memoryview(content)))


def test_an_exported_net_is_what_it_says() -> None:
    model = check_model(small())
    assert (model.inputs, model.logits, model.operators) == (337, 62, frozenset({"Gemm", "Relu", "Tanh"}))
    assert model.metadata[ENCODING_KEY] == "champion"


def test_an_operator_that_is_not_listed_is_refused() -> None:
    with pytest.raises(UnusableFile, match=r"^it uses the operator Scan, which is not among those that are run"):
        check_model(small().replace(b"Tanh", b"Scan"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "it is no ONNX file, or a damaged one"),
        (b"not a net", "it is no ONNX file, or a damaged one"),
        (bytes_field(7, b""), "its only input has to be called 'features', but it has none"),
        (small() + bytes_field(7, b""), "it is no ONNX file, or a damaged one"),
        (small() + bytes_field(25, b""), "it has functions or a training of its own"),
    ],
)
def test_a_file_that_holds_no_net_is_refused_by_its_name(content: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(content)
    with pytest.raises(UnusableFile, match=rf"net\.onnx holds no net that can play: {sentence}"):
        read_model(tmp_path / "net.onnx")


def test_a_file_that_is_too_long_or_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export_onnx(untrained(preset("mini-9")), tmp_path / "net.onnx")
    monkeypatch.setattr("uno_pomdp.nets.onnx.model.MOST_BYTES", 1 << 10)
    with pytest.raises(UnusableFile, match="it is longer than"):
        read_model(tmp_path / "net.onnx")
    with pytest.raises(UnusableFile, match="can't be read: No such file"):
        read_model(tmp_path / "none.onnx")


def test_the_agent_needs_a_file() -> None:
    with pytest.raises(InvalidAgent, match=r"^onnx plays a net from a file: write onnx:file=PATH$"):
        make_agent("onnx")
    with pytest.raises(InvalidAgent, match="no encoding is called 'planes': choose one of champion, counts"):
        AgentSpec.parse("onnx:file=a.onnx,encoding=planes")
    assert AgentSpec.parse("onnx:file=a.onnx").can.has_policy


def changed(content: bytes, in_model: bytes = b"", in_graph: bytes = b"") -> bytes:
    """Return a file with further fields in the model, or in its graph."""
    parts = []
    for field in fields(memoryview(content)):
        if isinstance(field.value, int):
            parts.append(number_field(field.number, field.value))
        else:
            more = in_graph if field.number == 7 else b""
            parts.append(bytes_field(field.number, bytes(field.value) + more))
    return b"".join([*parts, in_model])


TENSOR = bytes_field(8, "far")
ELSEWHERE = "some of its numbers lie in another file"
WITHIN = "an operator of it has a graph or sparse numbers inside"


def with_attribute(attribute: bytes) -> bytes:
    """Return a field of the graph: an operator that is allowed, with an attribute."""
    return bytes_field(1, bytes_field(4, "Constant") + bytes_field(5, attribute))


@pytest.mark.parametrize(
    ("in_model", "in_graph", "sentence"),
    [
        (bytes_field(25, b""), b"", "it has functions or a training of its own"),
        (bytes_field(20, b""), b"", "it has functions or a training of its own"),
        (b"", bytes_field(15, b""), "it has sparse numbers"),
        (b"", bytes_field(5, TENSOR + number_field(14, 1)), ELSEWHERE),
        (b"", bytes_field(5, TENSOR + bytes_field(13, b"")), ELSEWHERE),
        (b"", with_attribute(bytes_field(5, TENSOR + number_field(14, 1))), ELSEWHERE),
        (b"", with_attribute(bytes_field(10, TENSOR + number_field(14, 1))), ELSEWHERE),
        (b"", with_attribute(bytes_field(10, TENSOR) + bytes_field(10, TENSOR + bytes_field(13, b""))), ELSEWHERE),
        *((b"", with_attribute(bytes_field(number, b"")), WITHIN) for number in (6, 11, 22, 23)),
    ],
)
def test_each_field_that_is_not_run_is_refused_by_itself(in_model: bytes, in_graph: bytes, sentence: str) -> None:
    with pytest.raises(UnusableFile, match=f"^{sentence}"):
        check_model(changed(small(), in_model, in_graph))


def test_numbers_that_are_said_to_lie_in_the_file_itself_are_fine() -> None:
    inside = bytes_field(5, TENSOR + number_field(14, 0))
    assert check_model(changed(small(), in_graph=inside)).inputs == check_model(changed(small())).inputs
