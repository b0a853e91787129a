"""The policy-aware belief that is shown beside the exact one: it uses the opponent's choices as evidence.

The exact belief is choice-agnostic: a choice among cards that fit is no evidence. This one weights every choice by a
policy: the opponent's own where that is scripted, else `heuristic`, which is then shown as an assumption. A belief
named by `--belief` takes its place, and is shown with its diagnostics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.beliefs.belief import Belief, Diagnostics
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.policies.kernels import is_policy
from uno_pomdp.registry import AgentSpec, BeliefSpec
from uno_pomdp.rules import Rules

ASSUMED: Final = "heuristic"
"""The policy that stands for an opponent whose own is not known."""
SEED: Final = 0
"""The seed of the filter: asked again, it says the same."""
UNLIKE: Final = 0.5
"""The probability that the opponent does not play as assumed above which that is mentioned."""

EXACT: Final = "ignored"
"""What the exact belief takes the choices of the opponent to be, where others stand beside it."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """The policy that the opponent is assumed to play."""

    policy: str
    """Its name; that of the belief where none is assumed."""
    known: bool
    """Whether it is what the opponent really plays."""
    made: bool = True
    """Whether anything is assumed at all."""


def assumption_about(opponent: str, spec: BeliefSpec | None = None) -> Assumption:
    """Return what an opponent of this name is taken to play, by the belief that was asked for."""
    if spec is None:
        return Assumption(opponent, known=True) if is_policy(opponent) else Assumption(ASSUMED, known=False)
    model = spec.options.get("model")
    if isinstance(model, AgentSpec):
        return Assumption(model.text, known=model.text == opponent)
    return Assumption(spec.name, known=False, made=False)


class PolicyAware:
    """A belief over one game, worked out as far as the game has come when it is asked for."""

    def __init__(self, rules: Rules, observation: Observation, opponent: str, spec: BeliefSpec | None = None) -> None:
        self.assumption = assumption_about(opponent, spec)
        """The policy that the opponent is assumed to play."""
        self.chosen = spec is not None
        """Whether somebody asked for this belief."""
        self.spec = spec or BeliefSpec.parse(f"particles,model={self.assumption.policy}")
        """Which belief it is."""
        self._deal = rules, observation
        self._belief = self._begun() if self.chosen else None  # what can't be is refused at once
        self._waiting: list[tuple[tuple[Event, ...], Observation]] = []

    def _begun(self) -> Belief:
        return self.spec.maker()(*self._deal, SEED)

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self._waiting.append((tuple(events), observation))

    @property
    def belief(self) -> Belief:
        """The belief after all that was taken in."""
        if self._belief is None:
            self._belief = self._begun()
        for events, observation in self._waiting:
            self._belief.update(events, observation)
        self._waiting.clear()
        return self._belief

    @property
    def points(self) -> float:
        """The largest standard error of a probability, in points: 100 √(p (1 − p) / ESS) at p = 1/2; 0 if exact."""
        belief = self.belief
        return float(50.0 / max(belief.diagnostics().ess, 1.0) ** 0.5) if isinstance(belief, ParticleBelief) else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the belief, its assumption about the opponent and its diagnostics as JSON values."""
        assumed: dict[str, Any] = {"choices": self.assumption.policy, "assumed": not self.assumption.known}
        return assumed | {"filter": filter_json(self.belief.diagnostics())} | self.belief.to_json()

    def in_short(self) -> str:
        """Return what is assumed, in a few words."""
        if not self.assumption.made:
            return f"{self.spec}"
        whose = "which it does" if self.assumption.known else "an assumption"
        return f"choosing as {self.assumption.policy}, {whose}"

    def about(self) -> str:
        """Return what is assumed, and how well the filter does, in words."""
        belief = self.belief
        found = belief.diagnostics()
        policy, known = self.assumption.policy, self.assumption.known
        unknown = "an assumption that you made" if self.chosen else "an assumption: what it plays is not known"
        whose = "which is what it plays" if known else unknown
        what = f"it chooses as {policy} does, {whose}"
        if not self.assumption.made:
            what = "what it chose is taken to tell nothing"
        if not isinstance(belief, ParticleBelief):
            return f"{what} ({found.kind})"
        how = f"particle filter, {found.size:,} particles, effective sample size {found.ess:,.0f}"
        how += f": ± {self.points:.0f} points"
        if belief.unlike >= UNLIKE and not self.assumption.known:
            what += f", but it does not play like {policy}: that explains less and less of what it does"
        return f"{what} ({how})"

    def at_work(self) -> str:
        """Return the belief's diagnostics in a line."""
        return working(self.belief.diagnostics())


def working(found: Diagnostics) -> str:
    """Return a belief's diagnostics in a line; of a filter also what its last update did."""
    held = f"{found.kind}: effective sample size {found.ess:,.0f} of {found.size:,}, {found.support:,} distinct"
    if not found.kind.startswith("particles"):
        return held
    did = f"; {found.did} now" if found.did else ""
    return f"{held} hands{did}; resampled {found.resamplings}, rejuvenated {found.rejuvenations} times in all"


def filter_json(found: Diagnostics) -> dict[str, Any]:
    """Return a belief's diagnostics as JSON values."""
    return {
        "kind": found.kind,
        "effective_sample_size": found.ess,
        "size": found.size,
        "distinct_hands": found.support,
        "did": found.did,
        "resamplings": found.resamplings,
        "rejuvenations": found.rejuvenations,
    }
