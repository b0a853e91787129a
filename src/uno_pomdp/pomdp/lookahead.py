"""One step of a seat's decision process: an action, then all that happens until the seat has a choice again."""

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
