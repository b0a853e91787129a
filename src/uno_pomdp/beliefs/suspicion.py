"""How likely a wild +4 that may be challenged was a lie: the one figure by which searches weigh it and people are told.

A belief that ignores choices takes a +4 for no choice: P(the hand holds the colour) is then what it would be for any
hand of that size, a bound on what is possible and far too high a suspicion. At the decision whether to challenge, hands
are therefore weighed by the likelihood of the +4 that was played, with the rate β at which the heuristic lies
(`policies.bluffing`):

    P(hand | +4) ∝ P(hand) · (β if the hand holds the colour, else 1)

All else about the +4 stays no choice. A belief with an opponent model that saw the +4 being played has weighed it by
that model already, and is left alone.
"""

from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.cards import RANKS_PER_COLOUR
from uno_pomdp.game.observation import Observation
from uno_pomdp.jit import kernel
from uno_pomdp.policies.bluffing import lie_rate
from uno_pomdp.policies.kernels import WEIGHTS, Weights
from uno_pomdp.quantities import percent

LEAST_RATE: Final = 1e-9
"""The least β: where every hand that fits holds the colour, the +4 was a lie, even if the heuristic never tells one."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """How likely the wild +4 that may be challenged was a lie, and what is assumed about who played it."""

    probability: float
    """The probability that the hand holds the colour that was active before the +4."""
    assumes: str
    """How the opponent is taken to choose, in words."""

    def __str__(self) -> str:

        return f"the +4 was a lie: {percent(self.probability)}, if {self.assumes}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"probability": self.probability, "assumes": self.assumes}


def rate_of_lies(seen: Observation) -> float:
    """Return β of the opponent's +4 that the seat may challenge, as the heuristic states it."""
    assert seen.before is not None
    played, first = seen.played.array(), seen.before * RANKS_PER_COLOUR
    cards = len(seen.hand) + seen.opponent_size + seen.draw_size + len(seen.played)
    of_colour = int(played[first : first + RANKS_PER_COLOUR].sum())
    rate = rate_one(of_colour, len(seen.played), cards, seen.colours, seen.opponent_size, len(seen.hand), WEIGHTS)
    return max(float(rate), LEAST_RATE)


@kernel
def rate_one(of_colour: int, seen: int, cards: int, colours: int, size: int, victims: int, weights: Weights) -> float:
    """Return the rate of lies with the first of these weights."""
    return lie_rate(of_colour, seen, cards, colours, size, victims, weights[0])
