"""Zero-sum matrix games by linear programming. SciPy comes with the extra `solve`."""

from importlib import import_module
from importlib.util import find_spec

import numpy as np

from uno_pomdp.arrays import Floats
from uno_pomdp.errors import UnoError
from uno_pomdp.extras import missing


class CannotSolve(UnoError):
    """A linear programme that is too large, or for which SciPy is missing."""


def solve_matrix(payoffs: Floats) -> tuple[float, Floats, Floats]:
    """Return the value of a zero-sum matrix game to the player of the rows, and an optimal mixture of each player.

    maximise v   subject to   Aᵀ x ≥ v,  Σ x = 1,  x ≥ 0; the other mixture is that of −Aᵀ.
    """
    need_scipy()
    value, rows = _mixture(payoffs)
    return value, rows, _mixture(-payoffs.T)[1]


def _mixture(payoffs: Floats) -> tuple[float, Floats]:
    rows, columns = payoffs.shape
    solved = import_module("scipy.optimize").linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoffs.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if not solved.success:
        raise CannotSolve(f"the linear programme was not solved: {solved.message}")
    mixture = np.maximum(solved.x[:rows], 0.0)
    return -float(solved.fun), mixture / mixture.sum()


def need_scipy() -> None:
    """Refuse work that needs SciPy where it is not installed."""
    if find_spec("scipy") is None:
        raise CannotSolve(missing("linear programmes need", "SciPy", "solve"))
