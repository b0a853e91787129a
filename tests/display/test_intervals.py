"""Charts of intervals: places in proportion, ticks that are round, figures beside the rows."""

from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.display.reading import SVG, checked, said, texts, titles
from uno_pomdp.display.intervals import FIGURES, LABELS, IntervalRow, Mark, interval_chart

ROWS = [IntervalRow("one", 5.0, 3.0, 7.0, "a note"), IntervalRow("two <&>", -1.0, -2.5, 0.5)]


def places(root: Element) -> list[float]:
    """Return where the estimates stand."""
    return [float(each.attrib["cx"]) for each in root.iter(f"{SVG}circle")]


def test_labels_figures_and_notes_are_there() -> None:
    root = checked(interval_chart("Title", ROWS, [Mark(8.75, "exact", strong=True)], "points"))
    assert {"Title", "one", "two <&>", "5.00  [3.00, 7.00]", "−1.00  [−2.50, 0.50]", "exact", "points"} <= set(
        texts(root)
    )
    assert "one: 5.00  [3.00, 7.00]; a note" in titles(root)
    assert "two <&> −1.00  [−2.50, 0.50]" in said(root)


def test_places_are_in_proportion() -> None:
    root = checked(interval_chart("t", ROWS, [Mark(2.0, "middle")]))
    mark = next(group[1] for group in root.iter(f"{SVG}g") if group.findtext(f"{SVG}title") == "middle")
    one, two = places(root)
    assert float(mark.attrib["x1"]) == pytest.approx((one + two) / 2, abs=0.1)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=6), st.floats(1e-6, 100), st.floats(-100, 100))
def test_everything_lies_inside_the_plot(estimates: list[float], half: float, mark: float) -> None:
    rows = [IntervalRow("x", value, value - half, value + half) for value in estimates]
    root = checked(interval_chart("t", rows, [Mark(mark, "m")]))
    for each in root.iter(f"{SVG}line"):
        for name in ("x1", "x2"):
            assert LABELS - 0.1 <= float(each.attrib[name]) <= FIGURES + 0.1 or each.attrib["x1"] == "16"
    ticks = [each for each in root.iter(f"{SVG}text") if each.get("text-anchor") == "middle"]
    assert 1 <= len(ticks) <= 6


def test_a_single_point_without_an_interval_can_be_shown() -> None:
    root = checked(interval_chart("t", [IntervalRow("anchor", 0.0, 0.0, 0.0)], [Mark(0.0, "0")]))
    assert LABELS < places(root)[0] < FIGURES


def test_a_long_name_is_cut_but_told_in_full() -> None:
    name = "champion:sims=16000,trust=0,opponent=heuristic,belief=closed"
    root = checked(interval_chart("t", [IntervalRow(name, 1.0, 0.0, 2.0)]))
    assert name not in texts(root)
    assert f"{name}: 1.00  [0.00, 2.00]" in titles(root)
