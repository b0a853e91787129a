"""`uno-pomdp solve --against`: value iteration against one policy, exact on a mini deck, fitted on a full one."""

from typing import Final

from rich.table import Table

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.cli.commands.solve import Solved
from uno_pomdp.cli.ui.console import out, showing_compilation
from uno_pomdp.cli.ui.progress import counting
from uno_pomdp.errors import ConflictingOptions, quoted
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import FIRST, SECOND, Seat
from uno_pomdp.policies.opponent_models import OpponentModel
from uno_pomdp.pomdp.fit_value import fit_value
from uno_pomdp.pomdp.fitted_value import FittedValue
from uno_pomdp.pomdp.information_states import can_list
from uno_pomdp.pomdp.linear_features import NAMES
from uno_pomdp.pomdp.model import InvalidModel, UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import MODELS, AgentSpec
from uno_pomdp.rules import Rules

GAMES: Final = 4000
"""Games to which a value function is fitted, if nothing else is asked for."""
SHOWN: Final = 8
"""Information states of which the values are printed."""


def respond(
    rules: Rules,
    against: str,
    seat: Seat | None,
    games: int | None,
    seed: int | None,
    left: str,
    steps: tuple[float, float],
) -> Solved:
    """Find the best response to a policy by value iteration: of one seat where all it may be told can be listed.

    `steps` are the discount and the cost of a step; `left` says what is kept of the work if it is stopped.
    """
    if can_list(rules):
        for name, value in (("games", games), ("seed", seed)):
            if value is not None:
                raise ConflictingOptions(f"{rules.name} is solved exactly, without chance: leave --{name} out")
        return solved_exactly(rules, against, FIRST if seat is None else seat, left, steps)
    if seat is not None:
        raise InvalidModel(f"a value function for {rules.name} is fitted for both seats: leave --seat out")
    model = UnoPOMDP(rules, opponent_of(against, rules, SECOND), discount=steps[0], step_cost=steps[1])
    count, chance = GAMES if games is None else games, 1 if seed is None else seed
    with counting("fitting a value function", lambda: left) as show, showing_compilation():
        fitted = fit_value(model, games=count, seed=chance, report=lambda _, done, of: show(done, of))
    return Solved(fitted.save, fitted.to_json(), lambda: print_value(fitted), "value:file={}")


def solved_exactly(rules: Rules, against: str, seat: Seat, left: str, steps: tuple[float, float]) -> Solved:
    """Find the best response of a seat over all its information states."""
    model = UnoPOMDP(rules, opponent_of(against, rules, 1 - seat), seat=seat, discount=steps[0], step_cost=steps[1])
    with counting("value iteration", lambda: left) as show, showing_compilation():
        solved = value_iteration(model, report=show)

    def print_values() -> None:
        out.print(solved.text(most=SHOWN), markup=False, soft_wrap=True)
        if model.discount == 1.0 and not model.step_cost:
            points = 50 * (1 + solved.value)
            out.print(f"The best response of {seat_name(seat)} has {points:.3f} % of the points.", style="bold")

    return Solved(solved.policy.save, solved.to_json(), print_values, f"policy:file={{}}, as {seat_name(seat)}")


def opponent_of(text: str, rules: Rules, seat: Seat) -> OpponentModel:
    """Return the policy that an agent states, if it can play there."""
    spec = AgentSpec.parse(text)
    if not spec.can.has_policy:
        raise InvalidAgent(f"value iteration needs a policy in closed form, not {quoted(text)}: choose one of {MODELS}")
    spec.make().check_game(rules, seat)
    return spec.as_model()


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
