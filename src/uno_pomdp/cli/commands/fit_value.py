"""`uno-pomdp solve house --against`: fitted value iteration, where information states are too many to list."""

from pathlib import Path

from rich.table import Table

from uno_pomdp.cli.files import attempt
from uno_pomdp.cli.ui.console import out, print_json, showing_compilation
from uno_pomdp.cli.ui.progress import counting
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.fitted_value import FittedValue
from uno_pomdp.pomdp.linear_features import NAMES
from uno_pomdp.pomdp.model import UnoPOMDP
from uno_pomdp.quantities import count_of


def fit(model: UnoPOMDP, games: int, seed: int, save: Path | None, as_json: bool, force: bool) -> None:
    """Fit V against the opponent of a model, and print it with how well it fits."""
    left = "nothing is kept" if save is None else f"nothing is kept, and {save} is as it was"
    with counting("fitting a value function", lambda: left) as show, showing_compilation():
        found = fit_value(model, games=games, seed=seed, report=lambda _, done, of: show(done, of))
    failed = attempt(save, lambda file: found.save(file, over=force))
    saved = save if failed is None else None
    if as_json:
        print_json(found.to_json() | {"file": None if saved is None else str(saved)})
    else:
        print_value(found)
        if saved is not None:
            out.print(f"Play it as value:file={saved}", markup=False, soft_wrap=True)
    if failed is not None:
        raise failed


def print_value(found: FittedValue) -> None:
    """Print V for people: where it comes from, how well it fits, and its weights."""
    about, value = found.about, found.value
    ended = "converged" if about["converged"] else "did not converge"
    cost = f", step cost {value.step_cost:g}" if value.step_cost else ""
    out.print(
        f"{found.rules.name} against {found.opponent}: V of {about['decisions']:,} decisions of "
        f"{count_of(about['games'], 'game')}, discount {value.discount:g}{cost}",
        style="bold",
        markup=False,
        soft_wrap=True,
    )
    out.print(
        f"fitted value iteration {ended} after {count_of(about['iterations'], 'iteration')}; the root mean square "
        f"of V - TV is {about['residual']:.3f}: what the features can't say, and noise",
        style="dim",
        markup=False,
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("feature", "weight"):
        table.add_column(title, justify="left" if title == "feature" else "right")
    for name, weight in zip(NAMES, value.weights.tolist(), strict=True):
        table.add_row(name, f"{weight:+.4f}")
    out.print(table)
