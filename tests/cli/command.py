"""Run `uno-pomdp` as a person does: in a process of its own, through its entry point."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

NOTICE: Final = re.compile(r"(?m)^Compiling .* …\n")
"""That kernels are compiled, as it is said outside a terminal."""
TIMEOUT: Final = 300
"""Seconds; a first call compiles the kernels."""


def entry_point() -> list[str]:
    """Return the command that is installed beside this Python, or the same as a call of it."""
    script = shutil.which("uno-pomdp", path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-c", "from uno_pomdp.__main__ import run; run()"]


def uno(*arguments: str, code: int = 0, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a pipe, require its exit code and return what it wrote."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    done = subprocess.run(
        [*entry_point(), *arguments],
        env=kept | {"PYTHONUTF8": "1", "TERM": "xterm-256color"} | environment,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=TIMEOUT,
    )
    assert done.returncode == code, done.stderr
    done.stderr = NOTICE.sub("", done.stderr)  # by the first to need a kernel
    return done
