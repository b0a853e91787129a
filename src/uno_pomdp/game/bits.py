"""Sets as 64-bit masks: how many bits, which one, a random one."""

import numpy as np

from uno_pomdp.game.rng import Stream, below
from uno_pomdp.jit import kernel

_ONE = np.uint64(1)
_FIVES = np.uint64(0x5555555555555555)
_THREES = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_S2, _S4, _S56 = np.uint64(2), np.uint64(4), np.uint64(56)


@kernel
def popcount(mask: np.uint64) -> int:
    """Return how many bits are set."""
    mask = mask - ((mask >> _ONE) & _FIVES)
    mask = (mask & _THREES) + ((mask >> _S2) & _THREES)
    mask = (mask + (mask >> _S4)) & _NIBBLES
    return np.int64((mask * _BYTES) >> _S56)  # type: ignore[return-value]


@kernel
def lowest_bit(mask: np.uint64) -> int:
    """Return the index of the lowest bit set; 64 for the empty mask."""
    return popcount(~mask & (mask - _ONE))


@kernel
def random_bit(mask: np.uint64, stream: Stream) -> int:
    """Return the index of a bit uniform over those set; the mask must not be empty."""
    size = popcount(mask)
    if size > 1:
        for _ in range(below(stream, size)):
            mask &= mask - _ONE
    return lowest_bit(mask)
