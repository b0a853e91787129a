"""The policy-aware belief for people: what the opponent's choices tell, if it chooses as a known policy does.

The exact belief takes a choice among cards that fit for no information. This one weighs every choice by a policy: the
opponent's own where that is one of the simple ones, else `heuristic`, which is then an assumption and said to be one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.beliefs.cache import Cache
from uno_pomdp.beliefs.particle_filter import ParticleBelief, ParticleState
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import Rules

ASSUMED: Final = "heuristic"
"""The policy that stands for an opponent whose own is not known."""
PARTICLES: Final = 1000
SEED: Final = 0
"""Of the filter: who asks twice is told the same."""
LEANING: Final = 0.25
"""The share of the exact belief in the figures from which on it is mentioned."""
_STATES: Final = Cache[ParticleState](128)
"""A game is followed once, not anew for every question."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """What the opponent is taken to play."""

    policy: str
    """Its name."""
    known: bool
    """Whether it is what the opponent plays in truth."""


def assumption_about(opponent: str) -> Assumption:
    """Return what an opponent of this name is taken to play."""
    return Assumption(opponent, known=True) if opponent in POLICY_NAMES else Assumption(ASSUMED, known=False)


class PolicyAware:
    """A particle filter over one game, worked out as far as the game has come when it is asked for."""

    def __init__(self, rules: Rules, observation: Observation, opponent: str) -> None:
        self.assumption = assumption_about(opponent)
        """What the opponent is taken to play."""
        self._deal = rules, observation
        self._filter: ParticleBelief | None = None
        self._waiting: list[tuple[tuple[Event, ...], Observation]] = []

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self._waiting.append((tuple(events), observation))

    @property
    def belief(self) -> ParticleBelief:
        """The belief after all that was taken in."""
        if self._filter is None:
            model = PolicyModel(POLICY_NAMES.index(self.assumption.policy))
            self._filter = ParticleBelief(*self._deal, model, PARTICLES, SEED, _STATES)
        for events, observation in self._waiting:
            self._filter.update(events, observation)
        self._waiting.clear()
        return self._filter

    @property
    def points(self) -> float:
        """The largest standard error of a probability, in points: 100 √(p (1 − p) / ESS) at p = 1/2."""
        return float(50.0 / max(self.belief.diagnostics().ess, 1.0) ** 0.5)

    def to_json(self) -> dict[str, Any]:
        """Return the belief as JSON values, and what it takes the opponent to play."""
        assumed = {"choices": self.assumption.policy, "assumed": not self.assumption.known}
        return assumed | self.belief.to_json()

    def about(self) -> str:
        """Return what is assumed, and how well the filter does, in words."""
        found = self.belief.diagnostics()
        policy, known = self.assumption.policy, self.assumption.known
        whose = "which is what it plays" if known else "an assumption: what it plays is not known"
        how = f"particle filter, {found.size:,} particles, effective sample size {found.ess:,.0f}"
        how += f": ± {self.points:.0f} points"
        if self.belief.blend >= LEANING:
            how += f"; few hands fit, so {100 * self.belief.blend:.0f} % of it is the exact one"
        return f"it chooses as {policy} does, {whose} ({how})"
