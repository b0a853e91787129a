"""Learning curves as pictures. Needs Matplotlib, which is looked for when a picture is asked for."""

import csv
from pathlib import Path

from uno_pomdp.plots import picture

_MARK = " ±"


def draw_curve(path: Path, curve: Path) -> None:
    """Draw a net's points against each opponent over the choices that it was trained on, from the CSV of a run."""
    rows = list(csv.DictReader(curve.read_text(encoding="utf-8").splitlines()))
    opponents = [name.removesuffix(_MARK) for name in rows[0] if name.endswith(_MARK)] if rows else []
    with picture(path, "choices, millions", "points, %") as axes:
        for name in opponents:
            kept = [row for row in rows if row[name]]
            done = [float(row["decisions"]) / 1e6 for row in kept]
            points, half = ([100 * float(row[key]) for row in kept] for key in (name, name + _MARK))
            axes.errorbar(done, points, half, fmt="o-", markersize=3, capsize=2, label=f"v {name}")
        axes.legend()
