"""The policy-aware belief that is shown beside the exact one: it uses the opponent's choices as evidence.

The exact belief is choice-agnostic: a choice among cards that fit is no evidence. This one weights every choice by a
policy. It is the belief of the coach's own search where that weighs choices, so that panel and advice agree; else it
takes the opponent's policy where that is scripted, and `heuristic` otherwise, which is shown as an assumption. A belief
named by `--belief` takes its place, and is shown with its diagnostics. One whose model fails, as a user's own may, can
be switched off: then all is as if it had not been named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.beliefs.belief import Belief, Diagnostics
from uno_pomdp.beliefs.particle_filter import ParticleBelief
from uno_pomdp.beliefs.suspicion import Suspicion
from uno_pomdp.game.events import Event
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.policies.kernels import is_policy
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import AgentSpec, BeliefSpec

ASSUMED: Final = "heuristic"
"""The policy that stands for an opponent whose own is not known."""
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


class SwitchedOff:
    """Beliefs of one game whose model has failed, so that they are not asked again."""

    def __init__(self) -> None:
        self._sentences: dict[BeliefSpec, str] = {}
        self._said = 0

    def __contains__(self, spec: BeliefSpec) -> bool:
        return spec in self._sentences

    def add(self, spec: BeliefSpec, failure: AgentFailure) -> None:
        """Switch a belief off."""
        self._sentences[spec] = f"{failure}; the belief that uses it is switched off"

    def news(self) -> list[str]:
        """Return what is to be said of those that were switched off since this was asked last."""
        found = list(self._sentences.values())[self._said :]
        self._said += len(found)
        return found


class PolicyAware:
    """A belief over one game, worked out as far as the game has come when it is asked for.

    One whose model fails is added to `off`, and the belief goes on without it; where there is no `off`, it raises.
    """

    def __init__(
        self,
        history: SeatHistory,
        opponent: str,
        spec: BeliefSpec | None = None,
        coach: str | None = None,
        off: SwitchedOff | None = None,
    ) -> None:
        self._opponent = opponent
        self._wanted = spec, None if coach is None else AgentSpec.parse(coach).belief
        self._off = off
        self._deal = history.rules, history.first
        self._beliefs: dict[BeliefSpec, tuple[Belief, int]] = {}
        self._steps: list[Step] = []
        self._choose()
        if self._chosen:
            self._shown()  # what can't be is refused at once
        self._steps += history.steps

    def _choose(self) -> None:
        """Choose among the beliefs that are not switched off."""
        off = self._off or ()
        spec, searched = (None if each is None or each in off else each for each in self._wanted)
        follows = searched if searched is not None and searched.reads_choices else None
        self._assumption = assumption_about(self._opponent, spec or follows)
        self._chosen = spec is not None
        self._spec = spec or follows or BeliefSpec.parse(f"particles,model={self._assumption.policy},cache=yes")
        self._searched = searched or self._spec
        self._follows = spec is None and follows is not None

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player."""
        self._steps.append(Step(tuple(events), observation))

    def follow(self, history: SeatHistory) -> None:
        """Take in what a history has more; where it was cut, begin anew."""
        if history.first != self._deal[1] or list(history.steps[: len(self._steps)]) != self._steps:
            self._deal, self._beliefs = (history.rules, history.first), {}
        self._steps = list(history.steps)

    def _followed(self, spec: BeliefSpec) -> Belief:
        """Return a belief after all that was taken in."""
        if spec not in self._beliefs:
            self._beliefs[spec] = spec.maker()(*self._deal), 0
        belief, done = self._beliefs[spec]
        for step in self._steps[done:]:
            belief.update(*step)
        self._beliefs[spec] = belief, len(self._steps)
        return belief

    def _shown(self, searched: bool = False) -> Belief:
        """Return the belief that is shown, or that of the coach's search; one that fails is switched off."""
        while True:
            spec = self._searched if searched else self._spec
            try:
                return self._followed(spec)
            except AgentFailure as failure:
                if self._off is None or spec not in self._wanted:
                    raise
                self._off.add(spec, failure)
                self._choose()

    @property
    def belief(self) -> Belief:
        """The belief after all that was taken in."""
        return self._shown()

    @property
    def assumption(self) -> Assumption:
        """The policy that the opponent is assumed to play, by the belief that is shown now."""
        self._shown()
        return self._assumption

    @property
    def chosen(self) -> bool:
        """Whether somebody asked for the belief that is shown now."""
        self._shown()
        return self._chosen

    def suspicion(self) -> Suspicion | None:
        """Return how likely the +4 that may be challenged was a lie, as the coach's search takes it."""
        now = self._steps[-1].observation if self._steps else self._deal[1]
        return None if now.before is None or now.turn != now.seat else self._shown(searched=True).suspicion()

    @property
    def points(self) -> float:
        """The largest standard error of a probability, in points: 100 √(p (1 − p) / hands) at p = 1/2; 0 if exact."""
        belief = self.belief
        return float(50.0 / max(belief.diagnostics().hands, 1.0) ** 0.5) if isinstance(belief, ParticleBelief) else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the belief, its assumption about the opponent and its diagnostics as JSON values."""
        suspicion = self.suspicion()
        lie = None if suspicion is None else suspicion.to_json()
        assumed: dict[str, Any] = {"choices": self.assumption.policy, "assumed": not self.assumption.known, "lie": lie}
        return assumed | {"filter": filter_json(self.belief.diagnostics())} | self.belief.to_json()

    def in_short(self) -> str:
        """Return what is assumed, in a few words."""
        if not self.assumption.made:
            return f"{self._spec}"
        whose = "which it does" if self.assumption.known else "an assumption"
        return f"choosing as {self.assumption.policy}, {whose}"

    def about(self) -> str:
        """Return what is assumed, and how well the filter does, in words."""
        belief = self.belief
        found = belief.diagnostics()
        policy, known = self.assumption.policy, self.assumption.known
        unknown = "an assumption that you made" if self.chosen else "an assumption: what it plays is not known"
        unknown = "an assumption of the coach" if self._follows else unknown
        whose = "which is what it plays" if known else unknown
        what = f"it chooses as {policy} does, {whose}"
        if not self.assumption.made:
            what = "what it chose is taken to tell nothing"
        if not isinstance(belief, ParticleBelief):
            return f"{what} ({found.kind})"
        how = f"particle filter, {found.size:,} particles, effective sample size {found.ess:,.0f}"
        how += f": ± {self.points:.0f} points"
        if belief.unlike >= UNLIKE and not known:
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
    cached = f"; {count_of(found.cached, 'update')} from the cache" * bool(found.cached)
    return f"{held} hands{did}; resampled {found.resamplings}, rejuvenated {found.rejuvenations} times in all{cached}"


def filter_json(found: Diagnostics) -> dict[str, Any]:
    """Return a belief's diagnostics as JSON values."""
    return {
        "kind": found.kind,
        "effective_sample_size": found.ess,
        "independent_hands": found.hands,
        "unlike": found.unlike,
        "size": found.size,
        "distinct_hands": found.support,
        "did": found.did,
        "resamplings": found.resamplings,
        "rejuvenations": found.rejuvenations,
    }
