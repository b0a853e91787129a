"""The schemas: whole, one for every command that speaks JSON, and true of what is printed (`cli/test_json.py` too)."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from benchmarks import harness
from tests.cli.inside import call
from tests.cli.test_commands import COMMANDS
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.cli.commands import demo
from uno_pomdp.cli.commands.schema import complete_schema
from uno_pomdp.learning.config import TrainConfig
from uno_pomdp.learning.progress import TrainingProgress
from uno_pomdp.rules import CHOICES
from uno_pomdp.schemas import UnknownSchema, names, schema

SPEAKING = sorted(name for name in COMMANDS if "--json" in call(name, "--help").out)
GOLDEN = Path(__file__).parent / "golden"
WATCHED = ("mini-7.exhausted", "mini-9", "mini-12.forgotten", "mini-12.practice", "mini-bluff", "printed.midgame")
"""Games of some length and of every kind: with a forgotten UNO, with moves taken back, from the middle on."""


def check(name: str, text: str) -> Any:
    """Check what a command printed against its schema."""
    told = json.loads(text)
    Draft202012Validator(schema(name)).validate(told)
    return told


def test_every_command_that_speaks_json_has_a_schema_and_the_engine_two() -> None:
    assert names() == sorted([*SPEAKING, "engine-reply", "engine-request"])


@pytest.mark.parametrize("name", names())
def test_a_schema_is_one_and_needs_no_other_file(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"].endswith("2020-12/schema")
    text = json.dumps(found)
    assert "common.json" not in text
    for reference in {part.partition('"')[0] for part in text.split('"$ref": "')[1:]}:
        assert reference.removeprefix("#/$defs/") in found["$defs"]
    assert json.loads(call("schema", name).out) == found


@pytest.mark.parametrize("name", names())
def test_a_schema_closes_every_object_so_that_a_new_key_is_noticed(name: str) -> None:
    open_ones = {"belief", "aware_belief", "candidate", "nash_report"}  # which others add to, and close

    def objects(part: Any, where: str) -> list[str]:
        if isinstance(part, list):
            return [found for one in part for found in objects(one, where)]
        if not isinstance(part, dict):
            return []
        closed = "additionalProperties" in part or "unevaluatedProperties" in part
        mine = [where] if "properties" in part and part.get("type") == "object" and not closed else []
        return mine + [found for key, value in part.items() for found in objects(value, key)]

    assert set(objects(schema(name), name)) <= open_ones | ({"config"} if name == "train" else set())


def test_a_review_is_as_its_schema_says_whole_and_of_one_player(tmp_path: Path) -> None:
    for name in ("mini-12.forgotten", "printed.midgame.seen"):
        golden = Path(__file__).parent / "golden" / f"{name}.txt"
        check("analyze", call("analyze", str(golden), "--coach", "flat:sims=2", "--json").out)
    game = tmp_path / "game.txt"
    watched = call("watch", "greedy", "random", "--rules", "mini-bluff", "--record", str(game), "--json")
    check("watch", watched.out)
    check("analyze", call("analyze", str(game), "--coach", "flat:sims=5", "--seat", "2", "--json").out)


@pytest.mark.parametrize("name", WATCHED)
def test_so_is_a_saved_game_that_is_watched(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    told = check("watch", call("watch", str(path), "--json").out)
    assert told["file"] == str(path)


def test_so_are_saved_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path))
    for more in (["--to", "100"], ["--practice"]):
        call("play", "random", "--rules", "mini-7", "--seed", "3", *more, typed="1\n" * 60)
    told = check("games", call("games", "--json").out)
    assert len(told["games"]) >= 2
    assert any(one["match"] for one in told["games"])


def test_so_is_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "uno_pomdp.cli.precompile.compiling_ahead", lambda _: nullcontext()
    )  # in one process: it is about the words
    monkeypatch.setattr(demo, "how_many", lambda *_, **__: 1)
    monkeypatch.setattr(demo, "write_report", lambda *_: None)
    done = call("demo", "--rules", "mini-7", "--pairs", "2", "--sims", "2", "--json")
    assert done.code == 0, done.err
    told = check("demo", done.out)
    for report in told["reports"]:
        check("nash", json.dumps(report))


def test_benchmarks_and_trainings_have_the_keys_of_their_schemas() -> None:
    """They take long: what makes their documents is asked."""
    claims = [harness.at_least("speed", 2.0, 1.0, "x"), harness.shown("size", 3, "MB")]
    check("bench", json.dumps({"engine": harness.report(claims, ["numpy"])}))
    progress = TrainingProgress(strength={"random": (0.6, 0.1)}).to_json()
    interval = {"estimate": 0.5, "low": 0.4, "high": 0.6}
    response = {"against": "greedy", "imitated": "", "choices": 3, "points": interval}
    for found in (None, response):
        told = {"config": TrainConfig().to_json(), "progress": progress, "response": found, "files": ["net.npz"]}
        check("train", json.dumps(told))


def test_the_values_of_rules_are_those_of_the_package() -> None:
    fields = schema("rules")["$defs"]["rules"]["properties"]
    assert {name: tuple(field["enum"]) for name, field in fields.items() if "enum" in field} == CHOICES


def test_a_document_that_is_not_so_is_refused() -> None:
    told = json.loads(call("agents", "--json").out)
    assert [one["name"] for one in told] == list(AGENTS)
    with pytest.raises(ValidationError):
        check("agents", json.dumps([*told, {"name": "x"}]))
    with pytest.raises(ValidationError):
        check("agents", json.dumps([told[0] | {"more": 1}]))


def test_names_are_listed_and_others_refused() -> None:
    assert call("schema").out.split() == names()
    assert complete_schema("engine") == ["engine-reply", "engine-request"]
    check("schema", call("schema", "--json").out)
    done = call("schema", "nope")
    assert done.code == 2
    assert done.err.startswith("uno-pomdp: no schema is called 'nope': choose one of advise, agents, ")
    with pytest.raises(UnknownSchema):
        schema("common")
