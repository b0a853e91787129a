"""What docs/arena.md shows works as it stands."""

import json
import re
from pathlib import Path
from zlib import crc32

import pytest

from uno_pomdp.arena.match import Match
from uno_pomdp.arena.run import run_match
from uno_pomdp.rules import preset

PAGE = (Path(__file__).parents[2] / "docs" / "arena.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_examples_run(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(block, {})
    assert "heuristic" in capsys.readouterr().out


def test_the_keys_of_the_store_are_those_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run_match(Match(preset("house"), ("random", "greedy"), 3), store=path)
    first, line, *_ = path.read_bytes().splitlines(keepends=True)
    assert set(json.loads(first)) <= set(re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE))
    (example,) = re.findall(r"```json\n(.*?)\n```", PAGE)
    assert list(json.loads(line)) == list(json.loads(example))
    body, _, _ = line.partition(b',"crc"')
    assert int(json.loads(line)["crc"], 16) == crc32(first + body)
