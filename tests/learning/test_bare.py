"""Training starts where nothing of the interface is installed, with torch, NumPy, SciPy and Numba alone."""

import subprocess
import sys

MISSING = ("typer", "rich", "joblib", "matplotlib", "distributed", "click")


def test_the_command_starts_without_what_it_does_not_need() -> None:
    code = f"import sys\nfor name in {MISSING}: sys.modules[name] = None\n"
    code += "from uno_pomdp.learning.__main__ import main\nmain(['--help'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "respond" in done.stdout
