"""Pictures of results are files that show every curve."""

from pathlib import Path

from uno_pomdp.arena.plots import draw_budgets
from uno_pomdp.arena.statistics import Interval


def test_a_curve_of_budgets_is_drawn_with_its_name_and_budgets(tmp_path: Path) -> None:
    curve = {0.3: Interval(0.55, 0.54, 0.56), 10.0: Interval(0.62, 0.61, 0.63)}
    for name in ("one.svg", "two.svg"):
        draw_budgets(tmp_path / name, {"flat v baseline": curve})
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert "flat v baseline" in text
    assert "milliseconds a decision" in text
