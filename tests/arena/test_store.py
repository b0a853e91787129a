"""The results store: what is written is read back, what is half-written is dropped, what is wrong is refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from tests.arena.players import pairs_of, without_times
from uno_pomdp.arena.match import Match
from uno_pomdp.arena.results import Pairs
from uno_pomdp.arena.store import Store, read_store
from uno_pomdp.errors import UnusableFile
from uno_pomdp.rules import DEFAULTS, preset

MATCH = Match(preset("mini-9"), ("greedy", "random"), 10, seed=3)
PAIRS = pairs_of((2, 0), (1, 1), (0, 2), (2, 2))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a store of four pairs."""
    with Store(tmp_path / "results.jsonl", MATCH.header()) as store:
        assert len(store.pairs) == 0
        store.append(PAIRS[:3])
        store.append(PAIRS[3:])
    return tmp_path / "results.jsonl"


def resumed(path: Path, match: Match = MATCH) -> Pairs:
    with Store(path, match.header()) as store:
        return store.pairs


def test_what_is_written_is_read_back(path: Path) -> None:
    assert np.array_equal(resumed(path), PAIRS)
    stored = read_store(path)
    assert np.array_equal(stored.pairs, PAIRS)
    assert stored.header["agents"] == ["greedy", "random"]
    assert stored.header["seed"] == 3
    assert stored.size == path.stat().st_size


def test_every_line_is_json_and_says_what_the_documentation_says(path: Path) -> None:
    header, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(header) == ["format", "version", "package", "rules", "agents", "seed", "played", "luck"]
    assert header["rules"]["hand_size"] == 2
    assert len(lines) == 4
    named = ["pair", "as_first", "as_second", "actions", "decisions", "seconds", "luck", "game_actions", "game_turns"]
    assert list(lines[0]) == [*named, "crc"]
    assert (lines[0]["game_actions"], lines[0]["game_turns"]) == ([22, 18], [21, 15])
    assert (lines[0]["as_first"], lines[0]["as_second"]) == (1, 0)
    assert (lines[1]["as_first"], lines[1]["as_second"]) == (0.5, 0.5)
    assert lines[0]["seconds"] == [0.25, 0.125]
    assert lines[0]["luck"] == [0.1, -0.3]


def test_luck_comes_back_to_the_last_digit_and_may_be_absent(path: Path) -> None:
    more = pairs_of((2, 0), (0, 0))
    more["index"] = 4, 5
    more["luck"] = (1 / 3, -2 / 7), (np.nan, np.nan)
    with Store(path, MATCH.header()) as store:
        store.append(more)
    assert np.array_equal(resumed(path)["luck"][4:], more["luck"], equal_nan=True)
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[-1])["luck"] is None


def test_a_kill_at_any_byte_loses_no_finished_line_and_counts_no_other(path: Path) -> None:
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1)
    for size in (*range(0, last, 23), *range(last, len(whole) + 1)):
        path.write_bytes(whole[:size])
        finished = max(whole[:size].count(b"\n") - 1, 0)
        with Store(path, MATCH.header()) as store:
            assert np.array_equal(store.pairs, PAIRS[:finished]), size
            store.append(PAIRS[finished:])
        assert path.read_bytes() == whole


def test_a_store_is_read_while_it_is_written(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(b'{"pair":9,"as_fi')
    assert without_times(read_store(path).pairs) == without_times(PAIRS)


@pytest.mark.parametrize(("old", "new"), [(b'"as_first":1,', b'"as_first":0,'), (b'"pair":2', b'"pair":7')])
def test_a_changed_line_is_refused(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    with pytest.raises(UnusableFile, match=r"results.jsonl is damaged: line \d does not fit its checksum"):
        resumed(path)
    with pytest.raises(UnusableFile, match="damaged"):
        read_store(path)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"\0\0\0\0\n", b"nonsense\n", b'{"pair":5,"crc":"00000000"}\n'])
def test_a_line_that_is_no_pair_is_refused(path: Path, line: bytes) -> None:
    content = path.read_bytes()
    path.write_bytes(content + line)
    with pytest.raises(UnusableFile, match="line 6 does not fit its checksum; delete it and its pair is played again"):
        resumed(path)
    assert path.read_bytes() == content + line


@pytest.mark.parametrize(
    "without",
    [
        lambda line: re.sub(rb',"crc":"\w+"', b"", line),
        lambda line: re.sub(rb',"crc":"\w+"', b',"crc":""', line),
        lambda line: re.sub(rb',"crc":"\w+"', b',"crc":null', line),
        lambda line: re.sub(rb'"crc"', b'"sum"', line),
        lambda line: re.sub(rb'\{(.*),("crc":"\w+")\}', rb"{\2,\1}", line),
    ],
    ids=["cut out", "empty", "null", "renamed", "not at the end"],
)
@pytest.mark.parametrize("number", [2, 5])
def test_a_whole_pair_without_its_checksum_is_refused(
    path: Path, number: int, without: Callable[[bytes], bytes]
) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    changed = without(lines[number - 1])
    assert changed != lines[number - 1]
    assert json.loads(changed)["pair"] == number - 2
    path.write_bytes(b"".join([*lines[: number - 1], changed, *lines[number:]]))
    with pytest.raises(UnusableFile, match=f"line {number} does not fit its checksum"):
        resumed(path)
    with pytest.raises(UnusableFile, match="checksum"):
        read_store(path)


@pytest.mark.parametrize("change", [{"stack": "same"}, {"swap": "seven_zero"}, {"skip": "pass"}, {"deck": "R0 R1"}])
def test_a_store_of_other_rules_is_refused_with_the_field(path: Path, change: dict[str, str]) -> None:
    header = MATCH.header()
    with pytest.raises(UnusableFile, match=f"holds another match: rules: {next(iter(change))} is"):
        Store(path, header | {"rules": header["rules"] | change})


def test_a_store_from_before_a_field_of_rules_was_known_goes_on(tmp_path: Path) -> None:
    header = MATCH.header()
    assert header["rules"]["swap"] == DEFAULTS["swap"]
    known = {name: value for name, value in header["rules"].items() if name != "swap"}
    Store(tmp_path / "old.jsonl", header | {"rules": known}).close()
    Store(tmp_path / "old.jsonl", header).close()
    with pytest.raises(UnusableFile, match="holds another match: rules: swap is"):
        Store(tmp_path / "old.jsonl", header | {"rules": header["rules"] | {"swap": "seven_zero"}})


def test_a_changed_first_line_does_not_go_by(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"seed": 3', b'"seed": 4'))
    with pytest.raises(UnusableFile, match="line 2 does not fit its checksum"):
        read_store(path)


def test_a_pair_that_stands_there_twice_is_refused(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content + content.splitlines(keepends=True)[2])
    with pytest.raises(UnusableFile, match="pair 1 stands there more than once"):
        resumed(path)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Match(preset("mini-9"), ("greedy", "random"), 10, seed=4), "seed is 3 there and 4 here"),
        (Match(preset("mini-9"), ("greedy", "baseline"), 10, seed=3), "agents is"),
        (
            Match(preset("mini-7"), ("greedy", "random"), 10, seed=3),
            r'rules: deck is "R0 R1 RS R\+2 Y0 .*" there and "R0 R1 RS Y0 .*" here',
        ),
        (Match(preset("mini-9"), ("greedy", "random"), 10, seed=3, kernels=False), "played is"),
    ],
)
def test_the_store_of_another_match_is_refused_in_one_sentence(path: Path, other: Match, says: str) -> None:
    before = path.read_bytes()
    with pytest.raises(UnusableFile, match=f"holds another match: {says}") as caught:
        resumed(path, other)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_two_long_texts_that_begin_alike_are_shown_where_they_differ(path: Path) -> None:
    header = MATCH.header()
    agents = [["pomcp:" + "x" * 80 + end, "random"] for end in ("one", "two")]
    other = path.with_name("long.jsonl")
    Store(other, header | {"agents": agents[0]}).close()
    with pytest.raises(UnusableFile, match=r'agents is …x+one", "random"\] there and …x+two", "random"\] here'):
        Store(other, header | {"agents": agents[1]})


def lines_with(body: str, first: bytes) -> bytes:
    """Return a line of a store with a right checksum, whatever it says."""
    return f'{body},"crc":"{crc32(body.encode(), crc32(first)):08x}"}}\n'.encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"as_first":1', '"as_first":7'),
        ('"as_first":1', '"as_first":true'),
        ('"pair":9', '"pair":-9'),
        ('"pair":9', '"pair":"nine"'),
        ('"pair":9', '"pair":9.5'),
        ('"pair":9', f'"pair":{10**30}'),
        ('"actions":40', '"actions":-1'),
        ('"actions":40', '"actions":3000000000'),
        ('"decisions":[10,12]', '"decisions":[20]'),
        ('"decisions":[10,12]', '"decisions":7'),
        ('"seconds":[0.250000,0.125000]', '"seconds":[NaN,0.1]'),
        ('"seconds":[0.250000,0.125000]', f'"seconds":[{10**400},0.1]'),
        ('"luck":[0.1,-0.3]', '"luck":["a","b"]'),
        ('"luck":[0.1,-0.3]', '"luck":[Infinity,0.1]'),
        ('"luck":[0.1,-0.3]', '"luck":' + "[" * 100_000 + "]" * 100_000),
        ('"game_turns":[21,15]', '"game_turns":{}'),
        ('"game_turns":[21,15]', '"game_turns":[-1,15]'),
    ],
)
def test_wrong_values_behind_a_right_checksum_are_refused(path: Path, old: str, new: str) -> None:
    content = path.read_bytes()
    first, line = content.splitlines(keepends=True)[:2]
    body = line.decode().partition(',"crc"')[0].replace('"pair":0', '"pair":9')
    path.write_bytes(content + lines_with(body, first))
    assert resumed(path)["index"].tolist() == [0, 1, 2, 3, 9]
    assert body.count(old) == 1
    path.write_bytes(content + lines_with(body.replace(old, new), first))
    with pytest.raises(UnusableFile, match="line 6 is no finished pair; delete it and its pair is played again"):
        resumed(path)


def test_more_pairs_of_the_same_match_are_the_same_match(path: Path) -> None:
    longer = Match(MATCH.rules, MATCH.makers, 10_000, MATCH.seed)
    assert len(resumed(path, longer)) == 4


@pytest.mark.parametrize(
    "content", [b"hello\n", b"[1, 2]\n", b'{"format": "something else"}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n"]
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UnusableFile, match="is no results store"):
        resumed(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("version", [2, 4])
def test_another_version_is_refused(path: Path, version: int) -> None:
    path.write_bytes(path.read_bytes().replace(b'"version": 3', b'"version": %d' % version))
    sentence = f"is of version {version}: only version 3 can be read, so keep it and play into a new file"
    for read in (resumed, read_store):
        with pytest.raises(UnusableFile, match=sentence):
            read(path)


def test_two_runs_can_not_write_to_one_store(path: Path) -> None:
    pytest.importorskip("fcntl")
    with Store(path, MATCH.header()), pytest.raises(UnusableFile, match="is being written by another run"):
        resumed(path)
    assert len(resumed(path)) == 4


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="can't be written: No such file or directory"):
        resumed(tmp_path / "nowhere" / "results.jsonl")
    with pytest.raises(UnusableFile, match="can't be read"):
        read_store(tmp_path / "nothing.jsonl")


def test_names_in_any_script_survive(tmp_path: Path) -> None:
    header: dict[str, Any] = MATCH.header() | {"agents": ["größer\n", "小"]}
    for _ in range(2):
        with Store(tmp_path / "names.jsonl", header) as store:
            assert len(store.pairs) == 0
    assert read_store(tmp_path / "names.jsonl").header["agents"] == ["größer\n", "小"]
