"""Compiling ahead: where nothing is compiled yet, another process compiles what will be needed later."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from subprocess import DEVNULL

from uno_pomdp.jit import nothing_compiled


@contextmanager
def compiling_ahead(command: Sequence[str]) -> Iterator[None]:
    """Run a command of this package meanwhile, for the kernels that it leaves behind; what it says is not heard."""
    if (os.cpu_count() or 1) < 2 or not nothing_compiled():
        yield
        return
    running = [sys.executable, "-m", "uno_pomdp", *command]
    with subprocess.Popen(running, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()
