"""Curves of strength are files that show every curve."""

from pathlib import Path

from benchmarks.experiments.strength_curves import draw_budgets, draw_curve
from uno_pomdp.arena.statistics import Interval


def test_a_curve_is_drawn_from_its_file(tmp_path: Path) -> None:
    text = "iteration,decisions,random,random ±,frozen,frozen ±\n1,1000000,0.5,0.01,,\n2,2000000,0.6,0.01,0.51,0.002\n"
    (tmp_path / "curve.csv").write_text(text, encoding="utf-8")
    draw_curve(tmp_path / "curve.svg", tmp_path / "curve.csv")
    drawn = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "v random" in drawn
    assert "v frozen" in drawn


def test_a_curve_of_budgets_is_drawn_with_its_name_and_budgets(tmp_path: Path) -> None:
    curve = {0.3: Interval(0.55, 0.54, 0.56), 10.0: Interval(0.62, 0.61, 0.63)}
    for name in ("one.svg", "two.svg"):
        draw_budgets(tmp_path / name, {"flat v baseline": curve})
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert "flat v baseline" in text
    assert "milliseconds a decision" in text
