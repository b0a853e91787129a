"""Every write of every command fails in turn: one sentence, code 2, no half file, no false word, the game intact."""

import inspect
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import numpy as np
import pytest
from typer.main import get_command

from tests.cli.faults import FAULTS, FULL, Disk, Fault
from tests.cli.inside import Done, call
from uno_pomdp import files
from uno_pomdp.agents.agent import Budget
from uno_pomdp.arena.store import read_store
from uno_pomdp.cli.commands import demo
from uno_pomdp.cli.main import app
from uno_pomdp.cli.ui.annotated_game import play_annotated
from uno_pomdp.equilibrium import attempts, nash_report
from uno_pomdp.game.notation import load_record, parse_record
from uno_pomdp.rules import Rules

MINI: Final = "--rules mini-7"
QUICK: Final = "--coach heuristic"
GAME: Final = "watch random greedy --rules mini-7 --seed 2 --record game.txt"
PLAY: Final = "play random --rules mini-7 --seed 4 --coach flat:sims=2"
MOVES: Final = "1\n" * 30
DEAL: Final = "me\nr0 r1\nrs\n"


@dataclass(frozen=True)
class Row:
    """A command that writes."""

    line: str
    """What is asked for."""
    result: str
    """A part of what it prints when its work is done, whether it can be written or not."""
    typed: str = ""
    """What is typed."""
    before: tuple[str, str] = ("", "")
    """A command that makes the files that this one reads, and what is typed there."""
    long: bool = False
    """Whether it takes so long that each call fails in one way only, in turn."""


TINY: Final = (
    "--set games=64 --set steps=4 --set hidden=8 --set critic_hidden=8 --set minibatch=64 --set measure_games=40"
)
"""Settings of a training that is over at once."""
ROWS: Final = (
    Row("watch random greedy --rules mini-7 --record new.txt", "luck of player 1"),
    Row("watch random greedy --rules mini-7 --record game.txt --force", "luck of player 1", before=(GAME, "")),
    Row("watch random greedy --rules mini-7 --record new.txt --json", '"result"'),
    Row("analyze game.txt --coach flat:sims=2 --html page.html", "accuracy", before=(GAME, "")),
    Row("solve mini-7 --save policy.npz", "Perfect play gives"),
    Row("solve mini-7 --against greedy --save policy.npz --json", '"value"'),
    Row("solve house --against greedy --games 3 --save value.npz --json", '"weights"'),
    Row(f"arena random greedy {MINI} --pairs 2 --processes 1 --store store.jsonl --records games", "in all"),
    Row(f"arena random greedy {MINI} --pairs 2 --processes 1 --plot plot.svg", "in all"),
    Row(
        f"tournament random greedy {MINI} --pairs 1 --processes 1 --folder stores --records games", "rating", long=True
    ),
    Row(f"tournament random greedy {MINI} --pairs 1 --processes 1 --plot plot.svg", "rating", long=True),
    Row(
        f"nash greedy {MINI} --pairs 1 --sims 1 --processes 1 --folder stores --plot picture.svg",
        "no equilibrium",
        long=True,
    ),
    Row(f"demo {MINI} --pairs 1 --sims 1 --folder demo", "One game", long=True),
    Row(f"{PLAY} --record play.txt", "Your play", MOVES),
    Row(PLAY, "2. the opponent played", "1\nquit\n"),
    Row("play --resume play.txt --coach flat:sims=2", "Your play", MOVES, (f"{PLAY} --record play.txt", "1\nquit\n")),
    Row("games --plot plot.svg", "against", before=(PLAY, "1\nquit\n")),
    Row(f"advise {QUICK} {MINI} --save table.txt", "You played", f"{DEAL}r0\ndraw\n"),
    Row(f"advise {QUICK} {MINI}", "You played", f"{DEAL}save table.txt\nr0\n"),
    Row(
        f"advise {QUICK} --resume table.txt",
        "drew",
        "draw\n",
        (f"advise {QUICK} {MINI} --save table.txt", f"{DEAL}r0\n"),
    ),
    Row(f"train run --config mini {TINY} --set decisions=1 --device cpu --threads 1", "wrote", long=True),
)
COMMANDS: Final[dict[str, Any]] = get_command(app).commands  # type: ignore[attr-defined]  # a group has them
READING: Final = {("analyze", "record"), ("advise", "table"), ("nash", "responses"), ("serve", "store")}
"""Files that are named only to be read, or are SQLite's."""
OTHERS: Final = {"rules", "agents", "bench", "engine", "schema", "serve"}
"""Commands that write nothing, and `serve`, whose store SQLite writes (`tests/web_server/test_sessions.py`)."""


# --- the table is whole ----------------------------------------------------------------------------------


def writing_options() -> Iterator[tuple[str, str]]:
    """Yield every command with each of its options and arguments that names a file or folder to be written."""
    for name, command in COMMANDS.items():
        hints = get_type_hints(inspect.unwrap(command.callback))
        for option in command.params:
            named = hints.get(option.name)
            if Path in (named, *get_args(named)) and (name, option.name) not in READING:
                yield name, option.opts[0]


def test_every_command_that_writes_a_file_is_made_to_fail() -> None:
    assert {row.line.split()[0] for row in ROWS} | OTHERS == set(COMMANDS)
    found = list(writing_options())
    assert len(found) >= 12
    for name, option in found:
        lines = [row.line.split() for row in ROWS if row.line.split()[0] == name]
        assert any(option in words or not option.startswith("-") for words in lines), (name, option)


def test_only_one_module_changes_files() -> None:
    package = Path(files.__file__).parent
    changes = re.compile(
        r"\.(?:mkdir|touch|write_bytes|savefig|unlink|rename|rmdir|symlink_to|hardlink_to)\(|(?<!err)\.write_text\("
        r"|os\.(?:replace|rename|link|unlink|remove|mkdir|makedirs|open|write|truncate)\("
        r"|open\([^)]*[\"'](?:[rwax]b?\+|[wax]b?)|NamedTemporaryFile|mkstemp|shutil\.|np\.save\("
    )
    kept = {"files.py", "kernel_cache.py", "jit.py"}  # the cache of kernels is no file that anybody asks for
    for path in package.rglob("*.py"):
        found = [line for line in path.read_text(encoding="utf-8").splitlines() if changes.search(line)]
        harmless = "savefig(file", "os.devnull", "left[os.write(file, left) :]", "os.write(2, "  # output, errors
        through = [line for line in found if not any(words in line for words in harmless)]
        assert not through or path.name in kept, (path, through)


# --- what is left of a run -------------------------------------------------------------------------------

WHOLE: Final[dict[str, Callable[[Path], object]]] = {
    ".txt": load_record,
    ".jsonl": read_store,
    ".npz": lambda path: np.load(path, allow_pickle=False)["header"],
    ".html": lambda path: path.read_text(encoding="utf-8").rstrip().endswith("</html>") or 1 / 0,
    ".svg": lambda path: path.read_text(encoding="utf-8").endswith("</svg>") or 1 / 0,
    ".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    ".csv": lambda path: path.read_text(encoding="utf-8").endswith("\n") or 1 / 0,
    ".pt": lambda path: path.stat().st_size or 1 / 0,
}
"""What fails on half of a file."""
CLAIM: Final = re.compile(
    r"(?:saved as|Saved in|page is in|picture is in|Record:|policy:file=|of it is in|wrote) ?(\S+)"
)
"""Words that say that a file is there."""
GAME_CLAIM: Final = re.compile(r"(?:saved as|Record:|of it is in) ?(\S+)")
"""Words that say that a whole game is there."""


def left(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder; each has to be whole."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    for name, path in found.items():
        assert not path.name.startswith("."), f"{name} is left behind"
        WHOLE[path.suffix](path)
    return {name: path.read_bytes() for name, path in found.items()}


def moves_of(text: str) -> int:
    """Return how many moves a game has."""
    return len(parse_record(text).moves)


def most_moves(folder: Path, done: Done) -> int:
    """Return the moves of the longest game that was saved or printed."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.txt")]
    follows = done.err.partition("\n\n")[2]
    return max(map(moves_of, [*texts, *([follows] if follows else [])]), default=-1)


MEASURE: Final = nash_report.nash_report
"""What measures an agent, before a test puts something else in its place."""


def one_report(rules: Rules, agent: str) -> nash_report.NashReport:
    """Return a small report."""
    return MEASURE(rules, agent, attempts.challengers_of(agent, Budget(simulations=1), rules)[:1], 1, 1)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what takes long and writes nothing."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(attempts, "QUICK_PAIRS", 1)
    monkeypatch.setattr(demo, "find_spec", lambda _: object())
    monkeypatch.setattr("uno_pomdp.cli.ui.annotated_game.play_annotated", cache(play_annotated))
    reports = cache(one_report)
    monkeypatch.setattr(nash_report, "nash_report", lambda rules, agent, *_, **__: reports(rules, agent))
    monkeypatch.setattr(nash_report, "exact_of", cache(nash_report.exact_of))
    figure = pytest.importorskip("matplotlib.figure")
    monkeypatch.setattr(figure.Figure, "savefig", lambda _, file, **__: file.write(b"<svg></svg>"))


class Runs:
    """Runs of one command, each in a folder of its own."""

    def __init__(self, row: Row, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.row = row
        self.root = root
        self.patch = monkeypatch
        self.count = 0
        self.before: dict[str, bytes] = {}

    def run(self, fault: Fault, nth: int) -> tuple[Disk, Done, Path]:
        """Run it on a disk whose nth change fails; return the disk, what was done, and where."""
        self.count += 1
        folder = self.root / str(self.count)
        for part in ("here", "temporary"):
            (folder / part).mkdir(parents=True)
        self.patch.chdir(folder / "here")
        self.patch.setenv("UNO_POMDP_GAMES", str(folder / "here" / "saves"))
        self.patch.setattr(tempfile, "tempdir", str(folder / "temporary"))
        line, typed = self.row.before
        if line and not self.before:
            assert call(*line.split(), typed=typed).code == 0
            self.before = left(folder)
        for name, content in self.before.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        disk = Disk(folder, fault, nth)
        with self.patch.context() as patch:
            patch.setattr(files, "os", disk)
            done = call(*self.row.line.split(), typed=self.row.typed)
        return disk, done, folder


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("row", ROWS, ids=[row.line for row in ROWS])
def test_a_write_that_fails_is_one_sentence_and_nothing_is_lost(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if row.line.startswith("train") and find_spec("torch") is None:
        pytest.skip("training needs torch")
    runs = Runs(row, tmp_path, monkeypatch)
    disk, undisturbed, folder = runs.run(FULL, 0)
    assert undisturbed.code == 0, undisturbed.err
    assert row.result in undisturbed.out
    whole = left(folder)
    assert whole
    moves = most_moves(folder, undisturbed)
    told = 0
    for nth in range(1, len(disk.calls) + 1):
        for fault in FAULTS[nth % 3 :][:1] if row.long else FAULTS:
            at, done, folder = runs.run(fault, nth)
            assert at.failed, (row.line, nth, at.calls, done)
            why = f"{row.line}: call {nth}, {at.calls[nth - 1]}: {fault}\n{done.out}{done.err}"
            found = left(folder)
            for path in CLAIM.findall(done.out + done.err):
                assert Path(path.rstrip(";:.,")).exists(), why
            for path in GAME_CLAIM.findall(done.out + done.err):
                assert len(load_record(path.rstrip(";:.,")).moves) == moves, why
            if done.code == 0:  # only what tries again has got over it
                assert row.typed, why
                assert len(found) == len(whole), why
                assert most_moves(folder, done) == moves, why
                continue
            assert done.code == 2, why
            said = done.err.partition("\n\n")[0].splitlines()
            sentences = [line for line in said if line and not line.startswith("training ")]  # its bar
            assert len(sentences) == 1, why
            assert sentences[0].startswith("uno-pomdp: "), why
            assert os.strerror(fault.number) in sentences[0], why
            assert not re.search(r"\.tmp|\.lock|inside", sentences[0]), why
            for name, content in runs.before.items():  # what was there is there, or went on
                assert name in found, why
                assert found[name] == content or row.typed or "--force" in row.line, why
            told += row.result in done.out
            if row.typed and row.result in done.out:
                assert most_moves(folder, done) >= moves, why
    kept = "--store" in row.line or "--folder" in row.line or row.line.startswith("train")  # a net is no text
    assert told > 0 or kept  # a result that can't be written is printed
