"""The tool that measures speed beside another commit: every row runs, and a row that misses the bar is said."""

import pytest

from tools.speed import main, report
from tools.speed_rows import ROWS


def test_every_row_runs(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"]) == 0
    told = capfd.readouterr().out
    assert all(f" {row} " in told for row in ROWS)


def test_a_row_below_the_bar_is_told_from_one_above(capsys: pytest.CaptureFixture[str]) -> None:
    slow, quick = [(1.0, 0.9), (1.0, 0.95), (2.0, 1.9)], [(1.0, 0.99), (1.0, 1.5), (1.0, 0.5)]
    assert report({"quick": quick}, 0.97)
    assert not report({"quick": quick, "slow": slow}, 0.97)
    assert "0.950" in capsys.readouterr().out


def test_a_commit_that_is_not_there_and_a_row_that_is_not_known_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-commit", "--rows", "tree"]) == 2
    assert "no-such-commit" in capsys.readouterr().err
    for wrong in (["--quick", "--rows", "speed"], []):
        with pytest.raises(SystemExit):
            main(wrong)
