"""Sets as 64-bit masks: how many bits, which one, a random one. No loops: these are the innermost steps of search."""

import numpy as np

from uno_pomdp.game.rng import Stream, below
from uno_pomdp.jit import as_int, inner_kernel, kernel

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_FIVES = np.uint64(0x5555555555555555)
_THREES = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_BYTE = np.uint64(0xFF)
_S2, _S3, _S4, _S7, _S8, _S56 = (np.uint64(shift) for shift in (2, 3, 4, 7, 8, 56))

_SELECT = np.array([[*(i for i in range(8) if byte >> i & 1), *[8] * 8][:8] for byte in range(256)], np.uint8)
"""By byte and rank k: the index of its k-th bit."""


@kernel
def bytes_below(mask: np.uint64) -> np.uint64:
    """Return in each byte how many bits of the mask are set in it and in the bytes below."""
    mask = mask - ((mask >> _ONE) & _FIVES)
    mask = (mask & _THREES) + ((mask >> _S2) & _THREES)
    mask = (mask + (mask >> _S4)) & _NIBBLES
    return mask * _LOW_BITS


@kernel
def popcount(mask: np.uint64) -> int:
    """Return how many bits are set."""
    return as_int(bytes_below(mask) >> _S56)


@kernel
def several(mask: np.uint64) -> bool:
    """Return whether more than one bit is set."""
    found: bool = mask & (mask - _ONE) != _NONE
    return found


@kernel
def lowest_bit(mask: np.uint64) -> int:
    """Return the index of the lowest bit set; 64 for the empty mask."""
    return popcount(~mask & (mask - _ONE))


@kernel
def nth_bit(mask: np.uint64, rank: int) -> int:
    """Return the index of the bit set with `rank` others set below it; there must be one."""
    sums = bytes_below(mask)
    wanted = np.uint64(rank)
    full_bytes = (((wanted * _LOW_BITS) | _HIGH_BITS) - sums) & _HIGH_BITS
    start = (((full_bytes >> _S7) * _LOW_BITS) >> _S56) << _S3
    before = ((sums << _S8) >> start) & _BYTE
    return as_int(start) + as_int(_SELECT[(mask >> start) & _BYTE, wanted - before])


@inner_kernel
def random_bit(mask: np.uint64, stream: Stream) -> int:
    """Return the index of a bit uniform over those set; the mask must not be empty."""
    return nth_bit(mask, below(stream, popcount(mask)))
