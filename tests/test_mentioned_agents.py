"""Every agent that a help text or a page mentions can be made as it is written there."""

import re
from pathlib import Path
from typing import Final

import pytest
import typer

from tests.nets.following import untrained
from tests.test_docs import PAGES, page
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.cli.main import app
from uno_pomdp.default_agents import CHAMPION_COACH, CHAMPION_OPPONENT, COACH, OPPONENT
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.nets.net_file import NetFile, random_net
from uno_pomdp.nets.onnx.export import export_onnx
from uno_pomdp.nets.position_features import POSITIONS
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

TEXT: Final = re.compile(rf"(?<![\w.-])(?:{'|'.join(AGENTS)}):[\w./$…-]+(?:=[\w./$…-]+)?(?:,\w+=[\w./$…-]+)*")
"""An agent with options."""
PLACEHOLDER: Final = "…"
OWN: Final = "py:"
"""Agents of one's own need a module; the one of the tutorial is made by its own test."""


def help_texts() -> dict[str, str]:
    """Return all that the help of each command says, by command."""
    group = typer.main.get_command(app)
    texts = {"uno-pomdp": f"{group.help} {group.epilog}"}
    for name, command in group.commands.items():  # type: ignore[attr-defined]  # a group has them
        said = [command.help, command.epilog, *(getattr(one, "help", "") for one in command.params)]
        texts[f"{name} --help"] = " ".join(part or "" for part in said)
    return texts


def mentioned() -> dict[str, set[str]]:
    """Return the agents that are mentioned, by place."""
    places = {name: page(name) for name in PAGES} | help_texts()
    places["the registry"] = " ".join((OPPONENT, COACH, CHAMPION_OPPONENT, CHAMPION_COACH))
    return {place: {text.rstrip(".") for text in TEXT.findall(said)} for place, said in places.items()}


MENTIONED: Final = mentioned()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a file for each option that names one, by agent and option."""
    folder, tree = tmp_path_factory.mktemp("files"), build_tree(preset("mini-7"))
    untrained(preset("mini-7")).save(folder / "net.npz")
    NetFile(preset("mini-7"), {}, random_net((8,), 1, POSITIONS), POSITIONS).save(folder / "positions.npz")
    table_of(tree, solve(tree, iterations=1).policy, {}).save(folder / "policy.npz")
    fit_value(UnoPOMDP("mini-7", "greedy"), games=2, worlds=2).save(folder / "value.npz")
    export_onnx(folder / "net.npz", folder / "net.onnx")
    return {
        "onnx:file": folder / "net.onnx",
        "champion:file": folder / "net.npz",
        "champion:positions": folder / "positions.npz",
        "policy:file": folder / "policy.npz",
        "value:file": folder / "value.npz",
    }


@pytest.mark.parametrize(
    "text", sorted(text for text in set().union(*MENTIONED.values()) if PLACEHOLDER not in text and OWN not in text)
)
def test_an_agent_that_is_mentioned_can_be_made(text: str, files: dict[str, Path]) -> None:
    name = text.partition(":")[0]
    for option, path in files.items():
        kind, key = option.split(":")
        if kind == name:
            text = re.sub(rf"\b{key}=[^,]+", f"{key}={path}", text)
    if name == "onnx":
        pytest.importorskip("onnxruntime")
    make_agent(text)


def test_many_are_mentioned_and_in_the_help_too() -> None:
    assert len(set().union(*MENTIONED.values())) > 20
    assert all(MENTIONED[place] for place in ("agents --help", "arena --help", "watch --help", "README.md"))
    assert "flat:ms=50,belief=uniform" in MENTIONED["agents --help"]
