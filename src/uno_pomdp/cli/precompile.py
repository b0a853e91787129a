"""Compiling ahead: where the cache is empty, another process compiles the kernels that will be needed later.

`python -m uno_pomdp.cli.precompile COMMAND …` is that process; it ends when nobody holds its input open.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import DEVNULL, PIPE
from threading import Thread

from uno_pomdp.jit import note_done, was_done


@contextmanager
def compiling_ahead(command: Sequence[str]) -> Iterator[None]:
    """Run a command of this package in the background, to fill the cache with its kernels; its output is discarded."""
    if (os.cpu_count() or 1) < 2 or was_done(what := " ".join(command)):
        yield
        return
    running = [sys.executable, "-P", "-m", __name__, *command]  # -P: nothing is imported from the present folder
    with subprocess.Popen(running, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL) as process:
        try:
            yield
            note_done(what)
        finally:
            process.kill()  # it has nothing to tidy up, and a compiler does not listen


def run_while_held() -> None:
    """Run the command of the arguments; end at once when the process that started it has ended, however it did."""
    from uno_pomdp.cli.main import run

    def end_with_input() -> None:
        while os.read(0, 1):
            pass
        os._exit(1)

    Thread(target=end_with_input, daemon=True).start()
    run()


if __name__ == "__main__":
    run_while_held()
