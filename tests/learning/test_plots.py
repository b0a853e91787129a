"""A learning curve as a picture."""

from pathlib import Path

from uno_pomdp.learning.plots import draw_curve


def test_a_curve_is_drawn_from_its_file(tmp_path: Path) -> None:
    text = "iteration,decisions,random,random ±,frozen,frozen ±\n1,1000000,0.5,0.01,,\n2,2000000,0.6,0.01,0.51,0.002\n"
    (tmp_path / "curve.csv").write_text(text, encoding="utf-8")
    draw_curve(tmp_path / "curve.svg", tmp_path / "curve.csv")
    drawn = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "v random" in drawn
    assert "v frozen" in drawn
