"""What docs/comparison.md says about other packages is so, as far as they are installed."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import pytest

from tests.test_docs import page
from tools.other_packages import FACTS, spiel_has_uno


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        pytest.param(ask, said, id=ask.__name__, marks=pytest.mark.skipif(find_spec(package) is None, reason=package))
        for package, facts in FACTS.items()
        for ask, said in facts.items()
        if ask is not spiel_has_uno  # other tests register ours: it is asked below
    ],
)
def test_the_page_says_what_is_so(ask: Callable[[], bool], said: bool) -> None:
    assert ask() == said


@pytest.mark.skipif(find_spec("pyspiel") is None, reason="pyspiel")
def test_open_spiel_has_no_uno_of_its_own() -> None:
    code = "from tools.other_packages import spiel_has_uno; print(spiel_has_uno())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_cell_of_the_page_is_empty() -> None:
    heads = "| | uno-pomdp |"
    table = page("docs/comparison.md").partition(heads)[2].splitlines()[2:]
    rows = [line.strip("| ").split(" | ") for line in table if line.startswith("|")]
    assert len(rows) == 10
    for row in rows:
        assert len(row) == 5, row
        assert all(cell.strip() for cell in row)
