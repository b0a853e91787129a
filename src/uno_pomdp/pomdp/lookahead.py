"""One step of a seat's decision process: an action, then all that happens until the seat has a choice again.

return of k own moves = Σ γⁱ rᵢ; r = ±1 with the last one if it ends the game, −λ each; else γᵏ V of what follows
"""

import numpy as np

from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.kernels import apply, legal_mask
from uno_pomdp.game.layout import RUNNING, Record
from uno_pomdp.game.rng import Stream
from uno_pomdp.jit import as_int, inner_kernel
from uno_pomdp.policies.kernels import Policy, choose

_NOTHING = np.uint64(0)
_ONE = np.uint64(1)


@inner_kernel
def until_choice(state: Record, seat: int, model: Policy, weights: Record, stream: Stream) -> int:
    """Let forced moves and the opponent's moves happen; return the seat's own moves before its next choice."""
    forced = 0
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        alone = legal & (legal - _ONE) == _NOTHING
        own = state["turn"] == seat
        if own and not alone:
            break
        forced += as_int(own)
        apply(state, lowest_bit(legal) if alone else choose(model, state, legal, weights, stream))
    return forced


@inner_kernel
def return_at_end(reward: float, moves: int, discount: float, step_cost: float) -> float:
    """Return Σ γᵏ rₖ for a game that ends with the last of so many own moves."""
    if discount == 1.0:
        return reward - step_cost * moves
    last = discount ** (moves - 1)
    return reward * last - step_cost * (1.0 - last * discount) / (1.0 - discount)


@inner_kernel
def return_with_value(value: float, moves: int, discount: float, step_cost: float) -> float:
    """Return Σ γᵏ rₖ over so many own moves, and γ to their number times the value of what follows."""
    if discount == 1.0:
        return value - step_cost * moves
    last = discount**moves
    return value * last - step_cost * (1.0 - last) / (1.0 - discount)
