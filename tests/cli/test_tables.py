"""Tables in a terminal of 80 columns: names stay whole words; a training that is refused draws no bar."""

import re
from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from tests.cli.inside import call
from uno_pomdp.cli.ui import training
from uno_pomdp.cli.ui.console import AgentName
from uno_pomdp.errors import UnoError
from uno_pomdp.learning.progress import TrainingProgress

LONG = "flat:sims=2,belief=uniform,rollout=baseline"


def drawn(name: str, width: int) -> list[str]:
    """Return the lines of a table with a name and a figure."""
    written = StringIO()
    console = Console(file=written, width=width, color_system=None)
    table = Table(box=None, pad_edge=False)
    table.add_column("agent")
    table.add_column("figure", no_wrap=True)
    table.add_row(AgentName(name), "50.00 to 60.00")
    console.print(table)
    return written.getvalue().splitlines()[1:]


def test_a_name_that_fits_is_one_line() -> None:
    assert [line.split() for line in drawn(LONG, 80)] == [[LONG, "50.00", "to", "60.00"]]


@pytest.mark.parametrize("width", range(33, 59))
def test_the_lines_of_a_name_end_behind_its_commas_and_colons(width: int) -> None:
    lines = [line[: width - 15].rstrip() for line in drawn(LONG, width)]
    assert "".join(lines) == LONG
    assert len(lines) > 1
    assert all(re.search("[,:]$", line) for line in lines[:-1])


def test_a_word_that_is_too_long_itself_is_cut_and_nothing_is_lost() -> None:
    lines = [line[:25].rstrip() for line in drawn("py:" + "x" * 60, 40)]
    assert "".join(lines) == "py:" + "x" * 60


def test_a_tournament_keeps_the_words_of_its_names_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = "--pairs", "1", "--rules", "mini-7", "--processes", "1"
    done = call("tournament", "heuristic:noise=0.0625", "heuristic:noise=0.5", "greedy", "random", *words)
    assert done.code == 0, done.err
    assert "6 matches of 1 pair, rules" in done.out
    assert "heuristic:noise=0.0625 " in done.out


def test_a_training_that_is_refused_draws_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=StringIO(), width=80, color_system=None)
    monkeypatch.setattr(training, "err", console)
    with pytest.raises(UnoError), training.showing_training(lambda: ""):
        raise UnoError("refused")
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]  # a text
    with training.showing_training(lambda: "") as bar:
        bar(TrainingProgress(done=0.5))
    assert "training" in console.file.getvalue()  # type: ignore[attr-defined]
