"""What a first run costs: kernels compiled with an empty cache, beside the same for an earlier commit in the same run.

Each command runs twice in processes of its own, with an empty cache of kernels and with the one that this has filled;
*compiling* is the difference of the two on the clock, two cores. *Specialisations* counts every function that Numba
compiled, for every set of types, in all processes of the cold run, its own functions included. The earlier commit is
the last one at which every edit threw all kernels away and a kernel was compiled for each combination of number types;
its sources come from the repository, so this needs git and its history.

*After an edit* a line is added to a copy of the command line's sources, and the command runs again with the warm cache.

*Rates* shows that what is compiled otherwise is not slower: both commits' kernels at the same work in two processes, in
turn, the median of 20 ratios. Where a process lies in memory makes the same code up to a tenth faster or slower, for as
long as the process lives: so every other ratio is that of two new processes.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.harness import (
    ROOT,
    Benchmark,
    Claim,
    Part,
    Run,
    Worker,
    at_least,
    at_most,
    checked_out,
    run,
    seconds,
    shown,
)

BEFORE: Final = "782f6fb"
"""The commit to compare with."""
STARTS: Final = 10
"""How often both sides start anew."""
TURNS: Final = 2
"""How often each rate is then measured on each side."""
SLOWER: Final = 0.98
"""What a rate may fall to."""

LISTENER: Final = """
import os
from numba.core import event

class Listener(event.Listener):
    def on_start(self, started):
        function = started.data["dispatcher"].py_func
        with open(os.environ["UNO_POMDP_COMPILED"], "a") as file:
            file.write(f"{function.__module__}.{function.__qualname__}\\n")

    def on_end(self, ended):
        pass

event.register("numba:compile", Listener())
"""
"""Runs at the start of every process, as `sitecustomize`, and notes each function that is compiled."""

DECISIONS: Final = """
import sys
from uno_pomdp.game.game import Game
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

rules = preset("house")
game = Game.new(rules, 5)
agents = [make_agent(sys.argv[1]) for _ in range(2)]
for seat in range(2):
    agents[seat].start(rules, game.observation(seat), seat)
for number in range(12):
    game.apply(agents[game.turn].decide().action)
    for seat in range(2):
        agents[seat].update(game.events(seat, number), game.observation(seat))
"""
"""The first twelve moves of a game, both players the agent of the argument."""

COMMAND: Final = "from uno_pomdp.cli.main import run; run()"
PROGRAMS: Final[dict[str, tuple[str, ...]]] = {
    "decisions of champion": (DECISIONS, "champion"),
    "decisions of champion:ms=10": (DECISIONS, "champion:ms=10"),
    "arena flat ismcts": (COMMAND, "arena", "flat:sims=20", "ismcts:sims=20", "--pairs", "1", "--processes", "1"),
    "nash heuristic --rules mini-7": (COMMAND, "nash", "heuristic", "--rules", "mini-7", "--pairs", "20"),
    "demo": (COMMAND, "demo", "--pairs", "4", "--sims", "50"),
}
QUICK: Final[dict[str, tuple[str, ...]]] = {"rules": (COMMAND, "rules")}
"""Compiles nothing: shows that the measuring works."""

RATES: Final = """
import json, sys, time
import numpy as np
from uno_pomdp.policies.kernels import HEURISTIC, WEIGHTS
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.equilibrium.cfr import solve
from uno_pomdp.equilibrium.tree.game_tree import build_tree
from uno_pomdp.game.game import Game
from benchmarks.kernels.random_games import play_random_games
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset

rules, size, deck = preset("house"), float(sys.argv[1]), sys.argv[2]
game = Game.new(rules, 5)
steps = []
while not game.over and len(steps) < 40:
    game.apply(game.legal_actions()[0])
    steps.append((game.events(0, len(steps)), game.observation(0)))
first = Game.new(rules, 5).observation(0)
choices = [n for n, (_, seen) in enumerate(steps) if seen.turn == 0 and len(seen.legal_actions()) > 1]
tree = build_tree(preset(deck))

def engine():
    play_random_games(rules, int(60_000 * size) + 1, 1)

def belief():
    for _ in range(int(60 * size) + 1):
        held = ClosedFormBelief(rules, first)
        for events, seen in steps:
            held.update(events, seen)
        held.sample(int(4_000 * size) + 1, 1)

def search(name):
    def decide():
        for seed in range(int(8 * size) + 1):
            agent = make_agent(f"{name}:sims={int(6_000 * size) + 1},endgame=no")
            agent.start(rules, first, seed)
            for events, seen in steps[: choices[len(choices) // 2] + 1]:
                agent.update(events, seen)
            agent.decide()
    return decide

def cfr():
    solve(tree, iterations=int(60 * size) + 1, target=0.0)

work = {"engine": engine, "belief": belief, "flat": search("flat"), "ismcts": search("ismcts"), "cfr": cfr}
for each in work.values():
    each()
print("ready", flush=True)
for line in sys.stdin:
    started = time.perf_counter()
    work[line.strip()]()
    print(json.dumps(time.perf_counter() - started), flush=True)
"""
"""Does a piece of work for each line that names it, and says how long it took."""
NAMES_BEFORE: Final = {
    "uno_pomdp.policies.kernels": "uno_pomdp.agents.policies",
    "uno_pomdp.equilibrium.tree.game_tree": "uno_pomdp.equilibrium.tree",
    "uno_pomdp.game.game": "uno_pomdp.game.engine",
    "benchmarks.kernels.random_games": "uno_pomdp.game.selfplay",
}
"""Modules that had another name in the earlier commit."""
WORK: Final = {
    "engine": "random self-play",
    "belief": "exact belief: updates and worlds",
    "flat": "flat Monte Carlo",
    "ismcts": "information-set MCTS",
    "cfr": "CFR on mini-9",
}


@dataclass(frozen=True)
class Cold:
    """One command's first run."""

    specialisations: int
    """Functions compiled, counted for each set of types."""
    kernels: int
    """Different functions of the package among them."""
    compiling: float
    """Seconds of the cold run less those of a warm one."""


@contextmanager
def sources_before(run: Run, commit: str = BEFORE) -> Iterator[Path]:
    """Give the sources of an earlier commit, in a folder of their own; in a quick run, which has no bars, our own."""
    if run.quick:
        yield ROOT / "src"
        return
    with checked_out(commit, "src") as folder:
        yield folder / "src"


def as_then(program: str, sources: Path) -> str:
    """Return a program that imports modules by the names that they have in these sources."""
    if not (sources / "uno_pomdp" / "game" / "engine.py").exists():
        return program
    for now, then in NAMES_BEFORE.items():
        program = program.replace(f"from {now} import", f"from {then} import")
    return program


def environment(sources: Path, folder: Path) -> dict[str, str]:
    """Return the environment of a process with these sources, a cache in the folder, and the listener."""
    (folder / "sitecustomize.py").write_text(LISTENER, encoding="utf-8")
    return os.environ | {
        "PYTHONPATH": os.pathsep.join((str(folder), str(sources))),
        "UNO_POMDP_CACHE": str(folder / "cache"),
        "UNO_POMDP_COMPILED": str(folder / "compiled.txt"),
        "UNO_POMDP_GAMES": str(folder / "games"),
        "PYTHONUTF8": "1",
    }


def compiled(sources: Path, folder: Path, program: tuple[str, ...]) -> tuple[list[str], float]:
    """Run a program; return the functions that were compiled and the seconds it took."""
    names = folder / "compiled.txt"
    names.write_text("", encoding="utf-8")
    command = [sys.executable, "-c", as_then(program[0], sources), *program[1:]]
    surroundings = environment(sources, folder)
    took = seconds(lambda: subprocess.run(command, check=True, capture_output=True, cwd=folder, env=surroundings))
    return names.read_text(encoding="utf-8").splitlines(), took


def first_run(sources: Path, program: tuple[str, ...]) -> Cold:
    """Run a program with an empty cache, then with what that left."""
    with tempfile.TemporaryDirectory() as folder:
        names, cold = compiled(sources, Path(folder), program)
        _, warm = compiled(sources, Path(folder), program)
    own = {name for name in names if name.startswith("uno_pomdp.")}
    return Cold(len(names), len(own), cold - warm)


def first_runs(run: Run) -> Iterator[Claim]:
    """Yield what each command compiles, beside the earlier commit."""
    with sources_before(run) as before:
        for name, program in run.pick(PROGRAMS, QUICK).items():
            new = first_run(ROOT / "src", program)
            old = new if run.quick else first_run(before, program)
            yield shown(f"{name}: kernels", new.kernels, "")
            yield shown(f"{name}: specialisations", new.specialisations, "")
            yield at_most(
                f"{name}: specialisations, by the {old.specialisations} of before",
                new.specialisations / max(old.specialisations, 1),
                0.65,
                "x",
            )
            yield shown(f"{name}: compiling", new.compiling, "s")
            yield at_most(
                f"{name}: compiling, by the {old.compiling:.1f} s of before",
                new.compiling / max(old.compiling, 1e-9),
                0.6,
                "x",
            )


def after_an_edit(run: Run) -> Iterator[Claim]:
    """Yield what is compiled again after an edit of the command line."""
    program = run.pick(PROGRAMS["decisions of champion:ms=10"], QUICK["rules"])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        copy = folder / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        compiled(copy, folder, program)
        edited = copy / "uno_pomdp" / "cli" / "main.py"
        edited.write_text(edited.read_text(encoding="utf-8") + "\n\nEDITED = 1\n", encoding="utf-8")
        again, _ = compiled(copy, folder, program)
    yield at_most("kernels compiled again after an edit of cli/", len(again), 0, "")


def rates(run: Run) -> Iterator[Claim]:
    """Yield how fast compiled kernels are, beside those of the earlier commit."""
    starts, turns, size = run.pick((STARTS, TURNS, 1.0), (1, 1, 0.001))
    ratios: dict[str, list[float]] = {name: [] for name in WORK}
    with sources_before(run) as before, ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        sides = list(zip((before, ROOT / "src"), folders, strict=True))
        deck = run.pick("mini-9", "mini-7")  # a quick run has a smaller tree
        for start in range(starts):
            order = 1 if start % 2 else -1
            with ExitStack() as started:
                workers = [
                    started.enter_context(
                        Worker(
                            ("-c", as_then(RATES, sources), str(size), deck),
                            {"PYTHONPATH": str(sources)} | ({} if run.quick else {"UNO_POMDP_CACHE": str(folder)}),
                        )
                    )
                    for sources, folder in sides
                ][::order]
                for name in WORK:
                    for _ in range(turns):
                        old, new = [worker.timed(name) for worker in workers][::order]
                        ratios[name].append(old / new)
    for name, title in WORK.items():
        yield at_least(f"{title}: rate by that of before", statistics.median(ratios[name]), SLOWER, "x")


BENCHMARK = Benchmark(
    "cold",
    (
        Part("first runs", first_runs),
        Part("an edit of the command line", after_an_edit),
        Part("rates of what was compiled", rates),
    ),
    one_core=False,
)

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
