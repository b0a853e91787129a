"""`uno-pomdp solve`: an equilibrium of a mini deck, and how the solver came to it."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from rich.table import Table

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import (
    SEAT,
    AsJson,
    Force,
    agent_option,
    complete_rules,
    complete_solver,
    number,
)
from uno_pomdp.cli.stopping import kept_of, telling
from uno_pomdp.cli.ui.console import err, out, print_json, showing_compilation
from uno_pomdp.errors import ConflictingOptions, InvalidRules, UnusableFile
from uno_pomdp.quantities import DISCOUNT, FITTED_GAMES, ITERATIONS, SEED, STEP_PENALTY, Real, count_of, range_of
from uno_pomdp.rules import Rules, as_rules

if TYPE_CHECKING:
    from uno_pomdp.equilibrium.cfr import Solution, SolverProgress
    from uno_pomdp.equilibrium.tree.game_tree import GameTree

DEFAULT: Final = "mini-9"
"""The rules that are solved if none are named."""


class Solved(NamedTuple):
    """What was found."""

    save: Callable[..., None]
    """Writes it to a file."""
    document: dict[str, Any]
    """What machines are told."""
    show: Callable[[], None]
    """Prints it for people."""
    agent: str
    """How its file is played: a text with `{}` for the file."""


@app.command(epilog="Example: uno-pomdp solve mini-9 --save mini-9.npz")
def solve(
    deck: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help="A mini deck without reshuffle: mini-7, mini-9, …; with --against any rules.",
            show_default="mini-9",
            autocompletion=complete_rules,
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="RULES", help="The same by name.", autocompletion=complete_rules)
    ] = None,
    solver: Annotated[
        str, typer.Option(metavar="SOLVER", help="cfr, cfr+, dcfr or pcfr+.", autocompletion=complete_solver)
    ] = "pcfr+",
    until: Annotated[float, number(Real(0.0, 2.0), "Stop below this exploitability, of results from −1 to 1.")] = 1e-3,
    iterations: Annotated[int, number(ITERATIONS, "Stop after so many in any case.")] = 100_000,
    against: Annotated[
        str | None,
        agent_option(
            "Not an equilibrium, but the best response to this policy, by value iteration; fitted on a full deck."
        ),
    ] = None,
    seat: Annotated[int | None, number(SEAT, "With --against on a mini deck: who responds.", show_default="1")] = None,
    gamma: Annotated[
        float | None, number(DISCOUNT, "With --against: the discount of a step.", show_default="1")
    ] = None,
    step_cost: Annotated[
        float | None, number(STEP_PENALTY, "With --against: what a step costs.", show_default="0")
    ] = None,
    games: Annotated[
        int | None, number(FITTED_GAMES, "With --against on a full deck: games to fit to.", show_default="4000")
    ] = None,
    seed: Annotated[
        int | None, number(SEED, "With --against on a full deck: same seed, same result.", show_default="1")
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what is found here, as .npz.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Solve a mini deck to an equilibrium, or any rules against one policy; `--save` makes it an agent.

    `policy:file=FILE` plays what was found on a mini deck. Against one policy a full deck gives a value function, which
    `value:file=…` plays.
    """
    from uno_pomdp.cli.files import written
    from uno_pomdp.equilibrium.cfr import check_variant

    if against is None:
        check_alone({"seat": seat, "gamma": gamma, "step-cost": step_cost, "games": games, "seed": seed})
    wanted = chosen(deck, rules)
    check_file(save, force, against)
    if against is None:
        check_variant(solver)
        found = solved_alone(wanted, solver, until, iterations, kept_of(save))
    else:
        from uno_pomdp.cli.commands.best_response import respond

        steps = 1.0 if gamma is None else gamma, step_cost or 0.0
        found = respond(wanted, against, None if seat is None else seat - 1, games, seed, kept_of(save), steps)
    with written(save, lambda file: found.save(file, over=force)) as failed:
        saved = save if failed is None else None
        if as_json:
            print_json(found.document | {"file": None if saved is None else str(saved)})
        else:
            found.show()
            if saved is not None:
                out.print(f"Play it as {found.agent.format(saved)}", markup=False, soft_wrap=True)


def check_file(save: Path | None, force: bool, against: str | None = None) -> None:
    """Refuse a file that can't take a policy, or must not, before the work and not after it."""
    if save is not None and (save.suffix != ".npz" or not save.parent.is_dir()):
        raise UnusableFile(f"{save} is no file for a policy: name one that ends in .npz, in a folder that exists")
    from uno_pomdp.cli.files import read_by
    from uno_pomdp.files import claim

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


def solved_alone(rules: Rules, variant: str, until: float, iterations: int, left: str) -> Solved:
    """Solve a game to an equilibrium; `left` says what is kept of it if it is stopped."""
    from uno_pomdp.equilibrium.cfr import solve as run_solver
    from uno_pomdp.equilibrium.solved_game import SolvedGame
    from uno_pomdp.equilibrium.tree.game_tree import build_tree

    started = time.perf_counter()
    at_last: SolverProgress | None = None

    def told() -> str:
        if at_last is None:
            return f"before the first look at the policy; {left}"
        return f"after {count_of(at_last.iterations, 'iteration')}, at exploitability {_gap(at_last):.2e}; {left}"

    with telling(told), showing_compilation(), err.status("Building the tree …") as status:
        if not err.is_terminal:
            status.stop()
        tree = build_tree(rules)
        built = time.perf_counter() - started

        def report(at: "SolverProgress") -> None:
            nonlocal at_last
            at_last = at
            status.update(f"{count_of(at.iterations, 'iteration')}, exploitability {at.result.exploitability:.2e}")

        solution = run_solver(tree, variant, target=until, iterations=iterations, report=report)
    solved = SolvedGame(tree, solution)
    shown = partial(print_solution, tree, solution, until, built)
    return Solved(solved.policy.save, solved.to_json(), shown, "policy:file={}")


def _gap(at: "SolverProgress") -> float:
    return at.result.exploitability


def print_solution(tree: "GameTree", solution: "Solution", until: float, built: float) -> None:
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


def thinned(curve: "tuple[SolverProgress, ...]") -> "list[SolverProgress]":
    """Return the first point, those at least half as far on again as the one before, and the last."""
    kept = [curve[0]]
    for at in curve[1:-1]:
        if at.iterations >= 1.5 * kept[-1].iterations:
            kept.append(at)
    return kept if len(curve) == 1 else [*kept, curve[-1]]
