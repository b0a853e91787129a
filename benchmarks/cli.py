"""How long a person waits for the command: whole processes, from the start to the end, kernels compiled before.

`agents` lists who can play; `play` is ready when it has shown the deal and asks for a move (here it finds the end of
its input instead, and leaves). Wall-clock seconds, the median of the repeats; beside them a Python that imports NumPy
and Numba and does nothing, for no command with kernels can take less.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_most, median, run, seconds, shown

START = "from uno_pomdp.cli.main import run; run()"


def process(*words: str, says: str = "", **environment: str) -> Callable[[int], float]:
    """Return what measures a process of Python, which has to say this."""

    def work() -> None:
        done = subprocess.run(
            [sys.executable, "-c", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            env=os.environ | {"PYTHONUTF8": "1"} | environment,
        )
        assert says in done.stdout, done.stderr

    return lambda _: seconds(work)


def waits(run: Run) -> Iterator[Claim]:
    """Yield the seconds of each command."""
    with tempfile.TemporaryDirectory() as games:
        agents = process(START, "agents", says="heuristic")
        play = process(START, "play", "--seed", "1", says="you can:", UNO_POMDP_GAMES=games)
        agents(0), play(0)  # the first one compiles
        bare, helped = process("import numpy, numba"), process(START, "--help", says="arena")
        nothing, listed, ready, shown_help = run.interleaved(bare, agents, play, helped)
    yield at_most("warm `uno-pomdp agents`", median(listed), 1.0, "s")
    yield at_most("warm `uno-pomdp play`, to its first question", median(ready), 2.0, "s")
    yield shown("`uno-pomdp --help`", median(shown_help), "s")
    yield shown("Python with NumPy and Numba", median(nothing), "s")


BENCHMARK = Benchmark("cli", (Part("waiting for the command", waits),))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
