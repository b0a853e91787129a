"""Files of games and results: never over what is not to be written over, one terminal at a time, and the truth."""

import os
import signal
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
import typer
from rich.console import Console

from tests.cli.faults import Disk
from tests.cli.inside import call
from uno_pomdp import files
from uno_pomdp.cli.keeping import Keeper
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.play.interfaces import PipeInterface
from uno_pomdp.cli.play.session import RESUME, Evening
from uno_pomdp.files import SavedFile
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, parse_record, save_record
from uno_pomdp.game.record import GameRecord
from uno_pomdp.rules import preset
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup

MINI: Final = "--rules mini-7"
PLAY: Final = f"play random {MINI} --seed 4 --coach flat:sims=2"
ADVISE: Final = f"advise --coach heuristic {MINI}"
DEAL: Final = "me\nr0 r1\nrs\nr0\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a game, a text and places for saves and for what is temporary."""
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "saves"))
    (tmp_path / "here").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "here")
    call(*f"watch random greedy {MINI} --record game.txt".split())
    for name in ("text.txt", "text.html", "text.npz", "text.svg"):
        Path(name).write_text("just text\n")


def refusal(line: str, typed: str = "") -> str:
    """Return the one sentence with which a command refuses."""
    done = call(*line.split(), typed=typed)
    assert done.code == 2
    assert done.err.count("\n") == 1
    return done.err


# --- never over what is there ----------------------------------------------------------------------------

OVER: Final = (
    f"watch random greedy {MINI} --record text.txt",
    "analyze game.txt --coach flat:sims=2 --html text.html",
    "solve mini-7 --save text.npz",
    "solve mini-7 --against greedy --save text.npz",
    "solve house --against greedy --games 3 --save text.npz",
    f"nash greedy {MINI} --pairs 1 --sims 1 --processes 1 --plot text.svg",
    f"arena random greedy {MINI} --pairs 1 --plot text.svg",
    f"tournament random greedy {MINI} --pairs 1 --plot text.svg",
    f"{PLAY} --record text.txt",
    f"{ADVISE} --save text.txt",
)


@pytest.mark.parametrize("line", OVER)
def test_a_file_that_is_there_is_written_over_only_by_force(line: str) -> None:
    name = line.split()[-1]
    said = refusal(line)
    assert said.startswith(f"uno-pomdp: {name} is there already: name another file")
    assert said.endswith(", or write over it with --force\n")
    assert Path(name).read_text() == "just text\n"
    done = call(*line.split(), "--force", typed="1\nquit\n" if line.startswith("play") else DEAL)
    assert done.code == 0, done.err
    assert Path(name).read_bytes() != b"just text\n"


@pytest.mark.parametrize("other", ["game.txt", "./game.txt", "soft.txt", "hard.txt"])
@pytest.mark.parametrize("force", ["", " --force"])
def test_a_page_is_never_written_over_its_record(other: str, force: str) -> None:
    Path("soft.txt").symlink_to("game.txt")
    os.link("game.txt", "hard.txt")
    before = Path("game.txt").read_bytes()
    said = refusal(f"analyze game.txt --html {other}{force}")
    assert said.endswith(f"{Path(other)} is a file that this command reads: name another one to write\n")
    assert Path("game.txt").read_bytes() == before


def test_what_an_agent_reads_is_never_written_over() -> None:
    call("solve", "mini-7", "--save", "policy.npz")
    before = Path("policy.npz").read_bytes()
    Path("mine.py").write_text("")
    for line in (
        "solve mini-7 --against policy:file=policy.npz --save policy.npz --force",
        f"watch policy:file=policy.npz random {MINI} --record policy.npz --force",
        f"play policy:file=policy.npz {MINI} --record policy.npz --force",
        f"advise {MINI} --coach policy:file=policy.npz --save policy.npz --force",
        f"watch py:mine.Agent random {MINI} --record mine.py --force",
    ):
        assert "is a file that this command reads" in refusal(line)
    assert Path("policy.npz").read_bytes() == before
    assert Path("mine.py").read_text() == ""


def test_records_are_not_mixed_with_those_of_another_match() -> None:
    line = f"{MINI} --pairs 1 --processes 1 --records games"
    assert call(*f"arena random greedy {line}".split()).code == 0
    before = sorted(path.read_bytes() for path in Path("games").iterdir())
    said = refusal(f"arena heuristic baseline {line}")
    assert said == "uno-pomdp: games holds games already: name another folder, or write over them with --force\n"
    assert sorted(path.read_bytes() for path in Path("games").iterdir()) == before
    assert call(*f"arena heuristic baseline {line} --force".split()).code == 0


def test_the_place_is_tried_before_the_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def work(*_: object) -> None:
        raise AssertionError("the place comes first")

    monkeypatch.setattr("uno_pomdp.equilibrium.tree.game_tree.build_tree", work)
    monkeypatch.setattr(files, "os", Disk(tmp_path, nth=1))
    assert refusal("solve mini-7 --save new.npz") == "uno-pomdp: new.npz can't be written: No space left on device\n"


# --- one terminal at a time ------------------------------------------------------------------------------


def test_a_second_terminal_is_refused_at_once() -> None:
    call(*f"{PLAY} --record play.txt".split(), typed="1\nquit\n")
    call(*f"{ADVISE} --save table.txt".split(), typed=DEAL)
    for line, name in (
        ("play --resume play.txt", "play.txt"),
        ("advise --resume table.txt", "table.txt"),
        (f"{PLAY} --record play.txt --force", "play.txt"),
        (f"{ADVISE} --save table.txt --force", "table.txt"),
    ):
        before = Path(name).read_bytes()
        with SavedFile(name):
            said = refusal(line)
        assert said == (
            f"uno-pomdp: {name} is in use by another uno-pomdp: end that one first, or go on with a copy of the file\n"
        )
        assert Path(name).read_bytes() == before
    assert call("play", "--resume", "play.txt", "--coach", "flat:sims=2", typed="quit\n").code == 0


def test_a_copy_is_not_saved_over_a_game_that_another_terminal_plays() -> None:
    call(*f"{PLAY} --record play.txt".split(), typed="save copy.txt\n1\nquit\n")
    with SavedFile(Path("copy.txt")):
        done = call("play", "--resume", "play.txt", typed="save copy.txt\n")
    assert "copy.txt is in use by another uno-pomdp" in done.err
    assert load_record("copy.txt").moves == ()
    assert len(load_record("play.txt").moves) == 2


def test_a_longer_save_of_the_same_game_is_not_written_over() -> None:
    call(*f"{PLAY} --record play.txt".split(), typed="save copy.txt\n1\nquit\n")
    done = call("play", "--resume", "copy.txt", typed="save play.txt\n")
    assert "play.txt is there already and is not this game" in done.err
    assert len(load_record("play.txt").moves) == 2


# --- the truth at the end --------------------------------------------------------------------------------


class Leaving(PipeInterface):
    """Plays one move on a good disk, waits for the opponent's, and then does something else."""

    def __init__(self, then: Callable[[], str]) -> None:
        super().__init__(Console(file=StringIO(), width=80, color_system=None))
        self.then = then
        self.asked = 0

    def ask(self, question: str) -> str:
        """Return what is typed."""
        del question
        self.asked += 1
        return "1" if self.asked == 1 else self.then()

    @property
    def text(self) -> str:
        """All that was shown."""
        assert isinstance(self.console.file, StringIO)
        return self.console.file.getvalue()


def killed(number: int) -> Callable[[], str]:
    """Return what ends the game by a signal."""

    def kill() -> str:
        os.kill(os.getpid(), number)
        return ""

    return kill


def ended() -> str:
    """Come to the end of a pipe."""
    raise Leave(2, "the moves end before the game does")


WAYS: Final[dict[str, tuple[Callable[[], str], int]]] = {
    "quit": (lambda: "quit", 2),
    "Ctrl-C": (killed(signal.SIGINT), 130),
    "SIGTERM": (killed(signal.SIGTERM), 143),
    "the end of a pipe": (ended, 2),
}


def left_by(
    way: Callable[[], str], capsys: pytest.CaptureFixture[str], disk: Callable[[Keeper], None]
) -> tuple[int, str, str]:
    """Play two moves on a disk that something happens to after the deal, and leave; return code and words."""
    setup = Setup(preset("mini-7"), 4, 0, "random", coach="flat:sims=2")
    with SavedFile("play.txt") as file:
        keeper = Keeper(file, RESUME)
        keeper.keep(setup.record(()))
        disk(keeper)
        terminal = Leaving(way)
        with pytest.raises(typer.Exit) as caught:
            Evening().play_kept(terminal, Session(setup, keep=keeper.keep), keeper)
    assert "NOT SAVED" in terminal.text
    said = capsys.readouterr()
    return caught.value.exit_code, said.out, said.err


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("elsewhere", [True, False], ids=["room elsewhere", "no room"])
def test_a_full_disk_is_told_however_the_game_is_left(
    way: str,
    elsewhere: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    full = tmp_path / "here" if elsewhere else tmp_path
    leave, expected = WAYS[way]
    code, out, err = left_by(leave, capsys, lambda _: monkeypatch.setattr(files, "os", Disk(full, nth=1)))
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path / "here")
    assert code == expected
    assert "saved as" not in out + err
    said = "the game is NOT saved: play.txt can't be written: No space left on device; it has 0 of the 2 moves; "
    assert f"uno-pomdp: {said}" in err
    if elsewhere:
        (path,) = (tmp_path / "temporary").iterdir()
        assert f"all of it is in {path}; go on with: uno-pomdp play --resume {path}\n" in err
        found: GameRecord = load_record(path)
    else:
        found = parse_record(err.partition("its whole record follows\n\n")[2])
    assert len(found.moves) == 2
    assert load_record("play.txt").moves == ()
    assert [path.name for path in Path.cwd().iterdir() if path.name.startswith(".")] == []


def test_a_disk_with_room_again_takes_the_game_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def freed() -> str:
        monkeypatch.setattr(files, "os", os)
        return "quit"

    def full(_: Keeper) -> None:
        monkeypatch.setattr(files, "os", Disk(tmp_path, nth=1))

    code, out, err = left_by(freed, capsys, full)
    assert (code, err) == (0, "")
    assert out == "The game is saved as play.txt; go on with: uno-pomdp play --resume play.txt\n"
    assert len(load_record("play.txt").moves) == 2


def test_a_game_that_another_program_changed_is_left_to_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(_: Keeper) -> None:
        Path("play.txt").write_text("mine now")

    code, _, err = left_by(lambda: "quit", capsys, change)
    assert code == 2
    assert "the game is NOT saved: play.txt was changed by another program, and is not written over; all of it " in err
    assert Path("play.txt").read_text() == "mine now"
    (path,) = (tmp_path / "temporary").iterdir()
    assert len(load_record(path).moves) == 2


# --- games that can't be gone on with --------------------------------------------------------------------


def test_an_opponent_that_does_not_know_the_rules_leaves_no_game(tmp_path: Path) -> None:
    said = refusal("play champion --rules printed")
    assert said.startswith("uno-pomdp: no champion comes with the package for the rules printed")
    assert not (tmp_path / "saves").exists()
    refusal("play champion --rules printed --record new.txt")
    assert not Path("new.txt").exists()


def test_games_that_can_not_be_gone_on_with_hide_none_that_can(tmp_path: Path) -> None:
    call(*PLAY.split(), typed="1\nquit\n")
    (real,) = (tmp_path / "saves").iterdir()
    os.utime(real, (1_000_000, 1_000_000))
    for name, rules, opponent in (("a", "printed", "champion"), ("b", "mini-7", "nobody")):
        game = Game.new(preset(rules), 1)
        game.apply(game.legal_actions()[0])
        save_record(tmp_path / "saves" / f"{name}.txt", Setup(preset(rules), 1, 0, opponent).record_of(game))
    (tmp_path / "saves" / "c.txt").write_text("a letter")
    done = call("play", "--resume", typed="quit\n")
    assert done.code == 0
    assert f"The game is saved as {real}; go on with" in done.out
    lines = done.err.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("uno-pomdp: ")
        assert line.endswith("; it is passed over")
    assert sum("c.txt is no record of a game" in line for line in lines) == 1
    assert sum("a.txt" in line for line in lines) == 1
