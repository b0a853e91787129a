"""Mixed strategies: an action drawn from the probabilities that a policy gives."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Candidate
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.actions import Action
from uno_pomdp.game.layout import ACTIONS


def drawn_from(
    policy: npt.NDArray[np.float64], legal: Sequence[Action], chance: np.random.Generator
) -> tuple[Action, tuple[Candidate, ...]]:
    """Return an action drawn from the probabilities of all 62, and the legal ones with theirs, the likeliest first."""
    chosen = int(chance.choice(ACTIONS, p=policy / policy.sum()))
    candidates = (Candidate(action, prior=float(policy[action.id])) for action in legal)
    return TYPED_ACTIONS[chosen], tuple(sorted(candidates, key=lambda candidate: -(candidate.prior or 0.0)))
