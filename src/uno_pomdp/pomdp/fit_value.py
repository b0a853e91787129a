"""Fitted value iteration for a decision process whose information states can't be listed, such as the full deck.

Games are played against the opponent and all decisions of one seat taken from them; what follows each action is sampled
in worlds from a belief, and V is fitted to that (`fitted_value_iteration`).
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.pomdp.fitted_value import FittedValue
from uno_pomdp.pomdp.fitted_value_iteration import FittedIteration, Iteration, steps_paid
from uno_pomdp.pomdp.linear_value import LinearValue
from uno_pomdp.pomdp.model import InvalidModel, UnoPOMDP
from uno_pomdp.pomdp.sampled_transitions import sample_transitions

GAMES: Final = 4_000
"""Games of which all decisions are taken: about 30,000 decisions of the full deck."""
WORLDS: Final = 32
"""Outcomes of each action."""
TOLERANCE: Final = 1e-3
"""The largest change of V with which iterations end."""
MOST_STEPS: Final = 60
"""Own moves of a long game: what they cost bounds V from below."""

Report = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def _silent(what: str, done: int, of: int) -> None:
    del what, done, of


def fit_value(
    model: UnoPOMDP,
    *,
    games: int = GAMES,
    worlds: int = WORLDS,
    seed: Seed = 1,
    report: Report = _silent,
) -> FittedValue:
    """Return V of a model's decisions, for either seat: it depends on what a seat sees, not on which seat it is.

    >>> import uno_pomdp as uno
    >>> uno.fit_value(uno.UnoPOMDP("house", "greedy", discount=0.95), games=20, worlds=4)
    <FittedValue of house against greedy, discount 0.95, step cost 0>
    """
    opponent = model.opponent
    if not isinstance(opponent, PolicyModel):
        raise InvalidModel(
            f"V is fitted to millions of replies, which only scripted policies give in kernels, not {opponent.name}: "
            f"choose one of {', '.join(POLICY_NAMES)}; against any other policy there is pomcp:model=…"
        )
    found = sample_transitions(
        model.rules,
        games,
        worlds,
        seed,
        opponent.policy,
        weights=opponent.weights,
        report=lambda done, of: report("games", done, of),
    )
    iteration = FittedIteration(
        model.discount,
        model.step_cost,
        bound=1.0 + model.step_cost * float(steps_paid(np.array(MOST_STEPS), model.discount)),
        tolerance=TOLERANCE,
    )

    def iterated(done: Iteration) -> None:
        report("iterations", done.number, iteration.most)

    fit = iteration.fit(found, iterated)
    last = fit.iterations[-1]
    about = {
        "games": games,
        "worlds": worlds,
        "seed": seed if isinstance(seed, int) else None,
        "decisions": len(found.features),
        "iterations": last.number,
        "converged": fit.converged,
        "residual": last.residual,
        "misfit": last.misfit,
    }
    return FittedValue(
        model.rules,
        opponent.name,
        LinearValue(fit.weights, iteration.bound, model.discount, model.step_cost),
        about,
    )
