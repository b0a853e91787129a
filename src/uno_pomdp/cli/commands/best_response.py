"""`uno-pomdp solve --against`: value iteration against one policy, exact on a mini deck, fitted on a full one."""

from pathlib import Path
from typing import Final

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.cli.commands.fit_value import fit
from uno_pomdp.cli.commands.solve import check_file
from uno_pomdp.cli.files import attempt
from uno_pomdp.cli.ui.console import out, print_json, showing_compilation
from uno_pomdp.cli.ui.progress import counting
from uno_pomdp.errors import ConflictingOptions, quoted
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import FIRST, SECOND, Seat
from uno_pomdp.policies.opponent_models import OpponentModel
from uno_pomdp.pomdp.information_states import can_list
from uno_pomdp.pomdp.model import InvalidModel, UnoPOMDP
from uno_pomdp.pomdp.value_iteration import value_iteration
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
    gamma: float | None,
    step_cost: float | None,
    games: int | None,
    seed: int | None,
    save: Path | None,
    as_json: bool,
    force: bool = False,
) -> None:
    """Find the best response to a policy by value iteration: of one seat where all it may be told can be listed."""
    check_file(save, force, against)
    gamma, step_cost = 1.0 if gamma is None else gamma, step_cost or 0.0
    if not can_list(rules):
        if seat is not None:
            raise InvalidModel(f"a value function for {rules.name} is fitted for both seats: leave --seat out")
        opponent = opponent_of(against, rules, SECOND)
        process = UnoPOMDP(rules, opponent, discount=gamma, step_cost=step_cost)
        fit(process, GAMES if games is None else games, 1 if seed is None else seed, save, as_json, force)
        return
    for name, value in (("games", games), ("seed", seed)):
        if value is not None:
            raise ConflictingOptions(f"{rules.name} is solved exactly, without chance: leave --{name} out")
    solve_exactly(rules, against, FIRST if seat is None else seat, gamma, step_cost, save, as_json, force)


def solve_exactly(
    rules: Rules,
    against: str,
    seat: Seat,
    gamma: float,
    step_cost: float,
    save: Path | None,
    as_json: bool,
    force: bool,
) -> None:
    """Find the best response of a seat over all its information states, and print what it earns."""
    model = UnoPOMDP(rules, opponent_of(against, rules, 1 - seat), seat=seat, discount=gamma, step_cost=step_cost)
    left = "nothing is kept" if save is None else f"nothing is kept, and {save} is as it was"
    with counting("value iteration", lambda: left) as show, showing_compilation():
        solved = value_iteration(model, report=show)
    failed = attempt(save, lambda file: solved.policy.save(file, over=force))
    saved = save if failed is None else None
    if as_json:
        print_json(solved.to_json() | {"file": None if saved is None else str(saved)})
    else:
        out.print(solved.text(most=SHOWN), markup=False, soft_wrap=True)
        if gamma == 1.0 and not step_cost:
            points = 50 * (1 + solved.value)
            out.print(f"The best response of {seat_name(seat)} has {points:.3f} % of the points.", style="bold")
        if saved is not None:
            out.print(f"Play it as policy:file={saved}, as {seat_name(seat)}", markup=False, soft_wrap=True)
    if failed is not None:
        raise failed


def opponent_of(text: str, rules: Rules, seat: Seat) -> OpponentModel:
    """Return the policy that an agent states, if it can play there."""
    spec = AgentSpec.parse(text)
    if not spec.can.has_policy:
        raise InvalidAgent(f"value iteration needs a policy in closed form, not {quoted(text)}: choose one of {MODELS}")
    spec.make().check_game(rules, seat)
    return spec.as_model()
