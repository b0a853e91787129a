"""`uno-pomdp solve`: an equilibrium of a mini deck, and how the solver came to it."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rich.table import Table

from uno_pomdp.cli.files import attempt, read_by
from uno_pomdp.cli.stopping import telling
from uno_pomdp.cli.ui.console import err, out, print_json, showing_compilation
from uno_pomdp.equilibrium.cfr import Solution, SolverProgress, check_variant, solve
from uno_pomdp.equilibrium.solved_game import SolvedGame
from uno_pomdp.equilibrium.tree.game_tree import GameTree, build_tree
from uno_pomdp.errors import ConflictingOptions, InvalidRules, UnusableFile
from uno_pomdp.files import claim
from uno_pomdp.quantities import count_of, range_of
from uno_pomdp.rules import Rules, as_rules

DEFAULT: Final = "mini-9"
"""The rules that are solved if none are named."""


def check_file(save: Path | None, force: bool, against: str | None = None) -> None:
    """Refuse a file that can't take a policy, or must not, before the work and not after it."""
    if save is not None and (save.suffix != ".npz" or not save.parent.is_dir()):
        raise UnusableFile(f"{save} is no file for a policy: name one that ends in .npz, in a folder that exists")
    claim(save, force, read_by(against))


def check_alone(given: Mapping[str, float | None]) -> None:
    """Refuse options, by name, that are for a response to one policy, where none is named."""
    for name, value in given.items():
        if value is not None:
            raise ConflictingOptions(
                f"--{name} is for a response to one policy: name that with --against, or leave it out"
            )


def chosen(argument: str | None, option: str | None) -> Rules:
    """Return the rules that were named, as an argument or as an option."""
    if argument is not None and option is not None and argument != option:
        raise InvalidRules(f"the rules are named twice, {argument} and {option}: name one")
    return as_rules(argument or option or DEFAULT)


def solve_rules(
    rules: Rules, variant: str, until: float, iterations: int, save: Path | None, as_json: bool, force: bool = False
) -> None:
    """Solve a game and print the curve of exploitability, also if the policy could not be saved after all."""
    check_file(save, force)
    check_variant(variant)
    started = time.perf_counter()
    at_last: SolverProgress | None = None

    def told() -> str:
        left = "nothing is kept" if save is None else f"nothing is kept, and {save} is as it was"
        if at_last is None:
            return f"before the first look at the policy; {left}"
        return f"after {count_of(at_last.iterations, 'iteration')}, at exploitability {_gap(at_last):.2e}; {left}"

    with telling(told), showing_compilation(), err.status("Building the tree …") as status:
        if not err.is_terminal:
            status.stop()
        tree = build_tree(rules)
        built = time.perf_counter() - started

        def report(at: SolverProgress) -> None:
            nonlocal at_last
            at_last = at
            status.update(f"{count_of(at.iterations, 'iteration')}, exploitability {at.result.exploitability:.2e}")

        solution = solve(tree, variant, target=until, iterations=iterations, report=report)
    solved = SolvedGame(tree, solution)
    failed = attempt(save, lambda file: solved.policy.save(file, over=force))
    saved = save if failed is None else None
    if as_json:
        file = None if saved is None else str(saved)
        print_json(solved.to_json() | {"file": file})
    else:
        print_solution(tree, solution, until, built)
        if saved is not None:
            out.print(f"Play it as policy:file={saved}", markup=False, soft_wrap=True)
    if failed is not None:
        raise failed


def _gap(at: SolverProgress) -> float:
    return at.result.exploitability


def print_solution(tree: GameTree, solution: Solution, until: float, built: float) -> None:
    """Print the tree, the curve and the value for people."""
    out.print(str(tree), style="bold", markup=False)
    out.print(
        f"built in {built:.1f} s, solved by {solution.variant} in {solution.progress[-1].seconds:.1f} s", style="dim"
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("iterations", "seconds", "exploitability", "points of 100"):
        table.add_column(title, justify="right")
    for at in thinned(solution.progress):
        cells = f"{at.iterations:,}", f"{at.seconds:.2f}", f"{_gap(at):.2e}", f"{100 * at.result.points:.4f}"
        table.add_row(*cells)
    out.print(table)
    value = solution.result.bracket
    low, high = (50 * (1 + bound) for bound in (value.low, value.high))
    reached = _gap(solution.progress[-1]) < until
    out.print(
        f"Perfect play gives player 1 {range_of(low, high, 3)} % of the points."
        + ("" if reached else f" The bar of {until:g} was not reached: give more --iterations."),
        style="bold",
    )


def thinned(curve: tuple[SolverProgress, ...]) -> list[SolverProgress]:
    """Return the first point, those at least half as far on again as the one before, and the last."""
    kept = [curve[0]]
    for at in curve[1:-1]:
        if at.iterations >= 1.5 * kept[-1].iterations:
            kept.append(at)
    return kept if len(curve) == 1 else [*kept, curve[-1]]
