"""Numbers in texts: one grammar, a range for each quantity, and one sentence for what is not in it.

A whole number is digits, a number may have a point and an exponent; both may have a sign. Nothing else is one: no
other alphabet's digits, no underscores, no spaces, no `nan`, no `inf`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Final

from uno_pomdp.errors import UnoError, quoted

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,40}")
_REAL: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class InvalidNumber(UnoError):
    """A text or a value that is not the number that is needed."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A range of whole numbers, both ends in it."""

    least: int
    """The smallest."""
    most: int
    """The largest."""
    most_name: str = ""
    """How to write the largest, if not by its digits."""

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most_name or f'{self.most:,}'}"

    def read(self, text: str) -> int:
        """Return the number that a text is."""
        if not _WHOLE.fullmatch(text):
            raise InvalidNumber(f"{quoted(text)} is not {self}")
        return self.checked(int(text))

    def checked(self, value: int) -> int:
        """Return a value that is in the range."""
        if not self.least <= value <= self.most or value != int(value):
            raise InvalidNumber(f"{value} is not {self}")
        return value


@dataclass(frozen=True, slots=True)
class Real:
    """A range of finite numbers; its ends are in it unless it says otherwise."""

    least: float
    """The smallest."""
    most: float
    """The largest."""
    above: bool = False
    """Whether the smallest itself is out."""
    below: bool = False
    """Whether the largest itself is out."""

    def __str__(self) -> str:
        first = f"above {self.least:,g}" if self.above else f"from {self.least:,g}"
        last = "below" if self.below else "up to" if self.above else "to"
        return f"a number {first}{' and' if self.above or self.below else ''} {last} {self.most:,.15g}"

    def read(self, text: str) -> float:
        """Return the number that a text is."""
        if not _REAL.fullmatch(text):
            raise InvalidNumber(f"{quoted(text)} is not {self}")
        return self._inside(float(text), quoted(text))

    def checked(self, value: float) -> float:
        """Return a value that is in the range."""
        return self._inside(value, f"{value:g}")

    def _inside(self, value: float, name: str) -> float:
        low = self.least < value if self.above else self.least <= value
        high = value < self.most if self.below else value <= self.most
        if not (low and high and -inf < value < inf):
            raise InvalidNumber(f"{name} is not {self}")
        return value


@contextmanager
def naming(what: str, kind: type[UnoError]) -> Iterator[None]:
    """Turn an `InvalidNumber` raised inside into an error of this kind that says what the number was for."""
    try:
        yield
    except InvalidNumber as error:
        raise kind(f"{what}: {error}") from error


SEED: Final = Whole(0, 2**64 - 1, "2^64 - 1")
"""What fixes a deal or all chance of a run."""
SIMULATIONS: Final = Whole(1, 1_000_000_000)
"""Of one decision: the most take hours."""
MILLISECONDS: Final = Real(0.0, 86_400_000.0, above=True)
"""Of one decision: a day at most."""
SECONDS: Final = Real(0.0, 31_536_000.0, above=True)
"""Of a training: a year at most."""
THREADS: Final = Whole(1, 1024)
"""Of one search."""
PROCESSES: Final = Whole(1, 1024)
"""On one machine."""
PAIRS: Final = Whole(1, 100_000_000)
"""Deals of a match: as many as memory can keep count of."""
FITTED_GAMES: Final = Whole(1, 100_000)
"""To fit a value function to: the sampled outcomes of about 10,000 games take a gigabyte of memory."""
ITERATIONS: Final = Whole(1, 1_000_000_000)
"""Of a solver."""
EXPLORATION: Final = Real(0.0, 1000.0)
"""Weight of a tree search's exploration bonus."""
STEPS_AHEAD: Final = Whole(1, 1000)
"""How many choices a lookahead may go: no game has more."""
PROBABILITY: Final = Real(0.0, 1.0)
"""How likely something may be, such as a policy's noise."""
DISCOUNT: Final = Real(0.0, 1.0, above=True)
"""What γ may be."""
STEP_PENALTY: Final = Real(0.0, 1.0)
"""What a step may cost: results go from −1 to 1."""
TEMPERATURE: Final = Real(0.0, 1000.0, above=True)
"""What a net's logits may be divided by; 1 plays as trained."""
PARTICLES: Final = Whole(1, 1_000_000)
"""Of a particle filter: the most need some gigabytes."""
RESAMPLING: Final = Real(0.0, 1.0)
"""The resampling threshold: particles are resampled when ESS / particles falls below it; 0 never resamples."""
MEGABYTES: Final = Whole(1, 1_000_000)
"""Of a cache."""
HYPOTHESES: Final = Whole(1, 10_000_000)
"""Of an enumeration: the most need some gigabytes."""
PRIOR_TRUST: Final = Real(0.0, 1_000_000.0)
"""How much the logarithm of a prior may count; 0 does without it."""


def count_of(number: int, what: str) -> str:
    """Return so many of something, in words."""
    several = "" if number == 1 else "es" if what.endswith(("ch", "x", "s")) else "s"
    return f"{number:,} {what}{several}"


ROUND: Final = 9
"""Decimals to which a probability is rounded: weights that should add up to 1 are off by less."""


def percent(share: float) -> str:
    """Return a probability in whole percent; only certainty reads 0 or 100."""
    share = round(share, ROUND)
    if 0.0 < share <= 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1.0 else f"{100 * share:z.0f} %"


def range_of(low: float, high: float, digits: int) -> str:
    """Return a range of numbers as a text; one number if both ends are written alike."""
    first, last = f"{low:z.{digits}f}", f"{high:z.{digits}f}"
    return first if first == last else f"{first} to {last}"
