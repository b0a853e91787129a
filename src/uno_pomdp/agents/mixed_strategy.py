"""Mixed strategies: an action drawn from the probabilities that a policy gives."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Candidate, Clock, Decision
from uno_pomdp.arrays import Floats
from uno_pomdp.game.actions import ACTIONS as TYPED_ACTIONS
from uno_pomdp.game.actions import Action
from uno_pomdp.game.layout import ACTIONS
from uno_pomdp.game.observation import Observation


def drawn_from(
    policy: npt.NDArray[np.float64], legal: Sequence[Action], chance: np.random.Generator
) -> tuple[Action, tuple[Candidate, ...]]:
    """Return an action drawn from the probabilities of all 63, and the legal ones with theirs, the likeliest first."""
    chosen = int(chance.choice(ACTIONS, p=policy / policy.sum()))
    candidates = (Candidate(action, prior=float(policy[action.id])) for action in legal)
    return TYPED_ACTIONS[chosen], tuple(sorted(candidates, key=lambda candidate: -(candidate.prior or 0.0)))


def sampled_decision(
    policy: Callable[[], Floats], seen: Observation, chance: np.random.Generator, clock: Clock
) -> Decision:
    """Return a decision drawn from a policy, which is asked where there is a choice; a forced one has no candidates."""
    started = clock()
    legal = seen.legal_actions()
    if len(legal) == 1:
        return Decision(legal[0], note="forced", milliseconds=1000 * (clock() - started))
    action, candidates = drawn_from(policy(), legal, chance)
    return Decision(action, candidates, milliseconds=1000 * (clock() - started))
