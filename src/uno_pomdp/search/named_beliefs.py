"""The beliefs that a search can follow a game with, by name."""

from collections.abc import Callable
from typing import Final

from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.beliefs.closed_form import ClosedFormBelief
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.uniform import UniformBelief
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import Seed
from uno_pomdp.policies.kernels import POLICY_NAMES
from uno_pomdp.policies.opponent_models import PolicyModel
from uno_pomdp.rules import Rules

MakeBelief = Callable[[Rules, Observation, Seed], Belief]
"""Makes the belief of a new game."""


def _particles(name: str) -> MakeBelief:
    def make(rules: Rules, seen: Observation, seed: Seed) -> Belief:
        return ParticleBelief(rules, seen, PolicyModel(POLICY_NAMES.index(name)), seed=seed)

    return make


BELIEFS: Final[dict[str, MakeBelief]] = {
    "closed": lambda rules, seen, _: ClosedFormBelief(rules, seen),
    "uniform": lambda rules, seen, _: UniformBelief(rules, seen),
    **{name: _particles(name) for name in POLICY_NAMES},
}
"""By name: the closed form, one that knows sizes only, and particles that take the opponent for a policy."""


def belief_maker(name: str) -> MakeBelief:
    """Return what makes the belief of this name."""
    if name not in BELIEFS:
        raise InvalidAgent(f"no belief is called {name!r}: choose one of {', '.join(BELIEFS)}")
    return BELIEFS[name]
