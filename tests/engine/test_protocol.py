"""Requests: what is read from a line, and a sentence for everything else."""

import json
from typing import Any

import pytest
from jsonschema import ValidationError

from tests.engine.talk import REQUEST
from uno_pomdp.engine.protocol import INCLUDED, MOST_BYTES, USUAL, Cancel, Query, Refused, VersionQuery, read_request


def read(request: object) -> Any:
    return read_request(json.dumps(request).encode())


def test_a_query_is_read_with_its_defaults() -> None:
    assert read({"id": "q", "record": "text"}) == Query("q", "text", include=frozenset(USUAL))
    nothing = {"seat": None, "rules": None, "agent": None, "seed": None, "report_every_ms": None, "include": None}
    assert read({"id": "q", "record": "text"} | nothing) == read({"id": "q", "record": "text"})


def test_a_query_is_read_whole() -> None:
    asked = {"id": "q", "record": "text", "seat": 2, "rules": "house", "agent": "flat", "seed": 2**64 - 1}
    asked |= {"report_every_ms": 50, "include": list(INCLUDED)}
    REQUEST.validate(asked)
    assert read(asked) == Query("q", "text", 1, "house", "flat", 2**64 - 1, 0.05, frozenset(INCLUDED))


def test_the_other_requests_are_read() -> None:
    assert read({"cancel": "q"}) == Cancel("q")
    assert read({"query": "version"}) == VersionQuery(None)
    assert read({"query": "version", "id": "v"}) == VersionQuery("v")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], "a request is a JSON object, not []"),
        ({}, "a query has an id, a text that its replies repeat"),
        ({"id": 3, "record": ""}, "id is a text of 1 to 200 characters, not 3"),
        ({"id": "", "record": ""}, 'id is a text of 1 to 200 characters, not ""'),
        ({"id": "q"}, "a query has a record, the text of a game: docs/records.md says what it holds"),
        ({"id": "q", "record": 3}, "record is the text of a game, not 3"),
        ({"id": "q", "record": "", "seat": 0}, "seat is 1 or 2, not 0"),
        ({"id": "q", "record": "", "seat": True}, "seat is 1 or 2, not true"),
        ({"id": "q", "record": "", "seat": "1"}, 'seat is 1 or 2, not "1"'),
        ({"id": "q", "record": "", "seed": -1}, "seed is a whole number from 0 to 2^64 - 1, not -1"),
        ({"id": "q", "record": "", "seed": 1.0}, "seed is a whole number from 0 to 2^64 - 1, not 1.0"),
        (
            {"id": "q", "record": "", "report_every_ms": 0},
            "report_every_ms is a number above 0 and up to 86,400,000, not 0",
        ),
        ({"id": "q", "record": "", "include": "belief"}, 'include is a list of .*, not "belief"'),
        ({"id": "q", "record": "", "include": ["x"]}, r'include is a list of .*, not \["x"\]'),
        ({"id": "q", "record": "", "sead": 1}, 'a query has no field "sead": it has id, record, seat, rules,'),
        ({"query": "speed"}, 'query is "version", not "speed"'),
        ({"query": "version", "record": ""}, 'a question about the engine has no field "record"'),
        ({"cancel": 1}, "cancel is a text of 1 to 200 characters, not 1"),
        ({"cancel": "q", "id": "q"}, 'a cancel request has no field "id": it has cancel'),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_and_the_schema_agrees(request_: object, message: str) -> None:
    with pytest.raises(Refused, match=message.replace("[]", r"\[\]").replace("^", r"\^")) as refused:
        read(request_)
    assert refused.value.kind == "bad_request"
    wanted = request_.get("id") if isinstance(request_, dict) and "cancel" not in request_ else None
    assert refused.value.name == (wanted if isinstance(wanted, str) and wanted else None)
    if request_ != {"id": "q", "record": "", "seed": 1.0}:  # to a schema 1.0 is a whole number
        with pytest.raises(ValidationError):
            REQUEST.validate(request_)


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"NaN", b'{"id": NaN}', b"[" * 100_000, b"9" * 5000, b'"\\ud800'])
def test_what_is_no_json_is_refused(line: bytes) -> None:
    with pytest.raises(Refused, match="the line is no JSON value"):
        read_request(line)


def test_a_byte_order_mark_before_the_first_line_is_passed_over() -> None:
    assert read_request(b'\xef\xbb\xbf{"query": "version"}') == read_request(b'{"query": "version"}')


def test_long_lines_and_values_are_not_repeated() -> None:
    with pytest.raises(Refused, match="the line is longer than 1,048,576 bytes") as refused:
        read_request(b" " * (MOST_BYTES + 1))
    assert refused.value.kind == "too_large"
    with pytest.raises(Refused) as refused:
        read({"id": "q", "record": "", "agent": ["x" * 1000]})
    assert len(str(refused.value)) < 120
