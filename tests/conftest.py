"""Property tests look at the same examples in every run, and take the time they take; what is slow comes first."""

import gc
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion import rewrite
from hypothesis import settings

os.environ["UNO_POMDP_GAMES"] = os.path.join(tempfile.gettempdir(), "uno-pomdp-tests")  # and not a person's own
os.environ.setdefault("NUMBA_OPT", "1")  # the same numbers with half the time for LLVM; set before Numba is imported

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("steady")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so it is in the background, and commands keep to that
    signal.signal(signal.SIGINT, signal.default_int_handler)

WEB: Final = Path(__file__).parent / "web"
"""The tests of pages in a browser."""
SLOW: Final = (
    "tests/test_benchmarks.py",
    "tests/cli/test_demo.py",
    "tests/beliefs/test_reference.py",
    "tests/test_docs.py",
    "tests/arena/test_cluster.py",
    "tests/nets/test_policy_net.py",
    "tests/cli/test_play.py",
    "tests/beliefs/test_closed_form.py",
    "tests/cli/test_write_faults.py",
    "tests/evaluation/test_luck.py",
    "tests/arena/test_run.py",
    "tests/cli/test_nash.py",
)
"""Files that take long with few tests: begun last, one of them would keep one core waiting for the other."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave what needs a browser, or long, to `make test-web`: it is collected where it is asked for by its path."""
    asked = [Path(each.partition("::")[0]).resolve() for each in config.args]
    return True if collection_path == WEB and not any(each.is_relative_to(WEB) for each in asked) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow files first; processes take whole files in this order."""
    root = Path(__file__).parents[1]
    rank = {root / name: place for place, name in enumerate(SLOW)}
    items.sort(key=lambda item: rank.get(item.path, len(SLOW)))


def pytest_collection_finish() -> None:
    """Leave the half a million objects of modules and collected tests out of every later collection of garbage."""
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Rewrite the assertions of all test files once, where several processes would each do so at the same time."""
    if not getattr(config.option, "numprocesses", None) or sys.dont_write_bytecode:
        return
    for path in Path(__file__).parent.rglob("test_*.py"):
        folder = rewrite.get_cache_dir(path)
        kept = folder / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, kept) is None and rewrite.try_makedirs(folder):
            source, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, kept)
