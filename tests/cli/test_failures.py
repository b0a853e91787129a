"""Every refusal of the command is one sentence and exit code 2; `--debug` shows where it came from."""

import errno
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import TIMEOUT, entry_point, uno
from tests.cli.inside import call
from tests.nets.following import untrained
from uno_pomdp.cli.commands import bench
from uno_pomdp.cli.failures import NO_MEMORY
from uno_pomdp.cli.main import command_line
from uno_pomdp.errors import UnoError, sentence_of
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import record_of
from uno_pomdp.rules import preset

MINI: Final = "--rules", "mini-7"

REFUSALS: Final[list[tuple[str, str]]] = [
    # the words themselves
    ("pley", "no such command 'pley'"),
    ("--nope", "no such option: --nope"),
    ("arena heuristic", "missing argument 'B'"),
    ("arena heuristic baseline --pairs 0", "invalid value for '--pairs': "),
    ("arena heuristic baseline --pairs many", "invalid value for '--pairs': "),
    ("arena heuristic baseline --seed -1", "invalid value for '--seed': "),
    ("demo house", "got unexpected extra argument"),
    # rules and agents
    ("rules nope", "no rules are called 'nope': choose one of house, pass, printed, stacking, party, mini-7"),
    ("arena heuristic baseline --rules nope", "no rules are called 'nope': choose one of house"),
    ("demo --rules nope", "no rules are called 'nope'"),
    ("tournament random greedy --rules nope", "no rules are called 'nope'"),
    ("nash greedy --rules nope", "no rules are called 'nope'"),
    ("advise --rules nope", "no rules are called 'nope'"),
    ("arena nobody baseline", "no agent is called 'nobody': choose one of random, greedy"),
    ("arena flat:speed=1 baseline", "flat has no option 'speed': it has the options ms, sims"),
    ("arena flat:ms=1,sims=1 baseline", "give ms=… or sims=…, not both"),
    ("arena pomcp:gamma=2 baseline", "gamma: '2' is not a number above 0 and up to 1"),
    ("arena pomcp:leaf=x baseline", "no leaf is called 'x': choose one of"),
    ("arena value:steps=0 baseline", "steps: 0 is not a whole number from 1 to 1,000"),
    ("arena flat:threads=0 baseline", "threads: 0 is not a whole number from 1 to 1,024"),
    ("arena policy baseline", "policy plays a policy from a file: write policy:file=PATH"),
    ("arena policy:file=none.npz baseline", "none.npz can't be read: No such file or directory"),
    ("arena policy:file=text.txt baseline", "text.txt is no policy file"),
    ("arena py baseline", "py plays an agent of your own: write py:module.Class"),
    ("arena py:no_such_module.Agent baseline", "there is no module 'no_such_module', neither in this folder nor"),
    ("advise --coach nobody", "no agent is called 'nobody'"),
    ("play nobody", "no agent is called 'nobody'"),
    ("watch nobody greedy", "no agent is called 'nobody'"),
    ("analyze whole.txt --coach nobody", "no agent is called 'nobody'"),
    # numbers
    ("arena flat:ms=nan baseline", "ms: 'nan' is not a number above 0 and up to 86,400,000"),
    ("arena flat:ms=inf baseline", "ms: 'inf' is not a number above 0 and up to 86,400,000"),
    ("arena ismcts:explore=nan baseline", "explore: 'nan' is not a number from 0 to 1,000"),
    ("arena ismcts:explore=-1 baseline", "explore: '-1' is not a number from 0 to 1,000"),
    (
        "arena flat:sims=99999999999999999999 baseline",
        "sims: 99999999999999999999 is not a whole number from 1 to 1,000,",
    ),
    ("arena flat:ms=1,ms=2 baseline", "flat is given ms=… twice: give it once"),
    ("arena flat: baseline", "nothing stands after the colon of flat: write flat:ms=…"),
    (
        "arena random greedy --pairs 1 --pairs 2",
        "invalid value for '--pairs': it is given twice, and only one can count",
    ),
    (
        "arena random greedy --seed 18446744073709551616",
        "invalid value for '--seed': 18446744073709551616 is not a whole",
    ),
    (
        "watch random greedy --seed 18446744073709551616",
        "invalid value for '--seed': 18446744073709551616 is not a whole",
    ),
    ("solve mini-7 --until nan", "invalid value for '--until': 'nan' is not a number from 0 to 2"),
    ("solve mini-7 --until -1", "invalid value for '--until': '-1' is not a number from 0 to 2"),
    ("nash greedy --ms nan", "invalid value for '--ms': 'nan' is not a number above 0 and up to 86,400,000"),
    # agents of one's own
    ("arena py:misspelt.First random", "the module misspelt can't be loaded (misspelt.py, line 1): SyntaxError: "),
    (
        "arena py:own_refused.Undecided random",
        "own_refused.Undecided can't be made (own_refused.py, line 3): TypeError: Can't instantiate",
    ),
    (
        "arena py:own_refused.Undecided,speed=1 random",
        "Undecided has no option 'speed' (own_refused.py, line 3): it has no options",
    ),
    # matches and tournaments
    (
        "arena heuristic baseline --until-shown 0.6",
        "invalid value for '--until-shown': '0.6' is not a number above 0 and below 0.5",
    ),
    ("arena heuristic baseline --store text.txt", "text.txt is no results store"),
    ("arena heuristic baseline --store none/store", "none/store can't be"),
    ("arena heuristic baseline --processes 2 --cluster x:1", "give a number of processes"),
    ("arena heuristic baseline --plot x.doc", "x.doc is no file for a picture"),
    ("tournament random greedy --plot none/x.svg", "none/x.svg is no file for a picture"),
    ("tournament random", "a tournament needs at least two agents"),
    ("tournament random random", "random enters the tournament twice"),
    # exact play
    ("nash greedy --sims 1 --ms 1", "give the challengers --sims or --ms, not both"),
    ("nash greedy --plot x.doc", "x.doc is no file for a picture"),
    ("nash", "name one agent, or give --all for a table"),
    ("nash greedy --all", "name one agent, or give --all for a table"),
    ("nash --all --population", "--population is for one agent: name it, or leave --population out"),
    ("nash --all --learn 5", "--learn is for one agent: name it, or leave --learn out"),
    ("nash --all --response mini.npz", "--response is for one agent: name it, or leave --response out"),
    ("nash --all --sims 1 --ms 1", "give the challengers --sims or --ms, not both"),
    ("nash --all --plot x.doc", "x.doc is no file for a picture"),
    ("nash greedy --learn 0", "invalid value for '--learn': "),
    ("nash greedy --response none.npz", "none.npz can't be read: No such file or directory"),
    ("nash greedy --response text.txt", "text.txt holds no net: "),
    ("nash greedy --response mini.npz", "mini.npz is a net for the rules mini-7, not house: train one for those with"),
    ("solve house", "a game with reshuffles has no finite tree: choose rules with reshuffle: no, such as mini-7"),
    ("solve mini-7 --rules mini-9", "the rules are named twice, mini-7 and mini-9: name one"),
    ("solve mini-7 --solver x", "no solver is called 'x': choose one of"),
    ("solve mini-7 --save policy.txt", "policy.txt is no file for a policy: name one that ends in .npz"),
    ("solve mini-7 --against flat", "value iteration needs a policy in closed form, not 'flat': choose one of random"),
    ("solve mini-7 --seat 2", "--seat is for a response to one policy: name that with --against, or leave it out"),
    ("solve mini-7 --games 9", "--games is for a response to one policy: name that with --against, or leave it out"),
    ("solve mini-7 --seed 9", "--seed is for a response to one policy: name that with --against, or leave it out"),
    ("solve mini-7 --against greedy --games 9", "mini-7 is solved exactly, without chance: leave --games out"),
    ("solve mini-7 --against greedy --seed 9", "mini-7 is solved exactly, without chance: leave --seed out"),
    ("agents nobody", "no agent is called 'nobody': choose one of random, greedy"),
    ("help nothing", "no such command 'nothing'"),
    ("solve mini-7 --gamma 0.95", "--gamma is for a response to one policy: name that with --against, or leave it out"),
    ("solve mini-7 --step-cost 0.1", "--step-cost is for a response to one policy: name that with --against"),
    ("solve mini-7 --against greedy --gamma 0", "invalid value for '--gamma': '0' is not a number above 0 and up to 1"),
    ("solve house --against greedy --seat 1", "a value function for house is fitted for both seats: leave --seat out"),
    (
        "solve house --against champion",
        "V is fitted to millions of replies, which only scripted policies give in kernels",
    ),
    ("solve house --against greedy --save v.txt", "v.txt is no file for a policy: name one that ends in .npz"),
    ("arena pomcp:model=flat random", "flat does not state its policy, so nothing can be inferred from its choices"),
    ("arena pomcp:model=nobody random", "no agent is called 'nobody': choose one of random, greedy"),
    (
        "arena pomcp:model=champion,belief=closed random",
        "champion remembers the game, so that its worlds are particles",
    ),
    ("arena value:file=none.npz random", "none.npz can't be read: No such file or directory"),
    # the rest
    ("demo --folder text.txt/x", "the folder text.txt/x can't be made: Not a directory"),
    ("bench nope", "no benchmark is called 'nope': choose one of"),
    ("advise --resume none.txt", "none.txt can't be read: No such file or directory"),
    ("advise --resume text.txt", "text.txt is no record of a game: line 1"),
    ("advise --resume whole.txt", "whole.txt is the record of a whole game"),
    ("analyze none.txt", "none.txt can't be read: No such file or directory"),
    ("analyze text.txt", "text.txt is no record of a game: line 1: a record begins with"),
    (
        "advise --save text.txt",
        "text.txt is there already: name another file, go on with it by --resume text.txt, or write over",
    ),
    ("advise --resume whole.txt --hand r5", "a saved game has its own rules and deal: give none of --rules"),
    ("advise --first bob", "'bob' names nobody: write me, or opponent"),
    ("advise --owed 2", "--owed is for a game that is begun in the middle: add --middle"),
    ("advise --middle --first me --hand r5 --top r5x", "'r5x' is no card: write a card as r5"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with a text, a record and a net."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("just text\n")
    Path("misspelt.py").write_text("class First(:\n")
    Path("own_refused.py").write_text("from uno_pomdp.agents.agent import Agent\n\nclass Undecided(Agent):\n    pass\n")
    monkeypatch.delitem(sys.modules, "own_refused", raising=False)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    untrained(preset("mini-7")).save("mini.npz")
    save_record("whole.txt", record_of(Game.new(preset("house"), 1)))


@pytest.mark.parametrize(("line", "message"), REFUSALS, ids=[line for line, _ in REFUSALS])
def test_a_refusal_is_one_sentence_and_exit_code_2(line: str, message: str) -> None:
    done = call(*line.split())
    assert done.err.startswith(f"uno-pomdp: {message}")
    assert done.err.count("\n") == 1
    assert done.code == 2
    assert done.out == ""


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("demo --rules nope", "uno_pomdp.errors.InvalidRules: "),
        ("tournament random", "uno_pomdp.arena.match.InvalidMatch: "),
        ("advise --first bob", "uno_pomdp.advise.entries.NotUnderstood: "),
        ("arena heuristic", "Missing"),
    ],
)
def test_debug_adds_the_traceback_to_the_sentence_wherever_it_stands(line: str, error: str) -> None:
    plain = call(*line.split())
    for words in (["--debug", *line.split()], [*line.split(), "--debug"]):
        done = call(*words)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Traceback (most recent call last):\n")
        assert error in done.err
        assert done.err.endswith(f"\n{plain.err}")


def test_debug_shows_the_traceback_in_a_process_of_its_own_too() -> None:
    done = uno("arena", "--debug", "heuristic", code=2)
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert done.stderr.endswith("\nuno-pomdp: missing argument 'B': `uno-pomdp arena --help` shows what it takes\n")


EMPTY: Final = (
    ("play", "", "'AGENT'", ", or leave it out"),
    ("play --rules", "", "'--rules'", ", or leave it out"),
    ("play --coach", " ", "'--coach'", ", or leave it out"),
    ("play --record", "", "'--record'", ", or leave it out"),
    ("play --resume", "", "'AGENT'", ", or leave it out"),
    ("advise --hand", "", "'--hand'", ", or leave it out"),
    ("serve --host", "", "'--host'", ", or leave it out"),
    ("demo --folder", "", "'--folder'", ", or leave it out"),
    ("tournament random", "", "'AGENT…'", ""),
    ("arena random", "", "'B'", ""),
    ("analyze", "", "'RECORD'", ""),
    ("solve", "", "'RULES'", ", or leave it out"),
    ("games", "", "'DO'", ", or leave it out"),
)


@pytest.mark.parametrize(("line", "text", "name", "otherwise"), EMPTY)
def test_an_empty_text_never_stands_for_what_is_usual(line: str, text: str, name: str, otherwise: str) -> None:
    done = call(*line.split(), text)
    said = f"uno-pomdp: invalid value for {name}: it is empty: give a value{otherwise}: `uno-pomdp {line.split()[0]} "
    assert done.err == f"{said}--help` shows what it takes\n"
    assert (done.code, done.out) == (2, "")


def test_every_command_refuses_an_empty_text_for_each_of_its_options() -> None:
    for name, command in command_line().commands.items():
        for option in command.params:
            if option.opts[0].startswith("--") and not option.is_flag and option.name != "help":
                said = call(name, option.opts[0], "")
                assert said.code == 2, (name, option.name)
                assert f"'{option.opts[0]}': it is empty" in said.err.replace(f" / {option.opts[0]}", "")


LACKS: Final[list[Exception]] = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    ImportError("libscipy.so: failed to map segment from shared object"),
    RuntimeError("can't start new thread"),
]


@pytest.mark.parametrize("error", LACKS, ids=repr)
def test_too_little_memory_is_one_sentence(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: object) -> int:
        try:
            raise error
        except type(error):
            raise type(error)("it can't be done") from error  # as llvmlite says of its library

    monkeypatch.setattr(bench, "names", short)
    done = call("bench")
    assert (done.code, done.err) == (2, f"uno-pomdp: {NO_MEMORY}\n")
    monkeypatch.setattr(bench, "names", lambda *_: import_module("no_such_module"))
    with pytest.raises(ImportError):
        call("bench")


WATCH: Final = "watch", "random", "greedy"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit that other systems do not keep")
@pytest.mark.parametrize("megabytes", [200, 300])
def test_a_process_that_gets_little_memory_says_so(megabytes: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {megabytes * 1000}; exec "$@"', "sh", *entry_point(), *WATCH],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # its threads take some of it on machines with many cores
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"uno-pomdp: {NO_MEMORY}\n")


def test_a_wrong_word_is_one_sentence_in_a_process_of_its_own_too() -> None:
    done = uno("arena", "heuristic", code=2)
    assert done.stderr == "uno-pomdp: missing argument 'B': `uno-pomdp arena --help` shows what it takes\n"


def test_a_file_that_can_not_be_used_is_named() -> None:
    error = PermissionError(13, "Permission denied", "games/1.txt")
    assert sentence_of(error) == "games/1.txt can't be used: Permission denied"
    assert sentence_of(OSError("the disk burns")) is None


def test_a_name_with_a_line_break_or_a_command_for_the_terminal_leaves_one_plain_line() -> None:
    assert sentence_of(UnoError("a\nb\x1b[2J\udcff – ‘ü’ …")) == "a\\nb\\x1b[2J\\udcff – ‘ü’ …"
    assert sentence_of(FileNotFoundError(2, "not there", "a\rb")) == "a\\rb can't be used: not there"
    done = call("nash", "greedy", "--plot", "a\nb.doc")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_bug_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(bench, "names", broken)
    with pytest.raises(ZeroDivisionError):
        call("bench")


def test_an_interruption_has_the_exit_code_of_shells(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "names", interrupted)
    done = call("bench")
    assert (done.code, done.err) == (130, "")


def test_without_a_word_the_help_is_shown() -> None:
    done = call()
    assert done.code == 0
    assert "advise" in done.out
