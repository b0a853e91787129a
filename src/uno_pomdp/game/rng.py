"""Random numbers for kernels: SplitMix64, the same on every machine, with the state as an argument.

Two forms of one generator. *Scalar*: the caller holds the state and gets the next one back, as a record's
own random state is used. *Stream*: a one-element uint64 array that advances in place, as agents use it.
"""

import numpy as np
import numpy.typing as npt

from uno_pomdp.jit import kernel

Stream = npt.NDArray[np.uint64]
"""One element: the state of a stream of random numbers."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_SPAN = np.uint64(1 << 32)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_S11 = np.uint64(11)
_UNIT = 2.0**-53


def streams(seed: int | np.random.SeedSequence, count: int) -> npt.NDArray[np.uint64]:
    """Return `count` independent 64-bit seeds grown from one; a seed sequence is not used up by it."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(count, np.uint64)


@kernel
def mix(state: np.uint64) -> np.uint64:
    """Return 64 well mixed bits of a state (the output function of SplitMix64)."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)  # type: ignore[no-any-return]


@kernel
def advance(state: np.uint64) -> np.uint64:
    """Return the state after this one."""
    return state + GOLDEN  # type: ignore[no-any-return]


@kernel
def below_from(state: np.uint64, bound: int) -> tuple[np.uint64, int]:
    """Return the next state and a number uniform over 0 … bound − 1, without bias (Lemire's rejection)."""
    size = np.uint64(bound)
    state = advance(state)
    product = (mix(state) >> _S32) * size
    if product & _LOW < size:
        threshold = (_SPAN - size) % size
        while product & _LOW < threshold:
            state = advance(state)
            product = (mix(state) >> _S32) * size
    return state, np.int64(product >> _S32)  # type: ignore[return-value]


@kernel
def below(stream: Stream, bound: int) -> int:
    """Return a number uniform over 0 … bound − 1 and advance the stream; a bound below 1 is not checked."""
    state, value = below_from(stream[0], bound)
    stream[0] = state
    return value


@kernel
def uniform(stream: Stream) -> float:
    """Return a number uniform over [0, 1) in steps of 2⁻⁵³ and advance the stream."""
    state = advance(stream[0])
    stream[0] = state
    return np.float64(mix(state) >> _S11) * _UNIT
