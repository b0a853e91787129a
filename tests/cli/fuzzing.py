"""Commands with right and wrong arguments, made from what each command declares: a new option is tried by itself.

`python -m tests.cli.fuzzing CASES SEED` runs so many and prints those that do not end as they should.
"""

import contextlib
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

import typer

from tests.cli.inside import Done, call
from tests.helpers import play_out
from tests.nets.following import untrained
from uno_pomdp import extras
from uno_pomdp.cli.main import app
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import observed, record_of
from uno_pomdp.rules import preset

COMMANDS: Final[dict[str, Any]] = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group has them

SMALL: Final[dict[str, dict[str, str]]] = {
    "arena": {"--pairs": "1", "--rules": "mini-7", "--processes": "1"},
    "tournament": {"--pairs": "1", "--rules": "mini-7", "--processes": "1"},
    "watch": {"--rules": "mini-7"},
    "play": {"--rules": "mini-7"},
    "analyze": {"--coach": "flat:sims=2"},
    "nash": {"--pairs": "1", "--sims": "1", "--rules": "mini-7", "--processes": "1"},
    "solve": {"--rules": "mini-7", "--iterations": "2"},
    "advise": {"--rules": "mini-7", "--coach": "flat:sims=2"},
}
"""What keeps a command short."""
LONG: Final = frozenset({"demo", "bench"})
"""Commands that take long whatever they are asked: they are only given what can't be."""
RARE: Final = frozenset({"--all", "--cluster", "--plot", "--population"})
"""What takes long to refuse or to do: rarely tried beside other things."""

NUMBERS: Final = ("1", "2", "+2", "002")
NO_NUMBERS: Final = (
    "", " ", "nan", "inf", "-inf", "-1", "1e400", "99999999999999999999999", "1_0", "٣", " 2", "2 ", "0x2", "2,0",
    "two", "½", "--", "-", "None", "2\n", "💥", "[/red]", "\udcff",
)  # fmt: skip
RULES: Final = ("mini-7", "mini-7", "house", "printed")
NO_RULES: Final = ("", " ", "nope", "mini-7 ", "MINI-7", "mini-", "--", "💥", "[/red]", "\udcff", "x" * 300, "game.txt")
AGENTS: Final = (
    "random", "greedy", "baseline", "heuristic", "heuristic:noise=0.1", "random", "greedy", "flat:sims=2",
    "ismcts:sims=2,explore=0",
    "pomcp:sims=2", "value:sims=2", "policy:file=policy.npz", "champion:file=net.npz", "champion:temperature=2",
    "py:fuzzed.First", " random ", "flat: sims=2 , threads=1", f"policy:file={'./' * 150}policy.npz",
    "flat:sims=2,belief=uniform,rollout=baseline,halving=no,endgame=no", "flat:sims=2,belief=particles",
    "flat:sims=2,belief=particles,particles=5,model=(champion:file=net.npz,temperature=2),resample=1",
    "value:sims=2,belief=particles,model=greedy", "ismcts:sims=2,belief=particles,model=py:fuzzed.First",
    "pomcp:sims=2,model=random,particles=3",
)  # fmt: skip
BELIEFS: Final = (
    "closed", "uniform", "particles,particles=9", "particles,model=greedy,particles=5,resample=0",
    " particles , particles=3",
    "particles,model=(champion:file=net.npz,temperature=2),particles=4", "particles,model=py:fuzzed.First,particles=2",
    "enumerated", "enumerated,model=random,limit=1000",
)  # fmt: skip
NO_BELIEFS: Final = (
    "", " ", ",", "greedy", "nobody", "closed,particles=3", "uniform,model=greedy", "particles,limit=3", "particles,",
    "particles,particles=0", "particles,particles=1e3", "particles,resample=1.1", "particles,resample=nan",
    "particles,model=(greedy", "particles,model=)", "particles,model=()", "particles,model=flat:sims=2", "particles=5",
    "particles,model=policy:file=none.npz", "particles,model=py:fuzzed.Raises", "enumerated,limit=0", "particles,x=1",
    "particles,particles=3,particles=3", "enumerated,limit=1", "💥", "[/red]", "\udcff", "x" * 300,
)  # fmt: skip
NO_AGENTS: Final = (
    "", " ", ":", "=", "flat:", "flat:,", "flat:ms", "flat:ms=", "flat:=1", "flat:ms=nan", "flat:ms=inf", "flat:ms=-1",
    "flat:sims=0", "flat:sims=99999999999999999999", "flat:sims=2,sims=2", "flat:sims=2,ms=2", "flat:sims=٣",
    "flat:sims=2,belief=greedy", "flat:sims=2,model=greedy", "flat:belief=particles,particles=0", "flat:particles=2",
    "flat:belief=particles,resample=nan", "flat:belief=particles,model=(greedy", "flat:belief=particles,model=flat",
    "flat:belief=enumerated,limit=0", "flat:belief=closed,limit=1", "flat:belief=particles,model=policy",
    "ismcts:explore=nan", "ismcts:explore=-1", "pomcp:gamma=0", "pomcp:penalty=inf",
    "value:steps=1e3", "champion:trust=1", "champion:temperature=nan", "champion:sims=2,temperature=1", "random:x=1",
    "policy", "policy:file=none.npz", "policy:file=binary.npz", "policy:file=folder", "policy:file=net.npz",
    "policy:file=/dev/zero", "policy:file=empty", "policy:file=\udcff", f"policy:file={'x' * 300}",
    "champion:file=policy.npz", "champion:file=binary.npz", "champion:file=game.txt", "champion:file=/dev/null",
    "champion:sims=2,positions=net.npz", "champion:sims=2,opponent=nobody", "onnx", "onnx:file=none.onnx",
    "onnx:file=net.npz", "onnx:file=folder", "onnx:file=/dev/zero", "onnx:file=empty,encoding=x", "py", "py:",
    "py:fuzzed",
    "py:fuzzed.Nobody", "py:fuzzed.First,depth=3", "py:fuzzed.Number", "py:fuzzed.Undecided", "py:fuzzed.Raises",
    "py:fuzzed.Fails", "py:fuzzed.Wrong", "py:misspelt.First", "py:raising.First", "py:none.First", "py:folder.First",
    "py:builtins.dict", "py:fuzzed.First,=", "nobody", "Random", "random,greedy", "--", "💥", "[/red]", "\udcff",
    "x" * 300, "flat\n", "game.txt",
)  # fmt: skip
READ: Final = ("game.txt", "seen.txt", "saved.txt")
NOT_READ: Final = (
    "", " ", "none.txt", "folder", "folder/none.txt", "game.txt/x", "binary.npz", "empty", "text.txt", "policy.npz",
    "/dev/null", "/dev/zero", "x" * 300, "💥.txt", "\udcff.txt", "[/red].txt", "--", "closed.txt",
)  # fmt: skip
WRITTEN: Final = ("new.txt", "folder/new.txt", "new.npz", "new.svg", "💥.npz")
NOT_WRITTEN: Final = (
    "", " ", "folder", "none/new.txt", "game.txt", "game.txt/x", "binary.npz", "text.txt", "empty", "x" * 300, ".",
    "\udcff.txt", "[/red].txt", "new.doc", "fuzzed.py",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "me", "opponent", "r5", "r5 r7 y1", "r1 r2 y1", "w", "cfr", "cfr+", "cpu", "cuda", "small", "mini", "x",
    "=", "games=2", "games=nan", "speed=1", "--", "💥", "[/red]", "\udcff", "x" * 300, "engine", "nan", "1",
)  # fmt: skip
ANSWERS: Final = ("me", "opponent", "r0", "r0 y1", "w", "w red", "y", "0", "1", "2", "played 3", "none", "r1")
"""What may be said about how a game stands."""
NO_TEXTS: Final = ("nope", "", " ", "💥", "[/red]", "\udcff", "x" * 300, "../x", "__main__")
CLUSTERS: Final = ("", "nonsense", "💥", "x:y", "tcp://")

TOO_MANY: Final = ",=:.-+_ \t\r\n\x1b\x7f'\"`[]{}()$%*?!#&;|<>\\^@é٣…\u202e\u200b\ud800"
"""What may have slipped in: no digit, which could make work of a small number, and nothing that leads elsewhere."""

MINE: Final = """
from uno_pomdp.agents.agent import Agent, Decision

class First(Agent):
    def begin(self, seed):
        pass

    def decide(self):
        return Decision(self.observation.legal_actions()[0])

class Undecided(Agent):
    pass

class Raises(First):
    def __init__(self):
        raise KeyError("[/red] two\\nlines")

class Fails(First):
    def decide(self):
        raise ValueError("[/red] two\\nlines")

class Wrong(First):
    def decide(self):
        return None

Number = 3
"""


def new_folder(folder: Path) -> None:
    """Lay out files of every kind that a command may meet."""
    rules = preset("mini-7")
    game = play_out(Game.new(rules, 1))
    save_record(folder / "game.txt", record_of(game))
    save_record(folder / "saved.txt", record_of(Game.new(rules, 1), ("human", "random")))
    save_record(folder / "seen.txt", observed(record_of(Game.new(rules, 1), ("me", "the opponent")), 0))
    (folder / "text.txt").write_text("just text\n", encoding="utf-8")
    (folder / "binary.npz").write_bytes(bytes(range(256)) * 4)
    (folder / "empty").touch()
    (folder / "closed.txt").touch(mode=0)
    (folder / "folder").mkdir()
    (folder / "fuzzed.py").write_text(MINE, encoding="utf-8")
    (folder / "misspelt.py").write_text("class First(:\n", encoding="utf-8")
    (folder / "raising.py").write_text("1 / 0\n", encoding="utf-8")
    untrained(rules).save(folder / "net.npz")
    call("solve", "mini-7", "--iterations", "1", "--save", str(folder / "policy.npz"))


@contextlib.contextmanager
def standing_in_a_copy_of(template: Path) -> Iterator[Path]:
    """Stand in a fresh copy of a folder; what is kept elsewhere goes there too, and there is no torch."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name, mock.patch.object(extras, "find_spec", return_value=None):
        folder = Path(name) / "here"
        shutil.copytree(template, folder)
        places = {"UNO_POMDP_GAMES": str(folder / "games"), "TMPDIR": name}
        with (
            mock.patch.dict(os.environ, places),
            mock.patch.object(tempfile, "tempdir", name),
            mock.patch.object(sys, "path", [entry for entry in sys.path if entry]),
        ):
            os.chdir(folder)
            try:
                yield folder
            finally:
                os.chdir(before)
                sys.modules.pop("fuzzed", None)  # the next folder has its own


def pools(command: str, parameter: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return right and wrong texts for a parameter, by what it declares."""
    name, metavar = parameter.opts[0], (parameter.metavar or "").strip("[]{}").upper()
    if name == "--processes":  # others would outlive the folder in which they were started
        return ("1",), NO_NUMBERS
    if metavar in ("INT", "NUMBER", "MARGIN", "SECONDS"):
        return (("0.1", ".2", "1e-1"), NO_NUMBERS) if metavar == "MARGIN" else (NUMBERS, NO_NUMBERS)
    if name == "--cluster":
        return CLUSTERS, CLUSTERS
    if name == "--rules" or metavar == "RULES" or (command, name) == ("rules", "name"):
        return RULES, NO_RULES
    if metavar in ("AGENT", "A", "B", "AGENT…") or (command, name) == ("train", "--against"):
        files = READ if (command, name) in (("play", "agent"), ("watch", "a")) else ()
        return (*AGENTS, *files), (*NO_AGENTS, *(NOT_READ if files else ()))
    if (command, name) in (("analyze", "record"), ("advise", "--resume"), ("nash", "--response")):
        return (("net.npz", "game.txt") if command == "nash" else READ), NOT_READ
    if command == "advise" and metavar in ("WHO", "CARDS", "CARD", "COLOUR"):
        return ANSWERS, TEXTS
    if metavar == "BELIEF":
        return BELIEFS, NO_BELIEFS
    if metavar in ("FILE", "DIR") or name in ("folder", "--folder"):
        return WRITTEN, NOT_WRITTEN
    return (NO_TEXTS, NO_TEXTS) if command == "bench" else (TEXTS, TEXTS)


def parameters(command: str) -> list[Any]:
    """Return what a command declares, but for its help."""
    return [one for one in COMMANDS[command].params if one.name != "help"]


def picked(right: tuple[str, ...], wrong: tuple[str, ...], is_wrong: bool, chance: random.Random) -> str:
    """Return a text, right as a rule, now and then with a character too many."""
    text = chance.choice(wrong if is_wrong or chance.random() < 0.15 else right)
    if chance.random() < 0.05:
        place = chance.randrange(len(text) + 1)
        text = f"{text[:place]}{chance.choice(TOO_MANY)}{text[place:]}"
    return text


def refusable(command: str) -> list[str]:
    """Return the parameters of a command that can be wrong; of those that take long, where wrong is wrong for sure."""
    names = [one.opts[0] for one in parameters(command) if not getattr(one, "is_flag", False)]
    return [name for name in names if command not in LONG or name != "--folder"]


def case(command: str, chance: random.Random, wrong: frozenset[str] = frozenset()) -> list[str]:
    """Return the words of a request; these parameters are wrong ones for sure, others now and then."""
    words, options = [], dict(SMALL.get(command, {}))
    for one in parameters(command):
        name = one.opts[0]
        right, bad = pools(command, one)
        is_wrong = name in wrong
        argument = one.param_type_name == "argument"
        if getattr(one, "is_flag", False):
            usual = 0.02 if name in RARE else 0.3
            words += [name] if is_wrong or chance.random() < usual else []
        elif argument and (is_wrong or one.required or chance.random() < 0.3):
            count = chance.choice((1, 2, 2, 3)) if one.nargs == -1 else 1
            words += [picked(right, bad, is_wrong, chance) for _ in range(count)]
        elif not argument and (is_wrong or chance.random() < (0.01 if name in RARE else 0.2)):
            options[name] = picked(right, bad, is_wrong, chance)
    if command == "solve" and "--against" in options and options["--rules"] in ("house", "printed"):
        options.setdefault("--games", "2")  # a value function is fitted to them
    words += [f"{name}={text}" if chance.random() < 0.5 else f"{name}\0{text}" for name, text in options.items()]
    chance.shuffle(words)
    if chance.random() < 0.05:
        words.insert(chance.randrange(len(words) + 1), chance.choice(("--nope", "-x", "extra", "--", "--seed", "-h")))
    return [command, *(part for word in words for part in word.split("\0"))]


def cases(count: int, seed: int) -> Iterator[list[str]]:
    """Yield requests of all commands."""
    chance = random.Random(seed)
    for _ in range(count):
        command = chance.choice(sorted(COMMANDS))
        sure = refusable(command)
        wrong = {chance.choice(sure)} if sure and (command in LONG or chance.random() < 0.3) else set()
        yield case(command, chance, frozenset(wrong))


def trouble(words: list[str], done: Done) -> str:
    """Return what is wrong with the way in which a request ended; empty if nothing is."""
    if done.code not in (0, 2) or "Traceback" in done.err:
        return f"exit code {done.code}"
    if done.code == 0:
        return ""
    if not done.err.startswith("uno-pomdp: ") or done.err.count("\n") != 1:
        return "not one sentence"
    said = done.err
    for more in ("`uno-pomdp", "--resume ", "choose one of "):  # a command to copy may repeat a name, and a list has it
        said = said.partition(more)[0]
    for word in words[1:]:
        for name in (word, word.partition("=")[2]):
            if (
                len(name) > 7
                and not name.startswith("-")
                and len(re.findall(rf"(?<![\w./]){re.escape(name)}(?![\w./])", said)) > 1
            ):
                return f"{name} is repeated"
    return ""


def ended(words: list[str]) -> Done:
    """Return how a request ends; a person who plays leaves at once."""
    return call(*words, typed="quit\n" if words[0] == "play" else "")


def main() -> None:
    """Run a campaign."""
    count, seed = (int(text) for text in sys.argv[1:3])
    ends = {0: 0, 2: 0}
    with tempfile.TemporaryDirectory() as name:
        template = Path(name) / "template"
        template.mkdir()
        new_folder(template)
        for number, words in enumerate(cases(count, seed)):
            with standing_in_a_copy_of(template):
                try:
                    done = ended(words)
                    bad = trouble(words, done)
                    ends[done.code] = ends.get(done.code, 0) + 1
                except Exception as error:
                    bad, done = f"{type(error).__name__}: {error}", Done(1, "", "")
            if bad:
                print(number, words, bad, done.err[-300:], sep="\n  ", flush=True)
    print(f"{count} requests, ends by exit code {ends}")


if __name__ == "__main__":
    main()
