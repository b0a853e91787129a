"""Random numbers for kernels: SplitMix64, the same on every machine, with the state as an argument.

Two forms of one generator. *Scalar*: the caller holds the state and gets the next one back, as a game's
own random state is used. *Stream*: a `STREAM` record that advances in place, as players use it (a record
and not an array: Numba counts references to arrays, with an atomic operation at every call).
"""

from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.errors import InvalidSeed
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.quantities import SEED

STREAM: Final = np.dtype([("state", np.uint64)], align=True)
"""The state of one stream of random numbers."""
Streams = npt.NDArray[np.void]
"""An array of `STREAM`."""
Stream = Any
"""One element of such an array, inside a kernel."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_SPAN = np.uint64(1 << 32)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_S11 = np.uint64(11)
_UNIT = 2.0**-53
_SEED_WORDS: Final = 4
"""Words of a sequence's state that are hashed: as many bits as two of its pools hold."""


Seed = int | np.random.SeedSequence
"""A seed, as every function that uses chance takes it."""


def sequence(seed: Seed) -> np.random.SeedSequence:
    """Return a seed as a fresh sequence: spawning from it uses nothing up, so same seed, same result."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    if not SEED.least <= seed <= SEED.most:
        raise InvalidSeed(f"{seed} is no seed: give {SEED}")
    return np.random.SeedSequence(seed)


def player_seed(seed: Seed) -> np.random.SeedSequence:
    """Return what a player is given for a seed: the same every time, but the seed can't be computed back from it.

    Deals and players often grow from one seed. Whatever hands a seed to an agent passes it through here (BLAKE2b), or
    the agent could deal its own game once more and look at both hands.
    """
    state = sequence(seed).generate_state(_SEED_WORDS, np.uint64).astype("<u8").tobytes()
    return np.random.SeedSequence(int.from_bytes(blake2b(state, digest_size=16, person=b"uno-pomdp player").digest()))


def later_seed(seed: int, steps: int) -> int:
    """Return the seed that is so many steps further on; after the last comes the first."""
    return (seed + steps) % (SEED.most + 1)


def seeds(seed: Seed, count: int) -> npt.NDArray[np.uint64]:
    """Return `count` independent 64-bit seeds grown from one."""
    return np.asarray(sequence(seed).generate_state(count, np.uint64), np.uint64)


def streams(seed: Seed, count: int = 1) -> Streams:
    """Return `count` independent streams grown from one seed.

    >>> import uno_pomdp as uno
    >>> len(uno.streams(seed=1, count=3))
    3
    """
    return seeds(seed, count).view(STREAM)


@kernel
def mix(state: np.uint64) -> np.uint64:
    """Return 64 well mixed bits of a state (the output function of SplitMix64)."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def advance(state: np.uint64) -> np.uint64:
    """Return the state after this one."""
    return state + GOLDEN


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
    return state, as_int(product >> _S32)


@kernel
def below(stream: Stream, bound: int) -> int:
    """Return a number uniform over 0 … bound − 1 and advance the stream; a bound below 1 is not checked."""
    state, value = below_from(stream["state"], bound)
    stream["state"] = state
    return value


@kernel
def uniform(stream: Stream) -> float:
    """Return a number uniform over [0, 1) in steps of 2⁻⁵³ and advance the stream."""
    state = advance(stream["state"])
    stream["state"] = state
    return np.float64(mix(state) >> _S11) * _UNIT


@kernel
def by_weight(running: npt.NDArray[np.float64], stream: Stream) -> int:
    """Return an index drawn in proportion to its weight, from the cumulative sums of weights, and advance the stream.

    Inverse transform sampling: the first index whose cumulative sum is above u · total, by bisection.
    """
    wanted = uniform(stream) * running[len(running) - 1]
    low, high = 0, len(running) - 1
    while low < high:
        middle = (low + high) >> 1
        if running[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low
