"""A decision process as arrays, and sweeps of value iteration over them.

    states      first[s] … first[s+1]      the choices of a state; none where it is over
    choices     start[c] … start[c+1]      what may follow; reward[c] is earned at once
    outcomes    target, probability        the next state

V(s) = max_c ( reward(c) + Σ P(s′ | c) γ(s′) V(s′) ); γ(s′) is the discount where the seat decides in s′, for there a
new step begins, and 1 where the opponent does. States come before those that follow them wherever the process has no
cycles, so that one sweep from the last to the first is enough there.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.agents.agent import Clock
from uno_pomdp.arrays import Floats, Int32s
from uno_pomdp.errors import UnoError
from uno_pomdp.jit import kernel, working_time
from uno_pomdp.quantities import count_of

Longs = npt.NDArray[np.int64]

TOLERANCE: Final = 1e-10
"""The sup-norm residual at which sweeps end unless told otherwise."""


class NotConverged(UnoError):
    """Sweeps that did not reach their tolerance."""


class Process(NamedTuple):
    """The arrays of a decision process."""

    first: Longs
    """By state: its first choice; one more at the end."""
    start: Longs
    """By choice: its first outcome; one more at the end."""
    reward: Floats
    """By choice: what it earns at once, on average over its outcomes."""
    target: Int32s
    """By outcome: the state."""
    probability: Floats
    """By outcome: how likely it is. The rest up to 1 is the probability that the game ends."""
    discount: Floats
    """By state: γ where the seat decides, else 1; it counts where the state follows another."""

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.first) - 1


@dataclass(frozen=True, slots=True)
class Values:
    """What value iteration found."""

    value: Floats
    """By state: V."""
    choice: Longs
    """By state: the best choice, the first of equals; −1 where there is none."""
    residual: float
    """max |V − TV| over all states."""
    sweeps: int
    """How many sweeps it took."""
    seconds: float
    """How long it took."""

    def __repr__(self) -> str:
        return f"<Values of {len(self.value):,} states: {count_of(self.sweeps, 'sweep')}, residual {self.residual:.1e}>"


def iterate_values(
    process: Process,
    *,
    tolerance: float = TOLERANCE,
    most_sweeps: int = 100_000,
    clock: Clock = working_time,
) -> Values:
    """Sweep until no value changes by more than the tolerance under a Bellman backup."""
    started = clock()
    value = np.zeros(process.states)
    choice = np.full(process.states, -1, np.int64)
    residual, sweeps = np.inf, 0
    while residual > tolerance:
        if sweeps >= most_sweeps:
            raise NotConverged(
                f"after {count_of(sweeps, 'sweep')} the residual is {residual:.3g}: allow more, or a larger tolerance"
            )
        moved = sweep(process, value, choice)
        sweeps += 1
        if moved <= tolerance or sweeps == 1:  # each value was fresh when it was set: only now look at all at once
            residual = bellman_residual(process, value)
    return Values(value, choice, float(residual), sweeps, clock() - started)


@kernel
def backup(process: Process, value: Floats, state: int) -> tuple[float, int]:
    """Return the value of a state by its best choice, and that choice; 0 and −1 where there is none."""
    best = -np.inf
    chosen = -1
    for choice in range(process.first[state], process.first[state + 1]):
        later = 0.0
        for outcome in range(process.start[choice], process.start[choice + 1]):
            target = process.target[outcome]
            later += process.probability[outcome] * process.discount[target] * value[target]
        earned = process.reward[choice] + later
        if earned > best:
            best = earned
            chosen = choice
    return (best, chosen) if chosen >= 0 else (0.0, -1)


@kernel
def sweep(process: Process, value: Floats, choices: Longs) -> float:
    """Back every state up in place, the last one first; return the largest change."""
    largest = 0.0
    for state in range(len(value) - 1, -1, -1):
        best, chosen = backup(process, value, state)
        change = abs(best - value[state])
        largest = change if change > largest else largest
        value[state] = best
        choices[state] = chosen
    return largest


@kernel
def bellman_residual(process: Process, value: Floats) -> float:
    """Return max |V − TV|."""
    largest = 0.0
    for state in range(len(value)):
        best, _ = backup(process, value, state)
        residual = abs(best - value[state])
        largest = residual if residual > largest else largest
    return largest
