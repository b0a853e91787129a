"""How long a person waits for the command: whole processes, from the start to the end, kernels compiled before.

`agents` lists who can play; `play` is ready when it has shown the deal and waits for a move (here it reads the end of
its input instead, and leaves). Wall-clock seconds, the median of the repeats; beside them a bare Python that imports
NumPy and Numba, which is the least that a command with kernels can take.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator

from benchmarks.harness import Benchmark, Claim, Part, Run, at_most, median, run, seconds, shown

START = "from uno_pomdp.cli.main import run; run()"


def process(*words: str) -> Callable[[int], float]:
    """Return what measures a process of Python that does this."""

    def measure(repeat: int) -> float:
        del repeat
        command = [sys.executable, *words]

        def work() -> None:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)

        return seconds(work)

    return measure


def waits(run: Run) -> Iterator[Claim]:
    """Yield the seconds of each command."""
    agents = process("-c", START, "agents")
    play = process("-c", START, "play", "--seed", "1")
    agents(0), play(0)  # the first one compiles
    bare, listed, ready, helped = run.interleaved(
        process("-c", "import numpy, numba"), agents, play, process("-c", START, "--help")
    )
    yield at_most("warm `uno-pomdp agents`", median(listed), 1.0, "s")
    yield at_most("warm `uno-pomdp play`, ready for the first move", median(ready), 2.0, "s")
    yield shown("`uno-pomdp --help`", median(helped), "s")
    yield shown("Python with NumPy and Numba, nothing else", median(bare), "s")


BENCHMARK = Benchmark("cli", (Part("waiting for the command", waits),))

if __name__ == "__main__":
    sys.exit(run(BENCHMARK))
