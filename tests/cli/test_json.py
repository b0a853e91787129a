"""What commands tell machines: one document each, keys in snake_case, the same words for the same things."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from tests.cli.inside import call
from uno_pomdp.schemas import schema

DEAL: Final = "me\nr5 r7 y1 g+2 w4 b3 red skip\ng1\n"
COMMANDS: Final = {
    "agents": "",
    "games": "",
    "rules": "",
    "rules mini-9": "",
    "arena greedy random --rules mini-9 --pairs 4 --processes 1": "",
    "arena flat:sims=5 random --rules mini-9 --pairs 2 --processes 1": "",  # with luck
    "tournament greedy random --rules mini-9 --pairs 4": "",
    "solve mini-7 --iterations 50": "",
    "solve mini-7 --against greedy": "",
    "solve house --against greedy --games 3": "",
    "nash baseline --rules mini-7 --pairs 2 --sims 5 --processes 1 --population": "",
    "nash flat:sims=5 --rules mini-7 --pairs 2 --sims 5 --processes 1": "",  # nothing exact
    "nash --all --rules mini-7 --pairs 1 --sims 1 --processes 1": "",
    "watch flat:sims=5 greedy --rules mini-9": "",
    "advise --coach flat:sims=20": DEAL,
    "advise --coach heuristic": "",
    "advise --coach flat:sims=20 --middle": "me\nr5 y1\ng3\n4\n60\nnone\n",
}
"""Commands, and what is typed for them."""
INTERVAL: Final = {"estimate", "low", "high"}
SCORE: Final = {"wins", "draws", "losses"}


def objects(told: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of a document with the key that leads to it; one in a list has the key of the list."""
    if isinstance(told, dict):
        yield name, told
        for key, value in told.items():
            yield from objects(value, key)
    elif isinstance(told, list):
        for value in told:
            yield from objects(value, name)


def check(command: str, text: str) -> None:
    """Check the keys of a document, and all of it against its schema."""
    told = json.loads(text)
    Draft202012Validator(schema(command)).validate(told)
    found = list(objects(told))
    assert found
    for name, one in found:
        if name != "cards":  # its keys are cards, such as R5
            assert all(re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", key) for key in one), (name, list(one))
        if name in ("points", "adjusted_points", "elo", "margin", "margins", "joint", "self_play_of_player_1"):
            assert set(one) == INTERVAL
            assert one["low"] <= one["estimate"] <= one["high"]
        if name in ("as_player_1", "as_player_2"):
            assert set(one) == SCORE


@pytest.mark.parametrize("line", COMMANDS)
def test_keys_are_snake_case_and_intervals_and_scores_are_objects(line: str) -> None:
    done = call(*line.split(), "--json", typed=COMMANDS[line])
    assert done.code == 0, done.err
    check(line.split()[0], done.out)


def test_so_are_those_of_a_review(tmp_path: Path) -> None:
    game = tmp_path / "game.txt"
    assert call("watch", "greedy", "random", "--rules", "mini-9", "--record", str(game)).code == 0
    check("analyze", call("analyze", str(game), "--coach", "flat:sims=5", "--json").out)


def test_candidates_and_beliefs_are_told_alike_wherever_they_are_told(tmp_path: Path) -> None:
    game = tmp_path / "game.txt"
    watched = json.loads(
        call("watch", "flat:sims=5", "greedy", "--rules", "mini-9", "--record", str(game), "--json").out
    )
    reviewed = json.loads(call("analyze", str(game), "--coach", "flat:sims=5", "--json").out)
    advised = json.loads(call("advise", "--coach", "flat:sims=20", "--json", typed=DEAL).out)
    kinds = [
        {tuple(one) for name, one in objects(told) if name == "candidates"} for told in (watched, reviewed, advised)
    ]
    assert kinds == [{("action", "value", "error", "simulations", "prior", "note")}] * 3
    assert set(advised["belief"]) == set(watched["deal"]["belief"]) - {"player"}
    assert set(advised["policy_aware_belief"]) == set(watched["deal"]["policy_aware_belief"]) - {"player"}
