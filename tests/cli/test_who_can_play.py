"""An agent that can't play what it is asked to is refused in one sentence before anything is played or written."""

from pathlib import Path
from typing import Final

import pytest

from tests.cli.inside import call
from tests.nets.following import untrained
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.equilibrium.tree_policies import table_of
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.rules import preset

NET: Final = "this champion was trained with the rules mini-7 and can't play house"
NONE: Final = "no champion comes with the package for the rules printed, only for house"
POLICY: Final = "the policy is for the rules mini-7, not house"
SEAT: Final = "the policy says nothing about the choices of player 2: it is one for the other seat"

REFUSALS: Final[list[tuple[str, str]]] = [
    *[
        (line.replace("AGENT", agent), says)
        for agent, says in [
            ("champion:file=net.npz", NET),
            ("champion:file=net.npz,sims=5", NET),
            ("policy:file=policy.npz", POLICY),
            ("policy:file=first.npz", POLICY),
        ]
        for line in [
            "arena random AGENT --pairs 2 --processes 1 --store store --records games",
            "arena AGENT random --pairs 2 --processes 2 --store store",
            "tournament random greedy AGENT --pairs 2 --processes 1 --folder stores",
            "watch random AGENT --record new.txt",
            "watch AGENT random --record new.txt",
            "play AGENT --record new.txt",
            "play AGENT --seat 2",
            "nash AGENT --pairs 1 --sims 1 --processes 1 --folder stores",
            "advise --coach AGENT --save new.txt",
        ]
    ],
    ("arena champion random --rules printed --pairs 2 --store store", NONE),
    ("tournament random greedy champion:sims=5 --rules printed --pairs 2", NONE),
    ("watch champion:ms=1 random --rules printed --record new.txt", NONE),
    ("play champion --rules printed", NONE),
    ("play random --rules printed --coach champion:sims=5", NONE),
    ("play --resume saved.txt", f"saved.txt can't be gone on with: {NONE}"),
    ("nash champion --rules printed --pairs 1 --sims 1", NONE),
    ("analyze whole.txt --coach champion:sims=5 --html new.html", NONE),
    ("advise --rules printed --coach champion", NONE),
    ("arena policy:file=first.npz random --rules mini-7 --pairs 2 --store store", SEAT),
    ("watch random policy:file=first.npz --rules mini-7", SEAT),
    ("play policy:file=first.npz --rules mini-7", SEAT),
    ("solve mini-9 --against policy:file=policy.npz --save new.npz", "the policy is for the rules mini-7, not mini-9"),
    ("solve mini-7 --against policy:file=first.npz", SEAT),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a net, a policy for both seats and one for player 1, all of mini-7, and two records."""
    folder = tmp_path_factory.mktemp("files")
    untrained(preset("mini-7")).save(folder / "net.npz")
    tree = build_tree(preset("mini-7"))
    table_of(tree, solve(tree, iterations=1).policy, {}).save(folder / "policy.npz")
    assert call("solve", "mini-7", "--against", "greedy", "--save", str(folder / "first.npz")).code == 0
    game = Game.new(preset("printed"), 1)
    save_record(folder / "whole.txt", record_of(game))
    save_record(folder / "saved.txt", record_of(game, ("human", "champion")))
    return folder


@pytest.mark.parametrize(("line", "says"), REFUSALS, ids=[line for line, _ in REFUSALS])
def test_who_can_not_play_is_refused_before_anything_is_played_or_written(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    for path in files.iterdir():
        Path(path.name).write_bytes(path.read_bytes())
    before = sorted(tmp_path.rglob("*"))
    done = call(*line.split(), typed="1\n1\n")
    assert done.err.startswith(f"uno-pomdp: {says}"), done.err
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_policy_for_one_seat_plays_that_seat(files: Path) -> None:
    first = f"policy:file={files / 'first.npz'}"
    assert call("watch", first, "greedy", "--rules", "mini-7").code == 0
